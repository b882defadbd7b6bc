// The members of Math on values with ids, as in operators.ts. The choices at kinks are those of the
// rule table. A partial that is chosen to be 0 has no parent, so that nothing is multiplied by 0.

import { node1, node2, nodeN } from "./tape.ts";
import { coerced, isObject } from "./conversion.ts";
import { asNumbers, hasObject, idsOf, type Nary, valuesOf } from "./pairs.ts";
import { setId } from "./register.ts";
import { sechSquaredOf } from "./slopes.ts";
import type { Id, Value } from "./value.ts";

type Unary = (x: Value, xi: Id) => Value;

// Initialisers are marked as pure, so that a bundle only contains the used ones.
/** z = f(x), x' = slope(x, z) */
const smooth = (f: (x: number) => number, slope: (x: number, z: number) => number): Unary => {
  const own: Unary = (x, xi) => {
    if (isObject(x)) return coerced(own, x, xi);
    const z = f(x);
    setId(xi === 0 ? 0 : node1(xi, certain(slope(x, z), z)));
    return z;
  };
  return own;
};

/**
 * NaN for a slope of 0 where the value is infinite, as that of `log`: what the operand is computed
 * from may be as steep as this is flat, as in `log(1 + exp(800))`.
 */
export const certain = (slope: number, z: number): number =>
  slope === 0 && (z === Infinity || z === -Infinity) ? NaN : slope;

/** Constant almost everywhere. */
const flat = (f: (x: number) => number): Unary => {
  const own: Unary = (x, xi) => {
    if (isObject(x)) return coerced(own, x, xi);
    const z = f(x);
    setId(0);
    return z;
  };
  return own;
};

// Not made by `smooth`: the most frequent ones in loops.
export function sin(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(sin, x, xi);
  const z = Math.sin(x);
  setId(xi === 0 ? 0 : node1(xi, Math.cos(x)));
  return z;
}

export function cos(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(cos, x, xi);
  const z = Math.cos(x);
  setId(xi === 0 ? 0 : node1(xi, -Math.sin(x)));
  return z;
}

export function exp(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(exp, x, xi);
  const z = Math.exp(x);
  setId(xi === 0 ? 0 : node1(xi, z));
  return z;
}

export function log(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(log, x, xi);
  const z = Math.log(x);
  setId(xi === 0 ? 0 : node1(xi, certain(1 / x, z)));
  return z;
}

// The vertical tangent at 0 is Infinity.
export function sqrt(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(sqrt, x, xi);
  const z = Math.sqrt(x);
  setId(xi === 0 ? 0 : node1(xi, certain(0.5 / z, z)));
  return z;
}

export function tanh(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(tanh, x, xi);
  const z = Math.tanh(x);
  setId(xi === 0 ? 0 : node1(xi, sechSquaredOf(x, z)));
  return z;
}

// Kink: 0 at 0.
export function abs(x: Value, xi: Id): Value {
  if (typeof x === "object") return coerced(abs, x, xi);
  const z = Math.abs(x);
  setId(xi === 0 || z === 0 ? 0 : node1(xi, Math.sign(x)));
  return z;
}

/** 1 - x², without the cancellation near 1. */
const oneMinusSquare = (x: number): number => (1 - x) * (1 + x);

export const cbrt: Unary = /* @__PURE__ */ smooth(Math.cbrt, (_x, z) => 1 / (3 * z * z));
export const expm1: Unary = /* @__PURE__ */ smooth(Math.expm1, Math.exp);
export const log10: Unary = /* @__PURE__ */ smooth(Math.log10, (x) => Math.LOG10E / x);
export const log2: Unary = /* @__PURE__ */ smooth(Math.log2, (x) => 1 / (x * Math.LN2));
export const log1p: Unary = /* @__PURE__ */ smooth(Math.log1p, (x) => 1 / (1 + x));
export const tan: Unary = /* @__PURE__ */ smooth(Math.tan, (_x, z) => 1 + z * z);
export const asin: Unary = /* @__PURE__ */ smooth(
  Math.asin,
  (x) => 1 / Math.sqrt(oneMinusSquare(x)),
);
export const acos: Unary = /* @__PURE__ */ smooth(
  Math.acos,
  (x) => -1 / Math.sqrt(oneMinusSquare(x)),
);
export const atan: Unary = /* @__PURE__ */ smooth(Math.atan, (x) => 1 / (1 + x * x));
export const sinh: Unary = /* @__PURE__ */ smooth(Math.sinh, Math.cosh);
export const cosh: Unary = /* @__PURE__ */ smooth(Math.cosh, Math.sinh);
export const asinh: Unary = /* @__PURE__ */ smooth(Math.asinh, (x) => 1 / Math.hypot(x, 1));
export const acosh: Unary = /* @__PURE__ */ smooth(
  Math.acosh,
  (x) => 1 / Math.sqrt(x - 1) / Math.sqrt(x + 1),
);
export const atanh: Unary = /* @__PURE__ */ smooth(Math.atanh, (x) => 1 / oneMinusSquare(x));
// Rounding counts as the identity.
export const fround: Unary = /* @__PURE__ */ smooth(Math.fround, () => 1);

