// The register holds the id of the expression that was evaluated last. It must be read before
// anything else runs.

import type { Id, Value } from "./value.ts";

export let id: Id = 0;

export function setId(to: Id): void {
  id = to;
}

/** Returns the value and sets the register. A value that is not a number has id 0. */
export function ret(value: Value, valueId: Id): Value {
  id = typeof value === "number" ? valueId : 0;
  return value;
}

/** Clears the register after a call whose result is not a number. */
export function settled(value: Value): Value {
  if (typeof value !== "number") id = 0;
  return value;
}
