// Whether a store to an element may be at the end of the array, so that the array grows.
// Input: a place that is assigned. Output: true for `xs[xs.length] = y`, `xs[n++] = y` and for a
// variable as index, unless a loop bounds it. A position that is a number, or computed otherwise
// (`order[i]`, `i - 1`), counts as one that exists.

import type ts from "typescript";
import type { Frame } from "../frame.ts";
import { usesIn } from "../names/uses.ts";

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
  if (api.isIdentifier(index)) return isUnbounded(f, index);
  // a difference stays behind what it is taken from
  return (
    api.isBinaryExpression(index) &&
    index.operatorToken.kind === api.SyntaxKind.PlusToken &&
    isMoving(f, index.left)
  );
}

/** Whether a variable may be any position. A loop bounds its counter. */
function isUnbounded(f: Frame, name: ts.Identifier): boolean {
  const { api } = f;
  const symbol = f.symbolOf(name);
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined) return true;
  if (isOfLoop(f, declaration)) return false;
  const bounds = (at: ts.Node): boolean => {
    const test =
      api.isWhileStatement(at) || api.isDoStatement(at)
        ? at.expression
        : api.isForStatement(at)
          ? at.condition
          : undefined;
    return test !== undefined && usesIn(f, test, symbol).length > 0;
  };
  return api.findAncestor(name, bounds) === undefined;
}

/** Whether the head of a loop declares it: the loop bounds it. */
function isOfLoop({ api }: Frame, declaration: ts.Declaration): boolean {
  const list = api.findAncestor(declaration, api.isVariableDeclarationList)?.parent;
  return (
    list !== undefined &&
    (api.isForStatement(list) || api.isForOfStatement(list) || api.isForInStatement(list))
  );
}
