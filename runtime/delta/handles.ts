// Handles: the ids of the elements of an array or typed array, for repeated access. A handle of
// another run, or of a buffer with a new grid, is detected.

import { beyond } from "./general-hooks.ts";
import { ARRAY, arrayHandle, fieldId, NO_IDS, run, type Elements, type Handle } from "./store.ts";
import type { Id, Value } from "./value.ts";

const TypedArray: Value = /* @__PURE__ */ Object.getPrototypeOf(Float64Array);
export const isView = (o: Value): boolean => ArrayBuffer.isView(o) && o instanceof TypedArray;

export const isBuffer = (value: unknown): value is ArrayBufferLike =>
  value instanceof ArrayBuffer ||
  (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

/** A built-in object, whose fields are not data. */
export function isBuiltIn(o: Value): boolean {
  const tag: unknown = o[Symbol.toStringTag];
  return (
    o instanceof Date ||
    o instanceof RegExp ||
    o instanceof Set ||
    (typeof tag === "string" && !(o instanceof Map))
  );
}

/** What an object holds; accessors are not asked. */
export function partsOf(value: object): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (ArrayBuffer.isView(value) || isBuffer(value)) return [];
  const fields = Object.values(Object.getOwnPropertyDescriptors(value)).map((one) => one.value);
  return value instanceof Map || value instanceof Set ? [...value.values(), ...fields] : fields;
}

const nativeMap: Value = /* @__PURE__ */ (() => Array.prototype.map)();

/** Whether it is an array with the built-in `map`. */
export const isPlain = (list: Value): boolean =>
  Array.isArray(list) && list.map === nativeMap && list.constructor === Array;

/** The handle of an array, for `idAt`. An object that types took for one has its fields' ids. */
export function idsOf(list: Value): Handle {
  if (Array.isArray(list)) return arrayHandle(list);
  if (isView(list)) return beyond().viewHandle(list);
  const ids =
    typeof list === "object" && list !== null
      ? new Proxy<Elements>([], { get: (_ids, key) => fieldId(list, key) })
      : NO_IDS;
  return { ids, own: NO_IDS, of: ARRAY, list, isReal: false, isGiven: true, keeper: run.store };
}

/** The id of `list[index]`; the handle may be of another run. */
export const idAt = (handle: Handle, index: number): Id =>
  (handle.keeper === run.store ? handle : idsOf(handle.list)).ids[index] ?? 0;

/** Defines a property of a literal, without calling an inherited setter. */
export function setOwn(o: Value, key: Value, value: Value): void {
  if (key in o)
    Object.defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true });
  else o[key] = value;
}

/** Gaps up to this length are filled with zeros, since arrays with holes are slow. */
const GAP = 1 << 20;

export function putId(ids: Elements, index: number, to: Id): void {
  if (index - ids.length < GAP) while (ids.length < index) ids.push(0);
  ids[index] = to;
}
