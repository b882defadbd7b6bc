// Iteration of Maps, Sets, generators and user-defined iterators. It makes the same calls as
// JavaScript, in the same order. The id of each element is in the register.

import { applied } from "./dispatch.ts";
import { thrown } from "./functions.ts";
import { id, setId } from "./register.ts";
import { get } from "./shadows.ts";
import { array, iteratorOf } from "./spread.ts";
import { captured, entryId, mapKeyId, run } from "./store.ts";
import { LEFT } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

const mapIterator: Value = /* @__PURE__ */ iteratorOf(Map);
const setIterator: Value = /* @__PURE__ */ iteratorOf(Set);

export function elements(iterable: Value): Iterable<Value> {
  const start = iterable[Symbol.iterator];
  if (iterable instanceof Map && start === mapIterator) return entriesOf(iterable);
  if (iterable instanceof Set && start === setIterator) return membersOf(iterable);
  return new Delegate(
    typeof start === "function" ? applied(start, iterable, [], []) : iterable[Symbol.iterator](),
  );
}

/** What an iterator gives; whoever ends early closes it. */
export const following = (iterator: Value): Delegate => new Delegate(iterator);

function* entriesOf(map: Map<unknown, unknown>): Generator<Value> {
  for (const [key, value] of map) yield array(key, mapKeyId(map, key), value, entryId(map, key));
}

function* membersOf(set: Set<unknown>): Generator<Value> {
  for (const value of set) {
    setId(typeof value === "number" ? entryId(set, value) : 0);
    yield value;
  }
}

/** The methods of native generators. */
const generators: Value = /* @__PURE__ */ (() =>
  Object.getPrototypeOf(function* () {}.prototype))();

/** The result of a generator. One of an earlier run (TSG0015) or of plain code is special. */
export function answered(iterator: Value, given: Value, own: Id, gives: Value): void {
  if (run.store.promises?.get(iterator) === LEFT) setId(LEFT);
  if (own !== 0 && id === own && typeof gives === "number" && !Object.is(gives, given)) {
    setId(0);
    throw failure(
      "TSG0010",
      "a generator that plain code has made is given a number that a derivative has to pass through; make the generator in the function that is differentiated",
    );
  }
}

/** Passes on what a loop or `yield*` asks of an iterator. An id is in the register throughout. */
class Delegate {
  readonly #iterator: Value;

  constructor(iterator: Value) {
    this.#iterator = iterator;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(sent?: Value): IteratorResult<Value> {
    return this.#ask("next", this.#iterator.next, [sent]);
  }

  throw(error: Value): IteratorResult<Value> {
    const method = this.#iterator.throw;
    if (method !== undefined && method !== null)
      return this.#ask("throw", method, [thrown(error, id)]);
    this.#iterator.return?.();
    throw new TypeError("The iterator does not provide a 'throw' method");
  }

  /** Without arguments, a loop ends early, and the register holds what is returned there. */
  return(...args: Value[]): IteratorResult<Value> {
    const own = id;
    const method = this.#iterator.return;
    const result: IteratorResult<Value> =
      method === undefined || method === null
        ? { value: args[0], done: true }
        : this.#ask("return", method, args);
    if (args.length === 0 || method === undefined || method === null) setId(own);
    return result;
  }

  #ask(name: "next" | "throw" | "return", method: Value, args: Value[]): Value {
    const iterator = this.#iterator;
    const own = typeof args[0] === "number" ? id : 0;
    setId(own);
    // A rewritten generator leaves the id of its value in the register; native iterators have
    // handlers.
    const isGenerator = method === generators[name];
    if (isGenerator) captured();
    const result = isGenerator
      ? Reflect.apply(method, iterator, args)
      : applied(method, iterator, args, [own]);
    if (typeof result !== "object" || result === null) return result;
    const { done } = result;
    const value = isGenerator ? result.value : get(result, "value");
    if (isGenerator) answered(iterator, args[0], own, value);
    if (typeof value !== "number") setId(0);
    return { value, done };
  }
}
