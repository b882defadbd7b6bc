// Code shapes that array-program.ts recognises: size checks, shifted slices, sums.

import { type ArrayBody, freeVars, type Lambda } from "../ir/array.ts";
import type { Atom, Expr, If, Stmt, Var } from "../ir/types.ts";
import { isConst } from "../ir/build.ts";

export const isVar = (atom: Atom, name: string): boolean =>
  atom.kind === "var" && atom.name === name;

/** The side of a slice that keeps all but one element, `slice(1)` or `slice(0, -1)`; or null. */
export function sideOf({ from, to }: Expr & { kind: "slice" }): "left" | "right" | null {
  if (isConst(from, 1) && to === null) return "left";
  return isConst(from, 0) && isConst(to, -1) ? "right" : null;
}

/** Whether an `if` only throws the library's error for arrays of different sizes. */
export function throwsSizeError({ then, else: otherwise, binds }: If): boolean {
  const [thrown] = then.stmts;
  return (
    binds.length === 0 &&
    otherwise.stmts.length === 0 &&
    then.stmts.length <= 2 &&
    then.stmts.at(-1)?.kind === "throw" &&
    thrown !== undefined &&
    isSizeError(thrown)
  );
}

const isSizeError = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  stmt.expr.kind === "extern" &&
  stmt.expr.args.some((arg) => arg.kind === "const" && arg.value === "arrays of different sizes");

/** The function `g` of `(s, x) => s + g(x)`; null for other functions. */
export function summandOf({ params, body }: Lambda, s: Var): Lambda | null {
  const last = body.lets.at(-1);
  if (last?.expr.kind !== "op" || last.expr.op !== "add" || !isVar(body.result, last.bind.name))
    return null;
  const [before, added] = last.expr.args;
  if (before === undefined || added === undefined || !isVar(before, s.name)) return null;
  const inner: ArrayBody = { lets: body.lets.slice(0, -1), result: added };
  return freeVars(inner).has(s.name) ? null : { params: params.slice(1), body: inner };
}

/** Whether a function is `(x) => x`. */
export const isIdentity = ({ params, body }: Lambda): boolean =>
  body.lets.length === 0 && params[0] !== undefined && isVar(body.result, params[0].name);
