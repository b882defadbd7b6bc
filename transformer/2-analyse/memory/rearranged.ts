// Which parameters have other objects in them after a call: rows put elsewhere, fields replaced.
// Their shadows are rearranged alike, so a caller's result must be built from the shadows before
// the call. Unsure means "deep".

import { hasNumbers, type Types } from "../../ir/shadow.ts";
import type { Atom, Func } from "../../ir/types.ts";
import type { Memory } from "./memory.ts";
import { isAggregate } from "./region.ts";
import { touchedRegions, type Touches } from "./transitive-effects.ts";

type Rearranged = "none" | "top" | "deep";

export function rearrangedIn(
  func: Func,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
): (param: Atom) => Rearranged {
  const memory = graphs.get(func.name);
  if (memory === undefined) return () => "deep";
  const touched = touchedRegions(func, memory, graphs, rearranges(types));
  return (param) => {
    const top = memory.region(param);
    if (top === null) return "none";
    const within = [...memory.reachable(top)].filter((region) => touched.has(region));
    if (within.length === 0) return "none";
    const below = [...top.find().places.values()].flatMap((place) => [...memory.reachable(place)]);
    return within.every((region) => region === top.find()) &&
      !below.includes(top.find()) &&
      param.type.kind === "array"
      ? "top"
      : "deep";
  };
}

/** Statements that store an object with numbers into another object, or remove one. */
const rearranges =
  (types: Types): Touches =>
  () =>
  (stmt) => {
    const holds = (value: Atom): boolean =>
      isAggregate(value.type) && hasNumbers(value.type, types);
    if (
      (stmt.kind === "store" && stmt.initial !== true) ||
      stmt.kind === "append" ||
      stmt.kind === "fill"
    )
      return holds(stmt.value) ? [stmt.object] : [];
    return stmt.kind === "let" && stmt.expr.kind === "removeLast" && holds(stmt.bind)
      ? [stmt.expr.object]
      : [];
  };
