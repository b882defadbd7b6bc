// What sloppy code means and strict code does not: copies are strict. In: `this`, `arguments`
// or the name of a function in a script of a package. Out: the construct, in words, where its
// meaning would change silently.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";
import { remembered } from "../../syntax/changed-members.ts";

type Api = typeof ts;

/** Whether a file is strict as it stands: a module, or one that says so. */
export const isStrictText = (text: string): boolean =>
  /^\s*(?:import|export)\b/m.test(text) || /(["'])use strict\1/.test(text);

export const isStrict = remembered((_, source) => isStrictText(source.text));

export function sloppyUse(api: Api, node: ts.Node): string | null {
  if (node.kind === api.SyntaxKind.ThisKeyword) return thisOfPlainCall(api, node);
  if (!api.isIdentifier(node)) return null;
  return node.text === "arguments" ? mappedArguments(api, node) : functionOfBlock(api, node);
}

/** `if (x > 0) { function f() {} } f();`: in strict code it is known in its block only. */
function functionOfBlock(api: Api, node: ts.Identifier): string | null {
  const { parent } = node;
  const isName =
    !api.isShorthandPropertyAssignment(parent) && "name" in parent && parent.name === node;
  const fn = isName ? null : functionAround(api, node);
  if (fn?.body === undefined) return null;
  const blocks = blocksOf(api, fn.body).get(node.text) ?? [];
  const isWithin = (block: ts.Node): boolean => block.pos <= node.pos && node.end <= block.end;
  return blocks.length === 0 || blocks.some(isWithin)
    ? null
    : "a function of a block that is named outside of it, in code that is not strict";
}

const known = new WeakMap<ts.Block, ReadonlyMap<string, readonly ts.Node[]>>();

/** The blocks within a function's body that declare functions, by these. */
function blocksOf(api: Api, body: ts.Block): ReadonlyMap<string, readonly ts.Node[]> {
  const before = known.get(body);
  if (before !== undefined) return before;
  const found = new Map<string, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    const name = api.isFunctionDeclaration(node) ? node.name?.text : undefined;
    if (name !== undefined && node.parent !== body)
      found.set(name, [...(found.get(name) ?? []), node.parent]);
    if (!api.isFunctionLike(node)) api.forEachChild(node, visit);
  };
  api.forEachChild(body, visit);
  known.set(body, found);
  return found;
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
    (api.isIdentifier(at) && names.has(at.text) && isAssigned(at, api)) ||
    (api.isElementAccessExpression(at) &&
      at.expression.getText() === "arguments" &&
      isAssigned(at, api)) ||
    (api.forEachChild(at, (child) => isWritten(child) || undefined) ?? false);
  return isSimple && names.size > 0 && isWritten(fn.body)
    ? "`arguments` beside parameters that are written, in code that is not strict"
    : null;
}
