// Names of properties that stand in the code. In: what names a property. Out: the name; null where it is only known when the code runs.

import type ts from "typescript";
import type { TypeScript } from "./context.ts";

/** Of a literal or a pattern: `k`, `"k"`, `0`, `["k"]`. */
export function declaredName(api: TypeScript, name: ts.PropertyName | ts.BindingName): string | null {
  if (api.isIdentifier(name) || api.isStringLiteral(name) || api.isNumericLiteral(name)) return name.text;
  return api.isComputedPropertyName(name) && api.isStringLiteralLike(name.expression) ? name.expression.text : null;
}

/** Of `o.k` and `o["k"]`. */
export function accessedName(api: TypeScript, node: ts.Node): string | null {
  if (api.isPropertyAccessExpression(node)) return node.name.text;
  return api.isElementAccessExpression(node) && api.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : null;
}
