// Where a node is in the source text.

import type ts from "typescript";

interface Origin {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

export const originOf = (node: ts.Node): Origin => ({
  file: node.getSourceFile().fileName,
  start: node.getStart(),
  end: node.end,
});

/** Whether the declaration is in a namespace block that does not contain the other node. */
export function isBeyondNamespace(declaration: ts.Node, at: ts.Node, api: typeof ts): boolean {
  const block = api.findAncestor(declaration, api.isModuleBlock);
  return block !== undefined && api.findAncestor(at, (each) => each === block) === undefined;
}
