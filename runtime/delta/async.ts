// Promises in rewritten code. Code after an await records in the run that preceded it. Promises are
// fulfilled with plain values; the run's store holds their ids.

import { applied } from "./dispatch.ts";
import { id, setId } from "./register.ts";
import { leaveAll } from "./persistent-state.ts";
import { get } from "./shadows.ts";
import { each } from "./spread.ts";
import { idle, inside, isLeftOver, resume, run, type Run, type Store } from "./store.ts";
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

export const box = (value: Value, valueId: Id): Value =>
  new Boxed(value, typeof value === "number" ? valueId : 0);

const isThenable = (value: Value): boolean =>
  value !== null &&
  (typeof value === "object" || typeof value === "function") &&
  typeof value.then === "function";

function note({ store }: Run, promise: object, valueId: Id): void {
  store.isUsed = true;
  (store.promises ??= new WeakMap()).set(promise, valueId);
  if (valueId !== 0) noted.set(promise, store);
}

/** The stores that hold the ids of promises. */
const noted = /* @__PURE__ */ new WeakMap<object, Store>();

/** The id of a promise's value; LEFT for one that persists from another run (TSG0015). */
function idOf(own: Run, promise: object, result: Value): Id {
  const known = own.store.promises?.get(promise);
  const by = known === undefined ? noted.get(promise) : undefined;
  if (by !== undefined && inside(own, () => isLeftOver(promise))) return LEFT;
  if (known === LEFT && typeof result === "object")
    inside(own, () => {
      leaveAll(result);
    });
  return known ?? 0;
}

export function async(body: () => Promise<Value>): Promise<Value> {
  const own = run;
  const running = body();
  resume(own);
  const promise: Promise<Value> = running.then(async (result) => {
    if (!(result instanceof Boxed)) return result;
    if (!isThenable(result.value)) {
      note(own, promise, result.id);
      return result.value;
    }
    const value = await result.value;
    note(own, promise, idOf(own, result.value, value));
    return value;
  });
  setId(0);
  return promise;
}

/** `await value`. It never rejects, so that `woke` can resume the run first. */
export async function wait(value: Value, valueId: Id): Promise<Woken> {
  const own = run;
  own.suspended = true;
  // Code that runs meanwhile does not belong to the run.
  resume(idle);
  try {
    const result = await value;
    const known = isThenable(value) ? idOf(own, value, result) : valueId;
    return { own, value: result, id: typeof result === "number" ? known : 0, failed: false };
  } catch (error) {
    return { own, value: error, id: 0, failed: true };
  }
}

export function woke(woken: Woken): Value {
  resume(woken.own);
  if (woken.failed) throw woken.value;
  setId(woken.id);
  return woken.value;
}

/** Sets the id of a promise's value, for natives. `own`: the run that awaits it. */
export function fulfilled(promise: object, valueId: Id, own: Run = run): void {
  note(own, promise, valueId);
}

export const promiseId = (promise: object, own: Run = run): Id =>
  own.store.promises?.get(promise) ?? 0;

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
