// Methods of iterators that iterators of the language inherit: `map`, `take`, `reduce`,
// `Iterator.from`. Generators take their place, which ask in the same order and close what they
// began; the natives only check the arguments. Absent where the language has none.

import { applied, handle } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { following } from "../iterables.ts";
import { id, ret, setId } from "../register.ts";
import { each } from "../spread.ts";
import type { Handler, Id, Value } from "../value.ts";
import { setIds } from "./elements.ts";

/** A callback's result for the next element; its id is in the register. */
const asked = (f: Value, value: Value, k: number, own: Id): Value => {
  const result = applied(f, undefined, [value, k], [own, 0]);
  if (typeof result !== "number") setId(0);
  return result;
};

/** Yields a value whose id stays in the register. */
const LAZY: Readonly<Record<string, (self: Value, argument: Value) => Generator<Value>>> = {
  *map(self, f) {
    let k = 0;
    for (const value of following(self)) yield asked(f, value, k++, id);
  },
  *filter(self, f) {
    let k = 0;
    for (const value of following(self)) {
      const own = id;
      if (!asked(f, value, k++, own)) continue;
      setId(own);
      yield value;
    }
  },
  *take(self, most) {
    const walk = following(self);
    let left = Math.trunc(Number(most));
    if (left === 0) {
      walk.return();
      return;
    }
    for (const value of walk) {
      yield value;
      if (--left === 0) break;
    }
  },
  *drop(self, least) {
    let left = Math.trunc(Number(least));
    for (const value of following(self)) if (left-- <= 0) yield value;
  },
  *flatMap(self, f) {
    let k = 0;
    for (const value of following(self)) {
      const inner = asked(f, value, k++, id);
      if (Object(inner) !== inner) throw new TypeError(`${String(inner)} is not an object`);
      yield* each(inner[Symbol.iterator] === undefined ? following(inner) : inner);
    }
  },
};

/** By name: whether the first result of the callback that is `stop` ends it, and what it gives. */
const TESTS: Readonly<Record<string, readonly [stop: boolean | null, end: Value]>> = {
  some: [true, false],
  every: [false, true],
  find: [true, undefined],
  forEach: [null, undefined],
};

function tested(name: string, self: Value, f: Value): Value {
  const [stop, end] = TESTS[name] ?? [null, undefined];
  let k = 0;
  for (const value of following(self)) {
    const own = id;
    if (Boolean(asked(f, value, k++, own)) === stop)
      return name === "find" ? ret(value, own) : ret(stop, 0);
  }
  return ret(end, 0);
}

function reduced(self: Value, [f, ...initial]: readonly Value[], ids: readonly Id[]): Value {
  let isEmpty = initial.length === 0;
  let [total] = initial;
  let own = ids[1] ?? 0;
  let k = 0;
  for (const value of following(self)) {
    const at = id;
    total = isEmpty ? value : applied(f, undefined, [total, value, k], [own, at, 0]);
    own = isEmpty ? at : typeof total === "number" ? id : 0;
    isEmpty = false;
    k++;
  }
  if (isEmpty) throw new TypeError("Reduce of a done iterator with no initial value");
  return ret(total, own);
}

function listed(self: Value): Value {
  const made: Value[] = [];
  const ids: Id[] = [];
  for (const value of following(self)) {
    ids.push(typeof value === "number" ? id : 0);
    made.push(value);
  }
  setIds(made, ids);
  return ret(made, 0);
}

function* from(o: Value, start: Value): Generator<Value> {
  yield* following(start === undefined ? o : applied(start, o, [], []));
}

export const iteratorHelpers: Family = () => {
  const shared: Value = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const put = (name: string, make: (native: Value) => Handler): void => {
    const native: Value = shared[name];
    if (native !== undefined) handle(native, make(native));
  };
  for (const [name, lazy] of Object.entries(LAZY))
    put(name, (native) => (self, args) => {
      Reflect.apply(native, self, args); // throws where an argument is refused
      return ret(lazy(self, args[0]), 0);
    });
  const eager =
    (run: Handler, takesFunction = true) =>
    (native: Value): Handler =>
    (self, args, ids) =>
      Object(self) !== self || (takesFunction && typeof args[0] !== "function")
        ? ret(Reflect.apply(native, self, args), 0)
        : run(self, args, ids);
  for (const name of Object.keys(TESTS))
    put(
      name,
      eager((self, [f]) => tested(name, self, f)),
    );
  put("reduce", eager(reduced));
  put("toArray", eager(listed, false));
  const own: Value = Reflect.get(globalThis, "Iterator");
  const native: Value = own?.from;
  if (native === undefined) return;
  handle(native, (self, [o]) => {
    const isPlain = Object(o) !== o || o instanceof own;
    return ret(isPlain ? Reflect.apply(native, self, [o]) : from(o, o[Symbol.iterator]), 0);
  });
};
