// Replaces divisions of cotangents by products with a reciprocal that the primal computes anyway,
// and divisions by square roots (roots.ts).
//   ~ q = x / y; …; r = 1 / y   ->   r = 1 / y; ~ q = x * r; …
// Invariant: the primal keeps its operations. A reciprocal of the primal overflows (y below
// 2^-1024) only where the value has lost its digits before the cotangent does; those of roots do
// not overflow.

import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Body, Expr, Func, Stmt, Var } from "../../ir/types.ts";
import { mapBodies, stmtBodies } from "../../ir/visit.ts";
import { quotientOf, rootsOf, withRootReciprocals } from "./roots.ts";

export function reciprocals(func: Func): Func {
  const roots = rootsOf(func);
  const { body } = withRootReciprocals(func, roots);
  return withBody(func, inBody(body, new Map(), roots));
}

type Known = ReadonlyMap<string, Var>;
type Roots = ReadonlySet<string>;

function inBody(body: Body, outer: Known, roots: Roots): Body {
  const known = new Map(outer);
  const stmts = early(body.stmts, roots).map((stmt): Stmt => {
    const of = reciprocalOf(stmt, roots);
    if (of !== null && stmt.kind === "let") {
      if (!known.has(of)) known.set(of, stmt.bind);
      return stmt;
    }
    const divisor = divisorOf(stmt);
    const factor = divisor === null ? undefined : known.get(divisor);
    return stmt.kind === "let" && factor !== undefined
      ? { ...stmt, expr: multiplied(stmt.expr, factor) }
      : mapBodies(stmt, (nested) => inBody(nested, known, roots));
  });
  return withStmts(body, stmts);
}

function multiplied(expr: Expr, factor: Var): Expr {
  if (expr.kind !== "op") return expr;
  const [x] = expr.args;
  return x === undefined ? expr : { kind: "op", op: "mul", args: [x, factor] };
}

/** The statements with each reciprocal before the first division that can use it. */
function early(stmts: readonly Stmt[], roots: Roots): readonly Stmt[] {
  const out: Stmt[] = [];
  for (const stmt of stmts) {
    const of = reciprocalOf(stmt, roots);
    const user = of === null ? -1 : out.findIndex((one) => divides(one, of));
    if (user < 0) out.push(stmt);
    else out.splice(user, 0, stmt);
  }
  return out;
}

/** Whether the statement, nested bodies included, divides a cotangent by `name`. */
const divides = (stmt: Stmt, name: string): boolean =>
  divisorOf(stmt) === name ||
  stmtBodies(stmt).some((body) => body.stmts.some((inner) => divides(inner, name)));

/** `y`, where the statement is the primal's `1 / y`, or the reciprocal of a root. */
function reciprocalOf(stmt: Stmt, roots: Roots): string | null {
  const of = ofOne(stmt);
  return of === null || (stmt.adjoint === true && !roots.has(of)) ? null : of;
}

/** `y`, where the statement is `1 / y`. */
function ofOne(stmt: Stmt): string | null {
  const quotient = quotientOf(stmt);
  return quotient?.isOne === true ? quotient.by : null;
}

/** `y`, where the statement is a cotangent `x / y`. */
const divisorOf = (stmt: Stmt): string | null =>
  stmt.adjoint === true ? (quotientOf(stmt)?.by ?? null) : null;
