// Lowers `Map`s and objects with an index signature to loads and stores by key.
// A loop over keys visits those that existed at its start, so a body that may add or
// remove keys is rejected.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { bool, field, index } from "../../ir/build.ts";
import type { Atom, Field, Type, Var } from "../../ir/types.ts";
import { confusesNumbers } from "../types/confused-types.ts";
import { applyCallback, lowerArguments, lowerExpr } from "../lowering.ts";
import { isFn, type MethodCall } from "../function-values.ts";
import { anyField, writeChosen } from "../objects/chosen-field.ts";
import {
  definednessTest,
  inert,
  isNullish,
  optional,
  str,
  STRING,
  UNDEFINED,
  unwrap,
  inertWith,
} from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { literalType } from "../objects/expected-types.ts";
import { areDisjoint } from "../objects/disjoint-arrays.ts";
import { requireEnumerable } from "../objects/places.ts";
import { accessedName, declaredName, refusePrototype } from "../objects/property-names.ts";
import { resolveFn } from "../resolve.ts";
import { lowerOptional } from "../identifiers.ts";
import { isClosedLiteral, refuseUnsaid } from "../objects/spread-fields.ts";
import { initial, itemAt, itemType, lengthOf, sourceOf } from "./iterate.ts";

export type Dict = Type & { readonly kind: "dict" };

/** A method call on a Map or Set. */
export type KeyedCall = Omit<MethodCall, "callee" | "unused">;

/** Whether keys are objects. They can be looked up but not read back: their shadows are unknown. */
export const isOfObjects = (f: Frame, { key }: Dict): boolean =>
  !["num", "bool", "leaf"].includes(f.shape(key).kind);

/** The keys in JavaScript's order. */
export function keysOf(f: Frame, object: Atom, dict: Dict): Var {
  const text = dict.store === "Map" ? ["Array.from(", ".keys())"] : ["Object.keys(", ")"];
  return inert(
    f,
    "keys",
    { kind: "array", store: "Array", elem: dict.store === "Map" ? dict.key : STRING },
    text,
    [object],
  );
}

export const valueAt = (f: Frame, object: Atom, dict: Dict, key: Atom, hint: string): Var =>
  f.let(hint, dict.value, { kind: "load", object, key: index(key) });

/** A loop over the entries. */
function eachEntry(
  f: Frame,
  object: Atom,
  dict: Dict,
  body: (key: Atom, value: Atom) => void,
): void {
  const keys = keysOf(f, object, dict);
  emitFor(f, f.label("loop"), f.b.length(keys), (at) => {
    const key = f.let("key", dict.store === "Map" ? dict.key : STRING, {
      kind: "load",
      object: keys,
      key: index(at),
    });
    body(key, valueAt(f, object, dict, key, "t"));
  });
}

/** A new object or Map with the same keys and copied values. */
export function copiedEntries(
  f: Frame,
  object: Atom,
  dict: Dict,
  hint: string,
  copy: (value: Atom) => Atom,
): Var {
  const made = f.let(hint, object.type, { kind: "record", fields: [] });
  eachEntry(f, object, dict, (key, value) => f.b.define(made, index(key), copy(value)));
  return made;
}

/** `m.get(k)` and other methods; null where the method returns nothing. */
export function lowerMapMethod(f: Frame, call: KeyedCall, dict: Dict): Atom | null {
  const { node, receiver, method, hint } = call;
  if (dict.store !== "Map") return f.refuse("TSG1112", node, method, f.textOf(node.expression));
  if (method === "forEach") return forEach(f, node, receiver, dict);
  const args = lowerArguments(f, node).map((arg) =>
    isFn(arg) ? f.refuse("TSG1112", node, method, "Map") : arg,
  );
  const [key = UNDEFINED, value] = args;
  switch (method) {
    case "get":
      return f.let(hint, optional(f, dict.value), {
        kind: "load",
        object: receiver,
        key: index(key),
      });
    case "set":
      if (value === undefined) return f.refuse("TSG1211", node, "set", "1 argument");
      f.b.store(receiver, index(key), value);
      return receiver;
    case "has":
      return inert(f, hint, { kind: "bool" }, ["", ".has(", ")"], [receiver, key]);
    case "delete":
      return inertWith(
        f,
        hint,
        { kind: "bool" },
        { text: ["", ".delete(", ")"], args: [receiver, key], effect: "io" },
      );
    case "clear":
      inertWith(
        f,
        "t",
        { kind: "void" },
        { text: ["", ".clear()"], args: [receiver], effect: "io" },
      );
      return null;
    default:
      return f.refuse("TSG1112", node, method, "Map");
  }
}

