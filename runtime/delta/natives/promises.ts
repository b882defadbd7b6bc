// Promises, timers and DataViews. A callback runs in the run that was recording when it was passed.

import { applied, handle, handleNew } from "../dispatch.ts";
import { follow, given, nativeThen, note, noteThrown, promiseId, settling } from "../async.ts";
import type { Family } from "../families.ts";
import { caught } from "../functions.ts";
import { primitive } from "../primitive.ts";
import { id, ret } from "../register.ts";
import { setKeyId } from "../shadows.ts";
import { each } from "../spread.ts";
import { inside, run, type Run } from "../store.ts";
import { bytesId, setBytesId } from "../views.ts";
import type { Handler, Id, Value } from "../value.ts";

/** A callback of `then`, in its run. What it gives or throws settles the promise `made`. */
function inRun(own: Run, self: Value, f: Value, made: () => object): Value {
  if (typeof f !== "function") return f;
  own.suspended = true;
  return (value: Value): Value =>
    inside(own, () => {
      try {
        const result = applied(f, undefined, [value], [promiseId(self, own, value)]);
        return given(own, made(), result, id);
      } catch (error) {
        noteThrown(own, made(), error);
        throw error;
      }
    });
}

const then: Handler = (self, [onFulfilled, onRejected]) => {
  const own = run;
  const callback = (f: Value): Value => inRun(own, self, f, () => made);
  const made: Value = Reflect.apply(nativeThen, self, [
    callback(onFulfilled),
    callback(onRejected),
  ]);
  follow(made, self);
  return ret(made, 0);
};

/** Calls `f` when a promise settles, before the callbacks that are added later. */
const settled = (promise: Value, f: (value: Value, isFulfilled: boolean) => void): void =>
  Reflect.apply(nativeThen, promise, [
    (value: Value) => {
      f(value, true);
    },
    (reason: Value) => {
      f(reason, false);
    },
  ]);

/** A callback of `finally`. Only what it throws, or a promise that rejects, counts. */
function atTheEnd(own: Run, f: Value, made: () => object): Value {
  if (typeof f !== "function") return f;
  own.suspended = true;
  return (): Value =>
    inside(own, () => {
      try {
        const result = applied(f, undefined, [], []);
        if (typeof result?.then !== "function") return result;
        const key = {};
        const promise = Promise.resolve(given(own, key, result, 0));
        settled(promise, (_, isFulfilled) => {
          if (!isFulfilled) follow(made(), key);
        });
        return promise;
      } catch (error) {
        noteThrown(own, made(), error);
        throw error;
      }
    });
}

function chained(): void {
  const prototype: Value = Promise.prototype;
  handle(prototype.then, then);
  handle(prototype.catch, (self, [onRejected]) =>
    applied(self.then, self, [undefined, onRejected], [0, 0]),
  );
  handle(prototype.finally, (self, [f]) => {
    const made: Value = Reflect.apply(prototype.finally, self, [atTheEnd(run, f, () => made)]);
    follow(made, self);
    return ret(made, 0);
  });
}

const resolve: Handler = (self, [value], ids) => {
  const key = {};
  const made = Reflect.apply(Promise.resolve, self, [given(run, key, value, ids[0] ?? 0)]);
  if (made !== value) follow(made, key);
  return ret(made, 0);
};

const reject: Handler = (self, args, ids) => {
  const made = Reflect.apply(Promise.reject, self, args);
  note(run, made, args[0], ids[0] ?? 0);
  return ret(made, 0);
};

/** Sets the ids of a result, from the promises that it is made of. */
type Collect = (result: Value, idOf: (k: number) => Id) => void;

const elements: Collect = (list, idOf) => {
  for (const [k, value] of list.entries())
    if (typeof value === "number") setKeyId(list, k, idOf(k));
};
const outcomes: Collect = (list, idOf) => {
  for (const [k, one] of list.entries())
    for (const key of ["value", "reason"])
      if (typeof one[key] === "number") setKeyId(one, key, idOf(k));
};

/** Stands for `Promise` where a native allocates its result: `f` sees what settles it. */
function capability(of: Value, f: (value: Value, isFulfilled: boolean) => void): Value {
  const allocate = function (executor: Value): Value {
    return Reflect.construct(of, [
      (onResolve: Value, onReject: Value): void => {
        executor(
          (value: Value) => {
            f(value, true);
            onResolve(value);
          },
          (reason: Value) => {
            f(reason, false);
            onReject(reason);
          },
        );
      },
    ]);
  };
  return Object.assign(allocate, { resolve: (promise: Value): Value => promise });
}

