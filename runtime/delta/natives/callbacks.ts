// Array methods with callbacks. The native itself runs, with a callback around the user's that
// passes ids in and collects them.

import { applied, deltaOf, handle } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { id, ret, setId, settled } from "../register.ts";
import { primitive } from "../primitive.ts";
import { isView, putId } from "../handles.ts";
import { handleOf, type Handle } from "../store.ts";
import type { DeltaFunction, Handler, Id, Value } from "../value.ts";
import { idAt, setIds, takeIds } from "./elements.ts";

type Around = (native: Value, self: Value, args: Value[], ids: Id[]) => Value;

/** Runs the native with a wrapped callback. It rejects a non-function itself. */
function around(native: Value, make: Around): Handler {
  return (self, args, ids) =>
    typeof args[0] === "function"
      ? make(native, self, args, ids)
      : ret(Reflect.apply(native, self, args), 0);
}

/** `f(value, k, array)` */
const each = (
  f: Value,
  thisArg: Value,
  self: Value,
  value: Value,
  k: number,
  all: Value,
): Value => {
  const own = idAt(self, k, value);
  const delta = deltaOf(f);
  return delta === undefined
    ? applied(f, thisArg, [value, k, all], [own, 0, 0])
    : settled(delta.call(thisArg, [own, 0, 0], value, k, all));
};

const plainResult: Around = (native, self, [f, thisArg]) =>
  ret(
    native.call(self, (value: Value, k: number, all: Value) =>
      each(f, thisArg, self, value, k, all),
    ),
    0,
  );

/** `map` of an array with ids by a rewritten function, with loop-invariant lookups hoisted. */
function mapped(
  native: Value,
  self: Value[],
  { ids: given }: Handle,
  f: DeltaFunction,
  thisArg: Value,
): Value {
  const ids: Id[] = [];
  const made = native.call(self, (value: Value, k: number, all: Value) => {
    const own = typeof value === "number" ? (given[k] ?? 0) : 0;
    setId(0);
    const result = f.call(thisArg, [own, 0, 0], value, k, all);
    putId(ids, k, typeof result === "number" ? id : 0);
    return result;
  });
  takeIds(made, ids);
  return ret(made, 0);
}

const map: Around = (native, self, [f, thisArg]) => {
  const handle = Array.isArray(self) ? handleOf(self) : undefined;
  const delta = handle === undefined ? undefined : deltaOf(f);
  if (handle !== undefined && delta !== undefined)
    return mapped(native, self, handle, delta, thisArg);
  const ids: Id[] = [];
  const made = native.call(self, (value: Value, k: number, all: Value) => {
    const given = each(f, thisArg, self, value, k, all);
    const result = isView(self) ? primitive(given, id, "number") : given;
    ids[k] = typeof result === "number" ? id : 0;
    return result;
  });
  setIds(made, ids);
  return ret(made, 0);
};

const filter: Around = (native, self, [f, thisArg]) => {
  const ids: Id[] = [];
  const made = native.call(self, (value: Value, k: number, all: Value) => {
    const own = idAt(self, k, value);
    const kept = each(f, thisArg, self, value, k, all);
    if (kept) ids.push(own);
    return kept;
  });
  setIds(made, ids);
  return ret(made, 0);
};

const find: Around = (native, self, [f, thisArg]) => {
  let found: Id = 0;
  const value = native.call(self, (each1: Value, k: number, all: Value) => {
    const own = idAt(self, k, each1);
    const is = each(f, thisArg, self, each1, k, all);
    if (is) found = own;
    return is;
  });
  return ret(value, found);
};

const flatMap: Around = (native, self, [f, thisArg]) => {
  const ids: Id[] = [];
  const made = native.call(self, (value: Value, k: number, all: Value) => {
    const result = each(f, thisArg, self, value, k, all);
    if (Array.isArray(result))
      for (let i = 0; i < result.length; i++) {
        if (i in result) ids.push(idAt(result, i, result[i]));
      }
    else ids.push(typeof result === "number" ? id : 0);
    return result;
  });
  setIds(made, ids);
  return ret(made, 0);
};

