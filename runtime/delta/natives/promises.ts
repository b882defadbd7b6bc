// Promises, timers and DataViews. A callback runs in the run that was recording when it was passed.

import { applied, handle, handleNew } from "../dispatch.ts";
import { fulfilled, promiseId } from "../async.ts";
import type { Family } from "../families.ts";
import { id, ret, setId } from "../register.ts";
import { setKeyId } from "../shadows.ts";
import { each } from "../spread.ts";
import { inside, run } from "../store.ts";
import { bytesId, setBytesId } from "../views.ts";
import type { Handler, Id, Value } from "../value.ts";

const isPromise = (value: Value): boolean =>
  value !== null && typeof value === "object" && typeof value.then === "function";

/** A callback of `then`, in its run. Sets the id of its result. */
function inRun(f: Value, idOf: () => Id, done: (value: Value, own: Id) => void): Value {
  if (typeof f !== "function") return f;
  const own = run;
  own.suspended = true;
  return (value: Value): Value =>
    inside(own, () => {
      const result = applied(f, undefined, [value], [typeof value === "number" ? idOf() : 0]);
      done(result, id);
      return result;
    });
}

const then: Handler = (self, [onFulfilled, onRejected]) => {
  const settledId: { of: Value; id: Id } = { of: undefined, id: 0 };
  const note = (value: Value, own: Id): void => {
    settledId.of = value;
    settledId.id = own;
  };
  const made: Promise<Value> = Reflect.apply(Promise.prototype.then, self, [
    inRun(onFulfilled, () => promiseId(self), note),
    inRun(onRejected, () => 0, note),
  ]);
  const own = run;
  const result = made.then((value) => {
    const of = settledId.of;
    fulfilled(
      result,
      typeof value === "number"
        ? isPromise(of)
          ? promiseId(of, own)
          : typeof onFulfilled === "function" || settledId.id !== 0
            ? settledId.id
            : promiseId(self, own)
        : 0,
      own,
    );
    return value;
  });
  return ret(result, 0);
};

function chained(): void {
  const prototype: Value = Promise.prototype;
  handle(prototype.then, then);
  handle(prototype.catch, (self, [onRejected]) => then(self, [undefined, onRejected], []));
  handle(prototype.finally, (self, [f]) => {
    const made: Promise<Value> = Reflect.apply(prototype.finally, self, [
      inRun(
        f,
        () => 0,
        () => undefined,
      ),
    ]);
    const own = run;
    const result: Promise<Value> = made.then((value: Value) => {
      fulfilled(result, promiseId(self, own), own);
      return value;
    });
    return ret(result, 0);
  });
}

function made(): void {
  handle(Promise.resolve, (self, args, ids) => {
    const made = Reflect.apply(Promise.resolve, self, args);
    if (typeof args[0] === "number") fulfilled(made, ids[0] ?? 0);
    return ret(made, 0);
  });
  handle(Promise.reject, (self, args) => ret(Reflect.apply(Promise.reject, self, args), 0));
  handle(Promise.all, (self, [items]) => {
    const values: Value[] = [];
    const ids: Id[] = [];
    for (const value of each(items)) {
      ids.push(typeof value === "number" ? id : 0);
      values.push(value);
    }
    const own = run;
    own.suspended = true;
    const made: Promise<Value[]> = Reflect.apply(Promise.all, self, [values]);
    return ret(
      made.then((all) =>
        inside(own, () => {
          all.forEach((value, k) => {
            if (typeof value === "number")
              setKeyId(all, k, isPromise(values[k]) ? promiseId(values[k]) : (ids[k] ?? 0));
          });
          return all;
        }),
      ),
      0,
    );
  });
  handleNew(Promise, (target, args) => {
    const own = run;
    own.suspended = true;
    // `resolve` may be called before the promise exists.
    // eslint-disable-next-line prefer-const -- `settle` reads it before the assignment
    let made: Value;
    let givenId: Id = 0;
    const executor = (resolve: Value, reject: Value): void => {
      const settle: Value = (value: Value): void => resolve(value);
      handle(settle, (_self, [value], ids) => {
        givenId = typeof value === "number" ? (ids[0] ?? 0) : 0;
        if (made !== undefined) fulfilled(made, givenId, own);
        resolve(value);
        setId(0);
      });
      handle(reject, (_self, [reason]) => ret(reject(reason), 0));
      applied(args[0], undefined, [settle, reject], [0, 0]);
    };
    made = Reflect.construct(Promise, [executor], target);
    if (givenId !== 0) fulfilled(made, givenId, own);
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
      return ret(value, bytesId(self.buffer, array, self.byteOffset + (Number(args[0]) || 0)));
    });
    handle(set, (self, args, ids) => {
      Reflect.apply(set, self, args);
      setBytesId(
        self.buffer,
        array,
        self.byteOffset + (Number(args[0]) || 0),
        kind.startsWith("Float") ? (ids[1] ?? 0) : 0,
      );
      return ret(undefined, 0);
    });
  }
  handleNew(DataView, (target, args) => ret(Reflect.construct(DataView, args, target), 0));
};
