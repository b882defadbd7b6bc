// Promises in rewritten code. In: bodies of async functions, awaited values. Out: promises of the plain values; ids in the run's store.
// Invariant: what follows an await records in the run that preceded it.

import { id, setId } from "./register.ts";
import { resume, run, type Run } from "./store.ts";
import type { Id, Value } from "./value.ts";

/** What an async body hands out. */
class Boxed {
  readonly value: Value;
  readonly id: Id;
  constructor(value: Value, valueId: Id) {
    this.value = value;
    this.id = valueId;
  }
}

/** What an await comes back with. */
interface Woken { readonly own: Run; readonly value: Value; readonly id: Id; readonly failed: boolean }

export const box = (value: Value, valueId: Id): Value => new Boxed(value, typeof value === "number" ? valueId : 0);

const isThenable = (value: Value): boolean => value !== null && (typeof value === "object" || typeof value === "function") && typeof value.then === "function";

function note({ store }: Run, promise: object, valueId: Id): void {
  store.isUsed = true;
  (store.promises ??= new WeakMap()).set(promise, valueId);
}

/** The promise of an async body. */
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
    note(own, promise, own.store.promises?.get(result.value) ?? 0);
    return value;
  });
  setId(0);
  return promise;
}

/** await value: gives something that never rejects, so that `woke` can go back to the run first. */
export async function wait(value: Value, valueId: Id): Promise<Woken> {
  const own = run;
  own.suspended = true;
  try {
    const result = await value;
    const known = isThenable(value) ? (own.store.promises?.get(value) ?? 0) : valueId;
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

/** Says what id a promise is fulfilled with: for natives that make promises. */
export function fulfilled(promise: object, valueId: Id): void {
  note(run, promise, valueId);
}

export const promiseId = (promise: object): Id => run.store.promises?.get(promise) ?? 0;

/** for await (const x of iterable) */
export async function* eachAsync(iterable: Value): AsyncGenerator<Value, void, Value> {
  const own = run;
  own.suspended = true;
  for await (const value of iterable) {
    const valueId = id;
    resume(own);
    setId(typeof value === "number" && iterable[Symbol.asyncIterator] !== undefined ? valueId : 0);
    yield value;
  }
  resume(own);
}
