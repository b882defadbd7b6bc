// Regions of a function that some operation touches, in the function itself or in its callees. The
// caller says which objects a statement touches. Unsure means touched.

import { type CallLet, callsIn } from "../../ir/calls.ts";
import type { Atom, Func, Stmt } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

/** The objects that a statement of a function touches. */
export type Touches = (func: Func, memory: Memory) => (stmt: Stmt) => readonly Atom[];

/** By the least fixed point over the functions that the function may call. */
export function touchedRegions(
  func: Func,
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  touches: Touches,
): ReadonlySet<Region> {
  const all = new Map([[func.name, touchesOf(func, memory, touches)]]);
  for (const { calls } of all.values())
    for (const { callee } of calls) {
      const called = graphs.get(callee);
      if (called !== undefined && !all.has(callee))
        all.set(callee, touchesOf(called.func, called, touches));
    }
  // callees come after their callers
  const order = [...all.values()].reverse();
  const size = (): number => order.reduce((sum, { found }) => sum + found.size, 0);
  for (let before = -1; before !== size();) {
    before = size();
    for (const { memory: own, calls, found } of order)
      for (const { callee, args } of calls)
        for (const region of touchedByCall(args, own, all.get(callee))) found.add(region);
  }
  return all.get(func.name)?.found ?? new Set();
}

/** What a call touches, in the caller's regions. */
function touchedByCall(
  args: readonly Atom[],
  own: Memory,
  called: Touched | undefined,
): readonly Region[] {
  if (called === undefined) return [];
  const { params } = called.memory.func;
  return args.flatMap((arg, i) => {
    const param = params[i];
    return param === undefined ? [] : [...touchedOf(arg, param, own, called)];
  });
}

/** What a function touches, at first without its callees. */
interface Touched {
  readonly memory: Memory;
  readonly calls: readonly CallLet["expr"][];
  readonly found: Set<Region>;
}

function touchesOf(func: Func, memory: Memory, touches: Touches): Touched {
  const found = new Set<Region>();
  const objectsOf = touches(func, memory);
  walkStmts(func.body, (stmt) => {
    for (const object of objectsOf(stmt)) {
      const region = memory.region(object);
      if (region !== null) found.add(region.find());
    }
  });
  return { memory, calls: callsIn(func.body).map(({ expr }) => expr), found };
}

/** Regions touched below an argument: the object itself, or all it reaches if unclear. */
function touchedOf(arg: Atom, param: Atom, memory: Memory, called: Touched): Iterable<Region> {
  const [region, theirs] = [memory.region(arg), called.memory.region(param)];
  if (region === null || theirs === null) return [];
  const below = [...called.memory.reachable(theirs)].filter((one) => called.found.has(one));
  if (below.length === 0) return [];
  return below.every((one) => one === theirs.find()) ? [region.find()] : memory.reachable(region);
}