function forEach(f: Frame, node: ts.CallExpression, receiver: Atom, dict: Dict): null {
  const [callback] = node.arguments;
  const fn = callback === undefined ? null : resolveFn(f, callback);
  if (fn === null || callback === undefined)
    return f.refuse("TSG1209", callback ?? node, "which function it is, is not known here");
  const map = bare(node.expression, f.api);
  if (isOfObjects(f, dict) && !(fn.kind === "closure" && fn.node.parameters.length < 2))
    return f.refuse("TSG1120", node, f.textOf(node));
  if (fn.kind === "closure" && f.api.isPropertyAccessExpression(map))
    requireStableKeys(f, fn.node, map.expression, null);
  eachEntry(
    f,
    receiver,
    dict,
    (key, value) => void applyCallback(f, fn, [value, key, receiver], node),
  );
  return null;
}

/** `new Map()`, `new Map(pairs)`, `new Map(otherMap)`. */
export function newMap(f: Frame, node: ts.NewExpression, hint: string): Atom {
  const type = literalType(f, node, ["dict"]);
  if (f.shape(type).kind !== "dict") return f.refuse("TSG1206", node, "Map");
  const made = f.let(hint, type, { kind: "record", fields: [] });
  const [first] = node.arguments ?? [];
  if (first === undefined || first.kind === f.api.SyntaxKind.NullKeyword) return made;
  const literal = bare(first, f.api);
  if (f.api.isArrayLiteralExpression(literal)) {
    for (const element of literal.elements) {
      if (f.api.isSpreadElement(element)) addAll(f, node, made, element.expression);
      else addPair(f, made, element);
    }
    return made;
  }
  addAll(f, node, made, first);
  return made;
}

/** Adds each pair of an array, or each entry of a Map. */
function addAll(f: Frame, node: ts.Node, made: Var, pairs: ts.Expression): void {
  const source = sourceOf(f, pairs);
  const of = source.dict;
  if (of !== null && source.kind === "entries" && isOfObjects(f, of.type))
    return eachEntry(f, of.object, of.type, (key, value) => f.b.store(made, index(key), value));
  emitFor(f, f.label("loop"), lengthOf(f, source), (at) =>
    addItem(f, node, made, itemAt(f, source, at, "t")),
  );
}

/** `Object.fromEntries(pairs)`: an object with any keys, or a record where the code asserts one. */
export function fromEntries(f: Frame, node: ts.CallExpression, hint: string): Atom {
  const [pairs] = node.arguments;
  const type = f.ctx.typeOf(outermost(f, node));
  const shape = f.shape(type);
  const isDict = shape.kind === "dict" && shape.store === "Object";
  if (pairs === undefined || (!isDict && shape.kind !== "record"))
    return f.refuse("TSG1203", node, "Object.fromEntries");
  const source = sourceOf(f, pairs);
  const item = f.shape(itemType(source));
  const key = item.kind === "tuple" ? item.elems[0] : undefined;
  if (key === undefined || f.shape(key).kind !== "leaf")
    return f.refuse("TSG1203", node, "Object.fromEntries");
  const made = f.let(hint, type, { kind: "record", fields: [] });
  emitFor(f, f.label("loop"), lengthOf(f, source), (at) => {
    const pair = itemAt(f, source, at, "t");
    if (shape.kind === "record") fillField(f, node, made, shape.fields, pair);
    else addItem(f, node, made, pair);
  });
  return made;
}

/** The expression with the type assertions around it. */
function outermost(f: Frame, node: ts.Expression): ts.Expression {
  const { parent } = node;
  return f.api.isAsExpression(parent) ||
    f.api.isTypeAssertionExpression(parent) ||
    f.api.isParenthesizedExpression(parent)
    ? outermost(f, parent)
    : node;
}

function fillField(f: Frame, node: ts.Node, made: Var, fields: readonly Field[], pair: Atom): void {
  const [key, value] = partsOf(f, node, pair);
  const place = anyField(made, key, fields);
  if (place === null || confusesNumbers(f, value.type, place.type))
    return f.refuse("TSG1203", node, "Object.fromEntries");
  writeChosen(f, place, value);
}

function addPair(f: Frame, made: Var, element: ts.Expression): void {
  const pair = bare(element, f.api);
  const [key, value] = f.api.isArrayLiteralExpression(pair) ? pair.elements : [];
  if (key === undefined || value === undefined)
    return addItem(f, element, made, unwrap(f, lowerExpr(f, element)));
  const at = lowerExpr(f, key);
  f.b.store(made, index(at), lowerExpr(f, value));
}

