// Finds fields that discriminate the members of a union, which a cotangent copies. In: a function
// type and where it is requested. Out: their names, from parameters or result; `tags` are numeric.
// Invariant: each member has a literal type for the field, and no other number has a tag's name.

import type ts from "typescript";

/** Depth limit, because types may be recursive. */
const DEPTH = 6;

export interface Discriminants {
  readonly leaves: readonly string[];
  readonly tags: readonly string[];
}

export const discriminants = (
  of: FunctionType,
  api: typeof ts,
  checker: ts.TypeChecker,
): Discriminants => within(parametersOf(of, checker), api, checker);

/** For the differentiated result: a promise's value, and with `hasAux` its first element. */
export const discriminantsOfResult = (
  of: FunctionType,
  hasAux: boolean,
  api: typeof ts,
  checker: ts.TypeChecker,
): Discriminants => within(resultOf(of, hasAux, checker), api, checker);

/** For both: a tag on one side that is another number on the other is dropped. */
export const discriminantsOfBoth = (
  of: FunctionType,
  hasAux: boolean,
  api: typeof ts,
  checker: ts.TypeChecker,
): Discriminants =>
  within([...parametersOf(of, checker), ...resultOf(of, hasAux, checker)], api, checker);

/** `at`: where its types are requested. */
export interface FunctionType {
  readonly signature: ts.Signature;
  readonly at: ts.Node;
}

interface Root {
  readonly type: ts.Type;
  readonly at: ts.Node;
}

const parametersOf = ({ signature, at }: FunctionType, checker: ts.TypeChecker): Root[] =>
  signature.parameters.map((parameter) => ({ type: checker.getTypeOfSymbol(parameter), at }));

function resultOf(
  { signature, at }: FunctionType,
  hasAux: boolean,
  checker: ts.TypeChecker,
): Root[] {
  const returned = checker.getReturnTypeOfSignature(signature);
  const result = checker.getAwaitedType(returned) ?? returned;
  const first = hasAux ? result.getProperty("0") : undefined;
  return [
    { type: first === undefined ? result : checker.getTypeOfSymbolAtLocation(first, at), at },
  ];
}

function within(roots: readonly Root[], api: typeof ts, checker: ts.TypeChecker): Discriminants {
  const found = new Set<string>();
  const numbers = new Set<string>();
  const tagged = new Set<string>();
  const seen = new Set<ts.Type>();
  const visit = (type: ts.Type, at: ts.Node, depth: number): void => {
    if (depth > DEPTH || seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) {
      if (type.isUnion()) for (const name of tagsOf(type, at, api, checker)) found.add(name);
      for (const member of type.types) visit(member, at, depth);
      return;
    }
    if ((type.flags & api.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0) return;
    const element =
      checker.getIndexTypeOfType(type, api.IndexKind.Number) ??
      checker.getIndexTypeOfType(type, api.IndexKind.String);
    if (element !== undefined) visit(element, at, depth + 1);
    if (checker.isArrayLikeType(type)) return;
    for (const property of type.getProperties().slice(0, 60)) {
      const held = checker.getTypeOfSymbolAtLocation(property, at);
      if (has(held, api.TypeFlags.Number | api.TypeFlags.Any)) numbers.add(property.name);
      if (has(held, api.TypeFlags.NumberLiteral)) tagged.add(property.name);
      visit(held, at, depth + 1);
    }
  };
  for (const { type, at } of roots) visit(type, at, 0);
  const all = [...found].sort();
  return { leaves: all, tags: all.filter((name) => tagged.has(name) && !numbers.has(name)) };
}

const has = (type: ts.Type, flags: ts.TypeFlags): boolean =>
  type.isUnion() ? type.types.some((one) => has(one, flags)) : (type.flags & flags) !== 0;

function tagsOf(
  union: ts.UnionType,
  at: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
): readonly string[] {
  const members = union.types.filter((type) => (type.flags & api.TypeFlags.Object) !== 0);
  const [first] = members;
  if (first === undefined || members.length < 2) return [];
  const isTag = (type: ts.Type, name: string): boolean => {
    const symbol = type.getProperty(name);
    return (
      symbol !== undefined &&
      (checker.getTypeOfSymbolAtLocation(symbol, at).flags &
        (api.TypeFlags.Literal | api.TypeFlags.Undefined | api.TypeFlags.Null)) !==
        0
    );
  };
  return first
    .getProperties()
    .map(({ name }) => name)
    .filter((name) => members.every((member) => isTag(member, name)));
}
