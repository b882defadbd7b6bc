// Prints IR types as TypeScript types for one file. A name is used where it is in scope; else its
// structure is expanded.

import type { Instance, NamedType, Type } from "../../ir/types.ts";
import {
  hasNumbers,
  isOptionalField,
  isTag,
  resolve,
  somePart,
  type Types,
} from "../../ir/shadow.ts";
import { preferredName } from "../../ir/names.ts";
import { unreachable } from "../../ir/visit.ts";
import { isIdentifier, keyText } from "../../code/quote.ts";
import type { Library } from "../names/library.ts";
import { WORDS } from "../names/words.ts";

export interface TypeWriter {
  text(type: Type): string;
  /** The type with all fields that an object literal of it has. */
  listed(type: Type): string;
  /** Whether the type is the shadow of a variant, or an array of such; see `holdsTagged`. */
  hasTags(type: Type): boolean;
  /** Whether some printed type contains `Cotangent<…>`. */
  readonly usesCotangent: boolean;
}

/** The names of a program's types in one file. */
export interface TypeScope {
  readonly file: string;
  /** The types of the program, and BOGs. */
  readonly types: Types;
  /** Name in this file of a class of the program, by its key in Program.homes. */
  readonly callee: (home: string) => string;
  /** The forward sweep that returns a BOG, if the file calls it; null for other types. */
  readonly giving: (name: string) => string | null;
  /** Qualifies names of the standard library that user code shadows. */
  readonly library: Library;
  /** Local name of tsgrad's `Cotangent`. */
  readonly cotangent: string;
}

/** Whether the field is private or protected, so that code outside the class reads `o["name"]`. */
export function isHiddenField(type: Type, name: string, types: Types): boolean {
  if (type.kind === "opt") return isHiddenField(type.of, name, types);
  if (type.kind === "union")
    return type.variants.some((variant) => isHiddenField(variant, name, types));
  const named = type.kind === "named" ? types.get(type.name) : undefined;
  if (named === undefined) return false;
  return (
    named.instance?.hidden.includes(name) === true ||
    (named.type.kind === "union" && isHiddenField(named.type, name, types))
  );
}

/** Whether the shadow differs from `Cotangent` of the type, as for class instances. */
function isVeiled(named: NamedType, types: Types, seen = new Set<NamedType>()): boolean {
  if (
    named.instance !== undefined &&
    (named.instance.hidesFields || !hasNumbers(named.type, types))
  )
    return true;
  const isInstance = (type: Type): boolean =>
    type.kind === "named" && types.get(type.name)?.instance !== undefined;
  if (named.type.kind === "union" && named.type.variants.some(isInstance)) return true;
  return !seen.has(named) && holdsVeiled(named.type, types, seen.add(named));
}

function holdsVeiled(type: Type, types: Types, seen: Set<NamedType>): boolean {
  if (type.kind !== "named") return somePart(type, (one) => holdsVeiled(one, types, seen));
  const named = types.get(type.name);
  return named !== undefined && hasNumbers(type, types) && isVeiled(named, types, seen);
}

const isTagged = (type: Type): boolean =>
  type.kind === "record" && type.tagged === true && type.fields.some((field) => isTag(field.type));

/** Whether a variant is outside its union: its own `Cotangent` lacks the discriminants. */
function holdsTagged(type: Type, types: Types, seen = new Set<NamedType>()): boolean {
  if (type.kind === "union") return false;
  if (type.kind === "cotangent") return holdsTagged(type.of, types, seen);
  if (type.kind === "record") return isTagged(type) || hasVariantInFields(type, types, seen);
  if (type.kind !== "named") return somePart(type, (one) => holdsTagged(one, types, seen));
  const named = types.get(type.name);
  return (
    named !== undefined &&
    !seen.has(named) &&
    hasNumbers(type, types) &&
    holdsTagged(named.type, types, seen.add(named))
  );
}

