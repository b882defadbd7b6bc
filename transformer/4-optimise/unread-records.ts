// Records on tapes that nobody reads: what asked for them has turned out to be superfluous, while a pop still moves the tape. In: all functions that are emitted for a group.
// Out: the same without the pushes and the pops of such records. Invariant: a record keeps all of its pushes and pops or loses all of them.
//   for i { …; push tape x; push tape y }; for i down { y' = pop tape; x' = pop tape; … x' … }   ->   for i { …; push tape x }; for i down { x' = pop tape; … x' … }

import { mapList, withBody, withStmts } from "../ir/rebuilt.ts";
import type { Types } from "../ir/shadow.ts";
import type { Body, Func, Stmt } from "../ir/types.ts";
import { mapBodies, walkAtoms, walkStmts } from "../ir/visit.ts";
import { dce } from "./dce.ts";

/** `again`: optimises what has lost records once more. */
export function withoutUnreadRecords(funcs: readonly Func[], types: Types, again: (func: Func) => Func): readonly Func[] {
  for (let current = funcs;;) {
    const unread = unreadIn(current);
    if (unread.size === 0) return mapList(current, (func) => (funcs.includes(func) ? func : again(func)));
    // what was read for such a record may be a record, too
    current = mapList(current, (func) => { const next = withBody(func, without(func.body, unread)); return next === func ? func : dce(next, types); });
  }
}

function unreadIn(funcs: readonly Func[]): ReadonlySet<symbol> {
  const popped = new Set<symbol>(), read = new Set<symbol>();
  for (const { body } of funcs) {
    const used = new Set<string>();
    walkAtoms(body, (atom) => { if (atom.kind === "var") used.add(atom.name); });
    walkStmts(body, (stmt) => {
      const record = poppedBy(stmt);
      if (record === undefined || stmt.kind !== "let") return;
      popped.add(record);
      if (used.has(stmt.bind.name)) read.add(record);
    });
  }
  return new Set([...popped].filter((record) => !read.has(record)));
}

const poppedBy = (stmt: Stmt): symbol | undefined => (stmt.kind === "let" && stmt.expr.kind === "pop" ? stmt.expr.record : undefined);
const recordIn = (stmt: Stmt): symbol | undefined => (stmt.kind === "push" ? stmt.record : poppedBy(stmt));

function without(body: Body, unread: ReadonlySet<symbol>): Body {
  const isLeft = (stmt: Stmt): boolean => { const record = recordIn(stmt); return record === undefined || !unread.has(record); };
  return withStmts(body, mapList(body.stmts.filter(isLeft), (stmt) => mapBodies(stmt, (inner) => without(inner, unread))));
}
