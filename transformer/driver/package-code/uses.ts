// What a user's file uses of packages. In: the file. Out: expressions that name what an import from
// a package gives, with the declarations in the package's JavaScript. Invariant: the import has
// types of its own, so that the user's code does not depend on what is found.

import type ts from "typescript";
import { isTsgrad } from "../../1-lower/index.ts";
import { bare, outermost } from "../../syntax/wrappers.ts";
import { classOf } from "./classes.ts";
import { packageFolder } from "./dependents.ts";
import { chainFrom, isOnlyRead, partOf } from "./literals.ts";
import { type Declared, type Found, isKey, type Modules, type Path, symbolAt } from "./modules.ts";

type Api = typeof ts;

export interface Use {
  readonly node: ts.Identifier | ts.PropertyAccessExpression;
  readonly found: Declared;
  readonly specifier: string;
}

interface Import {
  readonly isType: boolean;
  readonly specifier: string;
  readonly imported: string;
}

/** Imports of values from packages, by local name. */
export function importsOf(
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): ReadonlyMap<string, Import> {
  const found = new Map<string, Import>();
  for (const node of file.statements) {
    if (!api.isImportDeclaration(node) || !isOfPackage(api, node.moduleSpecifier, checker))
      continue;
    const specifier = "text" in node.moduleSpecifier ? String(node.moduleSpecifier.text) : "";
    const { importClause } = node;
    if (importClause === undefined) continue;
    const isType = importClause.isTypeOnly;
    if (importClause.name !== undefined)
      found.set(importClause.name.text, { specifier, imported: "default", isType });
    const { namedBindings } = importClause;
    if (namedBindings === undefined) continue;
    if (api.isNamespaceImport(namedBindings))
      found.set(namedBindings.name.text, { specifier, imported: "*", isType });
    else
      for (const { name, propertyName, isTypeOnly } of namedBindings.elements)
        found.set(name.text, {
          specifier,
          imported: (propertyName ?? name).text,
          isType: isType || isTypeOnly,
        });
  }
  return found;
}