/** The same for the fields of a variant whose own discriminants are known. */
export function hasVariantInFields(
  member: Type,
  types: Types,
  seen = new Set<NamedType>(),
): boolean {
  const shape = resolve(member, types);
  return (
    shape.kind === "record" && shape.fields.some((field) => holdsTagged(field.type, types, seen))
  );
}

export const typeWriter = (scope: TypeScope): TypeWriter => new Printer(scope);

class Printer implements TypeWriter {
  usesCotangent = false;
  readonly #scope: TypeScope;

  constructor(scope: TypeScope) {
    this.#scope = scope;
  }

  text(type: Type): string {
    return this.#write(type, []);
  }

  listed(type: Type): string {
    const { types } = this.#scope;
    const shape = type.kind === "cotangent" ? resolve(type, types) : type;
    // `Cotangent` of a union lacks the discriminants of unions within its variants
    const isUnlike =
      shape.kind === "union" &&
      shape.variants.some((variant) => hasVariantInFields(variant, types));
    return this.text(isUnlike ? shape : type);
  }

  hasTags(type: Type): boolean {
    const held = type.kind === "opt" ? type.of : type;
    const one = held.kind === "array" ? held.elem : held;
    const declared = one.kind === "cotangent" ? this.#declared(one.of) : undefined;
    return declared !== undefined && this.#isInScope(declared) && isTagged(declared.type);
  }

  #declared(type: Type): NamedType | undefined {
    return type.kind === "named" ? this.#scope.types.get(type.name) : undefined;
  }

  #isInScope(declared: NamedType): boolean {
    return declared.scope.includes(this.#scope.file);
  }

  /** `open`: names that are being expanded. */
  // eslint-disable-next-line complexity -- flat exhaustive switch over Type kinds
  #write(type: Type, open: readonly string[]): string {
    const inner = (one: Type): string => this.#write(one, open);
    switch (type.kind) {
      case "num":
        return "number";
      case "bool":
        return "boolean";
      case "void":
        return "void";
      case "leaf":
        return type.text;
      case "array":
        return type.store === "Array"
          ? `${bracketed(inner(type.elem))}[]`
          : this.#scope.library(type.store);
      case "tuple":
        return tuple(type, inner);
      case "record":
        return `{ ${type.fields.map((field) => property(field.name, field.type, inner)).join("; ")} }`;
      case "opt":
        return `${alternative(inner(type.of))}${missingText(type)}`;
      case "dict":
        return `${this.#scope.library(type.store === "Map" ? "Map" : "Record")}<${inner(type.key)}, ${inner(type.value)}>`;
      case "union":
        return type.variants.map((variant) => alternative(inner(variant))).join(" | ");
      case "named":
        return this.#named(type.name, open);
      case "tape":
        return type.of === "num" ? "number[]" : "unknown[]";
      case "func":
        return functionType(type, inner);
      case "cotangent":
        return this.#cotangent(type.of, open);
      default:
        return unreachable(type);
    }
  }

  #named(name: string, open: readonly string[]): string {
    const { types, library } = this.#scope;
    const declared = types.get(name);
    if (declared === undefined) return name;
    if (this.#isInScope(declared)) return declared.text;
    if (declared.instance !== undefined) return this.#instance(declared, declared.instance, open);
    const giving = this.#scope.giving(name);
    if (giving !== null) return `${library("ReturnType")}<typeof ${giving}>`;
    // a recursive type that is local to a function has no name here
    return open.includes(name) ? "any" : this.#write(declared.type, [...open, name]);
  }

  /** A class from another file, by its import; its structure would lack the methods. */
  #instance({ text }: NamedType, { home, args }: Instance, open: readonly string[]): string {
    const own = this.#scope.callee(home);
    if (text.startsWith("InstanceType<"))
      return `${this.#scope.library("InstanceType")}<typeof ${own}>`;
    if (args.length === 0) return own;
    return `${own}<${args.map((arg) => this.#write(arg, open)).join(", ")}>`;
  }

  /** `Cotangent<T>`, or its structure where T is not in scope or `Cotangent<T>` is another type. */
  #cotangent(of: Type, open: readonly string[]): string {
    const { types } = this.#scope;
    const declared = this.#declared(of);
    if (declared !== undefined && of.kind === "named") {
      const isOpen = open.includes(of.name);
      const shadow = resolve({ kind: "cotangent", of }, types);
      const isVisible = this.#isInScope(declared);
      const isUnlike = isVeiled(declared, types) || holdsTagged(of, types);
      // a recursive shadow has no name
      if (isOpen && (isUnlike || !isVisible)) return "any";
      const isVariant = declared.type.kind === "record" && declared.type.tagged === true;
      const isExpanded = isUnlike || isVariant || (!isVisible && shadow.kind !== "cotangent");
      if (isExpanded && !isOpen) return this.#write(shadow, [...open, of.name]);
    }
    this.usesCotangent = true;
    return `${this.#scope.cotangent}<${this.#write(of, open)}>`;
  }
}

