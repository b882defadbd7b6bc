// Syntax around an expression that has no meaning at run time. In: an expression. Out: what is
// inside of it, or around it.

import type ts from "typescript";

type Wrapper =
  | ts.ParenthesizedExpression
  | ts.AsExpression
  | ts.SatisfiesExpression
  | ts.TypeAssertion
  | ts.NonNullExpression
  | ts.ExpressionWithTypeArguments;

/** `(f)`, `f as F`, `f satisfies F`, `<F>f`, `f!`, `f<T>`. */
export const isWrapper = (node: ts.Node, api: typeof ts): node is Wrapper =>
  api.isParenthesizedExpression(node) ||
  api.isAsExpression(node) ||
  api.isSatisfiesExpression(node) ||
  api.isTypeAssertionExpression(node) ||
  api.isNonNullExpression(node) ||
  api.isExpressionWithTypeArguments(node);

/** The expression inside all wrappers. */
export function bare(node: ts.Expression, api: typeof ts): ts.Expression {
  let at = node;
  while (isWrapper(at, api)) at = at.expression;
  return at;
}

/** The expression with all wrappers around it. */
export function outermost(node: ts.Node, api: typeof ts): ts.Node {
  let at = node;
  while (isWrapper(at.parent, api)) at = at.parent;
  return at;
}
