// Lowers `Object.keys`, `values`, `entries`, `assign`, and supports `for … in` over records.
// The fields of an object and their order are read at run time.
// A field that the type does not list throws; a derivative would lack it.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, bool, field, index } from "../../ir/build.ts";
import type { Atom, Field, Type, Var } from "../../ir/types.ts";
import { lowerValues, lowerExpr } from "../lowering.ts";
import { externCall, inert, isNullish, equalityTest, str, STRING, unwrap } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { isMutable } from "../effects.ts";
import { emitFor } from "../control/emit-loop.ts";
import { literalType } from "../objects/expected-types.ts";
import { requireEnumerable } from "../objects/places.ts";
import { sameType } from "../objects/tuples.ts";
import {
  addFields,
  refuseUnsaid,
  Fields,
  isClosedLiteral,
  isIn,
  optionalTypeOf,
} from "../objects/spread-fields.ts";
import { entriesOf } from "./dict.ts";
import { initial } from "./iterate.ts";

type Shape = Type & { readonly kind: "record" };

/** `Object.keys(m)`, `values`, `entries`. Fields of a literal come in source order. */
export function fieldsOf(f: Frame, path: string, node: ts.CallExpression, hint: string): Atom {
  const [argument] = node.arguments;
  if (argument !== undefined && spreadsOpenType(f, argument))
    return f.refuse("TSG1202", node, f.textOf(node));
  const object =
    argument === undefined
      ? f.refuse("TSG1211", node, path, "no arguments")
      : unwrap(f, lowerExpr(f, argument));
  const shape = f.shape(object.type);
  if (shape.kind === "dict") return entriesOf(f, path, object, shape, hint);
  if (shape.kind !== "record") return f.refuse("TSG1202", node, f.textOf(node));
  if (
    !isExactLiteral(f, argument) ||
    shape.fields.some((each) => f.shape(each.type).kind === "opt")
  )
    return fieldsAtRunTime(f, path, node, object, hint);
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
  return f.let(hint, type, {
    kind: "array",
    parts: parts.map((atom) => ({ atom, spread: false })),
  });
}

/** Whether it is a literal, or a constant with one: only then is the order of fields known. */
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

/** Whether it is `{ ...m }` where m may have unlisted fields: the lowered copy would lack them. */
export function spreadsOpenType(f: Frame, node: ts.Expression): boolean {
  const literal = literalOf(f, node);
  const isOpen = (from: ts.Expression): boolean =>
    literalOf(f, from) === null
      ? f.shape(inner(f, f.ctx.typeOf(from))).kind !== "dict"
      : spreadsOpenType(f, from);
  return (
    literal?.properties.some(
      (property) => f.api.isSpreadAssignment(property) && isOpen(property.expression),
    ) === true
  );
}

/** The object literal that an expression is, or that initialises its variable. */
function literalOf(f: Frame, expression: ts.Expression): ts.ObjectLiteralExpression | null {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isObjectLiteralExpression(node)) return node;
  const initialiser = declarationOf(f, node)?.initializer;
  return initialiser === undefined ? null : literalOf(f, initialiser);
}

/** The declaration of a variable that is never reassigned. */
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

/** The object's own field names at run time. */
export const namesOf = (f: Frame, object: Atom): Var =>
  inert(
    f,
    "keys",
    { kind: "array", store: "Array", elem: STRING },
    ["Object.keys(", ")"],
    [object],
  );

