// The ids of a value's numbers as a value of the same layout, in which each number is an id.

import { isView } from "../handles.ts";
import { planOf, seedAt, type Places } from "../inputs.ts";
import { ret } from "../register.ts";
import { mayShare, reading } from "../run.ts";
import { derivativeInside } from "../tape.ts";
import type { Id, Value } from "../value.ts";

/** The ids of a value's numbers, in a value of the same layout. */
export function idTree(value: Value, own: Id, met: Map<object, Value> = new Map()): Value {
  if (typeof value === "number") return own;
  if (!mayShare(value)) return value;
  const before: Value = met.get(value);
  if (before !== undefined) return before;
  const at = (key: Value, kind: "key" | "view" | "entry"): Id => reading.at(value, key, kind);
  if (isView(value)) return Float64Array.from({ length: value.length }, (_, k) => at(k, "view"));
  const made: Value = Array.isArray(value) ? [] : value instanceof Map ? new Map() : {};
  met.set(value, made);
  if (value instanceof Map)
    for (const [key, inner] of value)
      made.set(key, idTree(inner, typeof inner === "number" ? at(key, "entry") : 0, met));
  else
    for (const key of Object.keys(value)) {
      const inner: Value = value[key];
      made[key] = idTree(inner, typeof inner === "number" ? at(key, "key") : 0, met);
    }
  return made;
}

/** A value with the ids that another one of the same layout holds. */
export function withIds(value: Value, tree: Value): Value {
  if (typeof value === "number") return ret(value, tree);
  const ids: Id[] = [];
  const visiting = (at: Places["at"]): Places => ({ number: () => 0, at });
  planOf(
    tree,
    0,
    visiting((o, key, kind) => ids[ids.push(kind === "entry" ? o.get(key) : o[key]) - 1] ?? 0),
    new Map(),
  );
  let k = 0;
  planOf(
    value,
    0,
    visiting((o, key, kind) => {
      const own = ids[k++];
      if (own === undefined) throw derivativeInside();
      if (own !== 0) seedAt(o, key, kind, own);
      return own;
    }),
    new Map(),
  );
  if (k !== ids.length) throw derivativeInside();
  return ret(value, 0);
}
