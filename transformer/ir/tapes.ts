// Which tapes are private to a function, and which of those it may retain for its next call. A
// retained tape is empty before and after each call. While it is in use, a nested call allocates
// its own.

import type { Body, Func, Stmt, Var } from "./types.ts";
import { walkAtoms, walkStmts } from "./visit.ts";

/** The tape that a statement pushes to, pops from or reserves room on. */
export function tapeOf(stmt: Stmt): Var | null {
  const tape =
    stmt.kind === "push" || stmt.kind === "reserve"
      ? stmt.tape
      : stmt.kind === "let" && stmt.expr.kind === "pop"
        ? stmt.expr.tape
        : null;
  return tape?.kind === "var" ? tape : null;
}

/** Tapes allocated here that are only pushed and popped, so that no other code sees them. */
export function privateTapesOf({ body }: Func): ReadonlySet<string> {
  const allocated = new Set<string>();
  const used = new Map<string, number>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "newTape") allocated.add(stmt.bind.name);
    const tape = tapeOf(stmt);
    if (tape !== null) used.set(tape.name, (used.get(tape.name) ?? 0) + 1);
  });
  if (allocated.size === 0) return allocated;
  const read = new Map<string, number>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "var" && allocated.has(atom.name))
      read.set(atom.name, (read.get(atom.name) ?? 0) + 1);
  });
  return new Set([...allocated].filter((name) => (read.get(name) ?? 0) === (used.get(name) ?? 0)));
}

/** An array for BOGs (4-optimise/arena). Other parts of the derivative receive it. */
export const isArena = (stmt: Stmt): boolean =>
  stmt.kind === "let" && stmt.expr.kind === "newTape" && stmt.bind.type.kind === "array";

export function retainedTapes(func: Func): readonly Var[] {
  if (func.result.kind === "void" || makesFunctions(func.body)) return [];
  const plain = privateTapesOf(func);
  return func.body.stmts.flatMap((stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "newTape") return [];
    if (isArena(stmt)) return [stmt.bind];
    if (stmt.bind.type.kind !== "tape" || !plain.has(stmt.bind.name)) return [];
    return stmt.bind.type.of === "ref" && isReadLast(stmt.bind.name, func.body) ? [] : [stmt.bind];
  });
}

/** Whether a function is returned, which outlives the call and reads its tapes. */
function makesFunctions(body: Body): boolean {
  let makes = false;
  walkStmts(body, (stmt) => {
    makes ||= stmt.kind === "let" && stmt.expr.kind === "lambda";
  });
  return makes;
}

/** Whether a pop may be in the `return` itself, so that the tape cannot be emptied after it. */
const isReadLast = (tape: string, body: Body): boolean =>
  body.stmts.some((stmt) => stmt.kind === "let" && tapeOf(stmt)?.name === tape);
