// Classes of packages that a program's derivatives reach. In: classes that code names, or that
// types name. Out: one copy of each class for the whole program, in the file that needed it first.
// Invariant: a class is copied only if the user's package exports it, with a declared class, or if
// it is no more than the base of such classes.

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
import { ClassReach, type FindReachable } from "./class-reach.ts";
import { baseOf, type Copies, type Copy } from "./copies.ts";
import { type Family, familyOf, oddNames, withInstances } from "./families.ts";
import { isNamed } from "./member-bodies.ts";
import type { MemberCall } from "./member-calls.ts";
import type { Declared, Module, Modules } from "./modules.ts";
import { writesOf } from "./literals.ts";
import { codeOf, meaningIn, type Replaced, replacedBy } from "./replaced.ts";
import type { Types } from "./type-text.ts";
import { nodesIn } from "../../syntax/walk.ts";

type Api = typeof ts;

interface Known {
  readonly found: Declared;
  readonly node: ClassNode;
  readonly specifier: string;
  /** What a package's entry exports; null for a class that only others derive from. */
  readonly declared: ts.Symbol | null;
  readonly exportName: string | null;
}

/** A class of which more others derive is not copied, since each copy takes time. */
const MOST_DERIVED = 24;

export class ClassCopies {
  /** Names that reached code mentions. */
  readonly names = new Set<string>();
  readonly #api: Api;
  readonly #modules: Modules;
  readonly #checker: ts.TypeChecker;
  readonly #copies = new Map<ClassNode, { readonly copy: Copy; readonly owner: Copies }>();
  readonly #byNode = new Map<ClassNode, Known>();
  readonly #byDeclaration = new Map<ts.Declaration, Known>();
  readonly #entries = new Set<string>();
  readonly #families = new Map<ClassNode, readonly Known[] | null>();
  readonly #bases = new Map<ClassNode, ClassNode>();

  /** Names of copies. */
  readonly #claimed = new Set<string>();
  readonly #replaced = new Map<string, boolean>();
  readonly #files: readonly ts.SourceFile[];
  readonly #reach: ClassReach;

