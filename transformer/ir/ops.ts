// The table of scalar operators: arity, meaning, JavaScript syntax and cost. Derivatives are in
// rules/. `eval` computes what the JavaScript of `js` does, bit for bit.

/** JavaScript's precedences; a higher number binds tighter. */
export const PREC = {
  conditional: 2,
  or: 3,
  and: 4,
  bitOr: 5,
  bitXor: 6,
  bitAnd: 7,
  equality: 8,
  relation: 9,
  shift: 10,
  additive: 11,
  multiplicative: 12,
  power: 13,
  unary: 14,
  postfix: 15,
  call: 17,
  atom: 18,
} as const;

/** How an operator is written. An operand of a lower precedence is put in parentheses. */
export type Js =
  | {
      readonly kind: "infix";
      readonly token: string;
      readonly prec: number;
      readonly left: number;
      readonly right: number;
    }
  /** Emission separates a nested `-` or `+` from its equal by a space or parentheses. */
  | {
      readonly kind: "prefix";
      readonly token: string;
      readonly prec: number;
      readonly operand: number;
    }
  /** `callee(args)`: `Math.sin`, `Number.isInteger`, `isNaN`. */
  | { readonly kind: "call"; readonly callee: string; readonly prec: number }
  /** `args[0] ? args[1] : args[2]` */
  | {
      readonly kind: "ternary";
      readonly prec: number;
      readonly test: number;
      readonly branch: number;
    };

export interface OpRow {
  /** "n": any number of operands, none included. */
  readonly arity: 1 | 2 | 3 | "n";
  /** Type of the result; "second" is that of the second operand (`select`). */
  readonly result: "num" | "bool" | "second";
  /** What it computes. An out-of-bounds read is `undefined`; coercions are JavaScript's. */
  readonly eval: (args: readonly unknown[]) => unknown;
  readonly js: Js;
  /** Rough cost in additions. */
  readonly cost: number;
  /** Whether a residual is cheaper than recomputation: transcendentals, roots, divisions. */
  readonly expensive: boolean;
}

const infix = (token: string, prec: number): Js => ({
  kind: "infix",
  token,
  prec,
  left: prec,
  right: prec + 1,
});
const prefix = (token: string): Js => ({
  kind: "prefix",
  token,
  prec: PREC.unary,
  operand: PREC.unary,
});
const callTo = (callee: string): Js => ({ kind: "call", callee, prec: PREC.call });

/** The left operand of `**` may not be a unary expression; it associates to the right. */
const POWER: Js = {
  kind: "infix",
  token: "**",
  prec: PREC.power,
  left: PREC.postfix,
  right: PREC.power,
};
const TERNARY: Js = {
  kind: "ternary",
  prec: PREC.conditional,
  test: PREC.conditional + 1,
  branch: PREC.conditional,
};

const callee = (js: Js): string | null => (js.kind === "call" ? js.callee : null);

type Numeric1 = (x: number) => number;
type Numeric2 = (x: number, z: number) => number;

const unary = (f: Numeric1, js: Js, cost: number): OpRow => ({
  arity: 1,
  result: "num",
  eval: ([x]) => f(Number(x)),
  js,
  cost,
  expensive: cost >= EXPENSIVE,
});
const binary = (f: Numeric2, js: Js, cost: number): OpRow => ({
  arity: 2,
  result: "num",
  eval: ([x, z]) => f(Number(x), Number(z)),
  js,
  cost,
  expensive: cost >= EXPENSIVE,
});
const nary = (f: (...xs: number[]) => number, js: Js, cost: number): OpRow => ({
  arity: "n",
  result: "num",
  eval: (args) => f(...args.map(Number)),
  js,
  cost,
  expensive: cost >= EXPENSIVE,
});
const compare = (f: (x: number, z: number) => boolean, token: string): OpRow => ({
  arity: 2,
  result: "bool",
  eval: ([x, z]) => f(Number(x), Number(z)),
  js: infix(token, PREC.relation),
  cost: 1,
  expensive: false,
});
/** Compares numbers, booleans and leaves alike, without coercion. */
const equality = (f: (x: unknown, z: unknown) => boolean, token: string): OpRow => ({
  arity: 2,
  result: "bool",
  eval: ([x, z]) => f(x, z),
  js: infix(token, PREC.equality),
  cost: 1,
  expensive: false,
});
const logical = (f: (x: unknown, z: unknown) => unknown, token: string, prec: number): OpRow => ({
  arity: 2,
  result: "bool",
  eval: ([x, z]) => f(x, z),
  js: infix(token, prec),
  cost: 1,
  expensive: false,
});
const predicate = (f: (x: number) => boolean, callee: string): OpRow => ({
  arity: 1,
  result: "bool",
  eval: ([x]) => f(Number(x)),
  js: callTo(callee),
  cost: 1,
  expensive: false,
});

/** `Number.isInteger` and the like do not coerce. */
const strictPredicate = (f: (x: unknown) => boolean, callee: string): OpRow => ({
  ...predicate(() => false, callee),
  eval: ([x]) => f(x),
});

/** From this cost on, a residual is cheaper than recomputation. */
const EXPENSIVE = 8;

const math1 = (name: string, f: Numeric1, cost: number): OpRow =>
  unary(f, callTo(`Math.${name}`), cost);

