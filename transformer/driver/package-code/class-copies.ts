// Classes of packages that a program's derivatives reach. In: classes that code names, or that
// types name. Out: one copy of each class for the whole program, in the file that needed it first.
// Invariant: a class is copied only if the user's package exports it, with a declared class.

import type ts from "typescript";
import { dataOf } from "../../syntax/changed-members.ts";
import { claimName, wordSet } from "../../5-emit/names/module-names.ts";
import { addAbstract } from "./abstract-bases.ts";
import {
  assignersOf,
  classOf,
  type ClassNode,
  type ClassShape,
  declareFields,
  definedFields,
  enliven,
  hasAccessor,
  isOdd,
} from "./classes.ts";
import { baseOf, type Copies, type Copy } from "./copies.ts";
import { packageFolder } from "./dependents.ts";
import { type Family, familyOf, oddNames, withInstances } from "./families.ts";
import { isNamed } from "./member-bodies.ts";
import type { MemberCall } from "./member-calls.ts";
import type { Declared, Module, Modules } from "./modules.ts";
import { writesOf } from "./literals.ts";
import { isMade, type ReachableCode } from "./reachable-code.ts";
import { codeOf, loadedBy, meaningIn, type Replaced, replacedBy } from "./replaced.ts";
import type { Types } from "./type-text.ts";
import { nodesIn } from "../../syntax/walk.ts";

type Api = typeof ts;

/** What a package's entry exports as a class. */
interface Exported {
  readonly found: Declared;
  readonly node: ClassNode;
  readonly declared: ts.Symbol;
  readonly exportName: string;
  readonly specifier: string;
}

/** `isOf`: files of packages that count. */
type FindReachable = (
  loaded: readonly Module[],
  isOf: (file: string) => boolean,
) => ReachableCode | null;

/** A class of which more others derive is not copied, since each copy takes time. */
const MOST_DERIVED = 24;

export class ClassCopies {
  /** Names that reached code mentions. */
  readonly names = new Set<string>();
  readonly #api: Api;
  readonly #modules: Modules;
  readonly #checker: ts.TypeChecker;
  readonly #copies = new Map<ClassNode, { readonly copy: Copy; readonly owner: Copies }>();
  readonly #byNode = new Map<ClassNode, Exported>();
  readonly #byDeclaration = new Map<ts.Declaration, Exported>();
  readonly #entries = new Set<string>();
  readonly #families = new Map<ClassNode, readonly Exported[] | null>();

  /** Names of copies. */
  readonly #claimed = new Set<string>();
  readonly #findReachable: FindReachable;
  readonly #replaced = new Map<string, boolean>();
  /** By folder of a package. */
  readonly #reachable = new Map<string | undefined, ReachableCode | null>();

  readonly #files: readonly ts.SourceFile[];
  /** Files of packages that the program imports. */
  #imported: readonly string[] | undefined;

  constructor(api: Api, modules: Modules, program: ts.Program, findReachable: FindReachable) {
    const checker = program.getTypeChecker();
    this.#files = program.getSourceFiles().filter((file) => !file.isDeclarationFile);
    this.#findReachable = findReachable;
    this.#api = api;
    this.#modules = modules;
    this.#checker = checker;
  }

