// What the program's classes are made of. In: class declarations and the checker's types of their instances. Out: fields, members,
// subclasses. Invariant: syntax and symbols only, nothing is lowered here; a class that derives from one outside the program is unknown.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import { type ClosureField, ClosureFields, heldClosures } from "../functions/closure-fields.ts";
import type { TypeScript } from "../context.ts";
import { nodesOfFile } from "../nodes-of-file.ts";
import { Questions } from "../questions.ts";

export type ClassNode = ts.ClassLikeDeclaration;
export type MemberNode =
  ts.MethodDeclaration | ts.GetAccessorDeclaration | ts.SetAccessorDeclaration;
export type MemberKind = "method" | "getter" | "setter";

/** A member with the class whose body holds it. */
export interface Found {
  readonly node: MemberNode;
  readonly owner: ClassNode;
}

export interface ClassField {
  readonly name: string;
  readonly symbol: ts.Symbol;
  readonly hidden: boolean;
  readonly fixed: boolean;
}

const classesIn = nodesOfFile("class", (node, api): node is ClassNode => api.isClassLike(node));

export class Classes {
  /** Whether a field that is declared without a value is there all the same, undefined, before the constructor runs. */
  readonly definesFields: boolean;
  readonly questions = new Questions();
  readonly #api: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly #program: ts.Program;
  readonly #left: ReadonlySet<ts.Node>;
  readonly #together: ReadonlySet<ClassNode>;
  /** Classes without a tag whose instances were found where those of classes with `#x` may be, too. */
  readonly met = new Set<ClassNode>();
  /** Fields that hold functions without a name. */
  readonly closures: ClosureFields;
  readonly #privateNames = new Map<ClassNode, ReadonlyMap<ts.Node, string>>();
  #all: readonly ClassNode[] | null = null;
  readonly #closuresHeld = new Map<ClassNode, readonly ClosureField[]>();

  /** `left`: classes with `#x`, and with functions in fields, whose instances come from outside or go there; such fields of other objects. `together`: classes for whose instances records stand as for those that they meet. */
  constructor(
    api: TypeScript,
    program: ts.Program,
    left: ReadonlySet<ts.Node> = new Set(),
    together: ReadonlySet<ClassNode> = new Set(),
  ) {
    this.closures = new ClosureFields(api, program, this, left);
    this.#api = api;
    this.#program = program;
    this.#left = left;
    this.#together = together;
    this.checker = checkerOf(program);
    const { useDefineForClassFields, target } = program.getCompilerOptions();
    this.definesFields =
      useDefineForClassFields ?? (target ?? api.ScriptTarget.ES5) >= api.ScriptTarget.ES2022;
  }

