// Built-in accessors: `length` of a typed array, `size` of a Map, `flags` of a RegExp. Their
// numbers have no derivative.

import { inert, inertNatives } from "../dispatch.ts";
import type { Family } from "../families.ts";
import type { Value } from "../value.ts";

export const accessors: Family = () => {
  const TypedArray: Value = Object.getPrototypeOf(Float64Array);
  const host: Value = globalThis;

  const ofLanguage: readonly Value[] = [
    Object,
    Function,
    Array,
    TypedArray,
    ArrayBuffer,
    host.SharedArrayBuffer,
    DataView,
    Map,
    Set,
    WeakMap,
    Promise,
    RegExp,
    Symbol,
    Error,
  ];
  note(ofLanguage, inertNatives);
  note([host.URL, host.TextEncoder], inert);
};

function note(owners: readonly Value[], by: typeof inert): void {
  for (const owner of owners.flatMap((one) => (one === undefined ? [] : [one, one.prototype])))
    for (const key of Reflect.ownKeys(owner)) {
      const property = Object.getOwnPropertyDescriptor(owner, key);
      by(property?.get, property?.set);
    }
}
