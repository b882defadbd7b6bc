// The rewritten forms of functions, by the function. In: a function and its rewritten form. Out: that form, wherever the function turns up.
// Invariant: one table for all entries of the package; a function that is dropped drops its form.

import type { DeltaFunction, Value } from "./value.ts";

const deltas = /* @__PURE__ */ new WeakMap<object, DeltaFunction>();

const fixed = /* @__PURE__ */ new WeakSet<object>();

/** Says what the rewritten form of a function is. Gives the function back. */
export function link<F>(f: F, delta: Value): F {
  if (typeof f === "function" && typeof delta === "function" && !fixed.has(f)) deltas.set(f, delta);
  return f;
}

/** What is linked stays: a rule by `defineDerivative` comes before what a function's own code would be. */
export function fix(f: Value): void {
  if (typeof f === "function") fixed.add(f);
}

export const deltaOf = (f: Value): DeltaFunction | undefined => (typeof f === "function" ? deltas.get(f) : undefined);
