// Roots of functions that are flat far away, where whole steps of Newton's method lead further and further off: they are found by
// shorter steps. Each function is 0 at its shift alone.

import { expect, test } from "vitest";
import { rootFind } from "../../runtime/implicit/index.ts";

const FLAT: Readonly<Record<string, (x: number) => number>> = {
  atan: Math.atan,
  tanh: Math.tanh,
  "x / sqrt(1 + x²)": (x) => x / Math.sqrt(1 + x * x),
  asinh: Math.asinh,
  "cube root of its own sum": (x) => Math.cbrt(x + x ** 3) / (1 + Math.abs(x)),
};
const rows = Object.entries(FLAT).flatMap(([name, f]) =>
  [1.5, -2, 3, 4].map((start) => ({ name, f, start })),
);

test.each(rows)("$name from $start", ({ f, start }) => {
  expect(rootFind((z: number, p: number) => f(z - p), start + 0.5, 0.5)).toBeCloseTo(0.5, 10);
});

test.each(rows)("$name in two dimensions from $start", ({ f, start }) => {
  const of = ([x = 0, z = 0]: number[], p: number): number[] => [f(x - p), f(z + x - 3 * p)];
  const [x, z] = rootFind(of, [start, 2 - start], 0.5);
  expect(x).toBeCloseTo(0.5, 10);
  expect(z).toBeCloseTo(1, 10);
});
