// Drops reverse sweeps without effect, such as those of functions that only construct objects.
//   g$revr(bog) { if (bog[2] != null) g$revr(bog[2]) }; f$revr(bog) { …; g$revr(bog[1]) }
//     ->   f$revr(bog) { … }
// Input: all functions that are emitted. Functions that other code calls (`isCalledOutside`) stay.

import { isCall } from "../../ir/calls.ts";
import type { Types } from "../../ir/shadow.ts";
import { isPure } from "../../ir/effects.ts";
import type { Expr, Func, Stmt } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { dce } from "../dce.ts";
import { someStmt, isRaw } from "../stmts.ts";
import { markPureCalls } from "./pure-calls.ts";

export function dropDeadReverseCalls(
  funcs: readonly Func[],
  isCalledOutside: (name: string) => boolean,
  types: Types,
): readonly Func[] {
  const idle = idleFunctions(
    funcs.filter(
      (func) =>
        func.isSweep === true &&
        func.result.kind === "void" &&
        func.shipped !== true &&
        func.ships !== true &&
        !isCalledOutside(func.name),
    ),
  );
  if (idle.size === 0) return funcs;
  return funcs.flatMap((func) => {
    if (idle.has(func.name)) return [];
    const marked = markPureCalls(func, { pure: idle, silent: idle });
    return [marked === func ? func : dce(marked, types)];
  });
}

/** The largest set of functions that have no effect but calls of each other. */
function idleFunctions(candidates: readonly Func[]): ReadonlySet<string> {
  const idle = new Set(candidates.map(({ name }) => name));
  for (let before = -1; before !== idle.size;) {
    before = idle.size;
    for (const func of candidates)
      if (idle.has(func.name) && acts(func, idle)) idle.delete(func.name);
  }
  return idle;
}

const acts = ({ body }: Func, idle: ReadonlySet<string>): boolean =>
  someStmt(body, (stmt) => (isCall(stmt) ? !idle.has(stmt.expr.callee) : isAct(stmt)));

/** Whether a caller may notice that the statement has run. */
function isAct(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case "let":
      return isEffect(stmt.expr);
    case "if":
    case "for":
      return false;
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
      return true;
    // A loop may not terminate.
    case "while":
      return true;
    default:
      return isRaw(stmt) || unreachable(stmt);
  }
}

const isEffect = (expr: Expr): boolean =>
  expr.kind === "rewind" || (expr.kind !== "call" && !isPure(expr));
