// Lowers array and object literals and template strings. In: the literal. Out: a fresh aggregate, or a leaf.
// Invariant: a literal has the type that its context wants of it where it has one, so that all values of a place have one type.

import type ts from "typescript";
import { field } from "../../ir/build.ts";
import type { ArrayPart, Atom, Field, Nil, Type } from "../../ir/types.ts";
import { isLiteral } from "../../ir/shadow.ts";
import { lowerDictLiteral } from "../builtins/dict.ts";
import { iterableAsArray } from "../builtins/iterate.ts";
import { classNameOf } from "../classes/classes.ts";
import { asserted, inner, STRING, str, verbatim } from "../coerce.ts";
import { mayAssign } from "../effects.ts";
import { lowerExpr } from "../expression.ts";
import type { TypeScript } from "../context.ts";
import { declaredName } from "./property-names.ts";
import { Fields, spreadFields } from "./spread-fields.ts";
import { spreadChoice } from "./spread-choice.ts";
import { lowerByMember } from "./spread-variants.ts";
import type { Frame } from "../frame.ts";
import { lowerStored } from "../functions/held-functions.ts";
import { hasAny, typeOfLastUse } from "./patterns.ts";
import { isWrapper } from "../unwrap.ts";

/** IR type of what an expression makes: what its context expects, where that is an aggregate; `null` kinds accept any. */
export function literalType(
  f: Frame,
  node: ts.Expression,
  kinds: readonly Type["kind"][] | null,
): Type {
  const { api, ctx } = f;
  const own = ctx.checker.getTypeAtLocation(node);
  const expected =
    own.flags & (api.TypeFlags.Object | api.TypeFlags.Union) ? contextualType(f, node) : undefined;
  const aggregate = expected === undefined ? undefined : ctx.checker.getNonNullableType(expected);
  const mayMiss =
    own.isUnion() &&
    own.types.some((part) => part.flags & (api.TypeFlags.Undefined | api.TypeFlags.Null));
  if (
    aggregate !== undefined &&
    aggregate.flags & api.TypeFlags.Object &&
    !isVague(f, aggregate, 3)
  ) {
    const type = ctx.typeFrom(aggregate, node);
    const kind = f.shape(type).kind;
    if (kinds === null ? kind !== "leaf" : kinds.includes(kind))
      return mayMiss ? { kind: "opt", of: type, nil: nilOf(f, own) } : type;
  }
  if (aggregate?.isUnion() === true) {
    const type = unionType(f, node, aggregate, own, kinds);
    if (type !== null) return mayMiss ? { kind: "opt", of: type, nil: nilOf(f, own) } : type;
  }
  return ctx.typeOf(node);
}

export function contextualType(f: Frame, node: ts.Expression): ts.Type | undefined {
  const mapped = otherSide(f, node) ?? mappedType(f, node);
  return mapped !== undefined && !isVague(f, mapped, 3)
    ? mapped
    : f.ctx.checker.getContextualType(node);
}

/** Of `const [a = 0] = x ?? []` what `x` is: TypeScript expects what the pattern asks for, a pair or a record of fewer fields, and gives the literal that type. */
function otherSide(f: Frame, node: ts.Expression): ts.Type | undefined {
  const {
    api,
    ctx: { checker },
  } = f;
  const sides = (of: ts.Expression): readonly ts.Expression[] => {
    if (isWrapper(of, api)) return sides(of.expression);
    if (api.isConditionalExpression(of)) return [...sides(of.whenTrue), ...sides(of.whenFalse)];
    return api.isBinaryExpression(of) && isEither(api, of)
      ? [...sides(of.left), ...sides(of.right)]
      : [of];
  };
  const isSide = (at: ts.Node): boolean =>
    isWrapper(at.parent, api) ||
    (api.isConditionalExpression(at.parent) && at.parent.condition !== at) ||
    (api.isBinaryExpression(at.parent) && isEither(api, at.parent));
  let whole: ts.Node = node;
  while (isSide(whole)) whole = whole.parent;
  const { parent } = whole;
  if (
    !api.isVariableDeclaration(parent) ||
    parent.initializer === undefined ||
    parent.type !== undefined ||
    api.isIdentifier(parent.name)
  )
    return undefined;
  const all = sides(parent.initializer);
  const said = all.find(
    (side) => !api.isArrayLiteralExpression(side) && !api.isObjectLiteralExpression(side),
  );
  return all.length < 2 || said === undefined || said === node
    ? undefined
    : checker.getNonNullableType(checker.getTypeAtLocation(said));
}

