// Names of properties that stand in the code. In: what names a property. Out: the name; null where it is only known when the code runs.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";

/** Of a literal or a pattern: `k`, `"k"`, `0`, `["k"]`, `[Kind.Dot]`. */
export function declaredName(
  api: TypeScript,
  name: ts.PropertyName | ts.BindingName,
  checker: ts.TypeChecker | null,
): string | null {
  if (api.isIdentifier(name) || api.isStringLiteral(name) || api.isNumericLiteral(name))
    return name.text;
  if (!api.isComputedPropertyName(name)) return null;
  return api.isStringLiteralLike(name.expression)
    ? name.expression.text
    : nameOfMember(api, name.expression, checker);
}

/** What `Kind.Dot` names as a key. */
export function nameOfMember(
  api: TypeScript,
  node: ts.Expression,
  checker: ts.TypeChecker | null,
): string | null {
  const member = api.isPropertyAccessExpression(node)
    ? checker?.getSymbolAtLocation(node.name)?.valueDeclaration
    : undefined;
  const value =
    member !== undefined && api.isEnumMember(member)
      ? checker?.getConstantValue(member)
      : undefined;
  return value === undefined ? null : String(value);
}

/** Of `o.k` and `o["k"]`. */
export function accessedName(api: TypeScript, node: ts.Node): string | null {
  if (api.isPropertyAccessExpression(node)) return node.name.text;
  return api.isElementAccessExpression(node) && api.isStringLiteralLike(node.argumentExpression)
    ? node.argumentExpression.text
    : null;
}
