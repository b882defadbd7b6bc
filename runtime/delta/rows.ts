// Rows: records with the same numeric fields, as in large arrays. They get ids and give cotangents
// without a plan each. No field of a row is an accessor.

import { newFields, setFields } from "./store.ts";
import type { Id, Value } from "./value.ts";

/** Gives the fields of a record consecutive ids from `first` on. */
export function seed(record: object, keys: readonly string[], first: Id): void {
  const ids = newFields();
  for (let k = 0; k < keys.length; k++) ids[keys[k] ?? ""] = first + k;
  setFields(record, ids);
}

export function rowOf(keys: readonly string[], adjoints: Float64Array, from: number): Value {
  const made: Record<string, Value> = {};
  for (let k = 0; k < keys.length; k++) made[keys[k] ?? ""] = adjoints[from + k];
  return made;
}

/** Whether a record has exactly these fields, all numbers and no accessors. */
export function isRow(record: Value, keys: readonly string[]): boolean {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return false;
  let k = 0;
  for (const key in record)
    if (
      key !== keys[k++] ||
      typeof Object.getOwnPropertyDescriptor(record, key)?.value !== "number"
    )
      return false;
  return k === keys.length && Object.getOwnPropertySymbols(record).length === 0;
}

/** The field names of a record of numbers, else null. Literals cannot define `__proto__`. */
export function keysOfRow(record: Value): readonly string[] | null {
  if (typeof record !== "object" || record === null) return null;
  const keys = Object.keys(record);
  return keys.length > 0 &&
    Object.getOwnPropertyNames(record).length === keys.length &&
    isRow(record, keys) &&
    !keys.includes("__proto__")
    ? keys
    : null;
}

/**
 * The data fields of an argument, and numbers that are hidden or inherited from an object that is
 * no class. Where there are none, what its accessors return.
 */
export function dataOf(record: Value): ReadonlyMap<string | symbol, Value> {
  const found = new Map<string | symbol, Value>();
  const accessors: (string | symbol)[] = [];
  for (
    let at = record;
    at !== null && (at === record || !Object.hasOwn(at, "constructor"));
    at = Object.getPrototypeOf(at)
  )
    for (const key of Reflect.ownKeys(at)) {
      const property = Object.getOwnPropertyDescriptor(at, key);
      if (found.has(key) || accessors.includes(key) || property === undefined) continue;
      const isPlain = at === record && property.enumerable === true;
      if (!("value" in property)) accessors.push(key);
      else if (isPlain || typeof property.value === "number") found.set(key, property.value);
    }
  if (found.size === 0) for (const key of accessors) found.set(key, record[key]);
  return found;
}
