// Iteration of Maps, Sets, generators and user-defined iterators. It makes the same calls as
// JavaScript, in the same order. The id of each element is in the register.

import { applied } from "./dispatch.ts";
import { id, setId } from "./register.ts";
import { get } from "./shadows.ts";
import { array, iteratorOf } from "./spread.ts";
import { captured, entryId, mapKeyId, run } from "./store.ts";
import { LEFT } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

const mapIterator: Value = /* @__PURE__ */ iteratorOf(Map);
const setIterator: Value = /* @__PURE__ */ iteratorOf(Set);

export function* elements(iterable: Value): Generator<Value> {
  const start = iterable[Symbol.iterator];
  if (iterable instanceof Map && start === mapIterator) {
    for (const [key, value] of iterable)
      yield array(key, mapKeyId(iterable, key), value, entryId(iterable, key));
    return undefined;
  }
  if (iterable instanceof Set && start === setIterator) {
    for (const value of iterable) {
      setId(typeof value === "number" ? entryId(iterable, value) : 0);
      yield value;
    }
    return undefined;
  }
  return yield* eachOf(
    typeof start === "function" ? applied(start, iterable, [], []) : iterable[Symbol.iterator](),
  );
}

/** Elements on demand: an array-like that advances when its length is read, with ids. */
export function pulled(iterable: Value): { readonly list: Value; readonly ids: readonly Id[] } {
  const all = elements(iterable);
  const ids: Id[] = [];
  const list = new Proxy<Value[]>([], {
    get: (values, key): Value => {
      const next = key === "length" ? all.next() : undefined;
      if (next?.done === false)
        ids[values.push(next.value) - 1] = typeof next.value === "number" ? id : 0;
      return Reflect.get(values, key);
    },
  });
  return { list, ids };
}

const generatorNext: Value = /* @__PURE__ */ (() =>
  Object.getPrototypeOf(function* () {}.prototype).next)();

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

/** The results of an iterator, of a rewritten generator or made by rewritten code. */
function* eachOf(iterator: Value): Generator<Value> {
  let left = false;
  let sent: Value;
  let sentId: Id = 0;
  try {
    for (;;) {
      const next = iterator.next;
      setId(sentId);
      // A rewritten generator leaves the id of its value in the register; native iterators have
      // handlers.
      const isGenerator = next === generatorNext;
      if (isGenerator) captured();
      const result = isGenerator
        ? next.call(iterator, sent)
        : applied(next, iterator, [sent], [sentId]);
      const value = isGenerator ? result.value : get(result, "value");
      if (isGenerator) answered(iterator, sent, sentId, value);
      if (typeof value !== "number") setId(0);
      if (result.done) return value;
      left = true;
      sent = yield value;
      sentId = typeof sent === "number" ? id : 0;
      left = false;
    }
  } finally {
    if (left) close(iterator);
  }
}

function close(iterator: Value): void {
  const own = id;
  iterator.return?.();
  setId(own);
}
