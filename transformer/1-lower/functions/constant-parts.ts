// Finds the member of a constant's literal: `table.f`, `table["f"]`, `const { f } = table`.
// Output: the expression or method, or null where the constant may be mutated or the name
// is not unique.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { isConstant } from "../assignments.ts";
import { resolvedSymbol } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import { accessedName, declaredName, isNotOverridden } from "../objects/property-names.ts";
import { isConstantMutated } from "../objects/constant-mutation.ts";
import { type Asking } from "../context.ts";

type Literal = ts.ObjectLiteralExpression | ts.ArrayLiteralExpression;
export type Part = ts.Expression | ts.MethodDeclaration;

/** Null where the member is not certain. */
export function partNamed(object: ts.Expression, name: string, asking: Asking): Part | null {
  const { api } = asking;
  const literal = literalOf(object, asking);
  if (literal === null) return null;
  if (api.isArrayLiteralExpression(literal)) return elementAt(literal, Number(name), api);
  const property = literal.properties.findLast(
    (each) => each.name !== undefined && declaredName(api, each.name, asking.checker) === name,
  );
  if (property === undefined || !isNotOverridden(property, api)) return null;
  if (api.isMethodDeclaration(property)) return property;
  return api.isPropertyAssignment(property)
    ? property.initializer
    : api.isShorthandPropertyAssignment(property)
      ? property.name
      : null;
}

/** The key of `table.f`, `table["f"]` or `list[0]`; null of a computed key. */
export const nameTaken = (node: ts.AccessExpression, api: TypeScript): string | null =>
  api.isElementAccessExpression(node) && api.isNumericLiteral(node.argumentExpression)
    ? node.argumentExpression.text
    : accessedName(api, node);

function elementAt(
  { elements }: ts.ArrayLiteralExpression,
  at: number,
  api: TypeScript,
): ts.Expression | null {
  const element = elements[at];
  return element === undefined ||
    api.isOmittedExpression(element) ||
    elements.slice(0, at + 1).some(api.isSpreadElement)
    ? null
    : element;
}

/** The literal that an expression is, or that its constant is initialised with. */
export function literalOf(object: ts.Expression, asking: Asking): Literal | null {
  const { api } = asking;
  const node = bare(object, api);
  if (isLiteral(node, api)) return node;
  const symbol =
    api.isIdentifier(node) || api.isPropertyAccessExpression(node)
      ? resolvedSymbol(api.isIdentifier(node) ? node : node.name, asking)
      : null;
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    !isConstant(declaration, api) ||
    declaration.getSourceFile().isDeclarationFile
  )
    return null;
  const literal = bare(declaration.initializer, api);
  return isLiteral(literal, api) && !isConstantMutated(asking, declaration, symbol)
    ? literal
    : null;
}

const isLiteral = (node: ts.Node, api: TypeScript): node is Literal =>
  api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node);
