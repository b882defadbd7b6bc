// Whether stores fill a list without leaving holes. In: what it begins with, and `list[k] = v` in the order of the text. Out: whether some store may be beyond its end.
// Invariant: a store is taken to fill where its position is counted from the elements that are there, and each round of the loop stores; from then on, all stores are within.

import type ts from "typescript";
import { symbolMeant, type Names } from "../checker.ts";
import type { TypeScript } from "../context.ts";
import { unwrap } from "../unwrap.ts";

export type Store = ts.BinaryExpression & { readonly left: ts.ElementAccessExpression };

export interface Filled {
  readonly stores: readonly Store[];
  /** How many elements it begins with. */
  readonly known: number;
  /** Whether it has elements besides, whose number nobody knows. */
  readonly isFilled: boolean;
  /** Whether it begins as nothing but holes. */
  readonly isEmpty: boolean;
  readonly made: ts.Node;
  readonly isOfList: (node: ts.Expression) => boolean;
}

/** `new Array(n)` and `Array(n)` */
export function isNewList(node: ts.Expression, api: TypeScript): boolean {
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
  { stores, known: first, isFilled, isEmpty, made, isOfList }: Filled,
  names: Names,
): boolean {
  const { api } = names;
  let known = first;
  for (const store of stores) {
    const at = unwrap(store.left.argumentExpression, api);
    if (!api.isNumericLiteral(at))
      return !isEveryRound(store, isOfList, api) || !countsFrom(at, known, store, names);
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

/** A field is filled by whichever method comes first. */
const isFunctionOfItsOwn = (store: ts.Node, made: ts.Node, api: TypeScript): boolean => {
  const functionOf = (node: ts.Node): ts.Node | undefined =>
    api.findAncestor(node.parent, api.isFunctionLike);
  return (
    functionOf(store) !== functionOf(made) && blockOf(store, api)?.parent === functionOf(store)
  );
};

/** Whether each round of the loop around a store stores, as far as branches say: `if (c) a[i] = x; else a[i] = y;` does. */
function isEveryRound(store: Store, isOfList: Filled["isOfList"], api: TypeScript): boolean {
  const reads = (node: ts.Node): boolean =>
    has(node, (each) => api.isElementAccessExpression(each) && isOfList(each.expression), api);
  const ends = (node: ts.Node): boolean =>
    has(node, (each) => api.isContinueStatement(each) || api.isReturnStatement(each), api);
  // behind a return of the whole function nobody asks for the list's holes; of a callback it is what continue is of a loop
  const isCallback = api.isFunctionLike(
    api.findAncestor(
      store.parent,
      (each) => api.isIterationStatement(each, false) || api.isFunctionLike(each),
    ) ?? store,
  );
  const skips = (node: ts.Node): boolean =>
    has(
      node,
      (each) => (isCallback ? api.isReturnStatement(each) : api.isContinueStatement(each)),
      api,
    );
  for (
    let at: ts.Node = store;
    !api.isIterationStatement(at, false) && !api.isFunctionLike(at) && !api.isSourceFile(at);
    at = at.parent
  ) {
    const { parent } = at;
    if (api.isIfStatement(parent)) {
      const other =
        parent.thenStatement === at
          ? parent.elseStatement
          : parent.elseStatement === at
            ? parent.thenStatement
            : null;
      // `if (c) { a[i] = x; continue; }` leaves what follows to the other rounds
      if (other === undefined ? !ends(parent.thenStatement) : other !== null && !reads(other))
        return false;
    } else if (
      api.isConditionalExpression(parent) ||
      (api.isBinaryExpression(parent) && parent.right === at && !api.isBinaryExpression(at))
    )
      return false;
    // `if (c) continue;`, and in a callback `if (c) return;`, in front of the store
    else if (
      api.isBlock(parent) &&
      parent.statements.some(
        (each) => each.pos < at.pos && api.isIfStatement(each) && skips(each) && !reads(each),
      )
    )
      return false;
  }
  return true;
}

/** Whether something stands in a node, functions in it left out. */
const has = (node: ts.Node, is: (node: ts.Node) => boolean, api: TypeScript): boolean =>
  is(node) ||
  (!api.isFunctionLike(node) &&
    api.forEachChild(node, (child) => has(child, is, api) || undefined) === true);

/** Whether a position is counted up from what is there: `i`, `i + 1`, `i * m + j`, `k++`, `list.length`. */
function countsFrom(at: ts.Expression, known: number, store: Store, names: Names): boolean {
  const { api } = names;
  if (api.isPropertyAccessExpression(at)) return at.name.text === "length";
  if (api.isPostfixUnaryExpression(at))
    return (
      at.operator === api.SyntaxKind.PlusPlusToken &&
      countsFrom(unwrap(at.operand, api), known, store, names)
    );
  if (api.isIdentifier(at)) return startsBy(at, known, names);
  if (!api.isBinaryExpression(at)) return false;
  const [left, right] = [unwrap(at.left, api), unwrap(at.right, api)];
  if (at.operatorToken.kind === api.SyntaxKind.MinusToken)
    return (
      api.isNumericLiteral(right) && countsFrom(left, known + Number(right.text), store, names)
    );
  if (at.operatorToken.kind !== api.SyntaxKind.PlusToken) return false;
  const [counter, other] = api.isNumericLiteral(left) ? [right, left] : [left, right];
  if (api.isNumericLiteral(other))
    return countsFrom(counter, known - Number(other.text), store, names);
  // rows and columns
  const isRow = (node: ts.Expression): boolean =>
    api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.AsteriskToken;
  return (
    (isRow(left) && countsFrom(right, known, store, names)) ||
    (isRow(right) && countsFrom(left, known, store, names))
  );
}

/** Whether a variable that is counted starts among the elements that are there, or goes down to the first. */
function startsBy(at: ts.Identifier, known: number, names: Names): boolean {
  const { api } = names;
  const declaration = symbolMeant(at, names)?.valueDeclaration;
  if (declaration === undefined) return false;
  // `xs.forEach((x, i) => …)`, `for (const [i, x] of xs.entries())`
  if (api.isParameter(declaration))
    return (
      api.isCallExpression(declaration.parent.parent) &&
      declaration.parent.parameters.indexOf(declaration) === 1
    );
  if (api.isBindingElement(declaration)) {
    const list = declaration.parent.parent.parent.parent;
    const over = api.isForOfStatement(list) ? unwrap(list.expression, api) : null;
    return (
      over !== null &&
      api.isCallExpression(over) &&
      isNamed(over.expression, "entries", api) &&
      declaration.parent.elements[0] === declaration
    );
  }
  if (!api.isVariableDeclaration(declaration)) return false;
  const { initializer } = declaration;
  const loop = declaration.parent.parent;
  if (initializer === undefined) return false;
  if ((api.getCombinedNodeFlags(declaration) & api.NodeFlags.Const) !== 0)
    return isNamed(unwrap(initializer, api), "length", api);
  if (!api.isForStatement(loop)) return isUpTo(initializer, known, api);
  const isCounter = (node: ts.Expression): boolean =>
    api.isIdentifier(node) && symbolMeant(node, names) === symbolMeant(at, names);
  const step = stepOf(loop, isCounter, api);
  return step === "up"
    ? isUpTo(initializer, known, api)
    : step === "down" && lastOf(loop.condition, isCounter, api) <= known;
}

const isNamed = (node: ts.Expression, name: string, api: TypeScript): boolean =>
  api.isPropertyAccessExpression(node) && node.name.text === name;

const isUpTo = (node: ts.Expression, known: number, api: TypeScript): boolean =>
  api.isNumericLiteral(node) && Number(node.text) <= known;

/** What a loop does with its counter behind each round: one more, or less. */
function stepOf(
  { incrementor, condition }: ts.ForStatement,
  isCounter: (node: ts.Expression) => boolean,
  api: TypeScript,
): "up" | "down" | null {
  const {
    PlusPlusToken,
    MinusMinusToken,
    PlusEqualsToken,
    MinusEqualsToken,
    EqualsToken,
    PlusToken,
    MinusToken,
    CommaToken,
  } = api.SyntaxKind;
  const stepIn = (node: ts.Expression): "up" | "down" | null => {
    if (
      (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) &&
      isCounter(node.operand)
    )
      return node.operator === PlusPlusToken
        ? "up"
        : node.operator === MinusMinusToken
          ? "down"
          : null;
    if (!api.isBinaryExpression(node)) return null;
    const {
      left,
      right,
      operatorToken: { kind },
    } = node;
    const isOne = (by: ts.Expression): boolean => api.isNumericLiteral(by) && Number(by.text) === 1;
    if (kind === CommaToken) return stepIn(left) ?? stepIn(right);
    if (!isCounter(left)) return null;
    if (kind === PlusEqualsToken || kind === MinusEqualsToken)
      return isOne(right) ? (kind === PlusEqualsToken ? "up" : "down") : null;
    if (
      kind !== EqualsToken ||
      !api.isBinaryExpression(right) ||
      !isCounter(right.left) ||
      !isOne(right.right)
    )
      return null;
    return right.operatorToken.kind === PlusToken
      ? "up"
      : right.operatorToken.kind === MinusToken
        ? "down"
        : null;
  };
  if (incrementor !== undefined) return stepIn(incrementor);
  return condition !== undefined &&
    has(
      condition,
      (node) =>
        api.isPostfixUnaryExpression(node) &&
        node.operator === MinusMinusToken &&
        isCounter(node.operand),
      api,
    )
    ? "down"
    : null;
}

/** The last value of a counter that goes down by one: 0 where the loop asks `i >= 0`, `i > -1`, `i-- > 0` or `i--`; Infinity where nobody knows. */
function lastOf(
  condition: ts.Expression | undefined,
  isCounter: (node: ts.Expression) => boolean,
  api: TypeScript,
): number {
  const { GreaterThanToken, GreaterThanEqualsToken, MinusMinusToken, MinusToken } = api.SyntaxKind;
  const isTaken = (node: ts.Expression): boolean =>
    api.isPostfixUnaryExpression(node) &&
    node.operator === MinusMinusToken &&
    isCounter(node.operand);
  if (condition === undefined) return Infinity;
  if (isTaken(condition)) return 0;
  if (!api.isBinaryExpression(condition)) return Infinity;
  const {
    left,
    right,
    operatorToken: { kind },
  } = condition;
  const [negated, digits] =
    api.isPrefixUnaryExpression(right) && right.operator === MinusToken
      ? [true, right.operand]
      : [false, right];
  if (!api.isNumericLiteral(digits)) return Infinity;
  const bound = Number(digits.text) * (negated ? -1 : 1);
  if (isTaken(left))
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
