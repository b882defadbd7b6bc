// Lowers array and object literals and template strings. Input: the literal.
// Output: a fresh aggregate, or a leaf. A literal has the type that its context expects.

import type ts from "typescript";
import { field } from "../../ir/build.ts";
import type { ArrayPart, Atom, Field, Type } from "../../ir/types.ts";
import { isLiteral } from "../../ir/shadow.ts";
import { lowerDictLiteral } from "../builtins/dict.ts";
import { iterableAsArray } from "../builtins/iterate.ts";
import { classNameOf } from "../classes/class-declarations.ts";
import { STRING, str, verbatim } from "../coerce.ts";
import { inner, asserted, type Frame } from "../frame.ts";
import { mayAssign } from "../assignments.ts";
import { lowerExpr } from "../lowering.ts";
import { declaredName, refusePrototype } from "./property-names.ts";
import { Fields, spreadFields } from "./spread-fields.ts";
import { spreadChoice } from "./spread-choice.ts";
import { lowerSpreadOfUnion } from "./spread-variants.ts";
import { lowerStored } from "../functions/function-tags.ts";
import { hasAny, literalType, typeOfLastUse } from "./expected-types.ts";

export function lowerArrayLiteral(f: Frame, node: ts.ArrayLiteralExpression, wanted: string): Atom {
  const { api } = f;
  const type = arrayLiteralType(f, node);
  const shape = f.shape(type);
  if (shape.kind === "tuple") return lowerTupleLiteral(f, node, type, shape.elems, wanted);
  if (shape.kind !== "array") {
    const shown = f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(node));
    return f.refuse("TSG1201", node, `array literal of type \`${shown}\``);
  }
  const parts = node.elements.map((element, at): ArrayPart => {
    if (api.isOmittedExpression(element))
      return f.refuse("TSG1201", node, "array literal with holes");
    if (!api.isSpreadElement(element))
      return { atom: asserted(f, lowerExpr(f, element), shape.elem), spread: false };
    return spreadPart(f, element, node.elements.slice(at + 1));
  });
  return f.let(wanted, type, { kind: "array", parts });
}

/** `...xs`. Later operands may change the array, so it is copied before they run. */
export function spreadPart(
  f: Frame,
  element: ts.SpreadElement,
  later: readonly ts.Expression[],
): ArrayPart {
  const array = iterableAsArray(f, element.expression);
  return {
    atom:
      !array.fresh && later.some((other) => mayAssign(f.api, other))
        ? copyOf(f, array.atom)
        : array.atom,
    spread: true,
  };
}

const copyOf = (f: Frame, array: Atom): Atom =>
  f.let("t", array.type, {
    kind: "slice",
    object: array,
    from: { kind: "const", type: { kind: "num" }, value: 0 },
    to: null,
  });

function arrayLiteralType(f: Frame, node: ts.ArrayLiteralExpression): Type {
  const { api } = f;
  if (hasAny(f, f.ctx.checker.getTypeAtLocation(node))) {
    const declaration = api.findAncestor(
      node,
      (at) => !api.isParenthesizedExpression(at) && !api.isAsExpression(at) && at !== node,
    );
    if (
      declaration !== undefined &&
      api.isVariableDeclaration(declaration) &&
      declaration.type === undefined &&
      api.isIdentifier(declaration.name)
    ) {
      const later = typeOfLastUse(f, declaration.name);
      if (later !== null) return later;
    }
  }
  return literalType(f, node, ["array", "tuple"]);
}

function lowerTupleLiteral(
  f: Frame,
  node: ts.ArrayLiteralExpression,
  type: Type,
  elems: readonly Type[],
  wanted: string,
): Atom {
  const { api } = f;
  const atoms = node.elements.flatMap((element): Atom[] => {
    if (!api.isSpreadElement(element)) return [lowerExpr(f, element)];
    const source = lowerExpr(f, element.expression);
    const shape = f.shape(source.type);
    if (shape.kind !== "tuple" || shape.always !== undefined)
      return f.refuse("TSG1201", element, "spread of an array into a tuple");
    return shape.elems.map((elem, at) => f.b.load("t", elem, source, field(String(at))));
  });
  // the contextual type of an assignment pattern has holes and defaults: no type to allocate
  const shape = f.shape(type);
  const always = shape.kind === "tuple" ? (shape.always ?? elems.length) : elems.length;
  const isOpen =
    atoms.length < always ||
    atoms.length > elems.length ||
    elems.some(
      (elem, at) =>
        f.shape(elem).kind === "leaf" && f.shape(atoms[at]?.type ?? elem).kind !== "leaf",
    );
  return f.let(wanted, isOpen ? { kind: "tuple", elems: atoms.map((atom) => atom.type) } : type, {
    kind: "tuple",
    elems: atoms,
  });
}

// ------------------------------------------------------------------------------------ objects

export function lowerObjectLiteral(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  wanted: string,
): Atom {
  const dict = literalType(f, node, ["dict"]);
  if (f.shape(dict).kind === "dict") return lowerDictLiteral(f, node, inner(f, dict), wanted);
  return (
    lowerSpreadOfUnion(
      f,
      node,
      () => inner(f, literalType(f, node, null)),
      wanted,
      (type, as) => lowerRecordLiteral(f, node, as, type),
    ) ?? lowerRecordLiteral(f, node, wanted)
  );
}