function addItem(f: Frame, node: ts.Node, made: Var, item: Atom): void {
  const [key, value] = partsOf(f, node, item);
  f.b.define(made, index(key), value);
}

function partsOf(f: Frame, node: ts.Node, item: Atom): readonly [Var, Var] {
  const shape = f.shape(item.type);
  const [key, value] = shape.kind === "tuple" ? shape.elems : [];
  if (key === undefined || value === undefined) return f.refuse("TSG1206", node, "Map");
  const part = (name: string, type: Type): Var =>
    f.let("t", type, { kind: "load", object: item, key: field(name) });
  return [part("0", key), part("1", value)];
}

/** `{ a: x, [k]: y, ...r }` with an index signature as its type. */
export function lowerDictLiteral(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  type: Type,
  hint: string,
): Atom {
  const { api } = f;
  node.properties.forEach((each) => refusePrototype(f, each));
  const isPlain = node.properties.every(
    (each) =>
      (api.isPropertyAssignment(each) || api.isShorthandPropertyAssignment(each)) &&
      declaredName(f.api, each.name, f.ctx.checker) !== null,
  );
  const valueOf = (each: ts.PropertyAssignment | ts.ShorthandPropertyAssignment): Atom =>
    lowerExpr(f, api.isPropertyAssignment(each) ? each.initializer : each.name);
  if (isPlain) {
    const fields = new Map<string, Atom>();
    for (const each of node.properties) {
      if (api.isPropertyAssignment(each) || api.isShorthandPropertyAssignment(each))
        fields.set(declaredName(f.api, each.name, f.ctx.checker) ?? "", valueOf(each));
    }
    return f.let(hint, type, {
      kind: "record",
      fields: [...fields].map(([name, value]) => ({ name, value })),
    });
  }
  const made = f.let(hint, type, { kind: "record", fields: [] });
  for (const each of node.properties) {
    if (api.isSpreadAssignment(each)) spread(f, each, made);
    else if (api.isPropertyAssignment(each) || api.isShorthandPropertyAssignment(each))
      f.b.define(made, index(keyOf(f, each.name)), valueOf(each));
    else f.refuse("TSG1116", each, f.textOf(each));
  }
  return made;
}

function keyOf(f: Frame, name: ts.PropertyName): Atom {
  const known = declaredName(f.api, name, f.ctx.checker);
  if (known !== null) return str(known);
  return f.api.isComputedPropertyName(name)
    ? lowerExpr(f, name.expression)
    : f.refuse("TSG1202", name, f.textOf(name));
}

function spread(f: Frame, node: ts.SpreadAssignment, made: Var): void {
  const source = lowerOptional(f, node.expression);
  if (isNullish(source)) return;
  refuseUnsaid(f, source, node.expression);
  if (f.shape(source.type).kind !== "opt") return spreadInto(f, node, source, made);
  f.when(definednessTest(f, source), () => {
    spreadInto(f, node, unwrap(f, source), made);
  });
}

function spreadInto(f: Frame, node: ts.SpreadAssignment, source: Atom, made: Var): void {
  const shape = f.shape(source.type);
  if (shape.kind === "dict")
    return eachEntry(f, source, shape, (key, value) => f.b.define(made, index(key), value));
  if (shape.kind !== "record") return f.refuse("TSG1201", node, "spread in an object literal");
  requireEnumerable(f, source, node);
  // An unused record that spreads the source: types/excess-properties.ts checks it for more fields.
  if (!isClosedLiteral(f, node.expression))
    f.let("t", made.type, { kind: "record", fields: [], copies: [source.type] });
  for (const each of shape.fields) {
    if (f.shape(each.type).kind === "opt") f.refuse("TSG1207", node, f.textOf(node.expression));
    f.b.define(
      made,
      index(str(each.name)),
      f.let(each.name, each.type, { kind: "load", object: source, key: field(each.name) }),
    );
  }
}

/** `Object.keys(r)`, `Object.values(r)`, `Object.entries(r)` */
export function entriesOf(f: Frame, path: string, object: Atom, dict: Dict, hint: string): Atom {
  if (path === "Object.keys") return keysOf(f, object, dict);
  const pair: Type = { kind: "tuple", elems: [STRING, dict.value] };
  const keys = keysOf(f, object, dict);
  const length = f.b.length(keys);
  const result = f.let(
    hint,
    { kind: "array", store: "Array", elem: path === "Object.values" ? dict.value : pair },
    { kind: "alloc", length, fill: null },
  );
  emitFor(f, f.label("loop"), length, (at) => {
    const key = f.let("key", STRING, { kind: "load", object: keys, key: index(at) });
    const value = valueAt(f, object, dict, key, "t");
    initial(
      f,
      result,
      at,
      path === "Object.values" ? value : f.let("t", pair, { kind: "tuple", elems: [key, value] }),
    );
  });
  return result;
}

