// What a run knows while its statements are read. In: the rewriter's work and the statement that the run begins with. Out: values of locals, what is looked at before the run, and under which
// conditions the run is what the statements do. Invariant: a statement that does not belong to the run leaves nothing behind.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { freshName, type Work } from "../work.ts";
import { Graph, type Num } from "./graph.ts";
import type { List, Outside, Place, Value } from "./values.ts";

/** Names of a function that is written out in the run. */
export interface Callee {
  readonly node: ts.Node;
  readonly names: Map<string, Value>;
  readonly caller: Callee | null;
  /** Of a loop that is swept as a whole. */
  readonly lists?: {
    /** `at++`, where a place is asked for. */
    counted(name: string): Num | null;
    lengthOf(list: List): Num;
    element(place: Place): Num;
  };
}

const MOST_CALLS = 100;
const MOST_NODES = 1000;

/** A local that the run has written. */
export interface Local {
  readonly value: Value;
  /** Where it was assigned; null: it was declared, or assigned more than once. */
  readonly target: ts.Identifier | null;
}

export class Run {
  readonly work: Work;
  readonly first: ts.Node;
  readonly graph: Graph = new Graph();
  /** Locals that the run has written, as they are now. */
  #locals = new Map<Variable, Local>();
  #looks: readonly string[] = [];
  #conditions: ReadonlySet<string> = new Set();
  #outsides = new Map<string, Outside>();
  #looked = new Map<string, string>();
  /** Calls that are written out, and records that need not be made. */
  spared = 0;
  #calls = 0;
  #aside = 0;

  constructor(work: Work, first: ts.Node) {
    this.work = work;
    this.first = first;
  }

  /** Whether one more call may be written out, here or in what comes to nothing: calls of calls of calls are many. */
  mayCall(): boolean {
    return ++this.#calls <= MOST_CALLS && this.graph.nodes.length < MOST_NODES;
  }

  /** Whether what is read may be a side that is not taken. */
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
  /** What stands before the run and its conditions. */
  get looks(): readonly string[] {
    return this.#looks;
  }
  get conditions(): ReadonlySet<string> {
    return this.#conditions;
  }
  /** Whether it reads anything but locals: an object that is missing, whatever its type says, is an error, and what was assigned before it stays so. */
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

  /** The run is what the statements do where this holds. */
  require(condition: string): void {
    this.#conditions = new Set([...this.#conditions, condition]);
  }

  /** A value that is looked at before the run, the same text once. */
  look(text: string): string {
    return this.#looked.get(text) ?? this.#newLook(text);
  }

  #newLook(text: string): string {
    const name = freshName(this.work, "t");
    this.#looks = [...this.#looks, `const ${name}${this.work.any} = ${text};`];
    this.#looked.set(text, name);
    return name;
  }

  /** The object that a text stands for, the same one each time. */
  outside(text: string, made: () => Outside): Outside {
    const known = this.#outsides.get(text) ?? made();
    this.#outsides.set(text, known);
    return known;
  }

  /** What it leaves behind stays where it gives anything. */
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
