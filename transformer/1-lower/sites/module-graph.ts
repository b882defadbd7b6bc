// The import graph of the user's files, and which of them can reach tsgrad.
// Input: a program. Output: the graph, and the modules that its imports of tsgrad resolve to.
// Package files and declaration files are not searched for call sites.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";
import { mentions } from "../names/mentions.ts";
import { isPackageFile } from "./package-files.ts";

export interface ModuleGraph {
  /** The user's own files, in the program's order. */
  readonly files: readonly ts.SourceFile[];
  /** Whether a file imports tsgrad, directly or transitively. */
  reachesTsgrad(file: ts.SourceFile): boolean;
  /** These files and all user files that they import, transitively. */
  closure(files: Iterable<string>): ReadonlySet<string>;
  /** Whether some user file imports both files, directly or transitively, or is one of them. */
  meet(x: ts.SourceFile, z: ts.SourceFile): boolean;
  /** The modules of `tsgrad` and its subpaths; empty where they cannot be resolved. */
  readonly entries: readonly ts.Symbol[];
}

const ENTRIES: ReadonlySet<string> = new Set([
  "tsgrad",
  "tsgrad/testing",
  "tsgrad/implicit",
  "tsgrad/vector",
  "tsgrad/tree",
]);

export const isTsgrad = (specifier: ts.Expression | undefined, api: TypeScript): boolean =>
  specifier !== undefined && api.isStringLiteralLike(specifier) && ENTRIES.has(specifier.text);

/** Module specifiers of a file's import and re-export declarations. */
export function specifiersOf(file: ts.SourceFile, api: TypeScript): ts.StringLiteralLike[] {
  const found: ts.StringLiteralLike[] = [];
  for (const statement of file.statements) {
    const specifier =
      api.isImportDeclaration(statement) || api.isExportDeclaration(statement)
        ? statement.moduleSpecifier
        : api.isImportEqualsDeclaration(statement) &&
            api.isExternalModuleReference(statement.moduleReference)
          ? statement.moduleReference.expression
          : undefined;
    if (specifier !== undefined && api.isStringLiteralLike(specifier)) found.push(specifier);
  }
  return found;
}

/** Module specifiers of `import("…")`, in values and in types. */
function specifiersWithin(file: ts.SourceFile, api: TypeScript): ts.StringLiteralLike[] {
  const found: ts.StringLiteralLike[] = [];
  const mayHold = mentions(file, ["import"]);
  const visit = (node: ts.Node): void => {
    if (!mayHold(node)) return;
    const specifier =
      api.isCallExpression(node) && node.expression.kind === api.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : api.isImportTypeNode(node) && api.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined;
    if (specifier !== undefined && api.isStringLiteralLike(specifier)) found.push(specifier);
    api.forEachChild(node, visit);
  };
  if (/\bimport\s*(?:\(|\/[*/])/.test(file.text)) visit(file);
  return found;
}

/** Whether any file names tsgrad. Most programs have none, so types need not be examined. */
export const mentionsTsgrad = (program: ts.Program): boolean =>
  program
    .getSourceFiles()
    .some((file) => !program.isSourceFileDefaultLibrary(file) && namesTsgrad(file));

/** A text search, so it also finds `import("tsgrad")`. */
export const namesTsgrad = (file: ts.SourceFile): boolean => /["'`]tsgrad\b/.test(file.text);

export function moduleGraph(api: TypeScript, program: ts.Program): ModuleGraph {
  const checker = checkerOf(program, api);
  const isOwn = (file: ts.SourceFile): boolean =>
    !isPackageFile(program, file) && !program.isSourceFileDefaultLibrary(file);
  const candidates = program
    .getSourceFiles()
    .filter((file) => !program.isSourceFileDefaultLibrary(file));
  const direct = candidates.filter((file) =>
    specifiersOf(file, api).some((specifier) => ENTRIES.has(specifier.text)),
  );
  const entries = new Set<ts.Symbol>();
  for (const file of direct) {
    for (const specifier of specifiersOf(file, api)) {
      const module = ENTRIES.has(specifier.text)
        ? checker.getSymbolAtLocation(specifier)
        : undefined;
      if (module !== undefined) entries.add(module);
    }
  }
  // packages are searched only if one of them re-exports tsgrad
  const throughPackages = direct.some((file) => !isOwn(file));
  const imports = memo((file: ts.SourceFile) =>
    importedFiles(file, api, checker).filter((next) => throughPackages || isOwn(next)),
  );
  const files = candidates.filter((file) => !file.isDeclarationFile && isOwn(file));
  return {
    files,
    entries: [...entries],
    meet: meeting(files, imports),
    reachesTsgrad: direct.length === 0 ? () => false : reachability(new Set(direct), imports),
    closure: (names) => closure(names, (file) => imports(file).filter(isOwn), program),
  };
}

function importedFiles(
  file: ts.SourceFile,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.SourceFile[] {
  return [...specifiersOf(file, api), ...specifiersWithin(file, api)].flatMap(
    (specifier) =>
      checker.getSymbolAtLocation(specifier)?.declarations?.find(api.isSourceFile) ?? [],
  );
}

function reachability(
  direct: ReadonlySet<ts.SourceFile>,
  imports: (file: ts.SourceFile) => readonly ts.SourceFile[],
): (file: ts.SourceFile) => boolean {
  return memo((start) => {
    const seen = new Set([start]);
    for (const file of seen) {
      if (direct.has(file)) return true;
      for (const next of imports(file)) seen.add(next);
    }
    return false;
  });
}

function meeting(
  files: readonly ts.SourceFile[],
  imports: (file: ts.SourceFile) => readonly ts.SourceFile[],
): ModuleGraph["meet"] {
  let known: Map<ts.SourceFile, ts.SourceFile[]> | null = null;
  const importersOf = (file: ts.SourceFile): readonly ts.SourceFile[] =>
    (known ??= importers(files, imports)).get(file) ?? [];
  const seeing = memo((file: ts.SourceFile): ReadonlySet<ts.SourceFile> => {
    const seen = new Set([file]);
    for (const each of seen) for (const next of importersOf(each)) seen.add(next);
    return seen;
  });
  return (x, z) => x === z || [...seeing(x)].some((file) => seeing(z).has(file));
}

function importers(
  files: readonly ts.SourceFile[],
  imports: (file: ts.SourceFile) => readonly ts.SourceFile[],
): Map<ts.SourceFile, ts.SourceFile[]> {
  const found = new Map<ts.SourceFile, ts.SourceFile[]>();
  for (const file of files)
    for (const next of imports(file)) found.set(next, [...(found.get(next) ?? []), file]);
  return found;
}

function closure(
  names: Iterable<string>,
  imports: (file: ts.SourceFile) => readonly ts.SourceFile[],
  program: ts.Program,
): ReadonlySet<string> {
  const seen = new Set<ts.SourceFile>();
  for (const name of names) {
    const file = program.getSourceFile(name);
    if (file !== undefined) seen.add(file);
  }
  for (const file of seen) for (const next of imports(file)) seen.add(next);
  return new Set([...seen].map((file) => file.fileName));
}

function memo<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (known.has(key)) return known.get(key) as V; // has() was asked
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
