// State while statements of a fused stretch are read. In: the rewriter's work and the first
// statement. Out: values of locals, early reads, and conditions under which the stretch is valid.
// Invariant: a rejected statement leaves no state.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { freshName, type Work } from "../work.ts";
import { Graph } from "./graph.ts";
import type { Outside, Value } from "./values.ts";

/** Names of an inlined function. */
export interface Callee {
  readonly node: ts.Node;
  readonly names: Map<string, Value>;
  readonly caller: Callee | null;
}

const MOST_CALLS = 100;
const MOST_NODES = 1000;

/** A local that the stretch has written. */
export interface Local {
  readonly value: Value;
  /** Where it was assigned; null if declared or assigned more than once. */
  readonly target: ts.Identifier | null;
}

export class Run {
  readonly work: Work;
  readonly first: ts.Node;
  readonly graph: Graph = new Graph();
  /** Current values of written locals. */
  #locals = new Map<Variable, Local>();
  #looks: readonly string[] = [];
  #conditions: ReadonlySet<string> = new Set();
  #outsides = new Map<string, Outside>();
  #looked = new Map<string, string>();
  /** Number of calls inlined and records not allocated. */
  spared = 0;
  #calls = 0;
  #aside = 0;

  constructor(work: Work, first: ts.Node) {
    this.work = work;
    this.first = first;
  }

  /** Whether one more call may be inlined, failed attempts included: nested calls multiply. */
  mayCall(): boolean {
    return ++this.#calls <= MOST_CALLS && this.graph.nodes.length < MOST_NODES;
  }

  /** Whether the code being read may be an unchosen side. */
  get isAside(): boolean {
    return this.#aside > 0;
  }

  aside<T>(read: () => T): T {
    this.#aside++;
    const made = read();
    this.#aside--;
    return made;
  }

  get locals(): ReadonlyMap<Variable, Local> {
    return this.#locals;
  }
  /** Reads before the stretch and its conditions. */
  get looks(): readonly string[] {
    return this.#looks;
  }
  get conditions(): ReadonlySet<string> {
    return this.#conditions;
  }
  /** Whether it reads memory: a missing object throws, and earlier assignments must stay. */
  get mayThrow(): boolean {
    return (
      this.looks.length > 0 ||
      this.graph.nodes.some(
        ({ op, value, text }) => op === null && value === null && /[.[]/.test(text),
      )
    );
  }

  write(variable: Variable, value: Value, target: ts.Identifier | null): void {
    this.#locals.set(variable, { value, target: this.#locals.has(variable) ? null : target });
  }

  /** Adds a condition for the stretch to be valid. */
  require(condition: string): void {
    this.#conditions = new Set([...this.#conditions, condition]);
  }

  /** A value that is read before the stretch, once per source text. */
  look(text: string): string {
    return this.#looked.get(text) ?? this.#newLook(text);
  }

  #newLook(text: string): string {
    const name = freshName(this.work, "t");
    this.#looks = [...this.#looks, `const ${name}${this.work.any} = ${text};`];
    this.#looked.set(text, name);
    return name;
  }

  /** The object of a source text, the same each time. */
  outside(text: string, made: () => Outside): Outside {
    const known = this.#outsides.get(text) ?? made();
    this.#outsides.set(text, known);
    return known;
  }

  /** Reverts state changes where the result is null. */
  attempt<T>(read: () => T | null): T | null {
    const before = {
      locals: new Map(this.#locals),
      looks: this.#looks,
      conditions: this.#conditions,
      outsides: new Map(this.#outsides),
      looked: new Map(this.#looked),
      spared: this.spared,
    };
    const made = read();
    if (made !== null) return made;
    this.#locals = before.locals;
    this.#looks = before.looks;
    this.#conditions = before.conditions;
    this.#outsides = before.outsides;
    this.#looked = before.looked;
    this.spared = before.spared;
    return null;
  }
}
