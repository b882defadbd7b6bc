// The derivative table: one row per scalar operator; no other file knows calculus. A contribution
// is masked by `select`, never by a product with 0. Each choice at a kink is stated on its row.
// Notation: operands `x`, `z`, result `y`, seed `s`.

import { type Builder, num } from "../ir/build.ts";
import { MATH, type ScalarOp } from "../ir/ops.ts";
import type { Atom } from "../ir/types.ts";
import { type Domain, type Partial, partialOf, type Rule, type RuleValues } from "./rule.ts";
import { powerOf, powerTo } from "./power.ts";

// domains ----------------------------------------------------------------------------------------

const R: Domain = [[-3, 3]];
const POSITIVE: Domain = [[0.05, 5]];
const NONZERO: Domain = [
  [-3, -0.2],
  [0.2, 3],
];
/** Inside (-1, 1), up to where the derivative is 1000. */
const UNIT: Domain = [[-0.9999995, 0.9999995]];
/** Between integers and half-integers, where rounding is constant. */
const STEPS: Domain = [
  [-2.9, -2.6],
  [-0.4, -0.1],
  [0.1, 0.4],
  [0.6, 0.9],
  [2.1, 2.4],
];

// row makers -------------------------------------------------------------------------------------

/** Constant almost everywhere: no argument contributes, at jumps and ties neither. */
const flat = (...domain: readonly Domain[]): Rule => ({ d: [], domain, kinks: [] });
const COMPARISON = flat(R, R);
const BITWISE = flat(STEPS, STEPS);
const SHIFT = flat(STEPS, [
  [0.1, 0.9],
  [3.1, 3.9],
]);

const ZERO = num(0);
const HALF = num(0.5);
const ONE = num(1);

const pass: Partial = (_b, _v, s) => s;
const square = (b: Builder, x: Atom): Atom => b.mul(x, x);
/** s a / (x² + z²), of which no square overflows. */
const overSquares = (b: Builder, { x, z }: RuleValues, s: Atom, a: Atom): Atom => {
  const length = b.op("hypot", x, z);
  return b.div(b.mul(s, b.div(a, length)), length);
};
/** 1 - x². One operator, whose own slope does not cancel near 0. */
const oneMinusSquare = (b: Builder, { x, isLast }: RuleValues): Atom =>
  isLast === true ? b.mul(b.sub(ONE, x), b.add(ONE, x)) : b.op("oneMinusSquare", x);

/** 1 / cosh(x)² from x and y = tanh x. One operator, where it is differentiated again. */
const sechSquared = (b: Builder, v: RuleValues): Atom => {
  if (v.isLast !== true) return b.op("sechSquared", v.x, v.y);
  const t = square(b, v.y);
  const far = b.div(num(2), b.add(ONE, b.op("cosh", b.mul(num(2), v.x))));
  return b.select(b.op("lt", t, num(0.75)), b.sub(ONE, t), far);
};

/**
 * `max` and `min`. Kink: at a tie each of two arguments gets half. More arguments get what calls
 * nested to the left would give: `max(a, b, c)` and `max(max(a, b), c)` agree.
 */
const extremum =
  (beats: "gt" | "lt") =>
  (i: number, n: number): Partial => {
    if (n === 1) return pass;
    if (n === 2) {
      return (b, v, s) => {
        const own = v.arg(i);
        const other = v.arg(1 - i);
        return b.select(
          b.op(beats, own, other),
          s,
          b.select(b.op("eq", own, other), b.mul(HALF, s), ZERO),
        );
      };
    }
    return (b, v, s) => {
      const wins = (j: number): Atom => b.op("eq", v.arg(j), v.y);
      const halve = (share: Atom, tie: Atom): Atom => b.select(tie, b.mul(HALF, share), share);
      const own = wins(i);
      let met: Atom | null = null;
      for (let j = 0; j < i; j++) met = met === null ? wins(j) : b.op("or", met, wins(j));
      let share = met === null ? s : halve(s, met);
      for (let j = i + 1; j < n; j++) share = halve(share, wins(j));
      return b.select(own, share, ZERO);
    };
  };

/** s x / y, the ratio first so that nothing overflows. Kink: 0 where all arguments are 0. */
const hypotenuse =
  (i: number): Partial =>
  (b, v, s) =>
    b.select(b.op("eq", v.y, ZERO), ZERO, b.mul(s, b.div(v.arg(i), v.y)));

// table ------------------------------------------------------------------------------------------

