// Makes arrays: `new Array(n)`, `Array.from`, `Array.of`, copies into typed arrays. In: the call. Out: a fresh array.
// Invariant: an array without fill has each element stored in ascending order before it is read, or says that it has none yet.

import type ts from "typescript";
import { NUM, index, num } from "../../ir/build.ts";
import type { Atom, Stmt, Type, Var } from "../../ir/types.ts";
import { applyCallback } from "../functions/closures.ts";
import { UNDEFINED } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import { lowerExpr } from "../expression.ts";
import type { Fn, Frame } from "../frame.ts";
import { typeOfLastUse } from "../objects/patterns.ts";
import { listElement } from "../objects/places.ts";
import { opened, resolveFn } from "../resolve.ts";
import { initial, itemAt, iterableAsArray, lengthOf, sourceOf } from "./iterate.ts";
import { literalType } from "../objects/literals.ts";

/** `new Array(n)`: n elements that are not there yet. `new Array(a, b)`: those. */
export function newArray(
  f: Frame,
  node: ts.NewExpression | ts.CallExpression,
  args: readonly ts.Expression[],
  wanted: string,
): Atom {
  const type = newArrayType(f, node);
  const [first] = args;
  const counts =
    first !== undefined &&
    args.length === 1 &&
    (f.ctx.checker.getTypeAtLocation(first).flags & f.api.TypeFlags.NumberLike) !== 0;
  if (first === undefined || !counts) {
    const parts = args.map((argument) => ({ atom: lowerExpr(f, argument), spread: false }));
    return f.let(wanted, type, { kind: "array", parts });
  }
  const shape = f.shape(type);
  const elem: Type = shape.kind === "array" ? shape.elem : NUM;
  return f.let(wanted, type, { kind: "alloc", length: lowerExpr(f, first), fill: absent(elem) });
}

/** What an element holds that nothing has been stored in. */
export const absent = (elem: Type): Atom =>
  elem === UNDEFINED.type ? UNDEFINED : { kind: "undef", type: elem };

/** `new Array(n)` of which the checker knows no element type takes it from `.fill(v)`, or from the variable's uses. */
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
  // `[...Array(n)].map((_, i) => …)`: only the places count
  if (f.api.isPropertyAccessExpression(parent) || f.api.isSpreadElement(parent))
    return { kind: "array", store: "Array", elem: UNDEFINED.type };
  return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, "any[]");
}

/** Fills a fresh array with what `item` computes, in order. Without `type`, it is an array of what that gives. */
export function buildArray(
  f: Frame,
  wanted: string,
  type: Type | null,
  length: Atom,
  item: (at: Var) => Atom,
): Var {
  const at: Var = { kind: "var", name: f.names.fresh("i"), type: NUM };
  f.integers.add(at.name);
  const round = f.nested(() => [item(at)]);
  const value: Atom = round.result[0] ?? num(0);
  const made: Type = type ?? { kind: "array", store: "Array", elem: value.type };
  const result = f.let(wanted, made, { kind: "alloc", length, fill: null });
  const { origin } = f.b;
  const stmts: Stmt[] = [
    ...round.stmts,
    { kind: "store", origin, object: result, key: index(at), value, initial: true },
  ];
  const body = { stmts, result: [] };
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
      body,
      binds: [],
    },
    update: null,
  });
  return result;
}

/** The array type that the checker and the context give a call; null where they leave its elements open. */
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

/** A fresh array of another kind with the same elements. */
export function lowerArrayFrom(f: Frame, source: Atom, type: Type, wanted: string): Atom {
  const shape = f.shape(source.type);
  const elem: Type = shape.kind === "array" ? shape.elem : NUM;
  const length = f.let("t", NUM, { kind: "length", object: source });
  const result = f.let(wanted, type, { kind: "alloc", length, fill: null });
  emitFor(f, f.label("loop"), length, (at) =>
    initial(f, result, at, f.let("t", elem, { kind: "load", object: source, key: index(at) })),
  );
  return result;
}

/** `Array.from(xs)`, `Array.from(xs, g)`, `Array.from({ length: n }, g)`, and the same of typed arrays. */
export function lowerFrom(
  f: Frame,
  node: ts.CallExpression,
  wanted: string,
  typed: Type | null,
): Atom {
  const [source, callback] = node.arguments;
  if (source === undefined) return f.refuse("TSG1211", node, "from", "no arguments");
  const fn = callback === undefined ? null : resolveFn(f, callback);
  if (callback !== undefined && fn === null)
    return f.refuse("TSG1209", callback, "which function it is, is not known here");
  const length = lengthProperty(f, source);
  if (length !== null) return fromLength(f, node, lowerExpr(f, length), fn, wanted, typed);
  if (fn === null) {
    const array = iterableAsArray(f, source);
    const shape = f.shape(array.atom.type);
    const elem = listElement(f, shape);
    const type: Type =
      typed ??
      (elem !== null && !(shape.kind === "array" && shape.store === "Array")
        ? { kind: "array", store: "Array", elem }
        : array.atom.type);
    if (typed === null && shape.kind === "array" && shape.store === "Array") {
      return array.fresh
        ? array.atom
        : f.let(wanted, type, { kind: "slice", object: array.atom, from: num(0), to: null });
    }
    return lowerArrayFrom(f, array.atom, type, wanted);
  }
  const items = sourceOf(f, source);
  const count = lengthOf(f, items);
  return buildArray(f, wanted, typed ?? knownArrayType(f, node), count, (at) =>
    mapped(f, fn, [itemAt(f, items, at, "t"), at], callback ?? node),
  );
}

/** `{ length: n }` */
function lengthProperty(f: Frame, expression: ts.Expression): ts.Expression | null {
  const { api } = f;
  const node = opened(f, expression);
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
  return api.isPropertyAssignment(property)
    ? property.initializer
    : api.isShorthandPropertyAssignment(property)
      ? property.name
      : null;
}

function fromLength(
  f: Frame,
  node: ts.CallExpression,
  length: Atom,
  fn: Fn | null,
  wanted: string,
  typed: Type | null,
): Atom {
  if (fn === null) {
    const type = typed ?? newArrayType(f, node);
    const shape = f.shape(type);
    return f.let(wanted, type, {
      kind: "alloc",
      length,
      fill: typed !== null ? num(0) : absent(shape.kind === "array" ? shape.elem : NUM),
    });
  }
  return buildArray(f, wanted, typed ?? knownArrayType(f, node), length, (at) =>
    mapped(f, fn, [UNDEFINED, at], node.arguments[1] ?? node),
  );
}

/** The callback's result, which must be a value. */
export function mapped(f: Frame, fn: Fn, args: readonly Atom[], at: ts.Node): Atom {
  return applyCallback(f, fn, args, at) ?? f.refuse("TSG1209", at, "it returns nothing");
}
