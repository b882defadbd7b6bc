// Finds the functions that the program stores in fields of a name.
// Output: the functions, each with its discriminator, or null where one is unknown.
// All literals, constructors, assignments and initialisers count, whatever the object's type is.
// A copy holds what was stored in the original.

import type ts from "typescript";
import type { Global, Origin } from "../../ir/types.ts";
import { resolvedSymbol } from "../checker.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import { capturedBy } from "./closure-captures.ts";
import { forEachTarget } from "../assignments.ts";
import type { LowerContext, Asking } from "../context.ts";
import type { TypeScript } from "../typescript.ts";
import { literalOf, nameTaken, partNamed } from "./constant-parts.ts";
import { Frame } from "../frame.ts";
import { Env, type Source, type Putting, type HeldField } from "../function-values.ts";
import { elementOf } from "../types/type-shapes.ts";
import { accessedName, declaredName } from "../objects/property-names.ts";
import { builtinPath } from "../names/library-names.ts";
import { opened, unwrap } from "../unwrap.ts";
import { queryOf, constantNames } from "../objects/constant-mutation.ts";

/** The field that `layer.act`, or the `act` of `const { act } = layer`, reads. */
export function fieldRead(f: Frame, callee: ts.Expression): HeldField | null {
  const {
    api,
    ctx: { checker },
  } = f;
  const node = opened(f, callee);
  const name = api.isPropertyAccessExpression(node)
    ? node.name
    : api.isIdentifier(node)
      ? node
      : null;
  const symbol = name === null ? null : f.symbolOf(name);
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || declaration.getSourceFile().isDeclarationFile)
    return null;
  if (api.isPropertyAccessExpression(node))
    return (symbol.flags & api.SymbolFlags.Property) !== 0
      ? { name: symbol.name, of: checker.getTypeAtLocation(node.expression) }
      : null;
  if (api.isBindingElement(declaration) && api.isObjectBindingPattern(declaration.parent)) {
    const taken =
      declaration.dotDotDotToken === undefined
        ? declaredName(api, declaration.propertyName ?? declaration.name, checker)
        : null;
    const { initializer } = declaration;
    return taken === null
      ? null
      : {
          name: taken,
          of: checker.getTypeAtLocation(declaration.parent),
          ...(initializer === undefined ? {} : { initial: initializer }),
        };
  }
  const isConstant =
    api.isVariableDeclaration(declaration) &&
    (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0;
  return isConstant &&
    declaration.initializer !== undefined &&
    api.isPropertyAccessExpression(opened(f, declaration.initializer))
    ? fieldRead(f, declaration.initializer)
    : null;
}

/** A top-level function of a module as a value; null of other functions. */
export function nameOfFunction({ api }: Frame, symbol: ts.Symbol): Global | null {
  const declaration = symbol.valueDeclaration;
  if (
    declaration === undefined ||
    !(api.isFunctionDeclaration(declaration) || api.isVariableDeclaration(declaration)) ||
    declaration.name === undefined ||
    !api.isIdentifier(declaration.name)
  )
    return null;
  const file = declaration.getSourceFile();
  const around = api.isVariableDeclaration(declaration)
    ? declaration.parent.parent.parent
    : declaration.parent;
  const { text: name } = declaration.name;
  return around !== file || file.isDeclarationFile
    ? null
    : {
        kind: "global",
        name,
        type: { kind: "leaf", text: `typeof ${name}` },
        file: file.fileName,
        isFunction: true,
      };
}

/** `at`: the expression that reads the field. */
export function functionsPutInto(
  f: Frame,
  field: HeldField,
  at: ts.Expression,
): readonly Source[] | null {
  const flow = new Flow(f, f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(at)));
  return flow.intoFields(field) ? [...flow.found.values()] : null;
}

/** An unknown value that the program stores in the field; null where nothing is stored. */
export function unknownIn(f: Frame, field: HeldField, at: ts.Expression): ts.Node | null {
  const flow = new Flow(f, f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(at)));
  flow.intoFields(field);
  return flow.unknown;
}

/** The functions that are stored in a field. `isList`: in arrays in the field. */
export function putIntoField(asking: Asking, field: HeldField, isList = false): Putting {
  const flow = new Flow(frameOf(asking), null);
  const isKnown = isList ? flow.inLists(() => flow.intoFields(field)) : flow.intoFields(field);
  return { sources: isKnown ? [...flow.found.values()] : null, asked: [...flow.asked] };
}

