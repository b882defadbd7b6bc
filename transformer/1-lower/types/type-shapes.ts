// What a checker type is like, asked before it is translated. In: checker types. Out: answers; nothing is made or remembered.
// Invariant: a type that is called plain or an aggregate has its numbers where its text says, and nowhere else.

import type ts from "typescript";
import type { ArrayStore, Nil, Type } from "../../ir/types.ts";
import { checkerOf } from "../checker.ts";
import type { Classes } from "../classes/classes.ts";
import type { TypeScript } from "../context.ts";

export const STORES: ReadonlyMap<string, ArrayStore> = new Map<string, ArrayStore>(
  (
    [
      "Float64Array",
      "Float32Array",
      "Int8Array",
      "Uint8Array",
      "Uint8ClampedArray",
      "Int16Array",
      "Uint16Array",
      "Int32Array",
      "Uint32Array",
    ] as const
  ).map((store) => [store, store]),
);

/** Objects of the standard library that hold nothing a derivative could pass through. */
export const INERT =
  /^(Date|RegExp|RegExpMatchArray|RegExpExecArray|String|Boolean|Symbol|BigInt|Intl\..*|.*Error|ErrorConstructor|Math|JSON|Console)$/;

/** What the elements of an array are, as TypeScript has it; undefined of anything else. */
export const elementOf = (type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined =>
  checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined; // arrays are references

export class TypeShapes {
  readonly #api: TypeScript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #classes: Classes;

  constructor(api: TypeScript, program: ts.Program, classes: Classes) {
    this.#api = api;
    this.#program = program;
    this.#checker = checkerOf(program);
    this.#classes = classes;
  }

  /** A plain object type that nothing but an alias of a union with `null` names. */
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
    return !has(TypeFlags.Null)
      ? "undefined"
      : has(TypeFlags.Undefined | TypeFlags.Void)
        ? "both"
        : "null";
  }

  /** Whether all members are arrays, tuples or plain objects, and they are not one type to the IR. */
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

  /** Whether all members are the types of object literals, which TypeScript gives the fields that only others have, as `undefined`. */
  isOfLiterals(type: ts.UnionType): boolean {
    return type.types.every(
      (member) =>
        member.aliasSymbol === undefined &&
        member.symbol?.declarations?.every((each) => this.#api.isObjectLiteralExpression(each)) ===
          true,
    );
  }

  /** A field whose type lists its values says so: it may tell the members of a union apart. */
  literal(of: Type, type: ts.Type): Type {
    const { TypeFlags } = this.#api;
    const parts = type.isUnion() ? type.types : [type];
    if (of.kind !== "num" && of.kind !== "bool") return of;
    const isLiteral =
      of.kind === "num"
        ? parts.every((part) => part.flags & TypeFlags.NumberLiteral)
        : parts.length === 1;
    if (!isLiteral || (type.flags & TypeFlags.Boolean) !== 0) return of;
    return {
      ...of,
      literal: this.#checker.typeToString(
        type,
        undefined,
        this.#api.TypeFormatFlags.NoTruncation | this.#api.TypeFormatFlags.InTypeAlias,
      ),
    };
  }

  /** Whether a function is declared among the fields of an interface. */
  hasMethods(type: ts.Type): boolean {
    return type
      .getProperties()
      .some(
        (property) =>
          property.flags & this.#api.SymbolFlags.Method &&
          this.#checker.getTypeOfSymbol(property).getCallSignatures().length > 0,
      );
  }

  /** Whether an object has named fields and nothing else: no class, index signature, constructor or getter. */
  isPlain(type: ts.Type): boolean {
    const { SymbolFlags } = this.#api;
    const flags = type.symbol?.flags ?? 0;
    // what a namespace or a function of the same name adds is no part of an interface
    if (
      flags & SymbolFlags.Class ||
      (flags & (SymbolFlags.Function | SymbolFlags.Method | SymbolFlags.ValueModule) &&
        !this.#isInterface(type))
    )
      return false;
    if (type.getConstructSignatures().length > 0) return false;
    if (this.#checker.getIndexInfosOfType(type).length > 0) return false;
    const fields = type.getProperties();
    // the type `{}` may be anything, what a literal `{}` makes has no fields
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
    const target = (type as Partial<ts.TypeReference>).target ?? type; // of an interface with type parameters
    return (((target as ts.ObjectType).objectFlags ?? 0) & ObjectFlags.Interface) !== 0;
  }

  /** Whether a field, or an array or unnamed object in one, cannot be written. Named types inside answer for themselves, but for names of arrays and tuples, which the IR does not have. */
  hasReadonly(type: ts.Type, depth: number): boolean {
    const checker = this.#checker;
    if (depth === 0) return false;
    if (type.isUnion()) return type.types.some((part) => this.hasReadonly(part, depth));
    if (checker.isTupleType(type) || checker.isArrayType(type)) {
      const reference = type as ts.TypeReference; // neither test has a type guard
      const fixed = checker.isTupleType(type)
        ? (reference.target as ts.TupleType).readonly
        : type.symbol?.name === "ReadonlyArray"; // a tuple's target is its shape
      return (
        fixed ||
        checker
          .getTypeArguments(reference)
          .some(
            (part) =>
              (part.aliasSymbol === undefined ||
                checker.isTupleType(part) ||
                checker.isArrayType(part)) &&
              this.hasReadonly(part, depth - 1),
          )
      );
    }
    if (!(type.flags & this.#api.TypeFlags.Object) && !type.isIntersection()) return false;
    if (type.symbol !== undefined && this.isLibrary(type.symbol) && type.aliasSymbol === undefined)
      return this.isArrayLike(type);
    return type
      .getProperties()
      .some(
        (property) =>
          this.#isReadonly(property) ||
          this.hasReadonly(checker.getTypeOfSymbol(property), depth - 1),
      );
  }

  #isReadonly(property: ts.Symbol): boolean {
    const flags =
      (property as ts.Symbol & { links?: { checkFlags?: number } }).links?.checkFlags ?? 0; // of a mapped type: there is no public way to ask
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

export const isReference = (api: TypeScript, type: ts.Type): type is ts.TypeReference =>
  ((type as ts.ObjectType).objectFlags & api.ObjectFlags.Reference) !== 0; // only called on object types
