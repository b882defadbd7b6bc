// The Delta engine's worklist. In: a target. Out: all declarations that must be rewritten for it.
// Invariants: each is rewritten once; what an item names is an item too, or needs no rewriting.

import type ts from "typescript";
import type { Code } from "../../code/code.ts";
import type { Given } from "./activity.ts";
import { type Item, madeItem, type Names } from "./items.ts";
import { Meanings } from "./meanings.ts";
import { type PlanHost, PlanState } from "./plan-state.ts";
import { nameOf, type StepRequest, wishOf } from "./steps.ts";
import { WrittenItems } from "./written-items.ts";
import { originOf } from "../../syntax/places.ts";

export class Plan {
  readonly #state: PlanState;
  readonly #written: WrittenItems;
  readonly #meanings: Meanings;
  readonly #host: PlanHost;
  readonly #perOperation: boolean;
  readonly #roots = new Set<Item>();

  /** `perOperation`: one node per operation, for readers of the tape. */
  constructor(host: PlanHost, names: Names, perOperation: boolean) {
    this.#host = host;
    this.#perOperation = perOperation;
    this.#state = new PlanState(host, names);
    this.#written = new WrittenItems(host, this.#state, perOperation, (item, identifier) =>
      this.#meanings.resolve(item, identifier),
    );
    this.#meanings = new Meanings(host, this.#state, this.#written);
  }

  /** Whether rewritten code takes derivatives itself. */
  get usesForms(): boolean {
    return this.#state.usesForms;
  }

  has(node: ts.Node): boolean {
    return this.#state.items.has(node);
  }

  // ---------------------------------------------------------------- targets

  /** A hoisted function: a declaration, or one that a const names. */
  function(node: ts.FunctionLikeDeclaration, named: ts.Node, name: string): Item | null {
    return this.#written.function(node, named, name);
  }

  /** A function in place at the call: its lines are an expression. */
  inPlace(node: ts.FunctionLikeDeclaration): Item {
    return this.#written.inPlace(node);
  }

  /** A function that a form or a rule makes: its lines are an expression. */
  made(node: ts.Expression): Item {
    return this.#written.made(node);
  }

  /** A function value, called `name` at its call; the functions that it may be are linked. */
  value(node: ts.Expression, name: Code): Item {
    const item: Item = {
      ...madeItem(node, name, {}),
      lines: [{ indent: 0, text: name, origin: originOf(node) }],
    };
    if (this.#state.isExtended(node)) item.needs.add(this.#state.extended(node));
    else this.#written.meet(item);
    this.#meanings.foreign.linkPackageOf(item, node);
    return item;
  }

  /** Records what a call site passes; null: anything. */
  given(item: Item, all: readonly Given[] | null): void {
    const { activity } = this.#state;
    this.#roots.add(item);
    if (all === null) activity.escapes(item.node);
    else activity.calls(item.node, all);
  }

  /** Rewrites functions until their activity has reached a fixed point. */
  settle(): void {
    this.#written.settle(this.#roots);
    this.#meanings.foreign.followExtended();
  }

  // ---------------------------------------------------------------- single steps

  /** Requests for single steps among these items. */
  wishes(items: ReadonlySet<Item>): readonly StepRequest[] {
    if (this.#perOperation) return [];
    const { api, checker, activity } = this.#state;
    const given = (node: ts.Node, place: number): Given => activity.given(node, place);
    return [...items]
      .filter(({ node }) => !api.isSourceFile(node))
      .flatMap((item) => wishOf(item, { ts: api, checker, given }) ?? []);
  }

  /** Requests for loops of these items. */
  loops(items: ReadonlySet<Item>): readonly StepRequest[] {
    return [...items].flatMap(({ loops }) => [...loops.values()]);
  }

  /** The single steps among these items. */
  steps(
    items: ReadonlySet<Item>,
  ): { readonly name: string; readonly rewritten: string; readonly derivative: string }[] {
    const steps = this.#perOperation ? undefined : this.#host.steps;
    return [...items].flatMap((item) => {
      const step = steps?.get(item.node);
      const name = step === undefined ? null : nameOf(item.node, this.#state.api);
      return step === undefined || name === null
        ? []
        : [{ name, rewritten: item.name, derivative: step.derivative }];
    });
  }
}