/** `(x: number, m: Model) => number` */
function functionType(
  { params, names, result }: Extract<Type, { kind: "func" }>,
  write: (type: Type) => string,
): string {
  const named = params.map((_, i) => labelText(preferredName(names?.[i] ?? `x${i}`)));
  const list = params.map((param, i) => {
    const name = named[i] ?? "";
    return `${named.indexOf(name) === i ? name : `${name}${i}`}: ${write(param)}`;
  });
  return `(${list.join(", ")}) => ${write(result)}`;
}

const missingText = (type: Extract<Type, { kind: "opt" }>): string =>
  type.nil === "null"
    ? " | null"
    : type.nil === "both" || type.nil === "field"
      ? " | null | undefined"
      : " | undefined";

function property(name: string, type: Type, write: (type: Type) => string): string {
  const literal = type.kind === "num" || type.kind === "bool" ? type.literal : undefined;
  if (literal !== undefined) return `${keyText(name)}: ${literal}`;
  if (type.kind === "leaf" && type.optional === true)
    return `${keyText(name)}?: ${type.text.replace(/ \| undefined$/, "")}`;
  // exactly optional: an absent field of a shadow is never `undefined`
  if (type.kind === "opt" && isOptionalField(type))
    return `${keyText(name)}?: ${write(type.of)}${type.nil === "field" ? " | null" : type.nil === "unset" ? " | undefined" : ""}`;
  return `${keyText(name)}: ${write(type)}`;
}

function tuple(type: Extract<Type, { kind: "tuple" }>, write: (type: Type) => string): string {
  const label = (i: number): string => {
    const name = type.labels?.[i];
    return type.labels?.length === type.elems.length && name !== undefined
      ? `${labelText(name)}: `
      : "";
  };
  const always = type.always ?? type.elems.length;
  const elem = (one: Type, i: number): string =>
    i >= always && one.kind === "opt"
      ? `${bracketed(write(one.of))}?`
      : `${label(i)}${type.literals?.[i] ?? write(one)}`;
  return `[${type.elems.map(elem).join(", ")}]`;
}

const labelText = (name: string): string => {
  const plain = name.replaceAll(/[^\p{ID_Continue}$]/gu, "");
  return isIdentifier(plain) && !WORDS.has(plain) ? plain : `_${plain}`;
};

/** Brackets a union or function type before `[]`. */
const bracketed = (text: string): string =>
  hasOpen(text, ["|", "&", "=>", " extends "]) || /^(keyof|typeof|readonly|new|infer)\b/.test(text)
    ? `(${text})`
    : text;
/** Brackets a function type in a union. */
const alternative = (text: string): string => (hasOpen(text, ["=>"]) ? `(${text})` : text);

/** Whether one of the tokens is outside every bracket. */
function hasOpen(text: string, tokens: readonly string[]): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (depth === 0 && tokens.some((token) => text.startsWith(token, i))) return true;
    const char = text.charAt(i);
    if ("([{<".includes(char)) depth++;
    else if (")]}".includes(char) || (char === ">" && text.charAt(i - 1) !== "=")) depth--;
  }
  return false;
}
