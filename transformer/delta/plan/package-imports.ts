// Imports that lead into packages. In: the symbol of a name in a user file. Out: the specifier and the exported name that it stands for, through
// re-exports of user files. Invariant: null for names that lead to the program's own files, and for tsgrad's own, but for those of tsgrad/vector.

import type ts from "typescript";

type TypeScript = typeof ts;

export interface FromPackage {
  readonly specifier: string;
  /** `default`, or `*` for a namespace. */
  readonly exportName: string;
}

export function packageImport(
  symbol: ts.Symbol,
  own: ReadonlySet<ts.SourceFile>,
  api: TypeScript,
  checker: ts.TypeChecker,
): FromPackage | null {
  const seen = new Set<ts.Symbol>();
  for (
    let at: ts.Symbol | undefined = symbol;
    at !== undefined && (at.flags & api.SymbolFlags.Alias) !== 0 && !seen.has(at);
    at = checker.getImmediateAliasedSymbol(at)
  ) {
    seen.add(at);
    for (const declaration of at.declarations ?? []) {
      const found = written(declaration, api);
      if (found === null || found.specifier.startsWith(".") || found.specifier.startsWith("/"))
        continue;
      // functions of arrays are code like that of any package
      if (
        found.specifier !== "tsgrad/vector" &&
        (found.specifier === "tsgrad" || found.specifier.startsWith("tsgrad/"))
      )
        return null;
      const module = checker
        .getSymbolAtLocation(found.module)
        ?.declarations?.find(api.isSourceFile);
      if (module === undefined || !own.has(module))
        return { specifier: found.specifier, exportName: found.exportName };
    }
  }
  return null;
}

/** The exported name of tsgrad's that a name stands for; null for other names, and for tsgrad as a whole. */
export function tsgradImport(
  symbol: ts.Symbol,
  api: TypeScript,
  checker: ts.TypeChecker,
): string | null {
  const seen = new Set<ts.Symbol>();
  for (
    let at: ts.Symbol | undefined = symbol;
    at !== undefined && (at.flags & api.SymbolFlags.Alias) !== 0 && !seen.has(at);
    at = checker.getImmediateAliasedSymbol(at)
  ) {
    seen.add(at);
    for (const declaration of at.declarations ?? []) {
      const found = written(declaration, api);
      if (
        found !== null &&
        (found.specifier === "tsgrad" || found.specifier.startsWith("tsgrad/")) &&
        found.exportName !== "*"
      )
        return found.exportName;
    }
  }
  return null;
}

interface Written extends FromPackage {
  readonly module: ts.Expression;
}

function written(declaration: ts.Declaration, api: TypeScript): Written | null {
  const found = (module: ts.Expression | undefined, exportName: string): Written | null =>
    module !== undefined && api.isStringLiteralLike(module)
      ? { specifier: module.text, exportName, module }
      : null;
  if (api.isImportSpecifier(declaration))
    return found(
      declaration.parent.parent.parent.moduleSpecifier,
      (declaration.propertyName ?? declaration.name).text,
    );
  if (api.isExportSpecifier(declaration))
    return found(
      declaration.parent.parent.moduleSpecifier,
      (declaration.propertyName ?? declaration.name).text,
    );
  if (api.isImportClause(declaration)) return found(declaration.parent.moduleSpecifier, "default");
  if (api.isNamespaceImport(declaration))
    return found(declaration.parent.parent.moduleSpecifier, "*");
  if (api.isNamespaceExport(declaration)) return found(declaration.parent.moduleSpecifier, "*");
  if (
    api.isImportEqualsDeclaration(declaration) &&
    api.isExternalModuleReference(declaration.moduleReference)
  )
    return found(declaration.moduleReference.expression, "*");
  return null;
}
