// Writes IR types as TypeScript source text, and lists the symbols that the text mentions.
// A type that TypeScript cannot express gets a text that no declared type has.

import type ts from "typescript";
import type { Type } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import type { Entry } from "./type-scopes.ts";

export function typeText(type: Type, entries: ReadonlyMap<string, Entry>): string {
  const text = (part: Type): string => typeText(part, entries);
  switch (type.kind) {
    case "num":
      return "number";
    case "bool":
      return "boolean";
    case "leaf":
      return type.text;
    case "void":
      return "void";
    case "array":
      return arrayText(type, text);
    case "tuple":
      return `[${type.elems.map(text).join(", ")}]`;
    case "record":
      return `{ ${type.fields.map((field) => `${field.name}: ${text(field.type)};`).join(" ")} }`;
    case "opt":
      return `${text(type.of)} | ${nilText(type.nil)}`;
    case "dict":
      return `${dictName(type)}<${text(type.key)}, ${text(type.value)}>`;
    case "union":
      return type.variants.map(text).join(" | ");
    case "named":
      return nameText(type.name, entries);
    case "func":
      return `(${type.params.map((param, i) => `x${i}: ${text(param)}`).join(", ")}) => ${text(type.result)}`;
    case "tape":
    case "cotangent":
      return internalText(type);
    default:
      return unreachable(type);
  }
}

type Of<K extends Type["kind"]> = Type & { readonly kind: K };

function arrayText({ store, elem }: Of<"array">, text: (part: Type) => string): string {
  if (store !== "Array") return store;
  const isCompound = elem.kind === "opt" || elem.kind === "union" || elem.kind === "func";
  return isCompound ? `(${text(elem)})[]` : `${text(elem)}[]`;
}

function nilText(nil: Of<"opt">["nil"]): string {
  if (nil === "both") return "null | undefined";
  return nil === "null" ? "null" : "undefined";
}

const dictName = ({ store }: Of<"dict">): string => (store === "Map" ? "Map" : "Record");

const nameText = (name: string, entries: ReadonlyMap<string, Entry>): string =>
  entries.get(name)?.text ?? name;

/** A text that no declared type has. */
const internalText = ({ kind, of }: Of<"tape"> | Of<"cotangent">): string =>
  `${kind} of ${of === "num" ? "num" : "any"}`;

/** The symbols that the text mentions. */
export function symbolsIn(type: Type, entries: ReadonlyMap<string, Entry>): readonly ts.Symbol[] {
  const within = (part: Type): readonly ts.Symbol[] => symbolsIn(part, entries);
  switch (type.kind) {
    case "array":
      return within(type.elem);
    case "tuple":
      return type.elems.flatMap(within);
    case "record":
      return type.fields.flatMap((field) => within(field.type));
    case "opt":
      return within(type.of);
    case "dict":
      return [...within(type.key), ...within(type.value)];
    case "union":
      return type.variants.flatMap(within);
    case "named":
      return entries.get(type.name)?.symbols ?? [];
    case "func":
      return [...type.params, type.result].flatMap(within);
    default:
      return [];
  }
}
