// The rewritten forms of functions, by the function. In: a function and its rewritten form. Out: that form, wherever the function turns up.
// Invariant: one table for all entries of the package; a function that is dropped drops its form. The form stands in a private field of the function
// (marks.ts says why); a table holds those of functions that take none.

import { Itself } from "./marks.ts";
import type { DeltaFunction, Value } from "./value.ts";

class Linked extends Itself {
  #delta: DeltaFunction;

  constructor(f: object, delta: DeltaFunction) {
    super(f);
    this.#delta = delta;
  }

  static of(f: object): DeltaFunction | undefined {
    return #delta in f ? f.#delta : undefined;
  }

  static put(f: object, delta: DeltaFunction): void {
    if (#delta in f) f.#delta = delta;
    else new Linked(f, delta);
  }
}

const others = /* @__PURE__ */ new WeakMap<object, DeltaFunction>();

const fixed = /* @__PURE__ */ new WeakSet<object>();
let isAnyFixed = false;

/** Says what the rewritten form of a function is. Gives the function back. */
export function link<F>(f: F, delta: Value): F {
  if (typeof f !== "function" || typeof delta !== "function" || (isAnyFixed && fixed.has(f))) return f;
  try {
    Linked.put(f, delta);
  } catch {
    others.set(f, delta);
  }
  return f;
}

/** What is linked stays: a rule by `defineDerivative` comes before what a function's own code would be. */
export function fix(f: Value): void {
  if (typeof f !== "function") return;
  isAnyFixed = true;
  fixed.add(f);
}

export const deltaOf = (f: Value): DeltaFunction | undefined => (typeof f === "function" ? (Linked.of(f) ?? others.get(f)) : undefined);
