// The register: the id of the expression that was evaluated last. In: what computes a value. Out: `id`, a live binding.
// Invariant: it is read directly after the value was computed, before anything else runs.

import type { Id, Value } from "./value.ts";

export let id: Id = 0;

export function setId(to: Id): void {
  id = to;
}

/** `value`, and its id in the register; what is no number has none. */
export function ret(value: Value, valueId: Id): Value {
  id = typeof value === "number" ? valueId : 0;
  return value;
}

/** A result of a call: what is no number leaves no id behind. */
export function settled(value: Value): Value {
  if (typeof value !== "number") id = 0;
  return value;
}
