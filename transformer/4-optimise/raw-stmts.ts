// The statement kinds of the stage "raw". The optimiser runs on programs in SSA form, which have none
// of them; its switches over statements treat them as one case.

import type { Assign, Declare, Exit, Loop, Return, Scope, Stmt } from "../ir/types.ts";

export type RawStmt = Declare | Assign | Exit | Return | Scope | Loop;

const RAW: ReadonlySet<Stmt["kind"]> = new Set<RawStmt["kind"]>([
  ...(["declare", "assign", "break", "continue", "return", "scope", "loop"] as const),
]);

export const isRaw = (stmt: Stmt): stmt is RawStmt => RAW.has(stmt.kind);
