// What `Object` does with the fields of records: `keys`, `values`, `entries`, `assign`, and `for … in`. In: the call. Out: its value.
// Invariant: which fields there are and in which order, the object says when the program runs; a field that its type does not list ends in an exception,
// never in a derivative that lacks it.

import type ts from "typescript";
import { BOOL, bool, NUM, field, index } from "../../ir/build.ts";
import type { Atom, Field, Type, Var } from "../../ir/types.ts";
import { lowerValues } from "../calls.ts";
import { externCall, inert, inner, isNullish, sameValue, str, STRING, unwrap } from "../coerce.ts";
import { isMutable } from "../effects.ts";
import { emitFor } from "../control/emit-loop.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { literalType } from "../objects/literals.ts";
import { requireListable, sameType } from "../objects/places.ts";
import { opened } from "../resolve.ts";
import { addFields, Fields, isExact, isIn, optionalTypeOf } from "../objects/spread-fields.ts";
import { entriesOf } from "./dict.ts";
import { initial } from "./iterate.ts";

type Shape = Type & { readonly kind: "record" };

/** `Object.keys(m)` and its like, and the fields of a literal in the order in which it was written. */
export function fieldsOf(f: Frame, path: string, node: ts.CallExpression, wanted: string): Atom {
  const [argument] = node.arguments;
  if (argument !== undefined && copiesOpen(f, argument))
    return f.refuse("TSG1202", node, f.textOf(node));
  const object =
    argument === undefined
      ? f.refuse("TSG1211", node, path, "no arguments")
      : unwrap(f, lowerExpr(f, argument));
  const shape = f.shape(object.type);
  if (shape.kind === "dict") return entriesOf(f, path, object, shape, wanted);
  if (shape.kind !== "record") return f.refuse("TSG1202", node, f.textOf(node));
  if (
    !isExactLiteral(f, argument) ||
    shape.fields.some((each) => f.shape(each.type).kind === "opt")
  )
    return fieldsNow(f, path, node, object, shape, wanted);
  const load = (each: Field): Atom =>
    f.let("t", each.type, { kind: "load", object, key: field(each.name) });
  const type = literalType(f, node, ["array"]);
  const parts = shape.fields.map((each): Atom => {
    if (path === "Object.keys") return str(each.name);
    if (path === "Object.values") return load(each);
    return f.let(
      "t",
      { kind: "tuple", elems: [STRING, each.type] },
      { kind: "tuple", elems: [str(each.name), load(each)] },
    );
  });
  return f.let(wanted, type, {
    kind: "array",
    parts: parts.map((atom) => ({ atom, spread: false })),
  });
}

/** Field order and absence of others are known only of an object that a literal of this function made. */
function isExactLiteral(f: Frame, node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (f.api.isObjectLiteralExpression(node)) return true;
  const declaration = declarationOf(f, node);
  return (
    declaration !== null &&
    declaration.type === undefined &&
    declaration.initializer !== undefined &&
    f.api.isObjectLiteralExpression(declaration.initializer)
  );
}

/** Whether it is `{ ...m }` of an object that may have more fields than its type lists: the copy is made of those that are listed. */
export function copiesOpen(f: Frame, node: ts.Expression): boolean {
  const literal = literalOf(f, node);
  const isOpen = (from: ts.Expression): boolean =>
    literalOf(f, from) === null
      ? f.shape(inner(f, f.ctx.typeOf(from))).kind !== "dict"
      : copiesOpen(f, from);
  return (
    literal?.properties.some(
      (property) => f.api.isSpreadAssignment(property) && isOpen(property.expression),
    ) === true
  );
}

/** The literal that an expression is, or that its variable is. */
function literalOf(f: Frame, expression: ts.Expression): ts.ObjectLiteralExpression | null {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isObjectLiteralExpression(node)) return node;
  const initialiser = declarationOf(f, node)?.initializer;
  return initialiser === undefined ? null : literalOf(f, initialiser);
}

/** What declares a variable that is never assigned again. */
function declarationOf(f: Frame, node: ts.Expression): ts.VariableDeclaration | null {
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const declaration = symbol?.valueDeclaration;
  return symbol !== null &&
    declaration !== undefined &&
    f.api.isVariableDeclaration(declaration) &&
    !isMutable(f, symbol)
    ? declaration
    : null;
}

/** The names of the fields that the object has now. */
export const namesOf = (f: Frame, object: Atom): Var =>
  inert(
    f,
    "keys",
    { kind: "array", store: "Array", elem: STRING },
    ["Object.keys(", ")"],
    [object],
  );

function fieldsNow(
  f: Frame,
  path: string,
  node: ts.CallExpression,
  object: Atom,
  shape: Shape,
  wanted: string,
): Atom {
  if (path === "Object.keys") return namesOf(f, object);
  const [first, ...others] = shape.fields;
  if (first === undefined || !others.every((other) => sameType(other.type, first.type)))
    return f.refuse("TSG1202", node, f.textOf(node));
  const keys = namesOf(f, object);
  const length = f.let("t", NUM, { kind: "length", object: keys });
  const pair: Type = { kind: "tuple", elems: [STRING, first.type] };
  const result = f.let(
    wanted,
    { kind: "array", store: "Array", elem: path === "Object.values" ? first.type : pair },
    { kind: "alloc", length, fill: null },
  );
  emitFor(f, f.label("loop"), length, (at) => {
    const key = f.let("key", STRING, { kind: "load", object: keys, key: index(at) });
    const value = fieldNamed(f, object, shape.fields, key, first.type);
    initial(
      f,
      result,
      at,
      path === "Object.values" ? value : f.let("t", pair, { kind: "tuple", elems: [key, value] }),
    );
  });
  return result;
}

