// Numbers that are written as text. In: a number that becomes text; text that becomes a number. Out: an error where the second is the
// first, read back. Invariant: no derivative passes through text, and none is lost there unseen: `Number(x.toFixed(2))` throws.
// Blind for text that was changed in between.

import { run, type Run } from "./store.ts";
import { failure, type Id, type Value } from "./value.ts";

const texts = new WeakMap<Run, Set<string>>();

/** Takes note of what an active number looks like as text. */
export function written(text: Value, valueId: Id): void {
  if (valueId === 0 || typeof text !== "string") return;
  const known = texts.get(run);
  if (known === undefined) texts.set(run, new Set([text]));
  else known.add(text);
}

/** A number in a template. */
export function text(value: Value, valueId: Id): Value {
  if (typeof value === "number" && valueId !== 0) written(String(value), valueId);
  return value;
}

/** Text is about to be read as a number. */
export function readBack(value: Value): void {
  if (typeof value !== "string" || texts.get(run)?.has(value.trim()) !== true) return;
  throw failure("TSG0012", `a number with a derivative was written as text, "${value}", and is read back: no derivative passes through text; use the number itself, and Math.round where it has to be rounded`);
}
