// Makes loops that write array elements one tape node. In: statements and their ordinary rewriting.
// Out: tests of types and aliasing, a loop without a node per element and its reverse closure; else
// the ordinary lines. Invariant: if an assumption fails, these run, or the derivative throws.

import type ts from "typescript";
import { declaredHandles, handleAt, handleLines, scratchHandles } from "../handles.ts";
import { mayRun, type Lines, type Ordinary } from "../run/run.ts";
import type { List } from "../run/values.ts";
import { freshName, type Work } from "../work.ts";
import { block, marked } from "../unchecked.ts";
import type { Swept } from "./loop.ts";
import { stretchesAt, type Stretch } from "./stretch.ts";
import { sweptOf } from "./sweep.ts";
import { Writer } from "./text.ts";

/** The longest stretch that begins with a statement, or null. */
export function sweptAt(
  work: Work,
  nodes: readonly ts.Statement[],
  from: number,
  ordinary: Ordinary,
): Lines | null {
  const first = nodes[from];
  if (first === undefined || work.isSwept || !mayRun(work, first)) return null;
  let last: { readonly stretch: Stretch; readonly swept: Swept } | null = null;
  for (const stretch of stretchesAt(work, nodes, from)) {
    const swept = sweptOf(work, stretch);
    if (swept === null) break;
    last = { stretch, swept };
  }
  return last === null
    ? null
    : { lines: linesOf(work, last.stretch, last.swept, ordinary), count: last.stretch.count };
}

function linesOf(
  work: Work,
  { items, asides }: Stretch,
  swept: Swept,
  ordinary: Ordinary,
): readonly string[] {
  const [first] = items;
  const before = ordinary(asides);
  const seen = [...swept.made.values()]
    .filter(({ isSeen }) => isSeen)
    .map(({ variable }) => variable);
  if (first === undefined) return [];
  for (const variable of swept.scratch.values()) {
    if (variable.scratchOf !== first) work.changed = true;
    variable.scratchOf = first;
  }
  work.isSwept = true;
  for (const variable of seen) work.hoisted.add(variable);
  const otherwise = [...scratchHandles(work, first), ...ordinary(items)];
  for (const variable of seen) work.hoisted.delete(variable);
  work.isSwept = false;
  const declared = seen.flatMap((variable) => [
    `let ${variable.name}${work.any};`,
    ...declaredHandles(work, variable),
  ]);
  return [
    ...before,
    ...[...declared, ...askedLines(work, first, swept, otherwise)].map((line) =>
      marked(first, line),
    ),
  ];
}

