// State of instrumented modules. After a run, variables and containers with numbers of the run are
// restored, so that a package's cache is not a constant of the next run.

import { aroundRuns, type Around } from "./runs.ts";
import { isActive, keyId, setKeyId } from "./shadows.ts";
import { entryId, run, setEntryId } from "./store.ts";
import { mark, type Mark } from "./tape.ts";
import type { Value } from "./value.ts";

interface Module {
  readonly read: () => Value[];
  readonly write: (values: Value[]) => void;
  readonly containers: () => Value[];
}

/** The fields or entries of an object at some time. */
interface Kept {
  readonly of: Value;
  readonly entries: readonly (readonly [Value, Value])[];
}
interface Snapshot {
  readonly module: Module;
  readonly variables: Value[];
  readonly containers: Kept[];
}

const modules: Module[] = [];
let taken: Snapshot[] | undefined;

/** Limits of entries and depth; larger containers count as tables. */
const MOST = 64;
const DEEPEST = 3;

export function moduleState(
  read: () => Value[],
  write: (values: Value[]) => void,
  containers: () => Value[],
): void {
  aroundRuns(KEEPING);
  const module = { read, write, containers };
  modules.push(module);
  taken?.push(snapshotOf(module));
}

/** Runs before the first of all overlapping runs, and after each. */
const KEEPING: Around = {
  begin: (isFirst) => {
    if (isFirst) taken = modules.map(snapshotOf);
  },
  end: ({ from }, isLast) => {
    restoreState(from, isLast);
  },
};

function restoreState(from: Mark, isLast: boolean): void {
  if (taken === undefined) return;
  const before = taken;
  if (isLast) taken = undefined;
  if (mark().node === from.node) return;
  for (const { module, variables, containers } of before) {
    for (const kept of containers) if (isTainted(kept)) refill(kept);
    const now = module.read();
    const tainted = now.map(
      (value, i) =>
        !Object.is(value, variables[i]) &&
        (typeof value === "function" || keyId(now, i) >= from.node || isActive(value)),
    );
    if (tainted.includes(true))
      module.write(now.map((value, i) => (tainted[i] === true ? variables[i] : value)));
  }
}

function snapshotOf(module: Module): Snapshot {
  const variables = [...module.read()];
  const containers: Kept[] = [];
  const work: (readonly [Value, number])[] = [...variables, ...module.containers()].map((value) => [
    value,
    1,
  ]);
  const met = new Set<Value>();
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [of, depth] = next;
    if (met.has(of) || !isContainer(of)) continue;
    met.add(of);
    const entries = entriesOf(of);
    if (entries.length > MOST) continue;
    containers.push({ of, entries });
    if (depth < DEEPEST) for (const [, value] of entries) work.push([value, depth + 1]);
  }
  return { module, variables, containers };
}

function isContainer(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The entries of an object, without accessors. */
function entriesOf(of: Value): [Value, Value][] {
  if (of instanceof Map) return of.size > MOST ? Array(MOST + 1).fill([0, 0]) : [...of];
  if (of instanceof Set)
    return of.size > MOST ? Array(MOST + 1).fill([0, 0]) : [...of].map((value) => [value, value]);
  if (Array.isArray(of)) return of.length > MOST ? Array(MOST + 1).fill([0, 0]) : [...of.entries()];
  return Object.entries(Object.getOwnPropertyDescriptors(of)).flatMap(([key, property]) =>
    "value" in property ? [[key, property.value]] : [],
  );
}

/** Whether a new or overwritten entry holds a number of the run. */
function isTainted({ of, entries }: Kept): boolean {
  const before = of instanceof Set ? undefined : new Map(entries);
  const isMap = of instanceof Map || of instanceof Set;
  return (
    (isMap ? [...of.entries()] : Object.entries(of)).some(([key, value]) => {
      if (typeof value === "number") return (isMap ? entryId(of, key) : keyId(of, key)) !== 0;
      const at = Array.isArray(of) ? Number(key) : key;
      return before?.get(at) !== value && isActive(value);
    }) ||
    (isMap && (run.store.keys?.get(of)?.size ?? 0) > 0)
  );
}

function refill({ of, entries }: Kept): void {
  if (of instanceof Map || of instanceof Set) {
    for (const key of of.keys()) setEntryId(of, key, 0);
    of.clear();
    for (const [key, value] of entries)
      if (of instanceof Map) of.set(key, value);
      else of.add(value);
    return;
  }
  for (const key of Object.keys(of)) setKeyId(of, key, 0);
  if (Array.isArray(of)) of.length = entries.length;
  else
    for (const key of Object.keys(of)) if (!entries.some(([name]) => name === key)) delete of[key];
  for (const [key, value] of entries) if (!Object.is(of[key], value)) of[key] = value;
}
