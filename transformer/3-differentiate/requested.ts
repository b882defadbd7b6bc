// A queue of requested functions. Input: signatures by name. Output: those whose functions are
// still to be written, in the order of the requests. Invariant: each name has one signature.

import type { Func } from "../ir/types.ts";

export class Requests<S extends { readonly callee: Func }> {
  readonly #known = new Map<string, S>();
  readonly #queue: S[] = [];

  get(name: string): S | undefined {
    return this.#known.get(name);
  }

  /** The known signature of that name, or else this one, which is queued unless shipped. */
  request(name: string, signature: S): S {
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

  /** Takes them from the queue; more may be requested meanwhile. */
  *taken(): Generator<S, void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) yield next;
  }
}
