// Decides whether a value may depend on active inputs. In: an expression. Out: yes or no.
// Invariants: the activity analysis classifies parameters, and calls by name refine that; unsure
// means yes, except for writes into objects.

import type ts from "typescript";
import { mentionsOf } from "./handed.ts";
import { type ObjectHost, writesOf } from "./kept-objects.ts";
import type { KeptHost } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";
import { isAssignment } from "./puts.ts";

/** `value`: null for `++` and `--`. `isWhole`: plain `=`. */
export interface Write {
  readonly target: ts.Identifier;
  readonly value: ts.Expression | null;
  readonly isWhole: boolean;
  readonly inside: ts.SignatureDeclaration | null;
  readonly isRewritten: boolean;
}

export function writesTo(
  symbol: ts.Symbol,
  { ts: api, assigned, isRewritten }: KeptHost,
): readonly Write[] {
  return assigned.targets(symbol).map((target) => {
    let at: ts.Node = target.parent;
    while (
      !api.isStatement(at) &&
      !(api.isBinaryExpression(at) && isAssignment(at, api)) &&
      !api.isPrefixUnaryExpression(at) &&
      !api.isPostfixUnaryExpression(at)
    )
      at = at.parent;
    const value = api.isBinaryExpression(at)
      ? at.right
      : api.isForOfStatement(at)
        ? at.expression
        : null;
    const isWhole =
      api.isBinaryExpression(at) &&
      at.operatorToken.kind === api.SyntaxKind.EqualsToken &&
      bare(at.left, api) === target;
    return {
      target,
      value,
      isWhole,
      inside: api.findAncestor(target, api.isFunctionLike) ?? null,
      isRewritten: api.findAncestor(target, isRewritten) !== undefined,
    };
  });
}

/** A rewritten function has variables of its own: a host for what writes those of `declaration`. */
export const within = <H extends KeptHost>(declaration: ts.Node, host: H): H => ({
  ...host,
  isRewritten: (node) =>
    host.isRewritten(node) &&
    host.ts.findAncestor(declaration, (each) => each === node) === undefined,
});

export class Varying {
  readonly #host: KeptHost;
  readonly #objects: ObjectHost;
  readonly #varies = new Map<ts.Symbol, boolean>();
  readonly #fixed = new Map<ts.ParameterDeclaration, boolean>();

  constructor(host: KeptHost) {
    this.#host = host;
    this.#objects = { ...host, mayVary: (node) => this.mayVary(node) };
  }

  mayVary(node: ts.Node): boolean {
    return this.#mayVary(node, []);
  }

  /** Whether the value may be active. `within`: enclosing functions, with known parameters. */
  #mayVary(node: ts.Node, within: readonly ts.Node[]): boolean {
    const { ts: api } = this.#host;
    if (api.isTypeNode(node) || isFixed(node, api)) return false;
    if (api.isIdentifier(node)) return this.#nameMayVary(node, within);
    if (api.isPropertyAccessExpression(node)) return this.#mayVary(node.expression, within);
    if (api.isPropertyAssignment(node)) return this.#mayVary(node.initializer, within);
    if (api.isShorthandPropertyAssignment(node)) return this.#mayVary(node.name, within);
    if (api.isConditionalExpression(node))
      return this.#mayVary(node.whenTrue, within) || this.#mayVary(node.whenFalse, within);
    if (api.isVariableDeclaration(node))
      return node.initializer !== undefined && this.#mayVary(node.initializer, within);
    const inner = api.isFunctionLike(node) ? [...within, node] : within;
    return api.forEachChild(node, (child) => this.#mayVary(child, inner) || undefined) ?? false;
  }

