// Recomputes in the body of a loop what it reads of the loop's test. A test is not reversed, so
// what it computes has no cotangent. Runs before differentiation.
//   while { t = x * x; yield t < n } do { x' = t + 1 }
//     ->   while { t = x * x; yield t < n } do { t' = x * x; x' = t' + 1 }
// Invariant: statements with effects or unknown cost run once.

import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Names } from "../../ir/names.ts";
import type { Body, Func, Stmt, Var, While } from "../../ir/types.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import {
  freeVars,
  mapBodies,
  namesOf,
  stmtBinds,
  stmtBodies,
  stmtFreeVars,
} from "../../ir/visit.ts";
import { someStmt } from "../stmts.ts";

export function recomputeTests(func: Func): Func {
  const hasLoops = someStmt(func.body, ({ kind }) => kind === "while");
  return hasLoops ? withBody(func, inBody(func.body, namesOf(func))) : func;
}

const inBody = (body: Body, names: Names): Body =>
  withStmts(
    body,
    mapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, (nested) => inBody(nested, names));
      return inner.kind === "while" ? apart(inner, names) : inner;
    }),
  );

function apart(loop: While, names: Names): While {
  const { test, body } = loop;
  const read = freeVars(body);
  const reused = test.stmts
    .flatMap(stmtBinds)
    .filter(({ name, type }) => read.has(name) && type.kind !== "bool");
  const slice = reused.length === 0 ? null : sliceOf(test, reused);
  if (slice === null) return loop;
  const own = renameBody({ stmts: slice, result: reused }, names);
  const rest = substitute(body, new Map(reused.map((one, i) => [one.name, own.result[i] ?? one])));
  return { ...loop, body: { stmts: [...own.stmts, ...rest.stmts], result: rest.result } };
}

/** The statements that compute the names; null if one of them does more than compute. */
function sliceOf({ stmts }: Body, reused: readonly Var[]): readonly Stmt[] | null {
  const needed = new Set(reused.map(({ name }) => name));
  const slice = stmts
    .toReversed()
    .filter((stmt) => {
      if (!stmtBinds(stmt).some(({ name }) => needed.has(name))) return false;
      for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
      return true;
    })
    .toReversed();
  return slice.every(isPlain) ? slice : null;
}

function isPlain(stmt: Stmt): boolean {
  if (stmt.kind === "if") return stmtBodies(stmt).every(({ stmts }) => stmts.every(isPlain));
  if (stmt.kind !== "let") return false;
  const { expr } = stmt;
  return (
    expr.kind === "op" ||
    expr.kind === "load" ||
    expr.kind === "length" ||
    expr.kind === "copy" ||
    expr.kind === "present" ||
    expr.kind === "unwrap" ||
    (expr.kind === "call" && expr.pure === true)
  );
}
