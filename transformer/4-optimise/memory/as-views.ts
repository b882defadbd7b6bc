// Parts of typed arrays that the user looks at by `subarray`, and that emitted code may look at so as well. In: all that is emitted for a group. Out: the same, where `slice view` is left of no
// part but those that nobody writes and nobody keeps, by the code as it is emitted; the others are copies.

import type { Derived } from "../../ir/facts.ts";
import { rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Body, Func, Let, Stmt } from "../../ir/types.ts";
import { mapStmt, walkStmts } from "../../ir/visit.ts";

/** By their functions' names: views that somebody writes or keeps. */
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
    // what a pullback holds is read when others may have written
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

function some(func: Func, is: (stmt: Stmt) => boolean): boolean {
  let found = false;
  walkStmts(func.body, (stmt) => {
    found ||= is(stmt);
  });
  return found;
}

const hasViews = (func: Func): boolean =>
  some(
    func,
    (stmt) => stmt.kind === "let" && stmt.expr.kind === "slice" && stmt.expr.view === true,
  );
const hasLambdas = (func: Func): boolean =>
  some(func, (stmt) => stmt.kind === "let" && stmt.expr.kind === "lambda");
