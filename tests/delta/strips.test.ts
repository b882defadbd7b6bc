// Loops of a sweep that become one (transformer/delta/swept/strip.ts). In: programs whose loops go through the same elements one behind the other. Out: the gradient is that of differences, the value has
// the primal's bits, and where bounds or lists are not what was taken for granted the loops run as ever.

import { describe, expect, test } from "vitest";
import { problemsOf } from "../5-emit/type-check.ts";
import { built, checked, INPUT, SUM } from "./swept-loops.ts";

/** A function of `steps`, whose loops stand in another one, with those of the lists a, b and c that they name. */
function repeated(steps: string, before = ""): string {
  const lists = ["y", "a", "b", "c"]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(steps))
    .map((name) => `${name} = new Float64Array(n)`);
  return `export function f(x: number[]): number { const n = x.length, ${lists.join(", ")}; ${before} for (let k = 0; k < 3; k++) { ${steps} } ${SUM} return s * 0.1; }`;
}

/** What runs in place of the loops. */
const fastIn = (text: string): string =>
  text.slice(text.indexOf("try {"), text.indexOf("catch (error)"));

/** `gone`: lists that leave nothing but names. */
const PROGRAMS: readonly (readonly [what: string, gone: string, source: string])[] = [
  [
    "elements that the same round reads",
    "ab",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < n; i++) b[i] = a[i]! * x[i]! + i; for (let i = 0; i < n; i++) y[i] += a[i]! * b[i]! * 0.01;",
    ),
  ],
  [
    "elements that the next round reads",
    "ab",
    repeated(
      "a[0] = x[3]!; for (let i = 1; i < n; i++) a[i] = x[i]! * y[i - 1]!; for (let i = 0; i < n; i++) b[i] = y[i]! + 0.5 * a[i]!; a[0] = x[0]!; for (let i = 1; i < n; i++) a[i] = x[i]! * b[i - 1]!; for (let i = 0; i < n; i++) y[i] += 0.1 * (a[i]! + x[i]!);",
    ),
  ],
  [
    "a list that is used again and again",
    "ab",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * y[i]!; for (let i = 0; i < n; i++) b[i] = a[i]! * a[i]!; for (let i = 0; i < n; i++) a[i] = b[i]! + x[i]!; for (let i = 0; i < n; i++) y[i] = a[i]! * 0.5 + b[i]! * x[k]!;",
    ),
  ],
  [
    "a recurrence, and what it was before",
    "a",
    repeated(
      "a[0] = x[2]! * 0.5; for (let i = 1; i < n; i++) { a[i] = a[i - 1]! * x[i]! * 0.9 + 0.1; y[i] += a[i]! * a[i - 1]!; } for (let i = 0; i < n; i++) y[i] *= 0.9;",
    ),
  ],
  [
    "a read of the element before, in front of the write of this one",
    "ab",
    repeated(
      "a[0] = x[0]!; b[0] = x[1]!; for (let i = 1; i < n; i++) { b[i] = a[i - 1]! * x[i]!; a[i] = b[i - 1]! * 0.5 + x[i]!; } for (let i = 0; i < n; i++) y[i] += a[i]! * b[i]!;",
    ),
  ],
  [
    "a first element that nobody writes",
    "b",
    repeated(
      "for (let i = 1; i < n; i++) a[i] = x[i]! * x[i - 1]!; for (let i = 0; i < n; i++) b[i] = a[i]! + x[i]!; for (let i = 1; i < n; i++) y[i] += b[i - 1]! * a[i - 1]!;",
    ),
  ],
  [
    "a list that keeps its elements from round to round",
    "b",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = a[i]! * 0.5 + x[i]! * x[k]!; for (let i = 0; i < n; i++) b[i] = a[i]! * a[i]!; for (let i = 0; i < n; i++) y[i] += b[i]! * 0.1;",
    ),
  ],
  [
    "first elements alone",
    "ab",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[i]!; a[0] = a[0]! * x[5]!; b[0] = a[0]! + 1; for (let i = 1; i < n; i++) b[i] = a[i - 1]! * 0.5; for (let i = 0; i < n; i++) y[i] += b[i]! * a[i]! * 0.1; y[0] *= x[1]!;",
    ),
  ],
  [
    "an element beyond the next one ends a strip",
    "b",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < 69; i++) y[i] = a[i + 1]! * x[i]!; for (let i = 0; i < 69; i++) b[i] = y[i]! * x[i]!; for (let i = 0; i < 69; i++) y[i] = b[i]! * 0.5 + a[i]!;",
    ),
  ],
  [
    "two strips with a list in common",
    "b",
    repeated(
      "for (let i = 0; i < n; i++) { b[i] = x[i]! * 0.5; a[i] = b[i]! * b[i]!; } for (let j = 0; j < 2; j++) for (let i = 0; i < n; i++) y[i] += a[i]! * x[j]!; for (let i = 0; i < n; i++) a[i] += y[i]! * 0.1; for (let i = 0; i < n; i++) y[i] = a[i]! * x[i]!;",
    ),
  ],
  [
    "numbers that no derivative passes",
    "abc",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = i * 0.01 + k; c[0] = 2; for (let i = 1; i < n; i++) c[i] = a[i - 1]!; for (let i = 0; i < n; i++) b[i] = c[i]! * a[i]!; for (let i = 0; i < n; i++) y[i] += b[i]! * x[i]! * x[i]! * 0.1;",
    ),
  ],
  [
    "numbers that nobody reads",
    "ac",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < n; i++) c[i] = a[i]! * 2; for (let i = 0; i < n; i++) { a[i] = x[i]! * 0.5; y[i] += a[i]!; }",
    ),
  ],
  [
    "exponentials and what they are made of, twice",
    "ab",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = Math.exp(-x[i]!) + 0; for (let i = 0; i < n; i++) b[i] = Math.exp(-x[i]!) + 0; for (let i = 0; i < n; i++) y[i] += a[i]! / (1 + b[i]!) + Math.max(a[i]!, 0.01 * x[k]!) ** 2;",
    ),
  ],
  [
    "a factor 0 hides an infinite slope",
    "ab",
    repeated(
      "for (let i = 0; i < n; i++) a[i] = Math.sqrt(x[i]! - x[i]!); for (let i = 0; i < n; i++) b[i] = a[i]! * 0; for (let i = 0; i < n; i++) y[i] += b[i]! + x[i]! * x[i]!;",
    ),
  ],
  [
    "bounds that are no whole numbers, and literal ones",
    "ab",
    repeated(
      "for (let i = 0; i < 60; i++) a[i] = x[i]! * x[k]!; for (let i = 0; i < 60; i++) y[i] += a[i]!; for (let i = 0; i < half; i++) b[i] = x[i]! * y[i]!; for (let i = 1; i < half; i++) y[i] = b[i - 1]! * 0.5;",
      "const half = 30.5;",
    ),
  ],
  [
    "functions that it calls, with lists that change their places",
    "bc",
    `function step(from: Float64Array, x: number[], into: Float64Array): void { into[0] = x[0]!; for (let i = 1; i < x.length; i++) into[i] = from[i - 1]! * x[i]!; }
${repeated("step(y, x, b); step(b, x, c); for (let i = 0; i < n; i++) y[i] = c[i]! * 0.5 + b[i]! + x[i]!;")}`,
  ],
  [
    "a list that is read behind the loop, and one that came in",
    "a",
    `function run(y: Float64Array, x: number[]): void { const n = y.length, a = new Float64Array(n); for (let k = 0; k < 3; k++) { for (let i = 0; i < n; i++) a[i] = y[i]! * x[i]!; for (let i = 1; i < n; i++) y[i] += a[i - 1]! * 0.5 + x[k]!; } }
export function f(x: number[]): number { const y = Float64Array.from(x); run(y, x); ${SUM} return s * 0.1; }`,
  ],
  [
    "a loop alone",
    "a",
    `export function f(x: number[]): number { const n = x.length, y = new Float64Array(n), a = new Float64Array(n); for (let i = 0; i < n; i++) { a[i] = x[i]! * x[3]!; y[i] = a[i]! * a[i]! + x[i]!; } ${SUM} return s * 0.1; }`,
  ],
];

