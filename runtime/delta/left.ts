// Objects that an earlier run, of plain code too, has left in a variable or a field that outlives runs. In: what knows the variable, what stands there. Out: the object, whose numbers are known as those of a
// run that is over: no derivative passes through them (TSG0015). Invariants: what comes with the arguments is their caller's; what the run writes has the ids that it gets there.

import { watchResults } from "./dispatch.ts";
import { type Places, planOf, seedAt } from "./inputs.ts";
import { setId } from "./register.ts";
import { reading } from "./run.ts";
import { type Cell, isHeld, keyId, setKeyId } from "./shadows.ts";
import { isLeftOver, isRecording, run, type Store } from "./store.ts";
import { LEFT } from "./tape.ts";
import type { Value } from "./value.ts";

/** The run that has looked last, by what knows the variable, and by object. */
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

/** What a function gives that an earlier run has left is made of numbers that it has kept. */
function resultOf(f: Value, value: Value): Value {
  if (run.store.promises?.get(f) !== LEFT) return value;
  if (typeof value === "number") setId(LEFT);
  else leaveAll(value);
  return value;
}

/** Whether a run has not yet looked at what an object holds, which it does once, in front of all that it writes there. */
export function unseen(cell: Cell, o: Value): boolean {
  if ((typeof o !== "object" && typeof o !== "function") || o === null || !isRecording())
    return false;
  let runs = looked.get(cell);
  if (runs === undefined) looked.set(cell, (runs = new WeakMap()));
  if (runs.get(o) === run.store) return false;
  runs.set(o, run.store);
  run.store.isUsed = true;
  return true;
}

/** What is read of such a variable. `places`: the fields that may be left; none: all. */
export function kept(cell: Cell, value: Value, ...places: readonly PropertyKey[]): Value {
  if (unseen(cell, value) && !isHeld(cell, value)) keptIn(cell, value, ...places);
  return value;
}

/** The run that has looked last at all that an object holds, whatever it knew it by: what stands there later is its own. */
const whole = /* @__PURE__ */ new WeakMap<object, Store>();

/** All numbers of an object, and of what a promise or a generator gives. */
export function leaveAll(o: Value): void {
  if (typeof o === "object" && o !== null) whole.set(o, run.store);
  planOf(o, 0, LEAVING, new Map());
}

/** The same of an object in front of a function that meets it: `if ($d.unseen(cell, o)) $d.keptIn(cell, o, "value")`. */
export function keptIn(cell: Cell, o: Value, ...places: readonly PropertyKey[]): void {
  const isLeft = cell(o);
  if (isLeft === true && places.length === 0) leaveAll(o);
  // a getter may stand there yet
  if (typeof isLeft === "boolean")
    for (const key of places) leave(o, key, isLeft ? o[key] : undefined, isLeft);
}

/** The same where a key that another object or, null, a variable holds says it: `if ($d.unseen(cell, out)) $d.keptBeside(cell, this, out)`. `places`: none: all. */
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

/** The same of fields that no other code sees: `if ($d.unseen(cell, o)) $d.keptFields(cell, o, { value: o.value }, { last: o.last })`. `beside`: what is asked for only. */
export function keptFields(cell: Cell, o: Value, fields: Value, beside: Value = {}): void {
  const isLeft = cell({ ...fields, ...beside });
  if (typeof isLeft === "boolean")
    for (const key of Object.keys(fields)) leave(o, key, fields[key], isLeft);
}

/** The same of what a list or a table holds, number by number, wherever it comes from: `if ($d.unseen(cell, memo)) $d.keptContent(cell, memo)`. */
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

/** The same of one entry of a table whose entries nobody can list. */
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

/** What stands at a place is left there, or plain code has put it there behind what a run has left. */
function leave(o: Value, key: PropertyKey, own: Value, isLeft: boolean): void {
  if (!isLeft) {
    if (keyId(o, key) === LEFT) setKeyId(o, key, 0);
  } else if (typeof own === "number") LEAVING.at(o, key, "key");
  else planOf(own, 0, LEAVING, new Map());
}
