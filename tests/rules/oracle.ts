// Derivatives of every scalar operator that do not come from the rule table. In: arguments and a position. Out: the partial there.
// Three sources: the complex step on functions written in complex arithmetic below; the inverse function theorem on those; sixth-order
// central differences of the operator itself. Invariant: nothing of transformer/rules is imported.

import { OPS, type ScalarOp } from "../../transformer/ir/ops.ts";

export interface Oracle {
  /** Relative error that the oracle itself may have. */
  readonly accuracy: number;
  readonly partial: (args: readonly (number | boolean)[], i: number) => number;
}

/** "constant": the operator does not change where it is defined on the domain, so no argument contributes. */
export type Source = Oracle | "constant";

// ------------------------------------------------------------------------------------------- complex numbers

interface Complex {
  readonly re: number;
  readonly im: number;
}

const C = (re: number, im = 0): Complex => ({ re, im });
const plus = (a: Complex, b: Complex): Complex => C(a.re + b.re, a.im + b.im);
const minus = (a: Complex, b: Complex): Complex => C(a.re - b.re, a.im - b.im);
const times = (a: Complex, b: Complex): Complex =>
  C(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
const over = (a: Complex, b: Complex): Complex => {
  const norm = b.re * b.re + b.im * b.im;
  return C((a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm);
};
const exp = (a: Complex): Complex =>
  C(Math.exp(a.re) * Math.cos(a.im), Math.exp(a.re) * Math.sin(a.im));
const log = (a: Complex): Complex => C(Math.log(Math.hypot(a.re, a.im)), Math.atan2(a.im, a.re));
const sin = (a: Complex): Complex =>
  C(Math.sin(a.re) * Math.cosh(a.im), Math.cos(a.re) * Math.sinh(a.im));
const cos = (a: Complex): Complex =>
  C(Math.cos(a.re) * Math.cosh(a.im), -Math.sin(a.re) * Math.sinh(a.im));
const sinh = (a: Complex): Complex =>
  C(Math.sinh(a.re) * Math.cos(a.im), Math.cosh(a.re) * Math.sin(a.im));
const cosh = (a: Complex): Complex =>
  C(Math.cosh(a.re) * Math.cos(a.im), Math.sinh(a.re) * Math.sin(a.im));
const power = (a: Complex, b: Complex): Complex => exp(times(b, log(a)));
const root = (a: Complex): Complex => exp(times(C(0.5), log(a)));

/** So small that its square vanishes: the complex step then has no truncation error. */
const STEP = 1e-200;

type ComplexFunction = (...args: readonly Complex[]) => Complex;

const slope = (f: ComplexFunction, args: readonly number[], i: number): number =>
  f(...args.map((arg, at) => C(arg, at === i ? STEP : 0))).im / STEP;

/** Exact up to the rounding of the functions above, of which 1 - tanh² at 3 keeps the fewest digits: two are lost. */
const complex = (f: ComplexFunction): Oracle => ({
  accuracy: 1e-13,
  partial: (args, i) => slope(f, args.map(Number), i),
});

/** 1 / f'(y) where f is the inverse. Near the ends of the domain f' magnifies the rounding of y, a thousandfold at most. */
const inverseOf = (op: ScalarOp, f: (y: Complex) => Complex): Oracle => ({
  accuracy: 1e-12,
  partial: (args) => 1 / slope((y = C(NaN)) => f(y), [Number(OPS[op].eval(args))], 0),
});

/** Sixth order with steps of 1e-3 of arguments of about 1: 1e-12 from rounding, 1e-11 from truncation near x² + z² = 0.08. */
const differences = (op: ScalarOp, accuracy = 1e-8): Oracle => ({
  accuracy,
  partial: (args, i) => centralDifference(op, args, i, 1e-3),
});

function centralDifference(
  op: ScalarOp,
  args: readonly (number | boolean)[],
  i: number,
  h: number,
): number {
  const at = (k: number): number =>
    Number(OPS[op].eval(args.map((arg, j) => (j === i ? Number(arg) + k * h : arg))));
  return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + at(3) - at(-3)) / (60 * h);
}

// ----------------------------------------------------------------------------------------------------- table

const [ONE, TWO, TEN] = [C(1), C(2), C(10)];
const binary = (f: (x: Complex, z: Complex) => Complex): Oracle =>
  complex((x = C(NaN), z = C(NaN)) => f(x, z));
const unary = (f: (x: Complex) => Complex): Oracle => complex((x = C(NaN)) => f(x));

export const ORACLE: { readonly [Op in ScalarOp]: Source } = {
  add: binary(plus),
  sub: binary(minus),
  mul: binary(times),
  div: binary(over),
  pow: binary(power),
  mod: differences("mod"),
  neg: unary((x) => minus(C(0), x)),
  plus: unary((x) => x),
  lt: "constant",
  le: "constant",
  gt: "constant",
  ge: "constant",
  eq: "constant",
  ne: "constant",
  looseEq: "constant",
  looseNe: "constant",
  not: "constant",
  and: "constant",
  or: "constant",
  boolToNum: "constant",
  isNaN: "constant",
  isFinite: "constant",
  isInteger: "constant",
  isSafeInteger: "constant",
  select: differences("select"),
  band: "constant",
  bor: "constant",
  bxor: "constant",
  bnot: "constant",
  imul: "constant",
  clz32: "constant",
  shl: "constant",
  shr: "constant",
  ushr: "constant",
  ceil: "constant",
  floor: "constant",
  round: "constant",
  trunc: "constant",
  sign: "constant",
  // the secant over many of its steps, which are 1e-7 wide
  fround: differences("fround", 1e-3),
  abs: differences("abs"),
  max: differences("max"),
  min: differences("min"),
  sqrt: inverseOf("sqrt", (y) => times(y, y)),
  cbrt: inverseOf("cbrt", (y) => times(y, times(y, y))),
  hypot: complex((...args) => root(args.reduce((sum, arg) => plus(sum, times(arg, arg)), C(0)))),
  exp: unary(exp),
  expm1: unary((x) => minus(exp(x), ONE)),
  log: inverseOf("log", exp),
  log1p: inverseOf("log1p", (y) => minus(exp(y), ONE)),
  log2: inverseOf("log2", (y) => power(TWO, y)),
  log10: inverseOf("log10", (y) => power(TEN, y)),
  sin: unary(sin),
  cos: unary(cos),
  tan: unary((x) => over(sin(x), cos(x))),
  asin: inverseOf("asin", sin),
  acos: inverseOf("acos", cos),
  atan: inverseOf("atan", (y) => over(sin(y), cos(y))),
  atan2: differences("atan2"),
  sinh: unary(sinh),
  cosh: unary(cosh),
  tanh: unary((x) => over(sinh(x), cosh(x))),
  oneMinusSquare: unary((x) => minus(ONE, times(x, x))),
  sechSquared: unary((x) => over(ONE, times(cosh(x), cosh(x)))),
  asinh: inverseOf("asinh", sinh),
  acosh: inverseOf("acosh", cosh),
  // tanh saturates, so not by its inverse
  atanh: unary((x) => times(C(0.5), minus(log(plus(ONE, x)), log(minus(ONE, x))))),
};
