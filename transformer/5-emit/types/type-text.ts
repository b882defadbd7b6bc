// How a type is written in a file. In: an IR type. Out: TypeScript. Invariant: the text means the type in that file: a name
// is used only where it is in scope, else the structure is written out.

import type { ArrayStore, NamedType, Type } from "../../ir/types.ts";
import { hasNumbers, isOptionalField, isTag, resolve, type Types } from "../../ir/shadow.ts";
import { unreachable } from "../../ir/visit.ts";
import type { Library } from "../names/library.ts";
import { WORDS } from "../names/words.ts";

export interface TypeWriter {
  text(type: Type): string;
  /** What an object literal of the type lists. */
  listed(type: Type): string;
  /** Whether it is the shadow of a member of a union that has a name here, which has more fields than its `Cotangent`; or a list of such. */
  hasTags(type: Type): boolean;
  /** Whether a text so far says `Cotangent<…>`. */
  readonly usesCotangent: boolean;
}

/** What the types of a program are called in one file. */
export interface TypeScope {
  readonly file: string;
  /** Generated ones (BOGs) included. */
  readonly types: Types;
  /** Name of a class of the program in this file, by its key into Program.homes. */
  readonly callee: (home: string) => string;
  /** What the function that gives a BOG is called in this file; null for other types. */
  readonly giving: (name: string) => string | null;
  /** Text that names the standard library, for where it stands. */
  readonly library: Library;
  /** What `Cotangent` of tsgrad is imported as. */
  readonly cotangent: string;
}

export const isIdentifier = (name: string): boolean =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);

/** `w`, `"a-b"` */
export const propertyName = (name: string): string =>
  isIdentifier(name) ? name : JSON.stringify(name);

/** Whether only code of the class may write `o.name`: other code writes `o["name"]`. */
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

/** Whether the shadow has other fields than TypeScript's `Cotangent` of the type: that of instances of a class or of those that derive from it, or of what holds one. */
function isVeiled(named: NamedType, types: Types, seen: readonly NamedType[] = []): boolean {
  if (named.instance !== undefined && (named.instance.veiled || !hasNumbers(named.type, types)))
    return true;
  if (
    named.type.kind === "union" &&
    named.type.variants.some(
      (variant) => variant.kind === "named" && types.get(variant.name)?.instance !== undefined,
    )
  )
    return true;
  return !seen.includes(named) && holdsVeiled(named.type, types, [...seen, named]);
}

function holdsVeiled(type: Type, types: Types, seen: readonly NamedType[]): boolean {
  switch (type.kind) {
    case "array":
      return holdsVeiled(type.elem, types, seen);
    case "tuple":
      return type.elems.some((elem) => holdsVeiled(elem, types, seen));
    case "record":
      return type.fields.some((field) => holdsVeiled(field.type, types, seen));
    case "opt":
      return holdsVeiled(type.of, types, seen);
    case "dict":
      return holdsVeiled(type.value, types, seen);
    case "union":
      return type.variants.some((variant) => holdsVeiled(variant, types, seen));
    case "named": {
      const named = types.get(type.name);
      return named !== undefined && hasNumbers(type, types) && isVeiled(named, types, seen);
    }
    case "num":
    case "bool":
    case "void":
    case "leaf":
    case "tape":
    case "func":
    case "cotangent":
      return false;
    default:
      return unreachable(type);
  }
}

const isTagged = (type: Type): boolean =>
  type.kind === "record" && type.tagged === true && type.fields.some((field) => isTag(field.type));

/** Whether a record with tags is in reach by no way through a union: on its own `Cotangent` knows nothing of the union that a member belongs to, nor of its tags. */
function holdsTagged(type: Type, types: Types, seen: readonly NamedType[] = []): boolean {
  switch (type.kind) {
    case "array":
      return holdsTagged(type.elem, types, seen);
    case "tuple":
      return type.elems.some((elem) => holdsTagged(elem, types, seen));
    case "record":
      return isTagged(type) || holdsTaggedInside(type, types, seen);
    case "opt":
    case "cotangent":
      return holdsTagged(type.of, types, seen);
    case "dict":
      return holdsTagged(type.value, types, seen);
    case "named": {
      const named = types.get(type.name);
      return (
        named !== undefined &&
        !seen.includes(named) &&
        hasNumbers(type, types) &&
        holdsTagged(named.type, types, [...seen, named])
      );
    }
    case "union":
    case "num":
    case "bool":
    case "void":
    case "leaf":
    case "tape":
    case "func":
      return false;
    default:
      return unreachable(type);
  }
}

/** The same of the fields of a member of a union, whose own tags are known. */
export function holdsTaggedInside(
  member: Type,
  types: Types,
  seen: readonly NamedType[] = [],
): boolean {
  const shape = resolve(member, types);
  return (
    shape.kind === "record" && shape.fields.some((field) => holdsTagged(field.type, types, seen))
  );
}

const isTyped = (store: ArrayStore): boolean => store !== "Array";

