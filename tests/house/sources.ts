// The repository's own files, for house tests. In: nothing. Out: paths and texts, and what each file imports.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** Every node of a source for which `wanted` holds, as `line: text`. */
export function nodesOf(source: Source, wanted: (node: ts.Node) => boolean): string[] {
  const file = ts.createSourceFile(source.name, source.text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (wanted(node))
      found.push(
        `${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText().slice(0, 80)}`,
      );
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

export const root = path.resolve(import.meta.dirname, "../..");

export interface Source {
  /** From the repository's root, with slashes. */
  readonly name: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A repository file by name, or a package. */
  readonly target: string;
  readonly typeOnly: boolean;
}

export function sourcesIn(...folders: string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => read(path.posix.join(folder, name.split(path.sep).join("/")))),
  );
}

function read(name: string): Source {
  const text = readFileSync(path.join(root, name), "utf8");
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const imports = file.statements.flatMap((statement): Import[] => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return [];
    const target = specifier.text.startsWith(".")
      ? path.posix.join(path.posix.dirname(name), specifier.text)
      : specifier.text;
    return [{ target, typeOnly: isTypeOnly(statement) }];
  });
  return { name, text, imports };
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  return ts.isExportDeclaration(statement)
    ? statement.isTypeOnly
    : statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}
