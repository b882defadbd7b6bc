// Finds the arrays that are more than read, written and measured: they are carried, joined, stored,
// returned, passed to a callee, captured by a lambda, or made longer. Input: a primal body. Output:
// their names.
// Invariant: the forward sweep needs no shadow of any other array of numbers.

import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Body, Expr, Stmt } from "../../ir/types.ts";
import { exprAtoms, keyAtoms, stmtAtoms, stmtBodies, walkAtoms } from "../../ir/visit.ts";

export function escapingNames(body: Body, facts: FunctionFacts): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (atom: Atom): void => {
    if (atom.kind === "var") found.add(atom.name);
  };
  const visit = (inner: Body): void => {
    for (const stmt of inner.stmts) {
      otherUses(stmt, facts).forEach(note);
      if (stmt.kind === "let" && stmt.expr.kind === "lambda") walkAtoms(stmt.expr.body, note);
      stmtBodies(stmt).forEach(visit);
    }
    inner.result.forEach(note);
  };
  visit(body);
  return found;
}

/** The objects that a statement uses other than by reading, writing and measuring them. */
function otherUses(stmt: Stmt, facts: FunctionFacts): readonly Atom[] {
  if (stmt.kind === "let") return otherOperands(stmt.expr);
  if (stmt.kind === "store" && !facts.mayLengthen(stmt)) return [...keyAtoms(stmt.key), stmt.value];
  if (stmt.kind === "accum") return [...keyAtoms(stmt.key), stmt.value];
  if (stmt.kind === "fill") return [stmt.value];
  return stmtAtoms(stmt);
}

function otherOperands(expr: Expr): readonly Atom[] {
  if (expr.kind === "load") return keyAtoms(expr.key);
  if (expr.kind === "length") return [];
  // the elements are copied, and they are numbers
  if (expr.kind === "slice") return [expr.from, ...(expr.to === null ? [] : [expr.to])];
  if (expr.kind === "array") return expr.parts.flatMap((part) => (part.spread ? [] : [part.atom]));
  return exprAtoms(expr);
}
