// Numbers that are written as text. In: a number that becomes text; text that becomes a number. Out: an id for the second where it is the
// first, read back: one that a derivative must not reach. Invariant: no derivative is lost in text unseen: where one would pass
// through `Number(x.toFixed(2))` it throws; text that is only tested or compared does no harm. Blind for text that was changed in between.

import { run, type Run } from "./store.ts";
import { callNode } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

const texts = new WeakMap<Run, Set<string>>();

/** Takes note of what an active number looks like as text. */
export function written(made: Value, valueId: Id): void {
  if (valueId === 0 || typeof made !== "string") return;
  const known = texts.get(run);
  if (known === undefined) texts.set(run, new Set([made]));
  else known.add(made);
}

/** A number in a template. */
export function text(value: Value, valueId: Id): Value {
  if (typeof value === "number" && valueId !== 0) written(String(value), valueId);
  return value;
}

/** The id of the number that text is read as. */
export function readBack(value: Value): Id {
  if (typeof value !== "string" || texts.get(run)?.has(value.trim()) !== true) return 0;
  return callNode(() => {
    throw failure("TSG0012", `a number with a derivative was written as text, "${value}", and is read back: no derivative passes through text; use the number itself, and Math.round where it has to be rounded`);
  });
}