/** Tests, then the sweep. Its arrays, in order: outer written, allocated, its own, read ones. */
function askedLines(
  work: Work,
  first: ts.Node,
  swept: Swept,
  otherwise: readonly string[],
): readonly string[] {
  const { any } = work;
  const { lists, written, scratch, made, kept, counters, guards, inside } = swept;
  const fresh = (): string => freshName(work, "t");
  const [tape, at, count, step] = [fresh(), fresh(), fresh(), fresh()];
  const isSeen = (list: List): boolean => made.get(list)?.isSeen === true;
  const isOwn = (list: List): boolean => scratch.has(list) || made.get(list)?.isSeen === false;
  const outside = lists.filter(
    (list) => written.has(list) && !made.has(list) && !scratch.has(list),
  );
  const seen = lists.filter(isSeen);
  const own = lists.filter(isOwn);
  const others = lists.filter((list) => !written.has(list) && !made.has(list) && !list.isData);
  const lengths = [...seen, ...own].map((list) => made.get(list)?.length ?? `${list.name}.length`);
  const writer = new Writer(work, swept, tape, at);
  const { count: counting, forward, backward } = writer.text(count);
  const { kept: stays, text: reversed } = backwardOf(
    work,
    {
      writer,
      lists: [...outside, ...seen, ...own, ...others],
      stays: [...kept.keys()],
      moves: [...counters],
      own,
      tape,
      at,
    },
    backward,
  );
  const fast = [
    `${isNamed(forward, at) ? "let" : "const"} ${at}${any} = ${step};`,
    ...(isNamed(forward, tape) ? [`const ${tape}${any} = $d.sweptTape;`] : []),
    ...[...made.keys()].map((list) =>
      isSeen(list) ? `${list.name} = [];` : `const ${list.name}${any} = [];`,
    ),
    `${block("try", forward)} ${block("catch (error)", [`throw $d.unswept(${step}, error);`])}`,
    ...stays,
    `$d.endSwept(${at}, ${inside}, [${seen.map(({ name }) => name).join(", ")}], ${reversed});`,
    ...seen.flatMap((list) => handleLines(work, made.get(list)?.variable ?? null, false)),
  ];
  const idsOf = (list: List): string =>
    handleAt(work, swept.variables.get(list) ?? null, first) ?? `$d.idsOf(${list.name})`;
  const asked = [
    ...outside.map((list) => `$d.sweepWrites(${idsOf(list)})`),
    ...lengths.map((length) => `$d.sweepOwns(${length})`),
    ...others.map((list) => `$d.sweepReads(${idsOf(list)})`),
  ];
  return [
    ...[...kept].map(([name, text]) => `const ${name}${any} = ${text};`),
    ...counting,
    `const ${step}${any} = ${[`$d.isLong(${count})`, ...guards, "$d.maySweep()", ...asked].join(" && ")} ? $d.beginSwept(${count}) : -1;`,
    `${block(`if (${step} >= 0)`, fast)} ${block("else", otherwise)}`,
  ];
}

interface Ending {
  readonly writer: Writer;
  readonly lists: readonly List[];
  /** The names of unchanged values, and of counters. */
  readonly stays: readonly string[];
  readonly moves: readonly string[];
  /** Arrays that are not used after the loops. */
  readonly own: readonly List[];
  readonly tape: string;
  readonly at: string;
}

/** The reverse closure `(tape, at, bars, from) => { … }`, and declarations of what it captures. */
function backwardOf(
  work: Work,
  { writer, lists, stays, moves, own, tape, at }: Ending,
  backward: readonly string[],
): { readonly kept: readonly string[]; readonly text: string } {
  const { any } = work;
  const [bars, from] = [freshName(work, "t"), freshName(work, "t")];
  const numbers = [...stays, ...moves].map((name) => ({ name, value: name }));
  const copies = writer.copied.map((list) => ({
    name: list.name,
    value: own.includes(list) ? list.name : `${list.name}.slice()`,
  }));
  const kept = [...numbers, ...copies]
    .filter(({ name }) => isNamed(backward, name))
    .map((one) => ({ ...one, at: freshName(work, "t") }));
  const places = [
    ...lists.map(({ bar }, k) => [bar, `${bars}[${k}]`]),
    ...lists.map((list, k) => [writer.from.get(list), `${from}[${k}]`]),
  ];
  const names = [
    ...places.flatMap(([name = "", text = ""]) =>
      isNamed(backward, name) ? [`const ${name}${any} = ${text};`] : [],
    ),
    ...kept.map(
      ({ name, at: place }) =>
        `${moves.includes(name) ? "let" : "const"} ${name}${any} = ${place};`,
    ),
  ];
  const parameters = [tape, at, bars, from].map(
    (name) => `${isNamed([...backward, ...names], name) ? "" : "_"}${name}${any}`,
  );
  const last = parameters.findLastIndex((name) => !name.startsWith("_"));
  return {
    kept: kept.map(({ at: place, value }) => `const ${place}${any} = ${value};`),
    text: block(`(${parameters.slice(0, last + 1).join(", ")}) =>`, [...names, ...backward]),
  };
}

const isNamed = (lines: readonly string[], name: string): boolean =>
  lines
    .join("\n")
    .split(/[^\p{ID_Continue}$]+/u)
    .includes(name);
