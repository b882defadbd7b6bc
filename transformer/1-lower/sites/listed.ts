// The literals that types of parameters list: `axis: 0 | 1`, `mode: Mode`. In: a function. Out: by the name of a parameter, its literals as TypeScript writes them.
// Invariant: asks the checker, so an alias says what it stands for; members of an enum take any number and are not listed.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";

export function listedIn(
  node: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): { readonly listed?: Readonly<Record<string, string>> } {
  const found = (api.isFunctionLike(node) ? [...node.parameters] : []).flatMap(
    ({ name }): [string, string][] => {
      const text = api.isIdentifier(name)
        ? literalsOf(checker.getNonNullableType(checker.getTypeAtLocation(name)), api)
        : null;
      return text === null ? [] : [[name.getText(), text]];
    },
  );
  return found.length === 0 ? {} : { listed: Object.fromEntries(found) };
}

/** `0 | 1`, `"sum" | "max"`; null of all else. */
function literalsOf(type: ts.Type, api: TypeScript): string | null {
  const parts = type.isUnion() ? type.types : [type];
  const texts = parts.map((part) =>
    (part.isNumberLiteral() || part.isStringLiteral()) &&
    (part.flags & api.TypeFlags.EnumLiteral) === 0
      ? JSON.stringify(part.value)
      : null,
  );
  return texts.every((text) => text !== null) ? texts.join(" | ") : null;
}
