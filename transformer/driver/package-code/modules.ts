// The ES modules of packages, by what they declare. In: a file and an exported name. Out: the
// declaration that it means, through imports and re-exports. Invariant: a name that anything in its
// module assigns, or an object that anything may change, is not counted as constant.

import type ts from "typescript";
import { loneChecker } from "../../delta/packages/module-uses.ts";
import type { Resolver } from "../../delta/packages/resolve.ts";
import { DEFAULT, type Surface, surfaceOf } from "../../delta/packages/surface.ts";

type Api = typeof ts;

export type Declaration =
  ts.FunctionDeclaration | ts.ClassDeclaration | ts.VariableDeclaration | ts.ExportAssignment;

/** A module of a package. */
export interface Module {
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly surface: Surface;
  /** Resolves names within the module alone. */
  readonly checker: ts.TypeChecker;
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Names that are assigned somewhere after their declaration. */
  readonly assigned: ReadonlySet<string>;
  /** Names whose objects may be changed, or given to code that may change them. */
  readonly exposed: ReadonlySet<string>;
}

export type Found =
  | { readonly kind: "module"; readonly module: Module }
  | {
      readonly kind: "declared";
      readonly module: Module;
      readonly name: string;
      readonly node: Declaration;
    };

export class Modules {
  readonly #api: Api;
  readonly #resolver: Resolver;
  readonly #read: (file: string) => string | undefined;
  readonly #known = new Map<string, Module | null>();
  /** The files that were read. */
  readonly texts = new Map<string, string | undefined>();

  constructor(api: Api, resolver: Resolver, read: (file: string) => string | undefined) {
    this.#api = api;
    this.#resolver = resolver;
    this.#read = read;
  }

  /** What a specifier leads to; null for anything but an ES module in JavaScript. */
  at(specifier: string, fromFile: string): Module | null {
    const target = this.#resolver.resolve(specifier, fromFile, false);
    return target.kind === "source" && /\.m?js$/.test(target.file) ? this.#open(target.file) : null;
  }

  exported(module: Module, name: string, seen: ReadonlySet<Module> = new Set()): Found | null {
    if (name === "*") return { kind: "module", module };
    if (seen.has(module)) return null;
    const { exports, forwarded, stars } = module.surface;
    const local = exports.get(name);
    if (local !== undefined) return this.local(module, local);
    const forward = forwarded.get(name);
    if (forward !== undefined) return this.#through(module, forward);
    if (name === "default") return null;
    for (const specifier of stars) {
      const next = this.at(specifier, module.file);
      const found = next && this.exported(next, name, new Set([...seen, module]));
      if (found !== null) return found;
    }
    return null;
  }

  /** What a name at the top of the module means. */
  local(module: Module, name: string): Found | null {
    const imported = module.surface.imports.get(name);
    if (imported !== undefined) return this.#through(module, imported);
    const node = module.declared.get(name);
    if (node === undefined) return null;
    const value = initialiserOf(this.#api, node);
    return value !== undefined && this.#api.isIdentifier(value) && !module.assigned.has(name)
      ? this.local(module, value.text)
      : { kind: "declared", module, name, node };
  }

  #through(
    module: Module,
    { specifier, imported }: { readonly specifier: string; readonly imported: string },
  ): Found | null {
    const next = this.at(specifier, module.file);
    return next && this.exported(next, imported);
  }

  #open(file: string): Module | null {
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const text = this.#read(file);
    this.texts.set(file, text);
    const made = text === undefined ? null : remembered(this.#api, file, text);
    this.#known.set(file, made);
    return made;
  }
}

/** The value of a variable, or of `export default …`. */
export const initialiserOf = (api: Api, node: Declaration): ts.Expression | undefined =>
  api.isVariableDeclaration(node)
    ? node.initializer
    : api.isExportAssignment(node)
      ? node.expression
      : undefined;

/** Modules of earlier programs, by file. */
const parsed = new Map<string, { readonly text: string; readonly module: Module | null }>();

function remembered(api: Api, file: string, text: string): Module | null {
  const key = `${api.version} ${file}`;
  const before = parsed.get(key);
  if (before?.text === text) return before.module;
  const module = moduleOf(api, file, text);
  parsed.set(key, { text, module });
  return module;
}

function moduleOf(api: Api, file: string, text: string): Module | null {
  const source = api.createSourceFile(file, text, api.ScriptTarget.ESNext, true, api.ScriptKind.JS);
  const surface = surfaceOf(api, source);
  if (!surface.isEsm) return null;
  const declared = declaredIn(api, source);
  let checker: ts.TypeChecker | null = null;
  let uses: ReturnType<typeof usesIn> | null = null;
  const ownChecker = (): ts.TypeChecker => (checker ??= loneChecker(api, source));
  const isOwn = (name: ts.Identifier): boolean =>
    declared.has(name.text) && isTopLevel(api, symbolAt(api, ownChecker(), name));
  const ownUses = (): ReturnType<typeof usesIn> => (uses ??= usesIn(api, source, isOwn));
  // a module that only passes names on needs neither
  return {
    ...{ file, source, surface, declared },
    get checker() {
      return ownChecker();
    },
    get assigned() {
      return ownUses().assigned;
    },
    get exposed() {
      return ownUses().exposed;
    },
  };
}

