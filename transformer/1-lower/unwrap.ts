// Removes syntax without run-time meaning from an expression.

import type ts from "typescript";
import type { TypeScript } from "./typescript.ts";

type Wrapper =
  | ts.ParenthesizedExpression
  | ts.AsExpression
  | ts.SatisfiesExpression
  | ts.TypeAssertion
  | ts.NonNullExpression
  | ts.ExpressionWithTypeArguments;

/** `(f)`, `f as F`, `f satisfies F`, `<F>f`, `f!`, `f<T>`. */
export const isWrapper = (node: ts.Node, api: TypeScript): node is Wrapper =>
  api.isParenthesizedExpression(node) ||
  api.isAsExpression(node) ||
  api.isSatisfiesExpression(node) ||
  api.isTypeAssertionExpression(node) ||
  api.isNonNullExpression(node) ||
  api.isExpressionWithTypeArguments(node);

/** The expression inside all wrappers. */
export function unwrap(node: ts.Expression, api: TypeScript): ts.Expression {
  let at = node;
  while (isWrapper(at, api)) at = at.expression;
  return at;
}

/** The expression without `(x)`, `x as T`, `x!` and the like. */
export const opened = ({ api }: { readonly api: TypeScript }, node: ts.Expression): ts.Expression =>
  unwrap(node, api);
