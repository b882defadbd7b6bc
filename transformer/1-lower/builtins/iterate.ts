// What can be iterated: arrays, their `entries()`, `keys()`, `values()`, tuples, texts. In: an expression. Out: a Source, and loops over it.
// Invariant: a source's elements are read when the loop reaches them, as JavaScript's iterators do.

import type ts from "typescript";
import { NUM, index, num } from "../../ir/build.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { extern, holdsNumber, inner, present, STRING, unwrap } from "../coerce.ts";
import { type Dict, isOfObjects, keysOf, valueAt } from "./dict.ts";
import { setElement } from "./set.ts";
import { effectsOf, mayResize } from "../effects.ts";
import { generatedList } from "../control/generators.ts";
import { isText } from "./leaf.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { emitFor } from "../control/emit-loop.ts";
import { listElement, tupleAsArray } from "../objects/places.ts";
import { isLibrary, opened } from "../resolve.ts";

export interface Source {
  readonly kind: "values" | "keys" | "entries";
  /** The array itself; null for the keys of an array that only has a length. */
  readonly array: Atom | null;
  /** Length of a source without array. */
  readonly count: Atom | null;
  /** Type of the array's elements. */
  readonly elem: Type;
  /** Whether nobody else holds the array. */
  readonly fresh: boolean;
  /** What `array` holds the keys of, for a Map. */
  readonly dict: { readonly object: Atom; readonly type: Dict } | null;
  /** The array as the user wrote it, for what may change its length. */
  readonly node: ts.Expression;
}

export function sourceOf(f: Frame, expression: ts.Expression): Source {
  const { api } = f;
  const node = opened(f, expression);
  if (
    api.isCallExpression(node) &&
    node.arguments.length === 0 &&
    api.isPropertyAccessExpression(node.expression)
  ) {
    const method = node.expression.name.text;
    if (method === "entries" || method === "keys" || method === "values") {
      const made = method === "keys" ? countOfNewArray(f, node.expression.expression) : null;
      if (made !== null)
        return { kind: "keys", array: null, count: made, elem: NUM, fresh: true, dict: null, node };
      return arraySource(f, node.expression.expression, method);
    }
  }
  return arraySource(f, node, "values", true);
}