/** The variable that a name means. */
export const symbolAt = (
  api: Api,
  checker: ts.TypeChecker,
  node: ts.Identifier,
): ts.Symbol | undefined =>
  api.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);

/** Whether the module's top level declares or imports it. */
export const isTopLevel = (api: Api, symbol: ts.Symbol | undefined): boolean =>
  (symbol?.declarations ?? []).some((node) => {
    if (api.isImportSpecifier(node) || api.isImportClause(node) || api.isNamespaceImport(node))
      return true;
    if (api.isVariableDeclaration(node)) return api.isSourceFile(node.parent.parent.parent);
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
    return node.parent !== undefined && api.isSourceFile(node.parent);
  });

function declaredIn(api: Api, source: ts.SourceFile): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const node of source.statements) {
    if (api.isVariableStatement(node)) {
      for (const each of node.declarationList.declarations)
        if (api.isIdentifier(each.name)) found.set(each.name.text, each);
    } else if (api.isFunctionDeclaration(node) || api.isClassDeclaration(node))
      found.set(node.name?.text ?? DEFAULT, node);
    else if (api.isExportAssignment(node)) found.set(DEFAULT, node);
  }
  return found;
}

/** Assignments, and mentions of objects that may change them. */
function usesIn(
  api: Api,
  source: ts.SourceFile,
  isAtTop: (name: ts.Identifier) => boolean,
): Pick<Module, "assigned" | "exposed"> {
  const assigned = new Set<string>();
  const exposed = new Set<string>();
  const note = (names: Set<string>, name: ts.Identifier): void => {
    if (!names.has(name.text) && isAtTop(name)) names.add(name.text);
  };
  const targets = (node: ts.Node): void => {
    if (api.isIdentifier(node)) note(assigned, node);
    else if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)) {
      const root = rootOf(api, node);
      if (root !== null) note(exposed, root);
    } else api.forEachChild(node, targets);
  };
  const visit = (node: ts.Node): void => {
    const target = assignedBy(api, node);
    if (target !== null) targets(target);
    else if (api.isIdentifier(node) && !isKey(api, node) && !isRead(api, node)) note(exposed, node);
    api.forEachChild(node, visit);
  };
  visit(source);
  return { assigned, exposed };
}

/** What a node assigns, updates or deletes. */
function assignedBy(api: Api, node: ts.Node): ts.Node | null {
  if (api.isBinaryExpression(node))
    return isAssignment(api, node.operatorToken.kind) ? node.left : null;
  if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) {
    const { PlusPlusToken, MinusMinusToken } = api.SyntaxKind;
    return node.operator === PlusPlusToken || node.operator === MinusMinusToken
      ? node.operand
      : null;
  }
  if (api.isDeleteExpression(node)) return node.expression;
  return (api.isForOfStatement(node) || api.isForInStatement(node)) &&
    !api.isVariableDeclarationList(node.initializer)
    ? node.initializer
    : null;
}

const isAssignment = (api: Api, kind: ts.SyntaxKind): boolean =>
  kind >= api.SyntaxKind.FirstAssignment && kind <= api.SyntaxKind.LastAssignment;

function rootOf(api: Api, node: ts.Expression): ts.Identifier | null {
  if (api.isIdentifier(node)) return node;
  return api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)
    ? rootOf(api, node.expression)
    : null;
}

/** Whether an identifier is no reference, but the name of a member, a label or a declaration. */
export function isKey(api: Api, node: ts.Identifier): boolean {
  const { parent } = node;
  if (api.isPropertyAccessExpression(parent)) return parent.name === node;
  if (api.isBindingElement(parent)) return parent.propertyName === node || parent.name === node;
  if (api.isExportSpecifier(parent) || api.isImportSpecifier(parent)) return true;
  if (api.isLabeledStatement(parent) || api.isBreakOrContinueStatement(parent)) return true;
  return (
    "name" in parent &&
    parent.name === node &&
    !api.isShorthandPropertyAssignment(parent) &&
    !api.isExportAssignment(parent)
  );
}

/** Whether an object's parts are read there, so that the object itself goes nowhere. */
function isRead(api: Api, node: ts.Identifier): boolean {
  const { parent } = node;
  const isPart =
    (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
    parent.expression === node;
  if (!isPart) return false;
  return !(api.isCallExpression(parent.parent) && parent.parent.expression === parent);
}
