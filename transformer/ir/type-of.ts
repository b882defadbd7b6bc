// The type that an expression gives, where its operands tell it. In: an expression. Out: a type, or null.
// Null for `pop` from a ref tape, reads of unknown places and calls of unknown functions; an array is taken for an `Array`.

import { BOOL, NUM, VOID } from "./build.ts";
import { OPS, type ScalarOp } from "./ops.ts";
import { sameType } from "./print.ts";
import { resolve, shadowType, type Types } from "./shadow.ts";
import type { ArrayPart, Expr, Func, Key, Type } from "./types.ts";
import { unreachable } from "./visit.ts";

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
    case "unwrap": {
      const type = resolve(expr.value.type, types);
      // which variant a union holds, and what a record is taken for, the bound name says
      return type.kind === "opt"
        ? type.of
        : type.kind === "union" || type.kind === "record"
          ? null
          : type;
    }
    case "array": {
      const elem = partType(expr.parts[0], types);
      return elem === null ? null : { kind: "array", store: "Array", elem };
    }
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

function opType(op: ScalarOp, second: Type | undefined): Type {
  const { result } = OPS[op];
  return result === "bool" ? BOOL : result === "num" ? NUM : (second ?? NUM);
}

const partType = (part: ArrayPart | undefined, types: Types): Type | null =>
  part === undefined ? NUM : part.spread ? elementType(part.atom.type, types) : part.atom.type;

/** Type of an array's elements. */
export function elementType(aggregate: Type, types: Types): Type | null {
  const type = resolve(aggregate, types);
  return type.kind === "array" ? type.elem : null;
}

/** Type of what a place holds; null where the aggregate has no such place or it cannot be told. */
export function placeType(aggregate: Type, key: Key, types: Types): Type | null {
  const type = resolve(aggregate, types);
  switch (type.kind) {
    case "array":
      return type.elem;
    case "record":
      return (
        (key.kind === "field"
          ? type.fields.find((field) => field.name === key.name)?.type
          : undefined) ?? null
      );
    case "tuple": {
      const at =
        key.kind === "field"
          ? Number(key.name)
          : key.at.kind === "const"
            ? Number(key.at.value)
            : NaN;
      return type.elems[at] ?? null;
    }
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

/** The type of a place that all variants have. */
function commonType(places: readonly (Type | null)[]): Type | null {
  const [first, ...others] = places;
  if (first === undefined || first === null) return null;
  return others.reduce<Type | null>(
    (joined, other) => (joined === null || other === null ? null : joinedType(joined, other)),
    first,
  );
}

/** A type that holds the values of both; null where the IR has none. */
function joinedType(x: Type, z: Type): Type | null {
  if (x.kind === "num" && z.kind === "num")
    return x.literal === undefined || z.literal === undefined
      ? NUM
      : { ...x, literal: joinedText(x.literal, z.literal) };
  if (sameType(x, z)) return x;
  if (x.kind === "leaf" && z.kind === "leaf")
    return {
      kind: "leaf",
      text: joinedText(x.text, z.text),
      ...(x.opaque === true || z.opaque === true ? { opaque: true } : {}),
    };
  if (x.kind === "opt" || z.kind === "opt") {
    const of = joinedType(x.kind === "opt" ? x.of : x, z.kind === "opt" ? z.of : z);
    return of === null
      ? null
      : {
          kind: "opt",
          of,
          ...(x.kind === "opt" && x.nil !== undefined
            ? { nil: x.nil }
            : z.kind === "opt" && z.nil !== undefined
              ? { nil: z.nil }
              : {}),
        };
  }
  return null;
}

const joinedText = (x: string, z: string): string =>
  [...new Set([...x.split(" | "), ...z.split(" | ")])].join(" | ");
