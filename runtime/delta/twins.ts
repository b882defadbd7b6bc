// What a package's real exports have to do with those of its instrumented copy. In: the real values that a user's file imports, and the
// copy. Out: links of real functions to the copy's rewritten forms; pairs of classes. Invariants: pairs are made before a run
// begins; instances that copies make are those of the real class, so that code outside of derivatives knows them.

import { deltaOf, link } from "./dispatch.ts";
import { isForwarding } from "./modules.ts";
import { aroundRuns, type Around } from "./runs.ts";
import type { Value } from "./value.ts";

interface Pending {
  readonly real: () => Readonly<Record<string, Value>>;
  readonly copy: () => Value;
}

let pending: Pending[] = [];
const reals = new WeakMap<object, Value>();
const copies = new WeakMap<object, Value>();

/** `real` gives imports by exported name: `default`, `*` for the namespace. */
export function linkModule(real: () => Readonly<Record<string, Value>>, copy: () => Value): void {
  aroundRuns(SETTLING);
  pending.push({ real, copy });
}

const SETTLING: Around = { begin: settleModules };

/** Evaluates the copies that were linked since, and pairs them. */
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

/** The class that a copy's instances are made of. */
export const realOf = (f: Value): Value => (isObject(f) ? (reals.get(f) ?? f) : f);

/** v instanceof C, a class and its copy being one. */
export function isTwinInstance(value: Value, f: Value): boolean {
  if (!isObject(f)) return false;
  const other = reals.get(f) ?? copies.get(f);
  return other !== undefined && value instanceof other;
}

function exportOf(exports: Value, name: string, real: Value): Value {
  const isEsModule = isObject(exports) && exports.__esModule === true;
  if (name === "*") return isEsModule ? exports : { ...exports, default: exports };
  if (name !== "default") return exports[name];
  // what a CommonJS module's default is depends on who loads it: the whole module, or its member of that name
  if (!isEsModule || !("default" in exports)) return exports;
  return isObject(real) && typeof real === "object" && real.__esModule === true
    ? exports
    : exports.default;
}

const isObject = (value: Value): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Objects that every realm's code shares: never walked into. */
const isShared = (value: Value): boolean =>
  value === Object.prototype ||
  value === Function.prototype ||
  value === Array.prototype ||
  value === globalThis;

/** Elements up to which an exported list is looked through for functions. */
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
  // a namespace's members are getters in the copy and plain values in the real one, or the other way round, or getters in both
  const isRead =
    (theirs.get === undefined) !== (ours.get === undefined) ||
    (ours.get !== undefined && isForwarding(ours.get));
  work.push(
    [isRead ? a[key] : theirs.value, isRead ? b[key] : ours.value],
    [theirs.get, ours.get],
    [theirs.set, ours.set],
  );
}