function fieldNamed(f: Frame, object: Atom, fields: readonly Field[], key: Atom, type: Type): Atom {
  const [first, ...rest] = fields;
  if (first === undefined) {
    throwUnlisted(f);
    return { kind: "undef", type };
  }
  const load = (): Atom => f.let("t", type, { kind: "load", object, key: field(first.name) });
  return f.choose("t", type, sameValue(f, "===", key, str(first.name)), load, () =>
    fieldNamed(f, object, rest, key, type),
  );
}

/** Throws where a key is none of the fields that the type lists: code behind it would take it for one of them. */
export function requireListed(f: Frame, fields: readonly Field[], key: Atom): void {
  const [first, ...rest] = fields.map((each) => sameValue(f, "===", key, str(each.name)));
  if (first === undefined) return throwUnlisted(f);
  const known = rest.reduce<Atom>(
    (any, one) => f.let("t", BOOL, { kind: "op", op: "or", args: [any, one] }),
    first,
  );
  f.when(
    known,
    () => {},
    () => throwUnlisted(f),
  );
}

function throwUnlisted(f: Frame): void {
  f.b.emit({
    kind: "throw",
    value: externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [
      str("tsgrad: an object has a field that its type does not list"),
    ]),
  });
}

/** `Object.assign(m, part)`: each field in turn; into a fresh literal, the fields of all together. */
export function assignFields(
  f: Frame,
  node: ts.CallExpression,
  wanted: string,
  unused: boolean,
): Atom | null {
  const [first, ...others] = node.arguments;
  const [target, ...sources] = lowerValues(f, node);
  if (target === undefined || first === undefined)
    return f.refuse("TSG1211", node, "Object.assign", "no arguments");
  if (sources.length !== others.length) return f.refuse("TSG1203", node, "Object.assign");
  requireListable(f, target, node);
  const own = f.shape(target.type);
  const isFresh = f.api.isObjectLiteralExpression(opened(f, first));
  const fields = new Fields();
  const parts = sources.map((source, i) => ({ source, from: others[i] ?? node }));
  if (own.kind !== "record" || (unused && isFresh))
    return f.refuse("TSG1203", node, "Object.assign");
  const isWhole = parts.every(({ source }) => isNullish(source) || areFieldsOf(f, source, own));
  if (isWhole) {
    for (const { source, from } of parts)
      if (!isNullish(source)) assignAll(f, target, source, from);
    askOfUnlisted(f, own, parts);
    return unused ? null : target;
  }
  if (!isFresh) return f.refuse("TSG1203", node, "Object.assign");
  for (const each of own.fields)
    fields.set(
      each.name,
      f.let("t", each.type, { kind: "load", object: target, key: field(each.name) }),
    );
  for (const { source, from } of parts)
    if (!isNullish(source) && !addFields(f, source, from, fields, "t"))
      f.refuse("TSG1203", node, "Object.assign");
  return f.let(
    wanted,
    { kind: "record", fields: [...fields].map(([name, { type }]) => ({ name, type })) },
    fields.record(),
  );
}

/** A literal that nobody reads: what is assigned may have fields that its type does not list, which is asked where literals have such things spread into them (excess-properties.ts). */
function askOfUnlisted(
  f: Frame,
  own: Shape,
  parts: readonly { readonly source: Atom; readonly from: ts.Expression }[],
): void {
  const fields = new Fields();
  for (const each of own.fields) fields.set(each.name, bool(false));
  for (const { source, from } of parts) {
    const shape = f.shape(source.type);
    if (!isNullish(source) && shape.kind === "record" && !isExact(f, from))
      fields.spread(source.type, shape.fields);
  }
  const asked = fields.record();
  if (asked.copies !== undefined)
    f.let(
      "t",
      { kind: "record", fields: own.fields.map(({ name }) => ({ name, type: BOOL })) },
      asked,
    );
}

/** Whether an object that is there has no fields but those of another one. */
function areFieldsOf(f: Frame, source: Atom, own: Type & { readonly kind: "record" }): boolean {
  const shape = f.shape(source.type);
  return (
    shape.kind === "record" &&
    shape.fields.every(({ name }) => own.fields.some((each) => each.name === name))
  );
}

function assignAll(f: Frame, target: Atom, source: Atom, from: ts.Expression): void {
  const own = f.shape(target.type);
  const given = f.shape(source.type);
  requireListable(f, source, from);
  for (const each of given.kind === "record" ? given.fields : []) {
    const type = optionalTypeOf(f, from, each);
    const load = (as: Type): Atom =>
      f.let("t", as, { kind: "load", object: source, key: field(each.name) });
    const into =
      own.kind === "record"
        ? (own.fields.find(({ name }) => name === each.name)?.type ?? each.type)
        : each.type;
    if (type === null) f.b.store(target, field(each.name), load(each.type));
    else
      f.when(isIn(f, each.name, source), () =>
        f.b.store(
          target,
          field(each.name),
          into.kind === "opt" ? load(type) : unwrap(f, load(type)),
        ),
      );
  }
}
