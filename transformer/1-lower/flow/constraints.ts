// The flows of values in source files: one handler for each kind of syntax that moves values.
// In: files. Out: places of variables and expressions with the edges between them.
// Each node is visited once; operands are linked by their places, so that depth costs no stack.

import type ts from "typescript";
import type { TypeScript } from "../typescript.ts";
import { Patterns } from "./patterns.ts";
import { type Argument, type Call, ELEMENT } from "./heap.ts";
import { isMethodOfLists, Natives } from "./natives.ts";
import { type Cell, Place } from "./propagation.ts";

type Handler = (node: never) => void;

interface Files {
  readonly isOwn: (file: ts.SourceFile) => boolean;
  readonly copyOf: Patterns["copyOf"];
}

export class Constraints extends Patterns {
  protected readonly copyOf: Patterns["copyOf"];
  readonly #handlers: ReadonlyMap<ts.SyntaxKind, Handler>;
  readonly #natives: Natives;
  readonly #thrown = new Place();

  constructor(api: TypeScript, checker: ts.TypeChecker, files: Files) {
    super(api, checker, files.isOwn);
    this.copyOf = files.copyOf;
    this.#natives = new Natives(this, (node) => this.#isPrimitive(node));
    this.#handlers = this.#table();
  }

  visitFile(file: ts.SourceFile): void {
    const { api } = this;
    const pending: ts.Node[] = [file];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (api.isTypeNode(node) && !api.isExpressionWithTypeArguments(node)) continue;
      // by its kind
      (this.#handlers.get(node.kind) as ((node: ts.Node) => void) | undefined)?.(node);
      // in the order of the source text, in which TypeScript makes types
      const children: ts.Node[] = [];
      api.forEachChild(node, (child) => {
        children.push(child);
      });
      pending.push(...children.reverse());
    }
    const module = this.checker.getSymbolAtLocation(file);
    for (const each of module === undefined ? [] : this.checker.getExportsOfModule(module)) {
      const place = this.ofSymbol(this.endOf(each));
      if (place !== null) this.flow(place, this.visible);
    }
  }

  *allPlaces(): Iterable<Place> {
    yield* this.places.values();
    yield* this.declaredPlaces();
  }

