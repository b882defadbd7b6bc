// Interprocedural activity analysis. In: calls, writes and function values that the rewriters see.
// Out: for each parameter, whether active numbers or objects with ids flow to it; stale functions.
// Invariants: facts only grow; an escaping function receives anything; ids enter arguments' objects
// by writes alone, since no argument shares memory with a differentiated one (TSG0004).

import type ts from "typescript";
import { Trace } from "../trace.ts";

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
  isLive(place: number): boolean;
  holds(place: number): boolean;
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
  /** What each function was rewritten with. */
  readonly #traces = new Map<ts.Node, Trace<Activity>>();

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
    });
    this.#verify(node);
  }

  escapes(node: ts.Node): void {
    if (this.#open.has(node)) return;
    this.#open.add(node);
    this.#verify(node);
  }

  /** These functions may execute together. */
  meet(nodes: readonly ts.Node[]): void {
    if (!nodes.some((node) => this.#writers.has(node))) return;
    for (const node of nodes) {
      if (this.#touched.has(node)) continue;
      this.#touched.add(node);
      this.#verify(node);
    }
  }

  #verify(node: ts.Node): void {
    const trace = this.#traces.get(node);
    if (trace !== undefined && this.#given.has(node) && !trace.holds(this)) this.stale.add(node);
  }

  given(node: ts.Node, place: number): Given {
    const known = this.#given.get(node);
    if (known === undefined || this.#open.has(node)) return ANYTHING;
    const { isLive, holds } = known[place] ?? NOTHING;
    return { isLive, holds: holds || this.#touched.has(node) };
  }

  #isWritten(node: ts.Node): boolean {
    return !this.#given.has(node) || this.#touched.has(node);
  }

  of(own: ts.Node): ActivityOf {
    const trace = new Trace<Activity>();
    this.#traces.set(own, trace);
    return {
      isLive: (place) => trace.ask(this, (of) => of.given(own, place).isLive),
      holds: (place) => trace.ask(this, (of) => of.given(own, place).holds),
      calls: (node, all) => {
        this.calls(node, all);
      },
      escapes: (node) => {
        this.escapes(node);
      },
      writes: () => {
        this.#writers.add(own);
      },
      isWritten: () => trace.ask(this, (of) => of.#isWritten(own)),
      hasPlainFields: this.#hasPlainFields,
    };
  }
}