/** `step`: 1 from the left, -1 from the right. */
const reduce =
  (step: 1 | -1): Around =>
  (native, self, args, ids) => {
    const [f, initial] = args;
    let total: Id = ids[1] ?? 0;
    if (args.length < 2) {
      let k = step === 1 ? 0 : self.length - 1;
      while (k >= 0 && k < self.length && !(k in self)) k += step;
      total = k in self ? idAt(self, k, self[k]) : 0;
    }
    const callback = (sum: Value, value: Value, k: number, all: Value): Value => {
      const result = applied(
        f,
        undefined,
        [sum, value, k, all],
        [typeof sum === "number" ? total : 0, idAt(self, k, value), 0, 0],
      );
      total = typeof result === "number" ? id : 0;
      return result;
    };
    const value =
      args.length < 2 ? native.call(self, callback) : native.call(self, callback, initial);
    return ret(value, total);
  };

interface Entry {
  readonly value: Value;
  readonly id: Id;
}
const NONE: Entry = { value: undefined, id: 0 };

/** String order, as of `sort` without a function. */
const asText = (a: Entry, b: Entry): number => {
  const x = String(a.value);
  const y = String(b.value);
  return x < y ? -1 : x > y ? 1 : 0;
};

/** Order of typed arrays: NaN last, -0 before 0. */
const asNumber = ({ value: a }: Entry, { value: b }: Entry): number =>
  a < b
    ? -1
    : a > b
      ? 1
      : Number.isNaN(a)
        ? Number.isNaN(b)
          ? 0
          : 1
        : Number.isNaN(b)
          ? -1
          : a === 0 && b === 0
            ? Number(Object.is(b, -0)) - Number(Object.is(a, -0))
            : 0;

/** Sorts values with their ids, by the comparisons that the native makes. */
function sorted(self: Value, compare: Value): Entry[] {
  const entries: Entry[] = [];
  for (let k = 0; k < self.length; k++)
    if (k in self && self[k] !== undefined)
      entries.push({ value: self[k], id: idAt(self, k, self[k]) });
  const order =
    compare === undefined
      ? Array.isArray(self)
        ? asText
        : asNumber
      : (a: Entry, b: Entry): Value =>
          applied(compare, undefined, [a.value, b.value], [a.id, b.id]);
  if (Array.isArray(self)) return entries.sort(order);
  // Typed arrays compare other pairs, which matters for an inconsistent comparison, as with NaN.
  return Array.from(
    Float64Array.from(entries.keys()).sort((i, j) => order(entries[i] ?? NONE, entries[j] ?? NONE)),
    (k) => entries[k] ?? NONE,
  );
}

const refused = (compare: Value): boolean => compare !== undefined && typeof compare !== "function";

const sort =
  (native: Value): Handler =>
  (self, args) => {
    if (refused(args[0])) return ret(Reflect.apply(native, self, args), 0);
    const entries = sorted(self, args[0]);
    let holes = 0;
    for (let k = 0; k < self.length; k++) if (!(k in self)) holes++;
    for (let k = 0; k < self.length; k++) {
      if (k < entries.length) self[k] = entries[k]?.value;
      else if (k < self.length - holes) self[k] = undefined;
      else delete self[k];
    }
    setIds(
      self,
      entries.map((entry) => entry.id),
    );
    return ret(self, 0);
  };

const toSorted =
  (native: Value): Handler =>
  (self, args) => {
    if (refused(args[0])) return ret(Reflect.apply(native, self, args), 0);
    const entries = sorted(self, args[0]);
    const made = isView(self) ? self.toReversed() : new Array(self.length);
    for (let k = 0; k < made.length; k++) made[k] = entries[k]?.value;
    setIds(
      made,
      entries.map((entry) => entry.id),
    );
    return ret(made, 0);
  };

export const callbacks: Family = () => {
  const HANDLERS: Readonly<Record<string, Around>> = {
    forEach: plainResult,
    some: plainResult,
    every: plainResult,
    findIndex: plainResult,
    findLastIndex: plainResult,
    map,
    filter,
    find,
    findLast: find,
    flatMap,
    reduce: reduce(1),
    reduceRight: reduce(-1),
  };

  for (const prototype of [Array.prototype, Object.getPrototypeOf(Float64Array.prototype)]) {
    for (const [name, make] of Object.entries(HANDLERS)) {
      const native: Value = prototype[name];
      handle(native, around(native, make));
    }
    handle(prototype.sort, sort(prototype.sort));
    handle(prototype.toSorted, toSorted(prototype.toSorted));
  }
};
