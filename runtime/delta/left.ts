// Objects that an earlier run, of plain code too, has left in a variable that outlives runs. In: the variable, what stands there. Out: the object, whose numbers are known as those of a run
// that is over: no derivative passes through them (TSG0015). Invariants: what comes with the arguments is their caller's; what the run writes has the ids that it gets there.

import { type Places, planOf, seedAt } from "./inputs.ts";
import { reading } from "./run.ts";
import { type Cell, isHeld, setKeyId } from "./shadows.ts";
import { isLeftOver, isRecording, run, type Store } from "./store.ts";
import { LEFT } from "./tape.ts";
import type { Value } from "./value.ts";

const looked = /* @__PURE__ */ new WeakMap<Cell, Store>();

const LEAVING: Places = {
  number: () => 0,
  at: (o, key, kind) => {
    if (isLeftOver(o) && reading.at(o, key, kind) === 0) seedAt(o, key, kind, LEFT);
    return 0;
  },
};

/** What is read of such a variable; it is looked at once in a run, in front of all that the run writes there. `places`: the fields that may be left; none: all. */
export function kept(cell: Cell, value: Value, ...places: readonly string[]): Value {
  if (typeof value !== "object" || value === null || !isRecording() || looked.get(cell) === run.store) return value;
  looked.set(cell, run.store);
  run.store.isUsed = true;
  const isLeft = isHeld(cell, value) ? undefined : cell();
  if (isLeft === true && places.length === 0) planOf(value, 0, LEAVING, new Map());
  for (const key of isLeft === undefined ? [] : places) {
    const own = value[key];
    // plain code has put it there behind what a run has left
    if (isLeft === false) setKeyId(value, key, 0);
    else if (typeof own === "number") LEAVING.at(value, key, "key");
    else planOf(own, 0, LEAVING, new Map());
  }
  return value;
}
