// The modules of packages, by what they declare. In: a file and an exported name. Out: the
// declaration that it means, through imports and re-exports. Invariant: a name that anything in its
// module assigns, or an object that anything may change, is not counted as constant.

import type ts from "typescript";
import { targetOf } from "../../syntax/assignments.ts";
import { loneChecker } from "../../delta/packages/module-uses.ts";
import type { Resolver } from "../../delta/packages/resolve.ts";
import { DEFAULT, type Surface, surfaceOf } from "../../delta/packages/surface.ts";
import type { Dependents } from "./dependents.ts";
import { assignedExport, commonJsOf, WHOLE } from "./commonjs.ts";

type Api = typeof ts;

/** An expression is the value of a CommonJS export, or of a member of a literal. */
export type Declaration =
  | ts.MethodDeclaration
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.VariableDeclaration
  | ts.ExportAssignment
  | ts.Expression;

/** Imports and exports. */
type Links = Pick<Surface, "isEsm" | "imports" | "exports" | "forwarded" | "stars"> & {
  /** A CommonJS module that was an ES module. */
  readonly isFlagged: boolean;
};

/** A module of a package. */
export interface Module {
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly surface: Links;
  /** Resolves names within the module alone. */
  readonly checker: ts.TypeChecker;
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Names that are assigned somewhere after their declaration. */
  readonly assigned: ReadonlySet<string>;
  /** By such a name: the functions of the module that assign it; null for other code. */
  readonly setters: ReadonlyMap<string, ReadonlySet<string | null>>;
  /** Names whose objects may be changed, or given to code that may change them. */
  readonly exposed: ReadonlySet<string>;
}

export type Found =
  | { readonly kind: "module"; readonly module: Module }
  /** A name of the language's library. */
  | { readonly kind: "global"; readonly name: string }
  | {
      readonly kind: "declared";
      readonly module: Module;
      readonly name: string;
      readonly node: Declaration;
      /** Of what stands in a literal. */
      readonly path?: Path;
    };

export type Declared = Found & { readonly kind: "declared" };

/** A variable with a literal, and the names that lead to a member of it. */
export interface Path {
  readonly root: Declared;
  readonly names: readonly string[];
}

/** Code outside of packages' modules. */
interface Outside {
  /** The user's. */
  readonly texts: readonly string[];
  /** Whether user code takes an object on the path elsewhere that an import gives. */
  readonly isExposed: (path: Path, modules: Modules) => boolean;
  readonly dependents: Dependents;
}

export class Modules {
  readonly #api: Api;
  readonly #resolver: Resolver;
  readonly #read: (file: string) => string | undefined;
  readonly #known = new Map<string, Module | null>();
  /** Files that the host loads without passing them through edits. */
  readonly #fixed = new Set<string>();
  /** The files that were read. */
  readonly texts = new Map<string, string | undefined>();

  readonly #mentions = new Map<string, { read: number; most: number }>();
  readonly #names = new Map<
    Module,
    { readonly read: number; readonly byNode: ReadonlyMap<Declaration, string> }
  >();
  readonly outside: Outside;

  constructor(
    api: Api,
    resolver: Resolver,
    read: (file: string) => string | undefined,
    outside: Outside,
  ) {
    this.outside = outside;
    this.#api = api;
    this.#resolver = resolver;
    this.#read = read;
  }

  /** What a specifier leads to; null for anything but a module in JavaScript. */
  at(specifier: string, fromFile: string, from?: Module): Module | null {
    const file = this.fileOf(specifier, fromFile, from);
    return file === null ? null : this.opened(file);
  }

  opened(file: string): Module | null {
    return /\.[cm]?js$/.test(file) ? this.#open(file) : null;
  }

  fileOf(specifier: string, fromFile: string, from?: Module): string | null {
    const target = this.#resolver.resolve(specifier, fromFile, from?.surface.isEsm === false);
    if (target.kind === "source" && !target.inPlace) this.#fixed.add(target.file);
    return target.kind === "source" ? target.file : null;
  }

