// Persistent state: objects that an earlier run or plain code left in a variable or field. Their
// numbers have the id LEFT, and no derivative passes through them (TSG0015). Arguments belong to
// their caller; what this run writes has the ids of this run.

import { isBorn, watchResults } from "./dispatch.ts";
import { type Places, planOf, seedAt } from "./inputs.ts";
import { setId } from "./register.ts";
import { reading } from "./run.ts";
import { type Cell, isHeld, keyId, setKeyId } from "./shadows.ts";
import { isLeftOver, isRecording, run, type Store } from "./store.ts";
import { LEFT } from "./tape.ts";
import type { Value } from "./value.ts";

/** The last run that inspected an object, by variable and object. */
const looked = /* @__PURE__ */ new WeakMap<Cell, WeakMap<object, Store>>();

const LEAVING: Places = {
  number: () => 0,
  at: (o, key, kind) => {
    if (isLeftOver(o) && reading.at(o, key, kind) === 0) seedAt(o, key, kind, LEFT);
    return 0;
  },
  other: (o) => {
    if (!isLeftOver(o)) return;
    (run.store.promises ??= new WeakMap()).set(o, LEFT);
    if (typeof o === "function") watchResults(resultOf);
  },
};

/** The result of a persistent function consists of persistent numbers. */
function resultOf(f: Value, value: Value): Value {
  if (run.store.promises?.get(f) !== LEFT) return value;
  if (typeof value === "number") setId(LEFT);
  else leaveAll(value);
  return value;
}

/**
 * Whether this run has not inspected the object yet, and has not constructed its owner. It does so
 * once, before it writes there.
 */
export function unseen(cell: Cell, o: Value, owner: Value = o): boolean {
  if ((typeof o !== "object" && typeof o !== "function") || o === null || !isRecording())
    return false;
  let runs = looked.get(cell);
  if (runs === undefined) looked.set(cell, (runs = new WeakMap()));
  if (runs.get(o) === run.store) return false;
  runs.set(o, run.store);
  run.store.isUsed = true;
  return !isBorn(owner);
}

/** A read of a persistent variable. `places`: the fields that may persist; default: all. */
export function kept(cell: Cell, value: Value, ...places: readonly PropertyKey[]): Value {
  if (unseen(cell, value) && !isHeld(cell, value)) keptIn(cell, value, ...places);
  return value;
}

/** The last run that inspected all content of an object. Later content is that run's own. */
const whole = /* @__PURE__ */ new WeakMap<object, Store>();

/** Marks all numbers of an object, and the results of a promise or generator. */
export function leaveAll(o: Value): void {
  if (typeof o === "object" && o !== null) whole.set(o, run.store);
  planOf(o, 0, LEAVING, new Map());
}

/** The same for an argument: `if ($d.unseen(cell, o)) $d.keptIn(cell, o, "value")`. */
export function keptIn(cell: Cell, o: Value, ...places: readonly PropertyKey[]): void {
  const isLeft = cell(o);
  if (isLeft === true && places.length === 0) leaveAll(o);
  // The field may still be a getter.
  if (typeof isLeft === "boolean")
    for (const key of places) leave(o, key, isLeft ? o[key] : undefined, isLeft);
}

/** The same by a key elsewhere: `if ($d.unseen(cell, out)) $d.keptBeside(cell, this, out)`. */
export function keptBeside(
  cell: Cell,
  owner: Value,
  o: Value,
  ...places: readonly PropertyKey[]
): void {
  if (cell(owner) !== true) return;
  if (places.length === 0) leaveAll(o);
  for (const key of places) leave(o, key, o[key], true);
}

/** The same for private fields: `$d.keptFields(cell, o, { value: o.value }, { last: o.last })`. */
export function keptFields(cell: Cell, o: Value, fields: Value, beside: Value = {}): void {
  const isLeft = cell({ ...fields, ...beside });
  if (typeof isLeft === "boolean")
    for (const key of Object.keys(fields)) leave(o, key, fields[key], isLeft);
}

/** The same for the content of an array or table: `$d.keptContent(cell, memo)`. */
export function keptContent(cell: Cell, o: Value): void {
  if (whole.get(o) === run.store) return;
  whole.set(o, run.store);
  const met = new Map();
  planOf(o, 0, leaving(cell), met);
  if (!(o instanceof Set)) return;
  for (const each of o) {
    if (typeof each === "number") leaving(cell).at(o, each, "entry");
    else planOf(each, 0, leaving(cell), met);
  }
}

/** The same for one entry of a table that cannot be enumerated. */
export function keptEntry(cell: Cell, o: Value, key: Value): void {
  const value: Value = o.get(key);
  if (typeof value === "number") leaving(cell).at(o, key, "entry");
  else planOf(value, 0, leaving(cell), new Map());
}

const leaving = (cell: Cell): Places => ({
  ...LEAVING,
  at: (o, key, kind) => {
    const own: Value = kind === "entry" ? (o instanceof Set ? key : o.get(key)) : o[key];
    return cell(own) === true ? LEAVING.at(o, key, kind) : 0;
  },
});

/** Marks the content of a place, or unmarks it if plain code has overwritten it. */
function leave(o: Value, key: PropertyKey, own: Value, isLeft: boolean): void {
  if (!isLeft) {
    if (keyId(o, key) === LEFT) setKeyId(o, key, 0);
  } else if (typeof own === "number") LEAVING.at(o, key, "key");
  else planOf(own, 0, LEAVING, new Map());
}
