// Objects that an earlier run, of plain code too, has left in a variable that outlives runs. In: the variable, what stands there. Out: the object, whose numbers are known as those of a run
// that is over: no derivative passes through them (TSG0015). Invariants: what comes with the arguments is their caller's; what the run writes has the ids that it gets there.

import { type Places, planOf, seedAt } from "./inputs.ts";
import { reading } from "./run.ts";
import { type Cell, isHeld } from "./shadows.ts";
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

/** What is read of such a variable; it is looked at once in a run, in front of all that the run writes there. */
export function kept(cell: Cell, value: Value): Value {
  if (typeof value !== "object" || value === null || !isRecording() || looked.get(cell) === run.store) return value;
  looked.set(cell, run.store);
  run.store.isUsed = true;
  if (!isHeld(cell, value) && cell() === true) planOf(value, 0, LEAVING, new Map());
  return value;
}
