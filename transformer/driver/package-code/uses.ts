// What a user's file uses of packages. In: the file. Out: expressions that name what an import from
// a package gives, with the declarations in the package's JavaScript. Invariant: the import has
// types of its own, so that the user's code does not depend on what is found.

import type ts from "typescript";
import { isTsgrad } from "../../1-lower/index.ts";
import { classOf } from "./classes.ts";
import { isMemberRead, memberOf } from "./literals.ts";
import { type Found, isKey, type Modules } from "./modules.ts";

type Api = typeof ts;

type Declared = Found & { readonly kind: "declared" };

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
function importsOf(
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

/** An expression that an import leads to. */
type Mention = Omit<Use, "found"> & { readonly found: Found };

export const usesOf = (
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  modules: Modules,
): readonly Use[] =>
  mentionsOf(api, file, checker, modules).flatMap(({ node, found, specifier }) => {
    if (found.kind !== "declared") return [];
    const { parent } = node;
    if (api.isPropertyAccessExpression(parent) && parent.expression === node) {
      const member = memberOf(api, modules, found, parent.name.text);
      if (member !== null) return { node: parent, found: member, specifier };
    }
    return { node, found, specifier };
  });

/** What a file uses in other ways than by members that it reads: declarations and modules. */
export const exposedBy = (
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  modules: Modules,
): readonly ts.Node[] =>
  mentionsOf(api, file, checker, modules).flatMap(({ node, found }): ts.Node[] => {
    if (found.kind === "module") return [found.module.source];
    return found.kind === "global" || isMemberRead(api, node) ? [] : [found.node];
  });

function mentionsOf(
  api: Api,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  modules: Modules,
): readonly Mention[] {
  const imports = importsOf(api, file, checker);
  const found: Mention[] = [];
  if (imports.size === 0) return found;
  const visit = (node: ts.Node): void => {
    if (api.isImportDeclaration(node)) return;
    const imported = api.isIdentifier(node) ? imports.get(node.text) : undefined;
    if (!api.isIdentifier(node) || imported === undefined || isKey(api, node)) {
      api.forEachChild(node, visit);
      return;
    }
    const symbol = checker.getSymbolAtLocation(node);
    const declared = symbol?.declarations?.[0];
    if (symbol === undefined || declared === undefined) return;
    if (api.findAncestor(declared, api.isImportDeclaration) === undefined) return;
    const use = leadsTo(api, node, imported, modules, file.fileName);
    if (use === null || (imported.isType && classOf(api, use.found) === null)) return;
    found.push(use);
  };
  visit(file);
  return found;
}

/** `vec3.add` of `import { vec3 }`, which is a namespace. */
function leadsTo(
  api: Api,
  name: ts.Identifier,
  { specifier, imported }: Import,
  modules: Modules,
  fromFile: string,
): Mention | null {
  const module = modules.at(specifier, fromFile);
  let found = module && modules.exported(module, imported);
  let node: Use["node"] = name;
  while (found?.kind === "module") {
    const parent: ts.Node = node.parent;
    if (api.isQualifiedName(parent) && parent.left === node) {
      // a class as a type
      found = modules.exported(found.module, parent.right.text);
      node = parent.right;
      continue;
    }
    if (!api.isPropertyAccessExpression(parent) || parent.expression !== node) break;
    found = modules.exported(found.module, parent.name.text);
    node = parent;
  }
  return found && { node, found, specifier };
}
