// Reads and writes of elements and fields. The result is JavaScript's, with its id in the register.
// Accessors run as methods do, in their rewritten form. A value that is moved takes its id along.
// Members of a class are those of the real one, of which its instances are, not those of a copy.

import { behind, targetOf } from "./behind.ts";
import { beyond, isBeyondKnown } from "./general-hooks.ts";
import { isBuffer, isView, partsOf, putId } from "./handles.ts";
import { hides } from "./loading.ts";
import { realOf } from "./module-pairs.ts";
import { ret, setId } from "./register.ts";
import {
  dropField,
  elementsFor,
  elementsOf,
  fieldId,
  fieldsOf,
  indexOf,
  isLeftOver,
  isRecording,
  nameOf,
  noteField,
  run,
  setFieldId,
  type Handle,
  type Run,
  type Store,
} from "./store.ts";
import { LEFT } from "./tape.ts";
import { isTextOfActive, noteWrite } from "./text-keys.ts";
import type { Id, Value } from "./value.ts";

export function get(o: Value, k: Value): Value {
  if (typeof k === "string" && typeof o === "object" && o !== null) {
    const own = fieldsOf(o)?.[k];
    if (typeof own === "number") {
      const value = o[k];
      setId(typeof value === "number" ? own : 0);
      return value;
    }
  }
  if (Array.isArray(o)) {
    const index = indexOf(k);
    if (index >= 0) {
      const value = o[index];
      setId(typeof value === "number" ? (elementsOf(o)?.[index] ?? 0) : 0);
      return value;
    }
    if (k === "length") return ret(o.length, 0);
  } else if (isView(o)) {
    const index = indexOf(k);
    if (index >= 0) return ret(o[index], beyond().viewId(o, index));
  }
  const owner = ownerOf(o);
  return member(owner, k, owner);
}

/** For a copy of a package's class the class itself. */
const ownerOf = (o: Value): Value => (typeof o === "function" ? realOf(o) : o);

/** `o[k]` before its call: usually a method of the object's class. */
export function methodOf(o: Value, k: Value): Value {
  if (typeof o !== "object" || o === null || typeof k !== "string" || Object.hasOwn(o, k))
    return get(o, k);
  const up: Value = Object.getPrototypeOf(o);
  const own: unknown = up === null ? undefined : Object.getOwnPropertyDescriptor(up, k)?.value;
  return typeof own === "function" ? own : get(o, k);
}

export const member = (o: Value, k: Value, receiver: Value): Value =>
  behind !== null && targetOf(o) !== undefined
    ? behind.get(o, keyOf(k), receiver)
    : memberOf(o, k, receiver);

function memberOf(o: Value, k: Value, receiver: Value): Value {
  if (o === null || o === undefined) return o[k];
  const key = keyOf(k);
  let holder: Value = Object(o);
  let owner = Object.getOwnPropertyDescriptor(holder, key);
  while (owner === undefined && (holder = Object.getPrototypeOf(holder)) !== null)
    owner = Object.getOwnPropertyDescriptor(holder, key);
  if (holder === o && receiver === o && isData(owner) && isRecording()) meetField(o, key, owner);
  if (owner?.get !== undefined) return getterValue(owner.get, o, key, receiver);
  const value = receiver === o ? o[key] : owner?.value;
  if (typeof value === "function") return ret(unhidden(o, value), 0);
  // An inherited number has the id in the object that holds it.
  return ret(value, idIn(holder, value, key));
}

const unhidden = (o: Value, f: Value): Value => (hides?.(o, f) === true ? undefined : f);

const idIn = (holder: Value, value: Value, key: Value): Id =>
  typeof value !== "number" || holder === null ? 0 : fieldId(holder, nameOf(key));

/** The first access of this run to a field. If an active number gave its name, it is a memo's. */
function meetField(o: Value, key: Value, owner: PropertyDescriptor | undefined): void {
  noteField(o, nameOf(key));
  if (!isTextOfActive(key)) return;
  if (typeof owner?.value !== "number") {
    if (isBeyondKnown()) beyond().leave(owner?.value);
  } else if (fieldId(o, key) === 0 && isLeftOver(o)) setFieldId(o, key, LEFT);
}

const getterValue = (getter: () => unknown, o: Value, key: Value, receiver: Value): Value =>
  isForeign(o) ? ret(receiver[key], 0) : beyond().getter(getter, receiver, key);

const keyOf = (k: Value): Value =>
  typeof k === "object" || typeof k === "function" ? nameOf(k) : k;

const isData = (owner: PropertyDescriptor | undefined): boolean =>
  owner !== undefined && owner.get === undefined && owner.set === undefined;

/** A host object without fields in a lean program. No active number can be in it. */
const isForeign = (o: Value): boolean =>
  !isBeyondKnown() && typeof o === "object" && Object.keys(o).length === 0;

