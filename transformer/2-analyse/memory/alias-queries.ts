// Alias queries on a function's memory graph. Unsure means yes.

import type { Atom, Expr } from "../../ir/types.ts";
import type { Memory } from "./memory.ts";

/** Whether the object itself is written, as opposed to objects that it holds. */
export function isWritten(object: Atom, memory: Memory): boolean {
  const region = memory.region(object)?.find();
  // a store that replaces the reference to it does not change it
  return (
    region !== undefined &&
    (region.changed || [...region.places.values()].some((place) => place.find().written))
  );
}

/** Whether two objects reach a common one. */
export function overlap(x: Atom, z: Atom, memory: Memory): boolean {
  const [first, second] = [memory.region(x), memory.region(z)];
  if (first === null || second === null) return false;
  const reached = new Set([...memory.reachable(first)].map((region) => region.find()));
  return [...memory.reachable(second)].some((region) => reached.has(region.find()));
}

/** Whether a callee writes memory reachable from its arguments. */
export function writesArguments(
  { callee, args }: Expr & { kind: "call" },
  graphs: ReadonlyMap<string, Memory>,
): boolean {
  const graph = graphs.get(callee);
  const isGiven = (i: number): boolean => args[i]?.kind !== "undef" && args[i]?.kind !== "const";
  return (
    graph === undefined ||
    graph.func.params.some((param, i) => isGiven(i) && graph.reachesWritten(param))
  );
}
