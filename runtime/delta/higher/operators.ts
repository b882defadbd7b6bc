// The operators of operators.ts and math.ts with partials that have ids, as `nodes.ts` says. The
// slopes and choices at kinks are the same; a partial is written in terms of operators.

import { coerced, conversion, isObject, mixed, primitive } from "../conversion.ts";
import { asNumbers, hasObject, idsOf, valuesOf } from "../pairs.ts";
import { sechSquaredOf } from "../slopes.ts";
import { id, setId } from "../register.ts";
import { spreadOf } from "../spread.ts";
import type { Id, Value } from "../value.ts";
import { higher1, higher2, higherN, partial, smooth as bare, type Operator } from "./nodes.ts";

type Unary = (x: Value, xi: Id) => Value;
type Binary = (x: Value, xi: Id, y: Value, yi: Id) => Value;

const converted = (own: Unary): Unary => {
  const all: Unary = (x, xi) => (isObject(x) ? coerced(all, x, xi) : own(x, xi));
  return all;
};

const smooth = (f: (x: number) => number, slope: Operator): Unary => converted(bare(f, slope));

// z = x + y          x' = 1, y' = 1
export function add(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a + b, add, x, xi, y, yi, "default");
  setId(higher2(xi, 1, 0, yi, 1, 0));
  return x + y;
}

// z = x - y          x' = 1, y' = -1
export function sub(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a - b, sub, x, xi, y, yi, "number");
  setId(xi === yi ? 0 : higher2(xi, 1, 0, yi, -1, 0));
  return x - y;
}

// z = x y            x' = y, y' = x
export function mul(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a * b, mul, x, xi, y, yi, "number");
  setId(higher2(xi, y, yi, yi, x, xi));
  return x * y;
}

// z = x / y          x' = 1 / y, y' = -x / y / y
export function div(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a / b, div, x, xi, y, yi, "number");
  const z = x / y;
  if ((xi | yi) === 0 || (xi === yi && x === y)) setId(0);
  else {
    const u = partial(inverse, y, yi);
    const ui = id;
    const v = yi === 0 ? 0 : partial(towardsDivisor, x, xi, y, yi);
    setId(higher2(xi, u, ui, yi, v, yi === 0 ? 0 : id));
  }
  return z;
}

const inverse: Operator = (y: Value, yi: Id) => div(1, 0, y, yi);

/** -x / y / y */
function towardsDivisor(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = div(x, xi, y, yi);
  const minus = neg(z, id);
  return div(minus, id, y, yi);
}

// z = x % y          x' = 1, y' = -trunc(x / y)
export function rem(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a % b, rem, x, xi, y, yi, "number");
  const z = x % y;
  setId(higher2(xi, 1, 0, yi, -Math.round((x - z) / y), 0));
  return z;
}

// z = x ** y         x' = y x ** (y - 1), y' = z log x
// kinks: x' is 0 where y is 0, y' is 0 where x is 0 and y is not negative; no parent there
export function pow(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (typeof x !== "number" || typeof y !== "number")
    return mixed((a, b) => a ** b, pow, x, xi, y, yi, "number");
  const p = y === 0 && (yi === 0 || x === 0) ? 0 : xi;
  const q = x === 0 && y >= 0 ? 0 : yi;
  const u = p === 0 ? 0 : partial(towardsBase, x, xi, y, yi);
  const ui = p === 0 ? 0 : id;
  const v = q === 0 ? 0 : partial(towardsExponent, x, xi, y, yi);
  setId(higher2(p, u, ui, q, v, q === 0 ? 0 : id));
  return x ** y;
}

/** y x ** (y - 1); below 0.5, where y - 1 is rounded, z y / x. */
function towardsBase(x: Value, xi: Id, y: Value, yi: Id): Value {
  if (y === 2 && yi === 0) return mul(2, 0, x, xi);
  if (y < 0.5 && x !== x ** y) {
    const z = pow(x, xi, y, yi);
    const product = mul(y, yi, z, id);
    return div(product, id, x, xi);
  }
  const less = sub(y, yi, 1, 0);
  const power = pow(x, xi, less, id);
  return mul(y, yi, power, id);
}

function towardsExponent(x: Value, xi: Id, y: Value, yi: Id): Value {
  const z = pow(x, xi, y, yi);
  const zi = id;
  const slope = log(x, xi);
  return mul(z, zi, slope, id);
}

// z = -x             x' = -1
export function neg(x: Value, xi: Id): Value {
  if (typeof x !== "number") return unary(neg, (a) => -a, x, xi);
  setId(higher1(xi, -1, 0));
  return -x;
}

/** A sign before an operand that is not a number. */
function unary(f: Unary, plain: (x: Value) => Value, x: Value, xi: Id): Value {
  const a = primitive(x, xi, "number");
  const ai = id;
  if (typeof a === "number") return f(a, ai);
  const back = conversion().readBack(a);
  if (back !== 0) return f(+a, back);
  setId(0);
  return plain(a);
}

