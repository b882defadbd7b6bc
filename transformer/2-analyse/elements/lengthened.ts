// Which arrays and dicts inside a parameter a function may lengthen: the fields leading to them, or
// "deep". A cotangent must have the shape that the argument had before the call. Unsure means
// lengthened.

import type { GrownArrays } from "../../ir/facts.ts";
import { resolve, type Types, definedShape } from "../../ir/shadow.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { growingStores } from "./growth.ts";
import type { Memory } from "../memory/memory.ts";
import { ELEMENTS, type Region } from "../memory/region.ts";
import { touchedRegions, type Touches } from "../memory/transitive-effects.ts";

export function lengthenedIn(
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
): (param: Atom) => GrownArrays {
  let touched: ReadonlySet<Region> | null = null;
  return (param) => {
    const region = memory.region(param);
    if (region === null) return [];
    touched ??= touchedRegions(memory.func, memory, graphs, lengthens(types));
    return pathsTo(touched, region, param.type, memory, types);
  };
}

/** Statements that lengthen: `push`, a store beyond the end, a new key, a write of shipped code. */
const lengthens =
  (types: Types): Touches =>
  (func, memory) => {
    const growing = growingStores(func.body, memory, types);
    const isDict = ({ type }: Atom): boolean => definedShape(type, types).kind === "dict";
    return (stmt) => {
      if (stmt.kind === "append") return [stmt.object];
      if (stmt.kind === "store")
        return growing.has(stmt) ||
          func.shipped === true ||
          (isDict(stmt.object) && stmt.removed !== true)
          ? [stmt.object]
          : [];
      return [];
    };
  };

/** Follows fields of records and tuples that are always defined. */
function pathsTo(
  touched: ReadonlySet<Region>,
  region: Region,
  type: Type,
  memory: Memory,
  types: Types,
): GrownArrays {
  const within = [...memory.reachable(region)].filter((one) => touched.has(one));
  if (within.length === 0) return [];
  const shape = resolve(type, types);
  if (shape.kind === "array")
    return within.every((one) => one === region.find()) &&
      region.find().places.get(ELEMENTS)?.find() !== region.find()
      ? [[]]
      : "deep";
  const fields =
    shape.kind === "record"
      ? shape.fields
      : shape.kind === "tuple"
        ? shape.elems.map((elem, i) => ({ name: String(i), type: elem }))
        : null;
  if (fields === null) return "deep";
  const found: (readonly string[])[] = [];
  for (const field of fields) {
    const place = region.find().places.get(field.name);
    const below =
      place === undefined
        ? []
        : place.find() === region.find()
          ? "deep"
          : pathsTo(touched, place, field.type, memory, types);
    if (below === "deep") return "deep";
    found.push(...below.map((path) => [field.name, ...path]));
  }
  return found;
}
