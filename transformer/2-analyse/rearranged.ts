// Which arguments have other objects in them after a call: a row put elsewhere, a field that is replaced. In: functions and their memory graphs.
// Out: per parameter none, its own elements, or something deeper. Invariant: unsure means deeper. Their shadows are rearranged as they are, so that what a
// caller gets must be put together from what was there before.

import { hasNumbers, type Types } from "../ir/shadow.ts";
import type { Atom, Func } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import type { Memory } from "./memory.ts";
import { isAggregate, type Region } from "./region.ts";

export type Rearranged = "none" | "top" | "deep";

export function rearrangedIn(func: Func, graphs: ReadonlyMap<string, Memory>, types: Types): (param: Atom) => Rearranged {
  const memory = graphs.get(func.name);
  if (memory === undefined) return () => "deep";
  const touched = containers(func, memory, graphs, types, new Set());
  return (param) => {
    const top = memory.region(param);
    if (top === null) return "none";
    const within = [...memory.reachable(top)].filter((region) => touched.has(region));
    if (within.length === 0) return "none";
    const below = [...top.find().places.values()].flatMap((place) => [...memory.reachable(place)]);
    return within.every((region) => region === top.find()) && !below.includes(top.find()) && param.type.kind === "array" ? "top" : "deep";
  };
}

/** Objects in which a function, or one that it calls, puts other objects. */
function containers(func: Func, memory: Memory, graphs: ReadonlyMap<string, Memory>, types: Types, above: ReadonlySet<string>): ReadonlySet<Region> {
  const found = new Set<Region>();
  const add = (object: Atom, value: Atom): void => {
    const region = isAggregate(value.type) && hasNumbers(value.type, types) ? memory.region(object) : null;
    if (region !== null) found.add(region.find());
  };
  const within = new Set([...above, func.name]);
  walkStmts(func.body, (stmt) => {
    if ((stmt.kind === "store" && stmt.initial !== true) || stmt.kind === "append" || stmt.kind === "fill") add(stmt.object, stmt.value);
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "removeLast") add(stmt.expr.object, stmt.bind);
    if (stmt.expr.kind !== "call") return;
    const callee = graphs.get(stmt.expr.callee);
    // what a function does to its arguments when it calls itself, it does in the first place
    if (callee === undefined || within.has(callee.func.name)) return;
    const inner = containers(callee.func, callee, graphs, types, within);
    stmt.expr.args.forEach((arg, i) => {
      const [param, region] = [callee.func.params[i], memory.region(arg)];
      const theirs = param === undefined ? null : callee.region(param);
      if (region === null || theirs === null) return;
      const below = [...callee.reachable(theirs)].filter((one) => inner.has(one));
      if (below.length === 0) return;
      for (const one of below.every((one) => one === theirs.find()) ? [region.find()] : memory.reachable(region)) found.add(one);
    });
  });
  return found;
}
