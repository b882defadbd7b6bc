// A loop that writes elements of lists, as one step of the tape. In: a `for` loop, and its lines as ever. Out: lines that ask whether lists are what types say and apart, that run the loop without
// a node for each element, and that hand over what goes through it backwards; the lines as ever where it is not so. Invariant: whatever the loop may do unforeseen, it does as ever, or
// the derivative says so.

import type ts from "typescript";
import { scratchHandles } from "../handles.ts";
import { mayRun } from "../run/run.ts";
import { block, freshName, indented, marked, type Work } from "../work.ts";
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
  const { any } = work, { lists, written, scratch, kept, counters, guards } = swept, seen = lists.filter((list) => !scratch.has(list)), [tape, at, count, step] = [freshName(work, "t"), freshName(work, "t"), freshName(work, "t"), freshName(work, "t")];
  const writer = new Writer(work, swept, tape, at), { count: counting, forward, backward } = writer.text(count);
  const reads = (lines: readonly string[], name: string): boolean => lines.join("\n").split(/[^\p{ID_Continue}$]+/u).includes(name);
  const copied = writer.copied.filter(({ name }) => reads(backward, name)), lengths = lists.filter((list) => scratch.has(list)).map((list) => ({ list, length: freshName(work, "t") }));
  const given = [...kept.keys(), ...counters, ...copied.map(({ name }) => name)], zeros = lengths.map(({ list: { bar }, length }) => `const ${bar} = new Float64Array(${length});`);
  const names = [at, ...seen.map(({ bar }) => bar), ...given].map((name) => (reads(backward, name) ? name : "")), own = reads(backward, tape) ? tape : `_${tape}`;
  const fast = [
    `${reads(forward, at) ? "let" : "const"} ${at}${any} = ${step}.at;`, ...(reads(forward, tape) ? [`const ${tape}${any} = $d.sweptTape;`] : []),
    `${block("try", forward)} ${block("catch (error)", [`throw $d.unswept(${step}, error);`])}`,
    `$d.endSwept(${step}, ${at}, [${[...kept.keys(), ...counters, ...copied.map(({ name }) => `${name}.slice()`), ...lengths.map(({ list: { name } }) => `${name}.length`)].join(", ")}], (${own}${any}, ${step}${any}) => {`,
    ...indented([`let [${[...names, ...lengths.map(({ length }) => length)].join(", ")}]${any} = ${step};`, ...zeros, ...backward]), "});",
  ];
  return [
    ...[...kept].map(([name, text]) => `const ${name}${any} = ${text};`), ...counting,
    `const ${step}${any} = ${[`$d.isLong(${count})`, ...guards].join(" && ")} ? $d.beginSwept([${seen.map(({ name }) => name).join(", ")}], ${seen.filter((list) => written.has(list)).length}, ${count}) : null;`, `${block(`if (${step} !== null)`, fast)} ${block("else", otherwise)}`,
  ];
}
