// Types of the tags that represent functions in fields and arrays.
// A tag is the name of a function; where functions capture variables, it is a record of the name
// and the captured values.

import type ts from "typescript";
import type { Field, Type } from "../../ir/types.ts";
import { tagType } from "../functions/closure-fields.ts";
import { type ClosureField } from "../function-values.ts";
import { type NamedTypes, optional } from "./named-types.ts";
import { NO_TYPE_ARGUMENTS } from "./type-arguments.ts";

/** The type of a field that holds known functions; null for every other field. */
export function closureFieldType(t: NamedTypes, property: ts.Symbol, at: ts.Node): Type | null {
  const field = t.classTable.closures.of(property, at);
  const type = t.checker.getTypeOfSymbol(property);
  if (field === null) return null;
  const of = fieldType(t, field, at);
  const nullable: Type = type.isUnion() ? { kind: "opt", of, nil: t.shapes.nil(type) } : of;
  return property.flags & t.api.SymbolFlags.Optional ? optional(nullable) : nullable;
}

function fieldType(t: NamedTypes, field: ClosureField, at: ts.Node): Type {
  const of = tagsType(t, field, at);
  return field.isList ? { kind: "array", store: "Array", elem: of } : of;
}

/** The named type of the tags of a field. */
export function tagsType(t: NamedTypes, field: ClosureField, at: ts.Node): Type {
  if (!t.types.has(field.type)) defineTags(t, field, at);
  return { kind: "named", name: field.type };
}

function define(t: NamedTypes, name: string, type: Type): void {
  t.types.set(name, { type, text: name, scope: [], sealed: true, tags: true });
}

function defineTags(t: NamedTypes, { type, cases, takesAlong }: ClosureField, at: ts.Node): void {
  define(t, type, { kind: "leaf", text: "string" });
  if (!takesAlong) return;
  const named = cases.map(({ tag }): Type => ({ kind: "named", name: tagType(tag) }));
  const [only, ...others] = named;
  t.nested(() => {
    const isSingle = others.length === 0 && only !== undefined;
    define(t, type, isSingle ? only : { kind: "union", variants: named });
    for (const each of cases) if (!t.types.has(tagType(each.tag))) defineTag(t, each, at);
  });
}

/** The record of a tag and the captured values. */
function defineTag(
  t: NamedTypes,
  { tag, captures }: ClosureField["cases"][number],
  at: ts.Node,
): void {
  const fn: Field = { name: "fn", type: { kind: "leaf", text: JSON.stringify(tag) } };
  define(t, tagType(tag), { kind: "record", tagged: true, fields: [fn] });
  const fields = (captures?.values ?? []).map(({ name, node, symbol, tags }): Field => {
    if (tags !== undefined) return { name, type: fieldType(t, tags, at) };
    const typeOf = (): ts.Type =>
      symbol === null ? t.checker.getTypeAtLocation(node) : t.checker.getTypeOfSymbol(symbol);
    return { name, type: t.among(NO_TYPE_ARGUMENTS, () => t.from(typeOf(), at)) };
  });
  define(t, tagType(tag), { kind: "record", tagged: true, fields: [fn, ...fields] });
}
