// Differences that the user formed are not collected: gradients stay exact where the arguments are
// nearly equal, or near the end of the range. Oracle: the same sums of differences in integers.

import { expect, it } from "vitest";
import { built } from "../nested/compiled.ts";

/** A function of a, b and c, and its derivative by c. */
const PROGRAMS: readonly (readonly [string, (a: bigint, b: bigint, c: bigint) => bigint])[] = [
  ["(a - c) * (b - c)", (a, b, c) => -(b - c) - (a - c)],
  ["(c - a) * (c - b)", (a, b, c) => c - b + (c - a)],
  ["(a - c) * (c - b)", (a, b, c) => -(c - b) + (a - c)],
  ["(b - a) * (c - a) - (c - b) * (c - a)", (a, b, c) => b - a - (c - a) - (c - b)],
];

const { exports } = built(`import { grad } from "tsgrad";
${PROGRAMS.map(([code], i) => `export const g${i} = grad((a: number, b: number, c: number): number => ${code}, { argnums: [2] });`).join("\n")}`);

/** Integers whose differences are exact as doubles. */
const POINTS = [2 ** 26, 2 ** 52, 2 ** 60, 2 ** 1000, 2 ** 1023].flatMap((size) => {
  const step = Math.max(1, size / 2 ** 52);
  return [
    [size, size + step, size + 3 * step],
    [size + 5 * step, size - step, size + step],
  ];
});

it.each(PROGRAMS.map(([code, slope], i) => [code, slope, i] as const))("%s", (_, slope, i) => {
  const form = exports[`g${i}`];
  for (const [a = 0, b = 0, c = 0] of POINTS) {
    const found: unknown =
      typeof form === "function" ? Reflect.apply(form, undefined, [a, b, c]) : null;
    expect(found, `at ${a}, ${b}, ${c}`).toEqual([Number(slope(BigInt(a), BigInt(b), BigInt(c)))]);
  }
});
