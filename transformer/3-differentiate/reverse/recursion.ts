// Who calls whom, through any number of calls. In: names of functions. Out: an answer. Invariant: nothing is remembered, so the program may grow.

import type { Func } from "../../ir/types.ts";
import { callsIn } from "../../ir/visit.ts";

/** Whether running `from` may call `to`. */
export function reaches(from: string, to: string, func: (name: string) => Func, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return callsIn(func(from).body).some(({ callee }) => reaches(callee, to, func, seen));
}
