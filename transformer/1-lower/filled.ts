// Whether stores fill a list without leaving holes. In: what it begins with, and `list[k] = v` in the order of the text. Out: whether some store may be beyond its end.
// Invariant: a store is taken to fill where its position is counted from the elements that are there, and each round of the loop stores; from then on, all stores are within.

import type ts from "typescript";
import { symbolMeant, type Names } from "./checker.ts";
import type { TypeScript } from "./context.ts";
import { unwrap } from "./unwrap.ts";

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
}

/** `new Array(n)` and `Array(n)` */
export function isNewList(node: ts.Expression, api: TypeScript): boolean {
  const count = api.isNewExpression(node) || api.isCallExpression(node) ? node.arguments : undefined;
  return count?.length === 1 && (api.isNewExpression(node) || api.isCallExpression(node)) && api.isIdentifier(node.expression) && node.expression.text === "Array";
}

export function leavesHoles({ stores, known: first, isFilled, isEmpty, made }: Filled, names: Names): boolean {
  const { api } = names;
  let known = first;
  for (const store of stores) {
    const at = unwrap(store.left.argumentExpression, api);
    if (!api.isNumericLiteral(at)) return !isEveryRound(store, api) || !countsFrom(at, known, store, names);
    const place = Number(at.text);
    if (place > known || (place === known && blockOf(store, api) !== blockOf(made, api) && !isFunctionOfItsOwn(store, made, api))) return true;
    known = Math.max(known, place + 1);
  }
  return isEmpty && !isFilled;
}

const blockOf = (node: ts.Node, api: TypeScript): ts.Node | undefined => api.findAncestor(node.parent, (each) => api.isBlock(each) || api.isSourceFile(each) || api.isIfStatement(each) || api.isClassLike(each));

/** A field is filled by whichever method comes first. */
const isFunctionOfItsOwn = (store: ts.Node, made: ts.Node, api: TypeScript): boolean => {
  const functionOf = (node: ts.Node): ts.Node | undefined => api.findAncestor(node.parent, api.isFunctionLike);
  return functionOf(store) !== functionOf(made) && blockOf(store, api)?.parent === functionOf(store);
};

/** Whether each round of the loop around a store stores, as far as branches say: `if (c) a[i] = x; else a[i] = y;` does. */
function isEveryRound(store: Store, api: TypeScript): boolean {
  const list = store.left.expression.getText();
  for (let at: ts.Node = store; !api.isIterationStatement(at, false) && !api.isFunctionLike(at) && !api.isSourceFile(at); at = at.parent) {
    const { parent } = at;
    if (api.isIfStatement(parent)) {
      const other = parent.thenStatement === at ? parent.elseStatement : parent.elseStatement === at ? parent.thenStatement : null;
      // `if (c) { a[i] = x; continue; }` leaves what follows to the other rounds
      if (other === undefined ? !/\b(continue|return)\b/.test(parent.thenStatement.getText()) : other !== null && !other.getText().includes(`${list}[`)) return false;
    } else if (api.isConditionalExpression(parent) || (api.isBinaryExpression(parent) && parent.right === at && !api.isBinaryExpression(at))) return false;
    else if (api.isBlock(parent) && skipsRound(parent, at, list, api)) return false;
  }
  return true;
}

/** `if (c) continue;` in front of the store */
const skipsRound = (block: ts.Block, at: ts.Node, list: string, api: TypeScript): boolean =>
  block.statements.some((each) => each.pos < at.pos && api.isIfStatement(each) && /\bcontinue\b/.test(each.getText()) && !each.getText().includes(`${list}[`));

/** Whether a position is counted up from what is there: `i`, `i + 1`, `i * m + j`, `k++`, `list.length`. */
function countsFrom(at: ts.Expression, known: number, store: Store, names: Names): boolean {
  const { api } = names;
  if (api.isPropertyAccessExpression(at)) return at.name.text === "length";
  if (api.isPostfixUnaryExpression(at)) return at.operator === api.SyntaxKind.PlusPlusToken && countsFrom(unwrap(at.operand, api), known, store, names);
  if (api.isIdentifier(at)) return startsBy(at, known, names);
  if (!api.isBinaryExpression(at)) return false;
  const [left, right] = [unwrap(at.left, api), unwrap(at.right, api)];
  if (at.operatorToken.kind === api.SyntaxKind.MinusToken) return api.isNumericLiteral(right) && countsFrom(left, known + Number(right.text), store, names);
  if (at.operatorToken.kind !== api.SyntaxKind.PlusToken) return false;
  const [counter, other] = api.isNumericLiteral(left) ? [right, left] : [left, right];
  if (api.isNumericLiteral(other)) return countsFrom(counter, known - Number(other.text), store, names);
  // rows and columns
  const isRow = (node: ts.Expression): boolean => api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.AsteriskToken;
  return (isRow(left) && countsFrom(right, known, store, names)) || (isRow(right) && countsFrom(left, known, store, names));
}

/** Whether a variable that is counted starts among the elements that are there, or goes down to the first. */
function startsBy(at: ts.Identifier, known: number, names: Names): boolean {
  const { api } = names, declaration = symbolMeant(at, names)?.valueDeclaration;
  if (declaration === undefined) return false;
  // `xs.forEach((x, i) => …)`, `for (const [i, x] of xs.entries())`
  if (api.isParameter(declaration)) return api.isCallExpression(declaration.parent.parent) && declaration.parent.parameters.indexOf(declaration) === 1 && known >= 0;
  if (api.isBindingElement(declaration)) return api.isForOfStatement(declaration.parent.parent.parent.parent) && /\.entries\(\)$/.test(declaration.parent.parent.parent.parent.expression.getText()) && known >= 0;
  if (!api.isVariableDeclaration(declaration)) return false;
  if ((api.getCombinedNodeFlags(declaration) & api.NodeFlags.Const) !== 0) return declaration.initializer !== undefined && /\.length$/.test(declaration.initializer.getText());
  const loop = declaration.parent.parent, { initializer } = declaration;
  const isCounter = api.isForStatement(loop), step = isCounter ? loop.incrementor?.getText() ?? "" : "";
  if (/--|-=/.test(step)) return /(>=?\s*(0|-1)|--\s*>\s*0)/.test(isCounter ? loop.condition?.getText() ?? "" : "");
  return initializer !== undefined && api.isNumericLiteral(initializer) && Number(initializer.text) <= known && (!isCounter || /^(\+\+\w+|\w+\+\+|\w+ \+= 1)$/.test(step.trim()));
}