describe("the gradient is that of differences", () => {
  test.each(PROGRAMS)("%s", (_what, gone, source) => {
    const { text } = checked(source, 1);
    expect(text).toContain("$d.areDoubles(");
    expect(
      ["a", "b", "c"]
        .filter((name) => source.includes(`${name} = new`) && !fastIn(text).includes(`${name}[`))
        .join(""),
    ).toBe(gone);
  });
});

test("what is emitted type-checks under every strictness flag", () => {
  expect(
    problemsOf(
      Object.fromEntries(
        PROGRAMS.map(([, , source], k) => [`p${k}.ts`, built(source, false).text]),
      ),
    ),
  ).toEqual([]);
});

describe("what was taken for granted does not hold: the loops run as ever", () => {
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
    const { f, gradient, text, sweptLoops } = built(source, false);
    const own = gradient([...INPUT]);
    const h = 1e-4;
    expect(text).toContain("$d.areDoubles(");
    expect(sweptLoops()).toBe(0);
    for (const k of [0, 2, 3, 9, 39])
      expect(own[k]).toBeCloseTo(
        (f(INPUT.map((x, i) => (i === k ? x + h : x))) -
          f(INPUT.map((x, i) => (i === k ? x - h : x)))) /
          (2 * h),
        5,
      );
  });
});
