// Object, Reflect, JSON and structuredClone. Copies and definitions take ids along. A copy by JSON
// keeps its ids only if the string is unchanged.

import { applied, constructed, handle, inert } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { id, ret } from "../register.ts";
import { del, get, isActive, keyId, set, setKeyId } from "../shadows.ts";
import { each } from "../spread.ts";
import { dropField, entryId, mapKeyId, setEntryId, setMapKeyId } from "../store.ts";
import { readOut, written, writtenOut } from "../text.ts";
import { failure, type Id, type Value } from "../value.ts";
import { idsOf, setIds } from "./elements.ts";

const own = (o: Value): Value[] => Object.keys(Object(o));

function defined(o: Value, key: Value, descriptor: Value): void {
  if (typeof descriptor !== "object" || descriptor === null) return;
  if ("value" in descriptor) setKeyId(o, key, keyId(descriptor, "value"));
  else if ("get" in descriptor || "set" in descriptor) {
    setKeyId(o, key, 0);
    dropField(o, typeof key === "symbol" ? key : String(key));
  }
}

const isObject = (value: Value): boolean => typeof value === "object" && value !== null;

/** Copies the ids of an object to its copy, at any depth. */
function copyIds(from: Value, to: Value, met = new Map<object, object>()): void {
  if (!isObject(from) || !isObject(to) || met.has(from)) return;
  met.set(from, to);
  if (Array.isArray(from) || ArrayBuffer.isView(from)) {
    setIds(to, idsOf(from));
    if (Array.isArray(from)) from.forEach((one, k) => copyIds(one, to[k], met));
  } else if (from instanceof Map && to instanceof Map) {
    const keys = [...to.keys()];
    [...from.keys()].forEach((key, k) => {
      setEntryId(to, keys[k], entryId(from, key));
      setMapKeyId(to, keys[k], mapKeyId(from, key));
      copyIds(from.get(key), to.get(keys[k]), met);
    });
  } else if (from instanceof Set && to instanceof Set)
    for (const value of from) setEntryId(to, value, entryId(from, value));
  else {
    for (const key of Object.keys(from)) {
      if (typeof to[key] === "number") setKeyId(to, key, keyId(from, key));
      else copyIds(from[key], to[key], met);
    }
  }
}

/** Strings that were made of active values. */
const texts = /* @__PURE__ */ new Map<string, WeakRef<object> | null>();

