// Whether stores fill an array without leaving holes. Input: its initial elements, and the stores
// `array[k] = v` in source order. Output: whether a store may be past the end. A store appends if
// its index counts up from the existing elements and each loop iteration stores.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { resolvedSymbol, type Names } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import { goesWithStores } from "./store-counters.ts";
import { someNode } from "../../syntax/walk.ts";

export type Store = ts.BinaryExpression & { readonly left: ts.ElementAccessExpression };

export interface ArrayFill {
  readonly stores: readonly Store[];
  /** Number of its initial elements. */
  readonly known: number;
  /** Whether it has further elements, of unknown number. */
  readonly isFilled: boolean;
  /** Whether it starts as holes only. */
  readonly isEmpty: boolean;
  /** The expression that allocates the array. */
  readonly made: ts.Node;
  readonly isOfList: (node: ts.Expression) => boolean;
}

/** `new Array(n)` and `Array(n)` */
export function isArrayConstruction(node: ts.Expression, api: TypeScript): boolean {
  const count =
    api.isNewExpression(node) || api.isCallExpression(node) ? node.arguments : undefined;
  return (
    count?.length === 1 &&
    (api.isNewExpression(node) || api.isCallExpression(node)) &&
    api.isIdentifier(node.expression) &&
    node.expression.text === "Array"
  );
}

export function leavesHoles(
  { stores, known: first, isFilled, isEmpty, made, isOfList }: ArrayFill,
  names: Names,
): boolean {
  const { api } = names;
  let known = first;
  for (const store of stores) {
    const at = bare(store.left.argumentExpression, api);
    if (!api.isNumericLiteral(at))
      return !isEveryIteration(store, isOfList, api) || !countsFrom(at, known, names);
    const place = Number(at.text);
    if (
      place > known ||
      (place === known &&
        blockOf(store, api) !== blockOf(made, api) &&
        !isFunctionOfItsOwn(store, made, api))
    )
      return true;
    known = Math.max(known, place + 1);
  }
  return isEmpty && !isFilled;
}

const blockOf = (node: ts.Node, api: TypeScript): ts.Node | undefined =>
  api.findAncestor(
    node.parent,
    (each) =>
      api.isBlock(each) ||
      api.isSourceFile(each) ||
      api.isIfStatement(each) ||
      api.isClassLike(each),
  );

/** Whether the store is at the top level of another function: fields are filled by methods. */
const isFunctionOfItsOwn = (store: ts.Node, made: ts.Node, api: TypeScript): boolean => {
  const functionOf = (node: ts.Node): ts.Node | undefined =>
    api.findAncestor(node.parent, api.isFunctionLike);
  return (
    functionOf(store) !== functionOf(made) && blockOf(store, api)?.parent === functionOf(store)
  );
};

/** Whether each iteration of the loop around a store stores: `if (c) a[i] = x; else a[i] = y;`. */
function isEveryIteration(store: Store, isOfList: ArrayFill["isOfList"], api: TypeScript): boolean {
  const reads = (node: ts.Node): boolean =>
    has(node, (each) => api.isElementAccessExpression(each) && isOfList(each.expression), api);
  // a return leaves the function, so holes do not matter; in a callback it acts like continue
  const isCallback = api.isFunctionLike(
    api.findAncestor(
      store.parent,
      (each) => api.isIterationStatement(each, false) || api.isFunctionLike(each),
    ) ?? store,
  );
  const isSkip = isCallback ? api.isReturnStatement : api.isContinueStatement;
  for (
    let at: ts.Node = store;
    !api.isIterationStatement(at, false) && !api.isFunctionLike(at) && !api.isSourceFile(at);
    at = at.parent
  )
    if (mayBypass(at, reads, isSkip, api)) return false;
  return true;
}