/** f(g(x)) */
const after =
  (f: Unary, g: Unary): Unary =>
  (x, xi) => {
    const y = g(x, xi);
    return f(y, id);
  };

/** f(x) g(x) */
const times =
  (f: Unary, g: Unary): Unary =>
  (x, xi) => {
    const y = f(x, xi);
    const yi = id;
    const z = g(x, xi);
    return mul(y, yi, z, id);
  };

const scaled =
  (by: number, f: Unary): Unary =>
  (x, xi) => {
    const y = f(x, xi);
    return mul(by, 0, y, id);
  };

const plus =
  (by: number, f: Unary): Unary =>
  (x, xi) => {
    const y = f(x, xi);
    return add(by, 0, y, id);
  };

const over =
  (by: number): Unary =>
  (x, xi) =>
    div(by, 0, x, xi);
const same: Unary = (x, xi) => {
  setId(xi);
  return x;
};
const square: Unary = (x, xi) => mul(x, xi, x, xi);
/** 1 - x², without the cancellation near 1. */
const oneMinusSquare: Unary = /* @__PURE__ */ smooth(
  (x) => (1 - x) * (1 + x),
  (x, xi) => scaled(-2, same)(x, xi),
);
/** 1 / cosh(x)² */
const sechSquared: Unary = /* @__PURE__ */ smooth(
  (x) => sechSquaredOf(x, Math.tanh(x)),
  (x, xi) => scaled(-2, times(tanh, sechSquared))(x, xi),
);
export const sin: Unary = /* @__PURE__ */ smooth(Math.sin, (x, xi) => cos(x, xi));
export const cos: Unary = /* @__PURE__ */ smooth(Math.cos, (x, xi) => scaled(-1, sin)(x, xi));
export const exp: Unary = /* @__PURE__ */ smooth(Math.exp, (x, xi) => exp(x, xi));
export const log: Unary = /* @__PURE__ */ smooth(Math.log, (x, xi) => over(1)(x, xi));
export const sqrt: Unary = /* @__PURE__ */ smooth(Math.sqrt, (x, xi) =>
  after(over(0.5), sqrt)(x, xi),
);
export const tanh: Unary = /* @__PURE__ */ smooth(Math.tanh, (x, xi) => sechSquared(x, xi));
export const cbrt: Unary = /* @__PURE__ */ smooth(Math.cbrt, (x, xi) =>
  after(over(1), scaled(3, after(square, cbrt)))(x, xi),
);
export const expm1: Unary = /* @__PURE__ */ smooth(Math.expm1, (x, xi) => exp(x, xi));
export const log10: Unary = /* @__PURE__ */ smooth(Math.log10, (x, xi) => over(Math.LOG10E)(x, xi));
export const log2: Unary = /* @__PURE__ */ smooth(Math.log2, (x, xi) =>
  after(over(1), scaled(Math.LN2, same))(x, xi),
);
export const log1p: Unary = /* @__PURE__ */ smooth(Math.log1p, (x, xi) =>
  after(over(1), plus(1, same))(x, xi),
);
export const tan: Unary = /* @__PURE__ */ smooth(Math.tan, (x, xi) =>
  plus(1, after(square, tan))(x, xi),
);
const inverseRoot: Unary = (x, xi) => after(over(1), after(sqrt, oneMinusSquare))(x, xi);
export const asin: Unary = /* @__PURE__ */ smooth(Math.asin, inverseRoot);
export const acos: Unary = /* @__PURE__ */ smooth(Math.acos, (x, xi) =>
  scaled(-1, inverseRoot)(x, xi),
);
export const atan: Unary = /* @__PURE__ */ smooth(Math.atan, (x, xi) =>
  after(over(1), plus(1, square))(x, xi),
);
export const sinh: Unary = /* @__PURE__ */ smooth(Math.sinh, (x, xi) => cosh(x, xi));
export const cosh: Unary = /* @__PURE__ */ smooth(Math.cosh, (x, xi) => sinh(x, xi));
export const asinh: Unary = /* @__PURE__ */ smooth(Math.asinh, (x, xi) => {
  const length = hypot(x, xi, 1, 0);
  return div(1, 0, length, id);
});
export const acosh: Unary = /* @__PURE__ */ smooth(Math.acosh, (x, xi) =>
  times(after(over(1), after(sqrt, plus(-1, same))), after(over(1), after(sqrt, plus(1, same))))(
    x,
    xi,
  ),
);
export const atanh: Unary = /* @__PURE__ */ smooth(Math.atanh, (x, xi) =>
  after(over(1), oneMinusSquare)(x, xi),
);
export const fround: Unary = /* @__PURE__ */ smooth(Math.fround, () => {
  setId(0);
  return 1;
});

