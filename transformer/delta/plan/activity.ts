// Interprocedural activity analysis. In: calls, writes and function values that the rewriters see.
// Out: for each parameter, whether active numbers or objects with ids flow to it; stale functions.
// Invariants: facts only grow; an escaping function receives anything; ids enter arguments' objects
// by writes alone, since no argument shares memory with a differentiated one (TSG0004).

import type ts from "typescript";

/** What flows to a parameter. */
export interface Given {
  /** A number with an id. */
  readonly isLive: boolean;
  /** An object whose shadow holds ids. */
  readonly holds: boolean;
}

export const ANYTHING: Given = { isLive: true, holds: true };
const NOTHING: Given = { isLive: false, holds: false };

/** What the rewriter of one function reports and asks. */
export interface ActivityOf {
  /** Facts about the function's own parameters. */
  given(place: number): Given;
  /** A call by name. Missing arguments hold nothing. */
  calls(node: ts.FunctionLikeDeclaration, all: readonly Given[]): void;
  /** The function's name is used as a value. */
  escapes(node: ts.FunctionLikeDeclaration): void;
  /** A write into an object that may be part of an argument, or a call that may do so. */
  writes(): void;
  /** Whether ids may enter objects in ways that are not tracked. */
  isWritten(): boolean;
  /** Whether no object in the program has accessors. */
  readonly hasPlainFields: () => boolean;
}

export class Activity {
  readonly #given = new Map<ts.Node, Given[]>();
  readonly #open = new Set<ts.Node>();
  readonly #hasPlainFields: () => boolean;
  /** Functions that must be rewritten again, since new facts are known. */
  readonly stale: Set<ts.Node> = new Set();
  /** Functions that write. */
  readonly #writers = new Set<ts.Node>();
  /** Functions that may execute together with a writer. */
  readonly #touched = new Set<ts.Node>();

  constructor(hasPlainFields: () => boolean) {
    this.#hasPlainFields = hasPlainFields;
  }

  /** Registers a function whose calls will be reported. */
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

  /** These functions may execute together. */
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

  /** What flows to a parameter by calls, without later writes. */
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
