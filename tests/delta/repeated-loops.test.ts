// Loops that go through the same elements one behind the other. In: small programs. Out: the gradient is that of differences, and the value has the primal's bits.

import { describe, expect, test } from "vitest";
import { problemsOf } from "../5-emit/type-check.ts";
import { built, checked, INPUT, SUM } from "./loops.ts";

/** A function of `steps`, whose loops stand in another one, with those of the lists a, b and c that they name. */
function repeated(steps: string, before = ""): string {
  const lists = ["y", "a", "b", "c"]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(steps))
    .map((name) => `${name} = new Float64Array(n)`);
  return `export function f(x: number[]): number { const n = x.length, ${lists.join(", ")}; ${before} for (let k = 0; k < 3; k++) { ${steps} } ${SUM} return s * 0.1; }`;
}

const PROGRAMS: readonly (readonly [what: string, source: string])[] = [
  [
    "elements that the same round reads",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < n; i++) b[i] = a[i]! * x[i]! + i; for (let i = 0; i < n; i++) y[i] += a[i]! * b[i]! * 0.01;",
    ),
  ],
  [
    "elements that the next round reads",
    repeated(
      "a[0] = x[3]!; for (let i = 1; i < n; i++) a[i] = x[i]! * y[i - 1]!; for (let i = 0; i < n; i++) b[i] = y[i]! + 0.5 * a[i]!; a[0] = x[0]!; for (let i = 1; i < n; i++) a[i] = x[i]! * b[i - 1]!; for (let i = 0; i < n; i++) y[i] += 0.1 * (a[i]! + x[i]!);",
    ),
  ],
  [
    "a list that is used again and again",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * y[i]!; for (let i = 0; i < n; i++) b[i] = a[i]! * a[i]!; for (let i = 0; i < n; i++) a[i] = b[i]! + x[i]!; for (let i = 0; i < n; i++) y[i] = a[i]! * 0.5 + b[i]! * x[k]!;",
    ),
  ],
  [
    "a recurrence, and what it was before",
    repeated(
      "a[0] = x[2]! * 0.5; for (let i = 1; i < n; i++) { a[i] = a[i - 1]! * x[i]! * 0.9 + 0.1; y[i] += a[i]! * a[i - 1]!; } for (let i = 0; i < n; i++) y[i] *= 0.9;",
    ),
  ],
  [
    "a read of the element before, in front of the write of this one",
    repeated(
      "a[0] = x[0]!; b[0] = x[1]!; for (let i = 1; i < n; i++) { b[i] = a[i - 1]! * x[i]!; a[i] = b[i - 1]! * 0.5 + x[i]!; } for (let i = 0; i < n; i++) y[i] += a[i]! * b[i]!;",
    ),
  ],
  [
    "a first element that nobody writes",
    repeated(
      "for (let i = 1; i < n; i++) a[i] = x[i]! * x[i - 1]!; for (let i = 0; i < n; i++) b[i] = a[i]! + x[i]!; for (let i = 1; i < n; i++) y[i] += b[i - 1]! * a[i - 1]!;",
    ),
  ],
  [
    "a list that keeps its elements from round to round",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = a[i]! * 0.5 + x[i]! * x[k]!; for (let i = 0; i < n; i++) b[i] = a[i]! * a[i]!; for (let i = 0; i < n; i++) y[i] += b[i]! * 0.1;",
    ),
  ],
  [
    "first elements alone",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[i]!; a[0] = a[0]! * x[5]!; b[0] = a[0]! + 1; for (let i = 1; i < n; i++) b[i] = a[i - 1]! * 0.5; for (let i = 0; i < n; i++) y[i] += b[i]! * a[i]! * 0.1; y[0] *= x[1]!;",
    ),
  ],
  [
    "an element beyond the next one ends a strip",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < 69; i++) y[i] = a[i + 1]! * x[i]!; for (let i = 0; i < 69; i++) b[i] = y[i]! * x[i]!; for (let i = 0; i < 69; i++) y[i] = b[i]! * 0.5 + a[i]!;",
    ),
  ],
  [
    "two strips with a list in common",
    repeated(
      "for (let i = 0; i < n; i++) { b[i] = x[i]! * 0.5; a[i] = b[i]! * b[i]!; } for (let j = 0; j < 2; j++) for (let i = 0; i < n; i++) y[i] += a[i]! * x[j]!; for (let i = 0; i < n; i++) a[i] += y[i]! * 0.1; for (let i = 0; i < n; i++) y[i] = a[i]! * x[i]!;",
    ),
  ],
  [
    "numbers that no derivative passes",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = i * 0.01 + k; c[0] = 2; for (let i = 1; i < n; i++) c[i] = a[i - 1]!; for (let i = 0; i < n; i++) b[i] = c[i]! * a[i]!; for (let i = 0; i < n; i++) y[i] += b[i]! * x[i]! * x[i]! * 0.1;",
    ),
  ],
  [
    "numbers that nobody reads",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < n; i++) c[i] = a[i]! * 2; for (let i = 0; i < n; i++) { a[i] = x[i]! * 0.5; y[i] += a[i]!; }",
    ),
  ],
  [
    "exponentials and what they are made of, twice",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = Math.exp(-x[i]!) + 0; for (let i = 0; i < n; i++) b[i] = Math.exp(-x[i]!) + 0; for (let i = 0; i < n; i++) y[i] += a[i]! / (1 + b[i]!) + Math.max(a[i]!, 0.01 * x[k]!) ** 2;",
    ),
  ],
  [
    "a factor 0 hides an infinite slope",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = Math.sqrt(x[i]! - x[i]!); for (let i = 0; i < n; i++) b[i] = a[i]! * 0; for (let i = 0; i < n; i++) y[i] += b[i]! + x[i]! * x[i]!;",
    ),
  ],
  [
    "bounds that are no whole numbers, and literal ones",
    repeated(
      "for (let i = 0; i < 60; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < 60; i++) y[i] += a[i]!; for (let i = 0; i < half; i++) b[i] = x[i]! * y[i]!; for (let i = 1; i < half; i++) y[i] = b[i - 1]! * 0.5;",
      "const half = 30.5;",
    ),
  ],
  [
    "functions that it calls, with lists that change their places",
    `function step(from: Float64Array, x: number[], into: Float64Array): void { into[0] = x[0]!; for (let i = 1; i < x.length; i++) into[i] = from[i - 1]! * x[i]!; }
${repeated("step(y, x, b); step(b, x, c); for (let i = 0; i < n; i++) y[i] = c[i]! * 0.5 + b[i]! + x[i]!;")}`,
  ],
  [
    "a list that is read behind the loop, and one that came in",
    `function run(y: Float64Array, x: number[]): void { const n = y.length, a = new Float64Array(n); for (let k = 0; k < 3; k++) { for (let i = 0; i < n; i++) a[i] = y[i]! * x[i]!; for (let i = 1; i < n; i++) y[i] += a[i - 1]! * 0.5 + x[k]!; } }
export function f(x: number[]): number { const y = Float64Array.from(x); run(y, x); ${SUM} return s * 0.1; }`,
  ],
  [
    "a loop alone",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), a = new Float64Array(n); for (let i = 0; i < n; i++) { a[i] = x[i]! * x[3]!; y[i] = a[i]! * a[i]! + x[i]!; } ${SUM} return s * 0.1; }`,
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

describe("lists that are not what they seem", () => {
  const ADD =
    "for (let k = 0; k < 3; k++) { for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 1; i < m; i++) y[i] += a[i]! * a[i - 1]!; }";
  test.each([
    [
      "a list that ends before the loop does",
      `export function f(x: number[]): number { const n = x.length, m = x.length, y = new Float64Array(n), a = new Float64Array(40); ${ADD} let s = 0; for (let i = 0; i < 40; i++) s += y[i]! * (1 + i % 3); return s; }`,
    ],
    [
      "a list that got longer meanwhile",
      `export function f(x: number[]): number { const w = x.slice(0, 50), n = w.length, y = new Float64Array(70), a = new Float64Array(70); w.push(x[3]! * x[4]!); for (let k = 0; k < 3; k++) { for (let i = 0; i < n; i++) a[i] = w[i]! * w[k]!; for (let i = 0; i < w.length; i++) y[i] = a[i]! * a[i]! + w[i]!; } ${SUM} return s; }`,
    ],
    [
      "another kind of list than its type says",
      `function run(x: number[], y: Float64Array, a: Float64Array): void { const n = x.length, m = x.length; ${ADD} }
export function f(x: number[]): number { const y = new Float64Array(70), a: number[] = []; run(x, y, a as unknown as Float64Array); ${SUM} return s; }`,
    ],
  ])("%s", (_what, source) => {
    const { f, gradient } = built(source, false);
    const own = gradient([...INPUT]);
    const h = 1e-4;
    for (const k of [0, 2, 3, 9, 39])
      expect(own[k]).toBeCloseTo(
        (f(INPUT.map((x, i) => (i === k ? x + h : x))) -
          f(INPUT.map((x, i) => (i === k ? x - h : x)))) /
          (2 * h),
        5,
      );
  });
});
