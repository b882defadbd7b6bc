// The type of an expression, if its operands determine it. It is null for `pop` from a ref tape,
// reads of unknown places and calls of unknown functions. Array literals count as `Array`.

import { BOOL, NUM, opType, VOID } from "./build.ts";
import { membersOf } from "./literal-types.ts";
import { sameType } from "./print.ts";
import { resolve, shadowType, type Types } from "./shadow.ts";
import type { ArrayPart, Expr, Func, Key, Nil, Type, TypeOf } from "./types.ts";
import { unreachable } from "./visit.ts";

// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
export function typeOf(expr: Expr, types: Types, funcs: ReadonlyMap<string, Func>): Type | null {
  switch (expr.kind) {
    case "copy":
      return expr.atom.type;
    case "op":
      return opType(expr.op, expr.args[1]?.type);
    case "load":
      return placeType(expr.object.type, expr.key, types);
    case "length":
      return NUM;
    case "present":
      return BOOL;
    case "unwrap":
      return unwrappedType(resolve(expr.value.type, types));
    case "array":
      return literalType(expr.parts[0], types);
    case "tuple":
      return { kind: "tuple", elems: expr.elems.map((elem) => elem.type) };
    case "record":
      return {
        kind: "record",
        fields: expr.fields.map(({ name, value }) => ({ name, type: value.type })),
      };
    case "alloc":
      return { kind: "array", store: "Array", elem: expr.fill?.type ?? NUM };
    case "slice":
    case "clone":
      return expr.object.type;
    case "zeros":
      return shadowType(expr.like.type, types);
    case "call":
      return funcs.get(expr.callee)?.result ?? null;
    case "extern":
      return NUM;
    case "removeLast":
      return elementType(expr.object.type, types);
    case "newTape":
      return { kind: "tape", of: "num" };
    case "pop":
      return expr.tape.type.kind === "tape" && expr.tape.type.of === "num" ? NUM : null;
    case "rewind":
      return expr.tape.type;
    case "lambda":
      return {
        kind: "func",
        params: expr.params.map((param) => param.type),
        result: expr.body.result[0]?.type ?? VOID,
      };
    default:
      return unreachable(expr);
  }
}

/** The bound name says which variant a union holds, and which record type a record has. */
function unwrappedType(type: Type): Type | null {
  if (type.kind === "opt") return type.of;
  return type.kind === "union" || type.kind === "record" ? null : type;
}

/** Type of an array literal, by its first element. */
function literalType(first: ArrayPart | undefined, types: Types): Type | null {
  if (first === undefined) return { kind: "array", store: "Array", elem: NUM };
  const elem = first.spread ? elementType(first.atom.type, types) : first.atom.type;
  return elem === null ? null : { kind: "array", store: "Array", elem };
}

/** Type of an array's elements. */
export function elementType(aggregate: Type, types: Types): Type | null {
  const type = resolve(aggregate, types);
  return type.kind === "array" ? type.elem : null;
}

/** Type of a place; null if the aggregate has no such place or the place is unknown. */
export function placeType(aggregate: Type, key: Key, types: Types): Type | null {
  const type = resolve(aggregate, types);
  switch (type.kind) {
    case "array":
      return type.elem;
    case "record":
      return fieldType(type, key);
    case "tuple":
      return positionType(type, key);
    case "dict":
      return type.value;
    case "union":
      return commonType(
        type.variants.map((variant) =>
          key.kind === "field" && resolve(variant, types).kind === "array"
            ? null
            : placeType(variant, key, types),
        ),
      );
    case "num":
    case "bool":
    case "leaf":
    case "opt":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return null;
    default:
      return unreachable(type);
  }
}

function fieldType({ fields }: TypeOf<"record">, key: Key): Type | null {
  if (key.kind !== "field") return null;
  return fields.find((field) => field.name === key.name)?.type ?? null;
}

function positionType({ elems }: TypeOf<"tuple">, key: Key): Type | null {
  if (key.kind === "field") return elems[Number(key.name)] ?? null;
  return key.at.kind === "const" ? (elems[Number(key.at.value)] ?? null) : null;
}

/** The type of a place that all variants have. */
function commonType(places: readonly (Type | null)[]): Type | null {
  const [first, ...others] = places;
  if (first === undefined || first === null) return null;
  return others.reduce<Type | null>(
    (joined, other) => (joined === null || other === null ? null : joinedType(joined, other)),
    first,
  );
}

/** A type of the values of both; null if the IR has none. */
function joinedType(x: Type, z: Type): Type | null {
  if (x.kind === "num" && z.kind === "num") return joinedNumber(x, z);
  if (sameType(x, z)) return x;
  if (x.kind === "leaf" && z.kind === "leaf")
    return {
      kind: "leaf",
      text: joinedText(x.text, z.text),
      ...(x.opaque === true || z.opaque === true ? { opaque: true } : {}),
    };
  if (x.kind !== "opt" && z.kind !== "opt") return null;
  const of = joinedType(x.kind === "opt" ? x.of : x, z.kind === "opt" ? z.of : z);
  const nil = nilOf(x) ?? nilOf(z);
  return of === null ? null : { kind: "opt", of, ...(nil === undefined ? {} : { nil }) };
}

const nilOf = (type: Type): Nil | undefined => (type.kind === "opt" ? type.nil : undefined);

const joinedNumber = (x: TypeOf<"num">, z: TypeOf<"num">): Type =>
  x.literal === undefined || z.literal === undefined
    ? NUM
    : { ...x, literal: joinedText(x.literal, z.literal) };

const joinedText = (x: string, z: string): string =>
  [...new Set([...membersOf(x), ...membersOf(z)])].join(" | ");
