// Which instances `new` makes. In: the fields of an instance, whose constructor has run already as the code that computed them. Out: whether it may run again in their place.
// Invariant: it does nothing but keep its arguments (1-lower/classes/plain-constructor.ts), and these have the types that it asks for, and are computed in the same order where that matters.

import { resolve, type Types } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Constructed, RecordPart, Type } from "../ir/types.ts";
import { type Nested, valueAtoms } from "./code.ts";

/** `new Vec(x, y)` is several times faster than `Object.assign(Object.create(Vec.prototype), { x, y })`, and V8 takes it for what user code makes. */
export function isConstructed(
  fields: readonly RecordPart[],
  type: Type,
  { params, constants }: Constructed,
  types: Types,
  nested: Nested,
): boolean {
  if (
    type.kind !== "named" ||
    types.get(type.name)?.instance?.args.length !== 0 ||
    fields.length !== params.length + constants.size
  )
    return false;
  const given = fields.filter(({ name }) => params.includes(name));
  const isKept = ({ name, value, mayLack }: RecordPart): boolean =>
    mayLack === undefined &&
    (params.includes(name)
      ? isPlain(placeType(type, { kind: "field", name }, types), types)
      : value.kind === "const" && Object.is(value.value, constants.get(name)));
  const isInOrder =
    given.every(({ name }, i) => name === params[i]) ||
    !given.some(({ value }) => acts(value, nested));
  return given.length === params.length && isInOrder && fields.every(isKept);
}

/** Whether it matters what is computed before it, or behind it. */
function acts(atom: Atom, nested: Nested): boolean {
  const value = atom.kind === "var" ? nested.get(atom.name) : undefined;
  if (value === undefined) return false;
  return (
    value.kind === "call" ||
    value.kind === "extern" ||
    value.kind === "pop" ||
    value.kind === "removeLast" ||
    valueAtoms(value).some((inner) => acts(inner, nested))
  );
}

/** Whether any value of the type may stand where TypeScript asks for one: nothing in it is a literal, or of a type that is not looked into. */
function isPlain(type: Type | null, types: Types): boolean {
  switch (type?.kind) {
    case "num":
    case "bool":
      return type.literal === undefined;
    case "array":
      return isPlain(type.elem, types);
    case "tuple":
      return type.elems.every((elem) => isPlain(elem, types));
    case "named":
      return resolve(type, types).kind === "record" || resolve(type, types).kind === "union";
    case "opt":
      return isPlain(type.of, types);
    case "leaf":
      return type.text === "string";
    default:
      return false;
  }
}
