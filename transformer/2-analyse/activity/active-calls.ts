// Finds the calls that derivatives pass through, from all call sites and marked functions. Every
// other call stays a call of the user's own function.

import { callsIn } from "../../ir/calls.ts";
import { type CallSite, receivesPullback } from "../../ir/facts.ts";
import type { Func, Program } from "../../ir/types.ts";
import { factsOf } from "../facts.ts";
import { memoryOf } from "../memory/points-to.ts";
import type { Memory } from "../memory/memory.ts";

/** The active calls, as "caller bind". */
export function activeCalls(
  program: Program,
  sites: readonly CallSite[],
  marked: readonly string[],
): ReadonlySet<string> {
  const { funcs, types } = program;
  let graphs: ReadonlyMap<string, Memory> | null = null;
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (func: Func, active: readonly number[], split: boolean): void => {
    const key = `${func.name} ${active.join()} ${split}`;
    if (seen.has(key)) return;
    seen.add(key);
    const calls = callsIn(func.body);
    if (calls.length === 0) return;
    graphs ??= memoryOf(funcs, types);
    const rest = { volatile: [], volatileShadows: [] };
    const facts = factsOf({ func, graphs, types, active, split, ...rest });
    for (const { bind, expr } of calls) {
      const positions = facts.callActive(bind.name);
      const called = funcs.get(expr.callee);
      if (positions === null || called === undefined) continue;
      found.add(`${func.name} ${bind.name}`);
      visit(called, positions, true);
    }
  };
  const all = ({ params }: Func): readonly number[] => params.map((_, i) => i);
  for (const { target, argnums, form } of sites) {
    const func = funcs.get(target);
    if (func !== undefined)
      visit(func, argnums.length === 0 ? all(func) : argnums, receivesPullback(form));
  }
  for (const name of marked) {
    const func = funcs.get(name);
    if (func !== undefined) visit(func, all(func), true);
  }
  return found;
}
