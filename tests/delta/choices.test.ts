import { describe, expect, test } from "vitest";
import { both, CALLED, differing, randomBody } from "./against-tape.ts";
import { seedsOfRun } from "./swept-loops.ts";

const EXPRESSIONS: readonly string[] = [
  "x % z", "z * (x % 3)", "x * (2 % z)", "x ** z", "(x * z) ** 0.5", "z * x ** -1", "x * z ** -2.5", "2 ** (x * z)", "(x * z) ** 0", "z * x ** z",
  "Math.hypot(x, z)", "Math.hypot(x) * z", "Math.hypot(x, z, 2) * z", "z * Math.hypot(x, 0)", "Math.atan2(x, z)", "z * Math.atan2(x, z)",
  ...["acos", "acosh", "asin", "asinh", "atanh", "cbrt", "ceil", "cosh", "exp", "expm1", "floor", "fround", "log", "log10", "log1p", "log2", "round", "sign", "sinh", "sqrt", "trunc"].map((name) => `z * Math.${name}(x)`),
  "x > z ? x * z : x / z", "x ? z * x : z / x", "z * (x > 0 ? Math.sqrt(x) : Math.sqrt(-x))", "x < 0.5 ? x < 0 ? z * z : Math.exp(z) * x : Math.log(x) * z",
  "x || z", "x && z", "z * (x || z)", "z * (x && z)", "x ?? z", "(x * z ?? z)", "!(x > z) && z !== 0 || x === 1 ? Math.cos(x / z) : Math.sin(z / x)",
  "Math.sqrt(x > z ? x : z)", "Math.sqrt(x > z ? x : z) * (x > 0 ? 0 : z)", "(x !== 0 && z !== 0 ? Math.sin(z / x) : 0) * z", "Math.abs(x > 0 ? x : z * 2) * z",
];

describe("what the tape says", () => {
  test.each(EXPRESSIONS)("%s", (text) => { expect(differing(both(`return ${text};`))).toEqual([]); });
});

const SMALL = [-2, -1, 0, 0.5, 1, 2.25], FINITE = SMALL.flatMap((x) => SMALL.map((z) => [x, z] as const));

test.each(seedsOfRun(24))("seed %i", (seed) => {
  const body = randomBody(seed);
  expect(differing(both(body, CALLED), FINITE)).toEqual([]);
});
