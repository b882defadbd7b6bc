// What one class declaration and its bases say: lineage, members, modifiers.
// Input: class declarations and the checker's types of their instances. It uses syntax and symbols
// only. A class that derives from one outside the program has no lineage.

import type ts from "typescript";
import { checkerOf } from "../checker.ts";
import { isAssigned } from "../assignments.ts";
import type { TypeScript } from "../typescript.ts";

export type ClassNode = ts.ClassLikeDeclaration;
export type MemberNode =
  ts.MethodDeclaration | ts.GetAccessorDeclaration | ts.SetAccessorDeclaration;
export type MemberKind = "method" | "getter" | "setter";

/** A member with the class that declares it. */
export interface Found {
  readonly node: MemberNode;
  readonly owner: ClassNode;
}

/** Copies of classes of packages. */
interface ClassCopies {
  classOf(declaration: ts.Node): ClassNode | null;
}

export class ClassDeclarations {
  readonly checker: ts.TypeChecker;
  protected readonly api: TypeScript;
  protected readonly program: ts.Program;
  readonly #copies: ClassCopies | undefined;

  constructor(api: TypeScript, program: ts.Program, copies?: ClassCopies) {
    this.api = api;
    this.program = program;
    this.#copies = copies;
    this.checker = checkerOf(program, api);
  }

