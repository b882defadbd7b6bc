// Helpers on statements. The optimiser runs on programs in SSA form, which have no statements of
// the stage "raw"; its switches over statements treat these as one case.

import type { Assign, Body, Declare, Exit, Loop, Return, Scope, Stmt } from "../ir/types.ts";
import { stmtBodies } from "../ir/visit.ts";

export type RawStmt = Declare | Assign | Exit | Return | Scope | Loop;

const RAW: ReadonlySet<Stmt["kind"]> = new Set<RawStmt["kind"]>([
  ...(["declare", "assign", "break", "continue", "return", "scope", "loop"] as const),
]);

export const isRaw = (stmt: Stmt): stmt is RawStmt => RAW.has(stmt.kind);

/** Whether any statement of a body, nested ones included, satisfies the predicate. */
export const someStmt = (body: Body, is: (stmt: Stmt) => boolean): boolean =>
  body.stmts.some((stmt) => is(stmt) || stmtBodies(stmt).some((inner) => someStmt(inner, is)));