  /** Handlers by kind. */
  #table(): ReadonlyMap<ts.SyntaxKind, Handler> {
    const { SyntaxKind: k } = this.api;
    const entries: readonly (readonly [ts.SyntaxKind, Handler])[] = [
      [k.VariableDeclaration, (node: ts.VariableDeclaration) => this.#variable(node)],
      [k.FunctionDeclaration, (node: ts.FunctionDeclaration) => this.#function(node)],
      [k.FunctionExpression, (node: ts.FunctionExpression) => this.#function(node)],
      [k.ArrowFunction, (node: ts.ArrowFunction) => this.#function(node)],
      [k.MethodDeclaration, (node: ts.MethodDeclaration) => this.#parameters(node)],
      [k.Constructor, (node: ts.ConstructorDeclaration) => this.#parameters(node)],
      [k.GetAccessor, (node: ts.GetAccessorDeclaration) => this.#parameters(node)],
      [k.SetAccessor, (node: ts.SetAccessorDeclaration) => this.#parameters(node)],
      [k.ClassDeclaration, (node: ts.ClassDeclaration) => this.#class(node)],
      [k.ClassExpression, (node: ts.ClassExpression) => this.#class(node)],
      [k.ReturnStatement, (node: ts.ReturnStatement) => this.#returned(node, node.expression)],
      [k.YieldExpression, (node: ts.YieldExpression) => this.#yielded(node)],
      [
        k.ThrowStatement,
        (node: ts.ThrowStatement) => this.flow(this.of(node.expression), this.#thrown),
      ],
      [k.ForOfStatement, (node: ts.ForOfStatement) => this.#forOf(node)],
      [k.PropertyAccessExpression, (node: ts.PropertyAccessExpression) => this.#access(node)],
      [k.ElementAccessExpression, (node: ts.ElementAccessExpression) => this.#access(node)],
      [k.CallExpression, (node: ts.CallExpression) => this.#call(node)],
      [k.NewExpression, (node: ts.NewExpression) => this.#new(node)],
      [k.TaggedTemplateExpression, (node: ts.TaggedTemplateExpression) => this.#tagged(node)],
      [k.ObjectLiteralExpression, (node: ts.ObjectLiteralExpression) => this.#object(node)],
      [k.ArrayLiteralExpression, (node: ts.ArrayLiteralExpression) => this.#array(node)],
      [
        k.ConditionalExpression,
        (node: ts.ConditionalExpression) => this.#joins(node, node.whenTrue, node.whenFalse),
      ],
      [k.BinaryExpression, (node: ts.BinaryExpression) => this.#binary(node)],
      [
        k.ExportAssignment,
        (node: ts.ExportAssignment) => this.flow(this.of(node.expression), this.visible),
      ],
      ...[
        k.ParenthesizedExpression,
        k.AsExpression,
        k.TypeAssertionExpression,
        k.NonNullExpression,
        k.SatisfiesExpression,
        k.AwaitExpression,
      ].map(
        (kind) =>
          [kind, (node: ts.ParenthesizedExpression) => this.#joins(node, node.expression)] as const,
      ),
    ];
    return new Map(entries);
  }

  #joins(node: ts.Expression, ...parts: readonly ts.Expression[]): void {
    for (const part of parts) this.flow(this.of(part), this.of(node));
  }

  #isPrimitive(node: ts.Node): boolean {
    const { TypeFlags } = this.api;
    const other =
      TypeFlags.Object |
      TypeFlags.Any |
      TypeFlags.Unknown |
      TypeFlags.TypeParameter |
      TypeFlags.NonPrimitive;
    const type = this.checker.getTypeAtLocation(node);
    const parts = type.isUnionOrIntersection() ? type.types : [type];
    return parts.every(
      ({ flags }) =>
        (flags &
          (other |
            TypeFlags.IndexedAccess |
            TypeFlags.Conditional |
            TypeFlags.UnionOrIntersection)) ===
        0,
    );
  }

  #variable(node: ts.VariableDeclaration): void {
    if (node.initializer !== undefined) this.bindName(node.name, this.of(node.initializer));
    if (this.api.isCatchClause(node.parent)) {
      this.add(this.#thrown, this.outside);
      this.bindName(node.name, this.#thrown);
    }
  }

  #forOf({ initializer, expression }: ts.ForOfStatement): void {
    const place = new Place();
    this.iterate(this.of(expression), place);
    if (this.api.isVariableDeclarationList(initializer))
      for (const { name } of initializer.declarations) this.bindName(name, place);
    else this.assign(initializer, place);
  }

  // -------------------------------------------------------------- functions and classes

  #function(node: ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction): void {
    const { api } = this;
    const made = this.cell("function", node);
    if (node.name !== undefined) {
      const symbol = this.checker.getSymbolAtLocation(node.name);
      const place = symbol === undefined ? null : this.ofSymbol(symbol);
      if (place !== null) this.add(place, made);
    } else if (api.isFunctionDeclaration(node)) this.add(this.defaultOf(node), made);
    if (!api.isFunctionDeclaration(node)) this.add(this.of(node), made);
    this.#parameters(node);
    if (api.isArrowFunction(node) && !api.isBlock(node.body))
      this.flow(this.of(node.body), this.codeOf(node).result);
  }

  #parameters(node: ts.FunctionLikeDeclaration): void {
    const { api } = this;
    const code = this.codeOf(node);
    for (const parameter of node.parameters) {
      const place = this.parameterOf(code, parameter);
      if (parameter.initializer !== undefined) this.flow(this.of(parameter.initializer), place);
      this.bindName(parameter.name, place);
      if (api.isParameterPropertyDeclaration(parameter, node) && api.isIdentifier(parameter.name))
        this.store(code.self, parameter.name.text, place);
    }
  }

  #class(node: ts.ClassLikeDeclaration): void {
    const { api } = this;
    const made = this.cell("class", node);
    const symbol =
      node.name === undefined ? undefined : this.checker.getSymbolAtLocation(node.name);
    const named = symbol === undefined ? null : this.ofSymbol(symbol);
    if (named !== null) this.add(named, made);
    else if (api.isClassDeclaration(node)) this.add(this.defaultOf(node), made);
    if (api.isClassExpression(node)) this.add(this.of(node), made);
    this.declareClass(node, (expression) => this.of(expression));
    for (const member of node.members) {
      if (!api.isPropertyDeclaration(member) || member.initializer === undefined) continue;
      const into = this.isStatic(member) ? this.onlyOf(made) : this.constructorOf(made).self;
      this.store(into, this.keyOf(member.name), this.of(member.initializer));
    }
    if (
      !api.canHaveDecorators(node) ||
      [node, ...node.members].every(
        (each) => !api.canHaveDecorators(each) || api.getDecorators(each) === undefined,
      )
    )
      return;
    this.add(this.escaped, made);
  }

  #returned(node: ts.Node, value: ts.Expression | undefined): void {
    const around = this.functionAround(node);
    if (value === undefined || around === null) return;
    this.flow(this.of(value), this.resultWithin(around));
  }

  #yielded(node: ts.YieldExpression): void {
    const around = this.functionAround(node);
    this.add(this.of(node), this.outside);
    if (node.expression === undefined || around === null) return;
    if (node.asteriskToken === undefined)
      this.flow(this.of(node.expression), this.resultWithin(around));
    else this.iterate(this.of(node.expression), this.resultWithin(around));
  }

  // -------------------------------------------------------------- expressions

  #access(node: ts.AccessExpression): void {
    const { api } = this;
    const place = this.of(node);
    if (this.copyOf(node) !== null) return;
    const symbol = api.isPropertyAccessExpression(node) ? this.moduleSymbol(node.name) : null;
    if (symbol !== null) return this.flow(symbol, place);
    if (node.expression.kind === api.SyntaxKind.SuperKeyword) return this.#superAccess(node, place);
    this.load(this.of(node.expression), this.keyAt(node), place);
  }

  #superAccess(node: ts.AccessExpression, place: Place): void {
    const around = this.api.findAncestor(node, this.api.isClassLike);
    if (around !== undefined)
      this.flow(this.inherited(around, this.keyAt(node) ?? "[any]", this.isInStatic(node)), place);
  }

  #argumentsOf(args: readonly ts.Expression[]): readonly Argument[] {
    return args.map((each): Argument => {
      if (!this.api.isSpreadElement(each)) return { place: this.of(each), many: false };
      const place = new Place();
      this.iterate(this.of(each.expression), place);
      return { place, many: true };
    });
  }

  #call(node: ts.CallExpression): void {
    const { api } = this;
    const { expression: callee } = node;
    const args = this.#argumentsOf(node.arguments);
    const to = this.of(node);
    if (callee.kind === api.SyntaxKind.SuperKeyword) return this.#superCall(node, args);
    if (callee.kind === api.SyntaxKind.ImportKeyword)
      return this.flow(this.moduleAt(node.arguments[0]), to);
    if (this.isOfTsgrad(callee)) return this.#form(node, args);
    const access = this.#unwrapped(callee);
    if (!api.isPropertyAccessExpression(access) && !api.isElementAccessExpression(access))
      return this.call(this.of(callee), { node, args, to, self: null });
    if (access.expression.kind === api.SyntaxKind.SuperKeyword)
      return this.call(this.of(callee), { node, args, to, self: null });
    const receiver = this.of(access.expression);
    const call: Call = { node, args, to, self: receiver };
    const key = this.keyAt(access);
    if (key !== null && isMethodOfLists(key) && this.#isArray(access.expression)) {
      this.#ofList(receiver, key, call);
      return;
    }
    this.call(this.of(callee), call);
    if (!this.#isElement(access)) this.#method(receiver, key, access, call);
  }

  /** `fs[0]`, `fs[i]` */
  #isElement(access: ts.AccessExpression): boolean {
    return (
      this.api.isElementAccessExpression(access) &&
      (this.checker.getTypeAtLocation(access.argumentExpression).flags &
        this.api.TypeFlags.NumberLike) !==
        0
    );
  }

  #isArray(node: ts.Expression): boolean {
    const type = this.checker.getNonNullableType(this.checker.getTypeAtLocation(node));
    return this.checker.isArrayType(type) || this.checker.isTupleType(type);
  }

  /** A method of an array, which may come from code outside of the program. */
  #ofList(receiver: Place, name: string, call: Call): void {
    this.each(receiver, (value) => {
      if (value.kind === "list") return this.#natives.method(value, name, call);
      const list = this.cell("list", call.node, "outside");
      const elements = this.field(list, ELEMENT);
      this.add(elements, this.outside);
      this.flow(elements, this.escaped);
      this.#natives.method(list, name, call);
    });
  }

  #unwrapped(node: ts.Expression): ts.Expression {
    return this.api.isParenthesizedExpression(node) || this.api.isNonNullExpression(node)
      ? this.#unwrapped(node.expression)
      : node;
  }

  /** Methods that objects have without code of the program. */
  #method(receiver: Place, key: string | null, access: ts.AccessExpression, call: Call): void {
    const name = key ?? "?";
    if (this.api.isPropertyAccessExpression(access) && this.moduleSymbol(access.name) !== null)
      return;
    if (name === "then" || name === "catch" || name === "finally")
      this.#settled(receiver, name, call);
    this.each(receiver, (value) => {
      if (value === this.outside) this.calledOutside.add(name);
      else if (value.kind === "list" || value.kind === "map")
        this.#natives.method(value, name, call);
      else if (value.kind === "function" || value.kind === "derived")
        this.#natives.ofFunction(value, name, call);
    });
  }

  /** `promise.then(f)`: a promise is treated as what it gives. */
  #settled(receiver: Place, name: string, { node, args, to }: Call): void {
    const any = new Place();
    this.add(any, this.outside);
    args.forEach(({ place }, i) => {
      const given = name === "then" && i === 0 ? receiver : any;
      this.call(place, { node, args: [{ place: given, many: false }], to, self: null });
    });
    if (name !== "then") this.flow(receiver, to);
  }

  #superCall(node: ts.CallExpression, args: readonly Argument[]): void {
    const around = this.api.findAncestor(node, this.api.isClassLike);
    if (around !== undefined) this.callBase(around, args);
  }

  /** `grad(f)`: a function that calls `f` with its arguments. */
  #form(node: ts.CallExpression, args: readonly Argument[]): void {
    const to = this.of(node);
    const [first, ...rest] = args;
    for (const { place } of rest) this.flow(place, this.escaped);
    if (first === undefined) return;
    if (this.checker.getTypeAtLocation(node).getCallSignatures().length === 0)
      return this.callOutside({ node, args, to, self: null });
    const made = this.cell("derived", node);
    this.flow(first.place, this.field(made, "of"));
    this.add(to, made);
  }

  #new(node: ts.NewExpression): void {
    const call: Call = {
      node,
      args: this.#argumentsOf(node.arguments ?? []),
      to: this.of(node),
      self: null,
    };
    this.construct(this.of(node.expression), call);
  }

  protected override callNative(callee: Cell, call: Call): void {
    if (callee.kind === "derived") return this.#natives.derived(callee, call);
    if (this.api.isNewExpression(call.node) && this.#natives.construct(callee.path, call)) return;
    this.#natives.call(callee.path, call);
  }

  #tagged(node: ts.TaggedTemplateExpression): void {
    const parts = this.api.isTemplateExpression(node.template) ? node.template.templateSpans : [];
    const args = [
      { place: new Place(), many: false },
      ...this.#argumentsOf(parts.map(({ expression }) => expression)),
    ];
    this.call(this.of(node.tag), { node, args, to: this.of(node), self: null });
  }

  #object(node: ts.ObjectLiteralExpression): void {
    const { api } = this;
    const made = this.cell("object", node);
    this.add(this.of(node), made);
    for (const property of node.properties) {
      if (api.isSpreadAssignment(property)) {
        this.copy(this.of(property.expression), made);
        continue;
      }
      const into = this.field(made, this.keyOf(property.name) ?? "[some]");
      if (api.isPropertyAssignment(property)) this.flow(this.of(property.initializer), into);
      else if (api.isShorthandPropertyAssignment(property))
        this.flow(this.#shorthand(property), into);
      else this.declareMember(property, into, this.onlyOf(made));
    }
  }

  #shorthand(property: ts.ShorthandPropertyAssignment): Place {
    const known = this.places.get(property.name);
    if (known !== undefined) return known;
    return this.of(property.name);
  }

  #array(node: ts.ArrayLiteralExpression): void {
    const made = this.cell("list", node);
    this.add(this.of(node), made);
    for (const { place } of this.#argumentsOf(
      node.elements.filter((each) => !this.api.isOmittedExpression(each)),
    ))
      this.flow(place, this.field(made, ELEMENT));
  }

  #binary(node: ts.BinaryExpression): void {
    const { SyntaxKind: k } = this.api;
    const {
      left,
      right,
      operatorToken: { kind },
    } = node;
    if (kind === k.BarBarToken || kind === k.QuestionQuestionToken) this.#joins(node, left, right);
    else if (kind === k.AmpersandAmpersandToken || kind === k.CommaToken) this.#joins(node, right);
    else if (kind === k.EqualsToken) {
      this.#joins(node, right);
      this.assign(left, this.of(right));
    } else if (
      kind === k.QuestionQuestionEqualsToken ||
      kind === k.BarBarEqualsToken ||
      kind === k.AmpersandAmpersandEqualsToken
    ) {
      this.#joins(node, left, right);
      this.assign(left, this.of(right));
    }
  }
}
