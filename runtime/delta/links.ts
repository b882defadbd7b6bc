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

/** Says what the rewritten form of a function is. Gives the function back. `name`: what its place would have called it, had no call stood around it. */
export function link<F>(f: F, delta: Value, name = ""): F {
  if (name !== "") Object.defineProperty(f, "name", { value: name, configurable: true });
  if (typeof f !== "function" || typeof delta !== "function" || (isAnyFixed && fixed.has(f)))
    return f;
  try {
    Linked.put(f, delta);
  } catch {
    others.set(f, delta);
  }
  return f;
}

/** The same of a member of an object that is new. Gives the object back. */
export function linkMember<T>(object: T, name: keyof T, delta: Value): T {
  link(object[name], delta);
  return object;
}

/** What is linked stays: a rule by `defineDerivative` comes before what a function's own code would be. */
export function fix(f: Value): void {
  if (typeof f !== "function") return;
  isAnyFixed = true;
  fixed.add(f);
}

export const deltaOf = (f: Value): DeltaFunction | undefined =>
  typeof f === "function" ? (Linked.of(f) ?? others.get(f)) : undefined;
