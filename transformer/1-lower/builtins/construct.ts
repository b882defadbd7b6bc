// Lowers constructions of arrays: `new Array(n)`, `Array.from`, and copies into typed arrays.
// An allocation without fill stores each element in ascending order before it is read.
// Any other allocation is filled with `undef`, so that no element is undefined unmarked.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { NUM, index, num } from "../../ir/build.ts";
import type { Atom, Stmt, Type, Var } from "../../ir/types.ts";
import { applyCallback, lowerExpr } from "../lowering.ts";
import { UNDEFINED } from "../coerce.ts";
import { isInteger } from "../control/counted.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import type { Fn } from "../function-values.ts";
import { typeOfLastUse, literalType } from "../objects/expected-types.ts";
import { arrayElementType } from "../objects/tuples.ts";
import { resolveFn } from "../resolve.ts";
import { initial, itemAt, iterableAsArray, lengthOf, sourceOf } from "./iterate.ts";

/** `new Array(n)` has n undefined elements; `new Array(a, b)` has two. */
export function newArray(
  f: Frame,
  node: ts.NewExpression | ts.CallExpression,
  args: readonly ts.Expression[],
  hint: string,
): Atom {
  const type = newArrayType(f, node);
  const [first] = args;
  const counts =
    first !== undefined &&
    args.length === 1 &&
    (f.ctx.checker.getTypeAtLocation(first).flags & f.api.TypeFlags.NumberLike) !== 0;
  if (first === undefined || !counts) {
    const parts = args.map((argument) => ({ atom: lowerExpr(f, argument), spread: false }));
    return f.let(hint, type, { kind: "array", parts });
  }
  const shape = f.shape(type);
  const elem: Type = shape.kind === "array" ? shape.elem : NUM;
  return f.let(hint, type, {
    kind: "alloc",
    length: lowerExpr(f, first),
    fill: undefinedElement(elem),
  });
}

/** The value of an element before its first store. */
export const undefinedElement = (elem: Type): Atom =>
  elem === UNDEFINED.type ? UNDEFINED : { kind: "undef", type: elem };

/** The checker's type of `new Array(n)`; else that of its `.fill(v)`, or of the variable's uses. */
function newArrayType(f: Frame, node: ts.Expression): Type {
  const known = knownArrayType(f, node);
  if (known !== null) return known;
  const { parent } = node;
  if (
    f.api.isPropertyAccessExpression(parent) &&
    parent.name.text === "fill" &&
    f.api.isCallExpression(parent.parent)
  ) {
    const whole = knownArrayType(f, parent.parent);
    const [value] = parent.parent.arguments;
    if (whole !== null) return whole;
    if (value !== undefined) return { kind: "array", store: "Array", elem: f.ctx.typeOf(value) };
  }
  if (f.api.isVariableDeclaration(parent) && f.api.isIdentifier(parent.name)) {
    const later =
      parent.type !== undefined ? f.ctx.typeOf(parent.name) : typeOfLastUse(f, parent.name);
    if (later !== null && f.shape(later).kind === "array") return later;
  }
  // `[...Array(n)].map((_, i) => …)` reads only the indices.
  if (f.api.isPropertyAccessExpression(parent) || f.api.isSpreadElement(parent))
    return { kind: "array", store: "Array", elem: UNDEFINED.type };
  return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, "any[]");
}

/** Allocates an array and stores `item(i)` in order. Without `type`, items determine it. */
export function buildArray(
  f: Frame,
  hint: string,
  type: Type | null,
  length: Atom,
  item: (at: Var) => Atom,
): Var {
  const at: Var = { kind: "var", name: f.names.fresh("i"), type: NUM };
  f.integers.add(at.name);
  const body = f.nested(() => [item(at)]);
  const value: Atom = body.result[0] ?? num(0);
  const arrayType: Type = type ?? { kind: "array", store: "Array", elem: value.type };
  const result = f.let(hint, arrayType, { kind: "alloc", length, fill: null });
  const { origin } = f.b;
  const stmts: Stmt[] = [
    ...body.stmts,
    { kind: "store", origin, object: result, key: index(at), value, initial: true },
  ];
  f.b.emit({
    kind: "loop",
    label: f.label("loop"),
    loop: {
      kind: "for",
      origin,
      index: at,
      from: num(0),
      test: "<",
      to: length,
      step: 1,
      carried: [],
      body: { stmts, result: [] },
      binds: [],
    },
    update: null,
  });
  return result;
}

