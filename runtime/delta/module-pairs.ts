// Pairs a package's real exports with those of its instrumented copy, before a run begins. Real
// functions are linked to the copy's rewritten forms. Instances that copies construct belong to the
// real class, so that other code recognises them.

import { linkMethod } from "./by-others.ts";
import { deltaOf, link } from "./dispatch.ts";
import { isForwarding } from "./modules.ts";
import { aroundRuns, type Around } from "./runs.ts";
import type { Value } from "./value.ts";

interface Pending {
  readonly real: () => Readonly<Record<string, Value>>;
  readonly copy: () => Value;
}

let pending: Pending[] = [];
const reals = new WeakMap<object>();
const copies = new WeakMap<object>();

/** `real` returns the imports by exported name: `default`, or `*` for the namespace. */
export function linkModule(real: () => Readonly<Record<string, Value>>, copy: () => Value): void {
  aroundRuns(SETTLING);
  pending.push({ real, copy });
}

const SETTLING: Around = { begin: settleModules };

/** Evaluates the copies that were linked since the last call, and pairs them. */
function settleModules(): void {
  while (pending.length > 0) {
    const now = pending;
    pending = [];
    for (const { real, copy } of now) {
      const exports = copy();
      for (const [name, value] of Object.entries(real()))
        pair(value, exportOf(exports, name, value));
    }
  }
}

export const realOf = (f: Value): Value => (isObject(f) ? (reals.get(f) ?? f) : f);

/** v instanceof C, where a class equals its copy */
export function isTwinInstance(value: Value, f: Value): boolean {
  if (!isObject(f)) return false;
  const other = reals.get(f) ?? copies.get(f);
  return other !== undefined && value instanceof other;
}

function exportOf(exports: Value, name: string, real: Value): Value {
  const isEsModule = isObject(exports) && exports.__esModule === true;
  if (name === "*") return isEsModule ? exports : { ...exports, default: exports };
  if (name !== "default") return exports[name];
  // The default of a CommonJS module depends on its loader: the module, or its `default` member.
  if (!isEsModule || !("default" in exports)) return exports;
  return isObject(real) && typeof real === "object" && real.__esModule === true
    ? exports
    : exports.default;
}

const isObject = (value: Value): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Objects that all code shares; they are not walked into. */
const isShared = (value: Value): boolean =>
  value === Object.prototype ||
  value === Function.prototype ||
  value === Array.prototype ||
  value === globalThis;

/** Longer exported arrays and tables are not searched for functions. */
const LIST = 1000;

function pair(real: Value, copy: Value): void {
  const work: [Value, Value][] = [[real, copy]];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [a, b] = next;
    if (!isPairable(a, b)) continue;
    copies.set(a, b);
    reals.set(b, a);
    const delta = deltaOf(b);
    if (delta !== undefined && deltaOf(a) === undefined) link(a, delta);
    if (a instanceof Map && b instanceof Map && b.size <= LIST)
      for (const [key, value] of b) work.push([a.get(key), value]);
    work.push([Object.getPrototypeOf(a), Object.getPrototypeOf(b)]);
    for (const key of Reflect.ownKeys(b)) pairProperty(a, b, key, work);
  }
}

const isPairable = (a: Value, b: Value): boolean =>
  isObject(a) &&
  isObject(b) &&
  a !== b &&
  typeof a === typeof b &&
  !isShared(a) &&
  !isShared(b) &&
  copies.get(a) !== b &&
  !ArrayBuffer.isView(a) &&
  !(Array.isArray(a) && a.length > LIST);

function pairProperty(a: Value, b: Value, key: PropertyKey, work: [Value, Value][]): void {
  const theirs = Object.getOwnPropertyDescriptor(a, key);
  const ours = Object.getOwnPropertyDescriptor(b, key);
  if (theirs === undefined || ours === undefined) return;
  const method = deltaOf(ours.value);
  if (method !== undefined && typeof theirs.value === "function")
    linkMethod(a, key, theirs.value, method);
  // A namespace's members may be getters or plain values, on either side.
  const isRead =
    (theirs.get === undefined) !== (ours.get === undefined) ||
    (ours.get !== undefined && isForwarding(ours.get));
  work.push(
    [isRead ? a[key] : theirs.value, isRead ? b[key] : ours.value],
    [theirs.get, ours.get],
    [theirs.set, ours.set],
  );
}
