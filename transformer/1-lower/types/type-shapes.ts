// Classifies checker types before they are translated. Nothing is stored.
// A type that counts as plain or as an aggregate has numbers only where its declaration has them.
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import type { ArrayStore, Nil, Type } from "../../ir/types.ts";
import { TYPED_ARRAYS } from "../../ir/typed-arrays.ts";
import { checkerOf } from "../checker.ts";
import type { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../typescript.ts";

/** Typed arrays by name. */
export const STORES: ReadonlyMap<string, ArrayStore> = new Map(
  TYPED_ARRAYS.map((store) => [store, store]),
);

/** Objects of the standard library that no derivative passes through. */
export const INERT =
  /^(Date|RegExp|RegExpMatchArray|RegExpExecArray|String|Boolean|Symbol|BigInt|Intl\..*|.*Error|ErrorConstructor|Math|JSON|Console)$/;

/** The element type of an array, which is a type reference; undefined for other types. */
export const elementOf = (type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined =>
  checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;

export class TypeShapes {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #classes: Classes;

  constructor(api: TypeScript, program: ts.Program, classes: Classes) {
    this.#api = api;
    this.#program = program;
    this.#checker = checkerOf(program, api);
    this.#classes = classes;
  }

  /** Whether it is a plain object type without a name of its own. */
  isAnonymous(type: ts.Type): boolean {
    if (
      !(type.flags & this.#api.TypeFlags.Object) ||
      type.aliasSymbol !== undefined ||
      type.isClassOrInterface() ||
      isReference(this.#api, type)
    )
      return false;
    if (type.symbol !== undefined && this.isLibrary(type.symbol)) return false;
    return type.getCallSignatures().length === 0 && this.isPlain(type);
  }

  /** Which of `undefined` and `null` a union has. */
  nil(type: ts.UnionType): Nil {
    const { TypeFlags } = this.#api;
    const has = (flags: ts.TypeFlags): boolean =>
      type.types.some((member) => (member.flags & flags) !== 0);
    if (!has(TypeFlags.Null)) return "undefined";
    return has(TypeFlags.Undefined | TypeFlags.Void) ? "both" : "null";
  }

  /** Whether all members are arrays, tuples, plain objects or instances of known classes. */
  isAggregates(type: ts.UnionType): boolean {
    const checker = this.#checker;
    const isAggregate = (member: ts.Type): boolean => {
      if (!(member.flags & this.#api.TypeFlags.Object)) return false;
      if (checker.isTupleType(member) || checker.isArrayType(member)) return true;
      if (member.symbol !== undefined && this.isLibrary(member.symbol))
        return (
          STORES.has(member.symbol.name) ||
          (member.symbol.name === "__type" && this.isPlain(member))
        );
      const node = this.#classes.ofType(member);
      if (node !== null) return !this.#classes.isError(member) && this.#classes.isKnown(node);
      return member.getCallSignatures().length === 0 && this.isPlain(member);
    };
    return type.types.every(isAggregate);
  }

  /** Whether all members are object literals' types. TypeScript adds absent fields as undefined. */
  isOfLiterals(type: ts.UnionType): boolean {
    return type.types.every(
      (member) =>
        member.aliasSymbol === undefined &&
        member.symbol?.declarations?.every((each) => this.#api.isObjectLiteralExpression(each)) ===
          true,
    );
  }

  /** Adds the literals that a type lists: they may discriminate the members of a union. */
  literal(of: Type, type: ts.Type): Type {
    const { TypeFlags } = this.#api;
    const parts = type.isUnion() ? type.types : [type];
    if (of.kind !== "num" && of.kind !== "bool") return of;
    const isLiteral =
      of.kind === "num"
        ? parts.every((part) => part.flags & TypeFlags.NumberLiteral)
        : parts.length === 1;
    if (!isLiteral || (type.flags & TypeFlags.Boolean) !== 0) return of;
    const { NoTruncation, InTypeAlias } = this.#api.TypeFormatFlags;
    const flags = NoTruncation | InTypeAlias;
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- flags combine
    return { ...of, literal: this.#checker.typeToString(type, undefined, flags) };
  }

  /** Whether the type has a method. */
  hasMethods(type: ts.Type): boolean {
    return type
      .getProperties()
      .some(
        (property) =>
          property.flags & this.#api.SymbolFlags.Method &&
          this.#checker.getTypeOfSymbol(property).getCallSignatures().length > 0,
      );
  }

  /** Whether a type has only named fields: no class, index signature, constructor or getter. */
  isPlain(type: ts.Type): boolean {
    const { SymbolFlags } = this.#api;
    const flags = type.symbol?.flags ?? 0;
    // An interface may share its name with a function or namespace.
    if (
      flags & SymbolFlags.Class ||
      (flags & (SymbolFlags.Function | SymbolFlags.Method | SymbolFlags.ValueModule) &&
        !this.#isInterface(type))
    )
      return false;
    if (type.getConstructSignatures().length > 0) return false;
    if (this.#checker.getIndexInfosOfType(type).length > 0) return false;
    const fields = type.getProperties();
    // The type `{}` may be anything, but that of a literal `{}` has no fields.
    return (
      (fields.length > 0 || ((type.symbol?.flags ?? 0) & SymbolFlags.ObjectLiteral) !== 0) &&
      fields.every(
        (field) =>
          !(field.flags & SymbolFlags.Accessor) &&
          !field.name.startsWith("__@") &&
          !field.name.startsWith("__#"),
      )
    );
  }

  /** `ArrayLike<number>` */
  isArrayLike(type: ts.Type): boolean {
    const { symbol } = type;
    const elem =
      symbol?.name === "ArrayLike" && this.isLibrary(symbol) && isReference(this.#api, type)
        ? this.#checker.getTypeArguments(type)[0]
        : undefined;
    return elem !== undefined && (elem.flags & this.#api.TypeFlags.Number) !== 0;
  }

  #isInterface(type: ts.Type): boolean {
    const { ObjectFlags } = this.#api;
    // A generic interface is the target of a reference.
    const target = (type as Partial<ts.TypeReference>).target ?? type;
    return (((target as ts.ObjectType).objectFlags ?? 0) & ObjectFlags.Interface) !== 0;
  }

  /**
   * Whether a field is readonly, or an array or unnamed object within the type.
   * Named object types inside are asked separately.
   */
  hasReadonly(type: ts.Type, depth: number): boolean {
    const checker = this.#checker;
    if (depth === 0) return false;
    if (type.isUnion()) return type.types.some((part) => this.hasReadonly(part, depth));
    if (checker.isTupleType(type) || checker.isArrayType(type))
      return this.#isReadonlyArray(type as ts.TypeReference, depth); // neither test is a type guard
    if (!(type.flags & this.#api.TypeFlags.Object) && !type.isIntersection()) return false;
    if (type.symbol !== undefined && this.isLibrary(type.symbol) && type.aliasSymbol === undefined)
      return this.isArrayLike(type);
    return (
      type
        .getProperties()
        .some(
          (property) =>
            this.#isReadonly(property) ||
            this.hasReadonly(checker.getTypeOfSymbol(property), depth - 1),
        ) ||
      checker
        .getIndexInfosOfType(type)
        .some((info) => info.isReadonly || this.hasReadonly(info.type, depth - 1))
    );
  }

  #isReadonlyArray(type: ts.TypeReference, depth: number): boolean {
    const checker = this.#checker;
    const isReadonly = checker.isTupleType(type)
      ? (type.target as ts.TupleType).readonly // the target of a tuple is its shape
      : type.symbol?.name === "ReadonlyArray";
    const isUnnamed = (part: ts.Type): boolean =>
      part.aliasSymbol === undefined || checker.isTupleType(part) || checker.isArrayType(part);
    return (
      isReadonly ||
      checker
        .getTypeArguments(type)
        .some((part) => isUnnamed(part) && this.hasReadonly(part, depth - 1))
    );
  }

  #isReadonly(property: ts.Symbol): boolean {
    // There is no public way to ask whether a property of a mapped type is readonly.
    const flags =
      (property as ts.Symbol & { links?: { checkFlags?: number } }).links?.checkFlags ?? 0;
    const CHECK_READONLY = 8;
    return (
      (flags & CHECK_READONLY) !== 0 ||
      (property.declarations ?? []).some(
        (each) =>
          (this.#api.getCombinedModifierFlags(each) & this.#api.ModifierFlags.Readonly) !== 0,
      )
    );
  }

  isLibrary(symbol: ts.Symbol): boolean {
    const file = symbol.declarations?.[0]?.getSourceFile();
    return file !== undefined && this.#program.isSourceFileDefaultLibrary(file);
  }
}

/** Only for object types. */
export const isReference = (api: TypeScript, type: ts.Type): type is ts.TypeReference =>
  ((type as ts.ObjectType).objectFlags & api.ObjectFlags.Reference) !== 0;
