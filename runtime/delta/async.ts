// Promises in rewritten code. Code after an await records in the run that preceded it. Promises
// settle with plain values; the run's store holds their ids.

import { applied } from "./dispatch.ts";
import { caught, thrown } from "./functions.ts";
import { link } from "./links.ts";
import { id, ret, setId } from "./register.ts";
import { leaveAll } from "./persistent-state.ts";
import { get } from "./shadows.ts";
import { each } from "./spread.ts";
import { idle, inside, isLeftOver, resume, run, type Run } from "./store.ts";
import { LEFT } from "./tape.ts";
import type { Id, Value } from "./value.ts";

class Boxed {
  readonly value: Value;
  readonly id: Id;
  constructor(value: Value, valueId: Id) {
    this.value = value;
    this.id = valueId;
  }
}

interface Woken {
  readonly own: Run;
  readonly value: Value;
  readonly id: Id;
  readonly failed: boolean;
}

const numberId = (value: Value, own: Id): Id => (typeof value === "number" ? own : 0);

export const box = (value: Value, valueId: Id): Value => new Boxed(value, numberId(value, valueId));

const isThenable = (value: Value): boolean =>
  value !== null &&
  (typeof value === "object" || typeof value === "function") &&
  typeof value.then === "function";

export const nativeThen: Value = /* @__PURE__ */ (() => Promise.prototype.then)();

/** Promises that an active number settled, in any run. */
const noted = /* @__PURE__ */ new WeakSet<object>();

/** Promises that settle as another one does. */
const followed = /* @__PURE__ */ new WeakMap<object, object>();

export function follow(promise: object, other: object): void {
  if (promise !== other) followed.set(promise, other);
}

/** Notes the id of the number that settles a promise. */
export function note({ store }: Run, promise: object, value: Value, valueId: Id): void {
  const own = numberId(value, valueId);
  store.isUsed = true;
  followed.delete(promise);
  (store.promises ??= new WeakMap()).set(promise, own);
  if (own !== 0) noted.add(promise);
}

/** Notes that a callback of a promise, or an asynchronous function, throws. */
export function noteThrown(own: Run, promise: object, error: Value): void {
  note(own, promise, error, caught(error));
}

/** The id of what a promise has settled with; LEFT if that persists from another run (TSG0015). */
export function promiseId(promise: object, own: Run = run, result?: Value): Id {
  let known: Id | undefined;
  let isNoted = false;
  for (let at: object | undefined = promise; at !== undefined; at = followed.get(at)) {
    known ??= own.store.promises?.get(at);
    isNoted ||= noted.has(at);
  }
  if (known === undefined) return isNoted && inside(own, () => isLeftOver(promise)) ? LEFT : 0;
  if (known === LEFT && typeof result === "object")
    inside(own, () => {
      leaveAll(result);
    });
  return known;
}

/** What a promise is resolved with in place of `value`, so that its id is noted in time. */
export function given(own: Run, promise: object, value: Value, valueId: Id): Value {
  if (!isThenable(value)) {
    note(own, promise, value, valueId);
    return value;
  }
  if (value instanceof Promise && value.then === nativeThen) {
    follow(promise, value);
    return value;
  }
  // The method of other code takes functions that know ids.
  return {
    then: (resolve: Value, reject: Value): Value =>
      inside(own, () => {
        const { settle, fail } = settling(own, promise, resolve, reject);
        return applied(value.then, value, [settle, fail], [0, 0]);
      }),
  };
}

/** Functions that settle a promise. The first call decides. */
export function settling(
  own: Run,
  promise: object,
  resolve: Value,
  reject: Value,
): { readonly settle: Value; readonly fail: Value; failWith(reason: Value, own: Id): void } {
  let isOpen = true;
  const settleWith = (value: Value, valueId: Id): void => {
    const to = isOpen ? given(own, promise, value, valueId) : value;
    isOpen = false;
    resolve(to);
  };
  const failWith = (reason: Value, reasonId: Id): void => {
    if (isOpen) note(own, promise, reason, reasonId);
    isOpen = false;
    reject(reason);
  };
  const linked = (f: (value: Value, valueId: Id) => void): Value =>
    link(
      (value: Value): void => {
        f(value, 0);
      },
      ([valueId]: Id[], value: Value): Value => {
        f(value, valueId ?? 0);
        return ret(undefined, 0);
      },
    );
  return { settle: linked(settleWith), fail: linked(failWith), failWith };
}

export function async(body: () => Promise<Value>): Promise<Value> {
  const own = run;
  const running = body();
  resume(own);
  const promise: Promise<Value> = running.then(
    (result) => (result instanceof Boxed ? given(own, promise, result.value, result.id) : result),
    (error: unknown) => {
      inside(own, () => {
        noteThrown(own, promise, error);
      });
      throw error;
    },
  );
  setId(0);
  return promise;
}

/** `await value`. It never rejects, so that `woke` can resume the run first. */
export async function wait(value: Value, valueId: Id): Promise<Woken> {
  const own = run;
  own.suspended = true;
  // Code that runs meanwhile does not belong to the run.
  resume(idle);
  const key = {};
  const isLater = isThenable(value);
  const idOf = (result: Value): Id =>
    isLater ? numberId(result, promiseId(key, own, result)) : numberId(result, valueId);
  try {
    const result = await (isLater ? given(own, key, value, 0) : value);
    return { own, value: result, id: idOf(result), failed: false };
  } catch (error) {
    return { own, value: error, id: idOf(error), failed: true };
  }
}

export function woke(woken: Woken): Value {
  resume(woken.own);
  if (woken.failed) throw thrown(woken.value, woken.id);
  setId(woken.id);
  return woken.value;
}

/** The iterable of a `for await`. Each element, and `end` after the loop, is passed to `woke`. */
export function eachAsync(iterable: Value): AsyncIterable<Woken> & { readonly end: Woken } {
  const own = run;
  const start = iterable[Symbol.asyncIterator];
  own.suspended = true;
  const elements =
    typeof start === "function"
      ? elementsOf(applied(start, iterable, [], []), own)
      : awaited(iterable, own);
  return Object.assign(elements, { end: { own, value: undefined, id: 0, failed: false } });
}

async function* awaited(iterable: Value, own: Run): AsyncGenerator<Woken, void, undefined> {
  for (const value of each(iterable)) {
    yield await wait(value, id);
    resume(own);
  }
}

/** The results of an iterator: rewritten ones are records with ids, native ones have no ids. */
async function* elementsOf(iterator: Value, own: Run): AsyncGenerator<Woken, void, undefined> {
  let left = false;
  try {
    for (;;) {
      const result = woke(await wait(applied(iterator.next, iterator, [], []), 0));
      if (result.done) return;
      const value = get(result, "value");
      left = true;
      yield { own, value, id: typeof value === "number" ? id : 0, failed: false };
      left = false;
      resume(own);
    }
  } finally {
    if (left && iterator.return !== undefined)
      woke(await wait(applied(iterator.return, iterator, [], []), 0));
  }
}