/** `Promise.all` and the like. A result that is no list is the first promise's. */
const joint =
  (native: Value, onFulfilled: Collect | null, onRejected: Collect | null): Handler =>
  (self, [items]) => {
    const own = run;
    own.suspended = true;
    const promises: Value[] = [];
    try {
      for (const value of each(items))
        promises.push(resolve(self, [value], [typeof value === "number" ? id : 0]));
    } catch (error) {
      return reject(self, [error], [caught(error)]);
    }
    const first: { fulfilled?: object; rejected?: object } = {};
    for (const promise of promises)
      settled(promise, (_, isFulfilled) => {
        first[isFulfilled ? "fulfilled" : "rejected"] ??= promise;
      });
    const of = capability(self, (result, isFulfilled) => {
      const collect = isFulfilled ? onFulfilled : onRejected;
      const decisive = isFulfilled ? first.fulfilled : first.rejected;
      if (collect !== null)
        inside(own, () => {
          collect(result, (k) => promiseId(promises[k], own));
        });
      else if (decisive !== undefined) follow(made, decisive);
    });
    const made: Value = Reflect.apply(native, of, [promises]);
    return ret(made, 0);
  };

function made(): void {
  const of: Value = Promise;
  handle(of.resolve, resolve);
  handle(of.reject, reject);
  handle(of.all, joint(of.all, elements, null));
  handle(of.allSettled, joint(of.allSettled, outcomes, null));
  handle(of.race, joint(of.race, null, null));
  handle(
    of.any,
    joint(of.any, null, ({ errors }, idOf) => {
      elements(errors, idOf);
    }),
  );
  handleNew(Promise, (target, args) => {
    if (typeof args[0] !== "function") return Reflect.construct(Promise, args, target);
    const own = run;
    own.suspended = true;
    const key = {};
    const executor = (onResolve: Value, onReject: Value): void => {
      const { settle, fail, failWith } = settling(own, key, onResolve, onReject);
      try {
        applied(args[0], undefined, [settle, fail], [0, 0]);
      } catch (error) {
        failWith(error, caught(error));
      }
    };
    const made = Reflect.construct(Promise, [executor], target);
    follow(made, key);
    return ret(made, 0);
  });
}

/** Functions that call their argument later, in the run that passed it. */
function timers(): void {
  const host: Value = globalThis;
  const later = (native: Value, ownArguments: number): void => {
    if (typeof native !== "function") return;
    handle(native, (self, [f, ...more], ids) => {
      const own = run;
      own.suspended = true;
      const callback = (...args: Value[]): Value =>
        inside(own, () =>
          applied(
            f,
            undefined,
            args,
            args.map((value, k) => (typeof value === "number" ? (ids[ownArguments + k] ?? 0) : 0)),
          ),
        );
      return ret(Reflect.apply(native, self, [typeof f === "function" ? callback : f, ...more]), 0);
    });
  };
  later(host.queueMicrotask, 1);
  later(host.setImmediate, 1);
  later(host.requestAnimationFrame, 1);
  later(host.setTimeout, 2);
  later(host.setInterval, 2);
}

export const promises: Family = () => {
  chained();
  made();
  timers();
};

const byteOf = (view: Value, at: Value): number => view.byteOffset + (Math.trunc(Number(at)) || 0);

export const dataViews: Family = () => {
  const view: Value = DataView.prototype;
  for (const kind of [
    "Float64",
    "Float32",
    "Int8",
    "Uint8",
    "Int16",
    "Uint16",
    "Int32",
    "Uint32",
    "BigInt64",
    "BigUint64",
  ]) {
    const get = view[`get${kind}`];
    const set = view[`set${kind}`];
    const array = `${kind}Array`;
    handle(get, (self, args) => {
      const value = Reflect.apply(get, self, args);
      return ret(value, bytesId(self.buffer, array, byteOf(self, args[0])));
    });
    handle(set, (self, [at, value, isLittle], ids) => {
      const stored = primitive(value, ids[1] ?? 0, "number");
      const own = kind.startsWith("Float") && typeof stored === "number" ? id : 0;
      Reflect.apply(set, self, [at, stored, isLittle]);
      setBytesId(self.buffer, array, byteOf(self, at), own);
      return ret(undefined, 0);
    });
  }
  handleNew(DataView, (target, args) => ret(Reflect.construct(DataView, args, target), 0));
};
