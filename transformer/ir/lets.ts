// Definitions of names by expressions. In SSA form there is one for each name.

import type { Atom, Body, Expr, Let } from "./types.ts";
import { memoised, walkStmts } from "./visit.ts";

export type Lets = ReadonlyMap<string, Let>;

/** The `let`s of a body and of the bodies inside it, by name. */
export const letsIn: (body: Body) => Lets = memoised((body) => {
  const lets = new Map<string, Let>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let") lets.set(stmt.bind.name, stmt);
  });
  return lets;
});

/** The expression that defines an atom. */
export const definition = (atom: Atom | null | undefined, lets: Lets): Expr | undefined =>
  atom?.kind === "var" ? lets.get(atom.name)?.expr : undefined;
