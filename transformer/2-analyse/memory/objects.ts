// Questions about objects that a function's memory graph answers. In: a graph and atoms. Out: yes or no, yes when unsure.

import type { Atom, Expr } from "../../ir/types.ts";
import type { Memory } from "./memory.ts";
import { isAggregate } from "./region.ts";

/** Whether somebody writes into the object itself, not into what it holds. */
export function isWritten(object: Atom, memory: Memory): boolean {
  const region = memory.region(object)?.find();
  // that another object is put in its place changes nothing in it
  return (
    region !== undefined &&
    (region.changed || [...region.places.values()].some((place) => place.find().written))
  );
}

/** Whether two objects reach one in common. */
export function overlap(x: Atom, z: Atom, memory: Memory): boolean {
  const [first, second] = [memory.region(x), memory.region(z)];
  if (first === null || second === null) return false;
  const reached = new Set([...memory.reachable(first)].map((region) => region.find()));
  return [...memory.reachable(second)].some((region) => reached.has(region.find()));
}

/** Whether a callee writes memory that it gets. */
export function writesArguments(
  call: Expr & { kind: "call" },
  graphs: ReadonlyMap<string, Memory>,
): boolean {
  const graph = graphs.get(call.callee);
  return (
    graph === undefined ||
    graph.func.params.some((param) => {
      const region = isAggregate(param.type) ? graph.region(param) : null;
      return region !== null && [...graph.reachable(region)].some((inner) => inner.written);
    })
  );
}