function isOfPackage(api: Api, specifier: ts.Expression, checker: ts.TypeChecker): boolean {
  if (!api.isStringLiteral(specifier) || /^\.{0,2}\//.test(specifier.text)) return false;
  if (isTsgrad(specifier, api)) return false;
  // a file, or `declare module "name"` in one
  const file = checker.getSymbolAtLocation(specifier)?.declarations?.[0]?.getSourceFile();
  return file?.isDeclarationFile === true && file.fileName.includes("/node_modules/");
}

/** What a name of a user's file leads to: what an import gives, or a member of it. */
interface Meaning extends Omit<Import, "imported"> {
  readonly root: Found;
  readonly names: readonly string[];
}

interface Mention extends Meaning {
  readonly node: ts.Identifier;
}

/** `isAsked`: nodes whose code is asked about, with all that is in them. */
export const usesOf = (
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  modules: Modules,
  isAsked: (node: ts.Node) => boolean,
): readonly Use[] => {
  const meanings = new Meanings(api, checker, modules, importsOf(api, file, checker));
  const step = partOf(api, modules);
  return mentionsOf(api, file, meanings, isAsked).flatMap(({ names, root, isType, ...mention }) => {
    const start = names.reduce<Found | null>((found, name) => found && step(found, name), root);
    const { node, found } = chainFrom(api, { node: mention.node, found: start }, step);
    if (found?.kind !== "declared" || api.isExportSpecifier(node.parent)) return [];
    if (isType && classOf(api, found) === null) return [];
    return { node, found, specifier: mention.specifier };
  });
};

/**
 * What a program's files have of packages; a module where they take all of it elsewhere, null where
 * they load one in another way than by an import.
 */
export const importedBy = (
  api: Api,
  files: readonly ts.SourceFile[],
  asked: Asked,
): readonly (Found | null)[] => [
  ...(files.some((file) => loadsPackages(api, file)) ? [null] : []),
  ...outermostOf(api, files, asked).map(({ found }) => found),
];

interface Asked {
  readonly checker: ts.TypeChecker;
  readonly modules: Modules;
  /** Files of packages whose imports count. */
  readonly isOf: (file: string) => boolean;
}

/** `import("lib")`, `import(name)`, `require("lib")`, `import lib = require("lib")` */
const loadsPackages = (api: Api, file: ts.SourceFile): boolean =>
  loadsIn(api, file, (specifier) => specifier === null || !/^(?:\.{0,2}\/|node:)/.test(specifier));

/** Whether code loads such a module while it runs. `isSuch`: null for a name that is computed. */
export function loadsIn(
  api: Api,
  node: ts.Node,
  isSuch: (specifier: string | null, at: ts.Node) => boolean,
): boolean {
  const isLoad =
    api.isExternalModuleReference(node) ||
    (api.isCallExpression(node) &&
      (node.expression.kind === api.SyntaxKind.ImportKeyword ||
        (api.isIdentifier(node.expression) && node.expression.text === "require")));
  const name = isLoad && (api.isCallExpression(node) ? node.arguments[0] : node.expression);
  if (isLoad && isSuch(name && api.isStringLiteralLike(name) ? name.text : null, node)) return true;
  return api.forEachChild(node, (child) => loadsIn(api, child, isSuch) || undefined) === true;
}

/** Tells what a program's files take elsewhere of what packages export. */
export function exposureTest(
  api: Api,
  files: readonly ts.SourceFile[],
  checker: ts.TypeChecker,
  modules: Modules,
): (path: Path) => boolean {
  const isOpen = files.some((file) => loadsPackages(api, file));
  const known = new Map<string | undefined, Exposed>();
  /** No other package may use this one, so that imports of others do not count. */
  const exposedOf = (file: string): Exposed => {
    const folder = packageFolder(file);
    const isOf = (each: string): boolean => packageFolder(each) === folder;
    const found =
      known.get(folder) ?? exposedBy(outermostOf(api, files, { checker, modules, isOf }));
    known.set(folder, found);
    return found;
  };
  return ({ root, names: path }) => {
    if (isOpen) return true;
    const { isWhole, byNode } = exposedOf(root.module.file);
    return (
      isWhole ||
      (byNode.get(root.node) ?? []).some(({ node, names }) => {
        const isOnPath = names.length < path.length && names.every((name, i) => name === path[i]);
        const isNamed = (each: ts.Node): boolean => isRenamed(api, each);
        return isOnPath && !isOnlyRead(api, node, path.slice(names.length), isNamed);
      })
    );
  };
}

interface Exposed {
  /** Whether a whole module is taken elsewhere. */
  readonly isWhole: boolean;
  readonly byNode: ReadonlyMap<ts.Node, readonly Taken[]>;
}

function exposedBy(all: readonly Taken[]): Exposed {
  const byNode = new Map<ts.Node, Taken[]>();
  for (const taken of all)
    if (taken.found.kind === "declared")
      byNode.set(taken.found.node, [...(byNode.get(taken.found.node) ?? []), taken]);
  return { isWhole: all.some(({ found }) => found.kind === "module"), byNode };
}

/** An expression that gives what a package exports, or the member of it with these names. */
interface Taken {
  readonly node: ts.Node;
  readonly found: Found;
  readonly names: readonly string[];
}

/** Through namespaces; without those that only get another name. */
function outermostOf(
  api: Api,
  files: readonly ts.SourceFile[],
  { checker, modules, isOf }: Asked,
): readonly Taken[] {
  const taken: Taken[] = [];
  const mentions = files.flatMap((file) => {
    const imports = [...importsOf(api, file, checker)];
    const wanted = imports.filter(([, { specifier }]) =>
      isOf(modules.fileOf(specifier, file.fileName) ?? ""),
    );
    return mentionsOf(api, file, new Meanings(api, checker, modules, new Map(wanted)));
  });
  for (const mention of mentions) {
    if (mention.isType) continue;
    let { root, names }: { root: Found | null; names: readonly string[] } = mention;
    for (; root?.kind === "module" && names.length > 0; names = names.slice(1))
      root = modules.member(root, names[0] ?? "");
    const start = { node: mention.node, found: root };
    const { node, found } = chainFrom(api, start, (of, name) => modules.member(of, name));
    if (found !== null && !(found.kind === "module" && isRenamed(api, node)))
      taken.push({ node, found, names });
  }
  return taken;
}

/** Names that lead to packages: those of imports, and of constants with what these give. */
function mentionsOf(
  api: Api,
  file: ts.SourceFile,
  meanings: Meanings,
  isAsked: (node: ts.Node) => boolean = () => true,
): readonly Mention[] {
  if (meanings.imports.size === 0) return [];
  const texts = new Set(meanings.imports.keys());
  const mentions: ts.Identifier[] = [];
  const visit = (node: ts.Node, isWithin: boolean): void => {
    if (api.isImportDeclaration(node)) return;
    if (api.isVariableDeclaration(node) && isConstant(api, node))
      for (const name of namesIn(api, node.name)) texts.add(name);
    const isIn = isWithin || isAsked(node);
    const isName = api.isIdentifier(node) && (!isKey(api, node) || isLocalExport(api, node));
    if (isIn && isName) mentions.push(node);
    api.forEachChild(node, (child) => {
      visit(child, isIn);
    });
  };
  visit(file, false);
  return mentions.flatMap((node) => {
    const meaning = texts.has(node.text) ? meanings.of(node) : null;
    return meaning === null ? [] : [{ ...meaning, node }];
  });
}

class Meanings {
  readonly #api: Api;
  readonly #checker: ts.TypeChecker;
  readonly #modules: Modules;
  readonly imports: ReadonlyMap<string, Import>;
  readonly #known = new Map<ts.Symbol, Meaning | null>();

  constructor(
    api: Api,
    checker: ts.TypeChecker,
    modules: Modules,
    imports: ReadonlyMap<string, Import>,
  ) {
    this.#api = api;
    this.#checker = checker;
    this.#modules = modules;
    this.imports = imports;
  }

  of(name: ts.Identifier): Meaning | null {
    const symbol = this.#symbolOf(name);
    if (symbol === undefined) return null;
    const known = this.#known.get(symbol);
    if (known !== undefined) return known;
    this.#known.set(symbol, null);
    const [declared] = symbol.declarations ?? [];
    const meaning = declared === undefined ? null : this.#declaredBy(declared);
    this.#known.set(symbol, meaning);
    return meaning;
  }

  #symbolOf(name: ts.Identifier): ts.Symbol | undefined {
    const { parent } = name;
    return this.#api.isExportSpecifier(parent)
      ? this.#checker.getExportSpecifierLocalTargetSymbol(parent)
      : symbolAt(this.#api, this.#checker, name);
  }

  #declaredBy(declared: ts.Declaration): Meaning | null {
    const api = this.#api;
    if (api.isBindingElement(declared)) {
      const { name, propertyName = name, initializer, parent } = declared;
      if (!api.isObjectBindingPattern(parent) || initializer !== undefined) return null;
      if (!api.isIdentifier(propertyName) || declared.dotDotDotToken !== undefined) return null;
      return memberIn(this.#declaredBy(parent.parent), propertyName.text);
    }
    if (api.isVariableDeclaration(declared))
      return isConstant(api, declared) ? this.#valueOf(declared.initializer) : null;
    const name = api.isIdentifier(declared) ? declared : api.getNameOfDeclaration(declared);
    const isOfImport = api.findAncestor(declared, api.isImportDeclaration) !== undefined;
    const imported = isOfImport && name && this.imports.get(name.getText());
    if (!imported) return null;
    const module = this.#modules.at(imported.specifier, declared.getSourceFile().fileName);
    const root = module && this.#modules.exported(module, imported.imported);
    return root && { ...imported, root, names: [] };
  }

  #valueOf(wrapped: ts.Expression | undefined): Meaning | null {
    const node = wrapped && bare(wrapped, this.#api);
    if (node === undefined) return null;
    if (this.#api.isIdentifier(node)) return this.of(node);
    return this.#api.isPropertyAccessExpression(node)
      ? memberIn(this.#valueOf(node.expression), node.name.text)
      : null;
  }
}

const memberIn = (of: Meaning | null, name: string): Meaning | null =>
  of && { ...of, names: [...of.names, name] };

const isConstant = (api: Api, node: ts.VariableDeclaration): boolean =>
  (api.getCombinedNodeFlags(node) & api.NodeFlags.Constant) !== 0;

function namesIn(api: Api, name: ts.BindingName): readonly string[] {
  if (api.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((each) =>
    api.isBindingElement(each) ? namesIn(api, each.name) : [],
  );
}

/** `export { a }` */
const isLocalExport = (api: Api, { parent }: ts.Node): boolean =>
  api.isExportSpecifier(parent) && parent.parent.parent.moduleSpecifier === undefined;

/** Whether what an expression gives has only names of constants that no file exports. */
function isRenamed(api: Api, node: ts.Node): boolean {
  const value = outermost(node, api);
  const { parent } = value;
  if (!api.isVariableDeclaration(parent) || parent.initializer !== value) return false;
  const isExported = (api.getCombinedModifierFlags(parent) & api.ModifierFlags.Export) !== 0;
  const hasNames = (name: ts.BindingName): boolean =>
    api.isIdentifier(name) ||
    (api.isObjectBindingPattern(name) &&
      name.elements.every((each) => each.dotDotDotToken === undefined && hasNames(each.name)));
  return isConstant(api, parent) && !isExported && hasNames(parent.name);
}
