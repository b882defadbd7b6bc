// One type for literals that differ in what they leave out: `c ? { bid, ask } : { bid }`. In: the types of the members of a union of object literals. Out: a record whose fields may lack, or null.
// Invariant: nothing that tells the members apart by its value is lost; whoever asks for a field of such a union asks whether it is there.

import type { Field, Type } from "../../ir/types.ts";
import { sameType } from "./same-type.ts";

/** `{ bid, ask } | { bid, ask?: undefined }  ->  { bid, ask? }`; null where two members have values of different types in one place, a tag included. */
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
  const there = given.flatMap((field) =>
    field === undefined || isUndefined(field.type) ? [] : [field.type],
  );
  const [first, ...others] = there;
  if (
    first === undefined ||
    !others.every(
      (other) => sameType(held(other), held(first)) && literalOf(other) === literalOf(first),
    )
  )
    return null;
  const mayLack = there.length < given.length || there.some((type) => type.kind === "opt");
  return { name, type: mayLack ? optional(held(first)) : first };
}

/** What tells the members apart where each says another one. */
const literalOf = (type: Type): string | undefined =>
  type.kind === "num" || type.kind === "bool" ? type.literal : undefined;

const isUndefined = (type: Type): boolean => type.kind === "leaf" && type.text === "undefined";

const held = (type: Type): Type =>
  type.kind === "opt" && (type.nil === undefined || type.nil === "undefined") ? type.of : type;
