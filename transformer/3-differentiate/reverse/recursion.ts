// Who calls whom, through any number of calls. In: names of functions. Out: names, answers. Invariant: nothing is remembered, so the program may grow.

import type { Func } from "../../ir/types.ts";
import { callsIn } from "../../ir/visit.ts";

export type FuncOf = (name: string) => Func;

/** What runs, in turn, when the function is called. */
function reachable(name: string, func: FuncOf): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string): void => {
    for (const { callee } of callsIn(func(from).body)) {
      if (found.has(callee)) continue;
      found.add(callee);
      visit(callee);
    }
  };
  visit(name);
  return found;
}

/** Whether running `from` may call `to`, or is that. */
export const reaches = (from: string, to: string, func: FuncOf): boolean => from === to || reachable(from, func).has(to);

/** The functions that recur together with this one, itself among them; none where it does not recur. */
export function circleOf(name: string, func: FuncOf): readonly Func[] {
  const below = reachable(name, func);
  return below.has(name) ? [...below].filter((other) => reachable(other, func).has(name)).map(func) : [];
}
