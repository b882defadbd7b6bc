// Fields that an object brings although its type does not list them: `{ b: 1, ...p }` of a p that is known as `{ a: number }` and was made as `{ a, b }`.
// In: a raw program. Out: the literals whose fields such an object overrides. Invariant: a literal is listed where a value of the program goes to a place that knows less of it,
// and what that place knows may be what is spread; what users hand in from outside has the fields that its type says.

import { resolve, type Types } from "../ir/shadow.ts";
import type { Origin, Program, Type } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import { flowsOf } from "./flows.ts";

/** A literal's field that may be another one's. */
export interface Overridden {
  readonly func: string;
  readonly origin: Origin;
  readonly field: string;
}

interface Candidate extends Overridden {
  /** Of what is spread behind it. */
  readonly types: readonly Type[];
}

export function overriddenIn({ funcs, types }: Program): readonly Overridden[] {
  const candidates: Candidate[] = [];
  for (const func of funcs.values()) walkStmts(func.body, (stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "record") return;
    for (const { name, beneath } of stmt.expr.fields) if (beneath !== undefined) candidates.push({ func: func.name, origin: stmt.origin, field: name, types: beneath });
  });
  if (candidates.length === 0) return [];
  const losses = new Losses(types);
  for (const func of funcs.values()) for (const { value, to } of flowsOf(func, types, funcs)) losses.between(value.type, to, []);
  return candidates.filter((each) => each.types.some((spread) => losses.reach(each.field, spread))).map(({ func, origin, field }) => ({ func, origin, field }));
}

/** Where values become less than they are known to be. */
class Losses {
  readonly #types: Types;
  readonly #found: { readonly field: string; readonly left: readonly string[] }[] = [];

  constructor(types: Types) {
    this.#types = types;
  }

  /** Whether an object of the type may hold the field. */
  reach(field: string, type: Type): boolean {
    const shape = resolve(type, this.#types);
    return shape.kind === "record" && this.#found.some((loss) => loss.field === field && shape.fields.every((each) => loss.left.includes(each.name) || this.#mayLack(each.type)));
  }

  #mayLack(type: Type): boolean {
    const shape = resolve(type, this.#types);
    return shape.kind === "opt" || (shape.kind === "leaf" && shape.optional === true);
  }

  /** `met`: names that are being compared, for types may contain themselves. */
  between(from: Type, to: Type, met: readonly string[]): void {
    if (from === to || (from.kind === "named" && to.kind === "named" && from.name === to.name)) return;
    const pair = `${from.kind === "named" ? from.name : ""} ${to.kind === "named" ? to.name : ""}`;
    if (pair !== " " && met.includes(pair)) return;
    const known = pair === " " ? met : [...met, pair];
    const inner = (x: Type, z: Type): void => this.between(x, z, known);
    const x = resolve(from, this.#types), z = resolve(to, this.#types);
    if (x.kind === "opt") return inner(x.of, z);
    if (z.kind === "opt") return inner(x, z.of);
    if (x.kind === "union") return x.variants.forEach((variant) => { inner(variant, z); });
    if (z.kind === "union") return z.variants.forEach((variant) => { inner(x, variant); });
    const elements = elementsOf(z);
    if (elements !== null) return elementsOf(x)?.forEach((elem, i) => { inner(elem, elements[i] ?? elements.at(-1) ?? elem); });
    if (x.kind !== "record") return;
    if (z.kind === "dict") return x.fields.forEach(({ type }) => { inner(type, z.value); });
    if (z.kind !== "record") return;
    const left = z.fields.map(({ name }) => name);
    for (const { name, type } of x.fields) {
      const place = z.fields.find((each) => each.name === name);
      if (place === undefined) this.#found.push({ field: name, left });
      else inner(type, place.type);
    }
  }
}

function elementsOf(type: Type): readonly Type[] | null {
  switch (type.kind) {
    case "array": return [type.elem];
    case "dict": return [type.value];
    case "tuple": return type.elems;
    default: return null;
  }
}
