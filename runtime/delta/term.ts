// The Delta term of a run, as data and as text. In: a rewritten function, the names of its parameters, arguments. Out: the value, and what
// the run recorded: one `Let` for each node, oldest first, as `runDelta` of Krawiec et al. (Figures 10 and 12) wraps them.
// Invariants: the term is a copy, so it outlives its run; what has no derivative recorded nothing and has no `Let`.

import type { Plan } from "./inputs.ts";
import { planOf } from "./inputs.ts";
import { reading, within } from "./run.ts";
import { nodesOf, stretch, type Node } from "./tape.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

/** A linear map from the inputs' tangents (Krawiec et al. Figure 7). `call` stands for code that takes an adjoint. */
export type Delta =
  | { readonly kind: "zero" }
  | { readonly kind: "var"; readonly name: string }
  | { readonly kind: "scale"; readonly factor: number; readonly of: Delta }
  | { readonly kind: "add"; readonly left: Delta; readonly right: Delta }
  | { readonly kind: "call" };

/** The Deltas of a result: of its one number, or of all numbers in it; `leaf` where there is none. */
export type Shape =
  | Delta
  | { readonly kind: "list"; readonly items: readonly Shape[] }
  | { readonly kind: "record"; readonly fields: readonly (readonly [key: string, of: Shape])[] }
  | { readonly kind: "leaf" };

export interface Binding { readonly name: string; readonly delta: Delta }

const ZERO: Delta = { kind: "zero" };
const LEAF: Shape = { kind: "leaf" };

/** Nested `Let`s around what the function returned. */
export class Term {
  readonly bindings: readonly Binding[];
  readonly body: Shape;

  constructor(bindings: readonly Binding[], body: Shape) {
    this.bindings = bindings;
    this.body = body;
  }

  /** One line for each `Let`, as in the figure. */
  toString(): string {
    return [...this.bindings.map(({ name, delta: bound }) => `Let ${name} = ${printed(bound)} in`), printed(this.body)].join("\n");
  }
}

function printed(shape: Shape): string {
  switch (shape.kind) {
    case "zero": return "Zero";
    case "var": return `Var ${shape.name}`;
    case "scale": return `Scale ${factor(shape.factor)} ${operand(shape.of)}`;
    case "add": return `Add ${operand(shape.left)} ${operand(shape.right)}`;
    case "call": return "Call";
    case "list": return `[${shape.items.map(printed).join(", ")}]`;
    case "record": return `{ ${shape.fields.map(([key, of]) => `${key}: ${printed(of)}`).join(", ")} }`;
    case "leaf": return "_";
  }
}

const operand = (of: Delta): string => (of.kind === "zero" || of.kind === "call" ? printed(of) : `(${printed(of)})`);

function factor(x: number): string {
  const text = Object.is(x, -0) ? "-0" : String(x);
  return text.startsWith("-") ? `(${text})` : text;
}

/** `delta(f)`: `(...args) => { value, term }`; a promise of it where `f` is asynchronous. `names` are those of the parameters. */
export function delta(f: DeltaFunction, names: readonly string[] = []): (...args: Value[]) => Value {
  return (...args) => within(f, args, [...args.keys()], ({ value, id }, plans, own) => {
    const variables = new Map<Id, string>();
    plans.forEach((plan, place) => { if (plan !== undefined) nameInputs(plan, nameOf(names, place), variables, new Set()); });
    const result = planOf(value, id, reading, new Map());
    return { value, term: termOf(nodesOf(stretch(own.from)), result, variables) };
  });
}

/** A rest parameter has a name for each of its arguments: `xs[0]`, `xs[1]`. */
function nameOf(names: readonly string[], place: number): string {
  const name = names[Math.min(place, names.length - 1)] ?? `argument${place}`;
  if (name.startsWith("...")) return `${name.slice(3)}[${place - names.length + 1}]`;
  return place < names.length ? name : `argument${place}`;
}

function nameInputs(plan: Plan, name: string, into: Map<Id, string>, met: Set<Plan>): void {
  if (met.has(plan)) return;
  met.add(plan);
  switch (plan.kind) {
    case "number": return void (into.has(plan.id) || into.set(plan.id, name));
    case "view": return plan.ids.forEach((id, i) => { into.set(id, `${name}[${i}]`); });
    case "list": return plan.items.forEach((inner, i) => { nameInputs(inner, `${name}[${i}]`, into, met); });
    case "record": return plan.fields.forEach((inner, key) => { nameInputs(inner, `${name}.${String(key)}`, into, met); });
    case "map": return plan.entries.forEach((inner, key) => { nameInputs(inner, `${name}[${String(key)}]`, into, met); });
    case "leaf": return undefined;
  }
}

function termOf(nodes: readonly Node[], result: Plan, variables: Map<Id, string>): Term {
  const letter = ["x", "d", "u"].find((one) => ![...variables.values()].some((name) => new RegExp(`^${one}\\d+(?!\\w)`).test(name))) ?? "let";
  const recorded = nodes.filter(({ id }) => !variables.has(id));
  recorded.forEach(({ id }, i) => variables.set(id, `${letter}${i + 1}`));
  const variable = (id: Id): Delta => (id === 0 ? ZERO : { kind: "var", name: variables.get(id) ?? "" });
  const bindings = recorded.map(({ id, p, u, q, v }): Binding => {
    const [left, right] = [p < 0 ? { kind: "call" as const } : scaled(u, variable(p)), scaled(v, variable(q))];
    const sum: Delta = right.kind === "zero" ? left : left.kind === "zero" ? right : { kind: "add", left, right };
    return { name: variables.get(id) ?? "", delta: sum };
  });
  return new Term(bindings, shapeOf(result, variable, new Set()));
}

/** Scale 1 d  ->  d */
const scaled = (by: number, of: Delta): Delta => (of.kind === "zero" || by === 1 ? of : { kind: "scale", factor: by, of });

/** What is met inside of itself stands there once. */
function shapeOf(plan: Plan, variable: (id: Id) => Delta, around: ReadonlySet<Plan>): Shape {
  if (plan.kind === "leaf" || around.has(plan)) return LEAF;
  const below = new Set([...around, plan]);
  const inner = (one: Plan): Shape => shapeOf(one, variable, below);
  switch (plan.kind) {
    case "number": return variable(plan.id);
    case "view": return { kind: "list", items: plan.ids.map(variable) };
    case "list": return { kind: "list", items: plan.items.map(inner) };
    case "record": return { kind: "record", fields: [...plan.fields].map(([key, one]) => [String(key), inner(one)]) };
    case "map": return { kind: "record", fields: [...plan.entries].map(([key, one]) => [String(key), inner(one)]) };
  }
}
