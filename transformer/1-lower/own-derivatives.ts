// Finds functions that call derivatives of themselves. In: functions, and the derivatives that they call. Out: who does, and where.
// Invariant: what is left has derivatives that can be made one after another, each after those that its function calls.

import type { Derivation } from "../ir/facts.ts";
import type { Func } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";

export interface OwnDerivative {
  readonly func: string;
  readonly origin: Func["origin"];
}

export function ownDerivatives(funcs: ReadonlyMap<string, Func>, derivations: ReadonlyMap<string, Derivation>): readonly OwnDerivative[] {
  if (derivations.size === 0) return [];
  const calls = new Map([...funcs].map(([name, func]) => [name, callsOf(func)]));
  const reaches = (from: string, wanted: string): boolean => {
    const found = new Set([from]);
    for (const name of found) {
      if (name === wanted) return true;
      const of = derivations.get(name)?.of;
      if (of !== undefined) found.add(of);
      for (const { callee } of calls.get(name) ?? []) found.add(callee);
    }
    return false;
  };
  return [...calls].flatMap(([func, own]) => own.flatMap(({ callee, origin }) => (derivations.has(callee) && reaches(callee, func) ? [{ func, origin }] : [])));
}

interface Call {
  readonly callee: string;
  readonly origin: Func["origin"];
}

function callsOf(func: Func): readonly Call[] {
  const found: Call[] = [];
  walkStmts(func.body, (stmt) => { if (stmt.kind === "let" && stmt.expr.kind === "call") found.push({ callee: stmt.expr.callee, origin: stmt.origin }); });
  return found;
}