  constructor(api: Api, modules: Modules, program: ts.Program, findReachable: FindReachable) {
    const checker = program.getTypeChecker();
    this.#files = program.getSourceFiles().filter((file) => !file.isDeclarationFile);
    this.#reach = new ClassReach(api, modules, this.#files, findReachable);
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
        declared !== null &&
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
    const exported = this.#byNode.get(node) ?? this.#hidden(found, node, specifier);
    const family = exported === null ? null : this.#familyOf(exported, owner.file);
    if (exported === null || family === null) return null;
    const shape: ClassShape = {
      ...{ node, declared: exported.declared, exportName: exported.exportName },
      ...{ fields: new Map(), live: new Map(), faulty: new Set(), bodies: new Map() },
      abstracts: new Map(),
      heirs: family.flatMap(({ node: heir, declared }) =>
        heir === node || declared === null || isAbstract(this.#api, declared)
          ? []
          : [{ lineage: this.#lineage(heir, node), declared }],
      ),
      isAbstract:
        isAbstract(this.#api, exported.declared) ||
        !this.#reach.hasInstances(exported.found.module, node),
      kin: new Set(family.map((each) => each.node)),
      replaced: this.#replacedIn(exported, family, owner.file),
      isExtended: this.#isExtended(family),
    };
    const copy = owner.class(found, exported.specifier, shape);
    this.#copies.set(node, { copy, owner });
    // where one of these is expected, an instance of any may be
    for (const each of family)
      this.request(each.found, each.specifier, owner)?.shape?.kin.add(node);
    return copy;
  }

  /** A class and its bases below another one. */
  #lineage(node: ClassNode, below: ClassNode): readonly ClassNode[] {
    const base = this.#bases.get(node);
    return node === below ? [] : [node, ...(base === undefined ? [] : this.#lineage(base, below))];
  }

  /** A class that is not exported, where only classes that derive from it have instances. */
  #hidden(found: Declared, node: ClassNode, specifier: string): Known | null {
    const isStatic = (each: ts.ClassElement): boolean =>
      api.isClassStaticBlockDeclaration(each) ||
      (api.getCombinedModifierFlags(each) & api.ModifierFlags.Static) !== 0;
    const api = this.#api;
    if (!api.isClassDeclaration(node) || node.members.some(isStatic)) return null;
    const hidden = { found, node, specifier, declared: null, exportName: null };
    if (this.#reach.hasInstances(found.module, node)) return null;
    this.#byNode.set(node, hidden);
    return hidden;
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

  /** The copy of a class of a package. */
  copyOf(node: ts.Node): Copy | undefined {
    return this.#api.isClassLike(node) ? this.#copies.get(node)?.copy : undefined;
  }

  /** Whether a class of the program derives from one of a family, or from one that is not known. */
  #isExtended(family: readonly Known[]): boolean {
    const declared = new Set(family.map((each) => each.declared));
    return this.#files.some((file) =>
      nodesIn(this.#api, file, this.#api.isClassLike).some((node) =>
        node.heritageClauses?.some(({ token, types: [base] }) => {
          if (token !== this.#api.SyntaxKind.ExtendsKeyword || base === undefined) return false;
          const symbol = this.#checker.getTypeAtLocation(base.expression).getSymbol();
          return symbol === undefined || declared.has(symbol);
        }),
      ),
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
    const { texts } = this.#modules.outside;
    const isWritten = writesOf(name, found.module.file);
    const own = dataOf(this.#api, shape.node).get(name)?.prototype;
    const code = this.#reach.reachableFor(found.module);
    return (
      code !== null &&
      !texts.some((text) => wordSet(text).has(name)) &&
      shape.heirs.every(({ lineage }) =>
        lineage.every(
          (node) => !hasMember(this.#api, node, name) && !dataOf(this.#api, node).has(name),
        ),
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
    const called = this.#copyAt(at);
    // a class has the constructor and the static members of its bases
    const lineage = new Set<Copy>();
    for (let copy = called ?? undefined; copy !== undefined; copy = baseOf(copy)) lineage.add(copy);
    let isChanged = false;
    for (const { copy, owner } of called === null ? [] : this.#copies.values()) {
      const { shape } = copy;
      if (shape === undefined || called?.shape === undefined) continue;
      const mayRun =
        lineage.has(copy) || (name !== null && this.#derives(shape.node, called.shape.node));
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
    exported: Known,
    family: readonly Known[],
    file: ts.SourceFile,
  ): ClassShape["replaced"] {
    const api = this.#api;
    const nodes = new Set(family.map(({ node }) => node));
    const declared = new Set(family.flatMap((each) => each.declared ?? []));
    const own = this.#files.map((source) => ({
      source,
      meaning: (of: ts.Expression) => meaningIn({ api, checker: this.#checker }, of, declared),
    }));
    const loaded = this.#reach.loadedWith(exported, file);
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

  /** Those of a family that have instances, and their bases. */
  #withInstances({ found, node }: Known, family: Family): ReadonlySet<ClassNode> {
    return withInstances(
      family,
      (each) => each === node || this.#reach.hasInstances(found.module, each),
    );
  }

  /** A class and those that derive from it; null where not all of them can be copied. */
  #familyOf(exported: Known, file: ts.SourceFile): readonly Known[] | null {
    const { node } = exported;
    const known = this.#families.get(node);
    if (known !== undefined) return known;
    const loaded = this.#reach.loadedWith(exported, file);
    const nodes = familyOf(this.#api, this.#modules, loaded, node);
    for (const [each, base] of nodes ?? []) if (base !== null) this.#bases.set(each, base);
    const found = [...(nodes === null ? [] : this.#withInstances(exported, nodes))].map((each) => {
      const name = each.name?.text ?? "";
      const module = loaded.find(({ declared }) => declared.get(name) === each);
      const declared = module && ({ kind: "declared", module, name, node: each } as const);
      return (
        this.#byNode.get(each) ?? (declared && this.#hidden(declared, each, exported.specifier))
      );
    });
    const family = found.flatMap((each) => each ?? []);
    const isWhole =
      nodes !== null &&
      found.length - 1 <= MOST_DERIVED &&
      family.length === found.length &&
      family.every((each) => each === exported || this.#isPlain(each)) &&
      [...this.#byNode.values()].every(
        (other) =>
          nodes.has(other.node) || !this.#isDeclaredBase(exported.declared, other.declared),
      );
    this.#families.set(node, isWhole ? family : null);
    return isWhole ? family : null;
  }

  /** Whether the names of all members are known. */
  #isPlain({ node }: Known): boolean {
    return oddNames(this.#api, node, this.#isOdd) !== null;
  }

  /** Whether declarations say that another class derives from it. */
  #isDeclaredBase(exported: ts.Symbol | null, other: ts.Symbol | null): boolean {
    if (exported === null || other === null) return false;
    const type = this.#checker.getDeclaredTypeOfSymbol(exported);
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
    const { texts } = this.#modules.outside;
    const isGivenOn = writesOf(names[0] ?? "", file);
    const hasName = (text: string): boolean => {
      const words = wordSet(text);
      return names.some((each) => words.has(each));
    };
    if (texts.some((text) => isGivenOn(text) || hasName(text))) return true;
    const code = this.#reach.reachableFor(module);
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

const isAbstract = (api: Api, declared: ts.Symbol | null): boolean =>
  declared?.valueDeclaration !== undefined &&
  (api.getCombinedModifierFlags(declared.valueDeclaration) & api.ModifierFlags.Abstract) !== 0;
