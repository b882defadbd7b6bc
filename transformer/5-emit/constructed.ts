// Decides whether `new` prints an instance. The IR has the constructor's code inlined, so `new`
// executes it instead. Invariant: the constructor only assigns its arguments and constants to
// fields (1-lower/classes/plain-constructor.ts), the arguments have the parameters' types, and
// their order of evaluation stays where it matters.

import { resolve, type Types } from "../ir/shadow.ts";
import { placeType } from "../ir/type-of.ts";
import type { Atom, Constructed, RecordPart, Type } from "../ir/types.ts";
import { type Nested, valueAtoms } from "./code.ts";

/** `new Vec(x, y)` is several times faster than `Object.assign(Object.create(…), { x, y })`. */
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
  const isAssigned = ({ name, value, omitIfUndefined: mayLack }: RecordPart): boolean =>
    mayLack === undefined &&
    (params.includes(name)
      ? isPlain(placeType(type, { kind: "field", name }, types), types)
      : value.kind === "const" && Object.is(value.value, constants.get(name)));
  const isInOrder =
    given.every(({ name }, i) => name === params[i]) ||
    !given.some(({ value }) => acts(value, nested));
  return given.length === params.length && isInOrder && fields.every(isAssigned);
}

/** Whether the atom has an effect or reads one, so that its order of evaluation matters. */
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

/** Whether the declared type of a parameter admits every value of the IR type. */
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
