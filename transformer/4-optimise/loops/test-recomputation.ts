// Rounds that compute for themselves what they read of their loop's test: a test is not reversed, so what it computes has no cotangent. In: an ssa function that is to be differentiated.
// Out: the same meaning. Invariant: what has an effect, or may take long, runs once.
//   while { t = x * x ; yield t < n } do { x' = t + 1 }   ->   while { t = x * x ; yield t < n } do { t' = x * x ; x' = t' + 1 }

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
  walkStmts,
} from "../../ir/visit.ts";

export function ownRounds(func: Func): Func {
  let found = false;
  walkStmts(func.body, (stmt) => {
    found ||= stmt.kind === "while";
  });
  return found ? withBody(func, inBody(func.body, namesOf(func))) : func;
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
  const wanted = test.stmts
    .flatMap(stmtBinds)
    .filter(({ name, type }) => read.has(name) && type.kind !== "bool");
  const slice = wanted.length === 0 ? null : sliceOf(test, wanted);
  if (slice === null) return loop;
  const own = renameBody({ stmts: slice, result: wanted }, names);
  const rest = substitute(body, new Map(wanted.map((one, i) => [one.name, own.result[i] ?? one])));
  return { ...loop, body: { stmts: [...own.stmts, ...rest.stmts], result: rest.result } };
}

/** The statements that the names are made by; null where one of them does more than compute. */
function sliceOf({ stmts }: Body, wanted: readonly Var[]): readonly Stmt[] | null {
  const needed = new Set(wanted.map(({ name }) => name));
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
