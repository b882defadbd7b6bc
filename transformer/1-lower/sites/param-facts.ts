// What a function's signature says of its parameters and result, for derived functions.
// Output: the source text of parameters, e.g. `m: Model`, which are readonly, and literal types.
// Optional parameters have no text: derived functions add required ones after them.

import type ts from "typescript";
import type { Home } from "../../ir/types.ts";
import type { TypeScript } from "../typescript.ts";

export const paramTexts = (node: ts.SignatureDeclaration, api: TypeScript): (string | null)[] =>
  node.parameters.map((parameter) => textOf(parameter, api));

function textOf(
  { name, type, questionToken, initializer, dotDotDotToken }: ts.ParameterDeclaration,
  api: TypeScript,
): string | null {
  if (
    type === undefined ||
    questionToken !== undefined ||
    initializer !== undefined ||
    dotDotDotToken !== undefined
  )
    return null;
  const text = type.getText();
  return text.includes("\n") ? null : `${api.isIdentifier(name) ? name.text : "argument"}: ${text}`;
}

interface Checks {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly isReadonly: (type: ts.Type) => boolean;
}

/** Marks parameters whose type is readonly without saying so: `type Vec = readonly number[]`. */
export function withReadonly(
  home: Home,
  node: ts.SignatureDeclaration,
  { api, checker, isReadonly }: Checks,
): Home {
  const texts = node.parameters.flatMap((parameter) => {
    const text = textOf(parameter, api);
    return text !== null && isReadonly(checker.getTypeAtLocation(parameter)) ? [text] : [];
  });
  const signature = checker.getSignatureFromDeclaration(node);
  const gives = signature !== undefined && isReadonly(checker.getReturnTypeOfSignature(signature));
  return {
    ...home,
    ...(texts.length === 0 ? {} : { readonlyParams: texts }),
    ...(gives ? { returnsReadonly: true } : {}),
  };
}

/** The literal types of parameters: `axis: 0 | 1`, `mode: Mode`. Enums accept any number. */
export function literalParamTypes(
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

/** `0 | 1`, `"sum" | "max"`; null for other types. */
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