function fieldsAtRunTime(
  f: Frame,
  path: string,
  node: ts.CallExpression,
  object: Atom,
  hint: string,
): Atom {
  if (path === "Object.keys") return namesOf(f, object);
  const shape = f.shape(object.type);
  const fields = shape.kind === "record" ? shape.fields : [];
  const [first, ...others] = fields;
  if (first === undefined || !others.every((other) => sameType(other.type, first.type)))
    return f.refuse("TSG1202", node, f.textOf(node));
  const keys = namesOf(f, object);
  const length = f.b.length(keys);
  const pair: Type = { kind: "tuple", elems: [STRING, first.type] };
  const result = f.let(
    hint,
    { kind: "array", store: "Array", elem: path === "Object.values" ? first.type : pair },
    { kind: "alloc", length, fill: null },
  );
  emitFor(f, f.label("loop"), length, (at) => {
    const key = f.let("key", STRING, { kind: "load", object: keys, key: index(at) });
    const value = fieldNamed(f, object, fields, key, first.type);
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
  return f.choose("t", type, equalityTest(f, "===", key, str(first.name)), load, () =>
    fieldNamed(f, object, rest, key, type),
  );
}

/** Emits a throw unless the key is a listed field; later code relies on that. */
export function requireListed(f: Frame, fields: readonly Field[], key: Atom): void {
  const [first, ...rest] = fields.map((each) => equalityTest(f, "===", key, str(each.name)));
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

/** `Object.assign(m, part)` stores each field; into a literal, it allocates the merged record. */
export function assignFields(
  f: Frame,
  node: ts.CallExpression,
  hint: string,
  unused: boolean,
): Atom | null {
  const [first, ...others] = node.arguments;
  const [target, ...sources] = lowerValues(f, node);
  if (target === undefined || first === undefined)
    return f.refuse("TSG1211", node, "Object.assign", "no arguments");
  if (sources.length !== others.length) return f.refuse("TSG1203", node, "Object.assign");
  for (const [i, source] of sources.entries()) refuseUnsaid(f, source, others[i] ?? node);
  requireEnumerable(f, target, node);
  const own = f.shape(target.type);
  const isFresh = f.api.isObjectLiteralExpression(bare(first, f.api));
  const parts = sources.map((source, i) => ({ source, from: others[i] ?? node }));
  if (own.kind !== "record" || (unused && isFresh))
    return f.refuse("TSG1203", node, "Object.assign");
  const isWhole = parts.every(({ source }) => isNullish(source) || areFieldsOf(f, source, own));
  if (isWhole) {
    for (const { source, from } of parts)
      if (!isNullish(source)) assignAll(f, target, source, from);
    checkExcess(f, own, parts);
    return unused ? null : target;
  }
  return isFresh
    ? mergedRecord(f, node, target, parts, hint)
    : f.refuse("TSG1203", node, "Object.assign");
}

/** A source of `Object.assign`. */
interface Part {
  readonly source: Atom;
  readonly from: ts.Expression;
}

function mergedRecord(
  f: Frame,
  node: ts.CallExpression,
  target: Atom,
  parts: readonly Part[],
  hint: string,
): Atom {
  const own = f.shape(target.type);
  const fields = new Fields();
  for (const { name, type } of own.kind === "record" ? own.fields : [])
    fields.set(name, f.let("t", type, { kind: "load", object: target, key: field(name) }));
  for (const { source, from } of parts)
    if (!isNullish(source) && !addFields(f, source, from, fields, "t"))
      f.refuse("TSG1203", node, "Object.assign");
  return f.let(
    hint,
    { kind: "record", fields: [...fields].map(([name, { type }]) => ({ name, type })) },
    fields.record(),
  );
}

/** Emits an unused record that spreads the sources: types/excess-properties.ts checks it. */
function checkExcess(f: Frame, own: Shape, parts: readonly Part[]): void {
  const fields = new Fields();
  for (const each of own.fields) fields.set(each.name, bool(false));
  for (const { source, from } of parts) {
    const shape = f.shape(source.type);
    if (!isNullish(source) && shape.kind === "record" && !isClosedLiteral(f, from))
      fields.spread(source.type, shape.fields);
  }
  const checked = fields.record();
  if (checked.copies !== undefined)
    f.let(
      "t",
      { kind: "record", fields: own.fields.map(({ name }) => ({ name, type: BOOL })) },
      checked,
    );
}

/** Whether all listed fields of a source are fields of the target. */
function areFieldsOf(f: Frame, source: Atom, own: Shape): boolean {
  const shape = f.shape(source.type);
  return (
    shape.kind === "record" &&
    shape.fields.every(({ name }) => own.fields.some((each) => each.name === name))
  );
}

function assignAll(f: Frame, target: Atom, source: Atom, from: ts.Expression): void {
  const own = f.shape(target.type);
  const given = f.shape(source.type);
  requireEnumerable(f, source, from);
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
