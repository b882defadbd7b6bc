// Loops that write elements. In: small programs. Out: the gradient is that of differences, and the value has the primal's bits.

import { describe, expect, test } from "vitest";
import { problemsOf } from "../5-emit/type-check.ts";
import { built, checked, INPUT, SUM } from "./loops.ts";

const PROGRAMS: readonly (readonly [what: string, source: string])[] = [
  [
    "one list from another",
    `export function f(x: number[]): number { const n = x.length, y: number[] = []; for (let k = 0; k < 4; k++) for (let i = 0; i < n; i++) y[i] = x[i]! * x[i]! / (k + x[i]!); for (let i = 0; i < n; i++) y[i] = y[i]! * 0.01 * Math.sin(x[i]!) * i; ${SUM} return s; }`,
  ],
  [
    "what an element was before",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let k = 0; k < 4; k++) for (let i = 0; i < n; i++) y[i] += 0.1 * x[i]! * (1 - y[i]! * y[i]!); ${SUM} return s; }`,
  ],
  [
    "a recurrence",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let k = 0; k < 3; k++) { y[0] = x[0]!; for (let i = 1; i < n; i++) y[i] = y[i - 1]! * x[i]! * 0.9 + x[i - 1]!; } ${SUM} return s * y[n - 1]! * 0.01; }`,
  ],
  [
    "a triangle, and a place that is counted",
    `export function f(x: number[]): number { const n = 20, y = new Float64Array(n), w = [...x, ...x, ...x]; let at = 5; for (let j = 0; j < n; j++) for (let i = j + 1; i < n; i++) y[i] += w[at++]! * 0.1 * x[j]!; ${SUM} return s * 0.01 * at; }`,
  ],
  [
    "a place that is counted by itself",
    `export function f(x: number[]): number { const n = 20, y = new Float64Array(n), w = [...x, ...x, ...x]; let at = 3; for (let j = 0; j < n; j++) for (let i = j + 1; i < n; i++) { y[i] += w[at++]! * x[j]! * 0.1; y[i]! *= w[at]! + x[j]!; } for (let k = 0; k < 20; k++) for (let i = 0; i < n; i++) y[i] = y[i]! * 0.9 + w[at]! * 0.1; ${SUM} return s * at; }`,
  ],
  [
    "functions that it calls, with lists that change their places",
    `function step(from: Float64Array, x: number[], into: Float64Array, h: number): void { for (let i = 0; i < x.length; i++) into[i] = from[i]! + h * x[i]! * from[i]!; }
export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), z = new Float64Array(n); for (let i = 0; i < n; i++) y[i] = x[i]!; for (let k = 0; k < 5; k++) { step(y, x, z, 0.1); step(z, x, y, k * 0.1); } ${SUM} return s * 0.1; }`,
  ],
  [
    "lists that are one list after all",
    `function step(from: Float64Array, x: number[], into: Float64Array): void { for (let k = 0; k < 4; k++) for (let i = 1; i < x.length; i++) into[i] = from[i - 1]! * x[i]! + from[i]! * 0.1; }
export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let i = 0; i < n; i++) y[i] = x[i]! * x[0]!; step(y, x, y); ${SUM} return s; }`,
  ],
  [
    "views of one buffer",
    `function step(from: Float64Array, x: number[], into: Float64Array): void { for (let k = 0; k < 4; k++) for (let i = 1; i < 60; i++) into[i] = from[i - 1]! * x[i]! + 0.1; }
export function f(x: number[]): number { const y = new Float64Array(70); for (let i = 0; i < 70; i++) y[i] = x[i]! * x[0]!; step(y.subarray(0, 65), x, y.subarray(5)); ${SUM} return s; }`,
  ],
  [
    "lists that are written behind the loop, and read by it alone",
    `export function f(x: number[]): number { const w = x.map((e) => e * e), y = new Float64Array(w.length); for (let k = 0; k < 4; k++) for (let i = 0; i < 70; i++) y[i] += w[i]! * w[i]!; for (let i = 0; i < 70; i++) w[i] = 7; w.length = 10; ${SUM} return s; }`,
  ],
  [
    "a list that grows, one with holes, and one that ends",
    `export function f(x: number[]): number { const y: number[] = [x[0]!], h: number[] = []; h[100] = 1; for (let k = 0; k < 3; k++) for (let i = 0; i < 60; i++) { y[i + 10] = x[i]! * x[i]!; h[i + 40] = x[i]! * x[k]!; y[i] = (x[i]!) * 2; } let s = 0; for (let i = 0; i < y.length; i++) s += y[i]! * x[3]! + (i > 9 ? h[i + 30]! : 0); return s; }`,
  ],
  [
    "loops that do not run, and bounds that are no whole numbers",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), half = 30.5; for (let k = 0; k < 9.5; k++) { for (let i = 5; i < 5; i++) y[i] = 9; for (let i = 9; i < half; i++) y[i] += x[i]! * x[i + 1]!; for (let i = 0; i < -3; i++) y[i] = 1; } ${SUM} return s; }`,
  ],
  [
    "a loop in a loop with a recurrence",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); let t = x[0]!; for (let k = 0; k < 3; k++) { for (let j = 0; j < 4; j++) for (let i = 0; i < n; i++) y[i] = y[i]! * x[i]! + k * x[j]!; t = t * y[k]! + y[60]!; y[4] = t; } ${SUM} return s; }`,
  ],
  [
    "a factor 0 hides an infinite slope",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), z = new Float64Array(n), zero = 0; for (let k = 0; k < 3; k++) for (let i = 0; i < n; i++) { y[i] = Math.sqrt(x[i]! - x[i]!); z[i] = y[i]! * zero + x[i]!; } let s = 0; for (let i = 0; i < n; i++) s += z[i]! * z[i]!; return s; }`,
  ],
  [
    "divisions, powers, signs and functions",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), w = [0.5, 2]; for (let k = 0; k < 3; k++) for (let i = 1; i < n; i++) y[i] = -Math.exp(-x[i]!) / (1 + x[i - 1]! ** 2) + Math.max(x[i]!, y[i - 1]!) * Math.log(2 + y[i]! ** 2) - w[1]! * +x[i]! + w[0]! * k * i * 0.01; ${SUM} return s * 0.01; }`,
  ],
  [
    "a list that an outer loop reads, sorts and writes between",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let k = 0; k < 3; k++) { for (let j = 0; j < 3; j++) for (let i = 1; i < n; i++) y[i] = y[i - 1]! * 0.5 + x[i]! * x[j]!; const z = Array.from(y).reverse(); y.set(z); y[k] = x[k]! * 2; } ${SUM} return s; }`,
  ],
  [
    "names that functions and loops have in common",
    `function add(y: Float64Array, x: number[], n: number, i: number): void { for (let k = 0; k < n; k++) y[k] = y[k]! + x[i]! * (k + i) * 0.01; }