/** The array type of an expression; null where its element type is unknown. */
export function knownArrayType(f: Frame, node: ts.Expression): Type | null {
  const type = literalType(f, node, ["array"]);
  const shape = f.shape(type);
  return shape.kind === "array" && !isOpaque(f, shape.elem) ? type : null;
}

const isOpaque = (f: Frame, type: Type): boolean => {
  const shape = f.shape(type);
  return shape.kind === "leaf"
    ? shape.opaque === true || shape.text === "never"
    : shape.kind === "array" && isOpaque(f, shape.elem);
};

/** Copies an array into one of another type, such as `Float64Array`. */
export function lowerArrayFrom(f: Frame, source: Atom, type: Type, hint: string): Atom {
  const shape = f.shape(source.type);
  const elem: Type = shape.kind === "array" ? shape.elem : NUM;
  const length = f.b.length(source);
  const result = f.let(hint, type, { kind: "alloc", length, fill: null });
  emitFor(f, f.label("loop"), length, (at) =>
    initial(f, result, at, f.let("t", elem, { kind: "load", object: source, key: index(at) })),
  );
  return result;
}

/** `Array.from(xs)`, `Array.from(xs, g)`, `Array.from({ length: n }, g)`; also of typed arrays. */
export function lowerFrom(
  f: Frame,
  node: ts.CallExpression,
  hint: string,
  typed: Type | null,
): Atom {
  const [source, callback] = node.arguments;
  if (source === undefined) return f.refuse("TSG1211", node, "from", "no arguments");
  const fn = callback === undefined ? null : resolveFn(f, callback);
  if (callback !== undefined && fn === null)
    return f.refuse("TSG1209", callback, "which function it is, is not known here");
  const length = lengthProperty(f, source);
  if (length !== null) {
    const given = lowerExpr(f, length);
    // a loop below 2.5 has three iterations, and such an array two elements
    const whole = isInteger(f, length) ? given : f.b.op("trunc", given);
    return fromLength(f, node, whole, fn, { type: typed, hint });
  }
  if (fn === null) return fromIterable(f, source, hint, typed);
  const items = sourceOf(f, source);
  const count = lengthOf(f, items);
  return buildArray(f, hint, typed ?? knownArrayType(f, node), count, (at) =>
    callbackResult(f, fn, [itemAt(f, items, at, "t"), at], callback ?? node),
  );
}

function fromIterable(f: Frame, source: ts.Expression, hint: string, typed: Type | null): Atom {
  const { atom, fresh } = iterableAsArray(f, source);
  const shape = f.shape(atom.type);
  if (typed === null && shape.kind === "array" && shape.store === "Array") {
    return fresh
      ? atom
      : f.let(hint, atom.type, { kind: "slice", object: atom, from: num(0), to: null });
  }
  const elem = typed === null ? arrayElementType(f, shape) : null;
  const type: Type = elem === null ? atom.type : { kind: "array", store: "Array", elem };
  return lowerArrayFrom(f, atom, typed ?? type, hint);
}

/** The n of `{ length: n }`. */
function lengthProperty(f: Frame, expression: ts.Expression): ts.Expression | null {
  const { api } = f;
  const node = bare(expression, f.api);
  const property =
    api.isObjectLiteralExpression(node) && node.properties.length === 1
      ? node.properties[0]
      : undefined;
  if (
    property === undefined ||
    property.name === undefined ||
    !api.isIdentifier(property.name) ||
    property.name.text !== "length"
  )
    return null;
  if (api.isPropertyAssignment(property)) return property.initializer;
  return api.isShorthandPropertyAssignment(property) ? property.name : null;
}

function fromLength(
  f: Frame,
  node: ts.CallExpression,
  length: Atom,
  fn: Fn | null,
  target: { readonly type: Type | null; readonly hint: string },
): Atom {
  if (fn !== null)
    return buildArray(f, target.hint, target.type ?? knownArrayType(f, node), length, (at) =>
      callbackResult(f, fn, [UNDEFINED, at], node.arguments[1] ?? node),
    );
  const type = target.type ?? newArrayType(f, node);
  const shape = f.shape(type);
  const fill =
    target.type !== null ? num(0) : undefinedElement(shape.kind === "array" ? shape.elem : NUM);
  return f.let(target.hint, type, { kind: "alloc", length, fill });
}

/** The callback's result; refused where it returns nothing. */
export function callbackResult(f: Frame, fn: Fn, args: readonly Atom[], at: ts.Node): Atom {
  return applyCallback(f, fn, args, at) ?? f.refuse("TSG1209", at, "it returns nothing");
}
