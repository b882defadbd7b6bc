// Divisions of cotangents by what the primal takes the reciprocal of. In: an ssa function. Out: the same meaning as real numbers.
//   ~ q = x / y; …; r = 1 / y   ->   r = 1 / y; ~ q = x * r; …
// Invariant: only by reciprocals of the primal, so that one overflows (a divisor below 2^-1024) only where the value has lost its digits before the cotangent
// does; the primal keeps its operations.

import { withBody, withStmts } from "../ir/rebuilt.ts";
import type { Body, Expr, Func, Let, Stmt, Var } from "../ir/types.ts";
import { mapBodies, stmtBodies } from "../ir/visit.ts";
import { isValue } from "./atoms.ts";

export const reciprocals = (func: Func): Func => withBody(func, inBody(func.body, new Map()));

type Known = ReadonlyMap<string, Var>;

function inBody(body: Body, outer: Known): Body {
  const known = new Map(outer);
  const stmts = early(body.stmts).map((stmt): Stmt => {
    const of = reciprocalOf(stmt);
    if (of !== null && stmt.kind === "let") {
      if (!known.has(of)) known.set(of, stmt.bind);
      return stmt;
    }
    const divisor = divisorOf(stmt);
    const factor = divisor === null ? undefined : known.get(divisor);
    return stmt.kind === "let" && factor !== undefined ? { ...stmt, expr: multiplied(stmt.expr, factor) } : mapBodies(stmt, (nested) => inBody(nested, known));
  });
  return withStmts(body, stmts);
}

function multiplied(expr: Expr, factor: Var): Expr {
  if (expr.kind !== "op") return expr;
  const [x] = expr.args;
  return x === undefined ? expr : { kind: "op", op: "mul", args: [x, factor] };
}

/** The statements with each reciprocal in front of the first division that can use it. */
function early(stmts: readonly Stmt[]): readonly Stmt[] {
  const out: Stmt[] = [];
  for (const stmt of stmts) {
    const of = reciprocalOf(stmt);
    const user = of === null ? -1 : out.findIndex((one) => divides(one, of));
    if (user < 0) out.push(stmt);
    else out.splice(user, 0, stmt);
  }
  return out;
}

/** Whether cotangents are divided by `name` in the statement, nested bodies included. */
const divides = (stmt: Stmt, name: string): boolean =>
  divisorOf(stmt) === name || stmtBodies(stmt).some((body) => body.stmts.some((inner) => divides(inner, name)));

/** `y` of the primal's `1 / y`: where that overflows, the value is lost as well. */
const reciprocalOf = (stmt: Stmt): string | null => (stmt.adjoint === true ? null : ofOne(stmt));

/** `y` of `1 / y`. */
function ofOne(stmt: Stmt): string | null {
  const args = division(stmt);
  return args !== null && args[0] !== undefined && isValue(args[0], 1) && args[1]?.kind === "var" ? args[1].name : null;
}

/** `y` of a cotangent's `x / y`. */
function divisorOf(stmt: Stmt): string | null {
  const args = stmt.adjoint === true ? division(stmt) : null;
  return args?.[1]?.kind === "var" ? args[1].name : null;
}

const division = (stmt: Stmt): Extract<Let["expr"], { kind: "op" }>["args"] | null =>
  (stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.op === "div" ? stmt.expr.args : null);
