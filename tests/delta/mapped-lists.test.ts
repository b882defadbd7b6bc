// `list.map` with an arrow function that stands in the call (runtime/delta/lists.ts), elements outside of loops by a handle that is there anyway, and data whose type is a union. In: small programs.
// Out: closed forms, which a lost id would not give.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import * as delta from "../../runtime/delta/index.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad } from "tsgrad";\nconst sum = (xs: number[]): number => { let s = 0; for (const x of xs) s += x; return s; };\n`;
const OF = `{ engine: "delta" }`;

function valueOf(source: string): unknown {
  const whole = HEAD + source;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(diagnostics).toEqual([]);
  return loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []).text],
    ]),
    delta,
  )("/src/input.ts")["value"];
}

const PROGRAMS: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "elements, places and the list",
    `const f = (xs: number[]): number => sum(xs.map((x, k, all) => x * all[all.length - 1 - k]! * (k + 1)));
export const value = grad(f, ${OF})([2, 3, 5]);`,
    [5 * 4, 4 * 3, 2 * 4],
  ],
  [
    "one call inside of another of the same function",
    `const nested = (xs: number[], depth: number): number[] => xs.map((x) => (depth === 0 ? x * x : sum(nested([x, x * 2], depth - 1)) * x));
const f = (xs: number[]): number => sum(nested(xs, 2));
export const value = grad(f, ${OF})([1]);`,
    [4 * (1 + 4) * (1 + 8)],
  ],
  [
    "objects, holes and numbers without ids",
    `const f = (xs: number[]): number => { const all = xs.map((x) => ({ x, y: 2 })); const holes: number[] = [1, , 3] as number[]; const more = holes.map((h) => h * all[0]!.x); return more.length * all[1]!.x * all[1]!.y + (1 in more ? 100 : 0) * xs[0]! + more[2]!; };
export const value = grad(f, ${OF})([2, 7]);`,
    [3, 6],
  ],
  [
    "a list that grows and shrinks meanwhile",
    `const f = (xs: number[]): number => { const seen = xs.map((x, k) => { if (k === 0) { xs.push(9); xs[1] = x * x; } return xs[k]! * 3; }); return seen.length * sum(seen); };
export const value = grad(f, ${OF})([2, 5]);`,
    [2 * 3 * (1 + 4), 0],
  ],
  [
    "a list without ids that another function writes to meanwhile",
    `const put = (xs: number[], k: number, x: number): void => { xs[k] = x; };
const f = (s: number, xs: number[]): number => sum(xs.map((x, k) => { put(xs, k + 1, s * x * 2); return x * s; }));
export const value = grad(f, ${OF})(3, [1, 5]);`,
    1 + 4 * 3,
  ],
  [
    "a method of its own",
    `const own = (xs: number[]): number[] => Object.assign(xs, { map: (g: (x: number, k: number) => number) => [g(xs[1]!, 3) * 10, g(xs[0]!, 2)] });
const f = (x: number): number => { const xs = own([x, 1]); return sum(xs.map((one, k) => one * one * k)) + sum(xs.map((one) => { const two = one * one; return two; })); };
export const value = grad(f, ${OF})(3);`,
    12 + 6,
  ],
  [
    "a method of its own that gives no places",
    `const own = (xs: number[]): number[] => Object.assign(xs, { map: (g: (x: number) => number) => [g(xs[0]!) * 10] });
const f = (x: number): number => { const xs = own([x, 1]); return sum(xs.map((one) => one * one)); };
export const value = grad(f, ${OF})(3);`,
    10 * 2 * 3,
  ],
  [
    "arithmetic of an element and its place: holes, what varies and what does not, conditions, rows of other lists",
    `const f = (xs: number[], w: number[]): number => {
  const rows = [xs, w], holes: number[] = [xs[0]!, , 3] as number[];
  const a = xs.map((x, j) => x * w[j]! + j), b = holes.map((x) => x * x), c = w.map((x, j) => x * rows[0]![j]! * 2), d = w.map((x) => x * x), e = [].map((x: number) => x * xs[0]!);
  return sum(a) * 1 + (1 in b ? 100 : b[0]!) + sum(c) + sum(d) + (1 in b ? 1000 : 0) + e.length * xs[1]!;
};
export const value = grad(f, ${OF})([2, 5], [3, 7]);`,
    [3 + 2 * 2 + 2 * 3, 7 + 2 * 7],
  ],
  [
    "long arithmetic of an element, and of a number that is one of several",
    `const f = (xs: number[], k: number): number => sum(xs.map((x, j) => Math.exp(k * x) * Math.sin(k * x) * k * x * x / (1 + k * k * x * x) + j * k)) + sum(xs.map((x) => Math.max(x, k) * Math.abs(x)));
export const value = ((): boolean => {
  const xs = [0.5, -0.3, 1.7], k = 0.8, own = grad(f, ${OF})([...xs], k), h = 1e-5;
  return xs.every((_, i) => { const at = (t: number): number => f(xs.map((x, j) => (j === i ? x + t : x)), k); return Math.abs(own[i]! - (at(h) - at(-h)) / (2 * h)) < 1e-8; });
})();`,
    true,
  ],
  [
    "an array of a class",
    `class Row extends Array<number> {}
const f = (x: number): number => { const xs = Row.from([x, x * x]) as Row; const made = xs.map((one) => one * 2); return (made instanceof Row ? 1 : 100) * (made[0]! + made[1]!); };
export const value = grad(f, ${OF})(3);`,
    2 + 12,
  ],
  [
    "an error inside",
    `const f = (xs: number[]): number => { let at = 0; try { return sum(xs.map((x) => { at += x * x; if (x > 2) throw new RangeError("large"); return x; })); } catch { return at * 2; } };
export const value = grad(f, ${OF})([1, 3, 5]);`,
    [4, 12, 0],
  ],
  [
    "this of a method around it",
    `class Scale { by: number; constructor(by: number) { this.by = by; } all(xs: number[]): number[] { return xs.map((x) => x * this.by); } }
const f = (x: number): number => sum(new Scale(x).all([x, 2]));
export const value = grad(f, ${OF})(3);`,
    6 + 2,
  ],
  [
    "elements before a loop and behind it",
    `const f = (xs: number[], n: number): number => { const first = xs[0]!; let s = 0; for (let k = 0; k < n; k++) { s += xs[k]! * first; xs[k] = s; } return xs[n - 1]! * xs[0]!; };
export const value = grad(f, ${OF})([2, 3], 2);`,
    (() => {
      // s = a², then a² + a b; f = (a² + a b) a²
      const a = 2;
      const b = 3;
      return [4 * a * a * a + 3 * a * a * b, a * a * a];
    })(),
  ],
  [
    "places that are no elements, in a loop and outside of it",
    `const f = (xs: number[]): number => { let s = 0; xs[0.5] = xs[0]! * xs[0]!; xs[-1] = xs[1]! * 3; for (let k = -1; k < 1; k += 0.5) s += (xs[k] ?? 0) * (k + 2); xs[0.5] = xs[0.5]! * 2; return s + xs[0.5]! + xs[-1]!; };
export const value = grad(f, ${OF})([2, 3]);`,
    [2 + 4 * 2.5 + 2 * 4, 3 + 3],
  ],
  [
    "data that is one of several records",
    `type Shape = { kind: "disc"; r: number } | { kind: "box"; a: number; b: number };
const area = (s: number, shape: Shape): number => (shape.kind === "disc" ? s * shape.r * shape.r : s * s * shape.a * shape.b);
const f = (s: number, shapes: Shape[]): number => { let t = 0; for (const shape of shapes) t += area(s, shape); return t; };
export const value = grad(f, ${OF})(3, [{ kind: "disc", r: 2 }, { kind: "box", a: 5, b: 7 }]);`,
    4 + 6 * 35,
  ],
  [
    "hyperbolic tangents",
    `const f = (x: number): number => Math.tanh(Math.tanh(x) * 2);
const t = Math.tanh(0.3), u = Math.tanh(2 * t);
export const value = Math.abs(grad(f, ${OF})(0.3) - (1 - u * u) * 2 * (1 - t * t)) < 1e-15;`,
    true,
  ],
];

describe("closed forms", () => {
  test.each(PROGRAMS)("%s", (_what, source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });
});
