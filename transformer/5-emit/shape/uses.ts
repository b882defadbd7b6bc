// How often each name is read in an SSA body. A name read in a closure counts as several uses,
// since a value nested there is computed at each call.

import type { Body } from "../../ir/types.ts";
import { freeVars, walkAtoms, walkStmts } from "../../ir/visit.ts";

export type Uses = ReadonlyMap<string, number>;

/** A count of several uses. */
const OFTEN = 2;

export function countUses(body: Body): Uses {
  const uses = new Map<string, number>();
  const add = (name: string, times: number): void => {
    uses.set(name, (uses.get(name) ?? 0) + times);
  };
  walkAtoms(body, (atom) => {
    if (atom.kind === "var") add(atom.name, 1);
  });
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "lambda")
      for (const name of freeVars(stmt.expr.body).keys()) add(name, OFTEN);
  });
  return uses;
}
