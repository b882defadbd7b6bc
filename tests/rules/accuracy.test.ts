// The slope of every row is near the true one over the whole domain, where squares overflow and
// functions saturate, too. In: points from 1e-300 to 1e300, and beside singular points. Oracle: the
// textbook formula in fixed-point arithmetic of 780 digits, which does not read the table.

import { expect, it } from "vitest";
import { OPS, type ScalarOp } from "../../transformer/ir/ops.ts";
import * as exact from "./high-precision.ts";
import { ONE, abs, div, exp, fixed, mul, sqrt, square, ulp } from "./high-precision.ts";
import { runPartial } from "./partials.ts";

/** Units in the last place. */
const ALLOWED = 4;

type Slope = (...args: readonly [exact.Fixed, exact.Fixed]) => exact.Fixed;

const oneMinusSquare = (x: exact.Fixed): exact.Fixed => ONE - square(x);
const sumOfSquares = (x: exact.Fixed, z: exact.Fixed): exact.Fixed => square(x) + square(z);
const half = (a: exact.Fixed): exact.Fixed => a / 2n;
const cosh = (x: exact.Fixed): exact.Fixed => half(exp(x) + exp(-x));
const sinh = (x: exact.Fixed): exact.Fixed => half(exp(x) - exp(-x));
const power = (x: exact.Fixed, z: exact.Fixed): exact.Fixed => exp(mul(z, exact.log(x)));
const positive = (x: number): boolean => x > 0;
const inside = (x: number): boolean => Math.abs(x) < 1;

interface Row {
  readonly slopes: readonly Slope[];
  readonly domain?: (x: number, z: number) => boolean;
}

const ROWS: Partial<Record<ScalarOp, Row>> = {
  exp: { slopes: [exp] },
  expm1: { slopes: [exp] },
  log: { slopes: [(x) => div(ONE, x)], domain: positive },
  log10: { slopes: [(x) => div(ONE, mul(x, exact.LN10))], domain: positive },
  log2: { slopes: [(x) => div(ONE, mul(x, exact.LN2))], domain: positive },
  log1p: { slopes: [(x) => div(ONE, ONE + x)], domain: (x) => x > -1 },
  sqrt: { slopes: [(x) => div(ONE, 2n * sqrt(x))], domain: positive },
  cbrt: {
    slopes: [(x) => div(ONE, 3n * exp((2n * exact.log(abs(x))) / 3n))],
    domain: (x) => x !== 0,
  },
  sin: { slopes: [exact.cos] },
  cos: { slopes: [(x) => -exact.sin(x)] },
  tan: { slopes: [(x) => div(ONE, square(exact.cos(x)))] },
  asin: { slopes: [(x) => div(ONE, sqrt(oneMinusSquare(x)))], domain: inside },
  acos: { slopes: [(x) => -div(ONE, sqrt(oneMinusSquare(x)))], domain: inside },
  atan: { slopes: [(x) => div(ONE, ONE + square(x))] },
  sinh: { slopes: [cosh] },
  cosh: { slopes: [sinh] },
  tanh: { slopes: [(x) => div(ONE, square(cosh(x)))] },
  asinh: { slopes: [(x) => div(ONE, sqrt(ONE + square(x)))] },
  acosh: { slopes: [(x) => div(ONE, sqrt(square(x) - ONE))], domain: (x) => x > 1 },
  atanh: { slopes: [(x) => div(ONE, oneMinusSquare(x))], domain: inside },
  abs: { slopes: [(x) => (x < 0n ? -ONE : ONE)], domain: (x) => x !== 0 },
  neg: { slopes: [() => -ONE] },
  mul: { slopes: [(_, z) => z, (x) => x] },
  div: { slopes: [(_, z) => div(ONE, z), (x, z) => -div(x, square(z))] },
  mod: { slopes: [() => ONE, (x, z) => -(x / z) * ONE] },
  hypot: {
    slopes: [
      (x, z) => div(x, sqrt(sumOfSquares(x, z))),
      (x, z) => div(z, sqrt(sumOfSquares(x, z))),
    ],
  },
  atan2: {
    slopes: [(x, z) => div(z, sumOfSquares(x, z)), (x, z) => -div(x, sumOfSquares(x, z))],
  },
  pow: {
    slopes: [(x, z) => mul(z, power(x, z - ONE)), (x, z) => mul(power(x, z), exact.log(x))],
    domain: positive,
  },
};

const SIZES = [
  5e-324, 1e-310, 1e-300, 1e-160, 1e-30, 1e-8, 0.1, 0.3, 0.5, 0.7, 1, 2, 3, 10, 20, 30,
];
const LARGE = [300, 354, 360, 372, 700, 709.7, 745, 1e8, 1e150, 1e160, 1e300, 1.7e308];
/** Beside ends of domains, poles and zeros. */
const BESIDE = [1 - 2 ** -53, 1 - 1e-12, 0.999, 1 + 2 ** -52, 1 + 1e-12, 1.001];
const PERIODS = [Math.PI / 2, Math.PI, (3 * Math.PI) / 2, 1.6, 3.1];
const POINTS = [...SIZES, ...LARGE, ...BESIDE, ...PERIODS].flatMap((x) => [x, -x]);
const dense = Array.from({ length: 640 }, (_, k) => -8 + k / 40 + 0.01);

const pointsOf = (op: ScalarOp): readonly (readonly [number, number])[] =>
  OPS[op].arity === 1
    ? [...POINTS, ...dense].map((x) => [x, 0])
    : POINTS.flatMap((x) => POINTS.map((z): [number, number] => [x, z]));

/** The smallest normal double. Below it digits are lost, so a result may as well be 0. */
const NORMAL = 2 ** -1022;
const isNormal = (x: number): boolean => Number.isFinite(x) && Math.abs(x) >= NORMAL;

/** How many units in the last place `got` is off. */
function errorOf(got: number, want: exact.Fixed): number {
  if (Number.isNaN(got)) return Infinity;
  if (abs(want) < fixed(NORMAL)) return Math.abs(got) <= NORMAL ? 0 : Infinity;
  if (!Number.isFinite(got))
    return abs(want) + 4n * ulp(want) >= exact.OVERFLOW && want > 0n === got > 0 ? 0 : Infinity;
  return Number((1000n * abs(fixed(got) - want)) / ulp(want)) / 1000;
}

const isOp = (name: string): name is ScalarOp => name in OPS;
const CASES = Object.keys(ROWS)
  .filter(isOp)
  .flatMap((op) => (ROWS[op]?.slopes ?? []).map((slope, i) => [op, i, slope] as const));

it.each(CASES)("%s by argument %i", (op, i, slope) => {
  const bad: string[] = [];
  for (const [x, z] of pointsOf(op)) {
    if (ROWS[op]?.domain?.(x, z) === false) continue;
    const args = OPS[op].arity === 1 ? [x] : [x, z];
    if (!args.every(isNormal)) continue;
    const y = Number(OPS[op].eval(args));
    if (!Number.isFinite(y) || (y !== 0 && !isNormal(y))) continue;
    const want = slope(fixed(x), fixed(z));
    const got = runPartial(op, args, i).value;
    const error = errorOf(got, want);
    if (error > ALLOWED) bad.push(`${args.join()}: ${got}, ${error} ulp`);
  }
  expect(bad).toEqual([]);
});
