// Whether a store to an element may be at the end of the array, so that the array grows.
// Input: a place that is assigned. Output: true for `xs[xs.length] = y`, `xs[n++] = y` and for an
// index that a loop counts, unless the loop's condition bounds it. A position that is computed
// otherwise counts as one that exists.

import type ts from "typescript";
import { isReassigned } from "../assignments.ts";
import type { Frame } from "../frame.ts";

export function mayAppend(f: Frame, place: ts.ElementAccessExpression): boolean {
  const { api } = f;
  const { parent } = place;
  const isStore =
    api.isBinaryExpression(parent) &&
    parent.left === place &&
    parent.operatorToken.kind === api.SyntaxKind.EqualsToken;
  const { checker } = f.ctx;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(place.expression));
  return isStore && checker.isArrayType(type) && isMoving(f, place.argumentExpression);
}

/** Whether an index may move past the end. */
function isMoving(f: Frame, index: ts.Expression): boolean {
  const { api } = f;
  if (api.isPropertyAccessExpression(index)) return index.name.text === "length";
  if (api.isPrefixUnaryExpression(index) || api.isPostfixUnaryExpression(index))
    return index.operator === api.SyntaxKind.PlusPlusToken;
  if (api.isIdentifier(index)) return isCounted(f, index);
  // a difference stays behind what it is taken from
  return (
    api.isBinaryExpression(index) &&
    index.operatorToken.kind === api.SyntaxKind.PlusToken &&
    isMoving(f, index.left)
  );
}

/** Whether a variable counts without a bound. The counter of a `for` has one. */
function isCounted(f: Frame, name: ts.Identifier): boolean {
  const { api } = f;
  const symbol = f.symbolOf(name);
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || !isReassigned(f, symbol)) return false;
  if (api.isParameter(declaration) || api.isForStatement(declaration.parent.parent)) return false;
  const bounds = (at: ts.Node): boolean => {
    const test =
      api.isWhileStatement(at) || api.isDoStatement(at)
        ? at.expression
        : api.isForStatement(at)
          ? at.condition
          : undefined;
    return test !== undefined && compares(f, test, symbol);
  };
  return api.findAncestor(name, bounds) === undefined;
}

/** Whether a condition compares the variable. */
const compares = (f: Frame, node: ts.Node, symbol: ts.Symbol): boolean =>
  (f.api.isIdentifier(node) && f.symbolOf(node) === symbol) ||
  f.api.forEachChild(node, (child) => compares(f, child, symbol) || undefined) === true;
