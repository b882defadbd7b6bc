// The type that the context of an expression expects, or that later uses give it.
// Input: an expression. Output: its IR type. With it, all values of one place have one type.

import type ts from "typescript";
import { isAssigned, isAssignment } from "../../syntax/assignments.ts";
import { isWrapper } from "../../syntax/wrappers.ts";
import type { Nil, Type } from "../../ir/types.ts";
import type { TypeScript } from "../typescript.ts";
import type { Frame } from "../frame.ts";
import { declaredName } from "./property-names.ts";

/** The expected type where it is an aggregate of one of `kinds`, else the expression's own type. */
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
  const type = aggregate === undefined ? null : expectedType(f, node, aggregate, own, kinds);
  if (type === null) return ctx.typeOf(node);
  const mayMiss =
    own.isUnion() &&
    own.types.some((part) => part.flags & (api.TypeFlags.Undefined | api.TypeFlags.Null));
  return mayMiss ? { kind: "opt", of: type, nil: nullishKind(f, own) } : type;
}

/** Null where the expected type says too little. */
function expectedType(
  f: Frame,
  node: ts.Expression,
  aggregate: ts.Type,
  own: ts.Type,
  kinds: readonly Type["kind"][] | null,
): Type | null {
  if (aggregate.flags & f.api.TypeFlags.Object && !isVague(f, aggregate, 3)) {
    const type = f.ctx.typeFrom(aggregate, node);
    const kind = f.shape(type).kind;
    if (kinds === null ? kind !== "leaf" : kinds.includes(kind)) return type;
  }
  return aggregate.isUnion() ? unionType(f, node, aggregate, own, kinds) : null;
}

export function contextualType(f: Frame, node: ts.Expression): ts.Type | undefined {
  const mapped = otherSide(f, node) ?? mappedType(f, node);
  return mapped !== undefined && !isVague(f, mapped, 3)
    ? mapped
    : f.ctx.checker.getContextualType(node);
}

/**
 * The type of the other operand in `const [a = 0] = x ?? []`. TypeScript would give the literal
 * the type that the pattern implies, which has fewer fields.
 */
function otherSide(f: Frame, node: ts.Expression): ts.Type | undefined {
  const { api } = f;
  const { checker } = f.ctx;
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

/**
 * The element type expected of a `map` call, for the result of its callback or a part of it.
 * TypeScript itself expects the callback's own result type there.
 */
function mappedType(f: Frame, node: ts.Expression): ts.Type | undefined {
  const { api } = f;
  const { checker } = f.ctx;
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

/** The call of `map` or `from` whose callback returns the expression. */
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

export function nullishKind(f: Frame, type: ts.Type): Nil {
  const has = (flags: ts.TypeFlags): boolean =>
    (type.isUnion() ? type.types : [type]).some((part) => part.flags & flags);
  const { TypeFlags } = f.api;
  return !has(TypeFlags.Null)
    ? "undefined"
    : has(TypeFlags.Undefined | TypeFlags.Void)
      ? "both"
      : "null";
}

/** The variant of an expected union that a literal is; the union for a run-time choice. */
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

/** Whether a type contains `any` or a type parameter: contexts of patterns and generic calls do. */
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
    type.getSymbol()?.declarations?.some((each) => each.getSourceFile().isDeclarationFile) === true
  )
    return false;
  return type
    .getProperties()
    .some((property) => isVague(f, f.ctx.checker.getTypeOfSymbol(property), depth - 1));
}

/** `any` or an array of it, whose type the checker infers from later assignments. */
export function hasAny(f: Frame, type: ts.Type): boolean {
  if (type.flags & f.api.TypeFlags.Any) return true;
  const element = f.ctx.checker.isArrayType(type)
    ? f.ctx.checker.getIndexInfosOfType(type)[0]?.type
    : undefined;
  return (
    element !== undefined && (hasAny(f, element) || (element.flags & f.api.TypeFlags.Never) !== 0)
  );
}

/** The type of a variable at its last use in the function, where it may hold all it is given. */
export function typeOfLastUse(f: Frame, name: ts.Identifier): Type | null {
  const { api } = f;
  const { checker } = f.ctx;
  const { Undefined, Null, Never } = api.TypeFlags;
  const symbol = f.symbolOf(name);
  let found: ts.Type | undefined;
  let given = 0;
  const give = (type: ts.Type | undefined): void => {
    for (const { flags } of type?.isUnion() === true ? type.types : [type ?? NONE]) given |= flags;
  };
  const walk = (node: ts.Node): void => {
    if (
      api.isIdentifier(node) &&
      node.text === name.text &&
      node !== name &&
      f.symbolOf(node) === symbol
    ) {
      if (isAssigned(node, api)) give(givenTo(f, node));
      const type = checker.getTypeAtLocation(node);
      if (!hasAny(f, type) && !(type.flags & (Undefined | Null | Never))) found = type;
    }
    api.forEachChild(node, walk);
  };
  const { parent } = name;
  if (api.isVariableDeclaration(parent) && parent.initializer !== undefined)
    give(checker.getTypeAtLocation(parent.initializer));
  walk(api.findAncestor(name, (at) => api.isFunctionLike(at)) ?? f.root);
  if (found === undefined) return null;
  const type = f.ctx.typeFrom(found, name);
  if ((given & (Undefined | Null)) === 0 || type.kind === "opt") return type;
  const nil = (given & Null) === 0 ? undefined : (given & Undefined) === 0 ? "null" : "both";
  return { kind: "opt", of: type, ...(nil === undefined ? {} : { nil }) };
}

const NONE = { flags: 0 };

/** What `x = e`, `for (x of e)`, `[x] = e` or `({ x } = e)` gives; undefined if not known. */
function givenTo(f: Frame, target: ts.Expression): ts.Type | undefined {
  const { api } = f;
  const { checker } = f.ctx;
  const { parent } = target;
  if (isAssignment(parent, api)) return checker.getTypeAtLocation(parent.right);
  if (api.isForOfStatement(parent))
    return checker.getIndexTypeOfType(
      checker.getTypeAtLocation(parent.expression),
      api.IndexKind.Number,
    );
  const isKeyed = api.isPropertyAssignment(parent) || api.isShorthandPropertyAssignment(parent);
  const pattern = isKeyed ? parent.parent : parent;
  if (!api.isArrayLiteralExpression(pattern) && !api.isObjectLiteralExpression(pattern))
    return undefined;
  const whole = givenTo(f, pattern);
  const key = isKeyed
    ? parent.name.getText()
    : api.isArrayLiteralExpression(pattern)
      ? String(pattern.elements.indexOf(target))
      : "";
  const part = whole?.getProperty(key);
  return part === undefined
    ? whole && checker.getIndexTypeOfType(whole, api.IndexKind.Number)
    : checker.getTypeOfSymbolAtLocation(part, target);
}