  get all(): readonly Copy[] {
    return [...this.#copies.values()].map(({ copy }) => copy);
  }

  of(owner: Copies): readonly Copy[] {
    return [...this.#copies.values()].flatMap((each) => (each.owner === owner ? [each.copy] : []));
  }

  /** The file in which the copy of another one's class stands. */
  homes(): ReadonlyMap<Copy, string> {
    return new Map(
      [...this.#copies.values()].map(({ copy, owner }) => [copy, owner.file.fileName]),
    );
  }

  /** A name that is free in one file and that no other class has: files import copies. */
  claim(wanted: string, taken: Set<string>): string {
    const name = claimName(wanted, new Set([...this.#claimed, ...taken]));
    this.#claimed.add(name);
    taken.add(name);
    return name;
  }

  /** Types in which classes are named by their copies. */
  typesFor(owner: Copies, checker: ts.TypeChecker): Types {
    return {
      api: this.#api,
      checker,
      classNamed: (declaration) => {
        const exported = this.#byDeclaration.get(declaration);
        return exported && this.request(exported.found, exported.specifier, owner)?.name;
      },
    };
  }

  /** Whether instances of a class, which compute some of its fields, can be of an interface. */
  #hasComputed(type: ts.Type): boolean {
    if (((type.getSymbol()?.flags ?? 0) & this.#api.SymbolFlags.Interface) === 0) return false;
    const fields = type.getProperties().map(({ name }) => name);
    return [...this.#byNode.values()].some(
      ({ node, declared }) =>
        fields.some((name) => hasAccessor(this.#api, node, name)) &&
        this.#checker.isTypeAssignableTo(this.#checker.getDeclaredTypeOfSymbol(declared), type),
    );
  }

  /** The copy of a class; null where there can be none. */
  request(found: Declared, specifier: string, owner: Copies): Copy | null {
    const node = classOf(this.#api, found);
    if (node === null) return null;
    const known = this.#copies.get(node);
    if (known !== undefined) return known.copy;
    this.#open(specifier, owner.file);
    const exported = this.#byNode.get(node);
    const family = exported === undefined ? null : this.#familyOf(exported, owner.file);
    if (exported === undefined || family === null) return null;
    const shape: ClassShape = {
      ...{ node, declared: exported.declared, exportName: exported.exportName },
      ...{ fields: new Map(), live: new Map(), faulty: new Set(), bodies: new Map() },
      abstracts: new Map(),
      heirs: family.filter((each) => each !== exported && !isAbstract(this.#api, each.declared)),
      isAbstract: isAbstract(this.#api, exported.declared),
      kin: new Set(family.map((each) => each.node)),
      replaced: this.#replacedIn(exported, family, owner.file),
    };
    const copy = owner.class(found, exported.specifier, shape);
    this.#copies.set(node, { copy, owner });
    // where one of these is expected, an instance of any may be
    for (const each of family)
      this.request(each.found, each.specifier, owner)?.shape?.kin.add(node);
    return copy;
  }

  /** The copies of the classes that derive from it, with their files. */
  derivedOf({ shape }: Copy): readonly (readonly [Copy, ts.SourceFile])[] {
    return (shape === undefined ? [] : (this.#families.get(shape.node) ?? [])).flatMap(
      ({ node }) => {
        const known = node === shape?.node ? undefined : this.#copies.get(node);
        return known === undefined ? [] : [[known.copy, known.owner.file] as const];
      },
    );
  }

  /** The copy of a class, by what declares its instances: the package, or the copy itself. */
  #copyAt(declaration: ts.Declaration | undefined): Copy | null {
    if (declaration === undefined || !this.#api.isClassDeclaration(declaration)) return null;
    const node = this.#byDeclaration.get(declaration)?.node;
    if (node !== undefined) return this.#copies.get(node)?.copy ?? null;
    const name = declaration.name?.text;
    return this.all.find((copy) => copy.name === name) ?? null;
  }

  /** Whether a class may have another static member of a name than its code says. */
  isReplaced(node: ClassNode, name: string): boolean {
    const { statics } = this.#copies.get(node)?.copy.shape?.replaced ?? {};
    return statics?.has(name) !== false;
  }

  /** Data that all instances of a class have of their prototypes; null where it is not known. */
  dataOf(declaration: ts.Declaration, name: string): string | null {
    const of = this.#copyAt(declaration);
    for (let copy = of ?? undefined; copy?.shape !== undefined; copy = baseOf(copy)) {
      const { node } = copy.shape;
      const value = dataOf(this.#api, node).get(name)?.value;
      if (value === undefined && hasMember(this.#api, node, name)) return null;
      if (value !== undefined) return this.#isOnlyIn(copy, name) ? value : null;
    }
    return null;
  }

  /** Whether no class that derives, and no other code, gives instances something of that name. */
  #isOnlyIn({ shape, found }: Copy, name: string): boolean {
    if (shape === undefined || shape.replaced.own?.has(name) !== false) return false;
    const { texts, dependents } = this.#modules.outside;
    const isWritten = writesOf(name, found.module.file);
    const own = dataOf(this.#api, shape.node).get(name)?.prototype;
    const code = this.#reachableFor(found.module);
    return (
      code !== null &&
      !dependents.has(found.module.file) &&
      !texts.some((text) => wordSet(text).has(name)) &&
      shape.heirs.every(
        ({ node }) => !hasMember(this.#api, node, name) && !dataOf(this.#api, node).has(name),
      ) &&
      [...code.all].every(
        (node) =>
          !isWritten(node.getText()) ||
          (own !== undefined &&
            node.pos <= own.pos &&
            own.end <= node.end &&
            this.#api.isExpressionStatement(node)),
      )
    );
  }

  /** Notes a call of a member. `at`: the class that the types of the program say. */
  noteCall({ at, name, isStatic, args }: MemberCall): boolean {
    const called = this.#copyAt(at)?.shape?.node;
    let isChanged = false;
    for (const { copy, owner } of called === undefined ? [] : this.#copies.values()) {
      const { shape } = copy;
      if (shape === undefined || called === undefined) continue;
      // a class without a constructor has that of its base
      const mayRun =
        this.#derives(called, shape.node) || (name !== null && this.#derives(shape.node, called));
      if (!mayRun) continue;
      for (const [member, bodies] of shape.bodies) {
        const key = JSON.stringify(args);
        if (!isNamed(this.#api, member, name, isStatic) || bodies.has(key)) continue;
        bodies.set(key, owner.member(copy, member, { args, result: null }));
        isChanged = true;
      }
    }
    return isChanged;
  }

  /** Whether a class is another one, or derives from it. */
  #derives(node: ClassNode, from: ClassNode): boolean {
    return this.#families.get(from)?.some((each) => each.node === node) === true;
  }

  /** What code puts in place of members of a class, or of those that derive from it. */
  #replacedIn(
    exported: Exported,
    family: readonly Exported[],
    file: ts.SourceFile,
  ): ClassShape["replaced"] {
    const api = this.#api;
    const nodes = new Set(family.map(({ node }) => node));
    const declared = new Set(family.map((each) => each.declared));
    const own = this.#files.map((source) => ({
      source,
      meaning: (of: ts.Expression) => meaningIn({ api, checker: this.#checker }, of, declared),
    }));
    const loaded = this.#loadedWith(exported, file);
    const codes = loaded.map((module) => codeOf(api, this.#modules, module, nodes));
    const data = [...dataOf(api, exported.node).values()].map(({ prototype }) => prototype);
    const found = replacedBy(api, [...codes, ...own], new Set(data));
    const odd = family.flatMap(({ node }) =>
      node === exported.node ? [] : [...(oddNames(api, node, this.#isOdd) ?? [])],
    );
    const withOdd = (names: Replaced): Replaced => names && new Set([...names, ...odd]);
    return { own: withOdd(found.own), statics: withOdd(found.statics) };
  }

  readonly #isOdd = (member: ts.ClassElement): boolean => isOdd(this.#api, member);

  /** Modules that may know a class. Other packages count where they may use it. */
  #loadedWith({ found: { module }, specifier }: Exported, file: ts.SourceFile): readonly Module[] {
    const entry = this.#modules.at(specifier, file.fileName);
    return this.#loadedFor(module, [module, ...(entry === null ? [] : [entry])]);
  }

  /** The modules of packages that may use that of a module. */
  #loadedFor({ file }: Module, roots: readonly Module[]): readonly Module[] {
    this.#imported ??= this.#files.flatMap(({ fileName, text }) =>
      this.#api.preProcessFile(text, true, true).importedFiles.flatMap((each) => {
        const isOfPackage = !/^\.{0,2}\//.test(each.fileName);
        return (isOfPackage ? this.#modules.fileOf(each.fileName, fileName) : null) ?? [];
      }),
    );
    const mayCall = (by: string): boolean => this.#modules.outside.dependents.mayCall(by, file);
    const others = this.#imported.filter(mayCall).flatMap((by) => this.#modules.opened(by) ?? []);
    return loadedBy(this.#api, this.#modules, [...roots, ...others], mayCall);
  }

  /**
   * What the program can reach of the packages that may use that of a module; null where that is
   * not known. Others do not put members on its instances.
   */
  #reachableFor(module: Module): ReachableCode | null {
    const folder = packageFolder(module.file);
    const known = this.#reachable.get(folder);
    if (known !== undefined) return known;
    const { dependents } = this.#modules.outside;
    const found = this.#findReachable(this.#loadedFor(module, []), (by) =>
      dependents.mayCall(by, module.file),
    );
    this.#reachable.set(folder, found);
    return found;
  }

  /** Those of a family that have instances, and their bases. */
  #withInstances({ found: { module }, node }: Exported, family: Family): ReadonlySet<ClassNode> {
    const isUsed = this.#modules.outside.dependents.has(module.file);
    const code = isUsed ? null : this.#reachableFor(module);
    return withInstances(
      family,
      (each) => each === node || code === null || isMade(this.#api, code, each),
    );
  }

  /** A class and those that derive from it; null where not all of them can be copied. */
  #familyOf(exported: Exported, file: ts.SourceFile): readonly Exported[] | null {
    const { node } = exported;
    const known = this.#families.get(node);
    if (known !== undefined) return known;
    const nodes = familyOf(this.#api, this.#modules, this.#loadedWith(exported, file), node);
    const found = [...(nodes === null ? [] : this.#withInstances(exported, nodes))].map((each) =>
      this.#byNode.get(each),
    );
    const family = found.flatMap((each) => each ?? []);
    const isWhole =
      nodes !== null &&
      found.length - 1 <= MOST_DERIVED &&
      family.length === found.length &&
      family.every((each) => each === exported || this.#isPlain(each)) &&
      [...this.#byNode.values()].every(
        (other) => nodes.has(other.node) || !this.#isDeclaredBase(exported, other.declared),
      );
    this.#families.set(node, isWhole ? family : null);
    return isWhole ? family : null;
  }

  /** Whether the names of all members are known. */
  #isPlain({ node }: Exported): boolean {
    return oddNames(this.#api, node, this.#isOdd) !== null;
  }

  /** Whether declarations say that another class derives from it. */
  #isDeclaredBase(exported: Exported, other: ts.Symbol): boolean {
    const type = this.#checker.getDeclaredTypeOfSymbol(exported.declared);
    const derived = this.#checker.getDeclaredTypeOfSymbol(other);
    return (
      derived.isClassOrInterface() &&
      this.#checker
        .getBaseTypes(derived)
        .some(
          (base) =>
            base === type || (base.symbol !== other && this.#isDeclaredBase(exported, base.symbol)),
        )
    );
  }

  /** The classes that a user's import can name. */
  #open(specifier: string, file: ts.SourceFile): void {
    const key = `${specifier} ${file.fileName.slice(0, file.fileName.lastIndexOf("/"))}`;
    if (this.#entries.has(key)) return;
    this.#entries.add(key);
    const api = this.#api;
    const entry = this.#modules.at(specifier, file.fileName);
    const named = file.statements.flatMap((node) =>
      api.isImportDeclaration(node) &&
      api.isStringLiteral(node.moduleSpecifier) &&
      node.moduleSpecifier.text === specifier
        ? [node.moduleSpecifier]
        : [],
    )[0];
    const symbol = named && this.#checker.getSymbolAtLocation(named);
    if (entry === null || symbol === undefined) return;
    for (const each of this.#checker.getExportsOfModule(symbol)) {
      const declared =
        each.flags & api.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(each) : each;
      const declaration = declared.valueDeclaration;
      if (declaration === undefined || !api.isClassDeclaration(declaration)) continue;
      if (declaration.typeParameters !== undefined || this.#byDeclaration.has(declaration))
        continue;
      const found = this.#modules.exported(entry, each.name);
      const node = found && classOf(api, found);
      if (found?.kind !== "declared" || node === null) continue;
      const exported = { found, node, declared, exportName: each.name, specifier };
      this.#byNode.set(node, exported);
      this.#byDeclaration.set(declaration, exported);
    }
  }

  /** Takes members that are named by now, and what these name; whether there were new ones. */
  grow(): boolean {
    let isChanged = false;
    for (let isNew = true; isNew;) {
      isNew = false;
      for (const { copy, owner } of this.#copies.values()) {
        const { shape } = copy;
        if (shape === undefined) continue;
        const types = {
          ...this.typesFor(owner, this.#checker),
          hasComputed: (type: ts.Type) => this.#hasComputed(type),
        };
        const isReplaced = (name: string): boolean => this.#isReplaced(shape, copy.found, name);
        const reached = { names: this.names, isReplaced };
        const hasMethods = addAbstract(types, shape, this.names, owner.file);
        const members = enliven(types, shape, reached, owner.file);
        for (const member of members) this.mention(member);
        const hasFields = declareFields(types, shape, this.names, owner.file);
        if (members.length > 0 || hasFields || hasMethods) isNew = true;
      }
      if (isNew) isChanged = true;
    }
    return isChanged;
  }

  /** Whether code that the program can reach may replace a method of an instance. */
  #isReplaced({ node }: ClassShape, { module }: Declared, name: string): boolean {
    const assigners = assignersOf(this.#api, node, name);
    const named = assigners.flatMap((each) => each ?? []);
    if (named.length < assigners.length || named.some((each) => this.names.has(each))) return true;
    const key = `${module.file} ${node.pos} ${name}`;
    const known = this.#replaced.get(key) ?? this.#isMentioned(node, module, [name, ...named]);
    this.#replaced.set(key, known);
    return known;
  }

  /** Whether the program, or a package's code that it can reach, has one of these names. */
  #isMentioned(node: ClassNode, module: Module, names: readonly string[]): boolean {
    const { file } = module;
    const { texts, dependents } = this.#modules.outside;
    const isGivenOn = writesOf(names[0] ?? "", file);
    const hasName = (text: string): boolean => {
      const words = wordSet(text);
      return names.some((each) => words.has(each));
    };
    if (dependents.has(file) || texts.some((text) => isGivenOn(text) || hasName(text))) return true;
    const code = this.#reachableFor(module);
    return (
      code === null ||
      [...code.nodes].some(
        (each) => each !== node && each.parent !== node && hasName(each.getText()),
      )
    );
  }

  /** Notes the names in code. */
  mention(root: ts.Node, isReached: (node: ts.Node) => boolean = () => true): void {
    const api = this.#api;
    for (const name of nodesIn(api, root, api.isMemberName))
      if (isReached(name)) this.names.add(name.text);
  }
}

const hasMember = (api: Api, node: ClassNode, name: string): boolean =>
  definedFields(api, node).has(name) || node.members.some((each) => each.name?.getText() === name);

const isAbstract = (api: Api, { valueDeclaration }: ts.Symbol): boolean =>
  valueDeclaration !== undefined &&
  (api.getCombinedModifierFlags(valueDeclaration) & api.ModifierFlags.Abstract) !== 0;
