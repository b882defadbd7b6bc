// Whether an argument may hold objects of one type within one another. In: the type of a function. Out: yes or no. Invariant: unsure means yes. The static engine gives such an
// object one shadow wherever it stands, and else each place its own; the Delta engine has one shadow for each object, and refuses where that would be another answer.

import type ts from "typescript";
import type { FunctionType } from "./discriminants.ts";

type TypeScript = typeof ts;

/** Types that are looked into: what is deeper comes back to itself. */
const DEPTH = 12;

export const isRecursive = (
  { signature, at }: FunctionType,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean =>
  signature.parameters.some((parameter) =>
    holdsItself(checker.getTypeOfSymbol(parameter), at, [], api, checker),
  );

function holdsItself(
  type: ts.Type,
  at: ts.Node,
  path: readonly ts.Type[],
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean {
  if (
    (type.flags &
      (api.TypeFlags.Any |
        api.TypeFlags.Unknown |
        api.TypeFlags.TypeParameter |
        api.TypeFlags.NonPrimitive)) !==
    0
  )
    return true;
  if (path.includes(type) || path.length > DEPTH) return true;
  if (type.isUnionOrIntersection())
    return type.types.some((each) => holdsItself(each, at, path, api, checker));
  if ((type.flags & api.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0)
    return false;
  const below = [...path, type];
  const inner = (each: ts.Type | undefined): boolean =>
    each !== undefined && holdsItself(each, at, below, api, checker);
  if (checker.isTupleType(type) || isLibrary(type))
    return checker.getTypeArguments(type as ts.TypeReference).some(inner); // types of the library have their contents as arguments
  const index = [api.IndexKind.Number, api.IndexKind.String].some((kind) =>
    inner(checker.getIndexTypeOfType(type, kind)),
  );
  return (
    index ||
    type.getProperties().some((property) => inner(checker.getTypeOfSymbolAtLocation(property, at)))
  );
}

/** Arrays, typed arrays, Maps, dates. */
const isLibrary = (type: ts.Type): boolean => {
  const declarations = type.getSymbol()?.declarations ?? [];
  return (
    declarations.length > 0 &&
    declarations.every((declaration) => declaration.getSourceFile().hasNoDefaultLib)
  );
};
