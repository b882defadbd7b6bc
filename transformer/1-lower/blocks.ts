// Finds the blocks of the user's code in which generated functions are placed.

import type ts from "typescript";
import type { TypeScript } from "./typescript.ts";

export type Block = ts.SourceFile | ts.Block | ts.CaseBlock | ts.ModuleBlock;

const isBlock = (node: ts.Node, api: TypeScript): node is Block =>
  api.isSourceFile(node) || api.isBlock(node) || api.isCaseBlock(node) || api.isModuleBlock(node);

export function blockAround(node: ts.Node, api: TypeScript): Block {
  let at = node.parent;
  while (!isBlock(at, api)) at = at.parent;
  return at;
}

/** The block in which a scope's declarations are visible; null if its body is no block. */
export function blockOfScope(scope: ts.Node, api: TypeScript): Block | null {
  if (isBlock(scope, api)) return scope;
  const body =
    api.isFunctionLike(scope) && "body" in scope
      ? scope.body
      : api.isForStatement(scope) || api.isForOfStatement(scope) || api.isForInStatement(scope)
        ? scope.statement
        : api.isCatchClause(scope)
          ? scope.block
          : undefined;
  return body !== undefined && isBlock(body, api) ? body : null;
}

/** The indentation of a generated line in the block. */
export function indentOf(block: ts.Node, text: string, api: TypeScript): string {
  const indentAt = (offset: number): string =>
    /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
  const first = api.isBlock(block) || api.isModuleBlock(block) ? block.statements[0] : undefined;
  const brace = indentAt(block.end - 1);
  const inner = first === undefined ? "" : indentAt(first.getStart());
  return inner.length > brace.length ? inner : `${brace}  `;
}
