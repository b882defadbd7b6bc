// Walks over a node and all nodes inside it, in the order of the text. `isOutside`: such nodes and
// their children are left out. Children are those of `api.forEachChild`, which a host may replace.

import type ts from "typescript";

type Test = (node: ts.Node) => boolean;
const NONE: Test = () => false;

/** Whether `is` holds for a node. */
export function someNode(api: typeof ts, root: ts.Node, is: Test, isOutside: Test = NONE): boolean {
  const visit = (node: ts.Node): true | undefined =>
    !isOutside(node) && (is(node) || api.forEachChild(node, visit) === true) ? true : undefined;
  return visit(root) === true;
}

/** The nodes that `is` holds for. */
export function nodesIn<N extends ts.Node>(
  api: typeof ts,
  root: ts.Node,
  is: (node: ts.Node) => node is N,
  isOutside: Test = NONE,
): readonly N[] {
  const found: N[] = [];
  const visit = (node: ts.Node): void => {
    if (isOutside(node)) return;
    if (is(node)) found.push(node);
    api.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

/** The `return` statements of the function that the code belongs to. */
export const returnsWithin = (api: typeof ts, code: ts.Node): readonly ts.ReturnStatement[] =>
  nodesIn(api, code, api.isReturnStatement, api.isFunctionLike);

/** The expressions that a function returns. */
export function returnsIn(
  api: typeof ts,
  body: ts.ConciseBody | undefined,
): readonly ts.Expression[] {
  if (body === undefined) return [];
  if (!api.isBlock(body)) return [body];
  return returnsWithin(api, body).flatMap(({ expression }) => expression ?? []);
}

/** Whether code has `super`. */
export const mentionsSuper = (api: typeof ts, root: ts.Node): boolean =>
  someNode(api, root, ({ kind }) => kind === api.SyntaxKind.SuperKeyword);

/** Whether code has an identifier with that text. */
export const mentionsName = (api: typeof ts, root: ts.Node, name: string): boolean =>
  someNode(api, root, (node) => api.isIdentifier(node) && node.text === name);
