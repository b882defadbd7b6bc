// Which compared numbers count, index or discriminate, and so give no derivative. In: an operand of
// a comparison, whose variable has an id. Out: whether its value may reach a result other than by
// comparisons, indices, remainders and further counting. Invariant: when unsure, it may.

import type ts from "typescript";
import { isAssignment, isUpdate } from "../syntax/assignments.ts";
import { bare } from "../syntax/wrappers.ts";
import type { Work } from "./work.ts";

const COMPARISONS = /^(?:[<>]=?|[!=]==?)$/;
const OF_BITS = /^(?:%|[&|^]|<<|>>>?)$/;
const SUMS = /^[-+*/]$/;
const ROUNDED = /^Math\.(?:floor|round|ceil|trunc|abs)$/;

/** Whether the slope at a number matters. */
export function hasSlope(work: Work, expression: ts.Expression): boolean {
  const { api } = work;
  const node = bare(expression, api);
  if (api.isNumericLiteral(node) || isTag(work, node) || isKept(work, node)) return false;
  if (api.isPropertyAccessExpression(node)) return !/^(?:length|size)$/.test(node.name.text);
  if (api.isPrefixUnaryExpression(node)) return hasSlope(work, node.operand);
  if (api.isBinaryExpression(node)) {
    const isOfBits = OF_BITS.test(node.operatorToken.getText());
    return !isOfBits && (hasSlope(work, node.left) || hasSlope(work, node.right));
  }
  if (!api.isIdentifier(node)) return true;
  const declaration = declarationAt(work, node);
  if (declaration === undefined) return true;
  const isConst =
    api.isVariableDeclaration(declaration) &&
    (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Const) !== 0;
  if (isConst && declaration.initializer !== undefined)
    return hasSlope(work, declaration.initializer);
  return usesOf(work, node, declaration).some((use) => !isCounting(work, use, declaration));
}

/** What a variable of the module keeps: `if (memo[i] === 0) memo[i] = …` asks if it is there. */
function isKept(work: Work, node: ts.Expression): boolean {
  const { api } = work;
  let root = node;
  while (api.isPropertyAccessExpression(root) || api.isElementAccessExpression(root))
    root = bare(root.expression, api);
  const declared = declarationAt(work, root);
  return (
    declared !== undefined &&
    api.isVariableDeclaration(declared) &&
    api.findAncestor(declared, api.isFunctionLike) === undefined
  );
}

/** Of an enum, or a union of literals. */
function isTag({ api, context }: Work, node: ts.Expression): boolean {
  const { EnumLike, NumberLiteral } = api.TypeFlags;
  const type = context.checker?.getTypeAtLocation(node);
  if (type === undefined) return false;
  return (type.isUnion() ? type.types : [type]).every(
    ({ flags }) => (flags & (EnumLike | NumberLiteral)) !== 0,
  );
}

/** The uses of a variable in the function that declares it. */
function usesOf(
  work: Work,
  { text }: ts.Identifier,
  declaration: ts.Declaration,
): readonly ts.Identifier[] {
  const { api } = work;
  const around = api.findAncestor(declaration.parent, (at) => api.isFunctionLike(at));
  const found: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    const isSame =
      api.isIdentifier(node) &&
      node.text === text &&
      node.parent !== declaration &&
      declarationAt(work, node) === declaration;
    if (isSame) found.push(node);
    api.forEachChild(node, visit);
  };
  visit(around ?? declaration.getSourceFile());
  return found;
}

/** Whether a use compares, indexes, or counts on. `isChanged`: by an integer, or rounded. */
function isCounting(
  work: Work,
  use: ts.Node,
  declaration: ts.Declaration,
  isChanged = false,
): boolean {
  const { api } = work;
  const { parent } = use;
  const goesOn = (changed: boolean): boolean => isCounting(work, parent, declaration, changed);
  if (api.isBinaryExpression(parent)) {
    const operator = parent.operatorToken.getText();
    const other = parent.left === use ? parent.right : parent.left;
    if (SUMS.test(operator)) return isWhole(other, api) && goesOn(true);
    const isOwn = parent.left === use || declarationAt(work, parent.left) === declaration;
    return (
      COMPARISONS.test(operator) || OF_BITS.test(operator) || (isAssignment(parent, api) && isOwn)
    );
  }
  if (api.isCallExpression(parent)) {
    const { expression } = parent;
    if (ROUNDED.test(expression.getText())) return goesOn(true);
    return expression !== use && (isChanged || isRecursive(work, parent));
  }
  return isWrapper(parent, api) ? goesOn(isChanged) : isIndexOrUpdate(parent, use, api);
}

const isIndexOrUpdate = (parent: ts.Node, use: ts.Node, api: typeof ts): boolean =>
  isUpdate(parent, api) ||
  (api.isElementAccessExpression(parent) && parent.argumentExpression === use);

const declarationAt = ({ context }: Work, node: ts.Node): ts.Declaration | undefined =>
  context.checker?.getSymbolAtLocation(node)?.valueDeclaration;

const isWrapper = (node: ts.Node, api: typeof ts): boolean =>
  api.isParenthesizedExpression(node) || api.isNonNullExpression(node) || api.isAsExpression(node);

/** A literal, or a variable, which is a counter as well if it is one of its kind. */
const isWhole = (node: ts.Expression, api: typeof ts): boolean =>
  api.isNumericLiteral(node) ? Number.isInteger(Number(node.text)) : api.isIdentifier(node);

/** Whether a function calls itself. */
function isRecursive(work: Work, call: ts.CallExpression): boolean {
  const callee = declarationAt(work, call.expression);
  return callee !== undefined && work.api.findAncestor(call, (at) => at === callee) !== undefined;
}
