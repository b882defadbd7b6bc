// Resolves imports from packages. In: the symbol of a user file's name. Out: specifier and exported
// name, through re-exports. Invariant: null for user files and for tsgrad, but for its plain code.

import type ts from "typescript";

type TypeScript = typeof ts;

/** Parts of tsgrad that are differentiated like any package. */
const DIFFERENTIATED: ReadonlySet<string> = new Set(["tsgrad/vector", "tsgrad/tree"]);

export interface FromPackage {
  readonly specifier: string;
  /** `default`, or `*` for a namespace. */
  readonly exportName: string;
  /** The JavaScript file of the program that it names. */
  readonly ownFile?: ts.SourceFile;
}

export interface Importing {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  /** The files of the program. */
  readonly own: ReadonlySet<ts.SourceFile>;
  readonly ownModule: (specifier: string, fromFile: string) => ts.SourceFile | null;
}

/** JavaScript of the program counts as a package that its host extends. */
export function packageImport(symbol: ts.Symbol, importing: Importing): FromPackage | null {
  const { api, checker, own, ownModule } = importing;
  let inOwn: FromPackage | null = null;
  for (const { found, declaration } of importsOf(symbol, api, checker)) {
    const { specifier, exportName } = found;
    const ownFile = ownModule(specifier, declaration.getSourceFile().fileName);
    if (ownFile !== null) inOwn ??= { specifier, exportName, ownFile };
    else if (!/^[./]/.test(specifier)) {
      if (isTsgrad(specifier) && !DIFFERENTIATED.has(specifier)) return null;
      const module = checker
        .getSymbolAtLocation(found.module)
        ?.declarations?.find(api.isSourceFile);
      if (module === undefined || !own.has(module)) return { specifier, exportName };
    }
  }
  return inOwn;
}

/** The exported tsgrad name of `grad`, or of `lib` in `lib.grad`; null for others. */
export function tsgradImport(
  symbol: ts.Symbol,
  name: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): string | null {
  for (const { found } of importsOf(symbol, api, checker))
    if (isTsgrad(found.specifier))
      return found.exportName === "*" ? memberOf(name, api) : found.exportName;
  return null;
}

const isTsgrad = (specifier: string): boolean =>
  specifier === "tsgrad" || specifier.startsWith("tsgrad/");

/** The imports and re-exports by which a name is an alias, outermost first. */
function* importsOf(
  symbol: ts.Symbol,
  api: TypeScript,
  checker: ts.TypeChecker,
): Generator<{
  readonly found: NonNullable<ReturnType<typeof written>>;
  readonly declaration: ts.Declaration;
}> {
  const seen = new Set<ts.Symbol>();
  for (
    let at: ts.Symbol | undefined = symbol;
    at !== undefined && (at.flags & api.SymbolFlags.Alias) !== 0 && !seen.has(at);
    at = checker.getImmediateAliasedSymbol(at)
  ) {
    seen.add(at);
    for (const declaration of at.declarations ?? []) {
      const found = written(declaration, api);
      if (found !== null) yield { found, declaration };
    }
  }
}

const memberOf = (namespace: ts.Node, api: TypeScript): string | null =>
  api.isPropertyAccessExpression(namespace.parent) && namespace.parent.expression === namespace
    ? namespace.parent.name.text
    : null;

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
