// Functions that derivatives have asked for by their signatures. In: signatures by name. Out: those whose functions are still to be written, in the order they were asked for.
// Invariant: all who ask for a name have one signature.

import type { Func } from "../ir/types.ts";

export class Wanted<S extends { readonly callee: Func }> {
  readonly #known = new Map<string, S>();
  readonly #queue: S[] = [];

  get(name: string): S | undefined {
    return this.#known.get(name);
  }

  /** The signature of that name that is known, or this one, whose function is still to be written unless it is shipped. */
  once(name: string, signature: S): S {
    const before = this.#known.get(name);
    if (before !== undefined) return before;
    this.#known.set(name, signature);
    if (signature.callee.shipped !== true) this.#queue.push(signature);
    return signature;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Takes them one by one; more may be asked for meanwhile. */
  *taken(): Generator<S, void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) yield next;
  }
}