  /** Whether the host loads the module with changes of its text. */
  isChangeable({ file }: Module): boolean {
    return !this.#fixed.has(file);
  }

  /** `from`: the module that imports it; absent for the user's. */
  exported(module: Module, name: string, from?: Module): Found | null {
    return this.#exported(module, name, { from, seen: new Set() });
  }

  #exported(module: Module, name: string, search: Search): Found | null {
    if (name === "*") return { kind: "module", module };
    if (search.seen.has(module)) return null;
    const { isEsm, isFlagged, exports, forwarded } = module.surface;
    if (name === "default" && !isEsm) {
      if (!isFlagged) return this.#exported(module, WHOLE, search);
      // hosts differ in what the default is for an ES module
      if (search.from?.surface.isEsm !== false) return null;
    }
    const local = exports.get(name);
    if (local !== undefined) return this.local(module, local);
    const forward = forwarded.get(name);
    if (forward !== undefined) return this.#through(module, forward);
    if (name === WHOLE) return { kind: "module", module };
    return name === "default" && isEsm ? null : this.#elsewhere(module, name, search);
  }

  /** What `export *` or `module.exports = require("x")` gives. */
  #elsewhere(module: Module, name: string, search: Search): Found | null {
    const { forwarded, stars } = module.surface;
    const deeper = { ...search, seen: new Set([...search.seen, module]) };
    for (const specifier of stars) {
      const next = this.at(specifier, module.file, module);
      const found = next && this.#exported(next, name, deeper);
      if (found !== null) return found;
    }
    const whole = forwarded.has(WHOLE) ? this.#exported(module, WHOLE, search) : null;
    return whole?.kind === "module" ? this.#exported(whole.module, name, deeper) : null;
  }

  /** A member of a namespace. */
  member(of: Found, name: string, from?: Module): Found | null {
    return of.kind === "module" ? this.exported(of.module, name, from) : null;
  }

  /** The name by which a module exports a declaration, also one of another module. */
  exportName(module: Module, node: Declaration): string | undefined {
    const known = this.#names.get(module);
    if (known?.read === this.texts.size) return known.byNode.get(node);
    const found = new Map<Declaration, string>();
    for (const name of module.surface.exports.keys()) {
      const exported = this.exported(module, name);
      if (exported?.kind === "declared" && !found.has(exported.node))
        found.set(exported.node, name);
    }
    this.#names.set(module, { read: this.texts.size, byNode: found });
    return found.get(node);
  }

  /** What a name at the top of the module means. */
  local(module: Module, name: string): Found | null {
    const imported = module.surface.imports.get(name);
    if (imported !== undefined) return this.#through(module, imported);
    const node = module.declared.get(name);
    if (node === undefined) return this.#isGlobal(module, name) ? { kind: "global", name } : null;
    const value = initialiserOf(this.#api, node);
    const isAlias = value !== undefined && this.#isSettled(module, name);
    return (
      (isAlias ? this.#alias(module, value) : null) ?? { kind: "declared", module, name, node }
    );
  }

  /** Whether it has its first value: functions that assign it are only there for the user. */
  #isSettled(module: Module, name: string): boolean {
    if (!module.assigned.has(name)) return true;
    const isUnused = (setter: string | null): boolean =>
      setter !== null && !this.#isMentioned(setter, module.file) && this.#mostMentions(setter) <= 1;
    const setters = [...(module.setters.get(name) ?? [null])];
    return setters.every(isUnused);
  }

  /** Whether code outside of a file's package may have a name. */
  #isMentioned(name: string, from: string): boolean {
    const { texts, dependents } = this.outside;
    return texts.some((text) => text.includes(name)) || dependents.has(from);
  }

  /** The modules that were read. */
  get all(): readonly Module[] {
    return [...this.#known.values()].flatMap((module) => module ?? []);
  }

  /** How often one of the modules mentions a name. */
  #mostMentions(name: string): number {
    const known = this.#mentions.get(name) ?? { read: 0, most: 0 };
    if (known.read < this.texts.size)
      for (const text of [...this.texts.values()].slice(known.read))
        known.most = Math.max(known.most, mentionsIn(text ?? "", name));
    known.read = this.texts.size;
    this.#mentions.set(name, known);
    return known.most;
  }

  #isGlobal({ checker, source }: Module, name: string): boolean {
    const { Value } = this.#api.SymbolFlags;
    return (
      /^[A-Za-z_$]\w*$/.test(name) &&
      !OF_MODULE.has(name) &&
      checker.resolveName(name, source, Value, false) === undefined
    );
  }

  /** What `f` or `m.f` means, `m` being an imported module. */
  #alias(module: Module, value: ts.Expression): Found | null {
    const api = this.#api;
    if (api.isIdentifier(value)) return this.local(module, value.text);
    const supported = supportedIn(api, value);
    if (supported !== null) return this.#alias(module, supported);
    if (!api.isPropertyAccessExpression(value) || !api.isIdentifier(value.expression)) return null;
    if (!module.surface.imports.has(value.expression.text)) return null;
    const of = this.local(module, value.expression.text);
    return of?.kind === "module" ? this.exported(of.module, value.name.text, module) : null;
  }

  #through(
    module: Module,
    { specifier, imported }: { readonly specifier: string; readonly imported: string },
  ): Found | null {
    const next = this.at(specifier, module.file, module);
    return next && this.exported(next, imported, module);
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

/** Exports of CommonJS mention a name without using it. */
const mentionsIn = (text: string, name: string): number =>
  text.replaceAll(`exports.${name} = ${name};`, "").split(name).length - 1;

/** `Float32Array` of `typeof Float32Array !== "undefined" ? Float32Array : Array` */
function supportedIn(api: Api, node: ts.Expression): ts.Identifier | null {
  if (!api.isConditionalExpression(node) || !api.isIdentifier(node.whenTrue)) return null;
  const { text } = node.whenTrue;
  const test = node.condition.getText().replaceAll("'", '"');
  return /^(?:Float(?:32|64)Array)$/.test(text) && test === `typeof ${text} !== "undefined"`
    ? node.whenTrue
    : null;
}

/** What CommonJS adds to the names of the language's library. */
const OF_MODULE = new Set(["module", "exports", "require", "__filename", "__dirname"]);

interface Search {
  readonly from: Module | undefined;
  readonly seen: ReadonlySet<Module>;
}

/** The value of a variable, or of an export. */
export function initialiserOf(api: Api, node: Declaration): ts.Expression | undefined {
  if (api.isVariableDeclaration(node)) {
    let value = node.initializer;
    // `const f = exports.f = …`
    while (value !== undefined && api.isBinaryExpression(value) && isExport(api, value))
      value = value.right;
    return value;
  }
  if (api.isExportAssignment(node)) return node.expression;
  return api.isExpression(node) ? node : undefined;
}

const isExport = (api: Api, { left, operatorToken }: ts.BinaryExpression): boolean =>
  operatorToken.kind === api.SyntaxKind.EqualsToken &&
  /^(?:module\.)?exports\b/.test(left.getText());

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
  const links = linksOf(api, source);
  if (links === null) return null;
  const { surface, values } = links;
  const { declared, repeated } = declaredIn(api, source);
  for (const [name, value] of values) declared.set(name, value);
  let checker: ts.TypeChecker | null = null;
  let uses: ReturnType<typeof usesIn> | null = null;
  const ownChecker = (): ts.TypeChecker => (checker ??= loneChecker(api, source));
  const isOwn = (name: ts.Identifier): boolean =>
    declared.has(name.text) && isTopLevel(api, symbolAt(api, ownChecker(), name));
  const ownUses = (): ReturnType<typeof usesIn> =>
    (uses ??= usesIn(api, source, { isAtTop: isOwn, repeated, exports: surface.exports }));
  // a module that only passes names on needs neither
  return {
    ...{ file, source, surface, declared },
    get checker() {
      return ownChecker();
    },
    get assigned() {
      return ownUses().assigned;
    },
    get setters() {
      return ownUses().setters;
    },
    get exposed() {
      return ownUses().exposed;
    },
  };
}