export const SCALAR: { readonly [Op in ScalarOp]: Rule } = {
  // arithmetic
  add: { d: [pass, pass], domain: [R, R], kinks: [] },
  sub: { d: [pass, (b, _v, s) => b.neg(s)], domain: [R, R], kinks: [] },
  mul: { d: [(b, v, s) => b.mul(s, v.z), (b, v, s) => b.mul(s, v.x)], domain: [R, R], kinks: [] },
  // the slope of `1 / z` follows from the result without a second division
  div: {
    d: [
      (b, v, s) => b.div(s, v.z),
      (b, v, s) =>
        b.neg(v.isConstant(0, 1) ? b.mul(b.mul(s, v.y), v.y) : b.mul(b.div(s, v.z), v.y)),
    ],
    domain: [R, NONZERO],
    kinks: [],
  },
  // the quotient without the remainder: `1 / 0.1` rounds up to 10, but `1 % 0.1` counts 9 times
  // kink: at integer quotients the derivative from the side away from 0
  mod: {
    d: [pass, (b, v, s) => b.neg(b.mul(s, b.op("round", b.div(b.sub(v.x, v.y), v.z))))],
    domain: [
      [
        [-7.6, -7.2],
        [7.2, 7.6],
      ],
      [
        [-3.1, -2.9],
        [2.9, 3.1],
      ],
    ],
    kinks: [
      { at: [6, 3], d: [1, -2] },
      { at: [-6, 3], d: [1, 2] },
      { at: [0, 3], d: [1, 0] },
    ],
  },
  pow: {
    d: [powerOf, powerTo],
    domain: [POSITIVE, R],
    kinks: [
      { at: [0, 2], d: [0, 0] },
      { at: [0, 1], d: [1, 0] },
      { at: [0, 0], d: [0, 0] },
      { at: [0, 0.5], d: [Infinity, 0] },
      { at: [3, 0], d: [0, Math.log(3)] },
      { at: [-2, 3], d: [12, NaN] },
    ],
  },
  neg: { d: [(b, _v, s) => b.neg(s)], domain: [R], kinks: [] },
  plus: { d: [pass], domain: [R], kinks: [] },

  // comparisons, logic
  lt: COMPARISON,
  le: COMPARISON,
  gt: COMPARISON,
  ge: COMPARISON,
  eq: COMPARISON,
  ne: COMPARISON,
  looseEq: COMPARISON,
  looseNe: COMPARISON,
  not: flat("bool"),
  and: flat("bool", "bool"),
  or: flat("bool", "bool"),
  boolToNum: flat("bool"),
  isNaN: flat(R),
  isFinite: flat(R),
  isInteger: flat(STEPS),
  isSafeInteger: flat(STEPS),
  select: {
    d: [null, (b, v, s) => b.select(v.arg(0), s, ZERO), (b, v, s) => b.select(v.arg(0), ZERO, s)],
    domain: ["bool", R, R],
    kinks: [],
  },

  // integers
  band: BITWISE,
  bor: BITWISE,
  bxor: BITWISE,
  bnot: flat(STEPS),
  imul: BITWISE,
  clz32: flat(STEPS),
  shl: SHIFT,
  shr: SHIFT,
  ushr: SHIFT,
  ceil: flat(STEPS),
  floor: flat(STEPS),
  round: flat(STEPS),
  trunc: flat(STEPS),
  sign: flat(NONZERO),
  // the rounding counts as the identity
  fround: { d: [pass], domain: [R], kinks: [] },

  // kinks
  abs: {
    d: [(b, v, s) => b.select(b.op("eq", v.x, ZERO), ZERO, b.mul(s, b.op("sign", v.x)))],
    domain: [NONZERO],
    kinks: [
      { at: [0], d: [0] },
      { at: [-0], d: [0] },
    ],
  },
  max: {
    d: extremum("gt"),
    domain: [R],
    kinks: [
      { at: [2, 2], d: [0.5, 0.5] },
      { at: [0, -0], d: [0.5, 0.5] },
      { at: [1, 0, 1], d: [0.5, 0, 0.5] },
      { at: [1, 1, 1], d: [0.25, 0.25, 0.5] },
    ],
  },
  min: {
    d: extremum("lt"),
    domain: [R],
    kinks: [
      { at: [2, 2], d: [0.5, 0.5] },
      { at: [0, -0], d: [0.5, 0.5] },
      { at: [1, 3, 1], d: [0.5, 0, 0.5] },
      { at: [1, 1, 1], d: [0.25, 0.25, 0.5] },
    ],
  },

  // roots
  // kink: the vertical tangent at 0 is Infinity, as in IEEE arithmetic
  sqrt: {
    d: [(b, v, s) => b.div(b.mul(HALF, s), v.y)],
    domain: [POSITIVE],
    kinks: [{ at: [0], d: [Infinity] }],
  },
  cbrt: {
    d: [(b, v, s) => b.div(s, b.mul(num(3), square(b, v.y)))],
    domain: [NONZERO],
    kinks: [{ at: [0], d: [Infinity] }],
  },
  hypot: {
    d: hypotenuse,
    domain: [R],
    kinks: [
      { at: [0, 0], d: [0, 0] },
      { at: [0], d: [0] },
      { at: [3, 0, -4], d: [0.6, 0, -0.8] },
    ],
  },

  oneMinusSquare: {
    d: [(b, v, s) => b.mul(s, b.mul(num(-2), v.x))],
    domain: [R],
    kinks: [],
  },

  // exponentials and logarithms
  exp: { d: [(b, v, s) => b.mul(s, v.y)], domain: [R], kinks: [] },
  // not y + 1, which cancels near -1
  expm1: { d: [(b, v, s) => b.mul(s, b.op("exp", v.x))], domain: [R], kinks: [] },
  log: {
    d: [(b, v, s) => b.div(s, v.x)],
    domain: [POSITIVE],
    kinks: [{ at: [0], d: [Infinity] }],
  },
  log10: {
    d: [(b, v, s) => b.div(b.mul(s, num(Math.LOG10E)), v.x)],
    domain: [POSITIVE],
    kinks: [],
  },
  log2: {
    d: [(b, v, s) => b.div(s, b.mul(v.x, num(Math.LN2)))],
    domain: [POSITIVE],
    kinks: [],
  },
  log1p: {
    d: [(b, v, s) => b.div(s, b.add(ONE, v.x))],
    domain: [
      [
        [-0.95, 5],
        [-1e-9, 1e-9],
      ],
    ],
    kinks: [],
  },

  // trigonometric
  sin: { d: [(b, v, s) => b.mul(s, b.op("cos", v.x))], domain: [R], kinks: [] },
  cos: { d: [(b, v, s) => b.neg(b.mul(s, b.op("sin", v.x)))], domain: [R], kinks: [] },
  tan: {
    d: [(b, v, s) => b.mul(s, b.add(ONE, square(b, v.y)))],
    domain: [
      [
        [-1.5, 1.5],
        [1.7, 4.6],
      ],
    ],
    kinks: [],
  },
  asin: {
    d: [(b, v, s) => b.div(s, b.op("sqrt", oneMinusSquare(b, v)))],
    domain: [UNIT],
    kinks: [{ at: [1], d: [Infinity] }],
  },
  acos: {
    d: [(b, v, s) => b.neg(b.div(s, b.op("sqrt", oneMinusSquare(b, v))))],
    domain: [UNIT],
    kinks: [{ at: [1], d: [-Infinity] }],
  },
  atan: { d: [(b, v, s) => b.div(s, b.add(ONE, square(b, v.x)))], domain: [R], kinks: [] },
  // the ratio first, as in hypot; NaN at (0, 0), where the angle is undefined
  atan2: {
    d: [(b, v, s) => overSquares(b, v, s, v.z), (b, v, s) => b.neg(overSquares(b, v, s, v.x))],
    domain: [NONZERO, NONZERO],
    kinks: [
      { at: [0, 2], d: [0.5, -0] },
      { at: [2, 0], d: [0, -0.5] },
      { at: [0, 0], d: [NaN, NaN] },
    ],
  },

  // hyperbolic
  sinh: {
    d: [(b, v, s) => b.mul(s, b.op("cosh", v.x))],
    domain: [R],
    kinks: [],
  },
  cosh: {
    d: [(b, v, s) => b.mul(s, b.op("sinh", v.x))],
    domain: [R],
    kinks: [],
  },
  // 1 - y² cancels as y nears 1
  tanh: { d: [(b, v, s) => b.mul(s, sechSquared(b, v))], domain: [R], kinks: [] },
  // the second operand is tanh x, which the oracle of the tests varies alone
  sechSquared: {
    d: [(b, v, s) => b.mul(b.mul(num(-2), s), b.mul(b.op("tanh", v.x), v.y))],
    domain: [R, [[1, 3]]],
    kinks: [],
  },
  asinh: {
    d: [(b, v, s) => b.div(s, b.op("hypot", v.x, ONE))],
    domain: [
      [
        [-3, 3],
        [-1e5, -3],
        [3, 1e5],
      ],
    ],
    kinks: [],
  },
  // not √(x² - 1), which cancels near 1 and overflows
  acosh: {
    d: [(b, v, s) => b.div(b.div(s, b.op("sqrt", b.sub(v.x, ONE))), b.op("sqrt", b.add(v.x, ONE)))],
    domain: [
      [
        [1.0000005, 1.001],
        [1.1, 9],
      ],
    ],
    kinks: [{ at: [1], d: [Infinity] }],
  },
  atanh: {
    d: [(b, v, s) => b.div(s, oneMinusSquare(b, v))],
    domain: [UNIT],
    kinks: [{ at: [1], d: [Infinity] }],
  },
};

/** Functions of `Math` that have a slope. */
export const SMOOTH: ReadonlySet<string> = new Set<ScalarOp>([
  "pow",
  ...MATH.filter((op) => partialOf(SCALAR[op], 0, 1) !== null),
]);