  /** Whether it is a string or a boolean, or of another type without derivatives. */
  #isText(node: ts.Node): boolean {
    const { ts: api, checker } = this.#host;
    const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
    const { StringLike, BooleanLike, BigIntLike, ESSymbolLike } = api.TypeFlags;
    return (type.isUnion() ? type.types : [type]).every(
      ({ flags }) => (flags & (StringLike | BooleanLike | BigIntLike | ESSymbolLike)) !== 0,
    );
  }

  /** Whether all calls pass inactive module constants or parts of the function's own parameter. */
  #isGivenData(parameter: ts.ParameterDeclaration, place: number): boolean {
    const { ts: api, checker } = this.#host;
    const own = checker.getSymbolAtLocation(parameter.name);
    const isPart = (node: ts.Expression): boolean =>
      api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)
        ? isPart(bare(node.expression, api))
        : api.isIdentifier(node) && checker.getSymbolAtLocation(node) === own;
    return (
      this.#callsOf(parameter.parent)?.every((call) => {
        const arg = call.arguments[place];
        return arg !== undefined && (isOfModule(arg, this.#objects) || isPart(bare(arg, api)));
      }) ?? false
    );
  }

  /** Whether all calls in rewritten code pass an inactive number or function. */
  #isGivenFixed(parameter: ts.ParameterDeclaration, place: number): boolean {
    const { ts: api, checker, isRewritten } = this.#host;
    const type = checker.getNonNullableType(checker.getTypeAtLocation(parameter));
    const known = this.#fixed.get(parameter);
    if (known !== undefined) return known;
    if ((type.flags & api.TypeFlags.NumberLike) === 0 && type.getCallSignatures().length === 0)
      return false;
    // assume so for recursive calls
    this.#fixed.set(parameter, true);
    const calls =
      this.#callsOf(parameter.parent)?.filter(
        (call) => api.findAncestor(call, isRewritten) !== undefined,
      ) ?? [];
    const made =
      calls.length > 0 &&
      calls.every((call) => {
        const arg = call.arguments[place];
        return (
          !call.arguments.slice(0, place + 1).some(api.isSpreadElement) &&
          (arg === undefined || !this.mayVary(arg))
        );
      });
    this.#fixed.set(parameter, made);
    // results found under a wrong assumption are discarded
    if (!made) {
      this.#varies.clear();
      for (const [each, isFixed] of [...this.#fixed]) if (isFixed) this.#fixed.delete(each);
    }
    return made;
  }

  /** All calls of a function or method; null where it may escape. */
  #callsOf(node: ts.SignatureDeclaration): readonly ts.CallExpression[] | null {
    const { ts: api, checker, puts } = this.#host;
    const isMethod =
      api.isMethodDeclaration(node) && api.isClassLike(node.parent) && api.isIdentifier(node.name);
    const name =
      api.isFunctionDeclaration(node) || isMethod
        ? node.name
        : api.isVariableDeclaration(node.parent) && api.isIdentifier(node.parent.name)
          ? node.parent.name
          : undefined;
    const meant = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    const of =
      isMethod && api.isClassLike(node.parent) && node.parent.name !== undefined
        ? checker.getSymbolAtLocation(node.parent.name)
        : undefined;
    if (name === undefined || meant === undefined || (isMethod && of === undefined)) return null;
    const mentions =
      of === undefined
        ? mentionsOf(meant, this.#objects)
        : puts.accesses(name.getText(), checker.getDeclaredTypeOfSymbol(of));
    const calls: ts.CallExpression[] = [];
    for (const at of mentions) {
      const { parent } = at;
      if (api.isCallExpression(parent) && parent.expression === at) calls.push(parent);
      else if (!("name" in parent && parent.name === at) && !api.isExportSpecifier(parent))
        return null;
    }
    return calls;
  }

  #nameMayVary(node: ts.Identifier, within: readonly ts.Node[]): boolean {
    const { ts: api, checker } = this.#host;
    const { parent } = node;
    const symbol = api.isShorthandPropertyAssignment(parent)
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(node);
    const declaration = symbol?.valueDeclaration;
    if (symbol === undefined || declaration === undefined) return false;
    const owner = api.isBindingElement(declaration)
      ? api.walkUpBindingElementsAndPatterns(declaration)
      : declaration;
    if (api.isParameter(owner)) {
      if (within.includes(owner.parent)) return false;
      const place = owner.parent.parameters.indexOf(owner);
      const { isLive, holds } = this.#host.given(owner.parent, place);
      return (
        !this.#isText(node) &&
        !isEachOfModule(owner, this.#objects) &&
        (isLive || (holds && !this.#isGivenData(owner, place))) &&
        !this.#isGivenFixed(owner, place)
      );
    }
    const known = this.#varies.get(symbol);
    if (known !== undefined) return known;
    this.#varies.set(symbol, false);
    const isOfLoop =
      api.isVariableDeclaration(owner) && api.isForOfStatement(owner.parent.parent)
        ? owner.parent.parent.expression
        : null;
    const first = isOfLoop ?? (api.isVariableDeclaration(owner) ? owner.initializer : undefined);
    const isInside = api.findAncestor(owner, api.isFunctionLike) !== undefined;
    const made =
      (first !== undefined && isInside && this.#mayVary(first, within)) ||
      (api.isFunctionDeclaration(owner) && isInside && this.#mayVary(owner, within)) ||
      writesTo(symbol, this.#host).some(
        ({ value, isRewritten }) => isRewritten && value !== null && this.#mayVary(value, within),
      );
    this.#varies.set(symbol, made);
    return made;
  }
}

/** Whether it is (part of) a module constant that no rewritten code writes: `DATA[0].points`. */
function isOfModule(wrapped: ts.Expression, host: ObjectHost): boolean {
  const { ts: api, checker, assigned } = host;
  const node = bare(wrapped, api);
  if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node))
    return isOfModule(node.expression, host);
  const symbol = api.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
  const meant =
    symbol !== undefined && (symbol.flags & api.SymbolFlags.Alias) !== 0
      ? checker.getAliasedSymbol(symbol)
      : symbol;
  const declaration = meant?.valueDeclaration;
  if (meant === undefined || declaration === undefined) return false;
  if (api.isParameter(declaration)) return isEachOfModule(declaration, host);
  if (
    !api.isVariableDeclaration(declaration) ||
    (declaration.parent.flags & api.NodeFlags.Const) === 0
  )
    return false;
  if (api.isForOfStatement(declaration.parent.parent))
    return isOfModule(declaration.parent.parent.expression, host);
  if (api.findAncestor(declaration, api.isFunctionLike) !== undefined)
    return declaration.initializer !== undefined && isOfModule(declaration.initializer, host);
  return !writesOf({ uses: assigned.mentions(meant), isTable: false }, host).some(
    ({ isRewritten }) => isRewritten,
  );
}

/** Whether it is the first parameter of a callback over a module constant's elements. */
function isEachOfModule(declaration: ts.ParameterDeclaration, host: ObjectHost): boolean {
  const { ts: api } = host;
  const { parent: around } = declaration;
  const call = around.parent;
  return (
    around.parameters[0] === declaration &&
    api.isArrowFunction(around) &&
    api.isCallExpression(call) &&
    call.arguments[0] === around &&
    api.isPropertyAccessExpression(call.expression) &&
    /^(map|forEach|filter|some|every|flatMap|find|findIndex)$/.test(call.expression.name.text) &&
    isOfModule(call.expression.expression, host)
  );
}

export const COMPARISONS = "< <= > >= == != === !== in instanceof".split(" ");
export const WHOLE = "& | ^ << >> >>>".split(" ");
const FIXED_CALL =
  /^(stopGradient|Math\.(floor|ceil|round|trunc|sign|random)|performance\.now|Date\.now|String|Boolean|BigInt)$/;

/** Whether no derivative passes through, whatever its operands are. */
function isFixed(node: ts.Node, api: typeof ts): boolean {
  if (api.isBinaryExpression(node))
    return [...COMPARISONS, ...WHOLE].includes(node.operatorToken.getText());
  if (api.isPrefixUnaryExpression(node))
    return (
      node.operator === api.SyntaxKind.ExclamationToken ||
      node.operator === api.SyntaxKind.TildeToken
    );
  if (api.isCallExpression(node)) return FIXED_CALL.test(node.expression.getText());
  if (api.isPropertyAccessExpression(node))
    return node.name.text === "length" || node.name.text === "size";
  return (
    api.isTypeOfExpression(node) ||
    api.isVoidExpression(node) ||
    api.isDeleteExpression(node) ||
    api.isTemplateExpression(node) ||
    api.isStringLiteral(node)
  );
}
