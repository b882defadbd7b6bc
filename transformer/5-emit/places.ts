// The position of each operand in the text of a line or value, in order of evaluation.
// Invariant: a value nested at a "whole" position needs no brackets and keeps its identity.

import { resolve, type Types, definedShape } from "../ir/shadow.ts";
import { elementType, placeType } from "../ir/type-of.ts";
import type { Atom, Key, RecordPart, Throw, Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import type { Line, Value } from "./code.ts";

export type Place =
  /** All of a right-hand side, argument or element. */
  | "whole"
  /** Part of an expression. */
  | "operand"
  /** Before `.` or `[`. */
  | "object"
  /** An operand that its operator may skip. */
  | "maybe"
  /** An operand of `===`, whose type must not be a literal type. */
  | "compared"
  /** A position that only a name may fill. */
  | "never";

export interface Read {
  readonly atom: Atom;
  readonly place: Place;
}

const all = (atoms: readonly Atom[], place: Place): readonly Read[] =>
  atoms.map((atom) => ({ atom, place }));
const some = (atom: Atom | null): readonly Atom[] => (atom === null ? [] : [atom]);

/** `isTwice`: the text may contain the place twice. */
const placed = (object: Atom, key: Key, isTwice = false): readonly Read[] => [
  { atom: object, place: isTwice ? "never" : "object" },
  ...(key.kind === "index" ? all([key.at], isTwice ? "never" : "operand") : []),
];

/** The parameter types of a function; empty where they are not known. */
export type ParameterTypes = (callee: string) => readonly Type[];

/** `made`: the type of a literal, which its parts must fit. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Value kinds
export function valueReads(
  value: Value,
  types: Types,
  made: Type | null = null,
  takes: ParameterTypes = () => [],
): readonly Read[] {
  const whole = made === null ? null : definedShape(made, types);
  switch (value.kind) {
    case "copy":
      return [part(value.atom, made, types)];
    case "op":
      return operands(value);
    case "choose":
      return all([value.cond, value.then, value.else], "operand");
    case "load":
      return placed(value.object, value.key, value.own === true);
    case "length":
    case "removeLast":
      return all([value.object], "object");
    case "present":
      return all([value.value], "operand");
    case "unwrap":
      return all([value.value], "object");
    case "array":
      return value.parts.map(({ atom, spread }) =>
        spread ? { atom, place: "operand" } : part(atom, elementOf(whole, types), types),
      );
    case "tuple":
      return value.elems.map((elem, i) =>
        part(elem, whole?.kind === "tuple" ? (whole.elems[i] ?? null) : null, types),
      );
    case "record":
      return value.fields.flatMap((field) => fieldReads(field, whole, types));
    case "alloc":
      return [
        ...all([value.length], "operand"),
        ...some(value.fill).map((fill) => part(fill, elementOf(whole, types), types)),
      ];
    case "slice":
      return [...all([value.object], "object"), ...all([value.from, ...some(value.to)], "operand")];
    case "zeros":
      return [{ atom: value.like, place: isFlat(value.like.type, types) ? "object" : "never" }];
    case "clone":
      return [{ atom: value.object, place: isFlat(value.object.type, types) ? "object" : "never" }];
    case "call":
      return value.args.map((arg, i) => part(arg, takes(value.callee)[i] ?? null, types));
    case "extern":
      return all(value.args, "operand");
    case "pop":
    case "rewind":
      return all([value.tape], "never");
    case "newTape":
    case "closure":
      return [];
    default:
      return unreachable(value);
  }
}

/** A part of a literal, or an argument, at a place of type `to`. */
const part = (atom: Atom, to: Type | null, types: Types): Read => ({
  atom,
  place: literalPlace(atom, to, types),
});

const elementOf = (array: Type | null, types: Types): Type | null =>
  array === null ? null : elementType(array, types);

function operands({ op, args }: Extract<Value, { kind: "op" }>): readonly Read[] {
  const isLazy = op === "and" || op === "or" || op === "select";
  const place = isEquality(op) ? "compared" : "operand";
  return args.map((atom, i) => ({ atom, place: isLazy && i > 0 ? "maybe" : place }));
}

function fieldReads(
  { name, value, omitIfUndefined: mayLack, presentIf: there }: RecordPart,
  whole: Type | null,
  types: Types,
): readonly Read[] {
  if (there !== undefined)
    return [
      { atom: there, place: "operand" },
      { atom: value, place: "maybe" },
    ];
  // the text of a possibly absent field contains the value twice
  if (mayLack === true) return [{ atom: value, place: "never" }];
  const to = whole === null ? null : placeType(whole, { kind: "field", name }, types);
  return [part(value, to, types)];
}

const EQUALITIES: ReadonlySet<string> = new Set(["eq", "ne", "looseEq", "looseNe"]);
export const isEquality = (op: string): boolean => EQUALITIES.has(op);

/** Whether the text of its zeros or clone contains the value only once. */
const isFlat = (type: Type, types: Types): boolean => resolve(type, types).kind === "array";

/** TypeScript rejects excess properties, so a literal with such fields needs a name. */
function literalPlace({ type }: Atom, to: Type | null, types: Types): Place {
  if (to === null || to === type) return "whole";
  const [from, place] = [definedShape(type, types), definedShape(to, types)];
  const isSurplus =
    from.kind === "record" &&
    place.kind === "record" &&
    from.fields.some(({ name }) => !place.fields.some((field) => field.name === name));
  return isSurplus ? "never" : "whole";
}

/** The results of a block, at names or a function result of types `to`. */
export const resultReads = (
  result: readonly Atom[],
  to: readonly Type[],
  types: Types,
): readonly Read[] =>
  result.map((atom, i) => ({ atom, place: literalPlace(atom, to[i] ?? null, types) }));

type Plain = Exclude<Line, { kind: "let" | "if" | "for" | "while" | "return" }> | Throw;

export function lineReads(
  line: Exclude<Plain, never> | Extract<Line, { kind: "let" }>,
  types: Types,
): readonly Read[] {
  switch (line.kind) {
    case "let":
      return [];
    case "store":
    case "accum": {
      // the text of a sum in a dict contains its place twice
      const isTwice = line.kind === "accum" && line.object.type.kind === "dict";
      return [
        ...placed(line.object, line.key, isTwice),
        ...all(
          [line.value],
          literalPlace(line.value, placeType(line.object.type, line.key, types), types),
        ),
      ];
    }
    case "append":
      return [
        ...all([line.object], "object"),
        ...all([line.value], literalPlace(line.value, elementType(line.object.type, types), types)),
      ];
    case "fill":
      return [
        ...all([line.object], "object"),
        ...all([line.value], "whole"),
        ...all([...some(line.from), ...some(line.to)], "operand"),
      ];
    case "push":
      return [...all([line.tape], "never"), ...all([line.value], "whole")];
    case "reserve":
      return [...all([line.tape], "never"), ...all([line.count], "operand")];
    case "throw":
      return all([line.value], "whole");
    default:
      return unreachable(line);
  }
}
