// State that outlives a run. What a run has recorded carries its stamp: ids are not reused, and the
// store of an object's ids knows its run. What plain code has left is a constant, unless an active
// number finds itself there as the key of a memo: what lies beside the key has the id LEFT then,
// and no derivative passes through it (TSG0015).

import { watchResults } from "./dispatch.ts";
import { type Places, planOf, seedAt } from "./inputs.ts";
import { setId } from "./register.ts";
import { reading } from "./run.ts";
import { type Cell, isHeld, setLet } from "./shadows.ts";
import { entryId, isLeftOver, isRecording, mapKeyId, run, type Run } from "./store.ts";
import { LEFT } from "./tape.ts";
import { isTextOfActive } from "./text-keys.ts";
import type { Id, Value } from "./value.ts";

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

/** Marks all numbers of an object, and the results of a promise, generator or function. */
export function leaveAll(o: Value): void {
  if (typeof o === "object" && o !== null) (run.store.left ??= new WeakSet()).add(o);
  planOf(o, 0, LEAVING, new Map());
}

/** What is kept beside a key: its object, or the variables of its block with their cells. */
type Beside = () => readonly (readonly [Cell | null, Value])[];

function leave(beside: Beside): void {
  for (const [cell, value] of beside())
    if (cell !== null && isHeld(cell, value)) continue;
    else if (typeof value !== "number") leaveWhole(value);
    else if (cell !== null) setLet(cell, LEFT, value);
}

/** The same for a class with its static fields. */
function leaveWhole(o: Value): void {
  leaveAll(o);
  if (typeof o !== "function" || !isLeftOver(o)) return;
  for (const key of Object.keys(o))
    if (typeof o[key] === "number") LEAVING.at(o, key, "key");
    else leaveAll(o[key]);
}

/** What a table holds under an active number, or its text, since before the run: `known.get(x)`. */
export function leaveEntry(table: Value, key: Value, keyId: Id): void {
  if (keyId <= LEFT && !isTextOfActive(key)) return;
  if (mapKeyId(table, key) !== 0 || entryId(table, key) !== 0) return;
  const value: Value = table.get(key);
  if (typeof value === "number") LEAVING.at(table, key, "entry");
  else leaveAll(value);
}

/** Keys that were found by comparisons of a condition, until the condition is known. */
let near: Beside[] = [];
/** The run that has found them. If the condition has thrown, they are still there. */
let nearIn: Run = run;

/** What lies beside the key on the right and on the left side of a comparison, if any. */
type Sides = readonly [right: Beside | null, left?: Beside];

/** Where one side is an active number of this run, and the other one, from before it, equals it. */
function found(x: Value, xId: Id, y: Value, yId: Id, [right, left]: Sides): Beside | null {
  if (typeof x !== "number" || x !== y || xId > LEFT === yId > LEFT || !isRecording()) return null;
  return (xId > LEFT ? right : left) ?? null;
}

/** A comparison with a key: `if ($d.same(x, x$id, last, last$id, beside)) return value`. */
export function same(x: Value, xId: Id, y: Value, yId: Id, ...sides: Sides): boolean {
  const beside = found(x, xId, y, yId, sides);
  if (beside !== null) leave(beside);
  return x === y;
}

/** The same in a condition of several comparisons. */
export function nearly(x: Value, xId: Id, y: Value, yId: Id, ...sides: Sides): boolean {
  const beside = found(x, xId, y, yId, sides);
  if (beside !== null) {
    if (nearIn !== run) near = [];
    nearIn = run;
    near.push(beside);
  }
  return x === y;
}

/** Such a condition. `hit`: what it is where all keys are found. */
export function together(test: Value, hit: boolean): Value {
  const all = near;
  if (all.length === 0 || nearIn !== run) return test;
  near = [];
  if (Boolean(test) === hit) all.forEach(leave);
  return test;
}