/** The object with the property: `o` or an object on its prototype chain. */
export function holderOf(o: Value, key: Value): Value {
  let at = Object(o);
  while (at !== null && !Object.hasOwn(at, key)) at = Object.getPrototypeOf(at);
  return at;
}

export const setterOf = (o: Value, key: PropertyKey): Value => propertyOf(o, key)?.set;

function propertyOf(o: Value, key: Value): PropertyDescriptor | undefined {
  const holder = holderOf(o, key);
  return holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, key);
}

export function set(o: Value, k: Value, value: Value, valueId: Id): Value {
  if (Array.isArray(o)) {
    const index = indexOf(k);
    if (index >= 0) {
      noteWrite(o, index, value, false);
      o[index] = value;
      setElementId(o, index, typeof value === "number" ? valueId : 0);
      return ret(value, valueId);
    }
    if (k === "length") {
      o.length = value;
      const ids = elementsOf(o);
      if (ids !== undefined && ids.length > o.length) ids.length = o.length;
      return ret(value, 0);
    }
  } else if (isView(o)) {
    const index = indexOf(k);
    if (index >= 0) {
      beyond().setView(o, index, value, valueId);
      return ret(value, valueId);
    }
  }
  return setMember(ownerOf(o), k, value, valueId);
}

/** Whether a field is data, and the host has not to be asked about its first active number. */
function isWritten(o: Value, key: string, valueId: Id): boolean {
  const before = typeof o === "object" ? fieldsOf(o)?.[key] : undefined;
  return typeof before === "number" && (before !== 0 || valueId === 0);
}

/** Writes a field, or calls its setter. */
function setMember(o: Value, k: Value, value: Value, valueId: Id): Value {
  if (o === null || o === undefined) {
    o[k] = value;
    return value;
  }
  const key = keyOf(k);
  if (behind !== null && targetOf(o) !== undefined) {
    behind.set(o, key, value, valueId, o);
    return ret(value, valueId);
  }
  if (typeof key === "string" && typeof value === "number" && isWritten(o, key, valueId)) {
    o[key] = value;
    setFieldId(o, key, valueId);
    return ret(value, valueId);
  }
  const owner = propertyOf(o, key);
  if (owner?.set !== undefined) {
    beyond().setter(owner.set, o, value, valueId);
    return ret(value, valueId);
  }
  noteWrite(o, key, value, typeof value === "number" && valueId !== 0);
  o[key] = value;
  if (typeof o === "object" || typeof o === "function")
    setFieldId(o, nameOf(key), typeof value === "number" ? valueId : 0);
  return ret(value, valueId);
}

/** `list[index] = value` with the array's handle, possibly of another run. */
export function setAt(list: Value, handle: Handle, index: Value, value: Value, valueId: Id): Value {
  const { own } = handle;
  if (handle.keeper !== run.store || typeof value !== "number")
    return set(list, index, value, valueId);
  // A place with an id is an element. If the array has no ids, none needs to be removed.
  if (own[index] === undefined) {
    if (
      valueId !== 0 ||
      own.length > 0 ||
      handle.of.grids.length > 0 ||
      !Number.isInteger(index) ||
      index < 0
    )
      return set(list, index, value, valueId);
    list[index] = value;
  } else {
    list[index] = value;
    own[index] = valueId;
  }
  setId(valueId);
  return value;
}

/** Sets the id of the number just written to `list[index]`, with the handle of this run. */
export function setIdAt({ own, of, list }: Handle, index: Value, to: Id): void {
  if (own[index] !== undefined) own[index] = to;
  else if (to !== 0 || own.length > 0 || of.grids.length > 0) setKeyId(list, index, to);
}

/** Sets the id of an element of an array. */
export function setElementId(o: Value[], index: number, to: Id): void {
  const ids = to === 0 ? elementsOf(o) : elementsFor(o);
  if (ids === undefined || (to === 0 && index >= ids.length)) return;
  putId(ids, index, to);
}

/** A class field: `this.k = value` without setters. Returns the value, as its initialiser. */
export function field(o: Value, k: Value, value: Value, valueId: Id): Value {
  noteWrite(o, k, value, false);
  setKeyId(o, k, typeof value === "number" ? valueId : 0);
  return ret(value, valueId);
}

export function del(o: Value, k: Value): boolean {
  const deleted = delete o[k];
  if (typeof o === "object" && o !== null) {
    setKeyId(o, k, 0);
    dropField(o, nameOf(k));
  }
  setId(0);
  return deleted;
}

/** The id of an element or field, without a read. */
export function keyId(o: Value, k: Value): Id {
  if (Array.isArray(o)) {
    const index = indexOf(k);
    if (index >= 0) return elementsOf(o)?.[index] ?? 0;
  } else if (isView(o)) {
    const index = indexOf(k);
    if (index >= 0) return beyond().viewId(o, index);
  }
  return fieldId(o, nameOf(k));
}