// Kink: 0 at 0.
export const abs: Unary = /* @__PURE__ */ converted((x, xi) => {
  setId(x === 0 ? 0 : higher1(xi, Math.sign(x), 0));
  return Math.abs(x);
});

// y is the first argument, as in Math.atan2(y, x).
export function atan2(y: Value, yi: Id, x: Value, xi: Id): Value {
  if (isObject(y) || isObject(x)) return asNumbers(atan2, [y, yi, x, xi]);
  const z = Math.atan2(y, x);
  const u = yi === 0 ? 0 : partial(overSquare, x, xi, y, yi);
  const ui = yi === 0 ? 0 : id;
  const v = xi === 0 ? 0 : partial(minusOverSquare, y, yi, x, xi);
  setId(higher2(yi, u, ui, xi, v, xi === 0 ? 0 : id));
  return z;
}

/** x / (x² + y²) */
function overSquare(x: Value, xi: Id, y: Value, yi: Id): Value {
  const length = hypot(x, xi, y, yi);
  const li = id;
  const z = div(x, xi, length, li);
  return div(z, id, length, li);
}

function minusOverSquare(y: Value, yi: Id, x: Value, xi: Id): Value {
  const z = overSquare(y, yi, x, xi);
  return neg(z, id);
}

// Kink: at a tie of two, each gets half; more arguments count as calls nested to the left.
const extremum = (f: (...xs: number[]) => number): Operator =>
  function own(...pairs): Value {
    if (hasObject(pairs)) return asNumbers(own, pairs);
    const xs = valuesOf(pairs).map(Number);
    const ids = idsOf(pairs);
    const z = f(...xs);
    const winners = [...xs.keys()].filter((i) => Number.isNaN(z) || xs[i] === z);
    const share = (w: number): number =>
      Number.isNaN(z) ? NaN : 0.5 ** (w === 0 ? winners.length - 1 : winners.length - w);
    const [only, ...others] = winners;
    setId(
      only !== undefined && others.length === 0 && !Number.isNaN(z)
        ? (ids[only] ?? 0)
        : higherN(
            winners.map((i) => ids[i] ?? 0),
            winners.map((_, w) => share(w)),
            [],
          ),
    );
    return z;
  };

export const max: Operator = /* @__PURE__ */ extremum(Math.max);
export const min: Operator = /* @__PURE__ */ extremum(Math.min);
export const max2: Binary = (x, xi, y, yi) => max(x, xi, y, yi);
export const min2: Binary = (x, xi, y, yi) => min(x, xi, y, yi);
export const largest = (list: Value): Value => max(...pairsOf(list));
export const smallest = (list: Value): Value => min(...pairsOf(list));

function pairsOf(list: Value): Value[] {
  const { values, ids } = spreadOf(list);
  return values.flatMap((value, k) => [value, ids[k] ?? 0]);
}

export const most = (_from: Id, x: Value, xi: Id, y: Value, yi: Id): Value => max(x, xi, y, yi);
export const least = (_from: Id, x: Value, xi: Id, y: Value, yi: Id): Value => min(x, xi, y, yi);

// Kink: 0 if all arguments are 0.
export const hypot: Operator = (...pairs) => {
  if (hasObject(pairs)) return asNumbers(hypot, pairs);
  const xs = valuesOf(pairs);
  const ids = idsOf(pairs);
  const z = Math.hypot(...xs);
  const us: number[] = [];
  const uis: Id[] = [];
  if (z !== 0)
    xs.forEach((_, k) => {
      us.push(ids[k] === 0 ? 0 : partial(directionOf(k), ...pairs));
      uis.push(ids[k] === 0 ? 0 : id);
    });
  setId(z === 0 ? 0 : higherN(ids, us, uis));
  return z;
};

/** x / length, where x is the kth number. */
const directionOf =
  (k: number): Operator =>
  (...pairs) => {
    const xs = valuesOf(pairs);
    const ids = idsOf(pairs);
    const us: number[] = [];
    const uis: Id[] = [];
    xs.forEach((_, i) => {
      us.push(ids[i] === 0 ? 0 : partial(slopeOfDirection(k, i), ...pairs));
      uis.push(ids[i] === 0 ? 0 : id);
    });
    setId(higherN(ids, us, uis));
    return (xs[k] ?? NaN) / Math.hypot(...xs);
  };

/** (rest / length)² / length by x itself, which does not cancel; -x z / length³ by another z. */
const slopeOfDirection =
  (k: number, i: number): Operator =>
  (...pairs) => {
    const length = hypot(...pairs);
    const li = id;
    if (i === k) {
      const rest = hypot(...pairs.filter((_, at) => at >> 1 !== k));
      const share = div(rest, id, length, li);
      const part = square(share, id);
      return div(part, id, length, li);
    }
    const x = directionOf(k)(...pairs);
    const xi = id;
    const z = directionOf(i)(...pairs);
    const product = mul(x, xi, z, id);
    const negative = neg(product, id);
    return div(negative, id, length, li);
  };