  /** The class whose instances have this type; null for anything else. */
  ofType(type: ts.Type): ClassNode | null {
    const symbol = type.symbol as ts.Symbol | undefined; // absent for many kinds of types
    if (
      symbol === undefined ||
      !(symbol.flags & this.api.SymbolFlags.Class) ||
      type.isTypeParameter()
    )
      return null;
    if (!this.#isInstance(type)) return null;
    return this.ofSymbol(symbol);
  }

  /** The class of the program's own files, or the copy of a package's, that a symbol denotes. */
  ofSymbol(symbol: ts.Symbol): ClassNode | null {
    const api = this.api;
    const end =
      symbol.flags & api.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    const declaration = end.valueDeclaration;
    if (declaration === undefined) return null;
    if (declaration.getSourceFile().isDeclarationFile)
      return this.#copies?.classOf(declaration) ?? null;
    if (api.isClassLike(declaration))
      return isAssigned(end, this.checker, api) ? null : declaration;
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

  /** The class of the program's own files, or the copy of a package's, that a declaration means. */
  ofDeclaration(node: ClassNode): ClassNode | null {
    return node.getSourceFile().isDeclarationFile ? (this.#copies?.classOf(node) ?? null) : node;
  }

  /** The class that `extends` names: null without one, "unknown" for one outside the program. */
  baseOf(node: ClassNode): ClassNode | null | "unknown" {
    const api = this.api;
    const clause = node.heritageClauses?.find(
      ({ token }) => token === api.SyntaxKind.ExtendsKeyword,
    )?.types[0];
    if (clause === undefined) return null;
    const symbol = this.checker.getSymbolAtLocation(clause.expression);
    return (symbol === undefined ? null : this.ofSymbol(symbol)) ?? "unknown";
  }

  /** The class and its bases, the root last; null where a base is outside the program. */
  lineage(node: ClassNode): readonly ClassNode[] | null {
    const found: ClassNode[] = [];
    for (let at: ClassNode | null | "unknown" = node; at !== null; at = this.baseOf(at)) {
      if (at === "unknown" || found.includes(at)) return null;
      found.push(at);
    }
    return found;
  }

  /** Whether the type derives from a library error. Errors hold nothing to differentiate. */
  isError(type: ts.Type): boolean {
    const bases = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    return bases.some(
      (base) =>
        (/^(\w*Error)$/.test(base.getSymbol()?.name ?? "") && this.#isLibrary(base.symbol)) ||
        this.isError(base),
    );
  }

  /** Subclasses before their bases. */
  inOrder(nodes: readonly ClassNode[]): readonly ClassNode[] {
    return nodes.toSorted((x, z) => this.#depth(z) - this.#depth(x));
  }

  #depth(node: ClassNode): number {
    return this.lineage(node)?.length ?? 0;
  }

  /** Names of the public methods and accessors. */
  memberNames(node: ClassNode): readonly string[] {
    const api = this.api;
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

  instanceType(node: ClassNode): ts.Type {
    const type = this.checker.getTypeAtLocation(node);
    // as an expression, it is the class itself
    return this.api.isClassExpression(node)
      ? (type.getConstructSignatures()[0]?.getReturnType() ?? type)
      : type;
  }

  isAbstract(node: ts.Declaration): boolean {
    return this.#has(node, this.api.ModifierFlags.Abstract);
  }

  isGeneric(node: ClassNode): boolean {
    return (this.lineage(node) ?? [node]).some(
      ({ typeParameters }) => typeParameters !== undefined,
    );
  }

  /** The type parameters that the class itself declares. */
  parametersOf(node: ClassNode): readonly ts.Type[] {
    return node.typeParameters?.map((parameter) => this.checker.getTypeAtLocation(parameter)) ?? [];
  }

  /** The instance type of the base class, with the type arguments of the `extends` clause. */
  baseType(node: ClassNode): ts.Type {
    const type = this.instanceType(node);
    const [base] = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    return base ?? type;
  }

  /** Whether a decorator may replace what the class declares. */
  isDecorated(node: ClassNode): boolean {
    const api = this.api;
    const has = (each: ts.Node): boolean =>
      api.canHaveDecorators(each) && (api.getDecorators(each) ?? []).length > 0;
    return (this.lineage(node) ?? [node]).some((each) => has(each) || each.members.some(has));
  }

  hasAccessors(node: ClassNode): boolean {
    return this.checker
      .getPropertiesOfType(this.instanceType(node))
      .some(({ flags }) => flags & this.api.SymbolFlags.Accessor);
  }

  isAccessor(node: ClassNode, name: string): boolean {
    return (
      ((this.checker.getPropertyOfType(this.instanceType(node), name)?.flags ?? 0) &
        this.api.SymbolFlags.Accessor) !==
      0
    );
  }

  /** The constructor that the class itself declares; of several, the one that a call runs. */
  constructorOf(node: ClassNode, call?: ts.Node): ts.ConstructorDeclaration | null {
    return this.bodyFor(this.constructorsOf(node), call);
  }

  /** Copies of classes have one for each list of argument types. */
  constructorsOf(node: ClassNode): readonly ts.ConstructorDeclaration[] {
    return node.members.filter(
      (member): member is ts.ConstructorDeclaration =>
        this.api.isConstructorDeclaration(member) && member.body !== undefined,
    );
  }

  /** Whether which constructor runs depends on the types of the arguments. */
  hasBodies(node: ClassNode): boolean {
    return (this.lineage(node) ?? []).some((each) => {
      const [first, ...others] = this.constructorsOf(each);
      return first !== undefined && (others.length > 0 || this.#isStub(first));
    });
  }

  /** The body whose parameters have the types of a call's arguments; null where none has. */
  protected bodyFor<T extends ts.FunctionLikeDeclaration>(
    bodies: readonly T[],
    call: ts.Node | undefined,
  ): T | null {
    const { api } = this;
    const [first = null, ...others] = bodies;
    const isOnly = others.length === 0 && first !== null && !this.#isStub(first);
    if (isOnly || call === undefined) return first;
    if (!api.isCallExpression(call) && !api.isNewExpression(call)) return null;
    const args = call.arguments ?? [];
    return bodies.find(({ parameters }) => this.#fits(parameters, args)) ?? null;
  }

  /** A copy of a member whose other bodies cannot be used. */
  #isStub({ parameters }: ts.FunctionLikeDeclaration): boolean {
    return parameters[0]?.type?.kind === this.api.SyntaxKind.NeverKeyword;
  }

  #fits(parameters: readonly ts.ParameterDeclaration[], args: readonly ts.Expression[]): boolean {
    const { api, checker } = this;
    return (
      args.length <= parameters.length &&
      parameters.every((parameter, i) => {
        const type = checker.getTypeAtLocation(parameter);
        const arg = args[i];
        if (arg === undefined)
          return parameter.questionToken !== undefined || parameter.initializer !== undefined;
        const given = checker.getTypeAtLocation(arg);
        const { Any, Never } = api.TypeFlags;
        if (given.flags & (Any | Never)) return (given.flags & type.flags & Never) !== 0;
        const known = type.isTypeParameter() ? type : checker.getNonNullableType(type);
        const of = this.ofType(known);
        const owner = this.ofType(thisless(checker, given));
        return of === null || owner === null
          ? checker.isTypeAssignableTo(given, type)
          : this.lineage(owner)?.includes(of) === true;
      })
    );
  }

  isStatic(node: ts.ClassElement): boolean {
    return this.#has(node, this.api.ModifierFlags.Static);
  }

  isHidden(node: ts.Declaration): boolean {
    const { Private, Protected } = this.api.ModifierFlags;
    return this.#has(node, Private | Protected);
  }

  #has(node: ts.Declaration, flags: ts.ModifierFlags): boolean {
    return (this.api.getCombinedModifierFlags(node) & flags) !== 0;
  }

  protected isPrivate(member: ts.ClassElement): boolean {
    return (
      member.name !== undefined &&
      this.api.isPrivateIdentifier(member.name) &&
      !this.isStatic(member)
    );
  }

  /** The member that `o.name` runs on instances of exactly this class; null if none or abstract. */
  member(node: ClassNode, kind: MemberKind, name: string, call?: ts.Node): Found | null {
    for (const owner of this.lineage(node) ?? []) {
      const named = owner.members.filter(
        (member) =>
          member.name?.getText() === name &&
          !this.isStatic(member) &&
          !this.isAbstract(member) &&
          !this.#isBodiless(member),
      );
      // #isKind has tested it
      const bodies = named.filter((member) => this.#isKind(member, kind)) as MemberNode[];
      const own = this.bodyFor(bodies, call);
      if (own !== null) return { node: own, owner };
      // an accessor with one half hides both halves of an inherited one
      if (named.length > 0) return null;
    }
    return null;
  }

  staticMethod(node: ClassNode, name: string, call?: ts.Node): Found | null {
    for (const owner of this.lineage(node) ?? []) {
      const bodies = owner.members.filter(
        (member) => this.#isStaticNamed(member, name) && this.#isKind(member, "method"),
      ) as MemberNode[]; // #isKind has tested it
      const own = this.bodyFor(bodies, call);
      if (own !== null) return { node: own, owner };
      if (bodies.length > 0) return null;
    }
    return null;
  }

  /** The static field or accessor of a name: the class's own, or that of the nearest base. */
  staticMember(node: ClassNode, name: string): ts.ClassElement | null {
    const members = (this.lineage(node) ?? []).flatMap((owner) => [...owner.members]);
    return members.find((member) => this.#isStaticNamed(member, name)) ?? null;
  }

  #isStaticNamed(member: ts.ClassElement, name: string): boolean {
    return member.name?.getText() === name && this.isStatic(member);
  }

  #isKind(member: ts.ClassElement, kind: MemberKind): boolean {
    const api = this.api;
    if (this.#isBodiless(member)) return false;
    return kind === "method"
      ? api.isMethodDeclaration(member)
      : kind === "getter"
        ? api.isGetAccessor(member)
        : api.isSetAccessor(member);
  }

  /** An overload's signature. */
  #isBodiless(member: ts.ClassElement): boolean {
    return this.api.isMethodDeclaration(member) && member.body === undefined;
  }

  /** Whether the type is an instance type. The type of the class itself has the same symbol. */
  #isInstance(type: ts.Type): boolean {
    const { ObjectFlags } = this.api;
    return (
      ((type as ts.ObjectType).objectFlags &
        (ObjectFlags.Reference | ObjectFlags.ClassOrInterface)) !==
      0
    ); // other kinds of types have no such flags
  }

  #isLibrary(symbol: ts.Symbol): boolean {
    const file = symbol.declarations?.[0]?.getSourceFile();
    return file !== undefined && this.program.isSourceFileDefaultLibrary(file);
  }
}

/** `this` stands for an instance of its class. */
const thisless = (checker: ts.TypeChecker, type: ts.Type): ts.Type =>
  type.isTypeParameter() ? (checker.getBaseConstraintOfType(type) ?? type) : type;

/** The name of a class in its own file. */
export function classNameOf(node: ClassNode, api: TypeScript): string {
  if (node.name !== undefined) return node.name.text;
  const { parent } = node;
  return api.isVariableDeclaration(parent) && api.isIdentifier(parent.name)
    ? parent.name.text
    : "default";
}

/** The declaration statement of a class: itself, or the constant that holds it. */
export const declarationOf = (
  node: ClassNode,
  api: TypeScript,
): ts.ClassDeclaration | ts.VariableDeclaration | null =>
  api.isClassDeclaration(node) ? node : api.isVariableDeclaration(node.parent) ? node.parent : null;
