// Lowers what can be iterated to a Source: arrays, tuples, strings, Maps, Sets, and their
// `entries()`, `keys()` and `values()`.
// An element is read when the loop reaches it, as JavaScript's iterators do.
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { NUM, index, num } from "../../ir/build.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Expr, Type, Var } from "../../ir/types.ts";
import { holdsNumber, definednessTest, STRING, unwrap, externWith } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { type Dict, isOfObjects, keysOf, valueAt } from "./dict.ts";
import { setElement } from "./set.ts";
import { effectsOf, mayResize } from "../effects.ts";
import { generatedList } from "../control/generators.ts";
import { isStringAtom } from "./leaf.ts";
import { lowerExpr } from "../lowering.ts";
import { emitFor } from "../control/emit-loop.ts";
import { arrayElementType, tupleAsArray } from "../objects/tuples.ts";
import { isLibrary } from "../names/library-names.ts";
import { rejectReplacedIterator } from "../names/replaced-builtins.ts";

export interface Source {
  readonly kind: "values" | "keys" | "entries";
  /** The array itself; null for the keys of an array of which only the length is known. */
  readonly array: Atom | null;
  /** The length of a source without array. */
  readonly count: Atom | null;
  /** The type of the array's elements. */
  readonly elem: Type;
  /** Whether the array has no alias. */
  readonly fresh: boolean;
  /** The Map whose keys `array` holds. */
  readonly dict: { readonly object: Atom; readonly type: Dict } | null;
  /** The array in the user's code, to find what changes its length. */
  readonly node: ts.Expression;
}

const sourceOver = (
  kind: Source["kind"],
  array: Atom | null,
  elem: Type,
  node: ts.Expression,
): Source => ({ kind, array, count: null, elem, fresh: true, dict: null, node });

export function sourceOf(f: Frame, expression: ts.Expression): Source {
  const { api } = f;
  rejectReplacedIterator(f, expression);
  const node = bare(expression, f.api);
  if (
    api.isCallExpression(node) &&
    node.arguments.length === 0 &&
    api.isPropertyAccessExpression(node.expression)
  ) {
    const method = node.expression.name.text;
    if (method === "entries" || method === "keys" || method === "values") {
      const count = method === "keys" ? countOfNewArray(f, node.expression.expression) : null;
      if (count !== null) return { ...sourceOver("keys", null, NUM, node), count };
      return arraySource(f, node.expression.expression, method, false);
    }
  }
  return arraySource(f, node, "values", true);
}

/** The n of `Array(n)` and `new Array(n)`. */
function countOfNewArray(f: Frame, expression: ts.Expression): Atom | null {
  const node = bare(expression, f.api);
  if (!f.api.isCallExpression(node) && !f.api.isNewExpression(node)) return null;
  const count = node.arguments?.[0];
  if (
    !isLibrary(f, node.expression, "Array") ||
    count === undefined ||
    node.arguments?.length !== 1
  )
    return null;
  const atom = lowerExpr(f, count);
  return f.shape(atom.type).kind === "num" ? atom : f.refuse("TSG1206", node, "Array");
}

/** `xs ?? []` where xs is a typed array or a Map: `[]` becomes an empty one of that type. */
function typedOrNothing(f: Frame, node: ts.Expression): Atom | null {
  if (
    !f.api.isBinaryExpression(node) ||
    node.operatorToken.kind !== f.api.SyntaxKind.QuestionQuestionToken
  )
    return null;
  const other = bare(node.right, f.api);
  const type = inner(f, f.ctx.typeOf(node.left));
  const shape = f.shape(type);
  if (
    !f.api.isArrayLiteralExpression(other) ||
    other.elements.length > 0 ||
    !isTypedArrayOrMap(shape)
  )
    return null;
  const left = lowerExpr(f, node.left);
  if (f.shape(left.type).kind !== "opt") return left;
  const empty: Expr =
    shape.kind === "array"
      ? { kind: "alloc", length: num(0), fill: null }
      : { kind: "record", fields: [] };
  return f.choose(
    "t",
    type,
    definednessTest(f, left),
    () => unwrap(f, left),
    () => f.let("t", type, empty),
  );
}

const isTypedArrayOrMap = (shape: Type): boolean =>
  (shape.kind === "array" && shape.store !== "Array") ||
  (shape.kind === "dict" && shape.store === "Map");

/** `direct`: the value itself is iterated, not its `keys()` and so on. */
function arraySource(f: Frame, node: ts.Expression, kind: Source["kind"], direct: boolean): Source {
  const generated = direct ? generatedList(f, node) : null;
  if (generated !== null) return sourceOver(kind, generated.list, generated.elem, node);
  const value = unwrap(f, typedOrNothing(f, node) ?? lowerExpr(f, node));
  const shape = f.shape(value.type);
  const elem = arrayElementType(f, shape);
  if (elem !== null) {
    const fresh = f.api.isArrayLiteralExpression(node);
    return { ...sourceOver(kind, copied(f, value), elem, node), fresh };
  }
  if (shape.kind === "dict" && shape.store === "Map") {
    const object = copied(f, value);
    const keys = keysOf(f, object, shape);
    const dict = { object, type: shape };
    return { ...sourceOver(direct ? "entries" : kind, keys, shape.key, node), dict };
  }
  const inSet = setElement(f, node);
  if (inSet !== null && !hasNumbers(inSet, f.ctx.types)) return listedBy(f, value, inSet, node);
  if (direct && isStringAtom(f, value) && !holdsNumber(f, value))
    return listedBy(f, value, STRING, node);
  if (shape.kind !== "tuple") return f.refuse("TSG1120", node, f.textOf(node));
  const array = tupleAsArray(f, node, value, shape.elems, node);
  return sourceOver(kind, array, arrayElementType(f, f.shape(array.type)) ?? NUM, node);
}

