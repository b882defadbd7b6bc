// Which members of an object an expression changes. In: the expression that gives the object. Out:
// the names of members that get other values there. Invariant: null for any, as where the object is
// handed on; code that only reads it changes none.

import type ts from "typescript";
import { isAssigned } from "./assignments.ts";
import { bare, outermost } from "./wrappers.ts";

type Api = typeof ts;

/** `C.prototype`, `c.__proto__`, `Object.getPrototypeOf(c)` */
export const isPrototype = (api: Api, node: ts.Node): node is ts.Expression =>
  (api.isPropertyAccessExpression(node) && /^(?:prototype|__proto__)$/.test(node.name.text)) ||
  (api.isCallExpression(node) && /\bgetPrototypeOf$/.test(node.expression.getText()));

/** The names that are given other values there; null for any. */
export function changedIn(api: Api, object: ts.Expression): readonly string[] | null {
  const node = outermost(object, api);
  const { parent } = node;
  const isOwner = api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent);
  if (isOwner && parent.expression === node) return isTarget(api, parent) ? keyOf(api, parent) : [];
  if (api.isCallExpression(parent) && parent.expression !== node)
    return changedByCall(api, parent, node);
  return api.isBinaryExpression(parent) && !isTarget(api, node) && !isHeld(api, parent) ? [] : null;
}

function changedByCall(
  api: Api,
  { expression, arguments: given }: ts.CallExpression,
  node: ts.Node,
): readonly string[] | null {
  const called = expression.getText();
  const [first, second] = given;
  if (READERS.test(called) || (WRITERS.test(called) && first !== node)) return [];
  if (called === "Object.assign" || called === "Object.defineProperties")
    return namesOf(api, given.slice(1));
  return second !== undefined && api.isStringLiteralLike(second) && first === node
    ? [second.text]
    : null;
}

const READERS =
  /^Object\.(?:create|keys|getOwn\w+|hasOwn)$|\.(?:isPrototypeOf|hasOwnProperty|getPrototypeOf)$/;
/** They change their first argument. */
export const WRITERS = /^Object\.(?:assign|setPrototypeOf|definePropert(?:y|ies))$/;

/** Whether the value of `x = p`, `a || p` or `a, p` is an operand. */
export const isHeld = (api: Api, { operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  (kind >= api.SyntaxKind.FirstAssignment && kind <= api.SyntaxKind.LastAssignment) ||
  kind === api.SyntaxKind.BarBarToken ||
  kind === api.SyntaxKind.AmpersandAmpersandToken ||
  kind === api.SyntaxKind.QuestionQuestionToken ||
  kind === api.SyntaxKind.CommaToken;

export const isTarget = (api: Api, node: ts.Node): boolean =>
  isAssigned(node, api) || api.isDeleteExpression(node.parent);

const keyOf = (api: Api, node: ts.AccessExpression): readonly string[] | null => {
  if (api.isPropertyAccessExpression(node)) return [node.name.text];
  const key = bare(node.argumentExpression, api);
  return api.isStringLiteralLike(key) ? [key.text] : null;
};

/** Of literals. */
function namesOf(api: Api, given: readonly ts.Expression[]): readonly string[] | null {
  const found: string[] = [];
  for (const each of given) {
    if (!api.isObjectLiteralExpression(each)) return null;
    for (const { name } of each.properties) {
      if (name === undefined || api.isComputedPropertyName(name)) return null;
      found.push(name.text);
    }
  }
  return found;
}
