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
    new Search(at, api, checker).holdsItself(checker.getTypeOfSymbol(parameter), []),
  );

class Search {
  readonly #at: ts.Node;
  readonly #api: TypeScript;
  readonly #checker: ts.TypeChecker;
  /** Types that do not hold themselves. */
  readonly #finite = new Set<ts.Type>();

  constructor(at: ts.Node, api: TypeScript, checker: ts.TypeChecker) {
    this.#at = at;
    this.#api = api;
    this.#checker = checker;
  }

  holdsItself(type: ts.Type, path: readonly ts.Type[]): boolean {
    const { TypeFlags: flags } = this.#api;
    const unknown = flags.Any | flags.Unknown | flags.TypeParameter | flags.NonPrimitive;
    if ((type.flags & unknown) !== 0) return true;
    if (path.includes(type) || path.length > DEPTH) return true;
    if (this.#finite.has(type)) return false;
    if (this.#partHoldsItself(type, path)) return true;
    this.#finite.add(type);
    return false;
  }

  #partHoldsItself(type: ts.Type, path: readonly ts.Type[]): boolean {
    const checker = this.#checker;
    if (type.isUnionOrIntersection())
      return type.types.some((each) => this.holdsItself(each, path));
    if ((type.flags & this.#api.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0)
      return false;
    const inner = (each: ts.Type | undefined): boolean =>
      each !== undefined && this.holdsItself(each, [...path, type]);
    if (checker.isTupleType(type) || isLibrary(type))
      return checker.getTypeArguments(type as ts.TypeReference).some(inner); // their contents
    const { Number: numbers, String: strings } = this.#api.IndexKind;
    return (
      [numbers, strings].some((kind) => inner(checker.getIndexTypeOfType(type, kind))) ||
      type
        .getProperties()
        .some((property) => inner(checker.getTypeOfSymbolAtLocation(property, this.#at)))
    );
  }
}

/** Arrays, typed arrays, Maps, dates. */
const isLibrary = (type: ts.Type): boolean => {
  const declarations = type.getSymbol()?.declarations ?? [];
  return (
    declarations.length > 0 &&
    declarations.every((declaration) => declaration.getSourceFile().hasNoDefaultLib)
  );
};
