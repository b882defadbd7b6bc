// A loop that writes elements of lists, as one step of the tape. In: a `for` loop, and its lines as ever. Out: lines that ask whether lists are what types say and apart, that run the loop without
// a node for each element, and that hand over what goes through it backwards; the lines as ever where it is not so. Invariant: whatever the loop may do unforeseen, it does as ever, or
// the derivative says so.

import type ts from "typescript";
import { scratchHandles } from "../handles.ts";
import { mayRun } from "../run/run.ts";
import { block, freshName, indented, marked, type Work } from "../work.ts";
import type { List } from "../run/values.ts";
import { sweptOf, type Swept } from "./loop.ts";
import { Writer } from "./text.ts";

/** `ordinary` writes the loop as ever. */
export function sweptLoop(work: Work, node: ts.ForStatement, ordinary: () => readonly string[]): string[] {
  const swept = work.isSwept || !mayRun(work, node) ? null : sweptOf(work, node);
  if (swept === null) return [...scratchHandles(work, node), ...ordinary()];
  for (const variable of swept.scratch.values()) {
    if (variable.scratchOf !== node) work.changed = true;
    variable.scratchOf = node;
  }
  work.isSwept = true;
  const otherwise = [...scratchHandles(work, node), ...ordinary()];
  work.isSwept = false;
  return linesOf(work, swept, otherwise).map((line) => marked(node, line));
}

function linesOf(work: Work, swept: Swept, otherwise: readonly string[]): readonly string[] {
  const { any } = work, { lists, written, scratch, kept, counters, guards, inside } = swept, fresh = (): string => freshName(work, "t"), [tape, at, count, step] = [fresh(), fresh(), fresh(), fresh()];
  const seen = lists.filter((list) => written.has(list) && !scratch.has(list)), own = lists.filter((list) => scratch.has(list)), others = lists.filter((list) => !written.has(list) && !list.isData), named = (all: readonly List[]): string => `[${all.map(({ name }) => name).join(", ")}]`;
  const writer = new Writer(work, swept, tape, at), { count: counting, forward, backward } = writer.text(count);
  const fast = [
    `${isNamed(forward, at) ? "let" : "const"} ${at}${any} = ${step}.at;`, ...(isNamed(forward, tape) ? [`const ${tape}${any} = $d.sweptTape;`] : []),
    `${block("try", forward)} ${block("catch (error)", [`throw $d.unswept(${step}, error);`])}`,
    ...backwardOf(work, { writer, lists: [...seen, ...own, ...others], stays: [...kept.keys()], moves: [...counters], tape, at, step, inside }, backward),
  ];
  return [
    ...[...kept].map(([name, text]) => `const ${name}${any} = ${text};`), ...counting,
    `const ${step}${any} = ${[`$d.isLong(${count})`, ...guards].join(" && ")} ? $d.beginSwept(${named(seen)}, ${named(own)}, ${named(others)}, ${count}) : null;`, `${block(`if (${step} !== null)`, fast)} ${block("else", otherwise)}`,
  ];
}

interface Ending {
  readonly writer: Writer;
  readonly lists: readonly List[];
  /** Names of what the loop leaves as it is, and of what it moves. */
  readonly stays: readonly string[];
  readonly moves: readonly string[];
  readonly tape: string;
  readonly at: string;
  readonly step: string;
  readonly inside: string;
}

/** `$d.endSwept(t, at, true, [n, xs.slice()], (tape, at, bars, from, given) => { … });` */
function backwardOf(work: Work, { writer, lists, stays, moves, tape, at, step, inside }: Ending, backward: readonly string[]): readonly string[] {
  const { any } = work, [bars, from, given] = [freshName(work, "t"), freshName(work, "t"), freshName(work, "t")], copied = writer.copied.filter(({ name }) => isNamed(backward, name)).map(({ name }) => name), copies = copied.map((name) => `${name}.slice()`);
  const all = [...stays, ...copied, ...moves].filter((name) => isNamed(backward, name)), values = all.map((name) => copies[copied.indexOf(name)] ?? name);
  const placed = lists.flatMap((list, k) => [[list.bar, `${bars}[${k}]`], [writer.from.get(list) ?? "", `${from}[${k}]`]]).filter(([name]) => name !== undefined && isNamed(backward, name));
  const names = [...placed.map(([name, text]) => `const ${name}${any} = ${text};`), ...all.map((name, k) => `${moves.includes(name) ? "let" : "const"} ${name}${any} = ${given}[${k}];`)];
  const parameters = [tape, at, bars, from, given].map((name) => `${isNamed([...backward, ...names], name) ? "" : "_"}${name}${any}`), last = parameters.findLastIndex((name) => !name.startsWith("_"));
  return [`$d.endSwept(${step}, ${at}, ${inside}, [${values.join(", ")}], (${parameters.slice(0, last + 1).join(", ")}) => {`, ...indented([...names, ...backward]), "});"];
}

const isNamed = (lines: readonly string[], name: string): boolean => lines.join("\n").split(/[^\p{ID_Continue}$]+/u).includes(name);
