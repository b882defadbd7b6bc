// Code of packages that a program can reach. In: what its files import, and their texts. Out: these
// declarations, and all that they mention, however far; of a class only the members whose names
// occur. Also the classes of which there may be instances (Bacon and Sweeney, rapid type analysis).
// Null where that is not known, since a module is passed on or leads to code that cannot be read.

import type ts from "typescript";
import { wordSet } from "../../5-emit/names/module-names.ts";
import { outermost } from "../../syntax/wrappers.ts";
import { isAssigned } from "../../syntax/assignments.ts";
import { classOf, type ClassNode } from "./classes.ts";
import { mentionsThis } from "./functions.ts";
import { type Declared, type Found, initialiserOf, type Module, type Modules } from "./modules.ts";
import { type Place, type Reference, referencesOf } from "./references.ts";
import { loadsIn } from "./uses.ts";

type Api = typeof ts;

export interface ReachableCode {
  /** What the program's imports lead to, and statements that run when its modules are loaded. */
  readonly nodes: ReadonlySet<ts.Node>;
  /** Also what all code leads to that runs when a module is loaded. */
  readonly all: ReadonlySet<ts.Node>;
  /** Classes at the top of a module that code names to make instances, here or elsewhere. */
  readonly made: ReadonlySet<ClassNode>;
}

/** Whether there may be instances of exactly this class. */
export const isMade = (api: Api, { made }: ReachableCode, node: ClassNode): boolean =>
  made.has(node) || !isAtTop(api, node);

function isAtTop(api: Api, node: ClassNode): boolean {
  if (api.isClassDeclaration(node)) return api.isSourceFile(node.parent);
  const { parent } = node;
  return api.isVariableDeclaration(parent) && api.isSourceFile(parent.parent.parent.parent);
}

/** Where code that can be reached begins. */
interface Roots {
  readonly imported: readonly (Found | null)[];
  /** Texts of the program. */
  readonly texts: readonly string[];
  /** Modules that are loaded. */
  readonly loaded: readonly Module[];
}

export function reachableFrom(api: Api, modules: Modules, roots: Roots): ReachableCode | null {
  const { found } = new Reaching(api, modules, { ...roots, loaded: [] });
  const whole = found && new Reaching(api, modules, roots).found;
  if (found === null || whole === null) return null;
  const statements = [...found.modules].flatMap((module) => loadedWith(api, module));
  const nodes = statements.flatMap(({ node }) => (api.isStatement(node) ? [node] : []));
  return {
    nodes: new Set([...found.nodes, ...nodes]),
    all: whole.nodes,
    made: whole.made,
  };
}

interface Reached {
  readonly nodes: ReadonlySet<ts.Node>;
  readonly made: ReadonlySet<ClassNode>;
  readonly modules: ReadonlySet<Module>;
}

class Reaching {
  readonly found: Reached | null;
  readonly #api: Api;
  readonly #modules: Modules;
  readonly #nodes = new Set<ts.Node>();
  readonly #made = new Set<ClassNode>();
  readonly #reached = new Set<ts.Node>();
  readonly #of = new Set<Module>();
  readonly #words = new Set<string>();
  /** Whether code may name members by names that it makes. */
  #isOpen = false;
  readonly #todo: (Found | null)[];
  /** Classes of which there may be instances, also of classes that derive. */
  readonly #alive = new Set<ClassNode>();
  /** Members of instances of other classes. */
  readonly #asleep = new Map<ClassNode, readonly MemberPart[]>();
  /** Members that wait for code that has their names. */
  readonly #waiting = new Map<string, MemberPart[]>();

