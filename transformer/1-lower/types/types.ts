// Translates TypeScript types, as the checker has them, to IR types, and names some of them.
// A type with numbers that the IR cannot describe becomes a leaf marked `opaque`. Later phases
// keep active values out of it, so that no derivative gets lost silently.
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import type { Field, NamedType, Type } from "../../ir/types.ts";
import { BOOL, NUM, VOID } from "../../ir/build.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import type { ClosureField } from "../function-values.ts";
import { classType, exactType, interfaceType } from "./class-types.ts";
import { applied } from "./instance-types.ts";
import { NamedTypes, optional } from "./named-types.ts";
import { closureFieldType, tagsType } from "./tag-types.ts";
import { NO_TYPE_ARGUMENTS, type TypeArguments } from "./type-arguments.ts";
import { hasAmbient, withScopes } from "./type-scopes.ts";
import { INERT, isReference, STORES } from "./type-shapes.ts";
import { unionType } from "./union-types.ts";

/** `ArrayLike<number>`, which is readonly. Any but a Float64Array has an array as its shadow. */
const ARRAY_LIKE: Type = {
  kind: "union",
  variants: [
    { kind: "array", store: "Float64Array", elem: NUM },
    { kind: "array", store: "Array", elem: NUM },
  ],
};

/** The type table of a program. Methods are fields, so that they can be passed as functions. */
export class TypeTable extends NamedTypes {
  /** The classes of types so far, by their key into Program.homes. */
  readonly classes: ReadonlyMap<string, ClassNode> = this.instances.classes;
  /** The type of instances of exactly this class. */
  readonly exact = (node: ClassNode, at: ts.Node, args?: readonly Type[]): Type =>
    exactType(this, node, at, args);
  /** The type of the tags that represent the functions of a field or array. */
  readonly tagsType = (field: ClosureField, at: ts.Node): Type => tagsType(this, field, at);
  /** The class's key into Program.homes. */
  readonly homeOf = (node: ClassNode): string => this.instances.homeOf(node);
  /** The arguments of a class's type parameters in instances of this type. */
  readonly givenIn = (type: Type, node: ClassNode): TypeArguments =>
    type.kind === "named"
      ? this.instances.givenIn(type.name, node, (arg, given) => this.from(arg, node, given))
      : NO_TYPE_ARGUMENTS;
  /** The class of which instances, but not those of subclasses, have this type. */
  readonly classOf = (type: Type): ClassNode | null =>
    type.kind === "named" ? (this.instances.named(type.name)?.node ?? null) : null;
  /** Whether a part of a value of that type is readonly. */
  readonly isReadonly = (type: ts.Type): boolean => this.shapes.hasReadonly(type, 3);
  /** Whether objects of no class of the program may have this type. */
  readonly isOpen = (type: Type): boolean => type.kind === "named" && this.open.has(type.name);
  /** Whether instances of a base of the declared class may have this type. */
  readonly hasBases = (type: Type): boolean =>
    type.kind === "named" && this.withBases.has(type.name);

  /** The named types, each with those of `files` where its text means it. Valid after lowering. */
  named(files: readonly ts.SourceFile[]): ReadonlyMap<string, NamedType> {
    return withScopes(this.api, this.checker, this, files);
  }

  /** Whether files can name one of the types, such as `Record<"x", number>`, without an import. */
  hasAmbient(): boolean {
    return hasAmbient(this.api, this.program, this.entries.values());
  }

  protected override make(type: ts.Type, at: ts.Node): Type {
    const { TypeFlags } = this.api;
    const given = this.givenFor(type);
    if (given !== undefined) return given;
    const primitive = this.#primitive(type);
    if (primitive !== null) return primitive;
    const generic =
      TypeFlags.TypeParameter |
      TypeFlags.IndexedAccess |
      TypeFlags.Conditional |
      TypeFlags.Substitution;
    if (type.flags & generic) {
      const constraint = this.checker.getBaseConstraintOfType(type);
      return constraint === undefined || constraint === type
        ? this.opaque(type)
        : this.from(constraint, at);
    }
    if (type.isUnion()) return unionType(this, type, at);
    if (type.isIntersection()) return this.#intersection(type, at);
    return type.flags & TypeFlags.Object ? this.#object(type, at) : this.opaque(type);
  }

