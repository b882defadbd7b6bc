// The files that a file can see: itself, what it imports, and files with global declarations.
// Packages count as one level: their own imports change with them.

import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";

type Files = ReadonlySet<ts.SourceFile>;

export class Closures {
  readonly #ts: TypeScript;
  readonly #program: ts.Program;
  readonly #imports = new Map<ts.SourceFile, readonly ts.SourceFile[]>();
  readonly #found = new Map<string, Files>();
  readonly #global: readonly ts.SourceFile[];

  constructor(api: TypeScript, program: ts.Program) {
    this.#ts = api;
    this.#program = program;
    this.#global = program
      .getSourceFiles()
      .filter((file) => !api.isExternalModule(file) && !program.isSourceFileDefaultLibrary(file));
  }

  of(file: string): Files {
    const known = this.#found.get(file);
    if (known !== undefined) return known;
    const own = this.#program.getSourceFile(file);
    const found = new Set(this.#global);
    if (own !== undefined) found.add(own);
    for (const source of found) for (const next of this.#importsOf(source)) found.add(next);
    this.#found.set(file, found);
    return found;
  }

  #importsOf(source: ts.SourceFile): readonly ts.SourceFile[] {
    const known = this.#imports.get(source);
    if (known !== undefined) return known;
    const isPackage =
      this.#program.isSourceFileFromExternalLibrary(source) &&
      source.fileName.includes("/node_modules/");
    const found = isPackage ? [] : source.statements.flatMap((node) => this.#importedBy(node));
    this.#imports.set(source, found);
    return found;
  }

  #importedBy(node: ts.Statement): readonly ts.SourceFile[] {
    const isImport = this.#ts.isImportDeclaration(node) || this.#ts.isExportDeclaration(node);
    const specifier = isImport ? node.moduleSpecifier : undefined;
    if (specifier === undefined) return [];
    const symbol = this.#program.getTypeChecker().getSymbolAtLocation(specifier);
    return symbol?.declarations?.filter((one) => this.#ts.isSourceFile(one)) ?? [];
  }
}
