// What numbers and objects that a function is given have to do with a derivative, over all functions of a plan. In: what their rewriters see: calls, names that stand for function
// values, writes. Out: for each parameter, whether a number with an id can reach it, and whether an object can in which ids are kept; and whose text has to be written anew.
// Invariants: all of it only grows, from "nothing"; a function that anybody else may call is given anything; ids come into objects of the arguments through writes alone, since
// no argument shares memory with one that is differentiated (TSG0004).

import type ts from "typescript";

/** What a parameter is given. */
export interface Given {
  /** A number that has an id. */
  readonly isLive: boolean;
  /** An object in which ids are kept. */
  readonly holds: boolean;
}

export const ANYTHING: Given = { isLive: true, holds: true };
const NOTHING: Given = { isLive: false, holds: false };

/** What the rewriter of one function says and asks. */
export interface ActivityOf {
  /** Of the function's own parameters. */
  given(place: number): Given;
  /** A call by name. What is given behind the last one is nothing. */
  calls(node: ts.FunctionLikeDeclaration, all: readonly Given[]): void;
  /** Its name stands for a value. */
  escapes(node: ts.FunctionLikeDeclaration): void;
  /** Something is written into an object that may be part of an argument, or runs that may do so. */
  writes(): void;
  /** Whether ids may come into objects in ways that nobody follows. */
  isWritten(): boolean;
  /** Whether nobody's object answers a read of a field with code. */
  readonly hasPlainFields: () => boolean;
}

export class Activity {
  readonly #given = new Map<ts.Node, Given[]>();
  readonly #open = new Set<ts.Node>();
  readonly #hasPlainFields: () => boolean;
  /** Functions whose text says less than is known now. */
  readonly stale: Set<ts.Node> = new Set();
  /** What writes. */
  readonly #writers = new Set<ts.Node>();
  /** What may run together with it. */
  readonly #touched = new Set<ts.Node>();

  constructor(hasPlainFields: () => boolean) {
    this.#hasPlainFields = hasPlainFields;
  }

  /** A function whose calls will be told. */
  enter(node: ts.Node): void {
    if (this.#given.has(node)) return;
    this.#given.set(node, []);
    this.stale.add(node);
  }

  calls(node: ts.Node, all: readonly Given[]): void {
    const known = this.#given.get(node);
    if (known === undefined) return;
    all.forEach((each, k) => {
      const before = known[k] ?? NOTHING;
      if ((!each.isLive || before.isLive) && (!each.holds || before.holds)) return;
      known[k] = { isLive: each.isLive || before.isLive, holds: each.holds || before.holds };
      this.stale.add(node);
    });
  }

  escapes(node: ts.Node): void {
    if (this.#open.has(node)) return;
    this.#open.add(node);
    if (this.#given.has(node)) this.stale.add(node);
  }

  /** These may run together. */
  meet(nodes: readonly ts.Node[]): void {
    if (!nodes.some((node) => this.#writers.has(node))) return;
    for (const node of nodes) {
      if (!this.#touched.has(node) && this.#given.has(node)) this.stale.add(node);
      this.#touched.add(node);
    }
  }

  #givenTo(node: ts.Node, place: number): Given {
    const known = this.#given.get(node);
    if (known === undefined || this.#open.has(node)) return ANYTHING;
    const { isLive, holds } = known[place] ?? NOTHING;
    return { isLive, holds: holds || this.#touched.has(node) };
  }

  /** What its calls give, be it that others write into it. */
  called(node: ts.Node, place: number): Given {
    const known = this.#given.get(node);
    return known === undefined || this.#open.has(node) ? ANYTHING : (known[place] ?? NOTHING);
  }

  of(own: ts.Node): ActivityOf {
    return {
      given: (place) => this.#givenTo(own, place),
      calls: (node, all) => {
        this.calls(node, all);
      },
      escapes: (node) => {
        this.escapes(node);
      },
      writes: () => {
        this.#writers.add(own);
      },
      isWritten: () => !this.#given.has(own) || this.#touched.has(own),
      hasPlainFields: this.#hasPlainFields,
    };
  }
}
