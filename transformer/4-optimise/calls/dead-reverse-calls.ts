// Reverse sweeps that do nothing: of functions that only put objects together, whose shadows others read. In: all functions that are emitted, and the names of those that other
// code calls. Out: the same without such functions, and without calls of them. Invariant: who is called from outside stays.
//   g$revr(bog) { if (bog[2] != null) g$revr(bog[2]) }; f$revr(bog) { … g$revr(bog[1]) … }   ->   f$revr(bog) { … }

import { isCall } from "../../ir/calls.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Func, Stmt } from "../../ir/types.ts";
import { unreachable, walkStmts } from "../../ir/visit.ts";
import { dce } from "../dce.ts";
import { markPureCalls } from "./pure-calls.ts";

export function withoutIdleCalls(
  funcs: readonly Func[],
  isAsked: (name: string) => boolean,
  types: Types,
): readonly Func[] {
  const idle = idleFunctions(
    funcs.filter(
      (func) =>
        func.half === true &&
        func.result.kind === "void" &&
        func.shipped !== true &&
        func.ships !== true &&
        !isAsked(func.name),
    ),
  );
  if (idle.size === 0) return funcs;
  return funcs.flatMap((func) => {
    if (idle.has(func.name)) return [];
    const marked = markPureCalls(func, idle);
    return [marked === func ? func : dce(marked, types)];
  });
}

/** The largest set whose members call only members, and do nothing else. */
function idleFunctions(candidates: readonly Func[]): ReadonlySet<string> {
  const idle = new Set(candidates.map(({ name }) => name));
  for (let before = -1; before !== idle.size;) {
    before = idle.size;
    for (const func of candidates)
      if (idle.has(func.name) && acts(func, idle)) idle.delete(func.name);
  }
  return idle;
}

function acts({ body }: Func, idle: ReadonlySet<string>): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||= isCall(stmt) ? !idle.has(stmt.expr.callee) : isAct(stmt);
  });
  return found;
}

/** Whether somebody else may see that the statement has run. */
function isAct(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case "let":
      return (
        stmt.expr.kind === "pop" ||
        stmt.expr.kind === "removeLast" ||
        stmt.expr.kind === "rewind" ||
        (stmt.expr.kind === "extern" && stmt.expr.effect === "io")
      );
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
    // a loop may be one that does not end
    case "while":
    case "loop":
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
      return true;
    default:
      return unreachable(stmt);
  }
}
