// Replaces `false` by a flag that a loop's test has found false, so that no line assigns the flag
// again.
// before: `while !done { if c -> (d) { p; yield false } else { q; yield true } }`
// after: `while !done { if c -> (d) { p; yield done } else { q; yield true } }`

import { baseName } from "../../ir/names.ts";
import { mapList, rebuilt, withStmts } from "../../ir/rebuilt.ts";
import type { Atom, Body, If, Var, While } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { isConst } from "../../ir/build.ts";

export function reuseLoopFlags(body: Body): Body {
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => {
      const inner = mapBodies(stmt, reuseLoopFlags);
      return inner.kind === "while" ? inLoop(inner) : inner;
    }),
  );
}

function inLoop(loop: While): While {
  const unset = namesFalse(loop.test.result[0], true, loop.test);
  const body = loop.carried.reduce(
    (iteration, { param }, at) =>
      unset.includes(param.name) ? withFlag(iteration, at, param) : iteration,
    loop.body,
  );
  return rebuilt(loop, { body });
}

/** Names that are false if the condition has the value `truth`. */
function namesFalse(cond: Atom | undefined, truth: boolean, body: Body): readonly string[] {
  if (cond?.kind !== "var") return [];
  const own = truth ? [] : [cond.name];
  const definition = body.stmts.find((stmt) =>
    stmt.kind === "let"
      ? stmt.bind.name === cond.name
      : stmt.kind === "if" && stmt.binds.length === 1 && stmt.binds[0]?.name === cond.name,
  );
  if (definition?.kind === "let" && definition.expr.kind === "op") {
    const { op, args } = definition.expr;
    if (op === "not") return [...own, ...namesFalse(args[0], !truth, body)];
    if (op === (truth ? "and" : "or"))
      return [...own, ...args.flatMap((arg) => namesFalse(arg, truth, body))];
  }
  if (definition?.kind !== "if") return own;
  // a && b  is  if a { b } else { false };  a || b  is  if a { true } else { b }
  const [constant, other] = truth
    ? [definition.else, definition.then]
    : [definition.then, definition.else];
  return isConst(constant.result[0], !truth)
    ? [
        ...own,
        ...namesFalse(definition.cond, truth, body),
        ...namesFalse(other.result[0], truth, other),
      ]
    : own;
}

/** The body with `flag` for a `false` at result `at`, in the body or in a branch at its end. */
function withFlag(body: Body, at: number, flag: Var): Body {
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
        : rebuilt(stmt, {
            then: withFlag(stmt.then, inner, flag),
            else: withFlag(stmt.else, inner, flag),
          });
    }),
  );
}

/** Whether the `if` is printed as one expression: `done = a && b`. */
const isChoice = ({ binds, then, else: other }: If): boolean =>
  binds.length === 1 &&
  [then, other].every(
    ({ stmts }) => stmts.length === 0 || (stmts.length === 1 && stmts[0]?.kind === "let"),
  );
