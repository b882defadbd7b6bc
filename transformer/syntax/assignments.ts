// Syntax that assigns. In: a node. Out: whether it assigns, and its targets.

import type ts from "typescript";
import { isWrapper } from "./wrappers.ts";

type Assignment = ts.AssignmentExpression<ts.AssignmentOperatorToken>;
type Update =
  | ts.PostfixUnaryExpression
  | (ts.PrefixUnaryExpression & { readonly operator: ts.PostfixUnaryOperator });

/** `x = e`, `x += e`, `x ??= e` … */
export const isAssignment = (node: ts.Node, api: typeof ts): node is Assignment =>
  api.isBinaryExpression(node) &&
  node.operatorToken.kind >= api.SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= api.SyntaxKind.LastAssignment;

/** `x++`, `--x` */
export const isUpdate = (node: ts.Node, api: typeof ts): node is Update =>
  (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) &&
  (node.operator === api.SyntaxKind.PlusPlusToken ||
    node.operator === api.SyntaxKind.MinusMinusToken);

/** What the node itself assigns: `x`, `a.b`, `[p, q]`; null if it assigns nothing. */
export function targetOf(node: ts.Node, api: typeof ts): ts.Expression | null {
  if (isAssignment(node, api)) return node.left;
  if (isUpdate(node, api)) return node.operand;
  return (api.isForOfStatement(node) || api.isForInStatement(node)) &&
    !api.isVariableDeclarationList(node.initializer)
    ? node.initializer
    : null;
}

/** Whether a node is a target, or a part of one: `[x] = e`, `({ a: x } = e)`, `for (x of e)`. */
export function isAssigned(node: ts.Node, api: typeof ts): boolean {
  const { parent } = node;
  const target = targetOf(parent, api);
  return target === null
    ? isPartOfTarget(node, parent, api) && isAssigned(parent, api)
    : target === node;
}

const isPartOfTarget = (node: ts.Node, parent: ts.Node, api: typeof ts): boolean =>
  isWrapper(parent, api) ||
  api.isArrayLiteralExpression(parent) ||
  api.isObjectLiteralExpression(parent) ||
  api.isSpreadElement(parent) ||
  api.isSpreadAssignment(parent) ||
  api.isShorthandPropertyAssignment(parent) ||
  (api.isPropertyAssignment(parent) && parent.initializer === node);
