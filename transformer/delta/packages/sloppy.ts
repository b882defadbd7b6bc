// What sloppy code means and strict code does not: copies are strict. In: `this` or `arguments` in
// a script of a package. Out: the construct, in words, where its meaning would change silently.

import type ts from "typescript";
import { isTarget } from "../assigned.ts";

type Api = typeof ts;

/** Whether a file is strict as it stands: a module, or one that says so. */
export const isStrictText = (text: string): boolean =>
  /^\s*(?:import|export)\b/m.test(text) || /(["'])use strict\1/.test(text);

export function sloppyUse(api: Api, node: ts.Node): string | null {
  if (node.kind === api.SyntaxKind.ThisKeyword) return thisOfPlainCall(api, node);
  return api.isIdentifier(node) && node.text === "arguments" ? mappedArguments(api, node) : null;
}

const functionAround = (
  api: Api,
  node: ts.Node,
): ts.FunctionExpression | ts.FunctionDeclaration | null => {
  const found = api.findAncestor(
    node,
    (at) => (api.isFunctionLike(at) && !api.isArrowFunction(at)) || api.isClassLike(at),
  );
  return found !== undefined &&
    (api.isFunctionExpression(found) || api.isFunctionDeclaration(found))
    ? found
    : null;
};

const isCalledInPlace = (api: Api, fn: ts.Node): boolean => {
  const { parent } = fn;
  if (api.isParenthesizedExpression(parent)) return isCalledInPlace(api, parent);
  return api.isCallExpression(parent) && parent.expression === fn;
};

/** `(function () { return this; })()` in a function: what runs at load has no derivative. */
function thisOfPlainCall(api: Api, node: ts.Node): string | null {
  const fn = functionAround(api, node);
  const outer = fn && functionAround(api, fn.parent);
  if (fn === null || outer === null || !isCalledInPlace(api, fn)) return null;
  const isAtLoad = functionAround(api, outer.parent) === null || isCalledInPlace(api, outer);
  return isAtLoad ? null : "`this` of a plain call in code that is not strict";
}

/** `arguments[0]` is the parameter itself: a write to either is seen by the other. */
function mappedArguments(api: Api, node: ts.Identifier): string | null {
  const { parent } = node;
  if (api.isPropertyAccessExpression(parent) && parent.name.text === "length") return null;
  const fn = functionAround(api, node);
  if (fn?.body === undefined) return null;
  const isSimple = fn.parameters.every(
    ({ name, initializer, dotDotDotToken }) =>
      api.isIdentifier(name) && initializer === undefined && dotDotDotToken === undefined,
  );
  const names = new Set(fn.parameters.map(({ name }) => name.getText()));
  const isWritten = (at: ts.Node): boolean =>
    (api.isIdentifier(at) && names.has(at.text) && isTarget(api, at)) ||
    (api.isElementAccessExpression(at) &&
      at.expression.getText() === "arguments" &&
      isTarget(api, at)) ||
    (api.forEachChild(at, (child) => isWritten(child) || undefined) ?? false);
  return isSimple && names.size > 0 && isWritten(fn.body)
    ? "`arguments` beside parameters that are written, in code that is not strict"
    : null;
}
