// Deep copies and comparisons of values. Aliases in the value are aliases in the copy. Built-in
// objects such as dates and sets, and functions, are shared.

import { isBuiltIn, isView } from "./handles.ts";
import type { Value } from "./value.ts";

/** `number`: replaces each number. */
export function copied(
  value: Value,
  number: number | null = null,
  met: Map<unknown, unknown> = new Map(),
): Value {
  if (typeof value === "number") return number ?? value;
  if (typeof value !== "object" || value === null) return value;
  if (met.has(value)) return met.get(value);
  const copy = emptyLike(value);
  met.set(value, copy);
  if (copy === value) return value;
  const inner = (each: Value): Value => copied(each, number, met);
  if (isView(value)) {
    if (number === null) copy.set(value);
  } else if (Array.isArray(value)) for (const each of value) copy.push(inner(each));
  else if (value instanceof Map) for (const [key, each] of value) copy.set(key, inner(each));
  else copyProperties(value, copy, inner);
  return copy;
}

function copyProperties(from: Value, to: Value, inner: (each: Value) => Value): void {
  for (const key of Reflect.ownKeys(from)) {
    const property = Object.getOwnPropertyDescriptor(from, key);
    if (property !== undefined)
      Object.defineProperty(
        to,
        key,
        "value" in property ? { ...property, value: inner(property.value) } : property,
      );
  }
}

function emptyLike(value: Value): Value {
  if (isView(value)) return new value.constructor(value.length);
  if (Array.isArray(value)) return [];
  if (value instanceof Map) return new Map();
  return isBuiltIn(value) ? value : Object.create(Object.getPrototypeOf(value));
}

/** Whether two values have equal content. */
export function isSame(x: Value, z: Value, met: Set<unknown> = new Set()): boolean {
  if (typeof x !== "object" || x === null || typeof z !== "object" || z === null)
    return Object.is(x, z);
  if (x === z || met.has(x)) return true;
  met.add(x);
  if (isView(x))
    return (
      x.length === z.length &&
      Array.prototype.every.call(x, (each: unknown, i: number) => Object.is(each, z[i]))
    );
  if (x instanceof Map)
    return (
      x.size === z.size &&
      [...x].every(([key, each]) => z.has(key) && isSame(each, z.get(key), met))
    );
  const keys = Reflect.ownKeys(x);
  return (
    keys.length === Reflect.ownKeys(z).length &&
    keys.every((key) => {
      const own = Object.getOwnPropertyDescriptor(x, key);
      const other = Object.getOwnPropertyDescriptor(z, key);
      return (
        own !== undefined &&
        other !== undefined &&
        ("value" in own ? isSame(own.value, other.value, met) : own.get === other.get)
      );
    })
  );
}