/** The same of an array. `called`: its name. `ofLists`: the stored values are arrays themselves. */
export function putAmong(
  asking: Asking,
  called: string,
  put: readonly ts.Expression[],
  ofLists = false,
): Putting {
  const flow = new Flow(frameOf(asking), null, called);
  const isKnown = flow.inLists(() => put.every((each) => flow.from(each)), ofLists);
  return { sources: isKnown ? [...flow.found.values()] : null, asked: [...flow.asked] };
}

/** A frame with the bindings of a module. */
function frameOf({ api, checker, program, classes, at }: Asking): Frame {
  const bodyOf = ({ valueDeclaration: node }: ts.Symbol): ts.FunctionLikeDeclaration | null => {
    const held =
      node !== undefined && api.isVariableDeclaration(node) && node.initializer !== undefined
        ? unwrap(node.initializer, api)
        : node;
    return held !== undefined &&
      (api.isFunctionDeclaration(held) ||
        api.isArrowFunction(held) ||
        api.isFunctionExpression(held)) &&
      held.body !== undefined
      ? held
      : null;
  };
  const originOf = (node: ts.Node): Origin => ({
    file: node.getSourceFile().fileName,
    start: node.pos,
    end: node.end,
  });
  // Nothing is lowered in this frame.
  const { lowering } = classes;
  const ctx = {
    ts: api,
    checker,
    program,
    classes,
    lowering,
    originOf,
    bodyOf,
  } as unknown as LowerContext;
  return new Frame(ctx, at, "", { label: "", type: { kind: "void" }, used: false });
}

/** The functions that an expression may be. */
export function functionsOf(f: Frame, expression: ts.Expression): readonly Source[] | null {
  const flow = new Flow(
    f,
    f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(expression)),
  );
  return flow.from(expression) ? [...flow.found.values()] : null;
}

const isNothing = ({ api }: Frame, node: ts.Expression): boolean =>
  node.kind === api.SyntaxKind.NullKeyword ||
  (api.isIdentifier(node) && node.text === "undefined") ||
  api.isVoidExpression(node);

/** Array methods that pass their elements to a callback. */
const GOING_THROUGH: ReadonlySet<string> = new Set(["map", "flatMap", "forEach"]);

/** Array methods that store their arguments, with the number of leading ones that they skip. */
const PUTTING: ReadonlyMap<string, number> = new Map([
  ["push", 0],
  ["unshift", 0],
  ["splice", 2],
]);

/** Array methods whose result has elements of the receiver and the arguments. */
const KEEPING: ReadonlySet<string> = new Set([
  "slice",
  "filter",
  "concat",
  "reverse",
  "toReversed",
]);

class Flow {
  readonly found = new Map<string, Source>();
  /** A stored value that is unknown. */
  unknown: ts.Node | null = null;
  /** The names that the answer depends on. */
  readonly asked = new Set<string>();
  readonly #f: Frame;
  /** Null for any function, unnamed ones included. */
  readonly #wanted: ts.Type | null;
  readonly #followed = new Set<ts.Node>();
  #loaded: ReadonlySet<ts.SourceFile> | null = null;
  #field = "";
  /** Whether arrays are followed, and their elements collected. */
  #ofLists = false;
  #seenBy: ReadonlySet<ts.SourceFile> | null = null;

  constructor(f: Frame, wanted: ts.Type | null, called = "") {
    this.#f = f;
    this.#wanted = wanted;
    this.#field = called;
  }

