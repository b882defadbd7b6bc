// Element types of arrays and tuples, and tuples read as arrays.
// Input: types and values. Output: an element type, or an array with the tuple's elements.

import type ts from "typescript";
import { field, NUM } from "../../ir/build.ts";
import { printType } from "../../ir/print.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { STRING } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { commonType } from "../types/common-type.ts";

/** The element type of an array, or of `number[] | Float64Array`; null for other types. */
export function arrayElementType(f: Frame, shape: Type): Type | null {
  if (shape.kind === "array") return shape.elem;
  const isList = (variant: Type): boolean =>
    variant.kind === "array" &&
    variant.elem.kind === "num" &&
    (variant.store === "Array" || variant.store === "Float64Array");
  return shape.kind === "union" && shape.variants.every((variant) => isList(f.shape(variant)))
    ? NUM
    : null;
}

/** Whether the type is a union of tuples, so that `op[0]` is a field of all of them. */
export const isOfTuples = (f: Frame, shape: Type): boolean =>
  shape.kind === "union" && shape.variants.every((variant) => f.shape(variant).kind === "tuple");

/**
 * A tuple's elements as an array: a fresh one unless the tuple is constant. They have one type, or
 * are read-only rows of numbers. `list`: the tuple in user code.
 */
export function tupleAsArray(
  f: Frame,
  node: ts.Node,
  object: Atom,
  elems: readonly Type[],
  list: ts.Expression | null = null,
): Atom {
  const [first, ...others] = elems;
  const load = (type: Type, at: number, of: Atom): Var =>
    f.b.load("t", type, of, field(String(at)));
  const elem =
    first === undefined || elems.every((each) => isTextType(each))
      ? STRING
      : commonType(first, others);
  const isOfOne =
    first !== undefined &&
    (elem === STRING || elems.every((other) => sameType(elem, commonType(other, [elem]))));
  const given = list === null ? null : f.ctx.checker.getTypeAtLocation(list);
  const rows: Type = { kind: "array", store: "Array", elem: NUM };
  if (!isOfOne && (given === null || !isTableOfNumbers(f, given)))
    return f.refuse("TSG1202", node, f.textOf(node));
  const type: Type = { kind: "array", store: "Array", elem: isOfOne ? elem : rows };
  if (object.kind === "global" && given !== null && elem !== STRING && isReadOnly(f, given))
    return { ...object, type };
  const made = (parts: readonly Atom[], of: Type): Var =>
    f.let("t", of, { kind: "array", parts: parts.map((atom) => ({ atom, spread: false })) });
  const row = (each: Type, at: number): Var => {
    const tuple = load(each, at, object);
    const shape = f.shape(each);
    return made(
      (shape.kind === "tuple" ? shape.elems : []).map((one, k) => load(one, k, tuple)),
      rows,
    );
  };
  return made(
    elems.map((each, at) => (isOfOne ? load(each, at, object) : row(each, at))),
    type,
  );
}

/** Whether neither the tuple nor a tuple in it can be written. */
const isReadOnly = (f: Frame, type: ts.Type): boolean =>
  !f.ctx.checker.isTupleType(type) ||
  ((type as ts.TupleTypeReference).target.readonly &&
    f.ctx.checker
      .getTypeArguments(type as ts.TupleTypeReference)
      .every((each) => isReadOnly(f, each))); // isTupleType has no type guard

/** `[[], [0.5], [0, 0.75]] as const`: read-only rows of any length. */
function isTableOfNumbers(f: Frame, type: ts.Type): boolean {
  const { checker } = f.ctx;
  const partsOf = (tuple: ts.Type): readonly ts.Type[] | null =>
    checker.isTupleType(tuple) &&
    !(tuple as ts.TupleTypeReference).target.elementFlags.some(
      (flag) => flag !== f.api.ElementFlags.Required,
    )
      ? checker.getTypeArguments(tuple as ts.TupleTypeReference)
      : null;
  const isRow = (row: ts.Type): boolean =>
    partsOf(row)?.every(({ flags }) => (flags & f.api.TypeFlags.NumberLike) !== 0) === true;
  return isReadOnly(f, type) && partsOf(type)?.every(isRow) === true;
}

const isTextType = (type: Type): boolean =>
  type.kind === "leaf" && (type.text === "string" || type.text.startsWith('"'));

/** Types are plain data, so types with equal printed forms are equal. */
export const sameType = (a: Type, b: Type): boolean => a === b || printType(a) === printType(b);
