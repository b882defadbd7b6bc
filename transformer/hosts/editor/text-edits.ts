// Edits that an editor makes on request, and the small syntactic steps that quick fixes consist of.

import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";

/** Replaces a span of a file. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A change with the words that offer it. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

export const replace = (source: ts.SourceFile, node: ts.Node, text: string): TextEdit => ({
  start: node.getStart(source),
  end: node.end,
  text,
});

export const insert = (at: number, text: string): TextEdit => ({ start: at, end: at, text });

/** Removes an item of a list, with the comma before or after it. */
export function remove<T extends ts.Node>(
  source: ts.SourceFile,
  items: readonly T[],
  item: T,
): TextEdit {
  const at = items.indexOf(item);
  const before = items[at - 1];
  const after = items[at + 1];
  if (before !== undefined) return { start: before.end, end: item.end, text: "" };
  const end = after === undefined ? item.end : after.getStart(source);
  return { start: item.getStart(source), end, text: "" };
}

/** Adds a name to the import of a module; null if there is no list of names. */
export function importName(
  api: TypeScript,
  source: ts.SourceFile,
  module: string,
  name: string,
): readonly TextEdit[] | null {
  for (const node of source.statements) {
    if (!api.isImportDeclaration(node) || !api.isStringLiteral(node.moduleSpecifier)) continue;
    const names = node.importClause?.namedBindings;
    if (node.moduleSpecifier.text !== module || names === undefined) continue;
    if (!api.isNamedImports(names)) continue;
    if (names.elements.some((one) => one.name.text === name)) return [];
    const last = names.elements.at(-1);
    if (last !== undefined) return [insert(last.end, `, ${name}`)];
  }
  return null;
}
