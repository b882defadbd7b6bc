// Links functions to their rewritten forms, in a private field of the function (object-data.ts says
// why) or in a table. A function that is collected drops its form.

import { Itself } from "./object-data.ts";
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

/** Links a function and returns it. `name`: its name without the call around it. */
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

/** Makes a link permanent: a rule of `defineDerivative` precedes the function's own code. */
export function fix(f: Value): void {
  if (typeof f !== "function") return;
  isAnyFixed = true;
  fixed.add(f);
}

export const deltaOf = (f: Value): DeltaFunction | undefined =>
  typeof f === "function" ? (Linked.of(f) ?? others.get(f)) : undefined;
