// Finds functions that call their own derivative, directly or through others.
// Input: functions, and the derivatives that they call. Output: the functions concerned. Without
// them, derivatives can be computed one after another, callees first.

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
  const isReachable = (from: string, to: string): boolean => {
    const found = new Set([from]);
    for (const name of found) {
      if (name === to) return true;
      const of = derivations.get(name)?.of;
      if (of !== undefined) found.add(of);
      const body = funcs.get(name)?.body;
      for (const callee of body === undefined ? [] : calleesIn(body)) found.add(callee);
    }
    return false;
  };
  return [...funcs].flatMap(([func, { body }]) =>
    callsIn(body).flatMap(({ expr: { callee }, origin }) =>
      derivations.has(callee) && isReachable(callee, func) ? [{ func, origin }] : [],
    ),
  );
}