  #primitive(type: ts.Type): Type | null {
    const { TypeFlags } = this.api;
    const { flags } = type;
    if (flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive))
      return this.opaque(type);
    if (flags & TypeFlags.NumberLike) return NUM;
    if (flags & TypeFlags.BooleanLike) return BOOL;
    if (flags & TypeFlags.Void) return VOID;
    const leaf =
      TypeFlags.StringLike |
      TypeFlags.BigIntLike |
      TypeFlags.ESSymbolLike |
      TypeFlags.Undefined |
      TypeFlags.Null |
      TypeFlags.Never;
    return flags & leaf ? this.leaf(type) : null;
  }

  #intersection(type: ts.IntersectionType, at: ts.Node): Type {
    const { TypeFlags } = this.api;
    // `T & {}` excludes undefined from T.
    const given = type.types.map((part) => this.givenFor(part)).find((part) => part !== undefined);
    if (given !== undefined) return given.kind === "opt" ? given.of : given;
    const scalar = TypeFlags.NumberLike | TypeFlags.StringLike | TypeFlags.BooleanLike;
    const primitive = type.types.find((part) => (part.flags & scalar) !== 0);
    // `Circle & { kind: "circle" }`, as a predicate narrows a Circle, is a Circle.
    const isSubtype = (part: ts.Type): boolean =>
      type.types.every((other) => other === part || this.checker.isTypeAssignableTo(part, other));
    const whole = primitive ?? type.types.find(isSubtype);
    return whole === undefined ? this.#object(type, at) : this.from(whole, at);
  }

  #object(type: ts.Type, at: ts.Node): Type {
    const { checker } = this;
    if (checker.isTupleType(type) || checker.isArrayType(type))
      return this.anchored(type, type, at, () => this.list(type, at));
    const { symbol } = type;
    if (symbol !== undefined && this.shapes.isLibrary(symbol)) {
      const known = this.#library(type, symbol, at);
      if (known !== null) return known;
    }
    const node = this.classTable.ofType(type);
    if (node !== null) return classType(this, type, node, at);
    // A function is a leaf: no active value flows into it unless it is called.
    if (type.getCallSignatures().length > 0) return this.leaf(type);
    return (
      this.#byKey(type, at) ??
      (this.shapes.isPlain(type) ? this.#plain(type, at) : this.opaque(type))
    );
  }

  /** A type of the standard library; null for its plain object types. */
  #library(type: ts.Type, symbol: ts.Symbol, at: ts.Node): Type | null {
    const { name } = symbol;
    if (name === "Map" || name === "ReadonlyMap") return this.#map(type, at);
    if (name === "Set" || name === "ReadonlySet") return this.#set(type, at);
    const store = STORES.get(name);
    if (store !== undefined) return { kind: "array", store, elem: NUM };
    if (this.shapes.isArrayLike(type)) return this.name(type, symbol, at, () => ARRAY_LIKE);
    if (name === "__type") return null;
    return INERT.test(name) ? this.leaf(type) : this.opaque(type);
  }

  /** An object type with only named fields, or an interface with methods. */
  #plain(type: ts.Type, at: ts.Node): Type {
    const { symbol } = type;
    const fitting = this.shapes.hasMethods(type) ? this.classTable.implementing(type, at) : [];
    if (fitting.length > 0 && symbol !== undefined) return interfaceType(this, type, fitting, at);
    const isDeclared = type.isClassOrInterface() || isReference(this.api, type);
    const naming = type.aliasSymbol ?? (isDeclared ? symbol : undefined);
    return naming === undefined ? this.record(type, at) : this.name(type, naming, at);
  }

  /** A Map. Keys may be objects, which only select an entry. */
  #map(type: ts.Type, at: ts.Node): Type {
    // Map and ReadonlyMap are generic interfaces.
    const [key, value] = this.checker.getTypeArguments(type as ts.TypeReference);
    if (key === undefined || value === undefined) return this.opaque(type);
    const of = this.from(key, at);
    const isKey = of.kind === "leaf" ? of.opaque !== true : of.kind !== "opt" && of.kind !== "void";
    return isKey
      ? { kind: "dict", store: "Map", key: of, value: this.from(value, at) }
      : this.opaque(type);
  }

  /** A Set: opaque if its elements may hold numbers. */
  #set(type: ts.Type, at: ts.Node): Type {
    // Set and ReadonlySet are generic interfaces.
    const elem = this.checker.getTypeArguments(type as ts.TypeReference)[0];
    const of = elem === undefined ? null : this.from(elem, at);
    const isLeaf =
      of !== null && (of.kind === "bool" || (of.kind === "leaf" && of.opaque !== true));
    const made = isLeaf ? this.leaf(type) : this.opaque(type);
    return of !== null && made.kind === "leaf" && this.isGiven(type)
      ? { ...made, text: applied(type.symbol.name, [of], this.entries) }
      : made;
  }

  /** `Record<string, T>`: an object type that has only an index signature. */
  #byKey(type: ts.Type, at: ts.Node): Type | null {
    const given = this.#byGivenKey(type, at);
    if (given !== null) return given;
    const [info, ...others] = this.checker.getIndexInfosOfType(type);
    if (
      info === undefined ||
      others.length > 0 ||
      type.getProperties().length > 0 ||
      type.getConstructSignatures().length > 0
    )
      return null;
    const key = this.from(info.keyType, at);
    return key.kind === "num" || (key.kind === "leaf" && key.text === "string")
      ? { kind: "dict", store: "Object", key, value: this.from(info.type, at) }
      : null;
  }

  /** `Record<K, T>` where the argument of K is `string` or `number`. */
  #byGivenKey(
    { aliasSymbol: alias, aliasTypeArguments: [first, value] = [] }: ts.Type,
    at: ts.Node,
  ): Type | null {
    const key =
      first === undefined || alias?.name !== "Record" || !this.shapes.isLibrary(alias)
        ? undefined
        : this.givenFor(first);
    return value !== undefined &&
      (key?.kind === "num" || (key?.kind === "leaf" && key.text === "string"))
      ? { kind: "dict", store: "Object", key, value: this.from(value, at) }
      : null;
  }

  override list(type: ts.Type, at: ts.Node): Type {
    // Neither test has a type guard.
    if (this.checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference, at);
    const elem = this.checker.getTypeArguments(type as ts.TypeReference)[0];
    if (elem === undefined) return this.opaque(type);
    // without strictNullChecks an empty literal has elements of a type like undefined
    const isEmpty =
      (elem.flags & this.api.TypeFlags.Undefined) !== 0 && elem !== this.checker.getUndefinedType();
    const of: Type = isEmpty ? { kind: "leaf", text: "never" } : this.from(elem, at);
    return { kind: "array", store: "Array", elem: of };
  }

  #tuple(type: ts.TupleTypeReference, at: ts.Node): Type {
    const { ElementFlags } = this.api;
    const elems: Type[] = [];
    const literals: (string | null)[] = [];
    for (const [position, elem] of this.checker.getTypeArguments(type).entries()) {
      const flags = type.target.elementFlags[position] ?? ElementFlags.Required;
      if (flags & ElementFlags.Variable) return this.opaque(type);
      const of = this.from(elem, at);
      elems.push(flags & ElementFlags.Optional ? optional(of) : of);
      const exact = this.shapes.literal(of, elem);
      literals.push(exact.kind === "num" ? (exact.literal ?? null) : null);
    }
    const always = type.target.minLength;
    return {
      kind: "tuple",
      elems,
      ...(always < elems.length ? { always } : {}),
      ...(literals.some((one) => one !== null) ? { literals } : {}),
    };
  }

  override record(type: ts.Type, at: ts.Node): Type {
    return {
      kind: "record",
      fields: type.getProperties().map((property) => this.field(property, at)),
    };
  }

  override field(property: ts.Symbol, at: ts.Node): Field {
    const closures = closureFieldType(this, property, at);
    if (closures !== null) return { name: property.name, type: closures };
    const type = this.checker.getTypeOfSymbol(property);
    const of = this.shapes.literal(this.from(type, at), type);
    return {
      name: property.name,
      type: property.flags & this.api.SymbolFlags.Optional ? optional(of) : of,
    };
  }
}
