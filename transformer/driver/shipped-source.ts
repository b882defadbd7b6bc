// Decides whether a program needs the source of functions that ship derivatives. In: the lowered
// program. Invariant: what is shipped serves first derivatives in reverse mode, by the static
// engine; all else follows the source.

import type { Lowered } from "../1-lower/index.ts";
import { reachable } from "../ir/calls.ts";
import { modesOf } from "../ir/facts.ts";

export function needsShippedSource({ program, sites, deltaOfShipped }: Lowered): boolean {
  const { funcs, derivations } = program;
  const shipped = [...funcs.values()].filter(
    (func) => func.shipped === true && func.rule === undefined,
  );
  if (deltaOfShipped || shipped.length === 0) return deltaOfShipped;
  const inner = [...(derivations?.values() ?? [])].map(({ of }) => of);
  const others = sites.flatMap(({ form, target }) =>
    modesOf(form).every((mode) => mode === "reverse") ? [] : [target],
  );
  return [...new Set([...inner, ...others])].some((name) => {
    const reached = reachable(name, (callee) => funcs.get(callee));
    return shipped.some((func) => func.name === name || reached.has(func.name));
  });
}
