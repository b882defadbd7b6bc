// Names, functions and classes as places and abstract values. In: symbols and declarations.
// Out: the place of a variable, the code of a function, what instances inherit.
// All calls of a function share its places; all instances of a class share its fields.

import type ts from "typescript";
import { endOf, resolvedSymbol } from "../checker.ts";
import { isOfEnvironment } from "../names/shadowed-globals.ts";
import { declaredName } from "../objects/property-names.ts";
import { isTsgrad } from "../sites/module-graph.ts";
import type { TypeScript } from "../typescript.ts";
import { type Argument, type Code, ELEMENT, Heap } from "./heap.ts";
import { type Cell, Place } from "./propagation.ts";

type Member = ts.MethodDeclaration | ts.AccessorDeclaration;

export abstract class Members extends Heap {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  readonly #isOwn: (file: ts.SourceFile) => boolean;
  readonly #symbols = new Map<ts.Symbol, Place>();
  readonly #codes = new Map<ts.Node, Code>();
  readonly #bases = new Map<ts.Node, Place>();

  constructor(api: TypeScript, checker: ts.TypeChecker, isOwn: (file: ts.SourceFile) => boolean) {
    super();
    this.api = api;
    this.checker = checker;
    this.#isOwn = isOwn;
  }

  /** The places of variables and parameters. */
  protected *declaredPlaces(): Iterable<Place> {
    yield* this.#symbols.values();
    for (const { params } of this.#codes.values()) yield* params;
  }

  // -------------------------------------------------------------- names

  /** The place of a variable, function, class or module of the program; null for other symbols. */
  ofSymbol(symbol: ts.Symbol): Place | null {
    const known = this.#symbols.get(symbol);
    if (known !== undefined) return known;
    const declaration = (symbol.declarations ?? []).find(
      (each) => this.#isNamed(each) && this.#isOwn(each.getSourceFile()),
    );
    if (declaration === undefined) return null;
    const isModule =
      this.api.isSourceFile(declaration) || this.api.isModuleDeclaration(declaration);
    const place = new Place(isModule ? null : declaration);
    this.#symbols.set(symbol, place);
    const isAmbient =
      (this.api.getCombinedModifierFlags(declaration) & this.api.ModifierFlags.Ambient) !== 0;
    if (isAmbient && !isModule) this.add(place, this.outside);
    if (isModule) this.#module(symbol, declaration, place);
    return place;
  }

  #isNamed(node: ts.Declaration): boolean {
    const { api } = this;
    return (
      api.isVariableDeclaration(node) ||
      api.isParameter(node) ||
      api.isBindingElement(node) ||
      api.isFunctionDeclaration(node) ||
      api.isFunctionExpression(node) ||
      api.isClassLike(node) ||
      api.isEnumDeclaration(node) ||
      api.isExportAssignment(node) ||
      api.isModuleDeclaration(node) ||
      api.isSourceFile(node)
    );
  }

