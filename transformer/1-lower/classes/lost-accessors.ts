// Finds accessors that a structural type treats as fields: `const h: { area: number } = square`.
// Input: lowered functions. Output: the accessor and the function. Emitted code would read a field
// that the instance does not have, so these functions are rejected.

import { Pairs } from "../../ir/coinduction.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { type Flow, flowsOf } from "../flows.ts";

export interface LostAccessor {
  readonly func: string;
  readonly origin: Func["origin"];
  /** `Square.area` */
  readonly accessor: string;
}

/** `isAccessor`: whether instances of a named class type have an accessor of that name. */
export function lostAccessors(
  funcs: ReadonlyMap<string, Func>,
  types: Types,
  isAccessor: (of: Type, name: string) => boolean,
): readonly LostAccessor[] {
  const related = new Relation(types, isAccessor);
  return [...funcs].flatMap(([name, func]) =>
    [...flowsOf(func, types, funcs), ...assertionsIn(func, types)].flatMap(
      ({ value, to, origin }): LostAccessor[] => {
        const accessor = related.lost(value.type, to);
        return accessor === null ? [] : [{ func: name, origin, accessor }];
      },
    ),
  );
}

/** Values that get a type with fields that they lack; a variant of a union is no such value. */
function assertionsIn(func: Func, types: Types): readonly Pick<Flow, "value" | "to" | "origin">[] {
  const found: Pick<Flow, "value" | "to" | "origin">[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind !== "let" || stmt.expr.kind !== "unwrap") return;
    const { value } = stmt.expr;
    const shape = resolve(value.type, types);
    if (shape.kind !== "opt" && shape.kind !== "union")
      found.push({ value, to: stmt.bind.type, origin: stmt.origin });
  });
  return found;
}

class Relation {
  readonly #types: Types;
  readonly #isAccessor: (of: Type, name: string) => boolean;
  readonly #pairs = new Pairs<string>();

  constructor(types: Types, isAccessor: (of: Type, name: string) => boolean) {
    this.#types = types;
    this.#isAccessor = isAccessor;
  }

  /** The first accessor of `from` that is a field of `to`, at any depth; null without one. */
  lost(from: Type, to: Type): string | null {
    const found = (): string | null => this.#lostInVariants(from, to);
    if (from === to) return null;
    if (from.kind !== "named" || to.kind !== "named") return found();
    return from.name === to.name ? null : this.#pairs.decide(`${from.name} ${to.name}`, found);
  }

  #lostInVariants(from: Type, to: Type): string | null {
    const [x, z] = [resolve(from, this.#types), resolve(to, this.#types)];
    if (x.kind === "opt") return this.lost(x.of, z.kind === "opt" ? z.of : to);
    if (z.kind === "opt") return this.lost(from, z.of);
    if (x.kind === "union") return first(x.variants.map((variant) => this.lost(variant, to)));
    if (z.kind === "union") return onlyIfAll(z.variants.map((variant) => this.lost(from, variant)));
    if (x.kind === "record" && z.kind === "record")
      return first(
        z.fields.map(({ name, type }) => {
          const field = x.fields.find((each) => each.name === name);
          if (field !== undefined) return this.lost(field.type, type);
          return from.kind === "named" && this.#isAccessor(from, name)
            ? `${from.name}.${name}`
            : null;
        }),
      );
    return this.#lostInElements(x, z);
  }

  #lostInElements(x: Type, z: Type): string | null {
    if (x.kind === "array" && z.kind === "array") return this.lost(x.elem, z.elem);
    if (x.kind === "dict" && z.kind === "dict") return this.lost(x.value, z.value);
    if (x.kind === "tuple" && z.kind === "array")
      return first(x.elems.map((elem) => this.lost(elem, z.elem)));
    if (x.kind !== "tuple" || z.kind !== "tuple") return null;
    return first(
      x.elems.map((elem, i) => {
        const other = z.elems[i];
        return other === undefined ? null : this.lost(elem, other);
      }),
    );
  }
}

const onlyIfAll = (found: readonly (string | null)[]): string | null =>
  found.includes(null) ? null : first(found);

const first = (found: readonly (string | null)[]): string | null =>
  found.find((each) => each !== null) ?? null;