const TABLE = {
  add: binary((x, z) => x + z, infix("+", PREC.additive), 1),
  sub: binary((x, z) => x - z, infix("-", PREC.additive), 1),
  mul: binary((x, z) => x * z, infix("*", PREC.multiplicative), 1),
  div: binary((x, z) => x / z, infix("/", PREC.multiplicative), 8),
  mod: binary((x, z) => x % z, infix("%", PREC.multiplicative), 12),
  pow: binary((x, z) => x ** z, POWER, 40),
  neg: unary((x) => -x, prefix("-"), 1),
  plus: unary((x) => x, prefix("+"), 0),

  lt: compare((x, z) => x < z, "<"),
  le: compare((x, z) => x <= z, "<="),
  gt: compare((x, z) => x > z, ">"),
  ge: compare((x, z) => x >= z, ">="),
  eq: equality((x, z) => x === z, "==="),
  ne: equality((x, z) => x !== z, "!=="),
  looseEq: equality((x, z) => x == z, "=="),
  looseNe: equality((x, z) => x != z, "!="),
  not: { arity: 1, result: "bool", eval: ([x]) => !x, js: prefix("!"), cost: 1, expensive: false },
  and: logical((x, z) => x && z, "&&", PREC.and),
  or: logical((x, z) => x || z, "||", PREC.or),
  select: {
    arity: 3,
    result: "second",
    eval: ([c, x, z]) => (c ? x : z),
    js: TERNARY,
    cost: 1,
    expensive: false,
  },

  band: binary((x, z) => x & z, infix("&", PREC.bitAnd), 1),
  bor: binary((x, z) => x | z, infix("|", PREC.bitOr), 1),
  bxor: binary((x, z) => x ^ z, infix("^", PREC.bitXor), 1),
  bnot: unary((x) => ~x, prefix("~"), 1),
  shl: binary((x, z) => x << z, infix("<<", PREC.shift), 1),
  shr: binary((x, z) => x >> z, infix(">>", PREC.shift), 1),
  ushr: binary((x, z) => x >>> z, infix(">>>", PREC.shift), 1),

  abs: math1("abs", Math.abs, 1),
  acos: math1("acos", Math.acos, 25),
  acosh: math1("acosh", Math.acosh, 30),
  asin: math1("asin", Math.asin, 25),
  asinh: math1("asinh", Math.asinh, 30),
  atan: math1("atan", Math.atan, 25),
  atan2: binary(Math.atan2, callTo("Math.atan2"), 30),
  atanh: math1("atanh", Math.atanh, 30),
  cbrt: math1("cbrt", Math.cbrt, 20),
  ceil: math1("ceil", Math.ceil, 1),
  clz32: math1("clz32", Math.clz32, 1),
  cos: math1("cos", Math.cos, 20),
  cosh: math1("cosh", Math.cosh, 30),
  exp: math1("exp", Math.exp, 20),
  expm1: math1("expm1", Math.expm1, 25),
  floor: math1("floor", Math.floor, 1),
  fround: math1("fround", Math.fround, 1),
  hypot: nary(Math.hypot, callTo("Math.hypot"), 30),
  imul: binary(Math.imul, callTo("Math.imul"), 1),
  log: math1("log", Math.log, 20),
  log10: math1("log10", Math.log10, 25),
  log1p: math1("log1p", Math.log1p, 25),
  log2: math1("log2", Math.log2, 25),
  max: nary(Math.max, callTo("Math.max"), 1),
  min: nary(Math.min, callTo("Math.min"), 1),
  round: math1("round", Math.round, 2),
  /** 1 - x². Not of JavaScript, as sechSquared. */
  oneMinusSquare: unary((x) => (1 - x) * (1 + x), callTo("oneMinusSquare"), 3),
  /** 1 / cosh(x)², where z is tanh x. Not of JavaScript: 4-optimise/algebra/spelt-out.ts. */
  sechSquared: binary(
    (x, z) => (z * z < 0.75 ? 1 - z * z : 2 / (1 + Math.cosh(2 * x))),
    callTo("sechSquared"),
    15,
  ),
  sign: math1("sign", Math.sign, 2),
  sin: math1("sin", Math.sin, 20),
  sinh: math1("sinh", Math.sinh, 30),
  sqrt: math1("sqrt", Math.sqrt, 8),
  tan: math1("tan", Math.tan, 25),
  tanh: math1("tanh", Math.tanh, 30),
  trunc: math1("trunc", Math.trunc, 1),

  isNaN: predicate(Number.isNaN, "isNaN"),
  isFinite: predicate(Number.isFinite, "isFinite"),
  isInteger: strictPredicate(Number.isInteger, "Number.isInteger"),
  isSafeInteger: strictPredicate(Number.isSafeInteger, "Number.isSafeInteger"),
  boolToNum: unary((x) => x, callTo("Number"), 1),
} satisfies Readonly<Record<string, OpRow>>;

export type ScalarOp = keyof typeof TABLE;

export const OPS: { readonly [Op in ScalarOp]: OpRow } = TABLE;

/** Whether a word of the IR syntax is an operator. */
export const isScalarOp = (word: string): word is ScalarOp => Object.hasOwn(OPS, word);

/** Operators that are functions of `Math`, under the names that they have there. */
export const MATH: readonly ScalarOp[] = Object.keys(OPS)
  .filter(isScalarOp)
  .filter((op) => callee(OPS[op].js) === `Math.${op}`);

/** Operators that drop the cotangent of an operand. */
export const CHOICES: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["select", "max", "min"]);

const STEPS: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["sign", "floor", "ceil", "round", "trunc"]);

/** Whether its derivative is 0: it gives a boolean, or is a step function. */
export const isFlat = (op: ScalarOp): boolean => OPS[op].result === "bool" || STEPS.has(op);

/** Whether the operator accepts that many operands. */
export const takes = (op: ScalarOp, count: number): boolean =>
  OPS[op].arity === "n" || OPS[op].arity === count;
