// Calls that carry derivatives. In: a program, its sites and marked functions. Out: which calls a derivative of theirs passes through. Invariant: a call that is not
// among them runs as the user wrote it, whoever is differentiated.

import { callsIn } from "../../ir/calls.ts";
import { type CallSite, keepsPullback } from "../../ir/facts.ts";
import type { Func, Program } from "../../ir/types.ts";
import { factsOf } from "../facts.ts";
import { memoryOf } from "../memory/points-to.ts";
import type { Memory } from "../memory/memory.ts";

/** Calls that derivatives pass through, as "caller bind": the others stay calls of the user's own functions. */
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
    const facts = factsOf({
      func,
      graphs: (graphs ??= memoryOf(funcs, types)),
      types,
      active,
      split,
      volatile: [],
      volatileShadows: [],
    });
    for (const {
      bind: { name: bind },
      expr: { callee },
    } of calls) {
      const positions = facts.callActive(bind);
      const called = funcs.get(callee);
      if (positions === null || called === undefined) continue;
      found.add(`${func.name} ${bind}`);
      visit(called, positions, true);
    }
  };
  for (const site of sites) {
    const func = funcs.get(site.target);
    if (func !== undefined)
      visit(
        func,
        site.argnums.length === 0 ? func.params.map((_, i) => i) : site.argnums,
        keepsPullback(site.form),
      );
  }
  for (const name of marked) {
    const func = funcs.get(name);
    if (func !== undefined)
      visit(
        func,
        func.params.map((_, i) => i),
        true,
      );
  }
  return found;
}