/** `member`: the union member that the literal is, if known. */
function lowerRecordLiteral(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  wanted: string,
  member: Type | null = null,
): Atom {
  const { api } = f;
  const fields = new Fields();
  const shape = f.shape(member ?? literalType(f, node, ["record"]));
  const placeOf = (name: string): Type | null =>
    shape.kind === "record"
      ? (shape.fields.find((each) => each.name === name)?.type ?? null)
      : null;
  for (const property of node.properties) {
    f.at(property, () => {
      if (api.isSpreadAssignment(property))
        return spreadChoice(f, property, fields) ? undefined : spreadFields(f, property, fields);
      refusePrototype(f, property);
      const name = propertyName(f, property);
      const value = api.isPropertyAssignment(property)
        ? property.initializer
        : api.isShorthandPropertyAssignment(property)
          ? property.name
          : null;
      const place = placeOf(name);
      if (value !== null)
        return void fields.set(name, asserted(f, lowerStored(f, value, "t", place), place));
      if (api.isMethodDeclaration(property)) return f.refuse("TSG1124", property, name);
      return f.refuse("TSG1116", property, name);
    });
  }
  refuseAccessors(f, node, fields);
  const type = objectType(f, node, fields, member ?? literalType(f, node, ["record"]));
  return f.let(wanted, type, fields.record());
}

/** `const square: Square = { s, area: 2 }` with a getter `area`: readers expect an accessor. */
function refuseAccessors(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  fields: ReadonlyMap<string, Atom>,
): void {
  const wanted = f.ctx.checker.getContextualType(node);
  const { classes } = f.ctx;
  const owner = wanted === undefined ? null : classes.ofType(wanted);
  const accessor =
    owner === null ? undefined : [...fields.keys()].find((name) => classes.isAccessor(owner, name));
  if (owner !== null && accessor !== undefined)
    f.refuse("TSG1116", node, `${classNameOf(owner, f.api)}.${accessor}`);
}

/** The expected type, if the literal has exactly its fields; else the literal's own record type. */
function objectType(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  fields: ReadonlyMap<string, Atom>,
  type: Type,
): Type {
  const shape = f.shape(type);
  const isWhole =
    shape.kind === "record" &&
    shape.fields.every((each) => fields.has(each.name) || f.shape(each.type).kind === "opt");
  // in a generic function, values determine the type parameters
  const isOpen =
    shape.kind === "record" &&
    shape.fields.some(
      (each) => isOpaque(each.type) && !isOpaque(fields.get(each.name)?.type ?? each.type),
    );
  // a literal is no class instance
  const isInstance = f.ctx.classOf(type) !== null;
  if (
    isWhole &&
    !isOpen &&
    !isInstance &&
    [...fields.keys()].every((name) => shape.fields.some((each) => each.name === name))
  )
    return asMember(f, node, type);
  const own: Field[] = [...fields].map(([name, value]) => ({
    name,
    type: shape.kind === "record" ? (tagOf(shape.fields, name) ?? value.type) : value.type,
  }));
  return {
    kind: "record",
    fields: own,
    ...(own.some((each) => isTextOrTruth(each.type)) ? { tagged: true } : {}),
  };
}

/** Marks a literal with a discriminant field: it may become the member of a union later. */
function asMember(f: Frame, node: ts.ObjectLiteralExpression, type: Type): Type {
  if (
    type.kind !== "record" ||
    !(f.api.isVariableDeclaration(node.parent) || f.api.isConditionalExpression(node.parent))
  )
    return type;
  return type.fields.some((each) => isTextOrTruth(each.type)) ? { ...type, tagged: true } : type;
}

const isOpaque = (type: Type): boolean => type.kind === "leaf" && type.opaque === true;

/** A string or boolean literal type, which discriminates union members. */
const isTextOrTruth = (type: Type): boolean =>
  isLiteral(type) && (type.kind === "bool" || (type.kind === "leaf" && type.text.startsWith('"')));

/** The literal type of a field; null without one. */
function tagOf(fields: readonly Field[], name: string): Type | null {
  const type = fields.find((each) => each.name === name)?.type;
  return type !== undefined && isLiteral(type) ? type : null;
}

function propertyName(f: Frame, property: ts.ObjectLiteralElementLike): string {
  return (
    (property.name === undefined ? null : declaredName(f.api, property.name, f.ctx.checker)) ??
    f.refuse("TSG1202", property, f.textOf(property))
  );
}

export function lowerTemplate(f: Frame, node: ts.TemplateExpression, wanted: string): Atom {
  const args = node.templateSpans.map((span) => lowerExpr(f, span.expression));
  const text = [node.head.getText(), ...node.templateSpans.map((span) => span.literal.getText())];
  if (text.length === 1) return str(node.head.text);
  return verbatim(f, wanted, templateType(f, node), text, args);
}

/** The template literal type `w:${string}` where one is expected, or `as const`; else string. */
function templateType(f: Frame, node: ts.TemplateExpression): Type {
  const { api } = f;
  const { checker } = f.ctx;
  const { TypeFlags, TypeFormatFlags } = api;
  const isOfShape = (type: ts.Type | undefined): type is ts.Type =>
    type !== undefined &&
    (type.isUnion() ? type.types : [type]).every(
      ({ flags }) => (flags & TypeFlags.TemplateLiteral) !== 0,
    );
  const asked =
    api.isAsExpression(node.parent) && api.isConstTypeReference(node.parent.type)
      ? checker.getTypeAtLocation(node)
      : checker.getContextualType(node);
  return isOfShape(asked)
    ? {
        kind: "leaf",
        text: checker.typeToString(
          asked,
          undefined,
          TypeFormatFlags.NoTruncation | TypeFormatFlags.InTypeAlias,
        ),
      }
    : STRING;
}
