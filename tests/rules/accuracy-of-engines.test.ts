// Derivatives of whole functions by both engines, forwards, backwards and of second order, over the
// domain, where functions saturate and powers leave the range, too. Oracle: the textbook formula in
// fixed-point arithmetic. Blind for what no row of FUNCTIONS writes.

import { describe, expect, it } from "vitest";
import { built } from "../nested/compiled.ts";
import * as exact from "./high-precision.ts";
import { type Fixed, ONE, abs, div, exp, fixed, mul, sqrt, square, ulp } from "./high-precision.ts";

/** Units in the last place; a second derivative is a product of two or three rounded slopes. */
const [FIRST, SECOND] = [4, 10];

interface Row {
  readonly code: string;
  readonly at: readonly number[];
  readonly slope: (x: Fixed) => Fixed;
  /** Points at which the Delta engine is not asked: an adjoint between two nodes is below doubles. */
  readonly staticAt?: readonly number[];
  /** A point at which Delta is asked for no second derivative, for the same reason. */
  readonly firstAt?: number;
  /** Left out where the rule's own derivative is a difference, which cancels by its nature. */
  readonly second?: (x: Fixed) => Fixed;
}

const sides = (...sizes: readonly number[]): readonly number[] => sizes.flatMap((x) => [x, -x]);
const cosh = (x: Fixed): Fixed => (exp(x) + exp(-x)) / 2n;
const sinh = (x: Fixed): Fixed => (exp(x) - exp(-x)) / 2n;
const SIZES = [1e-300, 1e-150, 1e-8, 0.3, 0.87, 0.89, 1.3, 1.33, 3];
const POWERS = [1e-250, 1e-100, 1e-8, 0.3, 0.999, 1.5, 20, 1e8, 1e100, 1e250];

/** The logistic function's slope, and what follows from it. */
const logistic = (x: Fixed): Fixed => div(ONE, ONE + exp(-x));
const ofLogistic = (x: Fixed): Fixed => mul(logistic(x), logistic(-x));

/** x ** z by x. `text` is how the program writes z. */
const power = (z: number, text = String(z)): Row => {
  const scaled = (k: Fixed, less: Fixed) => (x: Fixed) =>
    mul(k, exp(mul(fixed(z) - less, exact.log(x))));
  return {
    code: `x ** ${text}`,
    at: POWERS,
    slope: scaled(fixed(z), ONE),
    second: scaled(mul(fixed(z), fixed(z) - ONE), 2n * ONE),
  };
};

const FUNCTIONS: readonly Row[] = [
  {
    code: "Math.tanh(x)",
    at: sides(...SIZES, 5, 9, 18, 20, 100, 300),
    slope: (x) => div(ONE, square(cosh(x))),
    second: (x) => -2n * div(sinh(x), mul(cosh(x), square(cosh(x)))),
  },
  {
    code: "1 / (1 + Math.exp(-x))",
    at: sides(0.3, 3, 20, 36, 40, 100, 300, 800),
    firstAt: -300,
    staticAt: [-356, -372, -400, -500, -700, -708, -720],
    slope: ofLogistic,
    second: (x) => mul(ofLogistic(x), logistic(-x) - logistic(x)),
  },
  { code: "Math.expm1(x)", at: sides(...SIZES, 30, 300, 800), slope: exp, second: exp },
  {
    code: "Math.log1p(x)",
    at: [...SIZES, 1e8, 1e150, -1e-300, -0.5, -0.999],
    slope: (x) => div(ONE, ONE + x),
    second: (x) => -div(ONE, square(ONE + x)),
  },
  {
    code: "Math.atanh(x)",
    at: sides(1e-300, 1e-8, 0.3, 0.999, 1 - 2 ** -40),
    slope: (x) => div(ONE, ONE - square(x)),
    second: (x) => div(2n * x, square(ONE - square(x))),
  },
  {
    code: "Math.asin(x)",
    at: sides(1e-300, 1e-8, 0.3, 0.999, 1 - 2 ** -40),
    slope: (x) => div(ONE, sqrt(ONE - square(x))),
    second: (x) => div(x, mul(ONE - square(x), sqrt(ONE - square(x)))),
  },
  {
    code: "Math.asinh(x)",
    at: sides(1e-300, 1e-8, 0.3, 3, 1e8, 1e90),
    slope: (x) => div(ONE, sqrt(ONE + square(x))),
    second: (x) => -div(x, mul(ONE + square(x), sqrt(ONE + square(x)))),
  },
  {
    code: "Math.hypot(x, 3)",
    at: sides(1e-8, 0.3, 3, 1e8),
    slope: (x) => div(x, sqrt(9n * ONE + square(x))),
  },
  power(1 / 3, "(1 / 3)"),
  ...[0.1, 0.25, 0.7, 1.6, 7.5, -0.3, -2.7, -7].map((z) => power(z)),
  ...[0.1, 0.7, 1.6, -0.3].map((z) => power(z, `two(${z})`)),
];