/** Sets the id of an element or field, without a write. */
export function setKeyId(o: Value, k: Value, to: Id): void {
  if (Array.isArray(o)) {
    const index = indexOf(k);
    if (index >= 0) {
      setElementId(o, index, to);
      return;
    }
  } else if (isView(o)) {
    const index = indexOf(k);
    if (index >= 0) {
      beyond().setViewId(o, index, to);
      return;
    }
  }
  setFieldId(o, nameOf(k), to);
}

export function copyKey(from: Value, key: Value, to: Value, toKey: Value): void {
  setKeyId(to, toKey, keyId(from, key));
}

/** The current ids of an object by key; of a Map or Set by entry. */
export function shadowOf(o: Value): Map<unknown, Id> {
  const ids = new Map<unknown, Id>();
  if (Array.isArray(o)) elementsOf(o)?.forEach((i, k) => ids.set(k, i));
  else if (isView(o)) for (let k = 0; k < o.length; k++) ids.set(k, beyond().viewId(o, k));
  else if (o instanceof Map || o instanceof Set)
    run.store.entries?.get(o)?.forEach((i, k) => ids.set(k, i));
  else for (const k of fieldNames(o)) ids.set(k, fieldId(o, k));
  return ids;
}

const fieldNames = (o: object): PropertyKey[] =>
  Reflect.ownKeys(fieldsOf(o) ?? {}).filter((k) => fieldId(o, k) !== 0);

/** Whether a value holds an active number, at any depth. */
export function isActive(root: Value): boolean {
  if (!run.touched || typeof root !== "object" || root === null) return false;
  const met = new Set<object>([root]);
  for (const value of met) {
    const target = targetOf(value);
    if (target !== undefined) met.add(target);
    if (isActiveItself(value)) return true;
    for (const inner of partsOf(value))
      if (typeof inner === "object" && inner !== null) met.add(inner);
  }
  return false;
}

function isActiveItself(value: object): boolean {
  if (isView(value)) return isActiveView(value);
  const bytes: unknown = ArrayBuffer.isView(value) ? value.buffer : value;
  return isBuffer(bytes) ? isBeyondKnown() && beyond().areActive(bytes) : hasIds(value);
}

const isActiveView = (view: Value): boolean =>
  view.length > 0 &&
  isBeyondKnown() &&
  beyond().areActive(view.buffer) &&
  [...shadowOf(view).values()].some((i) => i !== 0);

/** Whether an element, field, entry or key of the object itself has an id. */
const hasIds = (o: object): boolean =>
  (Array.isArray(o) && elementsOf(o)?.some((i) => i !== 0) === true) ||
  fieldNames(o).length > 0 ||
  (run.store.entries?.get(o)?.size ?? 0) > 0 ||
  (run.store.keys?.get(o)?.size ?? 0) > 0;

/** The id of a variable that is stored as a field of a scope object. */
export const varId = (cell: object, name: string): Id => fieldId(cell, name);
export function setVar(cell: object, name: string, to: Id): void {
  setFieldId(cell, name, to);
}

/** A captured variable that is assigned. */
export type Cell = () => void;

/** What rewritten code has stored in variables of modules and closures. */
const lets = /* @__PURE__ */ new WeakMap<Cell, { id: Id; value: Value; store: Store }>();

/** The id of such a variable. Other code may have set it; an earlier run's id becomes LEFT. */
export function letId(cell: Cell, value: Value): Id {
  const last = lets.get(cell);
  if (last !== undefined && Object.is(last.value, value)) {
    if (isOfRun(last.store)) return last.id;
    // An id of an earlier run may have been reused.
    if (last.id !== 0) return LEFT;
  }
  return 0;
}

const cells = /* @__PURE__ */ new Map<string, Cell>();

/** The cell of a variable that several modules name. */
export function cell(name: string): Cell {
  let found = cells.get(name);
  if (found === undefined) cells.set(name, (found = () => undefined));
  return found;
}

/** Whether this run has stored the content. */
export function isHeld(cell: Cell, value: Value): boolean {
  const last = lets.get(cell);
  return last !== undefined && Object.is(last.value, value) && isOfRun(last.store);
}

function isOfRun(store: Store): boolean {
  for (let at: Run | undefined = run; at !== undefined; at = at.outer)
    if (at.store === store) return true;
  return false;
}
export function setLet(cell: Cell, to: Id, value: Value): void {
  const last = lets.get(cell);
  run.store.isUsed = true;
  if (last === undefined) lets.set(cell, { id: to, value, store: run.store });
  else {
    last.id = to;
    last.value = value;
    last.store = run.store;
  }
}
