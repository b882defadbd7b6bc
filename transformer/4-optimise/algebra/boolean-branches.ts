// Replaces branches that only compute a truth value by a few comparisons. The reverse sweep then
// recomputes the test instead of recording a branch. Runs before differentiation.
//   if c -> b { yield true } else { p; yield x }    ->   p; b = c || x
//   if c -> b { p; yield x } else { yield false }   ->   p; b = c && x
// Invariant: `p`, which now always runs, is cheap arithmetic or the length of a defined array.

import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import { OPS } from "../../ir/ops.ts";
import type { Body, Func, If, Let, Stmt } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { isConst } from "../../ir/build.ts";

/** Limit on operations besides the test itself. */
const MOST = 3;

export const booleanBranches = (func: Func): Func => withBody(func, testsIn(func.body, new Set()));

/** `above`: arrays that have been read from on the way here, so that they are defined. */
function testsIn(body: Body, above: ReadonlySet<string>): Body {
  const defined = new Set(above);
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, (nested) => testsIn(nested, defined));
      if (
        inner.kind === "let" &&
        (inner.expr.kind === "length" || inner.expr.kind === "load") &&
        inner.expr.object.kind === "var"
      )
        defined.add(inner.expr.object.name);
      return inner.kind === "if" ? (asTest(inner, defined) ?? [inner]) : [inner];
    }),
  );
}

function asTest(stmt: If, defined: ReadonlySet<string>): readonly Stmt[] | null {
  const [bind, ...others] = stmt.binds;
  const [then, otherwise] = [stmt.then.result[0], stmt.else.result[0]];
  if (
    bind?.type.kind !== "bool" ||
    others.length > 0 ||
    then === undefined ||
    otherwise === undefined
  )
    return null;
  const isOr = onlyYields(stmt.then, true);
  const isAnd = onlyYields(stmt.else, false);
  const arm = isOr ? stmt.else : isAnd ? stmt.then : null;
  // An arm without operations only passes a flag on.
  if (
    arm === null ||
    arm.stmts.length === 0 ||
    arm.stmts.length > MOST ||
    !arm.stmts.every((one) => isCheap(one, defined))
  )
    return null;
  const test: Let = {
    kind: "let",
    bind,
    expr: { kind: "op", op: isOr ? "or" : "and", args: [stmt.cond, isOr ? otherwise : then] },
    origin: stmt.origin,
  };
  return [...arm.stmts, test];
}

const onlyYields = ({ stmts, result }: Body, truth: boolean): boolean =>
  stmts.length === 0 && isConst(result[0], truth);

function isCheap(stmt: Stmt, defined: ReadonlySet<string>): boolean {
  if (stmt.kind !== "let") return false;
  const { expr } = stmt;
  return expr.kind === "op"
    ? OPS[expr.op].cost <= 1
    : expr.kind === "length" && expr.object.kind === "var" && defined.has(expr.object.name);
}