export const ceil: Unary = /* @__PURE__ */ flat(Math.ceil);
export const clz32: Unary = /* @__PURE__ */ flat(Math.clz32);
export const floor: Unary = /* @__PURE__ */ flat(Math.floor);
export const round: Unary = /* @__PURE__ */ flat(Math.round);
export const sign: Unary = /* @__PURE__ */ flat(Math.sign);
export const trunc: Unary = /* @__PURE__ */ flat(Math.trunc);

export function imul(x: Value, _xi: Id, y: Value, _yi: Id): Value {
  const z = Math.imul(x, y);
  setId(0);
  return z;
}

/** A constant of the run. */
export function random(): Value {
  setId(0);
  return Math.random();
}

// y is the first argument, as in Math.atan2(y, x). The slopes at (0, 0) are NaN.
export function atan2(y: Value, yi: Id, x: Value, xi: Id): Value {
  if (typeof y === "object" || typeof x === "object") return asNumbers(atan2, [y, yi, x, xi]);
  const z = Math.atan2(y, x);
  const length = (yi | xi) === 0 ? 0 : Math.hypot(y, x);
  setId((yi | xi) === 0 ? 0 : node2(yi, x / length / length, xi, -y / length / length));
  return z;
}

// Kink: at a tie of two, each gets half; more arguments count as calls nested to the left.
const extremum = (f: (...xs: number[]) => number): Nary =>
  function own(...pairs): Value {
    if (pairs.length === 4 && typeof pairs[0] === "number" && typeof pairs[2] === "number")
      return ofTwo(f(pairs[0], pairs[2]), pairs[0], pairs[1], pairs[2], pairs[3]);
    if (hasObject(pairs)) return asNumbers(own, pairs);
    const xs = valuesOf(pairs);
    const ids = idsOf(pairs);
    const z = f(...xs);
    setId(shares(xs.map(Number), ids, z));
    return z;
  };

/** The result has the id of the larger argument, without a node. */
function ofTwo(z: number, x: number, xi: Id, y: number, yi: Id): number {
  if ((xi | yi) === 0) setId(0);
  else if (x === y) setId(node2(xi, 0.5, yi, 0.5));
  else if (z === x) setId(xi);
  else if (z === y) setId(yi);
  else setId(node2(xi, NaN, yi, NaN));
  return z;
}

function shares(xs: readonly number[], ids: readonly Id[], z: number): Id {
  if (ids.every((i) => i === 0)) return 0;
  if (Number.isNaN(z))
    return nodeN(
      ids,
      xs.map(() => NaN),
    );
  const winners = xs.map((_, i) => i).filter((i) => xs[i] === z);
  return nodeN(
    winners.map((i) => ids[i] ?? 0),
    winners.map((_, w) => (w === 0 ? 0.5 ** (winners.length - 1) : 0.5 ** (winners.length - w))),
  );
}

export const max: Nary = /* @__PURE__ */ extremum(Math.max);
export const min: Nary = /* @__PURE__ */ extremum(Math.min);
// Of two arguments, as in most loops.
export const max2 = (x: Value, xi: Id, y: Value, yi: Id): Value =>
  typeof x === "number" && typeof y === "number"
    ? ofTwo(Math.max(x, y), x, xi, y, yi)
    : max(x, xi, y, yi);
export const min2 = (x: Value, xi: Id, y: Value, yi: Id): Value =>
  typeof x === "number" && typeof y === "number"
    ? ofTwo(Math.min(x, y), x, xi, y, yi)
    : min(x, xi, y, yi);

// Kink: 0 if all arguments are 0.
export const hypot: Nary = (...pairs) => {
  if (hasObject(pairs)) return asNumbers(hypot, pairs);
  const xs = valuesOf(pairs);
  const ids = idsOf(pairs);
  const z = Math.hypot(...xs);
  setId(
    z === 0 || ids.every((i) => i === 0)
      ? 0
      : nodeN(
          ids,
          xs.map((x) => x / z),
        ),
  );
  return z;
};

/** The operators by the names of `Math`. */
export const byName = (): Readonly<Record<string, Value>> => ({
  abs,
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  cbrt,
  ceil,
  clz32,
  cos,
  cosh,
  exp,
  expm1,
  floor,
  fround,
  hypot,
  imul,
  log,
  log10,
  log1p,
  log2,
  max,
  min,
  random,
  round,
  sign,
  sin,
  sinh,
  sqrt,
  tan,
  tanh,
  trunc,
});