  /** Whether all stored values are known. */
  intoFields(field: HeldField): boolean {
    this.#asks(field.name);
    this.#field = field.name;
    return (
      (field.initial === undefined || this.from(field.initial)) &&
      this.#everywhere(
        field.name,
        (node) =>
          this.#assignedBy(node, field) &&
          this.#declaredBy(node, field) &&
          this.#putBy(node, field),
      )
    );
  }

  inLists<T>(follow: () => T, ofLists = true): T {
    const around = this.#ofLists;
    this.#ofLists = ofLists;
    try {
      return follow();
    } finally {
      this.#ofLists = around;
    }
  }

  #element(expression: ts.Expression): boolean {
    return this.inLists(() => this.from(expression), false);
  }

  #elements(parts: readonly ts.Expression[]): boolean {
    const { api } = this.#f;
    return parts.every((each) =>
      api.isSpreadElement(each)
        ? this.from(each.expression)
        : !api.isOmittedExpression(each) && this.#element(each),
    );
  }

  /** `net.layers.push(act)`, `net.layers[0] = act` */
  #putBy(node: ts.Node, field: HeldField): boolean {
    const { api } = this.#f;
    if (
      !this.#ofLists ||
      !api.isPropertyAccessExpression(node) ||
      node.name.text !== field.name ||
      !this.#mayBeOf(field, node.expression)
    )
      return true;
    return this.#putInto(node);
  }

  /** Values that are stored in the array that an expression names. */
  #putInto(list: ts.Expression): boolean {
    const { api } = this.#f;
    const { parent } = list;
    // (this.layers ??= []).push(act)
    if (
      api.isParenthesizedExpression(parent) ||
      api.isNonNullExpression(parent) ||
      (api.isBinaryExpression(parent) &&
        parent.left === list &&
        /^(?:\?\?|\|\|)=?$/.test(parent.operatorToken.getText()))
    )
      return this.#putInto(parent);
    if (api.isElementAccessExpression(parent) && parent.expression === list) {
      const set = parent.parent;
      return (
        !(
          api.isBinaryExpression(set) &&
          set.left === parent &&
          set.operatorToken.kind === api.SyntaxKind.EqualsToken
        ) || this.#element(set.right)
      );
    }
    const from =
      api.isPropertyAccessExpression(parent) && parent.expression === list
        ? PUTTING.get(parent.name.text)
        : undefined;
    const call = parent.parent;
    return (
      from === undefined ||
      !api.isCallExpression(call) ||
      call.expression !== parent ||
      this.#elements(call.arguments.slice(from))
    );
  }

  #assignedBy(node: ts.Node, field: HeldField): boolean {
    const { api } = this.#f;
    let known = true;
    forEachTarget(api, node, (target) => {
      if (
        accessedName(api, target) !== field.name ||
        !this.#mayBeOf(field, (target as ts.AccessExpression).expression)
      )
        return; // it has a name taken out of it
      known &&=
        api.isBinaryExpression(node) && node.left === target
          ? this.from(node.right)
          : !this.#mayBe(target);
    });
    return known;
  }

  /** Members of literals and classes. */
  #declaredBy(node: ts.Node, field: HeldField): boolean {
    const { api } = this.#f;
    if (api.isParameter(node) && api.isParameterPropertyDeclaration(node, node.parent))
      return (
        node.name.getText() !== field.name ||
        !this.#mayBeOf(field, node.parent.parent) ||
        this.#fromParameter(node)
      );
    if (
      !(api.isObjectLiteralElementLike(node) || api.isClassElement(node)) ||
      node.name === undefined ||
      api.isPrivateIdentifier(node.name) ||
      declaredName(api, node.name, this.#f.ctx.checker) !== field.name
    )
      return true;
    if (!this.#mayBeOf(field, node.parent)) return true;
    if (api.isPropertyAssignment(node)) return this.from(node.initializer);
    if (api.isShorthandPropertyAssignment(node)) return this.from(node.name);
    if (api.isPropertyDeclaration(node))
      return node.initializer === undefined || this.from(node.initializer);
    if (this.#mayBe(node)) this.unknown ??= node;
    return !this.#mayBe(node);
  }

  /** Whether an object may have the field, by its own or its contextual type. */
  #mayBeOf({ of }: HeldField, object: ts.Node): boolean {
    const {
      api,
      ctx: { checker },
    } = this.#f;
    const types = [
      checker.getTypeAtLocation(object),
      ...(api.isObjectLiteralExpression(object) ? [checker.getContextualType(object) ?? []] : []),
    ].flat();
    return types.some(
      (type) =>
        (this.#wanted === null && type.symbol === of.symbol) ||
        checker.isTypeAssignableTo(type, of) ||
        checker.isTypeAssignableTo(of, type),
    );
  }

  /** Whether the value may be such a function. */
  #mayBe(node: ts.Node): boolean {
    const { checker } = this.#f.ctx;
    const whole = checker.getNonNullableType(checker.getTypeAtLocation(node));
    const type = this.#ofLists ? (elementOf(whole, checker) ?? whole) : whole;
    return (
      (type.flags & this.#f.api.TypeFlags.Any) !== 0 ||
      (type.getCallSignatures().length > 0 &&
        (this.#wanted === null || checker.isTypeAssignableTo(type, this.#wanted)))
    );
  }

  /** The functions that an expression may be. */
  from(expression: ts.Expression): boolean {
    const isKnown = this.#known(expression);
    if (!isKnown) this.unknown ??= expression;
    return isKnown;
  }

  #known(expression: ts.Expression): boolean {
    const f = this.#f;
    const { api } = f;
    const node = opened(f, expression);
    if (isNothing(f, node) || this.#followed.has(node)) return true;
    this.#followed.add(node);
    if (!this.#mayBe(node)) return true;
    if (api.isConditionalExpression(node))
      return this.from(node.whenTrue) && this.from(node.whenFalse);
    if (
      api.isBinaryExpression(node) &&
      (node.operatorToken.kind === api.SyntaxKind.QuestionQuestionToken ||
        node.operatorToken.kind === api.SyntaxKind.BarBarToken)
    )
      return this.from(node.left) && this.from(node.right);
    if (this.#ofLists && api.isArrayLiteralExpression(node)) return this.#elements(node.elements);
    if (
      this.#ofLists &&
      api.isCallExpression(node) &&
      api.isPropertyAccessExpression(node.expression)
    )
      return this.#givenByMethod(node, node.expression);
    const path = builtinPath(f, node);
    if (path !== null)
      return this.#add({ fn: { kind: "builtin", path }, atom: null, shown: path, key: path });
    if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return this.#literal(node);
    const part =
      api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)
        ? this.#fromTable(node)
        : null;
    if (part !== null) return part;
    if (api.isCallExpression(node)) return this.#returnedBy(node);
    // A function that is read from a field was stored in a field.
    const field = fieldRead(f, node);
    if (field !== null || api.isPropertyAccessExpression(node))
      return field !== null && this.intoFields(field);
    const symbol = api.isIdentifier(node) ? resolvedSymbol(node, queryOf(f)) : null;
    const declaration = symbol?.valueDeclaration;
    if (symbol === null || declaration === undefined) return false;
    return api.isParameter(declaration)
      ? this.#fromParameter(declaration)
      : this.#fromName(symbol, declaration);
  }

  /** `activations.relu` of a constant's literal; else null. */
  #fromTable(node: ts.AccessExpression): boolean | null {
    const { api } = this.#f;
    const asking = queryOf(this.#f);
    const name = nameTaken(node, api);
    const part = name === null ? null : partNamed(node.expression, name, asking);
    if (name === null || part === null) return null;
    if (
      !api.isMethodDeclaration(part) &&
      !api.isArrowFunction(part) &&
      !api.isFunctionExpression(part)
    )
      return this.from(part);
    const table = opened(this.#f, node.expression);
    const symbol = api.isIdentifier(table) ? resolvedSymbol(table, asking) : null;
    const declaration = symbol?.valueDeclaration;
    if (
      symbol === null ||
      declaration === undefined ||
      !api.isPropertyAccessExpression(node) ||
      declaration.parent.parent.parent !== declaration.getSourceFile()
    )
      return false;
    const file = declaration.getSourceFile();
    const shown = `${symbol.name}.${name}`;
    const atom: Global = {
      kind: "global",
      name: shown,
      type: { kind: "leaf", text: `typeof ${shown}` },
      file: file.fileName,
      isFunction: true,
    };
    return (
      this.#isLoaded(file) &&
      this.#add({
        fn: { kind: "closure", node: part, env: new Env(null, { kind: "none" }) },
        atom,
        shown,
        key: `${file.fileName} ${shown}`,
      })
    );
  }

  /** An unnamed function. */
  #literal(node: ts.ArrowFunction | ts.FunctionExpression, called = this.#field): boolean {
    const file = node.getSourceFile();
    const captures = this.#wanted === null ? capturedBy(this.#f, node) : null;
    return (
      captures !== null &&
      (!captures.ofModule || this.#isLoaded(file)) &&
      this.#add({
        fn: { kind: "closure", node, env: new Env(null, { kind: "none" }) },
        atom: null,
        shown: called,
        key: `${file.fileName} ${node.pos}`,
        captures,
      })
    );
  }

  /** `ws.map((w) => dense(w))`, `layers.slice(1)` */
  #givenByMethod(
    call: ts.CallExpression,
    { expression, name }: ts.PropertyAccessExpression,
  ): boolean {
    const { api } = this.#f;
    const callback = call.arguments[0];
    const isMade = name.text === "map" && callback !== undefined && api.isArrowFunction(callback);
    if (isMade) return api.isExpression(callback.body) && this.#element(callback.body);
    return (
      KEEPING.has(name.text) &&
      this.from(expression) &&
      (name.text !== "concat" || call.arguments.every((each) => this.from(each)))
    );
  }

  /** `dense(w, b)` of a function that returns a function at its end. */
  #returnedBy(call: ts.CallExpression): boolean {
    const { api, ctx } = this.#f;
    const symbol =
      this.#wanted === null && api.isIdentifier(call.expression)
        ? resolvedSymbol(call.expression, queryOf(this.#f))
        : null;
    const body = symbol === null ? undefined : ctx.bodyOf(symbol)?.body;
    const last = body !== undefined && api.isBlock(body) ? body.statements.at(-1) : undefined;
    const returned =
      body === undefined
        ? undefined
        : api.isBlock(body)
          ? last !== undefined && api.isReturnStatement(last)
            ? last.expression
            : undefined
          : body;
    return (
      returned !== undefined && this.#named(symbol?.name ?? this.#field, () => this.from(returned))
    );
  }

  #named<T>(called: string, make: () => T): T {
    const around = this.#field;
    this.#field = called;
    try {
      return make();
    } finally {
      this.#field = around;
    }
  }

  #fromName(symbol: ts.Symbol, declaration: ts.Declaration): boolean {
    const { api } = this.#f;
    const { name } = symbol;
    const isConstant =
      api.isVariableDeclaration(declaration) &&
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0;
    const initializer =
      isConstant && declaration.initializer !== undefined
        ? opened(this.#f, declaration.initializer)
        : null;
    const isFunction =
      api.isFunctionDeclaration(declaration) ||
      (initializer !== null &&
        (api.isArrowFunction(initializer) || api.isFunctionExpression(initializer)));
    const goneThrough =
      isConstant &&
      api.isForOfStatement(declaration.parent.parent) &&
      declaration.parent.parent.initializer === declaration.parent
        ? declaration.parent.parent.expression
        : null;
    if (goneThrough !== null) return !this.#ofLists && this.inLists(() => this.from(goneThrough));
    if (!isFunction)
      return (
        initializer !== null &&
        this.from(initializer) &&
        (!this.#ofLists || this.#intoName(symbol, declaration))
      );
    const atom = nameOfFunction(this.#f, symbol);
    if (
      atom === null &&
      initializer !== null &&
      (api.isArrowFunction(initializer) || api.isFunctionExpression(initializer))
    )
      return this.#literal(initializer, name);
    return (
      atom !== null &&
      this.#isLoaded(declaration.getSourceFile()) &&
      this.#f.ctx.bodyOf(symbol) !== null &&
      this.#add({ fn: { kind: "program", symbol }, atom, shown: name, key: `${atom.file} ${name}` })
    );
  }

  /** Values that are stored in a local array by its name. */
  #intoName(symbol: ts.Symbol, declaration: ts.Declaration): boolean {
    const { api } = this.#f;
    const asking = queryOf(this.#f);
    const scope = api.findAncestor(declaration, api.isFunctionLike) ?? declaration.getSourceFile();
    const walk = (node: ts.Node): boolean =>
      api.isIdentifier(node) && node.text === symbol.name && resolvedSymbol(node, asking) === symbol
        ? this.#putInto(node)
        : api.forEachChild(node, (child) => !walk(child) || undefined) === undefined;
    return walk(scope);
  }

  /** Whether the module is loaded before the lowered code, so that importing it has no effect. */
  #isLoaded(file: ts.SourceFile): boolean {
    const {
      ctx: { checker },
      api,
      root,
    } = this.#f;
    return (this.#loaded ??= loadedBy(root.getSourceFile(), api, checker)).has(file);
  }

  #add(source: Source): true {
    this.found.set(source.key, source);
    return true;
  }

  /** The arguments of all calls of a function or constructor. */
  #fromParameter(parameter: ts.ParameterDeclaration): boolean {
    const { api } = this.#f;
    const owner = parameter.parent;
    if (this.#followed.has(parameter)) return true;
    this.#followed.add(parameter);
    if (!this.#mayBe(parameter)) return true;
    const list = this.#goneThrough(parameter);
    if (list !== null) return this.#fromElements(list);
    const own =
      this.#ofLists && api.isIdentifier(parameter.name)
        ? resolvedSymbol(parameter.name, queryOf(this.#f))
        : null;
    if (own !== null && !this.#intoName(own, parameter)) return false;
    const at = owner.parameters.indexOf(parameter);
    const isRest = parameter.dotDotDotToken !== undefined;
    const isOpen = (isRest && !this.#ofLists) || !api.isIdentifier(parameter.name);
    const given = (args: readonly ts.Expression[]): boolean => {
      const argument = args[at];
      if (isRest)
        return !args.slice(0, at).some(api.isSpreadElement) && this.#elements(args.slice(at));
      return (
        !args.slice(0, at + 1).some(api.isSpreadElement) &&
        (argument === undefined || this.from(argument))
      );
    };
    if (api.isMethodDeclaration(owner))
      return (
        !isOpen &&
        api.isClassLike(owner.parent) &&
        (parameter.initializer === undefined || this.from(parameter.initializer)) &&
        this.#fromMethod(owner, given)
      );
    const called = api.isConstructorDeclaration(owner)
      ? owner.parent
      : api.isFunctionDeclaration(owner)
        ? owner
        : api.isArrowFunction(owner) && api.isVariableDeclaration(owner.parent)
          ? owner.parent
          : null;
    if (isOpen || called?.name === undefined || !api.isIdentifier(called.name)) return false;
    if (parameter.initializer !== undefined && !this.from(parameter.initializer)) return false;
    return api.isConstructorDeclaration(owner)
      ? this.#fromConstructed(owner, given)
      : this.#fromCalled(called.name, given);
  }

  /** The array whose elements a parameter gets: `list.map((act) => …)`. */
  #goneThrough(parameter: ts.ParameterDeclaration): ts.Expression | null {
    const { api } = this.#f;
    const owner = parameter.parent;
    const call = owner.parent;
    if (
      !api.isArrowFunction(owner) ||
      owner.parameters[0] !== parameter ||
      !api.isIdentifier(parameter.name) ||
      !api.isCallExpression(call) ||
      call.arguments[0] !== owner
    )
      return null;
    return api.isPropertyAccessExpression(call.expression) &&
      GOING_THROUGH.has(call.expression.name.text)
      ? call.expression.expression
      : null;
  }

  #fromElements(list: ts.Expression): boolean {
    const { api } = this.#f;
    const asking = queryOf(this.#f);
    const literal = literalOf(list, asking);
    if (literal === null) return this.inLists(() => this.from(list));
    return (
      api.isArrayLiteralExpression(literal) &&
      literal.elements.every((each) => !api.isSpreadElement(each) && this.from(each))
    );
  }

  /** `new Dense(w, Math.tanh)`, and `super(w, Math.tanh)` in subclasses. */
  #fromConstructed(
    owner: ts.ConstructorDeclaration,
    given: (args: readonly ts.Expression[]) => boolean,
  ): boolean {
    const {
      api,
      ctx: { classes, checker },
      root,
    } = this.#f;
    for (const each of [owner.parent, ...classes.subclasses(owner.parent, root)])
      this.#asks(each.name?.text ?? "class");
    const runsIt = (made: ClassNode | null): boolean =>
      made !== null &&
      (classes.lineage(made) ?? [])
        .map((each) => classes.constructorOf(each))
        .find((each) => each !== null) === owner;
    return this.#everywhere(null, (node) => {
      if (api.isNewExpression(node))
        return (
          !runsIt(classes.ofType(checker.getTypeAtLocation(node))) || given(node.arguments ?? [])
        );
      if (!api.isCallExpression(node) || node.expression.kind !== api.SyntaxKind.SuperKeyword)
        return true;
      return checker.getResolvedSignature(node)?.declaration !== owner || given(node.arguments);
    });
  }

  /** `net.add(w, Math.tanh)` of the class, subclasses and bases; unknown if the method escapes. */
  #fromMethod(
    owner: ts.MethodDeclaration,
    given: (args: readonly ts.Expression[]) => boolean,
  ): boolean {
    const { api } = this.#f;
    const name = owner.name.getText();
    const of = this.#f.ctx.checker.getTypeAtLocation(owner.parent);
    this.#asks(name);
    return (
      !api.isComputedPropertyName(owner.name) &&
      this.#everywhere(name, (node) => {
        if (api.isElementAccessExpression(node) && !api.isNumericLiteral(node.argumentExpression))
          return (
            !this.#mayBeOf({ name, of }, node.expression) ||
            this.#f.ctx.checker.isArrayType(this.#f.ctx.checker.getTypeAtLocation(node.expression))
          );
        if (
          !api.isPropertyAccessExpression(node) ||
          node.name.text !== name ||
          !this.#mayBeOf({ name, of }, node.expression)
        )
          return true;
        return (
          api.isCallExpression(node.parent) &&
          node.parent.expression === node &&
          given(node.parent.arguments)
        );
      })
    );
  }

  /** `dense(w, Math.tanh)`; unknown if the function escapes. */
  #fromCalled(name: ts.Identifier, given: (args: readonly ts.Expression[]) => boolean): boolean {
    const {
      api,
      ctx: { program },
    } = this.#f;
    const asking = queryOf(this.#f);
    const symbol = resolvedSymbol(name, asking);
    const names = symbol === null ? null : constantNames(asking, symbol, program.getSourceFiles());
    for (const each of names ?? []) this.#asks(each);
    return (
      names !== null &&
      this.#everywhere(null, (node) => {
        if (
          !api.isIdentifier(node) ||
          !names.has(node.text) ||
          node === name ||
          resolvedSymbol(node, asking) !== symbol
        )
          return true;
        const use =
          api.isPropertyAccessExpression(node.parent) && node.parent.name === node
            ? node.parent
            : node;
        const { parent } = use;
        if (api.isCallExpression(parent) && parent.expression === use)
          return given(parent.arguments);
        return (
          api.isImportSpecifier(parent) ||
          api.isExportSpecifier(parent) ||
          api.isTypeQueryNode(parent)
        );
      })
    );
  }

  #asks(name: string): void {
    this.asked.add(name);
    this.#f.ctx.classes.questions.writes(name, this.#f.root);
  }

  /** Whether a test holds for all nodes of the program, or of files that contain the name. */
  #everywhere(name: string | null, isKnown: (node: ts.Node) => boolean): boolean {
    const {
      api,
      ctx: { program },
    } = this.#f;
    const walk = (node: ts.Node): boolean =>
      isKnown(node) && api.forEachChild(node, (child) => !walk(child) || undefined) === undefined;
    const isSeen = this.#wanted === null ? this.#importing() : null;
    return program
      .getSourceFiles()
      .every(
        (file) =>
          file.isDeclarationFile ||
          isSeen?.has(file) === false ||
          (name !== null && !file.text.includes(name)) ||
          walk(file),
      );
  }

  /** The files that can import from this one; others construct no objects of its types. */
  #importing(): ReadonlySet<ts.SourceFile> {
    const {
      api,
      ctx: { checker, program },
      root,
    } = this.#f;
    const files = program.getSourceFiles().filter((file) => !file.isDeclarationFile);
    if (this.#seenBy !== null) return this.#seenBy;
    const found = new Set([root.getSourceFile()]);
    const imports = new Map(files.map((file) => [file, importedBy(file, api, checker)]));
    for (const each of found)
      for (const file of files) if (imports.get(file)?.includes(each) === true) found.add(file);
    return (this.#seenBy = found);
  }
}

/** The modules that a file imports, transitively. */
function loadedBy(
  file: ts.SourceFile,
  api: TypeScript,
  checker: ts.TypeChecker,
): ReadonlySet<ts.SourceFile> {
  const found = new Set([file]);
  for (const each of found)
    for (const module of importedBy(each, api, checker, true)) found.add(module);
  return found;
}

/** `loaded`: without type-only imports. */
const importedBy = (
  file: ts.SourceFile,
  api: TypeScript,
  checker: ts.TypeChecker,
  loaded = false,
): readonly ts.SourceFile[] =>
  file.statements.flatMap((statement) => {
    const isImport =
      (api.isImportDeclaration(statement) &&
        !(loaded && statement.importClause?.isTypeOnly === true)) ||
      (api.isExportDeclaration(statement) && !(loaded && statement.isTypeOnly));
    const module =
      isImport && statement.moduleSpecifier !== undefined
        ? checker.getSymbolAtLocation(statement.moduleSpecifier)?.valueDeclaration
        : undefined;
    return module !== undefined && api.isSourceFile(module) && !module.isDeclarationFile
      ? [module]
      : [];
  });
