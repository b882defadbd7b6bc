// Finds the expressions that are stored in a local array of functions.
// Every use of the array must store functions, call its elements, or read its length, so that the
// array does not escape. Null for any other array.

import type ts from "typescript";
import type { TypeScript } from "../typescript.ts";
import { forEachTarget } from "../assignments.ts";
import { unwrap } from "../unwrap.ts";

/** How many arguments stand in front of the element in the callbacks of these methods. */
const CALLBACKS: ReadonlyMap<string, number> = new Map([
  ["forEach", 0],
  ["map", 0],
  ["flatMap", 0],
  ["reduce", 1],
  ["reduceRight", 1],
]);

/** The functions that are stored in an array; null of an array with other uses. */
export function putIntoList(
  declaration: ts.VariableDeclaration,
  api: TypeScript,
  checker: ts.TypeChecker,
): readonly ts.Expression[] | null {
  const { name, initializer } = declaration;
  const scope = api.findAncestor(declaration, api.isFunctionLike);
  const symbol = checker.getSymbolAtLocation(name);
  if (
    !api.isIdentifier(name) ||
    initializer === undefined ||
    scope === undefined ||
    symbol === undefined ||
    (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0
  )
    return null;
  const made = unwrap(initializer, api);
  const put: ts.Expression[] = [];
  const given = madeByMap(made, api);
  if (given !== null) put.push(given);
  else if (
    api.isArrayLiteralExpression(made) &&
    !made.elements.some((each) => api.isSpreadElement(each) || api.isOmittedExpression(each))
  )
    put.push(...made.elements);
  else return null;
  const uses = new Uses(api, checker, put);
  const first = put.length;
  // An array literal without a later push is known by position instead.
  return uses.areKnown(symbol, name, scope) && (given !== null || put.length > first) ? put : null;
}

class Uses {
  readonly #api: TypeScript;
  readonly #checker: ts.TypeChecker;
  readonly #put: ts.Expression[];
  readonly #handed = new Set<ts.ParameterDeclaration>();

  constructor(api: TypeScript, checker: ts.TypeChecker, put: ts.Expression[]) {
    this.#api = api;
    this.#checker = checker;
    this.#put = put;
  }

  areKnown(symbol: ts.Symbol, name: ts.Identifier, scope: ts.Node): boolean {
    return this.#everyUse(symbol, name, scope, (use) => this.#isKnown(use));
  }

  #everyUse(
    symbol: ts.Symbol,
    name: ts.Identifier,
    scope: ts.Node,
    isKnown: (use: ts.Expression) => boolean,
  ): boolean {
    const api = this.#api;
    const meant = (node: ts.Identifier): ts.Symbol | undefined =>
      api.isShorthandPropertyAssignment(node.parent)
        ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
        : this.#checker.getSymbolAtLocation(node);
    const walk = (node: ts.Node): boolean => {
      if (
        api.isIdentifier(node) &&
        node !== name &&
        node.text === name.text &&
        meant(node) === symbol
      )
        return isKnown(node);
      return api.forEachChild(node, (child) => !walk(child) || undefined) === undefined;
    };
    return walk(scope);
  }

  #isKnown(use: ts.Expression): boolean {
    const api = this.#api;
    const { parent } = use;
    if (api.isElementAccessExpression(parent) && parent.expression === use)
      return this.#isCalled(parent);
    if (api.isForOfStatement(parent) && parent.expression === use) {
      const declared = api.isVariableDeclarationList(parent.initializer)
        ? parent.initializer.declarations[0]
        : undefined;
      return (
        declared !== undefined &&
        (api.getCombinedNodeFlags(declared) & api.NodeFlags.Constant) !== 0 &&
        this.#isOnlyCalled(declared.name, parent.statement)
      );
    }
    if (api.isCallExpression(parent) && parent.expression !== use)
      return this.#isHanded(parent, parent.arguments.indexOf(use));
    if (!api.isPropertyAccessExpression(parent) || parent.expression !== use) return false;
    const method = parent.name.text;
    const call = parent.parent;
    if (method === "length") return !isWritten(api, parent);
    if (!api.isCallExpression(call) || call.expression !== parent) return false;
    if (method === "push")
      return call.arguments.every(
        (argument) => !api.isSpreadElement(argument) && this.#put.push(argument) > 0,
      );
    const at = CALLBACKS.get(method);
    const callback = call.arguments[0];
    const own =
      callback !== undefined && api.isArrowFunction(callback) && at !== undefined
        ? callback.parameters[at]
        : undefined;
    // A later parameter would alias the array itself.
    return (
      own !== undefined &&
      callback !== undefined &&
      api.isArrowFunction(callback) &&
      callback.parameters.length <= (at ?? 0) + 2 &&
      own.dotDotDotToken === undefined &&
      own.initializer === undefined &&
      this.#isOnlyCalled(own.name, callback.body)
    );
  }

  /** `run(layers, x)` of a function of the program without other uses of its parameter. */
  #isHanded({ expression: callee }: ts.CallExpression, at: number): boolean {
    const api = this.#api;
    const checker = this.#checker;
    const named = api.isIdentifier(callee) ? checker.getSymbolAtLocation(callee) : undefined;
    const symbol =
      named !== undefined && named.flags & api.SymbolFlags.Alias
        ? checker.getAliasedSymbol(named)
        : named;
    const declaration = symbol?.valueDeclaration;
    const isConstant =
      declaration !== undefined &&
      api.isVariableDeclaration(declaration) &&
      (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) !== 0;
    const held =
      isConstant && declaration.initializer !== undefined
        ? unwrap(declaration.initializer, api)
        : declaration;
    if (
      at < 0 ||
      held === undefined ||
      !(api.isFunctionDeclaration(held) || api.isArrowFunction(held)) ||
      held.body === undefined
    )
      return false;
    const parameter = held.parameters[at];
    const own = parameter === undefined ? undefined : checker.getSymbolAtLocation(parameter.name);
    if (
      parameter === undefined ||
      own === undefined ||
      !api.isIdentifier(parameter.name) ||
      held.parameters.some(({ dotDotDotToken }) => dotDotDotToken !== undefined)
    )
      return false;
    if (this.#handed.has(parameter)) return true;
    this.#handed.add(parameter);
    return this.#everyUse(own, parameter.name, held, (use) => this.#isKnown(use));
  }

  #isOnlyCalled(name: ts.BindingName, scope: ts.Node): boolean {
    const symbol = this.#api.isIdentifier(name)
      ? this.#checker.getSymbolAtLocation(name)
      : undefined;
    return (
      this.#api.isIdentifier(name) &&
      symbol !== undefined &&
      this.#everyUse(symbol, name, scope, (use) => this.#isCalled(use))
    );
  }

  #isCalled(use: ts.Expression): boolean {
    const { parent } = use;
    const api = this.#api;
    if (api.isNonNullExpression(parent) || api.isParenthesizedExpression(parent))
      return this.#isCalled(parent);
    return (
      api.isCallExpression(parent) &&
      parent.expression === use &&
      parent.questionDotToken === undefined
    );
  }
}

