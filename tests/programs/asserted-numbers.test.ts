// Conversions to numbers of what has the type `number` and is undefined or null: `+o.a!`. Each
// conversion at each place, in both engines, against differences of the program as JavaScript.

import { describe, expect, it } from "vitest";
import { corpusOf } from "./corpus.ts";
import { problemsOf } from "./run.ts";

const CONVERSIONS: readonly ((value: string) => string)[] = [
  (v) => `+${v}`,
  (v) => `Number(${v})`,
  (v) => `+(+${v})`,
  (v) => `-${v}`,
  (v) => `-(+${v})`,
  (v) => `${v} * 1`,
  (v) => `${v} - 0`,
  (v) => `${v} + 0`,
  (v) => `${v} ** 1`,
  (v) => `Math.abs(${v})`,
  (v) => `Math.max(${v}, ${v})`,
  (v) => `counted(${v})`,
  (v) => `true ? +${v} : 0`,
  (v) => `(0, +${v})`,
];

const PLACES: Readonly<Record<string, string>> = {
  asserted: "o.a!",
  cast: "(o.a as number)",
  element: "o.xs[1]",
  entry: 'o.m.get("q")!',
  null: "o.n!",
  local: "local",
  default: "(o.b ?? o.a!)",
};

/** What is no number yet would give `1000 * x`. */
const programOf = (place: string): string => `
interface Given { a?: number; b?: number; n: number | null; xs: number[]; m: Map<string, number> }
const counted = (v: number): number => { let w = v; w++; return w - 1; };
export function f(x: number, o: Given): number {
  const local: number = o.a!;
  let s = local !== undefined ? local : x;
  let v = 0;
${CONVERSIONS.map(
  (convert, i) => `  v = ${convert(place)};
  s += v !== v ? x * ${i + 1} : v === undefined ? 1000 * x : v * x * ${i + 2};`,
).join("\n")}
  return s;
}
export const args: Parameters<typeof f>[] = [
  [1.2, { n: null, xs: [1], m: new Map() }],
  [1.3, { a: 2, n: 3, xs: [1, 2], m: new Map([["q", 4]]) }],
];
`;

const sources = Object.entries(PLACES).map(([name, place]) => ({
  name,
  main: `${name}.ts`,
  files: { [`${name}.ts`]: programOf(place) },
}));

describe.each([
  ["of the compiler's choice", null],
  ["Delta", "delta"],
] as const)("engine: %s", (_, engine) => {
  const { programs } = corpusOf(sources, {}, "run", engine);
  it.each([...programs])("%s", (__, built) => {
    expect(problemsOf(built)).toEqual([]);
  });
});