/** `Array(n)` and `new Array(n)`: n. */
function countOfNewArray(f: Frame, expression: ts.Expression): Atom | null {
  const node = opened(f, expression);
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

/** `xs ?? []` where xs is a typed array or a Map: what there is to go through of an empty list is that of an empty one. */
function typedOrNothing(f: Frame, node: ts.Expression): Atom | null {
  if (
    !f.api.isBinaryExpression(node) ||
    node.operatorToken.kind !== f.api.SyntaxKind.QuestionQuestionToken
  )
    return null;
  const other = opened(f, node.right);
  const type = inner(f, f.ctx.typeOf(node.left));
  const shape = f.shape(type);
  if (
    !f.api.isArrayLiteralExpression(other) ||
    other.elements.length > 0 ||
    !isOtherThanList(shape)
  )
    return null;
  const list = lowerExpr(f, node.left);
  if (f.shape(list.type).kind !== "opt") return list;
  return f.choose(
    "t",
    type,
    present(f, list),
    () => unwrap(f, list),
    () =>
      f.let(
        "t",
        type,
        shape.kind === "array"
          ? { kind: "alloc", length: num(0), fill: null }
          : { kind: "record", fields: [] },
      ),
  );
}

const isOtherThanList = (shape: Type): boolean =>
  (shape.kind === "array" && shape.store !== "Array") ||
  (shape.kind === "dict" && shape.store === "Map");

/** `direct`: the value itself is iterated. */
function arraySource(f: Frame, node: ts.Expression, kind: Source["kind"], direct = false): Source {
  const generated = direct ? generatedList(f, node) : null;
  if (generated !== null)
    return {
      kind,
      array: generated.list,
      count: null,
      elem: generated.elem,
      fresh: true,
      dict: null,
      node,
    };
  const value = unwrap(f, typedOrNothing(f, node) ?? lowerExpr(f, node));
  const shape = f.shape(value.type);
  const elem = listElement(f, shape);
  if (elem !== null)
    return {
      kind,
      array: held(f, value),
      count: null,
      elem,
      fresh: f.api.isArrayLiteralExpression(node),
      dict: null,
      node,
    };
  if (shape.kind === "dict" && shape.store === "Map") {
    const object = held(f, value);
    return {
      kind: direct ? "entries" : kind,
      array: keysOf(f, object, shape),
      count: null,
      elem: shape.key,
      fresh: true,
      dict: { object, type: shape },
      node,
    };
  }
  const inSet = setElement(f, node);
  if (inSet !== null && !hasNumbers(inSet, f.ctx.types)) {
    const array = extern(
      f,
      "t",
      { kind: "array", store: "Array", elem: inSet },
      ["Array.from(", ")"],
      [value],
      "reads",
    );
    return { kind: "values", array, count: null, elem: inSet, fresh: true, dict: null, node };
  }
  if (direct && isText(f, value) && !holdsNumber(f, value)) {
    const array = extern(
      f,
      "t",
      { kind: "array", store: "Array", elem: STRING },
      ["Array.from(", ")"],
      [value],
      "reads",
    );
    return { kind: "values", array, count: null, elem: STRING, fresh: true, dict: null, node };
  }
  if (shape.kind === "tuple") {
    const array = tupleAsArray(f, node, value, shape.elems, node);
    const elem = f.shape(array.type);
    return {
      kind,
      array,
      count: null,
      elem: elem.kind === "array" ? elem.elem : NUM,
      fresh: true,
      dict: null,
      node,
    };
  }
  return f.refuse("TSG1120", node, f.textOf(node));
}

/** A loop keeps the array it started with, whatever is assigned to the variable. */
const held = (f: Frame, array: Atom): Atom =>
  array.kind === "var" ? f.let("t", array.type, { kind: "copy", atom: array }) : array;

/** What an entry has in front: the position, or the key of a Map. */
export function keyAt(f: Frame, source: Source, at: Atom): Atom {
  if (source.dict !== null && isOfObjects(f, source.dict.type))
    return f.refuse("TSG1120", source.node, f.textOf(source.node));
  return slotAt(f, source, at);
}

const slotAt = (f: Frame, source: Source, at: Atom): Atom =>
  source.dict === null || source.array === null
    ? at
    : f.let("key", source.elem, { kind: "load", object: source.array, key: index(at) });

/** The element that a round sees; of entries, only the value part. */
export function elementAt(f: Frame, source: Source, at: Atom, wanted: string): Atom {
  if (source.dict !== null) {
    return source.kind === "keys"
      ? keyAt(f, source, at)
      : valueAt(f, source.dict.object, source.dict.type, slotAt(f, source, at), wanted);
  }
  if (source.kind === "keys" || source.array === null) return at;
  return f.let(wanted, source.elem, { kind: "load", object: source.array, key: index(at) });
}

/** What the iterator yields, as one value. */
export function itemAt(f: Frame, source: Source, at: Atom, wanted: string): Atom {
  if (source.kind !== "entries") return elementAt(f, source, at, wanted);
  const key = keyAt(f, source, at);
  const value =
    source.dict === null
      ? elementAt(f, source, at, "t")
      : valueAt(f, source.dict.object, source.dict.type, key, "t");
  return f.let(wanted, itemType(source), { kind: "tuple", elems: [key, value] });
}

export const itemType = (source: Source): Type =>
  source.dict !== null
    ? source.kind === "entries"
      ? { kind: "tuple", elems: [source.elem, source.dict.type.value] }
      : source.kind === "keys"
        ? source.elem
        : source.dict.type.value
    : source.kind === "entries"
      ? { kind: "tuple", elems: [NUM, source.elem] }
      : source.kind === "keys"
        ? NUM
        : source.elem;

export const lengthOf = (f: Frame, source: Source): Atom =>
  source.count ??
  (source.array === null ? num(0) : f.let("t", NUM, { kind: "length", object: source.array }));

/** Whether running `body` may change the length of the array that is iterated. */
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

/** What a list, Map or Set gives for going through it: `table.values()`. */
export const isIterator = (f: Frame, node: ts.Expression): boolean =>
  /^(?:MapIterator|ArrayIterator|SetIterator|IterableIterator)$/.test(
    f.ctx.checker.getTypeAtLocation(node).symbol?.name ?? "",
  );

/** The values of an iterable as one array: the array itself where it is one. */
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

/** The first value of an element of a fresh array. */
export function initial(f: Frame, array: Var, at: Atom, value: Atom): void {
  f.b.emit({ kind: "store", object: array, key: index(at), value, initial: true });
}