  constructor(api: Api, modules: Modules, { imported, texts, loaded }: Roots) {
    this.#api = api;
    this.#modules = modules;
    this.#todo = [...imported];
    for (const text of texts) this.#mention(text);
    for (const found of imported) this.#make(found);
    for (const module of loaded) for (const node of loadedWith(api, module)) this.#add(node);
    const found = { nodes: this.#nodes, made: this.#made, modules: this.#of };
    this.found = this.#followAll() ? found : null;
  }

  #followAll(): boolean {
    for (let next = this.#todo.pop(); next !== undefined; next = this.#todo.pop()) {
      if (next?.kind === "global") continue;
      if (next?.kind !== "declared") return false;
      if (this.#reached.has(next.node)) continue;
      this.#reached.add(next.node);
      this.#of.add(next.module);
      const node = classOf(this.#api, next);
      if (node === null) this.#add({ found: next, node: next.node });
      else this.#addClass(next, node);
    }
    return true;
  }

  #addClass(found: Declared, node: ClassNode): void {
    const parts = [...(node.heritageClauses ?? []), ...node.members].map((each) => ({
      found,
      node: each,
    }));
    const ofInstances = parts.filter((part) => isOfInstances(this.#api, part.node));
    for (const part of parts) if (!ofInstances.includes(part)) this.#addMember(part);
    if (this.#alive.has(node)) for (const part of ofInstances) this.#addMember(part);
    else this.#asleep.set(node, ofInstances);
  }

  #addMember(part: MemberPart): void {
    const name = waitingName(this.#api, part.node);
    if (name === null || this.#isOpen || this.#words.has(name)) this.#add(part);
    else this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), part]);
  }

  /** A member of a class, or of the bases that are known. */
  #memberOf(found: Found | null, name: string): ts.ClassElement | null {
    const node = found && classOf(this.#api, found);
    if (found?.kind !== "declared" || node === null) return null;
    const own = node.members.find((each) => each.name?.getText() === name);
    const [clause] = node.heritageClauses ?? [];
    if (own !== undefined || clause === undefined) return own ?? null;
    const [base, ...others] = referencesOf(this.#api, this.#modules, found, clause).outer;
    return base === undefined || others.length > 0 ? null : this.#memberOf(base.target, name);
  }

  /** There may be instances that run the members of a class: those of its bases run, too. */
  #wake(found: Found | null): void {
    const node = found && classOf(this.#api, found);
    if (found?.kind !== "declared" || node === null || this.#alive.has(node)) return;
    this.#alive.add(node);
    for (const part of this.#asleep.get(node) ?? []) this.#addMember(part);
    for (const clause of node.heritageClauses ?? [])
      for (const { target } of referencesOf(this.#api, this.#modules, found, clause).outer)
        this.#wake(target);
  }

  #add({ found, node }: Part): void {
    this.#nodes.add(node);
    for (const { node: mention, target } of referencesOf(this.#api, this.#modules, found, node)
      .outer) {
      this.#todo.push(target);
      const memberOf = (name: string): ts.ClassElement | null => this.#memberOf(target, name);
      if (!isPlainMention(this.#api, mention, memberOf)) this.#make(target);
      else if (isPrototypeRead(this.#api, mention)) this.#wake(target);
    }
    this.#mention(node.getText());
    if (this.#loads(found, node)) this.#todo.push(null);
    if (this.#isOpen || !namesByKey(this.#api, node)) return;
    this.#isOpen = true;
    this.#mention([...this.#waiting.keys()].join(" "));
  }

  /** Whether code loads a module in another way than imports do. */
  #loads({ module }: Place, node: ts.Node): boolean {
    const api = this.#api;
    const isImport = (at: ts.Node): boolean =>
      !module.surface.isEsm && api.findAncestor(at, api.isFunctionLike) === undefined;
    return (
      /\b(?:import|require)\b/.test(node.getText()) &&
      loadsIn(api, node, (specifier, at) =>
        specifier === null
          ? true
          : !isImport(at) && this.#modules.at(specifier, module.file, module) !== null,
      )
    );
  }

  #make(found: Found | null): void {
    if (found?.kind !== "declared") return;
    const node = initialiserOf(this.#api, found.node) ?? found.node;
    if (this.#api.isClassLike(node)) this.#made.add(node);
    this.#wake(found);
  }

  #mention(text: string): void {
    for (const word of wordSet(text)) {
      this.#words.add(word);
      const parts = this.#waiting.get(word) ?? [];
      this.#waiting.delete(word);
      for (const part of parts) this.#add(part);
    }
  }
}

/** A declaration, or a part of one or of a module. */
interface Part {
  readonly found: Place;
  readonly node: ts.Node;
}

type MemberPart = Part & { readonly node: ts.ClassElement | ts.HeritageClause };

/** Whether a member does not run where there are no instances. */
const isOfInstances = (api: Api, node: MemberPart["node"]): boolean =>
  !api.isHeritageClause(node) &&
  !api.isClassStaticBlockDeclaration(node) &&
  (api.getCombinedModifierFlags(node) & api.ModifierFlags.Static) === 0;

/** `o["make" + kind]`, `o[name]()`: a name that no text may have. */
function namesByKey(api: Api, node: ts.Node): boolean {
  if (api.isElementAccessExpression(node) && !api.isStringLiteralLike(node.argumentExpression)) {
    const { parent } = node;
    const isCalled =
      (api.isCallExpression(parent) || api.isNewExpression(parent)) && parent.expression === node;
    const key = node.argumentExpression.getText();
    if (isCalled || (/["'`]/.test(key) && !SYMBOL.test(key))) return true;
  }
  return api.forEachChild(node, (child) => namesByKey(api, child) || undefined) === true;
}

const SYMBOL = /^Symbol\.for\(["'][^"']*["']\)$/;

/** The name without which a member does not run. */
function waitingName(api: Api, node: ts.ClassElement | ts.HeritageClause): string | null {
  if (api.isHeritageClause(node) || api.isPropertyDeclaration(node)) return null;
  const name = node.name !== undefined && api.isIdentifier(node.name) ? node.name.text : null;
  return name === null || IMPLICIT.test(name) ? null : name;
}

/** Members that the language calls: of iterators, promises, and objects that become texts. */
const IMPLICIT = /^(?:next|return|throw|then|toString|valueOf|toJSON)$/;

/** Code that runs when a module is loaded. */
const loadedWith = (api: Api, module: Module): readonly Part[] => {
  const { source, declared } = module;
  const nodes = new Set<ts.Node>(declared.values());
  const found = { kind: "module", module } as const;
  const isExport = (node: ts.Node): boolean =>
    api.isExportDeclaration(node) ||
    /^(?:Object\.defineProperty\(\s*exports|(?:module\.)?exports)\b/.test(node.getText());
  const calls = (node: ts.Node): boolean =>
    !api.isFunctionLike(node) &&
    (api.isCallExpression(node) ||
      api.isNewExpression(node) ||
      api.forEachChild(node, (child) => calls(child) || undefined) === true);
  const isStatic = (node: ts.ClassElement): boolean =>
    api.isClassStaticBlockDeclaration(node) ||
    (api.isPropertyDeclaration(node) &&
      (api.getCombinedModifierFlags(node) & api.ModifierFlags.Static) !== 0);
  return source.statements
    .flatMap((node): readonly ts.Node[] => {
      if (api.isVariableStatement(node)) return node.declarationList.declarations.filter(calls);
      if (api.isExportAssignment(node)) return [node.expression].filter(calls);
      if (api.isClassDeclaration(node)) {
        const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types);
        const keys = node.members.flatMap(({ name }) => name ?? []);
        return [...node.members.filter(isStatic), ...[...bases, ...keys].filter(calls)];
      }
      return nodes.has(node) || api.isImportDeclaration(node) || isExport(node) ? [] : [node];
    })
    .map((node) => ({ found, node }));
};

/** Whether code takes a member from `C.prototype`, and may run it for something else. */
function isPrototypeRead(api: Api, name: Reference["node"]): boolean {
  const { parent } = outermost(name, api);
  if (!api.isPropertyAccessExpression(parent) || parent.name.text !== "prototype") return false;
  const { parent: of } = parent;
  return (
    !(api.isPropertyAccessExpression(of) || api.isElementAccessExpression(of)) ||
    !isAssigned(of, api)
  );
}

/** Whether a mention of a class makes no instance of it, here or elsewhere. */
function isPlainMention(
  api: Api,
  name: Reference["node"],
  memberOf: (name: string) => ts.ClassElement | null,
): boolean {
  const node = outermost(name, api);
  const { parent } = node;
  if (api.isHeritageClause(parent)) return true;
  if (api.isBinaryExpression(parent))
    return parent.right === node && parent.operatorToken.kind === api.SyntaxKind.InstanceOfKeyword;
  if (!api.isPropertyAccessExpression(parent) || parent.expression !== node) return false;
  if (isAssigned(parent, api)) return true;
  const member = parent.name.text;
  if (member === "prototype") {
    const { parent: of } = parent;
    return (
      (api.isPropertyAccessExpression(of) && of.name.text !== "constructor") ||
      (api.isElementAccessExpression(of) && isAssigned(of, api))
    );
  }
  const found = memberOf(member);
  return (
    found !== null &&
    api.isMethodDeclaration(found) &&
    !mentionsThis(api, found) &&
    !/\bsuper\b/.test(found.getText())
  );
}
