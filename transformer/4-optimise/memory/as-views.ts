// Decides which `subarray` views of the user's code stay views in emitted code. A view stays if
// nothing writes or retains it. Input: all that is emitted for a group.
//   t = slice view a from to, written or retained   ->   t = slice a from to

import type { Derived } from "../../ir/facts.ts";
import { rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Body, Func, Let, Stmt } from "../../ir/types.ts";
import { mapStmt } from "../../ir/visit.ts";
import { someStmt } from "../stmts.ts";

/** By function name: the views that something writes or retains. */
export type SharedIn = (
  funcs: readonly Func[],
) => readonly { readonly func: string; readonly view: string }[];

export function asViews(items: readonly Derived[], sharedIn: SharedIn): readonly Derived[] {
  const own = items.flatMap((item) => (item.kind === "func" ? [item.func] : []));
  if (!own.some(hasViews)) return items;
  const shared = sharedIn(own);
  return items.map((item): Derived => {
    if (item.kind !== "func" || !hasViews(item.func)) return item;
    const { func } = item;
    const mine = new Set(shared.filter((one) => one.func === func.name).map(({ view }) => view));
    // A pullback reads its captures later, when the memory may have changed.
    return {
      ...item,
      func: copied(func, hasLambdas(func) ? () => true : ({ bind }) => mine.has(bind.name)),
    };
  });
}

function copied(func: Func, isCopy: (stmt: Let) => boolean): Func {
  const inBody = (body: Body): Body => withStmts(body, body.stmts.map(inStmt), body.result);
  const inStmt = (stmt: Stmt): Stmt => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "slice" || stmt.expr.view !== true)
      return mapStmt(stmt, (atom) => atom, inBody);
    const { kind, object, from, to } = stmt.expr;
    return isCopy(stmt) ? rebuilt(stmt, { expr: { kind, object, from, to } }) : stmt;
  };
  return withBody(func, inBody(func.body));
}

const hasViews = (func: Func): boolean =>
  someStmt(
    func.body,
    (stmt) => stmt.kind === "let" && stmt.expr.kind === "slice" && stmt.expr.view === true,
  );
const hasLambdas = (func: Func): boolean =>
  someStmt(func.body, (stmt) => stmt.kind === "let" && stmt.expr.kind === "lambda");