const isEither = (api: TypeScript, { operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  kind === api.SyntaxKind.QuestionQuestionToken || kind === api.SyntaxKind.BarBarToken;

/** Of what the callback of a `map` gives, and of what stands in that: what the list that is made is expected to hold. TypeScript itself expects there what the callback gives. */
function mappedType(f: Frame, node: ts.Expression): ts.Type | undefined {
  const {
    api,
    ctx: { checker },
  } = f;
  const { parent } = node;
  const elementOf = (list: ts.Type | undefined): ts.Type | undefined =>
    list !== undefined && checker.isArrayType(list)
      ? checker.getTypeArguments(list as ts.TypeReference)[0]
      : undefined; // arrays are references
  const call = mappedBy(api, node);
  if (call !== null) return elementOf(mappedType(f, call) ?? checker.getContextualType(call));
  if (api.isArrayLiteralExpression(parent)) return elementOf(mappedType(f, parent));
  if (!api.isPropertyAssignment(parent) || parent.initializer !== node) return undefined;
  const around = mappedType(f, parent.parent);
  const name = declaredName(api, parent.name, checker);
  const property =
    around === undefined || name === null
      ? undefined
      : checker.getPropertyOfType(checker.getNonNullableType(around), name);
  return property === undefined ? undefined : checker.getTypeOfSymbol(property);
}

/** The call of `map` or `from` whose callback gives the value. */
function mappedBy(api: TypeScript, node: ts.Expression): ts.CallExpression | null {
  const { parent } = node;
  if (isWrapper(parent, api)) return mappedBy(api, parent);
  const fn = api.isReturnStatement(parent) ? api.findAncestor(parent, api.isFunctionLike) : parent;
  if (
    fn === undefined ||
    !(api.isArrowFunction(fn) || api.isFunctionExpression(fn)) ||
    (api.isExpression(fn.body) && fn.body !== node)
  )
    return null;
  const call = fn.parent;
  return api.isCallExpression(call) &&
    call.arguments.includes(fn) &&
    api.isPropertyAccessExpression(call.expression) &&
    /^(?:map|from)$/.test(call.expression.name.text)
    ? call
    : null;
}

export function nilOf(f: Frame, type: ts.Type): Nil {
  const has = (flags: ts.TypeFlags): boolean =>
    (type.isUnion() ? type.types : [type]).some((part) => part.flags & flags);
  const { TypeFlags } = f.api;
  return !has(TypeFlags.Null)
    ? "undefined"
    : has(TypeFlags.Undefined | TypeFlags.Void)
      ? "both"
      : "null";
}

/** Where a union is expected: the member that a literal is, or the union itself where it is chosen while the program runs. */
function unionType(
  f: Frame,
  node: ts.Expression,
  union: ts.UnionType,
  own: ts.Type,
  kinds: readonly Type["kind"][] | null,
): Type | null {
  const type = f.ctx.typeFrom(union, node);
  if (f.shape(type).kind !== "union" || isVague(f, union, 3)) return null;
  if (kinds === null) return type;
  for (const member of union.types) {
    if (!f.ctx.checker.isTypeAssignableTo(own, member)) continue;
    const variant = f.ctx.typeFrom(member, node);
    if (kinds.includes(f.shape(variant).kind))
      return variant.kind === "record" ? { ...variant, tagged: true } : variant;
  }
  return null;
}

/** A type with `any` or a type parameter inside: what a destructuring pattern or a generic function expects says little. */
function isVague(f: Frame, type: ts.Type, depth: number): boolean {
  const { TypeFlags } = f.api;
  if (f.env.types.has(type)) return false;
  if (type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never | TypeFlags.TypeParameter))
    return true;
  if (depth === 0 || !(type.flags & (TypeFlags.Object | TypeFlags.Union))) return false;
  if (type.isUnion()) return type.types.some((part) => isVague(f, part, depth - 1));
  if (f.ctx.checker.isArrayType(type) || f.ctx.checker.isTupleType(type)) {
    return f.ctx.checker
      .getTypeArguments(type as ts.TypeReference)
      .some((part) => isVague(f, part, depth - 1)); // arrays and tuples are references
  }
  if (
    type.getCallSignatures().length > 0 ||
    type.symbol?.declarations?.some((each) => each.getSourceFile().isDeclarationFile) === true
  )
    return false;
  return type
    .getProperties()
    .some((property) => isVague(f, f.ctx.checker.getTypeOfSymbol(property), depth - 1));
}

export function lowerArrayLiteral(f: Frame, node: ts.ArrayLiteralExpression, wanted: string): Atom {
  const { api } = f;
  const type = arrayLiteralType(f, node);
  const shape = f.shape(type);
  if (shape.kind === "tuple") return lowerTupleLiteral(f, node, type, shape.elems, wanted);
  if (shape.kind !== "array")
    return f.refuse(
      "TSG1201",
      node,
      `array literal of type \`${f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(node))}\``,
    );
  const parts = node.elements.map((element, at): ArrayPart => {
    if (api.isOmittedExpression(element))
      return f.refuse("TSG1201", node, "array literal with holes");
    if (!api.isSpreadElement(element))
      return { atom: asserted(f, lowerExpr(f, element), shape.elem), spread: false };
    return spreadPart(f, element, node.elements.slice(at + 1));
  });
  return f.let(wanted, type, { kind: "array", parts });
}

/** `...xs`: it is read before what stands behind it runs. */
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
    return shape.elems.map((elem, at) =>
      f.let("t", elem, { kind: "load", object: source, key: field(String(at)) }),
    );
  });
  // a pattern on the left of `=` gives its holes and defaults as context, which is no type to make
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