export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let k = 0; k < 5; k++) { add(y, x, n, k); for (let i = 0; i < k; i++) add(y, x, i + 3, i); y[k] = y[k]! * x[k]!; } ${SUM} return s; }`,
  ],
  [
    "bounds and numbers that are assigned before and behind",
    `export function f(x: number[]): number { let n = 70, h = 0.1; const y = new Float64Array(n); for (let k = 0; k < 4; k++) for (let i = 0; i < n; i++) y[i] = y[i]! + h * x[i]! * x[i]!; n = 50; h = 2; for (let k = 0; k < 4; k++) for (let i = 0; i < n; i++) y[i] = y[i]! * h * x[i]!; h = 1000; n = 3; ${SUM} return s; }`,
  ],
  [
    "a list that is given twice, and one that is read where it ends",
    `function mix(a: number[], b: number[], into: number[], n: number): void { for (let k = 0; k < 3; k++) for (let i = 0; i < n; i++) into[i] = a[i]! * b[i + 1]! + k; }
export function f(x: number[]): number { const y: number[] = x.slice(0, 60); mix(x, x, y, 69); ${SUM} return s + y.length; }`,
  ],
  [
    "one more list of the same elements, a frozen one that is read, and one of whole numbers that is written",
    `export function f(x: number[]): number { const n = x.length, y = new Float32Array(n), whole = Object.freeze([1, 2, 3]) as number[], z = new Float64Array(n); for (let k = 0; k < 3; k++) for (let i = 0; i < n; i++) { z[i] = i * whole[k]!; y[i] = 2; z[i]! += x[i]! * z[i]!; } for (let i = 0; i < n; i++) z[i]! *= y[i]!; let s = 0; for (let i = 0; i < n; i++) s += z[i]! * 0.01; return s; }`,
  ],
  [
    "lists that the loop alone reads, made anew in each round of another one",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let j = 0; j < 2; j++) { const a = new Float64Array(n), b = new Float64Array(n + 1); for (let k = 0; k < 3; k++) { for (let i = 0; i < n; i++) { a[i] = a[i]! * 0.5 + x[i]! * x[j]!; b[i + 1] = a[i]! * a[i]! + b[i]!; } for (let i = 0; i < n; i++) y[i] += b[i]! * x[i]! * 0.01; } y[j]! *= 2; } ${SUM} return s * 0.01; }`,
  ],
  [
    "lists that the loop alone reads, and too short a loop",
    `export function f(x: number[]): number { const n = 5, y = new Float64Array(n), a = new Float64Array(n); for (let k = 0; k < 3; k++) for (let i = 0; i < n; i++) { a[i] = a[i]! * 0.5 + x[i]! * x[k]!; y[i] += a[i]! * a[i]!; } ${SUM} return s; }`,
  ],
  [
    "lists of a loop in another one that were made before both, and one that a function inside reads",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), a = new Float64Array(n), b = new Float64Array(n), at = (i: number): number => b[i]!; for (let j = 0; j < 3; j++) { for (let k = 0; k < 2; k++) for (let i = 0; i < n; i++) { a[i] += x[i]! * x[j]!; b[i] = a[i]! * 0.5; y[i] += a[i]! * b[i]! * 0.1; } if (j < 7) y[j]! *= x[1]!; } let s = at(3) * at(60); for (let i = 0; i < y.length; i++) s += y[i]! * (1 + i % 3); return s * 0.1; }`,
  ],
  [
    "a list that the loop alone reads and that another list shares the memory of",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), memory = new ArrayBuffer(8 * n), a = new Float64Array(memory); for (let k = 0; k < 3; k++) for (let i = 0; i < n; i++) { a[i] = x[i]! * x[k]!; y[i] += a[i]! * x[i]!; } const b = new Float64Array(memory); let s = 0; for (let i = 0; i < n; i++) s += b[i]! * y[i]!; return s * 0.01; }`,
  ],
  [
    "an integer list that is written what varies",
    `export function f(x: number[]): number { const n = x.length, y = new Int32Array(n), z = new Float64Array(n); for (let k = 0; k < 4; k++) for (let i = 0; i < n; i++) { y[i] = 100 * x[i]!; z[i] = x[i]! * x[k]!; } let s = 0; for (let i = 0; i < n; i++) s += z[i]! * (1 + i % 3) + 0 * y[i]!; return s; }`,
  ],
  [
    "lists that are made of lists, one seen behind the loops and one not",
    `function whitened(x: number[], mean: number[], scale: number[], tri: number[]): number[] { const d = x.length, centred = x.map((e, j) => e - mean[j]!), unused = 3; const made = centred.map((e, j) => scale[j]! * e); let at = d + unused - 3; for (let j = 0; j < d; j++) for (let i = j + 1; i < d; i++) made[i] += tri[at++]! * centred[j]!; return made; }
export function f(x: number[]): number { const w = whitened(x.slice(0, 20), x.slice(20, 40), x.slice(40, 60), [...x, ...x, ...x, ...x]); let s = 0; for (const e of w) s += e * e; return s * 0.01 + w[3]! * x[69]!; }`,
  ],
  [
    "loops one behind the other, with declarations between them",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let i = 0; i < n; i++) y[i] = x[i]! * x[3]!; const a = new Float64Array(n), m = n - 1; for (let i = 0; i < m; i++) a[i] = y[i]! * y[i + 1]!; let at = m - 10; for (let i = 0; i < 9; i++) y[i] += a[at++]! * x[i]!; ${SUM} return s * 0.1 * at; }`,
  ],
  [
    "a declaration that reads what the loop before it writes stays where it is",
    `export function f(x: number[]): number { const y: number[] = []; for (let i = 0; i < 60; i++) { y[i + 5] = x[i]! * x[i]!; y[i] = x[i]! * 2; } const n = y.length; for (let k = 0; k < 2; k++) for (let i = 0; i < n; i++) y[i] = y[i]! * x[i]!; ${SUM} return s * n * 0.01; }`,
  ],
  [
    "lists that are made of lists that have holes, or are none",
    `class Row extends Array<number> {}
