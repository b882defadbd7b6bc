// The operator table: what a row computes is what its TypeScript computes; its precedences make the brackets right.

import { describe, expect, test } from "vitest";
import { OPS, PREC, takes, type Js, type ScalarOp } from "../../transformer/ir/ops.ts";

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  -2.5,
  3,
  31,
  33,
  1e-320,
  1e300,
  -1e300,
  2 ** 31,
  2 ** 53,
  Infinity,
  -Infinity,
  NaN,
  undefined,
];
const BOOLS = [true, false];

const isOp = (word: string): word is ScalarOp => Object.hasOwn(OPS, word);
const ops = Object.keys(OPS).filter(isOp);

const LOGICAL: ReadonlySet<string> = new Set(["and", "or", "not", "boolToNum"]);

function writes(js: Js, args: readonly string[]): string {
  const [x = "", z = "", w = ""] = args;
  switch (js.kind) {
    case "infix":
      return `${x} ${js.token} ${z}`;
    case "prefix":
      return `${js.token} ${x}`;
    case "call":
      return `${js.callee}(${args.join(", ")})`;
    case "ternary":
      return `${x} ? ${z} : ${w}`;
  }
}

/** Operand lists of an operator: every pair of the grid, some longer ones. */
function operands(op: ScalarOp): readonly (readonly unknown[])[] {
  if (op === "select") return BOOLS.flatMap((c) => NUMBERS.map((x) => [c, x, 7]));
  const grid: readonly unknown[] = LOGICAL.has(op) ? BOOLS : NUMBERS;
  const { arity } = OPS[op];
  const pairs = grid.flatMap((x) => grid.map((z) => [x, z]));
  return arity === 1
    ? grid.map((x) => [x])
    : arity === 2
      ? pairs
      : [[], ...grid.map((x) => [x]), ...pairs, ...pairs.map((pair) => [3, ...pair])];
}

/** No functions of JavaScript: they are spelt out before emission. */
const UNWRITTEN: ReadonlySet<string> = new Set(["oneMinusSquare", "sechSquared"]);

test.each(ops.filter((op) => !UNWRITTEN.has(op)))("%s computes what it is written as", (op) => {
  for (const args of operands(op)) {
    const names = args.map((_, i) => `x${i}`);
    const compiled: unknown = new Function(...names, `return ${writes(OPS[op].js, names)};`);
    const written: unknown =
      typeof compiled === "function" ? Reflect.apply(compiled, undefined, args) : null;
    expect(Object.is(OPS[op].eval(args), written), `${op} of ${args.map(String).join(", ")}`).toBe(
      true,
    );
    expect(takes(op, args.length)).toBe(true);
  }
});

test("result types", () => {
  for (const op of ops) {
    const given = operands(op).map((args) => typeof OPS[op].eval(args));
    if (OPS[op].result !== "second")
      expect(new Set(given), op).toEqual(
        new Set([OPS[op].result === "bool" ? "boolean" : "number"]),
      );
  }
});

test("expensive are the roots, divisions, transcendentals", () => {
  expect(ops.filter((op) => OPS[op].expensive)).toEqual([
    "div",
    "mod",
    "pow",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "sechSquared",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
  ]);
});

describe("precedence: brackets only where the row asks for them, and the value is the same", () => {
  interface Piece {
    readonly text: string;
    readonly prec: number;
    readonly value: unknown;
  }
  const numeric = ops.filter(
    (op) => OPS[op].result === "num" && OPS[op].arity === 2 && OPS[op].js.kind === "infix",
  );
  const leaf = (value: number): Piece => ({ text: String(value), prec: PREC.atom, value });
  const neg = (x: Piece): Piece => ({
    text: `-${x.text}`,
    prec: PREC.unary,
    value: -Number(x.value),
  });
  const bracket = (x: Piece, least: number): string => (x.prec < least ? `(${x.text})` : x.text);
  const join = (op: ScalarOp, x: Piece, z: Piece): Piece => {
    const { js } = OPS[op];
    if (js.kind !== "infix") throw new Error(op);
    return {
      text: `${bracket(x, js.left)} ${js.token} ${bracket(z, js.right)}`,
      prec: js.prec,
      value: OPS[op].eval([x.value, z.value]),
    };
  };

  test.each(numeric)("%s", (outer) => {
    for (const inner of numeric) {
      const nested = join(inner, leaf(5), leaf(3));
      for (const piece of [
        join(outer, nested, leaf(2)),
        join(outer, leaf(2), nested),
        join(outer, neg(leaf(5)), leaf(2)),
        join(outer, leaf(5), neg(leaf(2))),
      ]) {
        const value: unknown = new Function(`return ${piece.text};`)();
        expect(Object.is(value, piece.value), piece.text).toBe(true);
      }
    }
  });
});
