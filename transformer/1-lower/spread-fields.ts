// `{ ...m }`: the fields of m's type. In: a spread in an object literal. Out: the literal's fields so far, with those of m. Invariant: an optional field
// overrides an earlier one only where m has it, and is missing where m lacks it and nothing stood there before.

import type ts from "typescript";
import { BOOL, field } from "../ir/build.ts";
import { isOptionalField } from "../ir/shadow.ts";
import type { Atom, Field, RecordPart, Type } from "../ir/types.ts";
import { extern, inner, unwrap } from "./coerce.ts";
import { lowerExpr } from "./expression.ts";
import type { Frame } from "./frame.ts";
import { requireListable } from "./places.ts";
import { opened } from "./resolve.ts";

/** The fields of a literal, in order. */
export class Fields extends Map<string, Atom> {
  readonly #mayLack = new Set<string>();

  override set(name: string, value: Atom): this {
    this.#mayLack.delete(name);
    return super.set(name, value);
  }

  /** A field that is there only where its value is not undefined; where one stood already, one is there. */
  setOptional(name: string, value: Atom): void {
    const mayLack = !this.has(name) || this.#mayLack.has(name);
    this.set(name, value);
    if (mayLack) this.#mayLack.add(name);
  }

  parts(): readonly RecordPart[] {
    return [...this].map(([name, value]) => ({ name, value, ...(this.#mayLack.has(name) ? { mayLack: true } : {}) }));
  }
}

export function spreadFields(f: Frame, property: ts.SpreadAssignment, fields: Fields): void {
  const chosen = f.api.isConditionalExpression(opened(f, property.expression)) || f.api.isBinaryExpression(opened(f, property.expression));
  // the context's type says which fields the whole may have, not which ones this part has
  if (chosen && f.ctx.checker.getTypeAtLocation(property.expression).isUnion()) return f.refuse("TSG1201", property, "spread of a choice");
  const source = lowerExpr(f, property.expression);
  const shape = f.shape(source.type);
  if (shape.kind === "opt" && source.kind !== "const") return f.refuse("TSG1207", property, f.textOf(property.expression));
  if (source.kind === "const") return;
  if (shape.kind !== "record") return f.refuse("TSG1201", property, "spread in an object literal");
  requireListable(f, source, property);
  for (const each of shape.fields) spreadField(f, property, source, each, fields);
}

function spreadField(f: Frame, property: ts.SpreadAssignment, source: Atom, each: Field, fields: Fields): void {
  const load = (type: Type): Atom => f.let(each.name, type, { kind: "load", object: source, key: field(each.name) });
  const type = optionalTypeOf(f, property, each);
  if (type === null) return void fields.set(each.name, load(each.type));
  const former = fields.get(each.name);
  if (former === undefined) return fields.setOptional(each.name, load(type));
  const has = extern(f, "t", BOOL, [`${JSON.stringify(each.name)} in `, ""], [source], "reads");
  const chosen = f.shape(former.type).kind === "opt" ? former.type : joined(f, former.type, inner(f, type));
  fields.setOptional(each.name, f.choose("t", chosen, has, () => (chosen === each.type ? load(type) : unwrap(f, load(type))), () => former));
}

/** The type of a field that may be missing, as one that may be missing: that of a text says so by itself. Null for one that is always there. */
function optionalTypeOf(f: Frame, { expression }: ts.SpreadAssignment, { name, type }: Field): Type | null {
  if (isOptionalField(type)) return type;
  if (f.shape(type).kind === "opt") return null;
  const { checker } = f.ctx;
  const own = checker.getPropertyOfType(checker.getTypeAtLocation(expression), name);
  if (own === undefined || (own.flags & f.api.SymbolFlags.Optional) === 0) return null;
  return { kind: "opt", of: f.ctx.typeFrom(checker.getNonNullableType(checker.getTypeOfSymbol(own)), expression) };
}

/** Two texts may be of types of their own. */
function joined(f: Frame, former: Type, held: Type): Type {
  const [x, z] = [f.shape(former), f.shape(held)];
  return x.kind === "leaf" && z.kind === "leaf" && x.text !== z.text ? { kind: "leaf", text: `${x.text} | ${z.text}` } : held;
}
