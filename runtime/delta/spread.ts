// Literals, spreads and iteration. Iteration makes the same calls as JavaScript, in the same order.
// The id of each element is in the register when the body begins.

import { beyond } from "./general-hooks.ts";
import { idAt, idsOf, isView, setOwn } from "./handles.ts";
import { id, setId } from "./register.ts";
import { get, setKeyId } from "./shadows.ts";
import { newFields, setFields, run, type Fields, type Handle } from "./store.ts";
import type { Id, Value } from "./value.ts";

export class Spread {
  readonly values: Value[] = [];
  readonly ids: Id[] = [];
}

/** A key in `object` that means: spread the following value. */
export const spread: unique symbol = Symbol("spread");

/** An element in `array` that means: a hole. */
export const hole: unique symbol = Symbol("hole");

/** ...iterable */
export function spreadOf(iterable: Value): Spread {
  const all = new Spread();
  for (const value of each(iterable)) {
    all.ids.push(typeof value === "number" ? id : 0);
    all.values.push(value);
  }
  return all;
}

/** { a: e, ...s } */
export function object(...triples: Value[]): Value {
  const made: Value = {};
  const ids = newFields();
  for (let i = 0; i < triples.length; i += 3) {
    const key = triples[i];
    const value = triples[i + 1];
    if (key === spread) spreadInto(made, ids, value);
    else define(made, ids, typeof key === "symbol" ? key : String(key), value, triples[i + 2] ?? 0);
  }
  return record(made, ids);
}

/** A literal with the ids of its fields. */
export function record(made: Value, ids: Fields): Value {
  setFields(made, ids);
  setId(0);
  return made;
}

function define(made: Value, ids: Fields, key: PropertyKey, value: Value, valueId: Id): void {
  setOwn(made, key, value);
  ids[key] = typeof value === "number" ? valueId : 0;
}

function spreadInto(made: Value, ids: Fields, from: Value): void {
  if (from === null || from === undefined) return;
  for (const key of Reflect.ownKeys(Object(from))) {
    if (Object.prototype.propertyIsEnumerable.call(from, key)) {
      const value = get(from, key);
      define(made, ids, key, value, id);
    }
  }
}

/** [a, ...s]; of any type, since the code may assign it to a variable with a tuple type */
export function array(...pairs: Value[]): Value {
  const made: Value[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const value = pairs[i];
    if (value instanceof Spread) {
      for (let k = 0; k < value.values.length; k++)
        append(made, value.values[k], value.ids[k] ?? 0);
    } else if (value === hole) made.length++;
    else append(made, value, pairs[i + 1] ?? 0);
  }
  setId(0);
  return made;
}

function append(made: Value[], value: Value, valueId: Id): void {
  const at = made.length;
  made[at] = value;
  if (typeof value === "number" && valueId !== 0) setKeyId(made, at, valueId);
}

/** The built-in iterator of arrays, Maps and Sets. */
export const iteratorOf = (of: Value): Value => of.prototype[Symbol.iterator];
const arrayIterator: Value = /* @__PURE__ */ iteratorOf(Array);
const viewIterator: Value = /* @__PURE__ */ (() =>
  iteratorOf(Object.getPrototypeOf(Float64Array)))();

const isListed = (o: Value): boolean =>
  typeof o === "object" &&
  o !== null &&
  ((Array.isArray(o) && o[Symbol.iterator] === arrayIterator) ||
    (isView(o) && o[Symbol.iterator] === viewIterator));

/** An array's iterator, with each element's id in the register. The length is read each time. */
class Elements {
  readonly #list: Value;
  #ids: Handle;
  #next = 0;

  constructor(list: Value) {
    this.#list = list;
    this.#ids = idsOf(list);
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Value, undefined> {
    const at = this.#next;
    if (at >= this.#list.length) {
      this.#next = Infinity; // the end is final, though the array may grow
      return { value: undefined, done: true };
    }
    this.#next = at + 1;
    const value = this.#list[at];
    if (this.#ids.keeper !== run.store) this.#ids = idsOf(this.#list); // another run resumed it
    setId(typeof value === "number" ? idAt(this.#ids, at) : 0);
    return { value, done: false };
  }
}

/** The elements of an iterable, each with its id in the register. */
export const each = (iterable: Value): Iterable<Value> =>
  isListed(iterable) ? new Elements(iterable) : beyond().elements(iterable);

/** The first `n` elements, or all. An array is returned itself and read later. */
export function listOf(iterable: Value, n?: number): Value {
  if (isListed(iterable)) return iterable;
  const list: Value[] = [];
  if (n === 0) {
    iterable[Symbol.iterator]().return?.();
    return list;
  }
  for (const value of each(iterable)) {
    append(list, value, id);
    if (n !== undefined && list.length >= n) break;
  }
  return list;
}
