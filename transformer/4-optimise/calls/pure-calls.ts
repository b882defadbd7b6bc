// Finds pure functions, whose only effect is a value that depends on scalar arguments alone, and
// marks their calls. Invariant: a marked call may be moved, repeated or dropped.
//   z = call g(x)   ->   z = pure call g(x)

import { calleesIn, isCall } from "../../ir/calls.ts";
import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { mapBodies, walkStmts } from "../../ir/visit.ts";
import { ownAccesses } from "../memory/access.ts";
import { isAggregate, Memory } from "../memory/memory.ts";

/** The largest set of functions that are pure on their own and call only members of the set. */
export function pureFunctions(funcs: ReadonlyMap<string, Func>, types: Types): ReadonlySet<string> {
  const pure = new Set(
    [...funcs.values()].filter((func) => isPureAlone(func, types)).map((func) => func.name),
  );
  for (let size = -1; size !== pure.size;) {
    size = pure.size;
    for (const name of pure) {
      const func = funcs.get(name);
      if (func === undefined || [...calleesIn(func.body)].some((callee) => !pure.has(callee)))
        pure.delete(name);
    }
  }
  return pure;
}

/** Whether the function is pure if its callees are. */
function isPureAlone(func: Func, types: Types): boolean {
  if (
    func.shipped === true ||
    func.params.some(({ type }) => isAggregate(type, types) || type.kind === "leaf") ||
    isAggregate(func.result, types)
  )
    return false;
  const memory = Memory.of(func, types);
  let pure = true;
  walkStmts(func.body, (stmt) => {
    // An exception would be observable wherever the call moves to.
    if (
      stmt.kind === "throw" ||
      (stmt.kind === "let" && stmt.expr.kind === "extern" && stmt.expr.effect !== "pure")
    )
      pure = false;
    if (isCall(stmt)) return;
    for (const one of ownAccesses(stmt))
      if (one.object === null || [...memory.sites(one.object)].some((site) => memory.escapes(site)))
        pure = false;
  });
  return pure;
}

export function markPureCalls(func: Func, pure: ReadonlySet<string>): Func {
  if (![...calleesIn(func.body)].some((callee) => pure.has(callee))) return func;
  const mark = (stmt: Stmt): Stmt =>
    isCall(stmt) && pure.has(stmt.expr.callee)
      ? { ...stmt, expr: { ...stmt.expr, pure: true } }
      : mapBodies(stmt, inBody);
  const inBody = (body: Body): Body => withStmts(body, mapList(body.stmts, mark));
  return withBody(func, inBody(func.body));
}