function twice(x: number[], y: Float64Array): number { const a = x.map((e) => e * e); const b = a.map((e, i) => e * i); for (let i = 0; i < 50; i++) y[i] += (b[i] ?? 1) * 0.1; return b.length; }
export function f(x: number[]): number { const y = new Float64Array(50), holes = [...x]; delete holes[7]; const n = twice(holes, y) + twice(Row.from(x), y) + twice(x, y); ${SUM} return s * 0.01 * n; }`,
  ],
  [
    "a list that is made and then grows, read by a function inside",
    `export function f(x: number[]): number { const a = x.map((e) => e * x[0]!); for (let i = 0; i < 70; i++) a[i + 3] = a[i]! * 0.5 + x[i]!; const at = (i: number): number => a[i]!; let s = 0; for (let i = 0; i < 73; i++) s += at(i) * (1 + i % 3); return s * 0.01; }`,
  ],
  [
    "bounds that are lengths of the lists that are written",
    `export function f(x: number[]): number { const y = new Float64Array(70), z = new Float64Array(70); for (let i = 0; i < y.length; i++) y[i] = x[i]! * x[2]!; for (let i = 0; i < z.length; i++) z[i] = y[i]! * y[i]! + z[i]!; ${SUM} return s * 0.1 + z[5]! * z[69]!; }`,
  ],
  [
    "a loop that a function inside reads behind it, and one in a function that calls itself",
    `function twice(y: Float64Array, x: number[], deep: number): void { for (let k = 0; k < 4; k++) for (let i = 0; i < x.length; i++) y[i] = y[i]! * 0.5 + x[i]! * x[deep]!; if (deep > 0) twice(y, x, deep - 1); }