// ---------------------------------------------------------------------------------------------------- objects

export function lowerObjectLiteral(
  f: Frame,
  node: ts.ObjectLiteralExpression,
  wanted: string,
): Atom {
  const dict = literalType(f, node, ["dict"]);
  if (f.shape(dict).kind === "dict") return lowerDictLiteral(f, node, inner(f, dict), wanted);
  return (
    lowerByMember(
      f,
      node,
      () => inner(f, literalType(f, node, null)),
      wanted,
      (type, as) => lowerRecordLiteral(f, node, as, type),
    ) ?? lowerRecordLiteral(f, node, wanted)
  );
}

/** `member`: the member of a union that it is to be, where it has its fields. */
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

/** `const square: Square = { s, area: 2 }`, where `area` is a getter: code that takes it for an instance reads the field. */
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

/** What the context wants, if the literal has its fields and no others (`{ ...m, ...{ w: 1 } }` wants only a part); else what the literal itself is. */
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
  // inside a generic function the values say what the type parameters are
  const isOpen =
    shape.kind === "record" &&
    shape.fields.some(
      (each) => isOpaque(each.type) && !isOpaque(fields.get(each.name)?.type ?? each.type),
    );
  // a literal is no instance
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

/** A literal on its own whose tag says what it is may become the member of a union later. */
function asMember(f: Frame, node: ts.ObjectLiteralExpression, type: Type): Type {
  if (
    type.kind !== "record" ||
    !(f.api.isVariableDeclaration(node.parent) || f.api.isConditionalExpression(node.parent))
  )
    return type;
  return type.fields.some((each) => isTextOrTruth(each.type)) ? { ...type, tagged: true } : type;
}

const isOpaque = (type: Type): boolean => type.kind === "leaf" && type.opaque === true;

/** A literal that tells the members of a union apart. */
const isTextOrTruth = (type: Type): boolean =>
  isLiteral(type) && (type.kind === "bool" || (type.kind === "leaf" && type.text.startsWith('"')));

/** The literal type of a field, where it has one. */
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

/** Where `w:${string}` is wanted, or said `as const`, that; anywhere else any text. */
function templateType(f: Frame, node: ts.TemplateExpression): Type {
  const {
    api,
    ctx: { checker },
  } = f;
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