/** Whether an iteration may reach the parent of a node without executing the node. */
function mayBypass(
  at: ts.Node,
  reads: (node: ts.Node) => boolean,
  isSkip: (node: ts.Node) => boolean,
  api: TypeScript,
): boolean {
  const { parent } = at;
  if (api.isIfStatement(parent)) {
    const { thenStatement, elseStatement } = parent;
    const other =
      thenStatement === at ? elseStatement : elseStatement === at ? thenStatement : null;
    const ends = (node: ts.Node): boolean =>
      api.isContinueStatement(node) || api.isReturnStatement(node);
    // `if (c) { a[i] = x; continue; }` leaves the statements after it to the other iterations
    return other === undefined ? !has(thenStatement, ends, api) : other !== null && !reads(other);
  }
  if (
    api.isConditionalExpression(parent) ||
    (api.isBinaryExpression(parent) && parent.right === at && !api.isBinaryExpression(at))
  )
    return true;
  // `if (c) continue;`, or in a callback `if (c) return;`, before the store
  return (
    api.isBlock(parent) &&
    parent.statements.some(
      (each) =>
        each.pos < at.pos && api.isIfStatement(each) && has(each, isSkip, api) && !reads(each),
    )
  );
}

/** Whether a node contains another, not counting nested functions. */
const has = (node: ts.Node, is: (node: ts.Node) => boolean, api: TypeScript): boolean =>
  someNode(api, node, is, api.isFunctionLike);

/** Whether an index counts up from the existing elements: `i`, `i + 1`, `i * m + j`, `k++`. */
export function countsFrom(at: ts.Expression, known: number, names: Names): boolean {
  const { api } = names;
  if (api.isPropertyAccessExpression(at)) return at.name.text === "length";
  if (api.isPostfixUnaryExpression(at))
    return (
      at.operator === api.SyntaxKind.PlusPlusToken &&
      countsFrom(bare(at.operand, api), known, names)
    );
  if (api.isIdentifier(at)) return startsAtMost(at, known, names);
  if (!api.isBinaryExpression(at)) return false;
  const [left, right] = [bare(at.left, api), bare(at.right, api)];
  if (at.operatorToken.kind === api.SyntaxKind.MinusToken)
    return api.isNumericLiteral(right) && countsFrom(left, known + Number(right.text), names);
  if (at.operatorToken.kind !== api.SyntaxKind.PlusToken) return false;
  const [counter, other] = api.isNumericLiteral(left) ? [right, left] : [left, right];
  if (api.isNumericLiteral(other)) return countsFrom(counter, known - Number(other.text), names);
  // row and column indices
  const isRow = (node: ts.Expression): boolean =>
    api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.AsteriskToken;
  return (
    (isRow(left) && countsFrom(right, known, names)) ||
    (isRow(right) && countsFrom(left, known, names))
  );
}

/** Whether a counter starts among the existing elements, or counts down to the first. */
function startsAtMost(at: ts.Identifier, known: number, names: Names): boolean {
  const { api } = names;
  const declaration = resolvedSymbol(at, names)?.valueDeclaration;
  if (declaration === undefined) return false;
  if (api.isParameter(declaration) || api.isBindingElement(declaration))
    return isIterationIndex(declaration, api);
  if (!api.isVariableDeclaration(declaration)) return false;
  const { initializer } = declaration;
  const loop = declaration.parent.parent;
  if (initializer === undefined) return false;
  if ((api.getCombinedNodeFlags(declaration) & api.NodeFlags.Const) !== 0)
    return isNamed(bare(initializer, api), "length", api);
  if (!api.isForStatement(loop))
    return isUpTo(initializer, known, api) && goesWithStores(declaration, names);
  const isCounter = (node: ts.Expression): boolean =>
    api.isIdentifier(node) && resolvedSymbol(node, names) === resolvedSymbol(at, names);
  const step = stepOf(loop, isCounter, api);
  return step === "up"
    ? isUpTo(initializer, known, api)
    : step === "down" && lastOf(loop.condition, isCounter, api) <= known;
}

/** `i` of `xs.forEach((x, i) => …)` and of `for (const [i, x] of xs.entries())`. */
function isIterationIndex(
  declaration: ts.ParameterDeclaration | ts.BindingElement,
  api: TypeScript,
): boolean {
  if (api.isParameter(declaration))
    return (
      api.isCallExpression(declaration.parent.parent) &&
      declaration.parent.parameters.indexOf(declaration) === 1
    );
  const loop = declaration.parent.parent.parent.parent;
  const over = api.isForOfStatement(loop) ? bare(loop.expression, api) : null;
  return (
    over !== null &&
    api.isCallExpression(over) &&
    isNamed(over.expression, "entries", api) &&
    declaration.parent.elements[0] === declaration
  );
}