  /** A module or a namespace as an object. */
  #module(symbol: ts.Symbol, node: ts.Node, place: Place): void {
    const made = this.cell("object", node);
    this.add(place, made);
    for (const each of this.checker.getExportsOfModule(symbol)) {
      const own = this.ofSymbol(this.endOf(each));
      if (own !== null) this.flow(own, this.field(made, each.name));
    }
  }

  endOf(symbol: ts.Symbol): ts.Symbol {
    return endOf(symbol, this.api, this.checker);
  }

  /** Whether the name is one of the standard library or of the host. */
  isEnvironment({ declarations = [] }: ts.Symbol): boolean {
    return declarations.every((each) => isOfEnvironment(each, this.api));
  }

  /** The place that `ns.f` names by the module; null for properties of objects. */
  moduleSymbol(name: ts.MemberName): Place | null {
    const { Variable, Function, Class, ValueModule, Enum } = this.api.SymbolFlags;
    const symbol = resolvedSymbol(name, this);
    return symbol !== null &&
      (symbol.flags & (Variable | Function | Class | ValueModule | Enum)) !== 0
      ? this.ofSymbol(symbol)
      : null;
  }

  /** The module that `import("…")` loads. */
  moduleAt(specifier: ts.Expression | undefined): Place {
    const symbol =
      specifier === undefined ? undefined : this.checker.getSymbolAtLocation(specifier);
    const place = symbol === undefined ? null : this.ofSymbol(symbol);
    return place ?? this.onlyOf(this.outside);
  }

  /** Whether a name is imported from tsgrad. */
  isOfTsgrad(callee: ts.Expression): boolean {
    const { api } = this;
    const root = api.isPropertyAccessExpression(callee) ? callee.expression : callee;
    const symbol = api.isIdentifier(root) ? this.checker.getSymbolAtLocation(root) : undefined;
    const clause = symbol?.declarations?.[0];
    const declaration =
      clause === undefined ? undefined : api.findAncestor(clause, api.isImportDeclaration);
    return isTsgrad(declaration?.moduleSpecifier, api);
  }

  /** What an unnamed `export default function` is. */
  defaultOf(node: ts.Node): Place {
    const module = this.checker.getSymbolAtLocation(node.getSourceFile());
    const symbol = module?.exports?.get(this.api.InternalSymbolName.Default);
    const place = symbol === undefined ? null : this.ofSymbol(symbol);
    return place ?? this.visible;
  }

  onlyOf(value: Cell): Place {
    const place = new Place();
    this.add(place, value);
    return place;
  }

  /** The name of a member, private ones included; null if it is known at run time only. */
  keyOf(name: ts.PropertyName | ts.BindingName): string | null {
    const { api } = this;
    if (api.isPrivateIdentifier(name)) return name.text;
    if (api.isComputedPropertyName(name) && name.expression.getText() === "Symbol.iterator")
      return "[Symbol.iterator]";
    return declaredName(api, name, this.checker);
  }

  // -------------------------------------------------------------- functions

  codeOf(node: ts.Node): Code {
    const known = this.#codes.get(node);
    if (known !== undefined) return known;
    const { api } = this;
    const fn = node as ts.FunctionLikeDeclaration; // only functions are asked for
    const parameters = this.#parametersOf(fn);
    const isGenerator = "asteriskToken" in fn && fn.asteriskToken !== undefined;
    const mentionsAll = fn.getSourceFile().text.slice(fn.pos, fn.end).includes("arguments");
    const isMember = api.isClassElement(fn) && api.isClassLike(fn.parent);
    const code: Code = {
      node,
      params: parameters
        .filter(({ dotDotDotToken }) => dotDotDotToken === undefined)
        .map((each) => new Place(each)),
      rest: parameters.some(({ dotDotDotToken }) => dotDotDotToken !== undefined)
        ? new Place()
        : null,
      all: mentionsAll ? new Place() : null,
      result: new Place(),
      self: isMember ? this.#selfOfMember(fn) : new Place(),
      isFree: api.isFunctionDeclaration(fn) || api.isFunctionExpression(fn),
      isCalled: false,
      isOpen: false,
    };
    this.#codes.set(node, code);
    if (isGenerator) this.add(code.result, this.cell("list", node));
    return code;
  }

  #parametersOf(fn: ts.FunctionLikeDeclaration): readonly ts.ParameterDeclaration[] {
    return fn.parameters.filter(({ name }) => name.getText() !== "this");
  }

  /** What a parameter holds. */
  parameterOf(code: Code, parameter: ts.ParameterDeclaration): Place {
    const at = this.#parametersOf(parameter.parent as ts.FunctionLikeDeclaration).indexOf(
      parameter,
    ); // with a body
    const own = code.params[at];
    if (parameter.dotDotDotToken === undefined || code.rest === null) return own ?? new Place();
    const list = this.cell("list", parameter);
    this.flow(code.rest, this.field(list, ELEMENT));
    return this.onlyOf(list);
  }

  /** What `return` and `yield` give. */
  resultWithin(fn: ts.SignatureDeclaration): Place {
    const isGenerator = "asteriskToken" in fn && fn.asteriskToken !== undefined;
    return isGenerator ? this.field(this.cell("list", fn), ELEMENT) : this.codeOf(fn).result;
  }

  functionAround(node: ts.Node): ts.SignatureDeclaration | null {
    return this.api.findAncestor(node.parent, this.api.isFunctionLike) ?? null;
  }

  /** The function, or the part of a class, whose `this` and `arguments` a node has. */
  #ownerAt(node: ts.Node): ts.Node | undefined {
    const { api } = this;
    return api.findAncestor(
      node.parent,
      (each) =>
        (api.isFunctionLike(each) && !api.isArrowFunction(each)) ||
        api.isPropertyDeclaration(each) ||
        api.isClassStaticBlockDeclaration(each),
    );
  }

  selfAt(node: ts.Node): Place {
    const owner = this.#ownerAt(node);
    if (owner === undefined) return new Place();
    if (this.api.isFunctionLike(owner)) return this.codeOf(owner).self;
    return this.#selfOfMember(owner as ts.ClassElement); // a part of a class
  }

  isInStatic(node: ts.Node): boolean {
    const owner = this.#ownerAt(node);
    return owner !== undefined && this.api.isClassElement(owner) && this.isStatic(owner);
  }

  isStatic(member: ts.ClassElement): boolean {
    return (
      this.api.isClassStaticBlockDeclaration(member) ||
      (this.api.getCombinedModifierFlags(member) & this.api.ModifierFlags.Static) !== 0
    );
  }

  #selfOfMember(member: ts.ClassElement): Place {
    const owner = this.cell("class", member.parent);
    if (this.isStatic(member)) return this.onlyOf(owner);
    return this.api.isConstructorDeclaration(member) ? new Place() : this.constructorOf(owner).self;
  }

  argumentsAt(node: ts.Node, place: Place): boolean {
    const owner = this.#ownerAt(node);
    const all =
      owner !== undefined && this.api.isFunctionLike(owner) ? this.codeOf(owner).all : null;
    if (all === null || owner === undefined) return false;
    const list = this.cell("list", owner, "arguments");
    this.flow(all, this.field(list, ELEMENT));
    this.add(place, list);
    return true;
  }

  protected override isCalledOutside({ node }: Cell): boolean {
    const { api } = this;
    return (
      node !== null &&
      api.isMethodDeclaration(node) &&
      this.calledOutside.has(this.keyOf(node.name) ?? "?")
    );
  }

  // -------------------------------------------------------------- classes

  constructorOf(cell: Cell): Code {
    const node = cell.node as ts.Node; // made by code
    if (cell.kind !== "class") return this.codeOf(node);
    const own = (node as ts.ClassLikeDeclaration).members.find(
      (member): member is ts.ConstructorDeclaration =>
        this.api.isConstructorDeclaration(member) && member.body !== undefined,
    );
    if (own !== undefined) return this.codeOf(own);
    const known = this.#codes.get(node);
    if (known !== undefined) return known;
    const rest = new Place();
    const code = {
      node,
      params: [],
      rest,
      all: null,
      result: new Place(),
      self: new Place(),
      isFree: false,
      isCalled: false,
      isOpen: false,
    };
    this.#codes.set(node, code);
    return code;
  }

  #prototypeOf(node: ts.Node): Cell {
    return this.cell("object", node, "prototype");
  }

  /** `of`: the place of an expression. */
  declareClass(node: ts.ClassLikeDeclaration, of: (node: ts.Expression) => Place): void {
    const { api } = this;
    const own = this.cell("class", node);
    const code = this.constructorOf(own);
    const clause = node.heritageClauses?.find(
      ({ token }) => token === api.SyntaxKind.ExtendsKeyword,
    );
    const base = clause?.types[0]?.expression;
    if (base !== undefined) {
      this.flow(of(base), this.#basesOf(node));
      this.each(of(base), (value) => {
        if (isConstructor(value)) this.flow(code.self, this.constructorOf(value).self);
      });
      if (code.node === node && code.rest !== null)
        this.callBase(node, [{ place: code.rest, many: true }]);
    }
    for (const member of node.members) {
      if (!api.isMethodDeclaration(member) && !api.isAccessor(member)) continue;
      const isStatic = this.isStatic(member);
      const into = isStatic ? own : this.#prototypeOf(node);
      this.declareMember(member, this.field(into, this.keyOf(member.name) ?? "[some]"), null);
    }
  }

  /** `self`: what `this` is in a member of a literal. */
  declareMember(member: Member, into: Place, self: Place | null): void {
    const code = this.codeOf(member);
    if (self !== null) this.flow(self, code.self);
    if (this.api.isMethodDeclaration(member)) this.add(into, this.cell("function", member));
    else if (this.api.isGetAccessor(member)) this.flow(code.result, into);
    else if (code.params[0] !== undefined) this.flow(into, code.params[0]);
    if (!this.api.isMethodDeclaration(member)) code.isCalled = true;
  }

  #basesOf(node: ts.Node): Place {
    const known = this.#bases.get(node) ?? new Place();
    this.#bases.set(node, known);
    return known;
  }

  callBase(node: ts.ClassLikeDeclaration, args: readonly Argument[]): void {
    this.each(this.#basesOf(node), (value) => {
      if (isConstructor(value)) this.bind(this.constructorOf(value), args);
      else for (const { place } of args) this.flow(place, this.escaped);
    });
  }

  /** `super.name` */
  inherited(node: ts.ClassLikeDeclaration, name: string, isStatic: boolean): Place {
    const place = new Place();
    this.each(this.#basesOf(node), (value) => {
      if (isConstructor(value))
        this.flow(
          this.field(isStatic ? value : this.#prototypeOf(value.node as ts.Node), name),
          place,
        ); // made by code
      else this.add(place, this.outside);
    });
    return place;
  }

  protected override inherit(cell: Cell, name: string, place: Place): void {
    const { node } = cell;
    if (node === null) return;
    const { api } = this;
    if (cell.kind === "instance") {
      if (api.isClassLike(node)) this.flow(this.field(this.#prototypeOf(node), name), place);
      else this.load(this.field(this.cell("function", node), "prototype"), name, place);
      return;
    }
    const isPrototype = cell.path === "prototype";
    if (!api.isClassLike(node) || (cell.kind !== "class" && !isPrototype)) {
      if (cell.kind === "function" && name === "prototype")
        this.add(place, this.#prototypeOf(node));
      return;
    }
    if (name === "prototype") return this.add(place, this.#prototypeOf(node));
    const isOwn = node.members.some(
      (member) =>
        member.name !== undefined &&
        this.isStatic(member) !== isPrototype &&
        this.keyOf(member.name) === name,
    );
    if (!isOwn) this.flow(this.inherited(node, name, !isPrototype), place);
  }

  protected override declaredNames({ kind, node }: Cell): readonly string[] {
    const { api } = this;
    if (node === null || !api.isClassLike(node) || (kind !== "instance" && kind !== "class"))
      return [];
    const type = this.checker.getTypeAtLocation(node);
    const [made] = type.getConstructSignatures();
    const instance = made === undefined ? type : made.getReturnType();
    if (kind === "instance") return instance.getProperties().map(({ name }) => name);
    return node.members.flatMap((member) =>
      member.name !== undefined && this.isStatic(member) ? (this.keyOf(member.name) ?? []) : [],
    );
  }
}

const isConstructor = ({ kind }: Cell): boolean => kind === "class" || kind === "function";
