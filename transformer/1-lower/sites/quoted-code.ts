// How messages quote user code.

import type ts from "typescript";
import type { TypeScript } from "../typescript.ts";

export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

/** The name of a function with a rule: its variable's, or its own, else `customVjp(…)`. */
export function nameOfRuled(call: ts.Node, api: TypeScript): string {
  const { parent } = call;
  if (api.isVariableDeclaration(parent) && api.isIdentifier(parent.name)) return parent.name.text;
  if (!api.isCallExpression(call)) return shorten(call.getText());
  const [target] = call.arguments;
  return target !== undefined &&
    (api.isIdentifier(target) || api.isPropertyAccessExpression(target))
    ? shorten(target.getText())
    : `${shorten(call.expression.getText())}(…)`;
}
