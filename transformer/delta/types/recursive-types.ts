// Finds arguments that may nest objects of one type. In: a function's type. Out: yes or no.
// Invariant: when unsure, yes. The static engine then has one shadow per object, else one per
// place; the Delta engine always has one per object and refuses where the results differ.

import type ts from "typescript";
import type { FunctionType } from "./discriminants.ts";

type TypeScript = typeof ts;

/** Depth limit: a deeper type is recursive. */
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
    return checker.getTypeArguments(type as ts.TypeReference).some(inner); // their contents
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