function contents(): void {
  handle(Object.assign, (_self, [target, ...sources]) => {
    for (const source of sources) {
      if (source === null || source === undefined) continue;
      for (const key of Reflect.ownKeys(Object(source))) {
        if (Object.prototype.propertyIsEnumerable.call(source, key))
          set(target, key, get(source, key), id);
      }
    }
    return ret(Object(target), 0);
  });
  handle(Object.values, (_self, args) => {
    const made: Value[] = [];
    const ids: Id[] = [];
    for (const key of own(args[0])) {
      made.push(get(args[0], key));
      ids.push(id);
    }
    setIds(made, ids);
    return ret(made, 0);
  });
  handle(Object.entries, (_self, args) => {
    const made = own(args[0]).map((key) => {
      const pair: Value[] = [key, get(args[0], key)];
      setKeyId(pair, 1, id);
      return pair;
    });
    return ret(made, 0);
  });
  handle(Object.fromEntries, (_self, args) => {
    const made: Value = {};
    for (const pair of each(args[0])) {
      const key = get(pair, 0);
      const value = get(pair, 1);
      const valueId = id;
      Object.defineProperty(made, key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
      setKeyId(made, key, valueId);
    }
    return ret(made, 0);
  });
}

function properties(): void {
  handle(Object.defineProperty, (_self, args) => {
    const made = Reflect.apply(Object.defineProperty, Object, args);
    defined(args[0], args[1], args[2]);
    return ret(made, 0);
  });
  handle(Object.defineProperties, (_self, args) => {
    const made = Reflect.apply(Object.defineProperties, Object, args);
    for (const key of Reflect.ownKeys(args[1])) defined(args[0], key, args[1][key]);
    return ret(made, 0);
  });
  handle(Object.create, (_self, args) => {
    const made: Value = Reflect.apply(Object.create, Object, args);
    if (args[1] !== undefined)
      for (const key of Reflect.ownKeys(args[1])) defined(made, key, args[1][key]);
    return ret(made, 0);
  });
  handle(Object.getOwnPropertyDescriptor, (_self, args) => {
    const found: Value = Reflect.apply(Object.getOwnPropertyDescriptor, Object, args);
    if (found !== undefined && typeof args[0] === "object")
      setKeyId(found, "value", keyId(args[0], args[1]));
    return ret(found, 0);
  });
  handle(Object.getOwnPropertyDescriptors, (_self, args) => {
    const found: Value = Reflect.apply(Object.getOwnPropertyDescriptors, Object, args);
    for (const key of Reflect.ownKeys(found)) setKeyId(found[key], "value", keyId(args[0], key));
    return ret(found, 0);
  });
}

function groups(): void {
  const groupBy: Value = Reflect.get(Object, "groupBy");
  if (groupBy !== undefined) {
    handle(groupBy, (_self, [items, f]) => {
      const made: Value = Object.create(null);
      let k = 0;
      for (const value of each(items)) {
        const valueId = id;
        const key = applied(f, undefined, [value, k++], [valueId, 0]);
        const group: Value[] = (made[key] ??= []);
        group.push(value);
        setKeyId(group, group.length - 1, valueId);
      }
      return ret(made, 0);
    });
  }
}

function reflection(): void {
  handle(Reflect.get, (_self, args) => get(args[0], args[1]));
  handle(Reflect.set, (_self, args, ids) => {
    set(args[0], args[1], args[2], ids[2] ?? 0);
    return ret(true, 0);
  });
  handle(Reflect.deleteProperty, (_self, args) => del(args[0], args[1]));
  handle(Reflect.apply, (_self, [f, self, list]) => applied(f, self, [...list], idsOf(list)));
  handle(Reflect.construct, (_self, [f, list, target]) =>
    constructed(f, [...list], idsOf(list), target ?? f),
  );
  handle(Reflect.defineProperty, (_self, args) => {
    const done = Reflect.apply(Reflect.defineProperty, Reflect, args);
    if (done) defined(args[0], args[1], args[2]);
    return ret(done, 0);
  });
  handle(Reflect.getOwnPropertyDescriptor, (_self, args) =>
    applied(Object.getOwnPropertyDescriptor, Object, args, []),
  );
}

function copies(): void {
  const clone: Value = Reflect.get(globalThis, "structuredClone");
  if (clone !== undefined) {
    handle(clone, (_self, args) => {
      const made = clone(...args);
      copyIds(args[0], made);
      return ret(made, 0);
    });
  }
  handle(JSON.stringify, (self, args, ids) => {
    const text = Reflect.apply(JSON.stringify, self, args);
    if (typeof text === "string" && ((ids[0] ?? 0) !== 0 || isActive(args[0]))) {
      texts.set(
        text,
        typeof args[0] === "object" && args[0] !== null ? new WeakRef(args[0]) : null,
      );
      if (typeof args[0] === "number") written(text, ids[0] ?? 0);
      writtenOut(args[0]);
    }
    return ret(text, 0);
  });
  handle(JSON.parse, (self, args) => {
    const made = Reflect.apply(JSON.parse, self, args);
    const source = texts.get(args[0]);
    if (source === undefined) return ret(made, readOut(made, args[0]));
    const from = source?.deref();
    if (from === undefined || args[1] !== undefined || JSON.stringify(from) !== args[0]) {
      throw failure(
        "TSG0012",
        "a number with a derivative was written as text and is read back: no derivative passes through text; copy the value instead, for instance with structuredClone",
      );
    }
    copyIds(from, made);
    return ret(made, 0);
  });
}

export const objects: Family = () => {
  contents();
  properties();
  groups();
  reflection();
  copies();
  for (const f of [Object.freeze, Object.seal, Object.preventExtensions, Object.setPrototypeOf])
    handle(f, (self, args) => ret(Reflect.apply(f, self, args), 0));
  inert(
    Object.keys,
    Object.getPrototypeOf,
    Object.getOwnPropertyNames,
    Object.getOwnPropertySymbols,
    Object.hasOwn,
    Object.is,
    Object.isFrozen,
    Object.isSealed,
    Object.isExtensible,
    Object.prototype.hasOwnProperty,
    Object.prototype.isPrototypeOf,
    Object.prototype.propertyIsEnumerable,
    Object.prototype.toString,
    Object.prototype.toLocaleString,
    Reflect.has,
    Reflect.ownKeys,
    Reflect.getPrototypeOf,
    Reflect.isExtensible,
    Reflect.setPrototypeOf,
    Reflect.preventExtensions,
  );
  handle(Object.prototype.valueOf, (self) => ret(self, 0));
};
