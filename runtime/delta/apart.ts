// Arguments that the differentiated function also sees through a variable around it. A derivative
// is by its argument alone, but ids belong to objects: the run gets copies of such arguments.

import { copied, isSame } from "./copy.ts";
import { deltaOf } from "./links.ts";
import { failure, type Value } from "./value.ts";

/**
 * Applies a derivative to arguments. `places`: the requested ones. `seen`: what the function's
 * variables hold. `byIdentity`: whether its code may compare objects, which copies would change.
 */
export function apart(
  args: Value[],
  places: readonly number[],
  seen: () => Value[],
  derivative: (args: Value[]) => Value,
  byIdentity = false,
  copy: (values: Value[]) => Value[] = copied,
): Value {
  const asked = places.map((place) => args[place]);
  if (!isShared(asked, seen)) return derivative(args);
  const refused = (what: string): Error =>
    failure(
      "TSG0004",
      `an argument is or shares an object that a variable around the function holds, and the function ${what}; pass a copy, for instance \`a.slice()\``,
    );
  if (byIdentity) throw refused("compares objects");
  const copies = copy(asked);
  const own = args.slice();
  for (const [k, place] of places.entries()) own[place] = copies[k];
  const result = derivative(own);
  if (!isSame(asked, copies)) throw refused("writes its argument");
  return result;
}

const seenBy = /* @__PURE__ */ new WeakMap<object, () => Value[]>();

/** The note is with the function or with its rewritten form. */
const seenOf = (f: object): (() => Value[]) | undefined =>
  seenBy.get(f) ?? seenBy.get(deltaOf(f) ?? f);

/** Notes what the variables of a function hold, for a derivative within a recorded function. */
export function seeing<F extends object>(f: F, seen: () => Value[]): F {
  seenBy.set(f, seen);
  return f;
}

/** Applies a derivative of a function that may be noted. `argnums`: absent for all arguments. */
export function apartFor(
  f: Value,
  args: Value[],
  argnums: number | readonly number[] | undefined,
  derivative: (args: Value[]) => Value,
  copy: (values: Value[]) => Value[] = copied,
): Value {
  const seen = typeof f === "function" ? seenOf(f) : undefined;
  if (seen === undefined) return derivative(args);
  const places = typeof argnums === "number" ? [argnums] : (argnums ?? [...args.keys()]);
  return apart(args, places, seen, derivative, false, copy);
}

/** Whether the variables hold an object of the arguments. Before their initialisation they may. */
function isShared(args: Value[], seen: () => Value[]): boolean {
  const own = objectsIn(args, () => false, insideOf);
  if (own.size === 0) return false;
  let others: Value[];
  try {
    others = seen();
  } catch {
    return true;
  }
  let isFound = false;
  objectsIn(others, (o) => (isFound ||= typeof o === "object" && own.has(o)), seenIn);
  return isFound;
}

/** The objects in values, until `stop`. `inside`: what is in one of them. */
function objectsIn(
  values: readonly Value[],
  stop: (o: object) => boolean,
  inside: (one: Value) => Iterable<Value>,
): ReadonlySet<object> {
  const met = new Set<object>();
  const todo: Value[] = [...values];
  while (todo.length > 0) {
    const one: Value = todo.pop();
    if (Object(one) !== one || met.has(one)) continue;
    met.add(one);
    if (stop(one)) break;
    for (const part of inside(one)) todo.push(part);
  }
  return met;
}

/** The same with what variables of functions hold. */
const seenIn = (one: Value): Iterable<Value> =>
  typeof one === "function" ? (seenOf(one)?.() ?? []) : insideOf(one);

/** Parts of an object, and the buffer of a typed array. */
function insideOf(one: Value): Iterable<Value> {
  if (typeof one === "function") return [];
  if (ArrayBuffer.isView(one)) return [one.buffer];
  if (one instanceof Map || one instanceof Set) return one.values();
  if (Array.isArray(one) && typeof one[0] === "number") return [];
  return Object.keys(one).map((key) => Object.getOwnPropertyDescriptor(one, key)?.value);
}