/** Null for a script, and for CommonJS whose exports are unknown. */
function linksOf(
  api: Api,
  source: ts.SourceFile,
): { readonly surface: Links; readonly values: ReadonlyMap<string, ts.Expression> } | null {
  const surface = surfaceOf(api, source);
  if (surface.isEsm) return { surface: { ...surface, isFlagged: false }, values: new Map() };
  const found = commonJsOf(api, source);
  return found && { surface: { ...found, isEsm: false }, values: found.values };
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
    if (api.isBindingElement(node)) return isTopBinding(api, node);
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
    return node.parent !== undefined && api.isSourceFile(node.parent);
  });

/** `const { a } = require("b")` at the top */
function isTopBinding(api: Api, node: ts.BindingElement): boolean {
  let at: ts.Node = node;
  while (api.isBindingElement(at) || api.isObjectBindingPattern(at)) at = at.parent;
  return api.isVariableDeclaration(at) && api.isSourceFile(at.parent.parent.parent);
}

function declaredIn(
  api: Api,
  source: ts.SourceFile,
): { readonly declared: Map<string, Declaration>; readonly repeated: ReadonlySet<string> } {
  const declared = new Map<string, Declaration>();
  const repeated = new Set<string>();
  const add = (name: string, node: Declaration): void => {
    if (declared.has(name)) repeated.add(name);
    declared.set(name, node);
  };
  for (const node of source.statements) {
    if (api.isVariableStatement(node)) {
      for (const each of node.declarationList.declarations)
        if (api.isIdentifier(each.name)) add(each.name.text, each);
    } else if (api.isFunctionDeclaration(node) || api.isClassDeclaration(node))
      add(node.name?.text ?? DEFAULT, node);
    else if (api.isExportAssignment(node)) add(DEFAULT, node);
  }
  return { declared, repeated };
}

