// Classifies types of arrays and records. In: a type. Out: whether its values are primitives,
// arrays or objects of data properties. Invariant: arrays aside, types of libraries and packages do
// not count, because they may have accessors.

import type ts from "typescript";

export const isArray = (type: ts.Type, checker: ts.TypeChecker): boolean =>
  (type.isUnion() ? type.types : [type]).every(
    (member) => checker.isArrayType(member) || checker.isTupleType(member),
  );

/** Whether the value itself is data, whatever it contains. */
export function isData(type: ts.Type, api: typeof ts, checker: ts.TypeChecker): boolean {
  if (type.isUnionOrIntersection())
    return type.types.every((member) => isData(member, api, checker));
  const f = api.TypeFlags;
  if (
    (type.flags &
      (f.StringLike |
        f.NumberLike |
        f.BooleanLike |
        f.BigIntLike |
        f.Null |
        f.Undefined |
        f.Void)) !==
    0
  )
    return true;
  return (
    (type.flags & f.Object) !== 0 &&
    (checker.isArrayType(type) || checker.isTupleType(type) || isRecord(type, api))
  );
}

/** Whether it is an object of fields that the program's own types describe. */
export function isRecord(type: ts.Type, api: typeof ts): boolean {
  const declarations = type.getSymbol()?.declarations ?? [];
  if (
    declarations.length === 0 ||
    type.getCallSignatures().length > 0 ||
    type.getConstructSignatures().length > 0
  )
    return false;
  if (
    !declarations.every(
      (node) =>
        api.isInterfaceDeclaration(node) ||
        api.isTypeLiteralNode(node) ||
        api.isObjectLiteralExpression(node),
    )
  )
    return false;
  return (
    [
      ...declarations,
      ...type.getProperties().flatMap((property) => property.declarations ?? []),
    ].every((node) => !node.getSourceFile().isDeclarationFile) &&
    type
      .getProperties()
      .every(({ flags }) => (flags & (api.SymbolFlags.Accessor | api.SymbolFlags.Method)) === 0)
  );
}

/** Deeper types count as recursive: `interface Box<T> { next: Box<T[]> }` has no end. */
const DEEPEST = 30;

/** Whether the value and all its contents are data. Recursive types are not. */
export function holdsData(
  type: ts.Type,
  at: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
): boolean {
  /** By type; false while its contents are searched, since it holds itself then. */
  const known = new Map<ts.Type, boolean>();
  const holds = (one: ts.Type, depth: number): boolean => {
    const before = known.get(one);
    if (before !== undefined) return before;
    known.set(one, false);
    const found =
      depth < DEEPEST &&
      isData(one, api, checker) &&
      partsOf(one, at, api, checker).every((part) => holds(part, depth + 1));
    known.set(one, found);
    return found;
  };
  return holds(type, 0);
}

/** The members of a union, and the contents of an object. */
function partsOf(
  type: ts.Type,
  at: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  if (type.isUnionOrIntersection()) return type.types;
  return (type.flags & api.TypeFlags.Object) === 0 ? [] : contentsOf(type, at, api, checker);
}

/** Depth of nested objects in data, at most. */
export function depthOf(
  type: ts.Type,
  at: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
): number {
  const known = new Map<ts.Type, number>();
  const depth = (one: ts.Type, above: number): number => {
    const before = known.get(one);
    if (before !== undefined) return before;
    known.set(one, 0);
    const parts = above < DEEPEST ? partsOf(one, at, api, checker) : [];
    const below = parts.map((part) => depth(part, above + 1));
    const isObject = !one.isUnionOrIntersection() && (one.flags & api.TypeFlags.Object) !== 0;
    const found = Math.max(0, ...below) + (isObject ? 1 : 0);
    known.set(one, found);
    return found;
  };
  return depth(type, 0);
}

function contentsOf(
  type: ts.Type,
  at: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker.getTypeArguments(type as ts.TypeReference); // the contents
  const index = [api.IndexKind.Number, api.IndexKind.String].flatMap(
    (kind) => checker.getIndexTypeOfType(type, kind) ?? [],
  );
  return [
    ...index,
    ...type.getProperties().map((property) => checker.getTypeOfSymbolAtLocation(property, at)),
  ];
}
