// Counters of stores: `let k = 0; … list[k++] = x`. In: the declaration of a variable. Out: whether
// it goes on with stores only, so that it never leaves a place out.

import type ts from "typescript";
import { resolvedSymbol, type Names } from "../checker.ts";
import { nodesOfFile } from "../nodes-of-file.ts";

const IDENTIFIERS = nodesOfFile(null, (node, api): node is ts.Identifier => api.isIdentifier(node));

export function goesWithStores({ name }: ts.VariableDeclaration, names: Names): boolean {
  const { api } = names;
  if (!api.isIdentifier(name)) return false;
  const symbol = resolvedSymbol(name, names);
  return IDENTIFIERS(name.getSourceFile(), api).every(
    (node) =>
      node.text !== name.text ||
      node === name ||
      isAllowed(node, api) ||
      resolvedSymbol(node, names) !== symbol,
  );
}

/** Whether a use reads the counter, counts down, begins anew, or goes on with a store. */
function isAllowed(node: ts.Identifier, api: typeof ts): boolean {
  const { parent } = node;
  const { SyntaxKind } = api;
  if (api.isPrefixUnaryExpression(parent) || api.isPostfixUnaryExpression(parent))
    return (
      parent.operator !== SyntaxKind.PlusPlusToken ||
      isStored(parent, api) ||
      isBesideStore(parent, node.text, api)
    );
  if (!api.isBinaryExpression(parent) || parent.left !== node) return true;
  const { kind } = parent.operatorToken;
  if (kind === SyntaxKind.EqualsToken && api.isNumericLiteral(parent.right)) return true;
  const isStep =
    kind === SyntaxKind.EqualsToken
      ? api.isBinaryExpression(parent.right)
      : kind >= SyntaxKind.FirstCompoundAssignment && kind <= SyntaxKind.LastCompoundAssignment;
  return isStep
    ? kind === SyntaxKind.MinusEqualsToken || isBesideStore(parent, node.text, api)
    : kind !== SyntaxKind.EqualsToken;
}

/** `list[k++] = x` */
const isStored = (at: ts.Expression, api: typeof ts): boolean =>
  api.isElementAccessExpression(at.parent) &&
  at.parent.argumentExpression === at &&
  isTarget(at.parent, api);

const isTarget = (access: ts.ElementAccessExpression, api: typeof ts): boolean =>
  api.isBinaryExpression(access.parent) &&
  access.parent.left === access &&
  access.parent.operatorToken.kind === api.SyntaxKind.EqualsToken;

/** `list[k] = x; k++;`, or `k++` in the head of a loop. */
function isBesideStore(step: ts.Expression, name: string, api: typeof ts): boolean {
  const { parent } = step;
  if (api.isBinaryExpression(parent))
    return parent.operatorToken.kind === api.SyntaxKind.CommaToken;
  if (api.isForStatement(parent)) return true;
  if (!api.isExpressionStatement(parent)) return false;
  const { parent: block } = parent;
  return (
    (api.isBlock(block) || api.isSourceFile(block) || api.isCaseClause(block)) &&
    block.statements.some(
      (each) =>
        api.isExpressionStatement(each) &&
        api.isBinaryExpression(each.expression) &&
        api.isElementAccessExpression(each.expression.left) &&
        isAt(each.expression.left.argumentExpression.getText(), name),
    )
  );
}

/** Whether a place is by a counter that does not go on there. */
const isAt = (place: string, name: string): boolean =>
  place.split(/\W/).includes(name) && !place.includes("++");
