// Deep copies and comparisons of values. Aliases in the value are aliases in the copy. Built-in
// objects such as dates and sets, and functions, are shared.

import { isBuiltIn, isView } from "./handles.ts";
import type { Value } from "./value.ts";

/** `number`: replaces each number. */
export function copied(value: Value, number: number | null = null): Value {
  const made = new Map<unknown, unknown>();
  const todo: Value[] = [];
  const inner = (each: Value): Value => {
    if (typeof each === "number") return number ?? each;
    if (typeof each !== "object" || each === null) return each;
    if (made.has(each)) return made.get(each);
    const copy = emptyLike(each);
    made.set(each, copy);
    if (copy !== each) todo.push(each);
    return copy;
  };
  const copy = inner(value);
  for (let from = todo.pop(); from !== undefined; from = todo.pop())
    fill(from, made.get(from), number === null, inner);
  return copy;
}

function fill(from: Value, to: Value, keeps: boolean, inner: (each: Value) => Value): void {
  if (isView(from)) {
    if (keeps) to.set(from);
  } else if (Array.isArray(from)) for (const each of from) to.push(inner(each));
  else if (from instanceof Map) for (const [key, each] of from) to.set(key, inner(each));
  else copyProperties(from, to, inner);
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
export function isSame(x: Value, z: Value): boolean {
  const met = new Set<unknown>();
  const todo: [Value, Value][] = [[x, z]];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const [one, other] = pair;
    if (!isObject(one) || !isObject(other)) {
      if (!Object.is(one, other)) return false;
    } else if (one !== other && !met.has(one)) {
      met.add(one);
      const parts = pairsOf(one, other);
      if (parts === null) return false;
      for (const part of parts) todo.push(part);
    }
  }
  return true;
}

const isObject = (x: Value): boolean => typeof x === "object" && x !== null;

/** The parts to compare; null where the objects have not the same parts. */
function pairsOf(x: Value, z: Value): [Value, Value][] | null {
  if (isView(x))
    return x.length === z.length
      ? Array.from(x, (each: Value, i): [Value, Value] => [each, z[i]])
      : null;
  if (x instanceof Map)
    return x.size === z.size && [...x.keys()].every((key) => z.has(key))
      ? Array.from(x, ([key, each]): [Value, Value] => [each, z.get(key)])
      : null;
  const keys = Reflect.ownKeys(x);
  if (keys.length !== Reflect.ownKeys(z).length) return null;
  const pairs: [Value, Value][] = [];
  for (const key of keys) {
    const own = Object.getOwnPropertyDescriptor(x, key);
    const other = Object.getOwnPropertyDescriptor(z, key);
    if (own === undefined || other === undefined) return null;
    if ("value" in own) pairs.push([own.value, other.value]);
    else if (own.get !== other.get) return null;
  }
  return pairs;
}
