// Records of numbers that are alike, of which lists hold many: their numbers get ids, and give their cotangents, row by row. In: a record. Out: the names of its fields; ids; a record of adjoints.
// Invariant: a row has numbers alone, none of them behind an accessor.

import { newFields, setFields } from "./store.ts";
import type { Id, Value } from "./value.ts";

/** Gives the fields of a record their ids, from `first` upwards. */
export function seed(record: object, keys: readonly string[], first: Id): void {
  const ids = newFields();
  for (let k = 0; k < keys.length; k++) ids[keys[k] ?? ""] = first + k;
  setFields(record, ids);
}

/** The cotangent of a record whose adjoints stand from `from` upwards. */
export function rowOf(keys: readonly string[], adjoints: Float64Array, from: number): Value {
  const made: Record<string, Value> = {};
  for (let k = 0; k < keys.length; k++) made[keys[k] ?? ""] = adjoints[from + k];
  return made;
}

/** Whether it is a record of numbers with these fields, none of them an accessor. */
export function isRow(record: Value, keys: readonly string[]): boolean {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return false;
  let k = 0;
  for (const key in record)
    if (
      key !== keys[k++] ||
      typeof Object.getOwnPropertyDescriptor(record, key)?.value !== "number"
    )
      return false;
  return k === keys.length;
}

/** The names of its fields where it is a record of numbers; none may be one that a literal would not have as its own. */
export function keysOfRow(record: Value): readonly string[] | null {
  if (typeof record !== "object" || record === null) return null;
  const keys = Object.keys(record);
  return keys.length > 0 && isRow(record, keys) && !keys.includes("__proto__") ? keys : null;
}