const D = `{ engine: "delta" }`;
const { exports } = built(`import { grad, hessian, jvp } from "tsgrad";
const two = (z: number): number => (z > 100 ? 2 : z);
${FUNCTIONS.map(
  ({ code }, i) => `const f${i} = (x: number): number => ${code};
export const r${i} = [grad(f${i}), jvp(f${i}), grad(f${i}, ${D}), jvp(f${i}, ${D}), hessian(f${i}), hessian(f${i}, ${D})];`,
).join("\n")}`);

const NORMAL = 2 ** -1022;

/** How many units in the last place `got` is off. Below the normal doubles digits are lost. */
function errorOf(got: number, want: Fixed): number {
  if (Number.isNaN(got)) return Infinity;
  if (abs(want) < fixed(NORMAL)) return Math.abs(got) <= NORMAL ? 0 : Infinity;
  if (!Number.isFinite(got)) return abs(want) >= exact.OVERFLOW && want > 0n === got > 0 ? 0 : NaN;
  return Number((1000n * abs(fixed(got) - want)) / ulp(want)) / 1000;
}

const call = (form: unknown, ...args: readonly unknown[]): unknown =>
  typeof form === "function" ? Reflect.apply(form, undefined, args) : NaN;
const tangentOf = (pair: unknown): unknown => (Array.isArray(pair) ? pair[1] : NaN);

describe.each(FUNCTIONS.map((row, i) => [row.code, row, i] as const))("%s", (_, row, i) => {
  const forms = exports[`r${i}`];
  const [grad, jvp, gradByDelta, jvpByDelta, hessian, hessianByDelta] = Array.isArray(forms)
    ? forms
    : [];
  const { at, staticAt = [] } = row;
  it.each([...at, ...staticAt])("at %d", (x) => {
    const slope = row.slope(fixed(x));
    const second = row.second?.(fixed(x));
    // terms that overflow to both infinities have no sum
    const hasSecond = second !== undefined && abs(second) < exact.OVERFLOW;
    const found: Readonly<Record<string, readonly [unknown, Fixed, number]>> = {
      grad: [call(grad, x), slope, FIRST],
      jvp: [tangentOf(call(jvp, [x], [1])), slope, FIRST],
      ...(staticAt.includes(x)
        ? {}
        : {
            "grad by Delta": [call(gradByDelta, x), slope, FIRST],
            "jvp by Delta": [tangentOf(call(jvpByDelta, [x], [1])), slope, FIRST],
          }),
      ...(hasSecond ? { hessian: [call(hessian, x), second, SECOND] } : {}),
      ...(hasSecond && !staticAt.includes(x) && x !== row.firstAt
        ? { "hessian by Delta": [call(hessianByDelta, x), second, SECOND] }
        : {}),
    };
    const bad = Object.entries(found)
      .map(([name, [got, want, allowed]]) => ({
        name,
        got,
        off: errorOf(Number(got), want),
        allowed,
      }))
      .filter(({ off, allowed }) => !(off <= allowed))
      .map(({ name, got, off }) => `${name}: ${String(got)}, ${off} ulp`);
    expect(bad).toEqual([]);
  });
});