interface Names {
  readonly isAtTop: (name: ts.Identifier) => boolean;
  /** Names that are declared twice. */
  readonly repeated: ReadonlySet<string>;
  readonly exports: Links["exports"];
}

/** Assignments, and mentions of objects that may change them. */
function usesIn(
  api: Api,
  source: ts.SourceFile,
  { isAtTop, repeated, exports }: Names,
): Pick<Module, "assigned" | "exposed" | "setters"> {
  const assigned = new Set(repeated);
  const setters = new Map<string, Set<string | null>>(
    [...repeated].map((name) => [name, new Set([null])]),
  );
  const exposed = new Set<string>();
  const note = (names: Set<string>, name: ts.Identifier): void => {
    if (!names.has(name.text) && isAtTop(name)) names.add(name.text);
  };
  const set = (name: string, by: string | null): void => {
    setters.set(name, (setters.get(name) ?? new Set()).add(by));
  };
  /** `exports.a = …` in a function */
  const setsExport = (node: ts.Node): boolean => {
    if (!api.isPropertyAccessExpression(node)) return false;
    const by = functionAround(api, node);
    const local = exports.get(assignedExport(api, node.expression) ?? "");
    if (by === null || local === undefined) return false;
    assigned.add(local);
    set(local, by);
    return true;
  };
  const targets = (node: ts.Node): void => {
    if (api.isIdentifier(node)) {
      note(assigned, node);
      set(node.text, functionAround(api, node));
    } else if (setsExport(node)) return;
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
  return { assigned, exposed, setters };
}

/** The name of the function at the top of the module that a node is in. */
function functionAround(api: Api, node: ts.Node): string | null {
  let at: ts.Node = node;
  while (!api.isSourceFile(at.parent)) at = at.parent;
  return api.isFunctionDeclaration(at) ? (at.name?.text ?? null) : null;
}

/** What a node assigns, updates or deletes. */
export const assignedBy = (api: Api, node: ts.Node): ts.Node | null =>
  api.isDeleteExpression(node) ? node.expression : targetOf(node, api);

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
