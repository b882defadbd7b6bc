// Loops of numbers as one node of the tape. In: the derivative of a loop as a function of numbers.
// Out: the number that the loop changes. Invariant: where it must run as usual, nothing happened.

import { ret } from "./register.ts";
import { addTerm, firstTerm, summed } from "./tape.ts";
import type { Id, Value } from "./value.ts";

/** `step` of a loop whose active arguments are numbers. */
export function stepOfNumbers(
  derivative: Value,
  places: readonly number[],
  given: readonly Id[],
  args: Value[],
): Value {
  let isActive = false;
  for (const place of places) {
    if (typeof args[place] !== "number") return undefined;
    if (given[place] !== 0) isActive = true;
  }
  const made = isActive ? attempted(derivative, args) : null;
  if (made === null) return undefined;
  const [value, bars] = made;
  const first = firstTerm();
  let at = first;
  // what only an unchosen side reads has partial 0, which an infinite adjoint must not meet
  for (let k = 0; k < places.length; k++)
    if (bars[k] !== 0) at = addTerm(at, given[places[k] ?? 0] ?? 0, bars[k]);
  return ret(value, summed(0, first, at));
}

/** The value and cotangents; null where it throws. */
export function attempted(derivative: Value, args: Value[]): Value {
  try {
    return derivative(...args);
  } catch {
    return null;
  }
}
