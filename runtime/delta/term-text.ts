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
    return [
      ...this.bindings.map(({ name, delta: bound }) => `Let ${name} = ${printed(bound)} in`),
      printed(this.body),
    ].join("\n");
  }
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
