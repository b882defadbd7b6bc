// Finds functions without effects, and marks their calls. Pure: the value depends on scalar
// arguments alone. Silent: it may read memory, and return new memory. Invariant: a call that is
// marked may be moved, repeated or dropped; one of a silent function only if nothing reads it.
//   z = call g(x)                 ->   z = pure call g(x)
//   z = call h(list) (unused)     ->   z = pure call h(list)

import { calleesIn, isCall } from "../../ir/calls.ts";
import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { countReads } from "../atoms.ts";
import { ownAccesses } from "../memory/access.ts";
import { isAggregate, Memory } from "../memory/memory.ts";
import { someStmt } from "../stmts.ts";

/** Names of functions without effects. */
export interface WithoutEffects {
  readonly pure: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
}

/** The largest sets of functions that are so on their own and call only members of the set. */
export function withoutEffects(funcs: ReadonlyMap<string, Func>, types: Types): WithoutEffects {
  const silent = closed(funcs, (func) => isSilentAlone(func, types));
  const pure = closed(funcs, (func) => silent.has(func.name) && isOfScalars(func, types));
  return { pure, silent };
}

function closed(
  funcs: ReadonlyMap<string, Func>,
  isMember: (func: Func) => boolean,
): ReadonlySet<string> {
  const found = new Set([...funcs.values()].filter(isMember).map((func) => func.name));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const name of found) {
      const func = funcs.get(name);
      if (func === undefined || [...calleesIn(func.body)].some((callee) => !found.has(callee)))
        found.delete(name);
    }
  }
  return found;
}

/** Whether nobody notices that the function has run, if that holds of its callees. */
function isSilentAlone(func: Func, types: Types): boolean {
  const memory = Memory.of(func, types);
  return (
    func.shipped !== true &&
    !someStmt(
      func.body,
      (stmt) =>
        stmt.kind === "throw" ||
        (stmt.kind === "let" && stmt.expr.kind === "extern" && stmt.expr.effect === "io") ||
        reachesOut(stmt, memory, "writes"),
    )
  );
}

/** Whether the value depends on scalar arguments alone, if that holds of the callees. */
function isOfScalars(func: Func, types: Types): boolean {
  const memory = Memory.of(func, types);
  return (
    !func.params.some(({ type }) => isAggregate(type, types) || type.kind === "leaf") &&
    !isAggregate(func.result, types) &&
    !someStmt(
      func.body,
      (stmt) =>
        (stmt.kind === "let" && stmt.expr.kind === "extern" && stmt.expr.effect !== "pure") ||
        reachesOut(stmt, memory, "reads"),
    )
  );
}

/** Whether a statement, callees apart, reads or writes what other code may reach. */
const reachesOut = (stmt: Stmt, memory: Memory, how: "reads" | "writes"): boolean =>
  !isCall(stmt) &&
  ownAccesses(stmt).some(
    ({ write, object }) =>
      write === (how === "writes") &&
      (object === null || [...memory.sites(object)].some((site) => memory.escapes(site))),
  );

export function markPureCalls(func: Func, { pure, silent }: WithoutEffects): Func {
  if (![...calleesIn(func.body)].some((callee) => silent.has(callee))) return func;
  const reads = countReads(func.body);
  const mark = (stmt: Stmt): Stmt =>
    isCall(stmt) &&
    (pure.has(stmt.expr.callee) || (silent.has(stmt.expr.callee) && !reads.has(stmt.bind.name)))
      ? { ...stmt, expr: { ...stmt.expr, pure: true } }
      : mapBodies(stmt, inBody);
  const inBody = (body: Body): Body => withStmts(body, mapList(body.stmts, mark));
  return withBody(func, inBody(func.body));
}