export function typeWriter(scope: TypeScope): TypeWriter {
  let usesCotangent = false;
  /** `open`: names being written out, so that a recursive type ends. */
  const write = (type: Type, open: readonly string[]): string => {
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
        return isTyped(type.store)
          ? scope.library(type.store)
          : `${bracketed(write(type.elem, open))}[]`;
      case "tuple":
        return tuple(type, (elem) => write(elem, open));
      case "record":
        return `{ ${type.fields.map((field) => property(field.name, field.type, (one) => write(one, open))).join("; ")} }`;
      case "opt":
        return `${alternative(write(type.of, open))}${missingText(type)}`;
      case "dict":
        return `${scope.library(type.store === "Map" ? "Map" : "Record")}<${write(type.key, open)}, ${write(type.value, open)}>`;
      case "union":
        return type.variants.map((variant) => alternative(write(variant, open))).join(" | ");
      case "named":
        return named(type.name, open);
      case "tape":
        return type.of === "num" ? "number[]" : "unknown[]";
      case "func":
        return `(${type.params.map((param, i) => `${type.names?.[i] ?? `x${i}`}: ${write(param, open)}`).join(", ")}) => ${write(type.result, open)}`;
      case "cotangent":
        return cotangent(type.of, open);
      default:
        return unreachable(type);
    }
  };
  const named = (name: string, open: readonly string[]): string => {
    const declared = scope.types.get(name);
    if (declared === undefined) return name;
    // written out, an instance would lose its methods
    if (declared.instance !== undefined && !isInScope(declared, scope.file)) {
      const own = scope.callee(declared.instance.home);
      const { args } = declared.instance;
      return declared.text.startsWith("InstanceType<")
        ? `${scope.library("InstanceType")}<typeof ${own}>`
        : args.length === 0
          ? own
          : `${own}<${args.map((arg) => write(arg, open)).join(", ")}>`;
    }
    if (isInScope(declared, scope.file)) return declared.text;
    const giving = scope.giving(name);
    if (giving !== null) return `${scope.library("ReturnType")}<typeof ${giving}>`;
    // a type of a function's own, within itself, has no name here
    return open.includes(name) ? "any" : write(declared.type, [...open, name]);
  };
  const cotangent = (of: Type, open: readonly string[]): string => {
    const declared = of.kind === "named" ? scope.types.get(of.name) : undefined;
    // written out, the shadow needs no import either
    if (declared !== undefined && !isInScope(declared, scope.file)) {
      const shadow = resolve({ kind: "cotangent", of }, scope.types);
      if (of.kind === "named" && open.includes(of.name)) return "any";
      if (shadow.kind !== "cotangent" && of.kind === "named")
        return write(shadow, [...open, of.name]);
    }
    const isUnlike =
      declared !== undefined && (isVeiled(declared, scope.types) || holdsTagged(of, scope.types));
    // a shadow within itself has no name, and what `Cotangent` makes of a class with hidden fields, or of a record without its tags, is none of its kind
    if (isUnlike && of.kind === "named" && open.includes(of.name)) return "any";
    const isOther = isUnlike || (declared?.type.kind === "record" && declared.type.tagged === true);
    if (isOther && of.kind === "named" && !open.includes(of.name)) {
      return write(resolve({ kind: "cotangent", of }, scope.types), [...open, of.name]);
    }
    usesCotangent = true;
    return `${scope.cotangent}<${write(of, open)}>`;
  };
  return {
    text: (type) => write(type, []),
    // of a shadow of a union, `Cotangent` does not list the tags of members inside of members
    listed: (type) => {
      const shape = type.kind === "cotangent" ? resolve(type, scope.types) : type;
      return shape.kind === "union" &&
        shape.variants.some((variant) => holdsTaggedInside(variant, scope.types))
        ? write(shape, [])
        : write(type, []);
    },
    hasTags: (type) => {
      const held = type.kind === "opt" ? type.of : type;
      const one = held.kind === "array" ? held.elem : held;
      const declared =
        one.kind === "cotangent" && one.of.kind === "named"
          ? scope.types.get(one.of.name)
          : undefined;
      return declared !== undefined && isInScope(declared, scope.file) && isTagged(declared.type);
    },
    get usesCotangent() {
      return usesCotangent;
    },
  };
}

const isInScope = (declared: NamedType, file: string): boolean => declared.scope.includes(file);

const missingText = (type: Extract<Type, { kind: "opt" }>): string =>
  type.nil === "null"
    ? " | null"
    : type.nil === "both" || type.nil === "field"
      ? " | null | undefined"
      : " | undefined";

function property(name: string, type: Type, write: (type: Type) => string): string {
  const literal = type.kind === "num" || type.kind === "bool" ? type.literal : undefined;
  if (literal !== undefined) return `${propertyName(name)}: ${literal}`;
  if (type.kind === "leaf" && type.optional === true)
    return `${propertyName(name)}?: ${type.text.replace(/ \| undefined$/, "")}`;
  // exactly optional: a shadow's field is absent, never undefined
  if (type.kind === "opt" && isOptionalField(type))
    return `${propertyName(name)}?: ${write(type.of)}${type.nil === "field" ? " | null" : type.nil === "unset" ? " | undefined" : ""}`;
  return `${propertyName(name)}: ${write(type)}`;
}

function tuple(type: Extract<Type, { kind: "tuple" }>, write: (type: Type) => string): string {
  const label = (i: number): string => {
    const name = type.labels?.[i];
    return type.labels?.length === type.elems.length && name !== undefined
      ? `${labelText(name)}: `
      : "";
  };
  const always = type.always ?? type.elems.length;
  return `[${type.elems.map((elem, i) => (i >= always && elem.kind === "opt" ? `${bracketed(write(elem.of))}?` : `${label(i)}${type.literals?.[i] ?? write(elem)}`)).join(", ")}]`;
}

const labelText = (name: string): string => {
  const plain = name.replaceAll(/[^\p{ID_Continue}$]/gu, "");
  return isIdentifier(plain) && !WORDS.has(plain) ? plain : `_${plain}`;
};

/** A union or function type is put in brackets before `[]`. */
const bracketed = (text: string): string =>
  hasOpen(text, ["|", "&", "=>", " extends "]) || /^(keyof|typeof|readonly|new|infer)\b/.test(text)
    ? `(${text})`
    : text;
/** A function type is put in brackets in a union. */
const alternative = (text: string): string => (hasOpen(text, ["=>"]) ? `(${text})` : text);

/** Whether one of the tokens stands outside every bracket. */
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