  /** The class whose instances have this type; null for anything else. */
  ofType(type: ts.Type): ClassNode | null {
    const symbol = type.symbol as ts.Symbol | undefined; // absent for many kinds of types
    if (
      symbol === undefined ||
      !(symbol.flags & this.#api.SymbolFlags.Class) ||
      type.isTypeParameter()
    )
      return null;
    if (!this.#isInstance(type)) return null;
    return this.ofSymbol(symbol);
  }

  /** The class that a name stands for, in the program's own files. */
  ofSymbol(symbol: ts.Symbol): ClassNode | null {
    const api = this.#api;
    const end =
      symbol.flags & api.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    const declaration = end.valueDeclaration;
    if (declaration === undefined || declaration.getSourceFile().isDeclarationFile) return null;
    if (api.isClassLike(declaration)) return declaration;
    // `const Vec = class { … }`
    const isConst =
      api.isVariableDeclaration(declaration) &&
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0;
    return isConst &&
      declaration.initializer !== undefined &&
      api.isClassLike(declaration.initializer)
      ? declaration.initializer
      : null;
  }

  /** The class that `extends` names: null without one, "unknown" where it is not the program's. */
  baseOf(node: ClassNode): ClassNode | null | "unknown" {
    const api = this.#api;
    const clause = node.heritageClauses?.find(
      ({ token }) => token === api.SyntaxKind.ExtendsKeyword,
    )?.types[0];
    if (clause === undefined) return null;
    const symbol = this.checker.getSymbolAtLocation(clause.expression);
    return (symbol === undefined ? null : this.ofSymbol(symbol)) ?? "unknown";
  }

  /** The class and those it derives from, the most general last; null where one is not the program's. */
  lineage(node: ClassNode): readonly ClassNode[] | null {
    const found: ClassNode[] = [];
    for (let at: ClassNode | null | "unknown" = node; at !== null; at = this.baseOf(at)) {
      if (at === "unknown" || found.includes(at)) return null;
      found.push(at);
    }
    return found;
  }

  /** Whether its values are errors, which hold nothing to differentiate. */
  isError(type: ts.Type): boolean {
    const bases = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    return bases.some(
      (base) =>
        (/^(\w*Error)$/.test(base.getSymbol()?.name ?? "") && this.#isLibrary(base.symbol)) ||
        this.isError(base),
    );
  }

  /** The program's classes that derive from this one, those that derive from them first. `at`: where it is asked. */
  subclasses(node: ClassNode, at: ts.Node): readonly ClassNode[] {
    this.questions.subclasses(node, at);
    return this.inOrder(
      this.all().filter((each) => each !== node && this.lineage(each)?.includes(node) === true),
    );
  }

  /** The program's classes whose instances fit an interface, as `subclasses` orders them. */
  fitting(type: ts.Type, at: ts.Node): readonly ClassNode[] {
    const found = this.#fitting(type, this.all());
    this.questions.fitting(type, found, at, this.checker);
    return this.inOrder(found);
  }

  /** Other classes of the program whose instances have all that an instance of this one has, to TypeScript. `at`: where it is asked. */
  alike(node: ClassNode, at: ts.Node): readonly ClassNode[] {
    const type = this.instanceType(node);
    const names = this.memberNames(node);
    const found = this.all().filter(
      (each) =>
        each !== node &&
        this.#mayHave(each, names) &&
        this.checker.isTypeAssignableTo(this.instanceType(each), type),
    );
    this.questions.fitting(type, found, at, this.checker);
    return found;
  }

  /** Whether the class says that it has members of these names, or something else than the program's classes may say so: what asks for no types. */
  #mayHave(node: ClassNode, names: readonly string[]): boolean {
    const lineage = this.lineage(node);
    if (lineage === null || lineage.some((each) => this.#isMerged(each))) return true;
    const said = new Set(
      lineage.flatMap((each) =>
        [...each.members, ...(this.constructorOf(each)?.parameters ?? [])].map(({ name }) =>
          name?.getText(),
        ),
      ),
    );
    return names.every((name) => said.has(name));
  }

  /** Whether interfaces of its name add to it. */
  #isMerged({ name }: ClassNode): boolean {
    return (
      name !== undefined && (this.checker.getSymbolAtLocation(name)?.declarations ?? []).length > 1
    );
  }

  /** Those that derive from others first. */
  inOrder(nodes: readonly ClassNode[]): readonly ClassNode[] {
    return nodes.toSorted((x, z) => this.#depth(z) - this.#depth(x));
  }

  /** Names of the methods and accessors that all code can see. */
  memberNames(node: ClassNode): readonly string[] {
    const api = this.#api;
    const isMember = (each: ts.ClassElement): each is MemberNode =>
      (api.isMethodDeclaration(each) || api.isAccessor(each)) &&
      !this.isStatic(each) &&
      !this.isHidden(each);
    return [
      ...new Set(
        (this.lineage(node) ?? [node]).flatMap(({ members }) =>
          members.filter(isMember).map(({ name }) => name.getText()),
        ),
      ),
    ];
  }

  fittingIn(type: ts.Type, files: readonly ts.SourceFile[]): readonly ClassNode[] {
    return this.#fitting(
      type,
      files.flatMap((file) => this.#classesIn(file)),
    );
  }

  #fitting(type: ts.Type, nodes: readonly ClassNode[]): ClassNode[] {
    return nodes.filter(
      (each) =>
        this.lineage(each) !== null &&
        this.checker.isTypeAssignableTo(this.instanceType(each), type),
    );
  }

  /** All classes of the program's own files. */
  all(): readonly ClassNode[] {
    this.#all ??= this.#program.getSourceFiles().flatMap((file) => this.#classesIn(file));
    return this.#all;
  }

  #classesIn(file: ts.SourceFile): readonly ClassNode[] {
    return file.isDeclarationFile || this.#program.isSourceFileFromExternalLibrary(file)
      ? []
      : classesIn(file, this.#api);
  }

  instanceType(node: ClassNode): ts.Type {
    const type = this.checker.getTypeAtLocation(node);
    // as an expression, it is the class itself
    return this.#api.isClassExpression(node)
      ? (type.getConstructSignatures()[0]?.getReturnType() ?? type)
      : type;
  }

  isAbstract(node: ts.Node): boolean {
    return (
      this.#api.canHaveModifiers(node) &&
      this.#api
        .getModifiers(node)
        ?.some(({ kind }) => kind === this.#api.SyntaxKind.AbstractKeyword) === true
    );
  }

  isGeneric(node: ClassNode): boolean {
    return (this.lineage(node) ?? [node]).some(
      ({ typeParameters }) => typeParameters !== undefined,
    );
  }

  /** The type parameters that it declares itself. */
  parametersOf(node: ClassNode): readonly ts.Type[] {
    return node.typeParameters?.map((parameter) => this.checker.getTypeAtLocation(parameter)) ?? [];
  }

  /** The type of instances of the class that it derives from, as it says it. */
  baseType(node: ClassNode): ts.Type {
    const type = this.instanceType(node);
    const [base] = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    return base ?? type;
  }

  /** Whether other code may stand in place of what the class says. */
  isDecorated(node: ClassNode): boolean {
    const api = this.#api;
    const has = (each: ts.Node): boolean =>
      api.canHaveDecorators(each) && (api.getDecorators(each) ?? []).length > 0;
    return (this.lineage(node) ?? [node]).some((each) => has(each) || each.members.some(has));
  }

  /** Whether all fields of its instances are known, and code outside the class can make them, or records in their place. */
  isKnown(node: ClassNode): boolean {
    return (
      this.lineage(node) !== null &&
      !this.#isInNamespace(node) &&
      !this.isDecorated(node) &&
      this.fields(node) !== null &&
      (!this.#hasPrivate(node) || this.#maySeal(node))
    );
  }

  /** Its name means nothing at the end of the module, where derivatives stand. */
  #isInNamespace(node: ClassNode): boolean {
    return this.#api.isModuleBlock(node.parent);
  }

  /** Whether its instances have fields or members (`#x`) that code outside the class cannot reach, or functions that have no name, or meet such instances. */
  isSealed(node: ClassNode): boolean {
    return (
      this.#hasPrivate(node) ||
      this.closuresOf(node).length > 0 ||
      (this.#together.has(node) && !this.#left.has(node))
    );
  }

  #hasPrivate(node: ClassNode): boolean {
    return (this.lineage(node) ?? [node]).some(({ members }) =>
      members.some((member) => this.#isPrivate(member)),
    );
  }

  /** The fields with such functions in instances of a class whose fields all code can read, and in what these hold. */
  closuresOf(node: ClassNode): readonly ClosureField[] {
    if (this.#left.has(node) || this.#hasPrivate(node)) return [];
    const known = this.#closuresHeld.get(node);
    if (known !== undefined) return known;
    this.#closuresHeld.set(node, []);
    const found = heldClosures(this.instanceType(node), node, this, this.#api);
    this.#closuresHeld.set(node, found);
    return found;
  }

  /** Whether a record can stand for an instance: it never leaves, and its class alone says what its private members and functions are. */
  #maySeal(node: ClassNode): boolean {
    const lineage = this.lineage(node) ?? [node];
    const own = lineage.flatMap(({ members }) =>
      members.filter((member) => this.#isPrivate(member)),
    );
    const called = own
      .filter((member) => !this.#api.isPropertyDeclaration(member))
      .map((member) => `${member.kind} ${member.name?.getText()}`);
    const holdsFunctions = own.some(
      (member) =>
        this.#api.isPropertyDeclaration(member) &&
        this.checker.getNonNullableType(this.checker.getTypeAtLocation(member)).getCallSignatures()
          .length > 0,
    );
    return (
      !lineage.some((each) => this.#left.has(each)) &&
      new Set(called).size === called.length &&
      !holdsFunctions
    );
  }

  #isPrivate(member: ts.ClassElement): boolean {
    return (
      member.name !== undefined &&
      this.#api.isPrivateIdentifier(member.name) &&
      !this.isStatic(member)
    );
  }

  /** What `o.#x` is called in the record that stands for o, or as a member; null where no record does. */
  privateName(name: ts.PrivateIdentifier): string | null {
    const declaration = this.checker.getSymbolAtLocation(name)?.valueDeclaration;
    if (
      declaration === undefined ||
      !this.#api.isClassLike(declaration.parent) ||
      !this.isKnown(declaration.parent)
    )
      return null;
    return this.#api.isPropertyDeclaration(declaration)
      ? this.#recordName(declaration, declaration.parent)
      : name.text;
  }

  /** A name that no class of the kin has for anything else: `x`, or `_x` where that is an accessor. */
  #recordName(declaration: ts.PropertyDeclaration, owner: ClassNode): string {
    return this.#recordNamesOf(owner).get(declaration) ?? declaration.name.getText();
  }

  /** The field by which the record says which class it stands for an instance of; null where nobody asks, or instances of its kin are no records. */
  tagName(node: ClassNode): string | null {
    const root = this.#rootOf(node);
    const kin = [root, ...this.subclasses(root, node)];
    const made = kin.filter((each) => !this.isAbstract(each));
    const isAsked =
      kin.length > 1 || node.heritageClauses !== undefined || this.#together.has(node);
    return isAsked && made.every((each) => this.isSealed(each))
      ? (this.#recordNamesOf(node).get(root) ?? null)
      : null;
  }

  #rootOf(node: ClassNode): ClassNode {
    return this.lineage(node)?.at(-1) ?? node;
  }

  #recordNamesOf(node: ClassNode): ReadonlyMap<ts.Node, string> {
    const root = this.#rootOf(node);
    const known = this.#privateNames.get(root) ?? this.#recordNames(root);
    this.#privateNames.set(root, known);
    return known;
  }

  /** Names of private fields, by what declares them, and by the root that of the tag. */
  #recordNames(root: ClassNode): ReadonlyMap<ts.Node, string> {
    const kin = [root, ...this.subclasses(root, root).toReversed()];
    const taken = new Set(
      kin.flatMap((each) =>
        this.checker.getPropertiesOfType(this.instanceType(each)).map(({ name }) => name),
      ),
    );
    const named = new Map<ts.Node, string>();
    const wanted: (readonly [ts.Node, string])[] = kin.flatMap(({ members }) =>
      members
        .filter((each) => this.#isPrivate(each) && this.#api.isPropertyDeclaration(each))
        .map((each) => [each, each.name?.getText().slice(1) ?? ""] as const),
    );
    for (const [node, plain] of [...wanted, [root, "class"] as const]) {
      let name = plain;
      while (taken.has(name)) name = `_${name}`;
      taken.add(name);
      named.set(node, name);
    }
    return named;
  }

  /** The fields of its instances in the order in which they are made; null where some have no fixed name. */
  fields(node: ClassNode): readonly ClassField[] | null {
    const api = this.#api;
    const { SymbolFlags } = api;
    const type = this.instanceType(node);
    const names = (this.lineage(node) ?? []).toReversed().flatMap((each) => this.#declared(each));
    const properties = this.checker
      .getPropertiesOfType(type)
      .filter(({ flags }) => flags & SymbolFlags.Property);
    if (
      this.checker.getIndexInfosOfType(type).length > 0 ||
      properties.some(({ name }) => name.startsWith("__@"))
    )
      return null;
    const place = (name: string): number =>
      names.includes(name) ? names.indexOf(name) : names.length;
    return properties
      .map((symbol) => ({ symbol, name: this.#fieldName(symbol) }))
      .toSorted((x, z) => place(x.name) - place(z.name))
      .map(({ symbol, name }) => {
        const flags = (symbol.declarations ?? []).reduce(
          (all, each) => all | api.getCombinedModifierFlags(each),
          0,
        );
        const { ModifierFlags } = api;
        return {
          name,
          symbol,
          hidden: (flags & (ModifierFlags.Private | ModifierFlags.Protected)) !== 0,
          fixed: (flags & ModifierFlags.Readonly) !== 0,
        };
      });
  }

  #fieldName({ valueDeclaration: declaration, name }: ts.Symbol): string {
    const api = this.#api;
    if (
      declaration === undefined ||
      !api.isPropertyDeclaration(declaration) ||
      !api.isPrivateIdentifier(declaration.name) ||
      !api.isClassLike(declaration.parent)
    )
      return name;
    return this.#recordName(declaration, declaration.parent);
  }

  hasAccessors(node: ClassNode): boolean {
    return this.checker
      .getPropertiesOfType(this.instanceType(node))
      .some(({ flags }) => flags & this.#api.SymbolFlags.Accessor);
  }

  isAccessor(node: ClassNode, name: string): boolean {
    return (
      ((this.checker.getPropertyOfType(this.instanceType(node), name)?.flags ?? 0) &
        this.#api.SymbolFlags.Accessor) !==
      0
    );
  }

  /** Parameter properties first, then declared fields. */
  #declared(node: ClassNode): readonly string[] {
    const api = this.#api;
    const parameters =
      this.constructorOf(node)?.parameters.filter((each) =>
        api.isParameterPropertyDeclaration(each, each.parent),
      ) ?? [];
    const properties = node.members.filter(
      (member): member is ts.PropertyDeclaration =>
        api.isPropertyDeclaration(member) && !this.isStatic(member),
    );
    const named = parameters.flatMap(({ name }) => (api.isIdentifier(name) ? [name.text] : []));
    return [
      ...named,
      ...properties.flatMap((each) =>
        api.isPrivateIdentifier(each.name)
          ? [this.#recordName(each, node)]
          : api.isIdentifier(each.name)
            ? [each.name.text]
            : [],
      ),
    ];
  }

  /** The constructor that is written in the class itself. */
  constructorOf(node: ClassNode): ts.ConstructorDeclaration | null {
    return (
      node.members.find(
        (member): member is ts.ConstructorDeclaration =>
          this.#api.isConstructorDeclaration(member) && member.body !== undefined,
      ) ?? null
    );
  }

  isStatic(node: ts.ClassElement): boolean {
    return (this.#api.getCombinedModifierFlags(node) & this.#api.ModifierFlags.Static) !== 0;
  }

  isHidden(node: ts.Declaration): boolean {
    return (
      (this.#api.getCombinedModifierFlags(node) &
        (this.#api.ModifierFlags.Private | this.#api.ModifierFlags.Protected)) !==
      0
    );
  }

  /** What `o.name` runs on instances of exactly this class; null where it is no such member, or is abstract. */
  member(node: ClassNode, kind: MemberKind, name: string): Found | null {
    for (const owner of this.lineage(node) ?? []) {
      const own = owner.members.find(
        (member) =>
          member.name?.getText() === name &&
          !this.isStatic(member) &&
          this.#isKind(member, kind) &&
          !this.isAbstract(member),
      );
      if (own !== undefined) return { node: own as MemberNode, owner }; // #isKind has tested it
      // half of an accessor hides the whole of an inherited one
      if (
        owner.members.some(
          (member) =>
            member.name?.getText() === name &&
            !this.isStatic(member) &&
            !this.isAbstract(member) &&
            !this.#isBodiless(member),
        )
      )
        return null;
    }
    return null;
  }

  staticMethod(node: ClassNode, name: string): Found | null {
    for (const owner of this.lineage(node) ?? []) {
      const own = owner.members.find(
        (member) =>
          member.name?.getText() === name &&
          this.isStatic(member) &&
          this.#isKind(member, "method"),
      );
      if (own !== undefined) return { node: own as MemberNode, owner }; // #isKind has tested it
    }
    return null;
  }

  /** The static field or accessor that a class has under a name: its own, or that of the nearest class above. */
  staticMember(node: ClassNode, name: string): ts.ClassElement | null {
    for (const owner of this.lineage(node) ?? []) {
      const own = owner.members.find(
        (member) => member.name?.getText() === name && this.isStatic(member),
      );
      if (own !== undefined) return own;
    }
    return null;
  }

  #isKind(member: ts.ClassElement, kind: MemberKind): boolean {
    const api = this.#api;
    if (this.#isBodiless(member)) return false;
    return kind === "method"
      ? api.isMethodDeclaration(member)
      : kind === "getter"
        ? api.isGetAccessor(member)
        : api.isSetAccessor(member);
  }

  /** An overload's signature. */
  #isBodiless(member: ts.ClassElement): boolean {
    return this.#api.isMethodDeclaration(member) && member.body === undefined;
  }

  #depth(node: ClassNode): number {
    return this.lineage(node)?.length ?? 0;
  }

  /** Not the class itself, whose type has the same symbol. */
  #isInstance(type: ts.Type): boolean {
    const { ObjectFlags } = this.#api;
    return (
      ((type as ts.ObjectType).objectFlags &
        (ObjectFlags.Reference | ObjectFlags.ClassOrInterface)) !==
      0
    ); // other kinds of types have no such flags
  }

  #isLibrary(symbol: ts.Symbol): boolean {
    const file = symbol.declarations?.[0]?.getSourceFile();
    return file !== undefined && this.#program.isSourceFileDefaultLibrary(file);
  }
}

/** The name of a class in its own file. */
export function classNameOf(node: ClassNode, api: TypeScript): string {
  if (node.name !== undefined) return node.name.text;
  const { parent } = node;
  return api.isVariableDeclaration(parent) && api.isIdentifier(parent.name)
    ? parent.name.text
    : "default";
}

/** What declares a class: itself, or the constant that holds it. */
export const declarationOf = (
  node: ClassNode,
  api: TypeScript,
): ts.ClassDeclaration | ts.VariableDeclaration | null =>
  api.isClassDeclaration(node) ? node : api.isVariableDeclaration(node.parent) ? node.parent : null;