/** `layers.length = 0` */
function isWritten(api: TypeScript, place: ts.Expression): boolean {
  let found = false;
  forEachTarget(api, place.parent, (target) => {
    found ||= target === place;
  });
  return found;
}

/** The function that the callback of `ks.map((k) => (x) => x * k)` returns. */
function madeByMap(node: ts.Expression, api: TypeScript): ts.Expression | null {
  const callback =
    api.isCallExpression(node) &&
    node.arguments.length === 1 &&
    api.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "map"
      ? node.arguments[0]
      : undefined;
  return callback !== undefined && api.isArrowFunction(callback) && api.isExpression(callback.body)
    ? unwrap(callback.body, api)
    : null;
}

/** The array that a called function is an element of, by name or index; null of other callees. */
export function listCalled(
  callee: ts.Expression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Identifier | ts.PropertyAccessExpression | null {
  const node = unwrap(callee, api);
  const list = api.isElementAccessExpression(node)
    ? node.expression
    : listNamedBy(node, api, checker);
  const of = list === null ? null : unwrap(list, api);
  return of !== null && (api.isIdentifier(of) || api.isPropertyAccessExpression(of)) ? of : null;
}

/** `layers` of `for (const layer of layers)` and of `layers.reduce((h, layer) => layer(h), x)`. */
function listNamedBy(
  name: ts.Expression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Expression | null {
  const declaration = api.isIdentifier(name)
    ? checker.getSymbolAtLocation(name)?.valueDeclaration
    : undefined;
  if (
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    api.isForOfStatement(declaration.parent.parent)
  )
    return declaration.parent.parent.expression;
  const callback =
    declaration !== undefined && api.isParameter(declaration) ? declaration.parent : undefined;
  const call = callback?.parent;
  if (
    declaration === undefined ||
    callback === undefined ||
    call === undefined ||
    !api.isCallExpression(call) ||
    call.arguments[0] !== callback ||
    !api.isPropertyAccessExpression(call.expression)
  )
    return null;
  return CALLBACKS.get(call.expression.name.text) ===
    callback.parameters.findIndex((each) => each === declaration)
    ? call.expression.expression
    : null;
}
