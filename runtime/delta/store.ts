// The shadow store of a run: ids of elements, fields and entries, by the real object. In: an object and a key. Out: an id.
// Invariants: an absent shadow means that all is zero; every run has its own store, so nothing is stale between calls.

import { mark, type Mark } from "./tape.ts";
import type { Id, Value } from "./value.ts";

/** Ids of elements: holes and what lies behind the end are 0. */
export type Elements = Id[];
/** Ids of fields by name (string or symbol), or of a Map's entries by key. */
export type Fields = Map<unknown, Id>;

/** Ids of a buffer's elements of one kind (`Float64Array`), which begin at byte `phase + place * width`. */
export interface Grid { readonly kind: string; readonly width: number; readonly phase: number; readonly ids: Elements }

export interface Run {
  readonly outer: Run | undefined;
  readonly from: Mark;
  /** Ids of array elements. */
  readonly elements: WeakMap<object, Elements>;
  /** Ids of fields of anything but arrays and typed arrays. */
  readonly fields: WeakMap<object, Fields>;
  /** Ids of Map values by key, and of Set members. */
  readonly entries: WeakMap<object, Fields>;
  /** Ids of the numbers that are a Map's keys. */
  readonly keys: WeakMap<object, Fields>;
  /** Ids of what typed arrays hold, by buffer, one grid for each kind of element. */
  readonly buffers: WeakMap<object, Grid[]>;
  /** Ids that promises were fulfilled with. */
  readonly promises: WeakMap<object, Id>;
  /** Whether any shadow holds an id: while not, nothing but numbers is active. */
  touched: boolean;
  /** Whether it shares the shadows of the run around it, and leaves its nodes to it. */
  readonly isInner: boolean;
  /** Whether it was suspended by an await, so that nodes of other runs may lie between its own. */
  suspended: boolean;
}

const newRun = (outer: Run | undefined): Run => ({
  outer, from: mark(), elements: new WeakMap(), fields: new WeakMap(), entries: new WeakMap(), keys: new WeakMap(), buffers: new WeakMap(), promises: new WeakMap(),
  touched: false, suspended: false, isInner: false,
});

/** The run that is being recorded. Rewritten code that runs outside of every run has one, too, in which nothing is active. */
export let run: Run = newRun(undefined);

export function startRun(): Run {
  run = newRun(run);
  return run;
}

/** A run for a derivative inside of what is recorded: it sees what is active around it. */
export function startInner(): Run {
  run = { ...run, outer: run, from: mark(), isInner: true };
  return run;
}

/** Whether something is being recorded. */
export const isRecording = (): boolean => run.outer !== undefined;

export function resume(other: Run): void {
  run = other;
}

/** Array elements, as `o[k]` finds them; `undefined`: no shadow. */
export const elementsOf = (o: object): Elements | undefined => run.elements.get(o);

/** The shadow of an array, made where there is none. */
export function elementsFor(o: object): Elements {
  let ids = run.elements.get(o);
  if (ids === undefined) run.elements.set(o, (ids = []));
  run.touched = true;
  return ids;
}

export const fieldId = (o: object, key: unknown): Id => run.fields.get(o)?.get(key) ?? 0;
export const entryId = (o: object, key: unknown): Id => run.entries.get(o)?.get(key) ?? 0;

export const setFieldId = (o: object, key: unknown, to: Id): void => put(run.fields, o, key, to);
export const setEntryId = (o: object, key: unknown, to: Id): void => put(run.entries, o, key, to);

/** The id of a number that is a key: a Set's members are values, a Map's keys stand beside them. */
export const mapKeyId = (o: object, key: unknown): Id => (typeof key === "number" ? (run.keys.get(o)?.get(key) ?? 0) : 0);
export const setMapKeyId = (o: object, key: unknown, to: Id): void => put(run.keys, o, key, to);

function put(store: WeakMap<object, Fields>, o: object, key: unknown, to: Id): void {
  const ids = store.get(o);
  if (to === 0) {
    ids?.delete(key);
    return;
  }
  run.touched = true;
  if (ids === undefined) store.set(o, new Map([[key, to]]));
  else ids.set(key, to);
}

/** Array index of a key as it is written in code, or -1: `a[1]`, `a["1"]`. */
export function indexOf(key: Value): number {
  if (typeof key === "number") return key >= 0 && Number.isInteger(key) ? key : -1;
  if (typeof key !== "string") return -1;
  const index = Number(key);
  return index >= 0 && Number.isInteger(index) && String(index) === key ? index : -1;
}

/** The name under which a field is kept: numbers are names, too. */
export const nameOf = (key: Value): Value => (typeof key === "symbol" ? key : String(key));
