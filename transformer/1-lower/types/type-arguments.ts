// What type parameters stand for where generic code is written out for one call. In: declared types and the types that a call has for them. Out: type parameters with the
// IR types of their arguments. Invariant: a parameter whose argument does not say where its numbers are stands for nothing: the values say it then.

import type ts from "typescript";
import type { Type } from "../../ir/types.ts";
import type { TypeScript } from "../context.ts";

/** IR types by the type parameters that stand for them. */
export type TypeArguments = ReadonlyMap<ts.Type, Type>;

export const NO_TYPE_ARGUMENTS: TypeArguments = new Map();

/** How deep types inside each other are read. */
const DEEPEST = 8;

/** The arguments that the text of a named type lists: of its alias, or of its interface or class. */
export function argumentsOf(
  type: ts.Type,
  api: TypeScript,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  if (type.aliasSymbol !== undefined) return type.aliasTypeArguments ?? [];
  if (!isReference(type, api)) return [];
  // behind them an interface has what `this` stands for
  return checker.getTypeArguments(type).slice(0, type.target.typeParameters?.length ?? 0);
}

const isReference = (type: ts.Type, api: TypeScript): type is ts.TypeReference =>
  (type.flags & api.TypeFlags.Object) !== 0 &&
  ((type as ts.ObjectType).objectFlags & api.ObjectFlags.Reference) !== 0; // its flags have been tested

/** Whether a type is made of such parameters. */
export function mentions(
  type: ts.Type,
  given: TypeArguments,
  api: TypeScript,
  checker: ts.TypeChecker,
): boolean {
  const seen = new Set<ts.Type>();
  const within = (part: ts.Type): boolean => {
    if (given.has(part)) return true;
    if (seen.has(part)) return false;
    seen.add(part);
    if (part.isUnionOrIntersection()) return part.types.some(within);
    if (!(part.flags & api.TypeFlags.Object)) return false;
    if (isReference(part, api)) return checker.getTypeArguments(part).some(within);
    if (part.aliasTypeArguments?.some(within) === true) return true;
    if (part.isClassOrInterface()) return false;
    return (
      part.getProperties().some((property) => within(checker.getTypeOfSymbol(property))) ||
      part.getCallSignatures().some((signature) => within(signature.getReturnType())) ||
      checker.getIndexInfosOfType(part).some((info) => within(info.type))
    );
  };
  return given.size > 0 && within(type);
}

/** What the call of a generic function has in place of its type parameters, as far as the types of its parameters and its result say. */
export function argumentsOfCall(
  declared: ts.Signature,
  called: ts.Signature,
  at: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): ReadonlyMap<ts.Type, ts.Type> {
  const wanted = new Set<ts.Type>(declared.typeParameters ?? []);
  const found = new Map<ts.Type, ts.Type>();
  const compareSignatures = (x: ts.Signature, z: ts.Signature, depth: number): void => {
    for (const [i, parameter] of x.parameters.entries()) {
      const other = z.parameters[i];
      if (other !== undefined)
        compare(
          checker.getTypeOfSymbolAtLocation(parameter, at),
          checker.getTypeOfSymbolAtLocation(other, at),
          depth,
        );
    }
    compare(x.getReturnType(), z.getReturnType(), depth);
  };
  const compare = (x: ts.Type, z: ts.Type, depth: number): void => {
    if (wanted.has(x)) {
      if (!found.has(x)) found.set(x, z);
      return;
    }
    if (x === z || depth === 0) return;
    // Result<T, E> beside Result<number, string>
    if (x.aliasSymbol !== undefined && x.aliasSymbol === z.aliasSymbol)
      return x.aliasTypeArguments?.forEach((part, i) =>
        compare(part, z.aliasTypeArguments?.[i] ?? part, depth - 1),
      );
    if (x.isUnion()) return compareUnions(x, z, depth);
    if (!(x.flags & api.TypeFlags.Object) || !(z.flags & api.TypeFlags.Object)) return;
    const [own, others] = [argumentsOf(x, api, checker), argumentsOf(z, api, checker)];
    if (own.length > 0 && own.length === others.length)
      return own.forEach((part, i) => compare(part, others[i] ?? part, depth - 1));
    const [signature] = x.getCallSignatures();
    const [other] = z.getCallSignatures();
    if (signature !== undefined && other !== undefined)
      return compareSignatures(signature, other, depth - 1);
    for (const property of x.getProperties()) {
      const same = z.getProperty(property.name);
      if (same !== undefined)
        compare(checker.getTypeOfSymbol(property), checker.getTypeOfSymbol(same), depth - 1);
    }
  };
  /** `T | undefined` beside `number | undefined`; `{ ok: true; value: T } | { ok: false; error: E }` beside the like. */
  const compareUnions = (x: ts.UnionType, z: ts.Type, depth: number): void => {
    const parts = z.isUnion() ? z.types : [z];
    const own = x.types.filter((part) => !parts.includes(part));
    const others = parts.filter((part) => !x.types.includes(part));
    const [only] = own;
    const [other] = others;
    if (own.length > 1)
      return own.forEach((member) => {
        for (const like of others.filter((one) => isLike(member, one)))
          compare(member, like, depth - 1);
      });
    if (only === undefined || other === undefined) return;
    compare(only, others.length === 1 ? other : checker.getNonNullableType(z), depth - 1);
  };
  /** Whether two members of unions have the same literal in some field. */
  const isLike = (x: ts.Type, z: ts.Type): boolean =>
    x.getProperties().some((property) => {
      const same = z.getProperty(property.name);
      const type = checker.getTypeOfSymbol(property);
      return (
        same !== undefined &&
        (type.flags & api.TypeFlags.Unit) !== 0 &&
        type === checker.getTypeOfSymbol(same)
      );
    });
  compareSignatures(declared, called, DEEPEST);
  return found;
}
