// Deep copies and comparisons of values. Aliases in the value are aliases in the copy. Built-in
// objects such as dates and sets, and functions, are shared.

import { isBuiltIn, isView } from "./handles.ts";
import { deeply } from "./inputs.ts";
import type { Value } from "./value.ts";

/** `number`: replaces each number. */
export const copied = (value: Value, number: number | null = null): Value =>
  deeply((within) => {
    const met = new Map<unknown, unknown>();
    const inner = (each: Value): Value => {
      if (typeof each === "number") return number ?? each;
      if (typeof each !== "object" || each === null) return each;
      if (met.has(each)) return met.get(each);
      const copy = emptyLike(each);
      met.set(each, copy);
      if (copy !== each)
        within(() => {
          if (isView(each)) {
            if (number === null) copy.set(each);
          } else if (Array.isArray(each)) for (const one of each) copy.push(inner(one));
          else if (each instanceof Map) for (const [key, one] of each) copy.set(key, inner(one));
          else copyProperties(each, copy, inner);
        });
      return copy;
    };
    return inner(value);
  });

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
export function isSame(one: Value, other: Value): boolean {
  const met = new Set<unknown>();
  let same = true;
  deeply((within) => {
    const compare = (x: Value, z: Value): void => {
      if (typeof x !== "object" || x === null || typeof z !== "object" || z === null)
        same &&= Object.is(x, z);
      else if (same && x !== z && !met.has(x)) {
        met.add(x);
        within(() => {
          if (!parts(x, z, compare)) same = false;
        });
      }
    };
    compare(one, other);
  });
  return same;
}

/** Whether two objects have the same parts, each of which is compared. */
function parts(x: Value, z: Value, compare: (x: Value, z: Value) => void): boolean {
  if (isView(x)) {
    x.forEach((each: unknown, i: number) => compare(each, z[i]));
    return x.length === z.length;
  }
  if (x instanceof Map) {
    for (const [key, each] of x) compare(each, z.get(key));
    return x.size === z.size && [...x.keys()].every((key) => z.has(key));
  }
  const keys = Reflect.ownKeys(x);
  return (
    keys.length === Reflect.ownKeys(z).length &&
    keys.every((key) => {
      const own = Object.getOwnPropertyDescriptor(x, key);
      const there = Object.getOwnPropertyDescriptor(z, key);
      if (own === undefined || there === undefined) return false;
      if ("value" in own) compare(own.value, there.value);
      return "value" in own || own.get === there.get;
    })
  );
}
