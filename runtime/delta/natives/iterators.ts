// Iterators of natives: `values()`, `entries()`, `[Symbol.iterator]()` and `next()`. The result of
// `next` has the ids of its elements.

import { handle, inert } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { thrown } from "../functions.ts";
import { answered } from "../iterables.ts";
import { id, ret, setId } from "../register.ts";
import { setKeyId } from "../shadows.ts";
import { captured, entryId, mapKeyId } from "../store.ts";
import type { Handler, Id, Value } from "../value.ts";
import { idAt } from "./elements.ts";

type Kind = "keys" | "values" | "entries";

/** The position of an iterator in its collection. */
interface Walk {
  readonly over: Value;
  readonly kind: Kind;
  at: number;
}

const walks = /* @__PURE__ */ new WeakMap<object, Walk>();

const starting =
  (native: Value, kind: Kind): Handler =>
  (self, args) => {
    const iterator: Value = Reflect.apply(native, self, args);
    walks.set(iterator, { over: self, kind, at: 0 });
    return ret(iterator, 0);
  };

/** `idOf(over, position, key, value)` */
const stepping =
  (native: Value, idOf: (walk: Walk, key: Value, value: Value) => Id): Handler =>
  (self, args) => {
    const result: Value = Reflect.apply(native, self, args);
    const walk = walks.get(self);
    if (walk === undefined || result.done) return ret(result, 0);
    if (walk.kind === "values") setKeyId(result, "value", idOf(walk, result.value, result.value));
    else if (walk.kind === "entries") {
      const own = idOf(walk, result.value[0], result.value[1]);
      setKeyId(result.value, 1, own);
      // A Set gives each member twice.
      if (walk.over instanceof Set) setKeyId(result.value, 0, own);
    }
    walk.at++;
    return ret(result, 0);
  };

/** A rewritten generator leaves the id of its value in the register. */
const passing =
  (name: string, native: Value): Handler =>
  (self, args, ids) => {
    if (name === "throw") thrown(args[0], ids[0] ?? 0);
    setId(ids[0] ?? 0);
    captured();
    const result: Value = Reflect.apply(native, self, args);
    answered(self, args[0], ids[0] ?? 0, result.value);
    const own = id;
    if (typeof result.value === "number") setKeyId(result, "value", own);
    return ret(result, 0);
  };

function ofLists(): void {
  const view: Value = Object.getPrototypeOf(Float64Array.prototype);
  const list: Value = Array.prototype;
  for (const prototype of [list, view]) {
    handle(prototype.values, starting(prototype.values, "values"));
    handle(prototype[Symbol.iterator], starting(prototype[Symbol.iterator], "values"));
    handle(prototype.entries, starting(prototype.entries, "entries"));
    handle(prototype.keys, starting(prototype.keys, "keys"));
  }
  const listIterator: Value = Object.getPrototypeOf([][Symbol.iterator]());
  handle(
    listIterator.next,
    stepping(listIterator.next, (walk, _key, value) => idAt(walk.over, walk.at, value)),
  );
  inert(listIterator[Symbol.iterator]);
}

function ofMaps(): void {
  const map: Value = Map.prototype;
  handle(map.values, starting(map.values, "values"));
  handle(map.keys, starting(map.keys, "keys"));
  handle(map.entries, starting(map.entries, "entries"));
  nextOfMap();
}

/** A Map's values do not tell their keys, so the keys are iterated beside them. */
function nextOfMap(): void {
  const mapIterator: Value = Object.getPrototypeOf(new Map()[Symbol.iterator]());
  const keysBeside = new WeakMap<object, Iterator<unknown>>();
  const native: Value = mapIterator.next;
  handle(native, (self, args) => {
    const walk = walks.get(self);
    let key: Value;
    if (walk?.kind === "values") {
      const keys: Iterator<unknown> = keysBeside.get(self) ?? Map.prototype.keys.call(walk.over);
      keysBeside.set(self, keys);
      key = keys.next().value;
    }
    const result: Value = Reflect.apply(native, self, args);
    if (walk === undefined || result.done) return ret(result, 0);
    if (walk.kind === "values" && typeof result.value === "number")
      setKeyId(result, "value", entryId(walk.over, key));
    if (walk.kind === "keys") setKeyId(result, "value", mapKeyId(walk.over, result.value));
    if (walk.kind === "entries") {
      setKeyId(result.value, 0, mapKeyId(walk.over, result.value[0]));
      if (typeof result.value[1] === "number")
        setKeyId(result.value, 1, entryId(walk.over, result.value[0]));
    }
    return ret(result, 0);
  });
  inert(mapIterator[Symbol.iterator]);
}

function ofSets(): void {
  const set: Value = Set.prototype;
  handle(set.values, starting(set.values, "values"));
  handle(set.entries, starting(set.entries, "entries"));
  const setIterator: Value = Object.getPrototypeOf(new Set()[Symbol.iterator]());
  handle(
    setIterator.next,
    stepping(setIterator.next, (walk, key, value) =>
      typeof value === "number" ? entryId(walk.over, key) : 0,
    ),
  );
  inert(setIterator[Symbol.iterator]);
}

function ofGenerators(): void {
  const generator: Value = Object.getPrototypeOf(function* () {}.prototype);
  for (const name of ["next", "return", "throw"])
    handle(generator[name], passing(name, generator[name]));
  handle(generator[Symbol.iterator], (self) => ret(self, 0));
}

export const iterators: Family = () => {
  ofLists();
  ofMaps();
  ofSets();
  ofGenerators();
};
