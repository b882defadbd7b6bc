// Collects the nodes of one kind in a file. Each file is walked once for each kind, whatever
// program it is in. Invariant: a test depends on nothing but the node.

import type ts from "typescript";
import type { TypeScript } from "./typescript.ts";
import { mentions } from "./names/mentions.ts";

/** `word` occurs in the source text of each node of the kind, which prunes the walk. */
export function nodesOfFile<N extends ts.Node>(
  word: string | null,
  test: (node: ts.Node, api: TypeScript) => node is N,
): (file: ts.SourceFile, api: TypeScript) => readonly N[] {
  const known = new WeakMap<ts.SourceFile, readonly N[]>();
  return (file, api) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const found: N[] = [];
    const mayHold = word === null ? () => true : mentions(file, [word]);
    const visit = (node: ts.Node): void => {
      if (!mayHold(node)) return;
      if (test(node, api)) found.push(node);
      api.forEachChild(node, visit);
    };
    visit(file);
    known.set(file, found);
    return found;
  };
}
