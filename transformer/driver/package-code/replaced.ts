// Members of a package's class that packages put in place of those that its text has. In: modules,
// and the class. Out: their names. Invariant: of code whose class is not known, each member that it
// assigns may be replaced; where a whole prototype is handed on, all may be.

import type ts from "typescript";
import { isHeld, remembered, writesIn } from "../../syntax/changed-members.ts";
import { bare } from "../../syntax/wrappers.ts";
import { classOf, type ClassNode } from "./classes.ts";
import { type Found, isKey, isTopLevel, type Module, type Modules, symbolAt } from "./modules.ts";

type Api = typeof ts;

/** A file, and whether an expression in it is a class that is asked about. */
export interface Code {
  readonly source: ts.SourceFile;
  readonly meaning: (of: ts.Expression) => Meaning;
}

export type Meaning = "it" | "other" | "unknown";

/** What code may replace; static members apart. `own`: places where the class defines data. */
export function replacedBy(
  api: Api,
  all: readonly Code[],
  own: ReadonlySet<ts.Node>,
): { readonly own: Replaced; readonly statics: Replaced } {
  let isNamedAnew: boolean | undefined;
  const writes = all.flatMap(({ source, meaning }) =>
    writesIn(api, source).filter(({ of, isStatic, node }) => {
      if (own.has(node)) return false;
      const meant = of === undefined ? "unknown" : meaning(of);
      return (
        meant === "it" ||
        (meant === "unknown" &&
          (!isStatic || (isNamedAnew ??= all.some((code) => isHandedOn(api, code)))))
      );
    }),
  );
  const namesOf = (wanted: boolean): Replaced => {
    const names = writes.flatMap((each) => (each.isStatic === wanted ? [each.names] : []));
    return names.includes(null) ? null : new Set(names.flatMap((each) => each ?? []));
  };
  return { own: namesOf(false), statics: namesOf(true) };
}

/** Names; null for all. */
export type Replaced = ReadonlySet<string> | null;

/** These modules, and those that they load. */
export function loadedBy(api: Api, modules: Modules, roots: readonly Module[]): readonly Module[] {
  const found = new Set(roots);
  for (const module of found)
    for (const specifier of requestsOf(api, module.source)) {
      const next = modules.at(specifier, module.file, module);
      if (next !== null) found.add(next);
    }
  return [...found];
}

/** A module, in which one of these classes is "it". */
export const codeOf = (
  api: Api,
  modules: Modules,
  module: Module,
  nodes: ReadonlySet<ClassNode>,
): Code => ({
  source: module.source,
  meaning: (of) => meaningOf({ api, modules, module }, of, nodes),
});

const requestsOf = remembered((api, source) =>
  api.preProcessFile(source.text, true, true).importedFiles.map(({ fileName }) => fileName),
);

interface Scope {
  readonly api: Api;
  readonly modules: Modules;
  readonly module: Module;
}

/** Whether an expression is one of the classes. */
function meaningOf(scope: Scope, of: ts.Expression, nodes: ReadonlySet<ClassNode>): Meaning {
  const { api, modules, module } = scope;
  const name = bare(of, api);
  if (name.kind === api.SyntaxKind.ThisKeyword) {
    const block = api.findAncestor(name, api.isClassStaticBlockDeclaration);
    return block === undefined ? "unknown" : nodes.has(block.parent) ? "it" : "other";
  }
  if (api.isPropertyAccessExpression(name)) return ofModule(scope, name, nodes);
  if (!api.isIdentifier(name)) return "unknown";
  if (name.text === "exports" || name.text === "module") return "other";
  const symbol = symbolAt(api, module.checker, name);
  if (symbol !== undefined && !isTopLevel(api, symbol)) {
    const declared = symbol.valueDeclaration;
    return declared !== undefined && isOwnClass(api, declared) ? "other" : "unknown";
  }
  return foundMeaning(api, modules.local(module, name.text), nodes);
}

/** `m.C`, where `m` is an imported module */
function ofModule(
  { api, modules, module }: Scope,
  { expression: holder, name }: ts.PropertyAccessExpression,
  nodes: ReadonlySet<ClassNode>,
): Meaning {
  const from =
    api.isIdentifier(holder) && module.surface.imports.has(holder.text)
      ? modules.local(module, holder.text)
      : null;
  const found = from && modules.member(from, name.text, module);
  return found === null ? "unknown" : foundMeaning(api, found, nodes);
}

const isOwnClass = (api: Api, node: ts.Node): boolean =>
  api.isClassLike(node) || api.isFunctionDeclaration(node);

function foundMeaning(api: Api, found: Found | null, nodes: ReadonlySet<ClassNode>): Meaning {
  if (found?.kind !== "declared") return found?.kind === "global" ? "other" : "unknown";
  const meant = classOf(api, found);
  if (meant === null) return api.isFunctionDeclaration(found.node) ? "other" : "unknown";
  return nodes.has(meant) ? "it" : "other";
}

/** Whether an expression of the program's is one of the declared classes. */
export function meaningIn(
  { api, checker }: { readonly api: Api; readonly checker: ts.TypeChecker },
  of: ts.Expression,
  declared: ReadonlySet<ts.Symbol>,
): Meaning {
  const meant = meantBy(api, checker.getTypeAtLocation(of), declared);
  return meant === "it" && !api.isIdentifier(bare(of, api)) ? "unknown" : meant;
}

function meantBy(api: Api, type: ts.Type, declared: ReadonlySet<ts.Symbol>): Meaning {
  if (type.isUnion())
    return type.types.every((each) => meantBy(api, each, declared) === "other")
      ? "other"
      : "unknown";
  if (type.flags & (api.TypeFlags.Any | api.TypeFlags.Unknown | api.TypeFlags.TypeParameter))
    return "unknown";
  if (declared.has(type.symbol) && type.getConstructSignatures().length > 0) return "it";
  // a function's own prototype, or that of a class of the program or the library
  return (type.symbol as ts.Symbol | undefined)?.name === "Function" ? "unknown" : "other";
}

/** Whether such a class gets another name, as an argument or otherwise. */
export function isHandedOn(api: Api, { source, meaning }: Code): boolean {
  const visit = (at: ts.Node): boolean => {
    if (api.isTypeNode(at) && !api.isExpressionWithTypeArguments(at)) return false;
    if (api.isIdentifier(at) && (isKey(api, at) || isPlainUse(api, at))) return false;
    const isName = api.isIdentifier(at) || api.isPropertyAccessExpression(at);
    if (isName && !isPlainUse(api, at) && meaning(at) === "it") return !isAlias(at);
    return api.forEachChild(at, (child) => visit(child) || undefined) === true;
  };
  // `const D = C`, of which each use is known
  const isAlias = ({ parent }: ts.Node): boolean =>
    api.isVariableDeclaration(parent) &&
    api.isIdentifier(parent.name) &&
    meaning(parent.name) === "it";
  return visit(source);
}

/** `new C`, `C.member`, `x instanceof C`, `extends C`, and exports */
function isPlainUse(api: Api, name: ts.Expression): boolean {
  const { parent } = name;
  if (api.isNewExpression(parent)) return parent.expression === name;
  if (api.isBinaryExpression(parent))
    return !isHeld(api, parent) || /^(?:module\.)?exports\b/.test(parent.left.getText());
  return (
    api.isPropertyAccessExpression(parent) ||
    api.isElementAccessExpression(parent) ||
    api.isExpressionWithTypeArguments(parent) ||
    api.isExportAssignment(parent)
  );
}
