// Loops and choices whose reverse code has a special form that holds for some of them only: sums that an arm of a branch sets anew, loops
// downwards to a bound that is no whole number, places of a push behind calls that push, operands that a choice leaves out where their
// slope is infinite. Oracle: central differences of the function, of all numbers of the first argument.

import { describe, expect, test } from "vitest";
import { variantsOf } from "./variants.ts";

type Row = readonly [text: string, ...args: (readonly unknown[])[]];

const resets = (test: string, adds: string, sets: string): Row => [
  `(xs: number[], w: number): number => { let s = w; for (const x of xs) { if (${test}) s = ${adds}; else s = ${sets}; } return s * w; }`,
  [[1, 2, -1, 3], 0.7],
  [[1, 2], 0.3],
  [[-1, -2], 2],
];
const down = (head: string): Row => [
  `(xs: number[], to: number): number => { let s = 1; for (let i = ${head}) s = Math.sin(s * xs[i]!) + xs[i]!; return s; }`,
  [[1, 0.2, 0.3, 0.4, 0.5, 0.6], 1.5],
  [[1, 0.2, 0.3, 0.4, 0.5, 0.6], 2],
  [[1, 0.2, 0.3, 0.4, 0.5, 0.6], 4.01],
];
const pushes = (call: string): Row => [
  `(xs: number[], k: number): number => { const a: number[] = [xs[0]!]; const n = a.length; ${call}; a.push(xs[0]! * xs[1]! * 7); let s = 0; for (let i = 0; i < a.length; i++) s = s * 0.5 + a[i]! * a[i]! * (i + 1); return s + n; }`,
  [[1.3, 0.4], 3],
  [[0.7, 2], 0],
];
/** At 0, where the slope of the operand that is left out is infinite; the other one's is 1. */
const chosen = (choice: string): Row => [
  `(xs: number[]): number => { const x = xs[0]!; return ${choice} + x; }`,
  [[0]],
];

const DIFFERENCES: Readonly<Record<string, Row>> = {
  "a sum that else sets": resets("x > 0", "s + x * x", "x * 2"),
  "a sum that then sets": resets("x < 0", "x * w", "s + x * w"),
  "a sum that a constant sets": resets("x > 0", "s + x * w", "0"),
  "a difference that else sets": resets("x > 0", "s - x * w", "w"),
  "down to more than": down("5; i > to; i--"),
  "down to no less than": down("5; i >= to; i--"),
  "up to less than": down("0; i < to; i++"),
  "up to no more than": down("0; i <= to; i++"),
  "a push behind a call that pushes": pushes("grow(a, xs[0]!, k)"),
  "a push behind a loop that pushes": pushes("for (let j = 0; j < k; j++) a.push(xs[1]! * j)"),
  "a push behind a branch that pushes": pushes("if (k > 1) grow(a, xs[1]!, 2)"),
  "min that leaves a root out": chosen("Math.min(Math.sqrt(x * x) + 10, 5)"),
  "min that leaves a root out, behind": chosen("Math.min(5, Math.sqrt(x * x) + 10)"),
  "min of three": chosen("Math.min(7, Math.sqrt(Math.abs(x)) + 10, 5)"),
  "max that leaves a root out": chosen("Math.max(-Math.sqrt(x * x) - 10, 5)"),
  "max that leaves a cube root out": chosen("Math.max(5, Math.cbrt(x))"),
  "a choice that leaves a root out": chosen("(x > 1 ? Math.sqrt(x) : 5)"),
};
const GROW =
  "function grow(a: number[], x: number, n: number): void { if (n === 0) return; a.push(x * n); grow(a, x, n - 1); }";

const variant = variantsOf(
  Object.fromEntries(
    Object.entries(DIFFERENCES).map(([name, [text]]) => [
      name,
      `import { grad } from "tsgrad";\n${GROW}\nexport const f = ${text};\nexport const g = grad(f);\nexport const d = grad(f, { engine: "delta" });\n`,
    ]),
  ),
);

describe.each(Object.entries(DIFFERENCES))("%s", (name, [, ...points]) => {
  test.each(points)("at %j", (xs, ...rest) => {
    const { errors, exports } = variant(name);
    expect(errors).toEqual([]);
    type F<R> = (xs: number[], ...rest: unknown[]) => R;
    const { f, g, d } = exports() as { f: F<number>; g: F<number[]>; d: F<number[]> };
    const all = xs as number[];
    const slopes = all.map((_, i) => {
      const moved = (by: number): number =>
        f(
          all.map((x, k) => (k === i ? x + by : x)),
          ...rest,
        );
      return (moved(1e-5) - moved(-1e-5)) / 2e-5;
    });
    for (const gradient of [g, d]) {
      const own = gradient([...all], ...rest);
      expect(own).toHaveLength(slopes.length);
      // central differences err by 1e-10 times a third derivative below 1,000
      own.forEach((slope, i) => expect(Math.abs(slope - (slopes[i] ?? NaN))).toBeLessThan(1e-6));
    }
  });
});
