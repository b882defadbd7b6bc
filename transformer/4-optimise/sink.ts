// Moves cotangents into the arm of a branch that alone needs them. There the branch's own test is
// known.
//   ~ t = c ? 1 : 0; ~ u = t + s; if c { ~ a[i] += u }
//     ->   if c { ~ t = c ? 1 : 0; ~ u = t + s; ~ a[i] += u }
// Invariant: only arithmetic moves, never into a loop, and nothing is computed more often.

import { withBody, withStmts } from "../ir/rebuilt.ts";
import type { Body, Func, If, Let, Stmt } from "../ir/types.ts";
import { mapBodies, stmtAtoms, stmtFreeVars } from "../ir/visit.ts";
import { countReads } from "./atoms.ts";

export const sink = (func: Func): Func => withBody(func, inBody(func.body, countReads(func.body)));

type Reads = ReadonlyMap<string, number>;

function inBody(body: Body, reads: Reads): Body {
  const stmts: (Stmt | null)[] = [...body.stmts];
  const readers = readersOf(body);
  // Backwards, so that the reader of an operand has moved before the operand does.
  for (let at = stmts.length - 1; at >= 0; at--) {
    const stmt = stmts[at];
    if (stmt == null || !isMovable(stmt)) continue;
    const [only = -1, ...others] = readers.get(stmt.bind.name) ?? [];
    const branch = stmts[only];
    const sunk =
      branch?.kind === "if" && others.length === 0
        ? intoArm(branch, stmt, reads.get(stmt.bind.name) ?? 0)
        : null;
    if (sunk === null) continue;
    stmts[only] = sunk;
    stmts[at] = null;
    for (const atom of stmtAtoms(stmt))
      if (atom.kind === "var") readers.get(atom.name)?.add(only).delete(at);
  }
  return withStmts(
    body,
    stmts
      .filter((stmt) => stmt !== null)
      .map((stmt) => mapBodies(stmt, (inner) => inBody(inner, reads))),
  );
}

/** By name: the statements of the body that read it, nested or not; the result counts as one. */
function readersOf({ stmts, result }: Body): Map<string, Set<number>> {
  const readers = new Map<string, Set<number>>();
  const note = (name: string, at: number): void => {
    readers.set(name, (readers.get(name) ?? new Set()).add(at));
  };
  stmts.forEach((stmt, at) => {
    for (const name of stmtFreeVars(stmt).keys()) note(name, at);
  });
  for (const atom of result) if (atom.kind === "var") note(atom.name, stmts.length);
  return readers;
}

const isMovable = (stmt: Stmt): stmt is Let =>
  stmt.kind === "let" && stmt.adjoint === true && stmt.expr.kind === "op";

/** The branch with `stmt` at the start of the arm that has all its reads outside loops, or null. */
function intoArm(branch: If, stmt: Let, all: number): If | null {
  if (branch.cond.kind === "var" && branch.cond.name === stmt.bind.name) return null;
  const begun = (arm: Body): Body => ({ ...arm, stmts: [stmt, ...arm.stmts] });
  if (readsIn(branch.then, stmt.bind.name) === all) return { ...branch, then: begun(branch.then) };
  return readsIn(branch.else, stmt.bind.name) === all
    ? { ...branch, else: begun(branch.else) }
    : null;
}

/** How often code that runs at most once reads the name. */
function readsIn({ stmts, result }: Body, name: string): number {
  const own = [...stmts.flatMap(stmtAtoms), ...result].filter(
    (atom) => atom.kind === "var" && atom.name === name,
  ).length;
  return stmts.reduce(
    (sum, stmt) =>
      sum + (stmt.kind === "if" ? readsIn(stmt.then, name) + readsIn(stmt.else, name) : 0),
    own,
  );
}
