// Regions of a function that some operation touches, in the function itself or in its callees. The
// caller says which objects a statement touches. Unsure means touched.

import type { Atom, Func, Stmt } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

/** The objects that a statement of a function touches. */
export type Touches = (func: Func, memory: Memory) => (stmt: Stmt) => readonly Atom[];

export function touchedRegions(
  func: Func,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  touches: Touches,
  above: ReadonlySet<string> = new Set(),
): ReadonlySet<Region> {
  const found = new Set<Region>();
  const within = new Set([...above, func.name]);
  const objectsOf = touches(func, memory);
  walkStmts(func.body, (stmt) => {
    for (const object of objectsOf(stmt)) {
      const region = memory.region(object);
      if (region !== null) found.add(region.find());
    }
    if (stmt.kind !== "let" || stmt.expr.kind !== "call") return;
    const callee = graphs.get(stmt.expr.callee);
    // recursive calls add nothing: the outer call already counts
    if (callee === undefined || within.has(callee.func.name)) return;
    const inner = touchedRegions(callee.func, callee, graphs, touches, within);
    stmt.expr.args.forEach((arg, i) => {
      const param = callee.func.params[i];
      for (const region of param === undefined
        ? []
        : touchedOf(arg, param, { memory, callee, inner }))
        found.add(region);
    });
  });
  return found;
}

/** Regions touched below an argument: the object itself, or all it reaches if unclear. */
function touchedOf(
  arg: Atom,
  param: Atom,
  {
    memory,
    callee,
    inner,
  }: { readonly memory: Memory; readonly callee: Memory; readonly inner: ReadonlySet<Region> },
): Iterable<Region> {
  const [region, theirs] = [memory.region(arg), callee.region(param)];
  if (region === null || theirs === null) return [];
  const below = [...callee.reachable(theirs)].filter((one) => inner.has(one));
  if (below.length === 0) return [];
  return below.every((one) => one === theirs.find()) ? [region.find()] : memory.reachable(region);
}
