// Object, Reflect, JSON and structuredClone. Copies and definitions take ids along. A copy by JSON
// keeps its ids only if the string is unchanged.

import { behind, targetOf } from "../behind.ts";
import { applied, constructed, deltaOf, handle, inert, link } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { id, ret } from "../register.ts";
import { del, get, holderOf, isActive, keyId, member, set, setKeyId } from "../shadows.ts";
import { each } from "../spread.ts";
import { dropField, entryId, isRecording, mapKeyId, setEntryId, setMapKeyId } from "../store.ts";
import { readOut, written, writtenOut } from "../text.ts";
import { failure, type Handler, type Id, type Value } from "../value.ts";
import { isBuffer, setOwn } from "../handles.ts";
import { copyBytes } from "../views.ts";
import { idsOf, setIds } from "./elements.ts";

const own = (o: Value): Value[] => Object.keys(Object(o));

const PARTS = ["enumerable", "configurable", "value", "writable", "get", "set"];

/** Reads a descriptor as the natives do, and defines the property with the id of its value. */
export function define(o: Value, key: Value, given: Value): boolean {
  if (Object(given) !== given) return Reflect.defineProperty(o, key, given);
  const descriptor: Value = {};
  let valueId: Id = 0;
  for (const part of PARTS) {
    if (!(part in given)) continue;
    descriptor[part] = get(given, part);
    if (part === "value") valueId = id;
  }
  if (behind !== null && targetOf(o) !== undefined) {
    if ("value" in descriptor) setKeyId(descriptor, "value", valueId);
    return behind.define(o, key, descriptor);
  }
  if (!Reflect.defineProperty(o, key, descriptor)) return isDefinedAgain(o, key, descriptor);
  if ("value" in descriptor) setKeyId(o, key, valueId);
  else if ("get" in descriptor || "set" in descriptor) {
    setKeyId(o, key, 0);
    dropField(o, typeof key === "symbol" ? key : String(key));
  }
  return true;
}

/** What an assignment defines, of a new property all. */
export function defineValue(o: Value, key: Value, value: Value, valueId: Id): boolean {
  const descriptor = Object.hasOwn(o, key)
    ? { value }
    : { value, writable: true, enumerable: true, configurable: true };
  setKeyId(descriptor, "value", typeof value === "number" ? valueId : 0);
  return define(o, key, descriptor);
}

/**
 * A copy of a module, which is loaded before a run, gives prototypes of the language the same
 * members as the module itself: these are linked.
 */
function isDefinedAgain(o: Value, key: Value, made: PropertyDescriptor): boolean {
  const there: Value = isRecording() ? {} : Reflect.getOwnPropertyDescriptor(o, key);
  const members = (["value", "get", "set"] as const).filter(
    (kind) => typeof there[kind] === "function" && deltaOf(made[kind]) !== undefined,
  );
  for (const kind of members) link(there[kind], deltaOf(made[kind]));
  return members.length > 0;
}

/** The same, with the error of the native where the object refuses. */
function defined(o: Value, key: Value, given: Value): void {
  if (Object(o) !== o || !define(o, key, given))
    Reflect.apply(Object.defineProperty, Object, [o, key, given]);
}

/** Defines what an object of descriptors says. */
function definedAll(o: Value, descriptors: Value): void {
  for (const key of Reflect.ownKeys(descriptors))
    if (Object.prototype.propertyIsEnumerable.call(descriptors, key))
      defined(o, key, get(descriptors, key));
}

const isObject = (value: Value): boolean => typeof value === "object" && value !== null;

/** Copies the ids of an object to its copy, at any depth. */
function copyIds(from: Value, to: Value, met = new Map<object, object>()): void {
  if (!isObject(from) || !isObject(to) || met.has(from)) return;
  met.set(from, to);
  if (ArrayBuffer.isView(from) && ArrayBuffer.isView(to)) copyIds(from.buffer, to.buffer, met);
  else if (isBuffer(from)) copyBytes(from, to);
  else if (Array.isArray(from) || ArrayBuffer.isView(from)) {
    setIds(to, idsOf(from));
    if (Array.isArray(from)) from.forEach((one, k) => copyIds(one, to[k], met));
  } else copyEntries(from, to, met);
}

/** The same for a Map, a Set or a record. */
function copyEntries(from: Value, to: Value, met: Map<object, object>): void {
  if (from instanceof Map && to instanceof Map) {
    const keys = [...to.keys()];
    [...from.keys()].forEach((key, k) => {
      setEntryId(to, keys[k], entryId(from, key));
      setMapKeyId(to, keys[k], mapKeyId(from, key));
      copyIds(from.get(key), to.get(keys[k]), met);
    });
  } else if (from instanceof Set && to instanceof Set)
    for (const value of from) setEntryId(to, value, entryId(from, value));
  else
    for (const key of Object.keys(from)) {
      if (typeof to[key] === "number") setKeyId(to, key, keyId(from, key));
      else copyIds(from[key], to[key], met);
    }
}

/** Strings that were made of active values. */
const texts = /* @__PURE__ */ new Map<string, WeakRef<object> | null>();

/** What the text of an object was made of, which lives as long as the object. */
const trees = /* @__PURE__ */ new WeakMap<object, object>();

/** What JSON writes of a value: `toJSON` and getters run in their rewritten form. */
function forText(key: string, given: Value, givenId: Id, around: readonly Value[]): Value {
  const own = isObject(given) ? get(given, "toJSON") : undefined;
  const value = typeof own === "function" ? applied(own, given, [key], [0]) : ret(given, givenId);
  // the native throws for a cycle
  if (!isObject(value) || around.includes(value) || isBoxed(value)) return value;
  const made: Value = Array.isArray(value) ? Array.from(value, () => null) : {};
  for (const name of Object.keys(value)) {
    const member = get(value, name);
    setOwn(made, name, forText(name, member, id, [...around, value]));
    setKeyId(made, name, id);
  }
  return ret(made, 0);
}