export function f(x: number[]): number { const y = new Float64Array(x.length), at = (i: number): number => y[i]! * y[i]!; twice(y, x, 3); let s = 0; for (let i = 0; i < y.length; i++) s += at(i); return s * 0.1; }`,
  ],
];

describe("the gradient is that of differences", () => {
  test.each(PROGRAMS)("%s", (_what, source) => {
    checked(source);
  });
});

test("what is emitted type-checks under every strictness flag", () => {
  expect(
    problemsOf(
      Object.fromEntries(PROGRAMS.map(([, source], k) => [`p${k}.ts`, built(source, false).text])),
    ),
  ).toEqual([]);
});

test("an error leaves a loop: what it wrote has its derivative where the program goes on", () => {
  const { f, gradient } =
    built(`function fill(y: number[], x: number[]): void { for (let k = 0; k < 4; k++) for (let i = 0; i < x.length; i++) y[i] = x[i]! * x[i]!; }
export function f(x: number[]): number { const y = [1, 2]; Object.defineProperty(y, 1, { set() { throw new RangeError("no"); }, get: () => 2 }); try { fill(y, x); } catch { return y[0]! * x[1]!; } return 0; }`);
  const [a = NaN, b = NaN] = INPUT;
  expect(f(INPUT)).toBe(a ** 2 * b);
  expect(gradient([...INPUT]).slice(0, 3)).toEqual([2 * a * b, a ** 2, 0]);
});

test("a pullback that is kept reads what was kept, whatever else runs meanwhile", () => {
  const { pull, gradient } = built(
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n); for (let k = 0; k < 4; k++) for (let i = 0; i < n; i++) y[i] = y[i]! * x[i]! + x[i]! * x[i]!; ${SUM} return s; }`,
  );
  const other = INPUT.map((x) => 2 - x);
  const [, first] = pull([...INPUT]);
  const [, second] = pull(other);
  const own = gradient([...INPUT]);
  const [of] = second(1);
  const [back] = first(1);
  expect(back).toEqual(own);
  expect(of).toEqual(gradient(other));
});
