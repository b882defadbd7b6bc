// The Delta term of a run: one `Let` per node, oldest first, as `runDelta` of Krawiec et al. wraps
// them (Figures 10 and 12). The term is a copy and outlives its run.

import { type Plan, listed, notByRow, planOf } from "./inputs.ts";
import { planAt, reading, within } from "./run.ts";
import { nodesOf, partialsOfCall, stretch, type Node, type Stretch } from "./tape.ts";
import { Term, type Binding, type Delta, type Shape } from "./term-text.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

const ZERO: Delta = { kind: "zero" };
const LEAF: Shape = { kind: "leaf" };

/** `delta(f)`: `(...args) => { value, term }`, or a promise of it. `names`: the parameters. */
export function delta(
  f: DeltaFunction,
  names: readonly string[] = [],
): (...args: Value[]) => Value {
  return (...args) =>
    within(
      f,
      args,
      [...args.keys()],
      ({ value, id }, given, own) => {
        const variables = new Map<Id, string>();
        for (const place of args.keys()) {
          const plan = planAt(given, place);
          if (plan !== undefined) nameInputs(plan, nameOf(names, place), variables, new Set());
        }
        const result = planOf(value, id, reading, new Map());
        return { value, term: termOf(nodesIn(stretch(own.from)), result, variables) };
      },
      { isShared: true },
    );
}

/**
 * The recorded nodes. The partials of a call, such as one by a user's rule, are its parents. Those
 * of a call that only serves the numbers of its result are all 0: it has no node.
 */
function nodesIn(all: Stretch): readonly Node[] {
  return nodesOf(all).flatMap((node) => {
    if (node.call === null) return [node];
    const parents = partialsOfCall(all, node.call).filter(([, partial]) => partial !== 0);
    return parents.length === 0 ? [] : [{ ...node, parents }];
  });
}

/** The arguments of a rest parameter are `xs[0]`, `xs[1]`, …. */
function nameOf(names: readonly string[], place: number): string {
  const name = names[Math.min(place, names.length - 1)] ?? `argument${place}`;
  if (name.startsWith("...")) return `${name.slice(3)}[${place - names.length + 1}]`;
  return place < names.length ? name : `argument${place}`;
}

function nameInputs(plan: Plan, name: string, into: Map<Id, string>, met: Set<Plan>): void {
  if (met.has(plan)) return;
  met.add(plan);
  switch (plan.kind) {
    case "number":
      if (!into.has(plan.id)) into.set(plan.id, name);
      return;
    case "view":
      return listed(plan.ids).forEach((id, i) => {
        into.set(id, `${name}[${i}]`);
      });
    case "list":
      return plan.items.forEach((inner, i) => {
        nameInputs(inner, `${name}[${i}]`, into, met);
      });
    case "record":
      return plan.fields.forEach((inner, key) => {
        nameInputs(inner, `${name}.${String(key)}`, into, met);
      });
    case "map":
      return plan.entries.forEach((inner, key) => {
        nameInputs(inner, `${name}[${String(key)}]`, into, met);
      });
    case "leaf":
      return undefined;
  }
}

function termOf(nodes: readonly Node[], result: Plan, variables: Map<Id, string>): Term {
  const letter =
    ["x", "d", "u"].find(
      (one) => ![...variables.values()].some((name) => new RegExp(`^${one}\\d+(?!\\w)`).test(name)),
    ) ?? "let";
  const recorded = nodes.filter(({ id }) => !variables.has(id));
  recorded.forEach(({ id }, i) => variables.set(id, `${letter}${i + 1}`));
  const variable = (id: Id): Delta => {
    const name = variables.get(id);
    return name === undefined ? ZERO : { kind: "var", name };
  };
  const bindings = recorded.map(({ id, parents }): Binding => ({
    name: variables.get(id) ?? "",
    delta: parents.reduceRight(
      (behind, [parent, partial]) => sum(scaled(partial, variable(parent)), behind),
      ZERO,
    ),
  }));
  return new Term(bindings, shapeOf(result, variable, new Set()));
}

const sum = (left: Delta, right: Delta): Delta =>
  right.kind === "zero" ? left : left.kind === "zero" ? right : { kind: "add", left, right };

/** Scale 1 d  ->  d */
const scaled = (by: number, of: Delta): Delta =>
  of.kind === "zero" || by === 1 ? of : { kind: "scale", factor: by, of };

/** An object within itself is shown once. */
function shapeOf(plan: Plan, variable: (id: Id) => Delta, around: ReadonlySet<Plan>): Shape {
  if (plan.kind === "leaf" || around.has(plan)) return LEAF;
  const below = new Set([...around, plan]);
  const inner = (one: Plan): Shape => shapeOf(one, variable, below);
  switch (plan.kind) {
    case "number":
      return variable(plan.id);
    case "view":
      return { kind: "list", items: listed(plan.ids).map(variable) };
    case "list":
      return { kind: "list", items: plan.items.map(inner) };
    case "rows":
      return notByRow();
    case "record":
      return {
        kind: "record",
        fields: [...plan.fields].map(([key, one]) => [String(key), inner(one)]),
      };
    case "map":
      return {
        kind: "record",
        fields: [...plan.entries].map(([key, one]) => [String(key), inner(one)]),
      };
  }
}
