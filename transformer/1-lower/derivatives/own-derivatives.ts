// Finds functions that call derivatives of themselves. In: functions, and the derivatives that they call. Out: who does, and where.
// Invariant: what is left has derivatives that can be made one after another, each after those that its function calls.

import { calleesIn, callsIn } from "../../ir/calls.ts";
import type { Derivation } from "../../ir/facts.ts";
import type { Func } from "../../ir/types.ts";

export interface OwnDerivative {
  readonly func: string;
  readonly origin: Func["origin"];
}

export function ownDerivatives(
  funcs: ReadonlyMap<string, Func>,
  derivations: ReadonlyMap<string, Derivation>,
): readonly OwnDerivative[] {
  if (derivations.size === 0) return [];
  const reaches = (from: string, wanted: string): boolean => {
    const found = new Set([from]);
    for (const name of found) {
      if (name === wanted) return true;
      const of = derivations.get(name)?.of;
      if (of !== undefined) found.add(of);
      const body = funcs.get(name)?.body;
      for (const callee of body === undefined ? [] : calleesIn(body)) found.add(callee);
    }
    return false;
  };
  return [...funcs].flatMap(([func, { body }]) =>
    callsIn(body).flatMap(({ expr: { callee }, origin }) =>
      derivations.has(callee) && reaches(callee, func) ? [{ func, origin }] : [],
    ),
  );
}
