// Tapes of a function that nobody else sees, and which of them it may keep for its next call. In: an ssa function. Out: names. Invariant: a kept tape is pushed to and popped
// from, from 0 up and down again, within one call: what calls the function meanwhile makes one of its own, since the tape is taken while it is in use.

import type { Body, Func, Stmt, Var } from "./types.ts";
import { walkAtoms, walkStmts } from "./visit.ts";

/** The tape that a statement pushes to, makes room on or pops from. */
export function tapeOf(stmt: Stmt): Var | null {
  const tape =
    stmt.kind === "push" || stmt.kind === "reserve"
      ? stmt.tape
      : stmt.kind === "let" && stmt.expr.kind === "pop"
        ? stmt.expr.tape
        : null;
  return tape?.kind === "var" ? tape : null;
}

/** Tapes made here that are only pushed and popped, so that what two loops push and pop between them is seen by nobody else. */
export function plainTapesOf({ body }: Func): ReadonlySet<string> {
  const made = new Set<string>();
  const used = new Map<string, number>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "newTape") made.add(stmt.bind.name);
    const tape = tapeOf(stmt);
    if (tape !== null) used.set(tape.name, (used.get(tape.name) ?? 0) + 1);
  });
  if (made.size === 0) return made;
  const read = new Map<string, number>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "var" && made.has(atom.name))
      read.set(atom.name, (read.get(atom.name) ?? 0) + 1);
  });
  return new Set([...made].filter((name) => (read.get(name) ?? 0) === (used.get(name) ?? 0)));
}

/** An array for BOGs (4-optimise/arena), which other parts of the derivative are given, and nobody keeps. */
export const isArena = (stmt: Stmt): boolean =>
  stmt.kind === "let" && stmt.expr.kind === "newTape" && stmt.bind.type.kind === "array";

export function keptTapes(func: Func): readonly Var[] {
  if (func.result.kind === "void" || makesFunctions(func.body)) return [];
  const plain = plainTapesOf(func);
  return func.body.stmts.flatMap((stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "newTape") return [];
    if (isArena(stmt)) return [stmt.bind];
    if (stmt.bind.type.kind !== "tape" || !plain.has(stmt.bind.name)) return [];
    return stmt.bind.type.of === "ref" && isReadLast(stmt.bind.name, func.body) ? [] : [stmt.bind];
  });
}

/** A function that is returned outlives the call, and with it the tapes that it reads. */
function makesFunctions(body: Body): boolean {
  let makes = false;
  walkStmts(body, (stmt) => {
    makes ||= stmt.kind === "let" && stmt.expr.kind === "lambda";
  });
  return makes;
}

/** Whether what is popped may stand in the `return` itself, behind which nothing can empty the tape. */
const isReadLast = (tape: string, body: Body): boolean =>
  body.stmts.some((stmt) => stmt.kind === "let" && tapeOf(stmt)?.name === tape);
