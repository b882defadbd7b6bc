// How often each name is read, what nobody reads left out. In: an ssa body. Out: uses by name, and which lets are dead.
// Invariant: a pure let that is absent from `uses` may be dropped; a name read in a closure counts as read often.

import type { Atom, Body, Stmt } from "../ir/types.ts";
import { freeVars, isPure, stmtAtoms, stmtBodies } from "../ir/visit.ts";

export type Uses = ReadonlyMap<string, number>;

/** A count that no single use reaches. */
const OFTEN = 2;

export function countUses(body: Body): Uses {
  const uses = new Map<string, number>();
  countBody(body, uses);
  return uses;
}

function count(atom: Atom, uses: Map<string, number>, times = 1): void {
  if (atom.kind === "var") uses.set(atom.name, (uses.get(atom.name) ?? 0) + times);
}

/** Backwards, so that what only dead code reads is dead as well. */
function countBody(body: Body, uses: Map<string, number>): void {
  body.result.forEach((atom) => count(atom, uses));
  for (const stmt of body.stmts.toReversed()) {
    if (isDead(stmt, uses)) continue;
    if (stmt.kind === "let" && stmt.expr.kind === "lambda") {
      for (const free of freeVars(stmt.expr.body).values()) count(free, uses, OFTEN);
    }
    if (stmt.kind === "if") countLiveResults(stmt, uses);
    else for (const nested of stmtBodies(stmt)) countBody(nested, uses);
    for (const atom of stmtAtoms(stmt)) count(atom, uses);
  }
}

function countLiveResults(stmt: Extract<Stmt, { kind: "if" }>, uses: Map<string, number>): void {
  const live = stmt.binds.map((bind) => uses.has(bind.name));
  for (const branch of [stmt.then, stmt.else]) {
    countBody({ stmts: branch.stmts, result: branch.result.filter((_, i) => live[i] === true) }, uses);
  }
}

export function isDead(stmt: Stmt, uses: Uses): boolean {
  return stmt.kind === "let" && isPure(stmt.expr) && !uses.has(stmt.bind.name);
}
