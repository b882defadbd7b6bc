// Maps, Sets and their weak variants. A value's id is stored by key. A Set keeps the first of equal
// numbers, and so its id.

import { applied, handle, handleNew, inert } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { leaveEntry } from "../persistent-state.ts";
import { id, ret } from "../register.ts";
import { get } from "../shadows.ts";
import { entryId, mapKeyId, setEntryId, setMapKeyId } from "../store.ts";
import { each } from "../spread.ts";
import type { Handler, Id, Value } from "../value.ts";

const numberId = (value: Value, own: Id): Id => (typeof value === "number" ? own : 0);

/** new Map(iterable). `put` runs with the element's id in the register. */
const filled =
  (construct: Value, put: (made: Value, given: Value) => void) =>
  (target: Value, args: Value[]): Value => {
    const made: Value = Reflect.construct(construct, [], target);
    if (args[0] === null || args[0] === undefined) return made;
    for (const given of each(args[0])) put(made, given);
    return ret(made, 0);
  };

const clear =
  (native: Value): Handler =>
  (self, args) => {
    for (const key of [...self.keys()]) {
      setEntryId(self, key, 0);
      setMapKeyId(self, key, 0);
    }
    return ret(Reflect.apply(native, self, args), 0);
  };

const forEach =
  (native: Value): Handler =>
  (self, args) => {
    const [f, thisArg] = args;
    if (typeof f !== "function") return ret(Reflect.apply(native, self, args), 0);
    const isSet = self instanceof Set;
    return ret(
      native.call(self, (value: Value, key: Value, all: Value) => {
        const own = numberId(value, entryId(self, key));
        return applied(f, thisArg, [value, key, all], [own, isSet ? own : mapKeyId(self, key), 0]);
      }),
      0,
    );
  };

const size = (prototype: Value): Value => Object.getOwnPropertyDescriptor(prototype, "size")?.get;

function maps(): void {
  for (const kind of [Map, WeakMap]) {
    const prototype: Value = kind.prototype;
    const construct: Value = kind;
    handle(prototype.get, (self, args, ids) => {
      leaveEntry(self, args[0], ids[0] ?? 0);
      const value = Reflect.apply(prototype.get, self, args);
      return ret(value, numberId(value, entryId(self, args[0])));
    });
    handle(prototype.set, (self, args, ids) => {
      // An existing key stays, with its id.
      if (typeof args[0] === "number" && !Reflect.apply(prototype.has, self, args))
        setMapKeyId(self, args[0], ids[0] ?? 0);
      const value = Reflect.apply(prototype.set, self, args);
      setEntryId(self, args[0], numberId(args[1], ids[1] ?? 0));
      return ret(value, 0);
    });
    handle(prototype.delete, (self, args) => {
      const value = Reflect.apply(prototype.delete, self, args);
      setEntryId(self, args[0], 0);
      setMapKeyId(self, args[0], 0);
      return ret(value, 0);
    });
    inert(prototype.has);
    handleNew(
      construct,
      filled(construct, (made, pair) => {
        const key = get(pair, 0);
        const keyOwn = id;
        const value = get(pair, 1);
        const own = id;
        applied(made.set, made, [key, value], [keyOwn, own]);
      }),
    );
  }
}

function sets(): void {
  for (const kind of [Set, WeakSet]) {
    const prototype: Value = kind.prototype;
    const construct: Value = kind;
    handle(prototype.add, (self, args, ids) => {
      const isNew = !Reflect.apply(prototype.has, self, args);
      const value = Reflect.apply(prototype.add, self, args);
      if (isNew) setEntryId(self, args[0], numberId(args[0], ids[0] ?? 0));
      return ret(value, 0);
    });
    handle(prototype.delete, (self, args) => {
      const value = Reflect.apply(prototype.delete, self, args);
      setEntryId(self, args[0], 0);
      return ret(value, 0);
    });
    inert(prototype.has);
    handleNew(
      construct,
      filled(construct, (made, value) => {
        applied(made.add, made, [value], [numberId(value, id)]);
      }),
    );
  }
}

export const collections: Family = () => {
  maps();
  sets();
  handle(Map.prototype.clear, clear(Map.prototype.clear));
  handle(Set.prototype.clear, clear(Set.prototype.clear));
  handle(Map.prototype.forEach, forEach(Map.prototype.forEach));
  handle(Set.prototype.forEach, forEach(Set.prototype.forEach));
  inert(size(Map.prototype), size(Set.prototype));
};
