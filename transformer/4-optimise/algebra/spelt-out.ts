// Writes out the operator that JavaScript has no function for. Runs on code that is not
// differentiated any more: until then one operator has one rule, which no overflow spoils.
//   y = sechSquared x t   ->   s = t * t; y = s < 0.75 ? 1 - s : 2 / (1 + cosh(2 * x))

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { mapBodies, namesOf, walkStmts } from "../../ir/visit.ts";

export function speltOut(func: Func): Func {
  const found: Stmt[] = [];
  walkStmts(func.body, (stmt) => {
    if (isSechSquared(stmt)) found.push(stmt);
  });
  return found.length > 0 ? withBody(func, inBody(func.body, namesOf(func))) : func;
}

const isSechSquared = (stmt: Stmt): boolean =>
  stmt.kind === "let" && stmt.expr.kind === "op" && stmt.expr.op === "sechSquared";

const inBody = (body: Body, names: Names): Body =>
  withStmts(
    body,
    flatMapList(body.stmts, (stmt) =>
      isSechSquared(stmt) ? formula(stmt, names) : [mapBodies(stmt, (one) => inBody(one, names))],
    ),
  );

function formula(stmt: Stmt, names: Names): readonly Stmt[] {
  const [x, tanh] = stmt.kind === "let" && stmt.expr.kind === "op" ? stmt.expr.args : [];
  if (stmt.kind !== "let" || x === undefined || tanh === undefined) return [stmt];
  const b = new Builder(names, stmt.origin, stmt.adjoint === true);
  const t = b.mul(tanh, tanh);
  const isNear = b.op("lt", t, num(0.75));
  const far = b.div(num(2), b.add(num(1), b.op("cosh", b.mul(num(2), x))));
  const args = [isNear, b.sub(num(1), t), far];
  return [...b.stmts, { ...stmt, expr: { kind: "op", op: "select", args } }];
}
