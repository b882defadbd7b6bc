// What a function says of its parameters and result. In: a function of the user's. Out: `m: Model` by position, where derived functions can use it as it stands; what is readonly.
// Invariant: not what can be left out: a derived function may have required parameters behind it, and is called with all arguments.

import type ts from "typescript";
import type { Home } from "../../ir/types.ts";
import type { TypeScript } from "../context.ts";

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

interface Asked {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly isReadonly: (type: ts.Type) => boolean;
}

/** Which types are readonly somewhere: `type Vec = readonly number[]` is, and the texts that name it do not say so. */
export function withReadonly(
  home: Home,
  node: ts.SignatureDeclaration,
  { api, checker, isReadonly }: Asked,
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
    ...(gives ? { givesReadonly: true } : {}),
  };
}
