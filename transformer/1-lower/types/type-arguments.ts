// Infers what type parameters stand for where generic code is inlined for one call.
// Input: declared types and the types of the call. Output: IR types by type parameter.
// A parameter whose argument is opaque is left out: the types of values decide then.

import type ts from "typescript";
import type { Type } from "../../ir/types.ts";
import type { TypeScript } from "../typescript.ts";

/** The IR types that type parameters stand for. */
export type TypeArguments = ReadonlyMap<ts.Type, Type>;

export const NO_TYPE_ARGUMENTS: TypeArguments = new Map();

/** The depth of nested types that is compared. */
const MAX_DEPTH = 8;

/** The type arguments of an alias, or else of an interface or class. */
export function argumentsOf(
  type: ts.Type,
  api: TypeScript,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  if (type.aliasSymbol !== undefined) return type.aliasTypeArguments ?? [];
  if (!isReference(type, api)) return [];
  // The last argument of an interface is the type of `this`.
  return checker.getTypeArguments(type).slice(0, type.target.typeParameters?.length ?? 0);
}

const isReference = (type: ts.Type, api: TypeScript): type is ts.TypeReference =>
  (type.flags & api.TypeFlags.Object) !== 0 && // so the cast is valid
  ((type as ts.ObjectType).objectFlags & api.ObjectFlags.Reference) !== 0;

/** Whether a type contains one of the type parameters. */
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

/** The type arguments of a generic call, as far as its parameters and result determine them. */
export function argumentsOfCall(
  declared: ts.Signature,
  called: ts.Signature,
  at: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): ReadonlyMap<ts.Type, ts.Type> {
  const matching = new Unification(declared.typeParameters ?? [], { at, api, checker });
  matching.signatures(declared, called, MAX_DEPTH);
  return matching.found;
}

interface Context {
  readonly at: ts.Node;
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
}

/** Compares declared types with those of a call; the first type found for a parameter counts. */
class Unification {
  readonly found = new Map<ts.Type, ts.Type>();
  readonly #parameters: ReadonlySet<ts.Type>;
  readonly #context: Context;

  constructor(parameters: readonly ts.Type[], context: Context) {
    this.#parameters = new Set(parameters);
    this.#context = context;
  }

  signatures(x: ts.Signature, z: ts.Signature, depth: number): void {
    const typeOf = (symbol: ts.Symbol): ts.Type =>
      this.#context.checker.getTypeOfSymbolAtLocation(symbol, this.#context.at);
    for (const [i, parameter] of x.parameters.entries()) {
      const other = z.parameters[i];
      if (other !== undefined) this.#types(typeOf(parameter), typeOf(other), depth);
    }
    this.#types(x.getReturnType(), z.getReturnType(), depth);
  }

  #types(x: ts.Type, z: ts.Type, depth: number): void {
    if (this.#parameters.has(x)) {
      if (!this.found.has(x)) this.found.set(x, z);
      return;
    }
    if (x === z || depth === 0) return;
    // Result<T, E> beside Result<number, string>
    if (x.aliasSymbol !== undefined && x.aliasSymbol === z.aliasSymbol)
      this.#each(x.aliasTypeArguments ?? [], z.aliasTypeArguments ?? [], depth - 1);
    else if (x.isUnion()) this.#unions(x, z, depth);
    else if (x.flags & z.flags & this.#context.api.TypeFlags.Object) this.#objects(x, z, depth - 1);
  }

  #each(own: readonly ts.Type[], others: readonly ts.Type[], depth: number): void {
    own.forEach((part, i) => this.#types(part, others[i] ?? part, depth));
  }

  #objects(x: ts.Type, z: ts.Type, depth: number): void {
    const { api, checker } = this.#context;
    const own = argumentsOf(x, api, checker);
    const others = argumentsOf(z, api, checker);
    if (own.length > 0 && own.length === others.length) return this.#each(own, others, depth);
    const [signature] = x.getCallSignatures();
    const [other] = z.getCallSignatures();
    if (signature !== undefined && other !== undefined)
      return this.signatures(signature, other, depth);
    for (const property of x.getProperties()) {
      const same = z.getProperty(property.name);
      if (same !== undefined)
        this.#types(checker.getTypeOfSymbol(property), checker.getTypeOfSymbol(same), depth);
    }
  }

  /** `T | undefined` beside `number | undefined`, or unions that a literal field discriminates. */
  #unions(x: ts.UnionType, z: ts.Type, depth: number): void {
    const parts = z.isUnion() ? z.types : [z];
    const own = x.types.filter((part) => !parts.includes(part));
    const others = parts.filter((part) => !x.types.includes(part));
    const [only] = own;
    const [other] = others;
    if (own.length > 1)
      return own.forEach((member) => {
        for (const like of others.filter((one) => this.#areAlike(member, one)))
          this.#types(member, like, depth - 1);
      });
    if (only === undefined || other === undefined) return;
    this.#types(
      only,
      others.length === 1 ? other : this.#context.checker.getNonNullableType(z),
      depth - 1,
    );
  }

  /** Whether two members of unions have the same literal in a field. */
  #areAlike(x: ts.Type, z: ts.Type): boolean {
    return x.getProperties().some((property) => {
      const same = z.getProperty(property.name);
      const type = this.#context.checker.getTypeOfSymbol(property);
      return (
        same !== undefined &&
        (type.flags & this.#context.api.TypeFlags.Unit) !== 0 &&
        type === this.#context.checker.getTypeOfSymbol(same)
      );
    });
  }
}