const isBoxed = (value: Value): boolean =>
  value instanceof Number || value instanceof String || value instanceof Boolean;

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
    defined(args[0], args[1], args[2]);
    return ret(args[0], 0);
  });
  handle(Object.defineProperties, (_self, args) => {
    if (Object(args[0]) !== args[0]) return Reflect.apply(Object.defineProperties, Object, args);
    definedAll(args[0], Object(args[1]));
    return ret(args[0], 0);
  });
  handle(Object.create, (_self, args) => {
    const made: Value = Object.create(args[0]);
    if (args[1] !== undefined) definedAll(made, Object(args[1]));
    return ret(made, 0);
  });
  handle(Object.getOwnPropertyDescriptor, (_self, args) => {
    const found: Value = Reflect.apply(Object.getOwnPropertyDescriptor, Object, args);
    if (found !== undefined) setKeyId(found, "value", keyId(args[0], args[1]));
    return ret(found, 0);
  });
  handle(Object.getOwnPropertyDescriptors, (_self, args) => {
    const found: Value = Reflect.apply(Object.getOwnPropertyDescriptors, Object, args);
    for (const key of Reflect.ownKeys(found)) setKeyId(found[key], "value", keyId(args[0], key));
    return ret(found, 0);
  });
}

/** `groupOf` finds the group of a key, or adds it. */
const grouping =
  (allocate: () => Value, groupOf: (made: Value, key: Value, keyId: Id) => Value[]): Handler =>
  (_self, [items, f]) => {
    const made = allocate();
    let k = 0;
    for (const value of each(items)) {
      const valueId = typeof value === "number" ? id : 0;
      const key = applied(f, undefined, [value, k++], [valueId, 0]);
      const group = groupOf(made, key, id);
      group.push(value);
      setKeyId(group, group.length - 1, valueId);
    }
    return ret(made, 0);
  };

/** Node 20 has neither. */
function groups(): void {
  handle(
    Reflect.get(Object, "groupBy"),
    grouping(
      () => Object.create(null),
      (made, key) => (made[key] ??= []),
    ),
  );
  handle(
    Reflect.get(Map, "groupBy"),
    grouping(
      () => new Map(),
      (made, key, keyId) => {
        if (!made.has(key)) {
          made.set(key, []);
          setMapKeyId(made, key, typeof key === "number" ? keyId : 0);
        }
        return made.get(key);
      },
    ),
  );
}

const listFrom = (like: Value): Value[] =>
  Array.from({ length: like.length }, (_, k): Value => like[k]);

function descriptorOf(o: Value, key: Value): PropertyDescriptor | undefined {
  const holder = holderOf(o, key);
  return holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, key);
}

/** `Reflect.set`, which answers where an assignment throws. */
function assigned([o, key, value, ...more]: Value[], ids: Id[]): boolean {
  if (Object(o) !== o) return Reflect.set(o, key, value);
  const receiver: Value = more.length === 0 ? o : more[0];
  const own = ids[2] ?? 0;
  const owner = descriptorOf(o, key);
  if (owner?.set !== undefined) {
    applied(owner.set, receiver, [value], [own]);
    return true;
  }
  const isFree = owner === undefined || owner.writable === true;
  if (receiver === o && isFree && (Object.hasOwn(o, key) || Object.isExtensible(o))) {
    set(o, key, value, own);
    return true;
  }
  if (isFree && targetOf(receiver) !== undefined) return defineValue(receiver, key, value, own);
  const done = Reflect.set(o, key, value, receiver);
  if (done) setKeyId(receiver, key, typeof value === "number" ? own : 0);
  return done;
}

function reflection(): void {
  handle(Reflect.get, (_self, [o, key, ...more]) =>
    more.length === 0 || more[0] === o ? get(o, key) : member(o, key, more[0]),
  );
  handle(Reflect.set, (_self, args, ids) => ret(assigned(args, ids), 0));
  handle(Reflect.deleteProperty, (_self, args) => {
    const done = Reflect.apply(Reflect.deleteProperty, Reflect, args);
    if (done) del(args[0], args[1]);
    return ret(done, 0);
  });
  handle(Reflect.apply, (_self, [f, self, list]) => applied(f, self, listFrom(list), idsOf(list)));
  handle(Reflect.construct, (_self, [f, list, target]) =>
    constructed(f, listFrom(list), idsOf(list), target ?? f),
  );
  handle(Reflect.defineProperty, (_self, args) => ret(define(args[0], args[1], args[2]), 0));
  handle(Reflect.getOwnPropertyDescriptor, (_self, args) =>
    applied(Object.getOwnPropertyDescriptor, Object, args, []),
  );
}

function copies(): void {
  const clone: Value = Reflect.get(globalThis, "structuredClone");
  if (clone !== undefined) {
    handle(clone, (_self, args, ids) => {
      const made = clone(...args);
      copyIds(args[0], made);
      return ret(made, ids[0] ?? 0);
    });
  }
  handle(JSON.stringify, (self, [given, ...more], ids) => {
    const tree = forText("", given, ids[0] ?? 0, []);
    const own = id;
    const text = Reflect.apply(JSON.stringify, self, [tree, ...more]);
    if (typeof text === "string" && (own !== 0 || isActive(tree))) {
      if (isObject(tree) && isObject(given)) trees.set(given, tree);
      texts.set(text, isObject(tree) ? new WeakRef(tree) : null);
      if (typeof tree === "number") written(text, own);
      writtenOut(tree);
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
