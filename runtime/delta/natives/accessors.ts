// Built-in accessors: `length` of a typed array, `size` of a Map, `flags` of a RegExp. Their
// numbers have no derivative.

import { inert } from "../dispatch.ts";
import type { Family } from "../families.ts";
import type { Value } from "../value.ts";

export const accessors: Family = () => {
  const TypedArray: Value = Object.getPrototypeOf(Float64Array);
  const host: Value = globalThis;

  const owners: readonly Value[] = [
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
    host.URL,
    host.TextEncoder,
  ].filter((owner) => owner !== undefined);

  for (const owner of owners.flatMap((constructor) => [constructor, constructor.prototype])) {
    for (const key of Reflect.ownKeys(owner)) {
      const property = Object.getOwnPropertyDescriptor(owner, key);
      inert(property?.get, property?.set);
    }
  }
};