/** The elements of a Set or a string as `Array.from` lists them. */
function listedBy(f: Frame, value: Atom, elem: Type, node: ts.Expression): Source {
  const type: Type = { kind: "array", store: "Array", elem };
  const array = externWith(f, "t", type, {
    text: ["Array.from(", ")"],
    args: [value],
    effect: "reads",
  });
  return sourceOver("values", array, elem, node);
}

/** A copy of the reference: the loop's array stays the same if the variable is reassigned. */
const copied = (f: Frame, array: Atom): Atom =>
  array.kind === "var" ? f.let("t", array.type, { kind: "copy", atom: array }) : array;

/** The first part of an entry: the index, or the key of a Map. */
export function keyAt(f: Frame, source: Source, at: Atom): Atom {
  if (source.dict !== null && isOfObjects(f, source.dict.type))
    return f.refuse("TSG1120", source.node, f.textOf(source.node));
  return slotAt(f, source, at);
}

const slotAt = (f: Frame, source: Source, at: Atom): Atom =>
  source.dict === null || source.array === null
    ? at
    : f.let("key", source.elem, { kind: "load", object: source.array, key: index(at) });

/** The element of an iteration; of entries, only the value. */
export function elementAt(f: Frame, source: Source, at: Atom, hint: string): Atom {
  if (source.dict !== null) {
    return source.kind === "keys"
      ? keyAt(f, source, at)
      : valueAt(f, source.dict.object, source.dict.type, slotAt(f, source, at), hint);
  }
  if (source.kind === "keys" || source.array === null) return at;
  return f.let(hint, source.elem, { kind: "load", object: source.array, key: index(at) });
}

/** What the iterator yields; of entries, a pair. */
export function itemAt(f: Frame, source: Source, at: Atom, hint: string): Atom {
  if (source.kind !== "entries") return elementAt(f, source, at, hint);
  const key = keyAt(f, source, at);
  const value =
    source.dict === null
      ? elementAt(f, source, at, "t")
      : valueAt(f, source.dict.object, source.dict.type, key, "t");
  return f.let(hint, itemType(source), { kind: "tuple", elems: [key, value] });
}

export function itemType({ kind, elem, dict }: Source): Type {
  const key = dict === null ? NUM : elem;
  const value = dict === null ? elem : dict.type.value;
  if (kind === "entries") return { kind: "tuple", elems: [key, value] };
  return kind === "keys" ? key : value;
}

export const lengthOf = (f: Frame, source: Source): Atom =>
  source.count ?? (source.array === null ? num(0) : f.b.length(source.array));

/** Whether executing `body` may change the length of the array that is iterated. */
export function mayChangeLength(
  f: Frame,
  source: Source,
  ...body: readonly (ts.Node | undefined)[]
): boolean {
  if (source.array === null || source.fresh) return false;
  const shape = f.shape(source.array.type);
  if (shape.kind === "array" && shape.store !== "Array") return false;
  return mayResize(f, effectsOf(f, ...body), source.node, body);
}

/** Whether it is an iterator of an array, Map or Set, such as `table.values()`. */
export const isIterator = (f: Frame, node: ts.Expression): boolean =>
  /^(?:MapIterator|ArrayIterator|SetIterator|IterableIterator)$/.test(
    f.ctx.checker.getTypeAtLocation(node).symbol?.name ?? "",
  );

/** The values of an iterable as an array, which is not copied. */
export function iterableAsArray(
  f: Frame,
  expression: ts.Expression,
): { readonly atom: Atom; readonly fresh: boolean } {
  const source = sourceOf(f, expression);
  if (
    source.array !== null &&
    (source.dict === null || isOfObjects(f, source.dict.type)
      ? source.kind === "values"
      : source.kind === "keys")
  )
    return { atom: source.array, fresh: source.fresh };
  const length = lengthOf(f, source);
  const result = f.let(
    "t",
    { kind: "array", store: "Array", elem: itemType(source) },
    { kind: "alloc", length, fill: null },
  );
  emitFor(f, f.label("loop"), length, (at) => initial(f, result, at, itemAt(f, source, at, "t")));
  return { atom: result, fresh: true };
}

/** The first store to an element of a fresh array. */
export function initial(f: Frame, array: Var, at: Atom, value: Atom): void {
  f.b.emit({ kind: "store", object: array, key: index(at), value, initial: true });
}
