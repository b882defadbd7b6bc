// A random TypeScript program of the accepted language. In: a seed. Out: a module that exports `f` and `args`, as the corpus has them.
// Invariant: f is smooth at most points, bounded, and terminates; helpers write their arguments, recur, and exit early.

import type { Source } from "../programs/corpus.ts";
import { expressions } from "./random-expressions.ts";
import { dice, type Dice, EMPTY, type Scope, withNames } from "./random-scope.ts";
import { Statements } from "./random-statements.ts";

const FIXED = `interface R { a: number; b: number; v: number[] }
const TABLE = [0.7, -0.3, 1.1];
function scaleInPlace(t: number[], k: number): void {
  for (let i = 0; i < t.length; i++) t[i] *= k;
}
function blend(t: number[], s: number[], k: number): number[] {
  for (let i = 0; i < t.length; i++) t[i] = t[i] * (1 - k) + s[i % s.length] * k;
  return t;
}`;

export function randomProgram(seed: number): Source {
  const d = dice(seed * 7919 + 17);
  const name = `random-${seed}`;
  const helpers = helperTexts(d);
  const e = expressions(d, ["h0", "h1", "rec"], ["w0", "w1"]);
  const scope: Scope = withNames(EMPTY, { numbers: ["x", "y"], variables: ["y"], arrays: ["xs", "TABLE"], records: ["r"] });
  const body = new Statements(d, e).block(scope, 4 + d.below(5), 3);
  const last = body.scope.variables.concat(body.scope.numbers.slice(-2)).map((one) => `Math.sin(${one})`);
  const arrays = body.scope.arrays.map((one, i) => `${one}.reduce((s, e, k) => s + e * (k + ${i + 1}), 0)`);
  const matrices = body.scope.matrices.map((one) => `${one}.reduce((s, row, k) => s + row[1] * k + row[0], 0)`);
  const text = [
    FIXED, ...helpers, "export function f(x: number, y: number, xs: number[], r: R, n: number): number {",
    ...body.lines.map((line) => `  ${line}`), `  return ${[...last, ...arrays, ...matrices].join(" + ")} + ${e.number(body.scope, 2)};`, "}",
    `export const args: Parameters<typeof f>[] = [${[0, 1].map(() => point(d)).join(", ")}];`, "export const argnums = [0, 1, 2, 3];",
  ].join("\n");
  return { name, main: `${name}.ts`, files: { [`${name}.ts`]: `${text}\n` } };
}

/** Numbers with many digits, so that ties and kinks are not hit. */
function point(d: Dice): string {
  const number = (): string => ((d.below(2 ** 20) / 2 ** 19 - 1) * 1.5).toFixed(5);
  const list = (): string => `[${Array.from({ length: 3 + d.below(2) }, number).join(", ")}]`;
  return `[${number()}, ${number()}, ${list()}, { a: ${number()}, b: ${number()}, v: ${list()} }, ${1 + d.below(4)}]`;
}

/** Two functions of numbers, one that recurs, two that walk an array; each may exit early. */
function helperTexts(d: Dice): readonly string[] {
  const scope: Scope = { ...withNames(EMPTY, { numbers: ["p", "q"], variables: ["q"], arrays: ["TABLE"] }), loops: 1 };
  const walked: Scope = { ...withNames(EMPTY, { numbers: ["k"], variables: ["k"], arrays: ["t"] }), loops: 1 };
  const build = (head: string, known: readonly string[], start: Scope, result: (e: (s: Scope) => string, s: Scope) => string): string => {
    const e = expressions(d, known, ["first"]);
    const body = new Statements(d, e).block(start, 2 + d.below(2), 1);
    return [`${head} {`, "  const n = 2;", ...body.lines.map((line) => `  ${line}`), `  return Math.sin(${result((s) => e.number(s, 2), body.scope)});`, "}"].join("\n");
  };
  return [
    "const first = (t: number[], k: number): number => t[0] * k;",
    build("function h0(p: number, q: number): number", ["Math.hypot", "Math.atan2"], { ...scope, variables: d.chance(0.5) ? ["q"] : [] }, (e, s) => e(s)),
    build("const h1 = (p: number, q: number): number =>", ["h0"], scope, (e, s) => e(s)).replace(/\}$/, "};"),
    `function rec(p: number, q: number): number {\n  return deep(p, q, ${1 + d.below(3)});\n}`,
    build("function deep(p: number, q: number, left: number): number", ["h0"], scope, (e, s) => `(left > 0 ? deep(${e(s)}, p, left - 1) * q : p) + ${e(s)}`),
    build("function w0(t: number[], k: number): number", ["h0", "h1"], walked, (e, s) => e(s)),
    build("function w1(t: number[], k: number): number", ["h0", "rec"], walked, (e, s) => `w0(t, k) + ${e(s)}`),
  ];
}