const isNamed = (node: ts.Expression, name: string, api: TypeScript): boolean =>
  api.isPropertyAccessExpression(node) && node.name.text === name;

/** A number of elements at most, or, of a list of unknown length, the length of any. */
const isUpTo = (node: ts.Expression, known: number, api: TypeScript): boolean =>
  (api.isNumericLiteral(node) && Number(node.text) <= known) ||
  (known === Infinity && isNamed(node, "length", api));

type Direction = "up" | "down" | null;
type Tokens = Record<"up" | "down", ts.SyntaxKind>;

const directionOf = (kind: ts.SyntaxKind, { up, down }: Tokens): Direction =>
  kind === up ? "up" : kind === down ? "down" : null;

/** How a loop changes its counter after each iteration, by one. */
function stepOf(
  { incrementor, condition }: ts.ForStatement,
  isCounter: (node: ts.Expression) => boolean,
  api: TypeScript,
): Direction {
  if (incrementor !== undefined) return stepIn(incrementor, isCounter, api);
  const isDecrement = (node: ts.Node): boolean =>
    api.isPostfixUnaryExpression(node) &&
    node.operator === api.SyntaxKind.MinusMinusToken &&
    isCounter(node.operand);
  return condition !== undefined && has(condition, isDecrement, api) ? "down" : null;
}

/** `i++`, `--i`, `i += 1`, `i = i - 1` */
function stepIn(
  node: ts.Expression,
  isCounter: (node: ts.Expression) => boolean,
  api: TypeScript,
): Direction {
  const { SyntaxKind } = api;
  const unary = { up: SyntaxKind.PlusPlusToken, down: SyntaxKind.MinusMinusToken };
  const compound = { up: SyntaxKind.PlusEqualsToken, down: SyntaxKind.MinusEqualsToken };
  const binary = { up: SyntaxKind.PlusToken, down: SyntaxKind.MinusToken };
  const isOne = (by: ts.Expression): boolean => api.isNumericLiteral(by) && Number(by.text) === 1;
  if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node))
    return isCounter(node.operand) ? directionOf(node.operator, unary) : null;
  if (!api.isBinaryExpression(node)) return null;
  const { left, right } = node;
  const { kind } = node.operatorToken;
  if (kind === SyntaxKind.CommaToken)
    return stepIn(left, isCounter, api) ?? stepIn(right, isCounter, api);
  if (!isCounter(left)) return null;
  if (kind !== SyntaxKind.EqualsToken) return isOne(right) ? directionOf(kind, compound) : null;
  return api.isBinaryExpression(right) && isCounter(right.left) && isOne(right.right)
    ? directionOf(right.operatorToken.kind, binary)
    : null;
}

/** The last value of a decremented counter: 0 for `i >= 0`, `i > -1`, `i--`; else Infinity. */
function lastOf(
  condition: ts.Expression | undefined,
  isCounter: (node: ts.Expression) => boolean,
  api: TypeScript,
): number {
  const { GreaterThanToken, GreaterThanEqualsToken, MinusMinusToken, MinusToken } = api.SyntaxKind;
  const isDecrement = (node: ts.Expression): boolean =>
    api.isPostfixUnaryExpression(node) &&
    node.operator === MinusMinusToken &&
    isCounter(node.operand);
  if (condition === undefined) return Infinity;
  if (isDecrement(condition)) return 0;
  if (!api.isBinaryExpression(condition)) return Infinity;
  const { left, right } = condition;
  const { kind } = condition.operatorToken;
  const [negated, digits] =
    api.isPrefixUnaryExpression(right) && right.operator === MinusToken
      ? [true, right.operand]
      : [false, right];
  if (!api.isNumericLiteral(digits)) return Infinity;
  const bound = Number(digits.text) * (negated ? -1 : 1);
  if (isDecrement(left))
    return kind === GreaterThanToken
      ? bound
      : kind === GreaterThanEqualsToken
        ? bound - 1
        : Infinity;
  return !isCounter(left)
    ? Infinity
    : kind === GreaterThanEqualsToken
      ? bound
      : kind === GreaterThanToken
        ? bound + 1
        : Infinity;
}
