// How a program writes IR types that stand for type parameters. In: IR types, and what is known of names. Out: TypeScript text, with the symbols that it mentions.
// Invariant: a type that has no text which means it is written in one that no file can take for a type of its own.

import type ts from "typescript";
import type { Type } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import type { Entry } from "./type-scopes.ts";

export function writtenAs(type: Type, entries: ReadonlyMap<string, Entry>): string {
  const text = (part: Type): string => writtenAs(part, entries);
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
      return type.store !== "Array"
        ? type.store
        : type.elem.kind === "opt" || type.elem.kind === "union" || type.elem.kind === "func"
          ? `(${text(type.elem)})[]`
          : `${text(type.elem)}[]`;
    case "tuple":
      return `[${type.elems.map(text).join(", ")}]`;
    case "record":
      return `{ ${type.fields.map((field) => `${field.name}: ${text(field.type)};`).join(" ")} }`;
    case "opt":
      return `${text(type.of)} | ${type.nil === "null" ? "null" : type.nil === "both" ? "null | undefined" : "undefined"}`;
    case "dict":
      return `${type.store === "Map" ? "Map" : "Record"}<${text(type.key)}, ${text(type.value)}>`;
    case "union":
      return type.variants.map(text).join(" | ");
    case "named":
      return entries.get(type.name)?.text ?? type.name;
    case "func":
      return `(${type.params.map((param, i) => `x${i}: ${text(param)}`).join(", ")}) => ${text(type.result)}`;
    case "tape":
    case "cotangent":
      return `${type.kind} of ${type.of === "num" ? "num" : "any"}`;
    default:
      return unreachable(type);
  }
}

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
