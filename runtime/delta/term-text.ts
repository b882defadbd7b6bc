// Delta terms as data and as strings (Krawiec et al. Figures 7 and 12). It imports nothing of the
// engine, so that naming the type loads no code. A term is a copy and outlives its run.

/** A linear map of input tangents (Krawiec et al. Figure 7). */
export type Delta =
  | { readonly kind: "zero" }
  | { readonly kind: "var"; readonly name: string }
  | { readonly kind: "scale"; readonly factor: number; readonly of: Delta }
  | { readonly kind: "add"; readonly left: Delta; readonly right: Delta };

/** The Deltas of all numbers in a result; `leaf` for a part without one. */
export type Shape =
  | Delta
  | { readonly kind: "list"; readonly items: readonly Shape[] }
  | { readonly kind: "record"; readonly fields: readonly (readonly [key: string, of: Shape])[] }
  | { readonly kind: "leaf" };

export interface Binding {
  readonly name: string;
  readonly delta: Delta;
}

/** A cotangent of what the function returned: a number, or an array, record or Map of such. */
export type Seed = number | undefined | object;

/** Nested `Let`s around what the function returned. */
export class Term {
  readonly bindings: readonly Binding[];
  readonly body: Shape;

  constructor(bindings: readonly Binding[], body: Shape) {
    this.bindings = bindings;
    this.body = body;
  }

  /**
   * The adjoint of each input, by its name: the seed times the derivative, as `vjp` gives it to the
   * last bit.
   *
   * The seed has the shape of the result; what it leaves out counts as 0. An input that the result
   * does not depend on may be absent. Krawiec et al. Figure 10: the last `Let` is evaluated first,
   * when its variable has all of its adjoint.
   *
   * @example
   * const { term } = delta((x: number, y: number): number => x * y + x)(3, 4);
   * term.evaluate(1).get("x"); // 5
   */
  evaluate(seed: Seed): ReadonlyMap<string, number> {
    const adjoints = new Map<string, number>();
    seeded(this.body, seed, adjoints);
    for (let i = this.bindings.length - 1; i >= 0; i--) {
      const binding = this.bindings[i];
      const adjoint = binding === undefined ? undefined : adjoints.get(binding.name);
      if (binding === undefined || adjoint === undefined) continue;
      adjoints.delete(binding.name);
      evaluated(binding.delta, adjoint, adjoints);
    }
    return adjoints;
  }

  /** One line for each `Let`, as in the figure. */
  toString(): string {
    return [
      ...this.bindings.map(({ name, delta: bound }) => `Let ${name} = ${printed(bound)} in`),
      printed(this.body),
    ].join("\n");
  }
}

/** Figure 10. An adjoint of 0 adds nothing, whatever the factor. A sum may have many terms. */
function evaluated(delta: Delta, adjoint: number, adjoints: Map<string, number>): void {
  let rest = delta;
  for (; adjoint !== 0 && rest.kind === "add"; rest = rest.right)
    evaluated(rest.left, adjoint, adjoints);
  if (adjoint === 0) return;
  if (rest.kind === "scale") evaluated(rest.of, adjoint * rest.factor, adjoints);
  if (rest.kind === "var") adjoints.set(rest.name, (adjoints.get(rest.name) ?? 0) + adjoint);
}

/** Each part of the result with its part of the seed. */
function seeded(shape: Shape, seed: unknown, adjoints: Map<string, number>): void {
  switch (shape.kind) {
    case "leaf":
      return;
    case "list":
      shape.items.forEach((item, i) => {
        seeded(item, partOf(seed, String(i)), adjoints);
      });
      return;
    case "record":
      for (const [key, of] of shape.fields) seeded(of, partOf(seed, key), adjoints);
      return;
    default:
      if (typeof seed === "number") evaluated(shape, seed, adjoints);
  }
}

function partOf(seed: unknown, key: string): unknown {
  if (typeof seed !== "object" || seed === null) return undefined;
  if (!(seed instanceof Map)) return Reflect.get(seed, key);
  for (const [name, part] of seed) if (String(name) === key) return part;
  return undefined;
}

function printed(shape: Shape): string {
  switch (shape.kind) {
    case "zero":
      return "Zero";
    case "var":
      return `Var ${shape.name}`;
    case "scale":
      return `Scale ${factor(shape.factor)} ${operand(shape.of)}`;
    case "add":
      return `Add ${operand(shape.left)} ${operand(shape.right)}`;
    case "list":
      return `[${shape.items.map(printed).join(", ")}]`;
    case "record":
      return `{ ${shape.fields.map(([key, of]) => `${key}: ${printed(of)}`).join(", ")} }`;
    case "leaf":
      return "_";
  }
}

const operand = (of: Delta): string => (of.kind === "zero" ? printed(of) : `(${printed(of)})`);

function factor(x: number): string {
  const text = Object.is(x, -0) ? "-0" : String(x);
  return text.startsWith("-") ? `(${text})` : text;
}
