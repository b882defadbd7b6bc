// Numbers that are written as text. In: a number that becomes text; text that becomes a number. Out: an id for the second where it is the
// first, read back: one that a derivative must not reach. Invariant: no derivative is lost in text unseen: where one would pass
// through `Number(x.toFixed(2))` it throws; text that is only tested or compared does no harm. Blind for text that was changed in between.

import { isView } from "./handles.ts";
import { setKeyId, shadowOf } from "./shadows.ts";
import { run, type Run } from "./store.ts";
import { callNode } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

/** What text says that active numbers became. */
const numbers = new WeakMap<Run, Set<number>>();

/** Takes note of what an active number looks like as text. */
export function written(made: Value, valueId: Id): void {
  if (valueId === 0 || typeof made !== "string") return;
  const known = numbers.get(run);
  const number = Number(made);
  if (known === undefined) numbers.set(run, new Set([number]));
  else known.add(number);
}

/** The same of all active numbers in an object, at any depth. */
export function writtenOut(value: Value, met: Set<object> = new Set()): void {
  if (typeof value !== "object" || value === null || met.has(value)) return;
  met.add(value);
  for (const [key, own] of shadowOf(value)) {
    const number =
      value instanceof Map
        ? value.get(key)
        : value instanceof Set
          ? key
          : Reflect.get(value, key as PropertyKey); // of what is neither, names and positions
    if (typeof number !== "number") continue;
    written(String(number), own);
    written(number.toLocaleString(), own);
  }
  if (!isView(value))
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value)))
      writtenOut(inner, met);
}

/** A number in a template. */
export function text(value: Value, valueId: Id): Value {
  if (typeof value === "number" && valueId !== 0) written(String(value), valueId);
  return value;
}

/** The id of the number that text is read as. */
export function readBack(
  value: Value,
  number: number = Number(typeof value === "string" ? value : NaN),
): Id {
  if (typeof value !== "string" || value.trim() === "" || numbers.get(run)?.has(number) !== true)
    return 0;
  return callNode(() => {
    throw failure(
      "TSG0012",
      `a number with a derivative was written as text, "${value}", and is read back: no derivative passes through text; use the number itself, and Math.round where it has to be rounded`,
    );
  });
}

/** Gives the numbers in what was read from text their ids; returns that of a number. */
export function readOut(made: Value, value: Value): Id {
  if (typeof made === "number") return readBack(value, made);
  if (typeof made === "object" && made !== null && numbers.has(run)) {
    for (const key of Object.keys(made)) {
      const own = readOut(made[key], value);
      if (own !== 0) setKeyId(made, key, own);
    }
  }
  return 0;
}
