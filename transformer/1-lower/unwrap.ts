// An expression without what has no meaning at run time. In: an expression. Out: the one that says its value.

import type ts from "typescript";
import type { TypeScript } from "./context.ts";

/** Takes off what has no meaning at run time: `(f)`, `f as F`, `f satisfies F`, `<F>f`, `f!`, `f<T>`. */
export function unwrap(node: ts.Expression, api: TypeScript): ts.Expression {
  let at = node;
  while (api.isParenthesizedExpression(at) || api.isAsExpression(at) || api.isSatisfiesExpression(at) || api.isTypeAssertionExpression(at)
    || api.isNonNullExpression(at) || api.isExpressionWithTypeArguments(at)) at = at.expression;
  return at;
}
