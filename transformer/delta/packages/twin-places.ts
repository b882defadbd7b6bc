// Where twins go in a module's own code, by syntax. In: functions and literals. Out: offsets, names
// and members. Invariant: nothing is evaluated twice that could have an effect.

import type ts from "typescript";
import { outermost, bare } from "../../syntax/wrappers.ts";
import { blockOf } from "../plan/places.ts";

type Api = typeof ts;

/** Where the first statement behind `"use strict"` begins. */
export const startOf = (api: Api, statements: readonly ts.Statement[], end: number): number => {
  const first = statements.find(
    (one) => !(api.isExpressionStatement(one) && api.isStringLiteral(one.expression)),
  );
  return first?.getStart() ?? statements.at(-1)?.end ?? end;
};

/** The block in all of which a variable is visible; null for a parameter of an arrow function. */
export function scopeOf(api: Api, declaration: ts.Declaration): ts.Node | null {
  const isVar =
    !api.isParameter(rootOf(api, declaration)) &&
    (api.getCombinedNodeFlags(declaration) & api.NodeFlags.BlockScoped) === 0;
  let block: ts.Node | null = blockOf(declaration, api);
  while (isVar && block !== null && !api.isSourceFile(block) && !isBody(api, block))
    block = blockOf(block, api);
  return block;
}

export function isAtTop(api: Api, node: ts.Node): boolean {
  const block = blockOf(node, api);
  return block !== null && api.isSourceFile(block);
}

/** The first statements of a block; null where it has none. */
export function statementsOf(api: Api, block: ts.Node): readonly ts.Statement[] | null {
  if (api.isSourceFile(block) || api.isBlock(block) || api.isModuleBlock(block))
    return block.statements;
  const clauses = api.isCaseBlock(block) ? block.clauses : [];
  return clauses.find(({ statements }) => statements.length > 0)?.statements ?? null;
}

const rootOf = (api: Api, declaration: ts.Node): ts.Node =>
  api.isBindingElement(declaration) ? rootOf(api, declaration.parent.parent) : declaration;

const isBody = (api: Api, block: ts.Node): boolean =>
  api.isFunctionLike(block.parent) || api.isClassStaticBlockDeclaration(block.parent);

/** The name that a function without one has by its place. */
export function inferredName(api: Api, node: ts.Expression): string {
  const { parent } = outermost(node, api);
  if (api.isExportAssignment(parent)) return "default";
  if (api.isBinaryExpression(parent))
    return api.isIdentifier(parent.left) && parent.right === outermost(node, api)
      ? parent.left.text
      : "";
  const named =
    api.isVariableDeclaration(parent) ||
    api.isParameter(parent) ||
    api.isBindingElement(parent) ||
    api.isPropertyAssignment(parent) ||
    api.isPropertyDeclaration(parent);
  return named && (api.isIdentifier(parent.name) || api.isStringLiteral(parent.name))
    ? parent.name.text
    : "";
}

/** `(function () { … })()`, also by `.call`, and `(function (root, factory) { … })(this, node)` */
export function isCalledAtOnce(api: Api, node: ts.Expression): boolean {
  const around = outermost(node, api);
  const { parent } = around;
  if (api.isCallExpression(parent))
    return parent.expression === around || isFactory(api, parent, bare(parent.expression, api));
  return (
    api.isPropertyAccessExpression(parent) &&
    /^(?:call|apply)$/.test(parent.name.text) &&
    api.isCallExpression(parent.parent) &&
    parent.parent.expression === parent
  );
}

/** Whether a call at load passes it to a function that is written there: it makes the module. */
const isFactory = (api: Api, call: ts.CallExpression, callee: ts.Expression): boolean =>
  (api.isFunctionExpression(callee) || api.isArrowFunction(callee)) &&
  api.findAncestor(call.parent, api.isFunctionLike) === undefined;
