// Branches that only say whether something holds, where a few comparisons say it as well. In: an ssa function, not differentiated yet. Out: the same meaning; such a test is computed again in reverse, as no branch is.
//   if c -> (b) { yield true } else { p yield x }    ->   p ; b = c || x
//   if c -> (b) { p yield x } else { yield false }   ->   p ; b = c && x
// Invariant: what ran in the branch runs in any case now, so that is arithmetic that costs next to nothing, and lengths of lists that are there in any case.

import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import { OPS } from "../../ir/ops.ts";
import type { Atom, Body, Func, If, Let, Stmt } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";

/** Operations beside the test itself. */
const MOST = 3;

export const oneTest = (func: Func): Func => withBody(func, testsIn(func.body, new Set()));

/** `there`: names of lists of which something has been read on the way, so that they are there. */
function testsIn(body: Body, above: ReadonlySet<string>): Body {
  const there = new Set(above);
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, (nested) => testsIn(nested, there));
      if (
        inner.kind === "let" &&
        (inner.expr.kind === "length" || inner.expr.kind === "load") &&
        inner.expr.object.kind === "var"
      )
        there.add(inner.expr.object.name);
      return inner.kind === "if" ? (asTest(inner, there) ?? [inner]) : [inner];
    }),
  );
}

function asTest(stmt: If, there: ReadonlySet<string>): readonly Stmt[] | null {
  const [bind, ...others] = stmt.binds;
  const [then, otherwise] = [stmt.then.result[0], stmt.else.result[0]];
  if (
    bind?.type.kind !== "bool" ||
    others.length > 0 ||
    then === undefined ||
    otherwise === undefined
  )
    return null;
  const isOr = saysAlone(stmt.then, true);
  const isAnd = saysAlone(stmt.else, false);
  const arm = isOr ? stmt.else : isAnd ? stmt.then : null;
  // a flag that stays as it is has nothing to compute
  if (
    arm === null ||
    arm.stmts.length === 0 ||
    arm.stmts.length > MOST ||
    !arm.stmts.every((one) => isCheap(one, there))
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

const saysAlone = ({ stmts, result }: Body, truth: boolean): boolean =>
  stmts.length === 0 && isTruth(result[0], truth);
const isTruth = (atom: Atom | undefined, truth: boolean): boolean =>
  atom?.kind === "const" && atom.value === truth;

function isCheap(stmt: Stmt, there: ReadonlySet<string>): boolean {
  if (stmt.kind !== "let") return false;
  const { expr } = stmt;
  return expr.kind === "op"
    ? OPS[expr.op].cost <= 1
    : expr.kind === "length" && expr.object.kind === "var" && there.has(expr.object.name);
}
