// Active numbers that become strings. A number that is read back, as in `Number(x.toFixed(2))`,
// throws if a derivative reaches it. Strings that change in between are not detected.

import { isView } from "./handles.ts";
import { setKeyId, shadowOf } from "./shadows.ts";
import { run, type Run } from "./store.ts";
import { noteText } from "./text-keys.ts";
import { callNode } from "./tape.ts";
import { failure, placeIn, type Id, type Value } from "./value.ts";

/** The numbers that strings of active numbers denote, and where the first ones were made. */
const numbers = new WeakMap<Run, Map<number, Error | null>>();
const MAX_PLACES = 100;

/** Notes the string of an active number. */
export function written(made: Value, valueId: Id): void {
  if (valueId === 0 || typeof made !== "string") return;
  const known = numbers.get(run) ?? new Map<number, Error | null>();
  const number = Number(made);
  noteText(made);
  if (known.has(number)) return;
  numbers.set(run, known.set(number, known.size < MAX_PLACES ? new Error() : null));
}

/** The same for all active numbers in an object, at any depth. */
export function writtenOut(value: Value, met: Set<object> = new Set()): void {
  if (typeof value !== "object" || value === null || met.has(value)) return;
  met.add(value);
  for (const [key, own] of shadowOf(value)) {
    const number =
      value instanceof Map
        ? value.get(key)
        : value instanceof Set
          ? key
          : Reflect.get(value, key as PropertyKey);
    if (typeof number !== "number") continue;
    written(String(number), own);
    written(number.toLocaleString(), own);
  }
  if (!isView(value))
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(value)))
      writtenOut(inner, met);
}

export function text(value: Value, valueId: Id): Value {
  if (typeof value === "number" && valueId !== 0) written(String(value), valueId);
  return value;
}

/** The id of a number that is read from a string. */
export function readBack(
  value: Value,
  number: number = Number(typeof value === "string" ? value : NaN),
): Id {
  const made = numbers.get(run)?.get(number);
  if (typeof value !== "string" || value.trim() === "" || made === undefined) return 0;
  const read = new Error();
  return callNode(() => {
    throw failure(
      "TSG0012",
      `a number with a derivative was written as text, "${value}"${placeIn(made ?? read)}, and is read back${placeIn(read)}: no derivative passes through text; use the number itself, and Math.round where it has to be rounded`,
    );
  });
}

/** Sets the ids of numbers in a parsed value; returns that of a number. */
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
