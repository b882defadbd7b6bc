// Values seen as the numbers in them. In: a value of any first-order type. Out: its numbers by path, copies with one number changed,
// comparisons. Knows no derivative. Invariant: a path is the keys from the value down, joined by dots (`0.means.2`).

import { cloned } from "./clone.ts";

export const isTyped = (value: unknown): value is Float64Array =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Keys under which a value holds others. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value) || isTyped(value)) return [...Array(value.length).keys()].map(String);
  if (value instanceof Map) return [...value.keys()].map(String);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** The key of a Map that is written so. */
const keyOf = (map: ReadonlyMap<unknown, unknown>, text: string): unknown =>
  [...map.keys()].find((key) => String(key) === text);

export const field = (value: unknown, key: string): unknown =>
  value instanceof Map
    ? value.get(keyOf(value, key))
    : (typeof value === "object" && value !== null) || typeof value === "function"
      ? Reflect.get(value, key)
      : undefined;

export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce(field, value);
}

/** Paths of all numbers, each object visited once per way to it. */
export function numberPaths(value: unknown, prefix = ""): readonly string[] {
  return keysOf(value).flatMap((key) => {
    const below = field(value, key);
    const path = prefix === "" ? key : `${prefix}.${key}`;
    return typeof below === "number" ? [path] : numberPaths(below, path);
  });
}

/** `value` with `change` made to the number at `path`; aliases inside the value stay aliases. */
export function changed<T>(value: T, path: string, change: (x: number) => number): T {
  const copy = cloned(value);
  const cut = path.lastIndexOf(".");
  const [holder, key] =
    cut < 0 ? [copy, path] : [at(copy, path.slice(0, cut)), path.slice(cut + 1)];
  const old = field(holder, key);
  if (holder instanceof Map && typeof old === "number") holder.set(keyOf(holder, key), change(old));
  else if (typeof holder === "object" && holder !== null && typeof old === "number")
    Reflect.set(holder, key, change(old));
  return copy;
}

/**
 * First path at which two values differ: bit for bit (`Object.is`), same prototypes, same keys in the same order. `near`: how far two numbers may
 * be apart, relative to the first one, or to 1.
 */
export function difference(a: unknown, b: unknown, path = "value", near = 0): string | null {
  // of a function, another module has a copy
  if (
    Object.is(a, b) ||
    (typeof a === "number" &&
      typeof b === "number" &&
      Math.abs(a - b) <= near * Math.max(1, Math.abs(a))) ||
    (typeof a === "function" && typeof b === "function" && String(a) === String(b))
  )
    return null;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return `${path}: ${shown(a)} and ${shown(b)}`;
  const kinds = [`${kindOf(a)} ${classOf(a)}`, `${kindOf(b)} ${classOf(b)}`];
  if (kinds[0] !== kinds[1]) return `${path}: ${kinds.join(" and ")}`;
  const [ka, kb] = [keysOf(a), keysOf(b)];
  if (ka.join() !== kb.join()) return `${path}: keys ${ka.join()} and ${kb.join()}`;
  for (const key of ka) {
    const found = difference(field(a, key), field(b, key), `${path}.${key}`, near);
    if (found !== null) return found;
  }
  return null;
}

/** How the shape of a gradient differs from its argument's: arrays of another kind or length, missing fields, holes. */
export function shapeDifference(
  argument: unknown,
  gradient: unknown,
  path = "gradient",
): string | null {
  if (typeof argument === "number")
    return typeof gradient === "number" ? null : `${path}: ${shown(gradient)} for a number`;
  if (typeof argument !== "object" || argument === null) return null;
  // what holds no numbers may have no cotangent; an empty list that has one has an empty one
  if (numberPaths(argument).length === 0 && (typeof gradient !== "object" || gradient === null))
    return null;
  if (typeof gradient !== "object" || gradient === null)
    return `${path}: ${shown(gradient)} for ${kindOf(argument)}`;
  if (kindOf(argument) !== kindOf(gradient))
    return `${path}: ${kindOf(gradient)} for ${kindOf(argument)}`;
  if (
    (Array.isArray(argument) || isTyped(argument)) &&
    field(argument, "length") !== field(gradient, "length")
  )
    return `${path}: another length`;
  const further = furtherKeys(argument, gradient);
  if (further.length > 0) return `${path}: further keys ${further.join(", ")}`;
  for (const key of keysOf(argument)) {
    const found = shapeDifference(field(argument, key), field(gradient, key), `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** Of a Map and an array; an optional number that is not there has a cotangent all the same. */
function furtherKeys(argument: object, gradient: object): readonly unknown[] {
  if (argument instanceof Map && gradient instanceof Map)
    return [...gradient.keys()].filter((key) => !argument.has(key));
  if (!Array.isArray(gradient)) return [];
  return Object.keys(gradient).filter(
    (key) => !(Number(key) >= 0) && !Object.hasOwn(argument, key),
  );
}

/** Sum of the products of numbers at the same places. */
export function inner(a: unknown, b: unknown): number {
  if (typeof a === "number") return typeof b === "number" && b !== 0 ? a * b : 0;
  return keysOf(a).reduce((sum, key) => sum + inner(field(a, key), field(b, key)), 0);
}

/** The same, each object of `a` once: where one object stands at two places, both hold its whole cotangent. */
export function innerOnce(a: unknown, b: unknown, met = new Set<unknown>()): number {
  if (typeof a === "number") return inner(a, b);
  if (met.has(a)) return 0;
  met.add(a);
  return keysOf(a).reduce((sum, key) => sum + innerOnce(field(a, key), field(b, key), met), 0);
}

/** A value of the same shape with other numbers: `make` gets the number and its position in the whole. */
export function mapNumbers(value: unknown, make: (x: number, index: number) => number): unknown {
  if (typeof value === "number") return make(value, 0);
  const copy = cloned(value);
  return numberPaths(copy).reduce(
    (result, path, index) => changed(result, path, (x) => make(x, index)),
    copy,
  );
}

/** The same class of two copies of a module counts as one. */
const classOf = (value: object): string => {
  const name = field(field(value, "constructor"), "name");
  return typeof name === "string" ? name : "";
};

function kindOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return Array.isArray(value) ? "Array" : tag;
}

function shown(value: unknown): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