/** `delete r[k]` */
export function lowerDelete(f: Frame, node: ts.DeleteExpression, hint: string): Atom {
  const target = bare(node.expression, f.api);
  if (!f.api.isElementAccessExpression(target) && !f.api.isPropertyAccessExpression(target))
    return f.refuse("TSG1117", node);
  const object = unwrap(f, lowerExpr(f, target.expression));
  const shape = f.shape(object.type);
  if (shape.kind === "record") return deleteField(f, node, object, shape);
  if (shape.kind !== "dict") return f.refuse("TSG1117", node);
  const key = f.api.isElementAccessExpression(target)
    ? lowerExpr(f, target.argumentExpression)
    : str(target.name.text);
  return inertWith(
    f,
    hint,
    { kind: "bool" },
    { text: ["delete ", "[", "]"], args: [object, key], effect: "io" },
  );
}

/** `delete o.k` of an optional field. */
function deleteField(
  f: Frame,
  node: ts.DeleteExpression,
  object: Atom,
  shape: Type & { readonly kind: "record" },
): Atom {
  const name = accessedName(f.api, bare(node.expression, f.api)) ?? "";
  const found = shape.fields.find((each) => each.name === name);
  if (found === undefined || f.shape(found.type).kind !== "opt") return f.refuse("TSG1117", node);
  f.b.emit({ kind: "store", object, key: field(name), value: UNDEFINED, removed: true });
  return bool(true);
}

/** Rejects the body of a loop over keys if it may add or remove any; it may write to `key`. */
export function requireStableKeys(
  f: Frame,
  body: ts.Node,
  dict: ts.Expression,
  key: ts.Symbol | null,
): void {
  const isOwnKey = (node: ts.Expression | undefined): boolean =>
    node !== undefined && key !== null && f.api.isIdentifier(node) && f.symbolOf(node) === key;
  const isDict = (node: ts.Expression): boolean =>
    f.shape(f.ctx.typeOf(node)).kind === "dict" && !areDisjoint(f, node, dict, [body]);
  const visit = (node: ts.Node): void => {
    const called = methodCalled(f, node);
    if (called !== null && isDict(called.expression) && changesKeys(called, isOwnKey))
      f.refuse("TSG1120", node, f.textOf(called.expression));
    const removed = f.api.isDeleteExpression(node) ? member(f, node.expression) : null;
    if (removed !== null && isDict(removed.expression)) f.refuse("TSG1117", node);
    const written = assignedMember(f, node);
    if (written !== null && isDict(written.expression) && !isOwnKey(written.key))
      f.refuse("TSG1120", node, f.textOf(written.expression));
    f.api.forEachChild(node, visit);
  };
  visit(body);
}

interface MethodCalled {
  readonly expression: ts.Expression;
  readonly method: string;
  readonly argument: ts.Expression | undefined;
}

function methodCalled({ api }: Frame, node: ts.Node): MethodCalled | null {
  if (!api.isCallExpression(node) || !api.isPropertyAccessExpression(node.expression)) return null;
  const { expression, name } = node.expression;
  return { expression, method: name.text, argument: node.arguments[0] };
}

/** `m.delete(k)`, `m.clear()`, and `m.set(k, v)` unless k is the loop's key. */
const changesKeys = (
  { method, argument }: MethodCalled,
  isOwnKey: (node: ts.Expression | undefined) => boolean,
): boolean =>
  method === "delete" || method === "clear" || (method === "set" && !isOwnKey(argument));

/** `r[k]` or `r.k`; the latter has no `key`. */
interface Member {
  readonly expression: ts.Expression;
  readonly key?: ts.Expression;
}

function member(f: Frame, node: ts.Expression): Member | null {
  const place = bare(node, f.api);
  if (f.api.isElementAccessExpression(place))
    return { expression: place.expression, key: place.argumentExpression };
  return f.api.isPropertyAccessExpression(place) ? { expression: place.expression } : null;
}

/** The target of an assignment. */
function assignedMember(f: Frame, node: ts.Node): Member | null {
  const { SyntaxKind } = f.api;
  return f.api.isBinaryExpression(node) &&
    node.operatorToken.kind >= SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= SyntaxKind.LastAssignment
    ? member(f, node.left)
    : null;
}
