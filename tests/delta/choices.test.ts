// Runs with choices, remainders, powers and all functions of Math. In: expressions, and random bodies of functions. Out: what the tape says of them, with a node for each operation, at ties, zeros, edges of domains and what is no
// number; and differences where they are smooth. `SEEDS=from,to` runs others than those of the suite. Not seen: what the tape and the rule table both have wrong, but for the differences.

import { describe, expect, test } from "vitest";
import { both, CALLED, differing, randomBody, type Both } from "./against-tape.ts";
import { problemsOf } from "../5-emit/type-check.ts";
import { seedsOfRun } from "./loops.ts";

const EXPRESSIONS: readonly string[] = [
  "x % z",
  "z * (x % 3)",
  "x * (2 % z)",
  "x ** z",
  "(x * z) ** 0.5",
  "z * x ** -1",
  "x * z ** -2.5",
  "2 ** (x * z)",
  "(x * z) ** 0",
  "z * x ** z",
  "Math.hypot(x, z)",
  "Math.hypot(x) * z",
  "Math.hypot(x, z, 2) * z",
  "z * Math.hypot(x, 0)",
  "Math.atan2(x, z)",
  "z * Math.atan2(x, z)",
  ...[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atanh",
    "cbrt",
    "ceil",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "fround",
    "log",
    "log10",
    "log1p",
    "log2",
    "round",
    "sign",
    "sinh",
    "sqrt",
    "trunc",
  ].map((name) => `z * Math.${name}(x)`),
  "x > z ? x * z : x / z",
  "x ? z * x : z / x",
  "z * (x > 0 ? Math.sqrt(x) : Math.sqrt(-x))",
  "x < 0.5 ? x < 0 ? z * z : Math.exp(z) * x : Math.log(x) * z",
  "x || z",
  "x && z",
  "z * (x || z)",
  "z * (x && z)",
  "x ?? z",
  "(x * z ?? z)",
  "!(x > z) && z !== 0 || x === 1 ? Math.cos(x / z) : Math.sin(z / x)",
  "Math.sqrt(x > z ? x : z)",
  "Math.sqrt(x > z ? x : z) * (x > 0 ? 0 : z)",
  "(x !== 0 && z !== 0 ? Math.sin(z / x) : 0) * z",
  "Math.abs(x > 0 ? x : z * 2) * z",
];

describe("what the tape says", () => {
  test.each(EXPRESSIONS)("%s", (text) => {
    expect(differing(both(`return ${text};`))).toEqual([]);
  });
});

const SMALL = [-2, -1, 0, 0.5, 1, 2.25];
const FINITE = SMALL.flatMap((x) => SMALL.map((z) => [x, z] as const));

test.each(seedsOfRun(16))("seed %i", (seed) => {
  expect(differing(both(randomBody(seed, false), CALLED), FINITE)).toEqual([]);
});

test.each(seedsOfRun(16))("seed %i, in a loop", (seed) => {
  expect(differing(both(randomBody(seed, true), CALLED), FINITE, true)).toEqual([]);
});

/** Where each of them is smooth, far from edges. */
const SMOOTH: readonly (readonly [text: string, x: number, z: number])[] = [
  ["x % z + z % x", 7.3, 2.1],
  ["x ** z", 1.7, 2.3],
  ["x ** -1.5 * z ** 0.5", 0.7, 1.9],
  ["Math.hypot(x, z, 0.5) * Math.hypot(x)", -1.2, 0.8],
  ["Math.atan2(x, z) * Math.atan2(z, -1)", 0.4, -1.1],
  ["Math.acos(x) * Math.asin(z)", 0.3, -0.6],
  ["Math.acosh(x) * Math.asinh(z)", 1.9, -2.2],
  ["Math.atanh(x) * Math.cbrt(z)", -0.4, -3],
  ["Math.log2(x) * Math.log10(z) + Math.fround(1) * x", 3, 5],
  [
    "Math.floor(x) * z + Math.ceil(z) * x + Math.round(x) + Math.sign(z) * z + Math.trunc(x) * x",
    2.3,
    -1.4,
  ],
  ["x > z ? x * z : x / z", 1, 2],
  ["x > z ? x * z : x / z", 2, 1],
  ["(x || 3) * (z && x) + (x ?? 2) * z", 2, 1],
  ["x > 0 && !(z > 0) || x === z ? Math.sin(x * z) : x < -1 ? x * x * z : z", -2, 1],
];

test.each(SMOOTH)("differences: %s at (%d, %d)", (text, x, z) => {
  const { f, atOnce, byRun }: Both = both(`return ${text};`);
  const h = 1e-3;
  // of the fourth order: h^4 and rounding by h come to some 1e-11; what is rounded to floats has no differences
  const slope = (by: (h: number) => number): number =>
    (8 * (by(h) - by(-h)) - (by(2 * h) - by(-2 * h))) / (12 * h);
  for (const bars of [atOnce(x, z)[1], byRun(x, z)[1](1)]) {
    expect(bars[0]).toBeCloseTo(
      slope((t) => f(x + t, z)),
      8,
    );
    expect(bars[1]).toBeCloseTo(
      slope((t) => f(x, z + t)),
      8,
    );
  }
});

test("what is emitted type-checks under every strictness flag", () => {
  const literals =
    "const two = 2, one = 1; const h = (a: number, b: number): number => (a === 3 ? b : b ? a : !(a !== 1) ? b * 2 : b);";
  const bodies = [
    "return h(two, x) + h(one, z) + h(3, x) * h(x, 2) + h(-2, x) ** h(x > 0 ? 1 : 2, z) + (x > 0 ? 1 : 2) ** x;",
    ...EXPRESSIONS.slice(-12).map((text) => `return ${text};`),
    randomBody(1, true),
    randomBody(2, false),
    randomBody(3, true),
  ];
  // of the bodies' own lines, and of the literal `0.5 || 2` that a random one repeats
  const own = (line: string): boolean =>
    /\| (?:export )?function [fg]\(x: number|TS2872 .*0\.5 \|\| 2/.test(line);
  const used = "void [two, one, h, k];";
  expect(
    problemsOf(
      Object.fromEntries(
        bodies.map((body, at) => [`b${at}.ts`, both(body, `${CALLED} ${literals} ${used}`).text]),
      ),
    ).filter((line) => !own(line)),
  ).toEqual([]);
});
