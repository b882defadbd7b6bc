// Variables around a differentiated function that may hold an object of its arguments. In: the
// function and its call. Out: their names at the call, and whether the code compares objects.
// Functions of the same file that it mentions are followed.

import type ts from "typescript";
import { ownParameters } from "./lean.ts";

export interface OuterObjects {
  readonly names: readonly string[];
  readonly byIdentity: boolean;
}

interface Host {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
}

/** `places`: the requested arguments; null for all. `withFunctions`: which may hold any object. */
export function outerObjects(
  root: ts.FunctionLikeDeclaration,
  call: ts.Node,
  places: readonly number[] | null,
  host: Host,
  withFunctions = false,
): OuterObjects {
  const { ts: api, checker } = host;
  const given = ownParameters(root, api)
    .filter((_, k) => places?.includes(k) ?? true)
    .map((parameter) => checker.getTypeAtLocation(parameter));
  if (!given.some((type) => objectTypes(type, host).length > 0))
    return { names: [], byIdentity: false };
  const names = new Set<string>();
  const functions = new Set<ts.Node>([root]);
  let byIdentity = false;
  const isInside = (node: ts.Node): boolean =>
    api.findAncestor(node, (each) => functions.has(each)) !== undefined;
  const note = (name: string, type: ts.Type): void => {
    const isFunction = withFunctions && type.getCallSignatures().length > 0;
    if (isFunction || given.some((each) => mayShare(each, type, host))) names.add(name);
  };
  const visit = (node: ts.Node): void => {
    if (api.isTypeNode(node)) return;
    byIdentity ||= comparesObjects(node, host);
    if (node.kind === api.SyntaxKind.ThisKeyword && isOuterThis(node, root, api))
      note("this", checker.getTypeAtLocation(node));
    if (api.isIdentifier(node)) meet(node);
    api.forEachChild(node, visit);
  };
  const meet = (node: ts.Identifier): void => {
    const symbol = api.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    const declaration = symbol?.declarations?.[0];
    if (symbol === undefined || declaration === undefined) return;
    const isImport = (symbol.flags & api.SymbolFlags.Alias) !== 0;
    if (declaration.getSourceFile() !== call.getSourceFile()) return;
    const code = functionAt(declaration, api);
    if (code !== null) {
      if (functions.has(code) || isInside(code)) return;
      functions.add(code);
      visit(code);
    } else if (
      (isImport || isVariable(declaration, api)) &&
      !isInside(declaration) &&
      checker.resolveName(node.text, call, api.SymbolFlags.Value, false) === symbol
    )
      note(node.text, checker.getTypeAtLocation(node));
  };
  visit(root);
  return { names: [...names], byIdentity };
}

const isVariable = (node: ts.Node, api: typeof ts): boolean =>
  api.isVariableDeclaration(node) || api.isParameter(node) || api.isBindingElement(node);

/** The function that a declaration names. */
function functionAt(node: ts.Node, api: typeof ts): ts.Node | null {
  if (api.isFunctionDeclaration(node)) return node;
  const value = api.isVariableDeclaration(node) ? node.initializer : undefined;
  return value !== undefined && (api.isArrowFunction(value) || api.isFunctionExpression(value))
    ? value
    : null;
}

/** Whether `this` is that of the code around the function. */
function isOuterThis(node: ts.Node, root: ts.Node, api: typeof ts): boolean {
  const own = api.findAncestor(
    node,
    (each) => each === root || (api.isFunctionLike(each) && !api.isArrowFunction(each)),
  );
  return own === root && api.isArrowFunction(root);
}

/** `a === b`, `list.indexOf(a)`, `map.get(a)` of objects. */
function comparesObjects(node: ts.Node, { ts: api, checker }: Host): boolean {
  const isObject = (each: ts.Expression | undefined): boolean =>
    each !== undefined &&
    (checker.getNonNullableType(checker.getTypeAtLocation(each)).flags &
      (api.TypeFlags.Object | api.TypeFlags.Any | api.TypeFlags.Unknown)) !==
      0;
  if (api.isBinaryExpression(node))
    return (
      /^[!=]==?$/.test(node.operatorToken.getText()) && isObject(node.left) && isObject(node.right)
    );
  return (
    api.isCallExpression(node) &&
    api.isPropertyAccessExpression(node.expression) &&
    BY_IDENTITY.test(node.expression.name.text) &&
    isObject(node.arguments[0])
  );
}

const BY_IDENTITY = /^(?:indexOf|lastIndexOf|includes|has|get|set|add|delete|is)$/;

/** Whether an object of one type may be, or be in, one of the other. */
function mayShare(x: ts.Type, z: ts.Type, host: Host): boolean {
  const { checker } = host;
  const others = objectTypes(z, host);
  return objectTypes(x, host).some((one) =>
    others.some(
      (other) => checker.isTypeAssignableTo(one, other) || checker.isTypeAssignableTo(other, one),
    ),
  );
}

/** Below this depth a value may hold anything: generic types may grow without end. */
const DEEPEST = 6;

/** The types of objects with data in a value. */
function objectTypes(
  type: ts.Type,
  host: Host,
  depth = 0,
  found = new Set<ts.Type>(),
): readonly ts.Type[] {
  const { ts: api, checker } = host;
  if (found.has(type)) return [...found];
  if (depth > DEEPEST) return [...found.add(checker.getAnyType())];
  const constraint = type.isTypeParameter() ? checker.getBaseConstraintOfType(type) : undefined;
  if (constraint !== undefined && constraint !== type)
    return objectTypes(constraint, host, depth, found);
  if (type.isUnionOrIntersection()) {
    for (const part of type.types) objectTypes(part, host, depth, found);
    return [...found];
  }
  if (isUnknown(type, api)) found.add(type);
  if ((type.flags & api.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0)
    return [...found];
  found.add(type);
  for (const each of partsOf(type, checker)) objectTypes(each, host, depth + 1, found);
  return [...found];
}

const isUnknown = (type: ts.Type, { TypeFlags }: typeof ts): boolean =>
  (type.flags &
    (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive | TypeFlags.TypeParameter)) !==
  0;

/** The types of elements, type arguments and fields that the program declares. */
function partsOf(type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] {
  const index = type.getStringIndexType();
  const fields = type
    .getProperties()
    .filter(({ declarations = [] }) =>
      declarations.every((each) => !each.getSourceFile().isDeclarationFile),
    );
  return [
    ...checker.getTypeArguments(type as ts.TypeReference), // empty for other types
    ...(index === undefined ? [] : [index]),
    ...fields.map((property) => checker.getTypeOfSymbol(property)),
  ];
}
