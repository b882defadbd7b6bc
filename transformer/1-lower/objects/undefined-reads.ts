// Which element reads may be out of bounds, so that their value may be undefined.
// Input: an expression. Output: whether code tests it for undefined, or stores it where undefined
// is allowed. TypeScript treats element reads as defined by default. All other reads add their
// cotangent to the array without a test.

import type ts from "typescript";
import { bare, isWrapper } from "../../syntax/wrappers.ts";
import type { TypeScript } from "../typescript.ts";
import type { Frame } from "../frame.ts";
import { contextualType } from "./expected-types.ts";

/** `const x: T | undefined = a[i]`, or code that tests `x` later. */
export function mayReadUndefined(f: Frame, node: ts.VariableDeclaration): boolean {
  const { initializer } = node;
  if (initializer === undefined || !readsElement(f, initializer)) return false;
  if (node.type !== undefined && f.shape(f.ctx.typeOf(node.name)).kind === "opt") return true;
  return (
    includesUndefined(f, f.ctx.checker.getTypeAtLocation(initializer)) ||
    (f.api.isIdentifier(node.name) && isTestedForAbsence(f, node.name))
  );
}

/** `const [x] = xs`, where code tests `x` for undefined. */
export const bindsPossiblyUndefined = (f: Frame, { name }: ts.BindingElement): boolean =>
  f.api.isIdentifier(name) && isTestedForAbsence(f, name);

/** Whether code tests a variable: `x?.f`, `x ?? y`, `x === undefined`, `!x`. */
function isTestedForAbsence(f: Frame, name: ts.Identifier): boolean {
  const { api } = f;
  const symbol = f.symbolOf(name);
  const isNothing = (node: ts.Expression): boolean =>
    node.kind === api.SyntaxKind.NullKeyword ||
    (api.isIdentifier(node) && node.text === "undefined") ||
    api.isVoidExpression(node);
  const isTest = (node: ts.Expression): boolean => {
    const { parent } = node;
    if (isWrapper(parent, api)) return isTest(parent);
    if (
      (api.isPropertyAccessExpression(parent) ||
        api.isElementAccessExpression(parent) ||
        api.isCallExpression(parent)) &&
      parent.expression === node
    )
      return parent.questionDotToken !== undefined;
    if (api.isTypeOfExpression(parent)) return true;
    if (api.isPrefixUnaryExpression(parent))
      return parent.operator === api.SyntaxKind.ExclamationToken;
    if (!api.isBinaryExpression(parent))
      return api.isIfStatement(parent) || api.isWhileStatement(parent)
        ? parent.expression === node
        : api.isConditionalExpression(parent) && parent.condition === node;
    if (parent.operatorToken.kind === api.SyntaxKind.QuestionQuestionToken)
      return parent.left === node;
    return (
      isNothing(parent.left) || isNothing(parent.right) || isLogical(api, parent.operatorToken.kind)
    );
  };
  const walk = (node: ts.Node): boolean =>
    (api.isIdentifier(node) &&
      node !== name &&
      node.text === name.text &&
      f.symbolOf(node) === symbol &&
      (isTest(node) || flowsToOptionalPlace(f, node))) ||
    api.forEachChild(node, (child) => walk(child) || undefined) === true;
  return walk(api.findAncestor(name, (at) => api.isFunctionLike(at)) ?? f.root);
}

/** `a[i]`, or `c ? a[i] : b`. */
export function readsElement(f: Frame, node: ts.Expression): boolean {
  const inside = bare(node, f.api);
  return (
    f.api.isElementAccessExpression(inside) ||
    (f.api.isConditionalExpression(inside) &&
      (readsElement(f, inside.whenTrue) || readsElement(f, inside.whenFalse)))
  );
}

/** An element read that goes to an optional place, or is asserted to an optional type. */
export const isPossiblyUndefinedRead = (f: Frame, node: ts.Expression): boolean =>
  readsElement(f, node) &&
  (flowsToOptionalPlace(f, node) ||
    (f.api.isAsExpression(node) && includesUndefined(f, f.ctx.checker.getTypeAtLocation(node))));

/** `{ v: a[i] }` where `v` may be undefined. */
export function flowsToOptionalPlace(f: Frame, node: ts.Expression): boolean {
  const { api } = f;
  const { parent } = node;
  if (isWrapper(parent, api) || (api.isConditionalExpression(parent) && parent.condition !== node))
    return flowsToOptionalPlace(f, parent);
  if (isOperand(api, parent, node)) return mayBeUndefined(f, contextualType(f, node));
  if (!api.isShorthandPropertyAssignment(parent)) return false;
  const around = f.ctx.checker.getContextualType(parent.parent);
  const property =
    around === undefined
      ? undefined
      : f.ctx.checker.getPropertyOfType(f.ctx.checker.getNonNullableType(around), parent.name.text);
  return property !== undefined && mayBeUndefined(f, f.ctx.checker.getTypeOfSymbol(property));
}

/** Whether the parent passes the value to a place that has a contextual type. */
const isOperand = (api: TypeScript, parent: ts.Node, node: ts.Expression): boolean =>
  api.isPropertyAssignment(parent) ||
  api.isArrayLiteralExpression(parent) ||
  api.isReturnStatement(parent) ||
  (api.isArrowFunction(parent) && parent.body === node) ||
  ((api.isCallExpression(parent) || api.isNewExpression(parent)) && parent.expression !== node) ||
  (api.isBinaryExpression(parent) &&
    parent.operatorToken.kind === api.SyntaxKind.EqualsToken &&
    parent.right === node);

const mayBeUndefined = (f: Frame, type: ts.Type | undefined): boolean =>
  type !== undefined && includesUndefined(f, type);

const isLogical = (api: TypeScript, token: ts.SyntaxKind): boolean =>
  token === api.SyntaxKind.AmpersandAmpersandToken || token === api.SyntaxKind.BarBarToken;

const includesUndefined = (f: Frame, type: ts.Type): boolean =>
  type.isUnion() && type.types.some((part) => part.flags & f.api.TypeFlags.Undefined);
