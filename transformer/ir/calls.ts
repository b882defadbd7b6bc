// The call graph: callers, callees and recursion. Facts are memoised by body, which is immutable,
// so the program may grow between two questions.

import type { Body, Expr, Func, Let, Stmt } from "./types.ts";
import { memoised, walkStmts } from "./visit.ts";

export type CallLet = Let & { readonly expr: Extract<Expr, { kind: "call" }> };

/** The function of that name; undefined if the program has none. */
export type FuncOf = (name: string) => Func | undefined;

export const isCall = (stmt: Stmt): stmt is CallLet =>
  stmt.kind === "let" && stmt.expr.kind === "call";

/** The calls in a body, nested bodies included, in order of execution. */
export const callsIn: (body: Body) => readonly CallLet[] = memoised((body) => {
  const calls: CallLet[] = [];
  walkStmts(body, (stmt) => {
    if (isCall(stmt)) calls.push(stmt);
  });
  return calls;
});

/** The names that a body calls, in order of their first calls. */
export const calleesIn: (body: Body) => ReadonlySet<string> = memoised(
  (body) => new Set(callsIn(body).map(({ expr }) => expr.callee)),
);

/** All functions that a call may run, transitively; the function itself only if it is recursive. */
export function reachable(name: string, func: FuncOf): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string): void => {
    const body = func(from)?.body;
    for (const callee of body === undefined ? [] : calleesIn(body)) {
      if (found.has(callee)) continue;
      found.add(callee);
      visit(callee);
    }
  };
  visit(name);
  return found;
}

/** The functions in postorder of the call graph: callees first, but for recursion. */
export function calleesFirst(funcs: ReadonlyMap<string, Func>): readonly Func[] {
  const found = new Set<Func>();
  const entered = new Set<string>();
  const open = [...funcs.keys()].reverse();
  for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
    const func = funcs.get(name);
    if (func === undefined || entered.has(name)) {
      open.pop();
      if (func !== undefined) found.add(func);
      continue;
    }
    entered.add(name);
    open.push(...[...calleesIn(func.body)].filter((callee) => !entered.has(callee)));
  }
  return [...found];
}

/** Whether `from` is `to` or may call it, transitively. */
export const mayCall = (from: string, to: string, func: FuncOf): boolean =>
  from === to || reachable(from, func).has(to);

export const isRecursive = (name: string, func: FuncOf): boolean => reachable(name, func).has(name);

/** The functions of the same call graph cycle, this one included; none if it is not recursive. */
export function callCycleOf(name: string, func: FuncOf): readonly Func[] {
  const below = reachable(name, func);
  return below.has(name)
    ? [...below]
        .filter((other) => reachable(other, func).has(name))
        .flatMap((other) => func(other) ?? [])
    : [];
}
