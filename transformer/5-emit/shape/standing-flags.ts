// Leaves flags alone that stand already. In: an ssa body. Out: the same, where a flag that a loop's test has found false is carried on by its name and not
// as `false`, so that no line sets it again. `while !done { if c -> (d) { p; yield false } else { q; yield true } }  ->  … { p; yield done } …`
// Invariant: a name is put only where its value is that of the constant it replaces.

import { baseName } from "../../ir/names.ts";
import { mapList, rebuilt, withStmts } from "../../ir/rebuilt.ts";
import type { Atom, Body, If, Var, While } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";

export function standingFlags(body: Body): Body {
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, standingFlags);
      return inner.kind === "while" ? inLoop(inner) : inner;
    }),
  );
}

function inLoop(loop: While): While {
  const unset = falseBehind(loop.test.result[0], true, loop.test);
  const body = loop.carried.reduce(
    (round, { param }, at) => (unset.includes(param.name) ? kept(round, at, param) : round),
    loop.body,
  );
  return rebuilt(loop, { body });
}

/** Names that are false where the condition comes out like this. */
function falseBehind(cond: Atom | undefined, truth: boolean, { stmts }: Body): readonly string[] {
  if (cond?.kind !== "var") return [];
  const own = truth ? [] : [cond.name];
  const made = stmts.find((stmt) =>
    stmt.kind === "let"
      ? stmt.bind.name === cond.name
      : stmt.kind === "if" && stmt.binds.length === 1 && stmt.binds[0]?.name === cond.name,
  );
  const behind = (atom: Atom | undefined, value: boolean): readonly string[] =>
    falseBehind(atom, value, { stmts, result: [] });
  if (made?.kind === "let" && made.expr.kind === "op" && made.expr.op === "not")
    return [...own, ...behind(made.expr.args[0], !truth)];
  if (made?.kind === "let" && made.expr.kind === "op" && made.expr.op === (truth ? "and" : "or"))
    return [...own, ...made.expr.args.flatMap((arg) => behind(arg, truth))];
  if (made?.kind !== "if") return own;
  // a && b  is  if a { b } else { false };  a || b  is  if a { true } else { b }
  const [constant, other] = truth ? [made.else, made.then] : [made.then, made.else];
  return isConst(constant.result[0], !truth)
    ? [...own, ...behind(made.cond, truth), ...falseBehind(other.result[0], truth, other)]
    : own;
}

/** The body with `flag` for the `false` that it, or a branch at its end, gives at that position. */
function kept(body: Body, at: number, flag: Var): Body {
  const result = body.result[at];
  if (isConst(result, false))
    return { ...body, result: body.result.map((atom, i) => (i === at ? flag : atom)) };
  if (result?.kind !== "var" || baseName(result.name) !== baseName(flag.name)) return body;
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => {
      const inner =
        stmt.kind === "if" ? stmt.binds.findIndex(({ name }) => name === result.name) : -1;
      return stmt.kind !== "if" || inner < 0 || isChoice(stmt)
        ? stmt
        : rebuilt(stmt, { then: kept(stmt.then, inner, flag), else: kept(stmt.else, inner, flag) });
    }),
  );
}

/** Whether text says it in one expression: `done = a && b`. */
const isChoice = ({ binds, then, else: other }: If): boolean =>
  binds.length === 1 &&
  [then, other].every(
    ({ stmts }) => stmts.length === 0 || (stmts.length === 1 && stmts[0]?.kind === "let"),
  );

const isConst = (atom: Atom | undefined, value: boolean): boolean =>
  atom?.kind === "const" && atom.value === value;
