// Algebra on numbers in the cotangent code of array programs, and what all rewrites share. The
// result is another expression, an atom, or null where no rewrite applies.

import type { ArrayExpr, ArrayLet, Fresh } from "../../ir/array.ts";
import { num, NUM } from "../../ir/build.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";

export interface Around {
  readonly types: Types;
  readonly names: Fresh;
  /** The definition of a name, here or further out. */
  definition(atom: Atom): ArrayExpr | null;
  /** How often a name is read. */
  uses(atom: Atom): number;
  readonly adjoint: boolean;
}

/** `lets` go before the expression. */
export type Rewritten =
  | { readonly atom: Atom }
  | { readonly expr: ArrayExpr; readonly lets?: readonly Omit<ArrayLet, "origin">[] };

export const to = (atom: Atom): Rewritten => ({ atom });
const applied = (op: ScalarOp, ...args: readonly Atom[]): Rewritten => ({
  expr: { kind: "op", op, args },
});

export const isNum = (atom: Atom, value: number): boolean =>
  atom.kind === "const" && atom.value === value;
const isNumber = (atom: Atom): atom is Atom & { kind: "const"; value: number } =>
  atom.kind === "const" && typeof atom.value === "number";
export const sameVar = (x: Atom, y: Atom): boolean =>
  x.kind === "var" && y.kind === "var" && x.name === y.name;
/** Whether both are one name, or one number. */
export const sameValue = (x: Atom, y: Atom): boolean =>
  sameVar(x, y) || (isNumber(x) && isNumber(y) && Object.is(x.value, y.value));

const ARITHMETIC: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "sub", "mul", "div", "neg"]);

export function scalar(expr: ArrayExpr & { kind: "op" }, around: Around): Rewritten | null {
  const [x, y, z] = expr.args;
  const constant = folded(expr);
  if (constant !== null || x === undefined) return constant;
  // -(-e)   ->   e
  if (expr.op === "neg") {
    const inner = negated(x, around);
    return inner === null ? null : to(inner);
  }
  if (y === undefined) return null;
  switch (expr.op) {
    case "mul":
      return product(x, y, around);
    case "add":
      return sum(x, y, around);
    case "sub":
      return difference(x, y, around);
    // e / 1   ->   e
    case "div":
      return isNum(y, 1) ? to(x) : outward("div", x, y, around);
    // c ? e : e   ->   e
    case "select":
      return z !== undefined && sameValue(y, z) ? to(y) : null;
    default:
      return null;
  }
}

// 2 * 3   ->   6
function folded({ op, args }: ArrayExpr & { kind: "op" }): Rewritten | null {
  if (!ARITHMETIC.has(op) || !args.every(isNumber)) return null;
  const value = OPS[op].eval(args.map((arg) => arg.value));
  return typeof value === "number" && Number.isFinite(value) ? to(num(value)) : null;
}

/** `x`, where the atom is `-x`. */
function negated(atom: Atom, around: Around): Atom | null {
  const def = around.definition(atom);
  return def?.kind === "op" && def.op === "neg" ? (def.args[0] ?? null) : null;
}

function product(x: Atom, y: Atom, around: Around): Rewritten | null {
  // 0 * e   ->   0
  if (isNum(x, 0) || isNum(y, 0)) return to(num(0));
  // 1 * e   ->   e
  if (isNum(x, 1)) return to(y);
  if (isNum(y, 1)) return to(x);
  // -1 * e   ->   -e
  if (isNum(x, -1)) return applied("neg", y);
  if (isNum(y, -1)) return applied("neg", x);
  return outward("mul", x, y, around);
}

function sum(x: Atom, y: Atom, around: Around): Rewritten | null {
  // 0 + e   ->   e
  if (isNum(x, 0)) return to(y);
  if (isNum(y, 0)) return to(x);
  // x + -y   ->   x - y
  const minusY = negated(y, around);
  if (minusY !== null) return applied("sub", x, minusY);
  const minusX = negated(x, around);
  return minusX === null ? null : applied("sub", y, minusX);
}

function difference(x: Atom, y: Atom, around: Around): Rewritten | null {
  // e - 0   ->   e;   0 - e   ->   -e;   x - -y   ->   x + y
  if (isNum(y, 0)) return to(x);
  if (isNum(x, 0)) return applied("neg", y);
  const minusY = negated(y, around);
  return minusY === null ? null : applied("add", x, minusY);
}

// -x * y   ->   -(x * y);   x * -y   ->   -(x * y);   likewise quotients; the negation is read once
function outward(op: "mul" | "div", x: Atom, y: Atom, around: Around): Rewritten | null {
  const once = (atom: Atom): Atom | null =>
    around.uses(atom) === 1 ? negated(atom, around) : null;
  const [left, right] = [once(x), once(y)];
  if (left !== null && right !== null) return applied(op, left, right);
  if (left === null && right === null) return null;
  const bind: Var = { kind: "var", name: around.names.fresh("t"), type: NUM };
  return {
    lets: [{ bind, expr: { kind: "op", op, args: [left ?? x, right ?? y] }, adjoint: true }],
    expr: { kind: "op", op: "neg", args: [bind] },
  };
}
