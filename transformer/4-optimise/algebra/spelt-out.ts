// Writes out the operators that JavaScript has no functions for. Runs on code that is not
// differentiated any more: until then one operator has one rule, which no overflow or difference
// spoils. Input and output: a function.

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Atom, Body, Expr, Func, Let, Stmt } from "../../ir/types.ts";
import { mapBodies, namesOf, walkStmts } from "../../ir/visit.ts";

type Op = Expr & { kind: "op" };
type Formula = (b: Builder, args: readonly Atom[]) => Op;

const ONE = num(1);
const op = (name: ScalarOp, ...args: readonly Atom[]): Op => ({ kind: "op", op: name, args });

const FORMULAS: Partial<Record<ScalarOp, Formula>> = {
  // sechSquared x t   ->   s = t * t; s < 0.75 ? 1 - s : 2 / (1 + cosh(2 * x))
  sechSquared: (b, [x = ONE, tanh = ONE]) => {
    const t = b.mul(tanh, tanh);
    const isNear = b.op("lt", t, num(0.75));
    const far = b.div(num(2), b.add(ONE, b.op("cosh", b.mul(num(2), x))));
    return op("select", isNear, b.sub(ONE, t), far);
  },
  // oneMinusSquare x   ->   (1 - x) * (1 + x)
  oneMinusSquare: (b, [x = ONE]) => op("mul", b.sub(ONE, x), b.add(ONE, x)),
};

export function speltOut(func: Func): Func {
  const found: Stmt[] = [];
  walkStmts(func.body, (stmt) => {
    if (formulaOf(stmt) !== null) found.push(stmt);
  });
  return found.length > 0 ? withBody(func, inBody(func.body, namesOf(func))) : func;
}

/** The expression of a statement that has a formula, and the formula. */
function formulaOf(stmt: Stmt): { readonly expr: Op; readonly formula: Formula } | null {
  const expr = stmt.kind === "let" && stmt.expr.kind === "op" ? stmt.expr : null;
  const formula = expr === null ? undefined : FORMULAS[expr.op];
  return expr === null || formula === undefined ? null : { expr, formula };
}

const inBody = (body: Body, names: Names): Body =>
  withStmts(
    body,
    flatMapList(body.stmts, (stmt) => {
      const found = stmt.kind === "let" ? formulaOf(stmt) : null;
      return stmt.kind === "let" && found !== null
        ? written(stmt, found.formula, found.expr, names)
        : [mapBodies(stmt, (one) => inBody(one, names))];
    }),
  );

function written(stmt: Let, formula: Formula, { args }: Op, names: Names): readonly Stmt[] {
  const b = new Builder(names, stmt.origin, stmt.adjoint === true);
  const expr = formula(b, args);
  return [...b.stmts, { ...stmt, expr }];
}
