// Merges object literals that differ only in absent fields: `c ? { bid, ask } : { bid }`.
// Input: the members of a union of object literals. Output: one record with optional fields, or
// null where the value of a field discriminates the members.

import type { Field, Type } from "../../ir/types.ts";
import { sameType } from "./same-type.ts";

/** `{ bid, ask } | { bid, ask?: undefined }  ->  { bid, ask? }`; null where field types differ. */
export function mergedLiterals(
  members: readonly Type[],
  optional: (type: Type) => Type,
): Type | null {
  const lists = members.flatMap((member) => (member.kind === "record" ? [member.fields] : []));
  if (lists.length < members.length) return null;
  const names = new Set(lists.flatMap((fields) => fields.map(({ name }) => name)));
  const fields = [...names].map((name) =>
    mergedField(
      name,
      lists.map((list) => list.find((field) => field.name === name)),
      optional,
    ),
  );
  return fields.every((field) => field !== null) ? { kind: "record", fields } : null;
}

function mergedField(
  name: string,
  given: readonly (Field | undefined)[],
  optional: (type: Type) => Type,
): Field | null {
  const defined = given.flatMap((field) =>
    field === undefined || isUndefined(field.type) ? [] : [field.type],
  );
  const [first, ...others] = defined;
  if (first === undefined) return null;
  const isSame = (other: Type): boolean =>
    sameType(required(other), required(first)) && literalOf(other) === literalOf(first);
  if (!others.every(isSame)) return null;
  const isOptional = defined.length < given.length || defined.some(({ kind }) => kind === "opt");
  return { name, type: isOptional ? optional(required(first)) : first };
}

/** The literal that may discriminate the members. */
const literalOf = (type: Type): string | undefined =>
  type.kind === "num" || type.kind === "bool" ? type.literal : undefined;

const isUndefined = (type: Type): boolean => type.kind === "leaf" && type.text === "undefined";

/** The type without `undefined`. */
const required = (type: Type): Type =>
  type.kind === "opt" && (type.nil === undefined || type.nil === "undefined") ? type.of : type;
