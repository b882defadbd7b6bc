// Finds the field that an array of functions flows to: `layers` of `new Sequential(layers)`.
// Input: the declaration of the array, or an argument. Output: the first such field, or null.
// That field determines the tags; lowering rejects a flow to another field with other tags.

import type ts from "typescript";
import type { TypeScript } from "../typescript.ts";
import { unwrap } from "../unwrap.ts";

/** The field that a local list, or a parameter, is put into by its name. */
export const goalOfList = (
  declaration: ts.VariableDeclaration | ts.ParameterDeclaration,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Symbol | null => new Goals(api, checker).ofName(declaration);

/** The field that the callee stores the argument in. */
export const goalOfUse = (
  use: ts.Expression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.Symbol | null => new Goals(api, checker).ofUse(use);

class Goals {
  readonly #api: TypeScript;
  readonly #checker: ts.TypeChecker;
  readonly #asked = new Set<ts.Node>();

  constructor(api: TypeScript, checker: ts.TypeChecker) {
    this.#api = api;
    this.#checker = checker;
  }

  ofName(declaration: ts.VariableDeclaration | ts.ParameterDeclaration): ts.Symbol | null {
    const api = this.#api;
    const { name } = declaration;
    const scope = api.findAncestor(declaration, api.isFunctionLike);
    const symbol = this.#checker.getSymbolAtLocation(name);
    if (
      this.#asked.has(declaration) ||
      scope === undefined ||
      symbol === undefined ||
      !api.isIdentifier(name)
    )
      return null;
    this.#asked.add(declaration);
    if (
      api.isParameter(declaration) &&
      api.isParameterPropertyDeclaration(declaration, declaration.parent)
    )
      return (
        this.#checker
          .getSymbolsOfParameterPropertyDeclaration(declaration, name.text)
          .find(({ flags }) => flags & api.SymbolFlags.Property) ?? null
      );
    const meant = (node: ts.Identifier): ts.Symbol | undefined =>
      api.isShorthandPropertyAssignment(node.parent)
        ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
        : this.#checker.getSymbolAtLocation(node);
    const walk = (node: ts.Node): ts.Symbol | null | undefined =>
      api.isIdentifier(node) && node !== name && node.text === name.text && meant(node) === symbol
        ? (this.ofUse(node) ?? undefined)
        : api.forEachChild(node, walk);
    return walk(scope) ?? null;
  }

  ofUse(use: ts.Expression): ts.Symbol | null {
    const api = this.#api;
    const { parent } = use;
    const parameter = parameterOf(use, api, this.#checker);
    if (parameter !== null) return this.ofName(parameter);
    if (
      api.isBinaryExpression(parent) &&
      parent.right === use &&
      parent.operatorToken.kind === api.SyntaxKind.EqualsToken
    )
      return this.#ofField(parent.left);
    return api.isPropertyAssignment(parent) || api.isShorthandPropertyAssignment(parent)
      ? this.#ofProperty(parent)
      : null;
  }

  /** `{ layers }` */
  #ofProperty({
    name,
    parent: literal,
  }: ts.PropertyAssignment | ts.ShorthandPropertyAssignment): ts.Symbol | null {
    const type = this.#checker.getContextualType(literal);
    return type === undefined || !this.#api.isIdentifier(name)
      ? null
      : (this.#checker.getPropertyOfType(this.#checker.getNonNullableType(type), name.text) ??
          null);
  }

  /** `this.layers` */
  #ofField(target: ts.Expression): ts.Symbol | null {
    const node = unwrap(target, this.#api);
    const symbol = this.#api.isPropertyAccessExpression(node)
      ? this.#checker.getSymbolAtLocation(node.name)
      : undefined;
    return symbol !== undefined && symbol.flags & this.#api.SymbolFlags.Property ? symbol : null;
  }
}

/** The parameter that an argument of a call binds. */
export function parameterOf(
  argument: ts.Expression,
  api: TypeScript,
  checker: ts.TypeChecker,
): ts.ParameterDeclaration | null {
  const { parent: call } = argument;
  if (!api.isNewExpression(call) && !api.isCallExpression(call)) return null;
  const args = call.arguments ?? [];
  const at = args.findIndex((each) => each === argument);
  const called = checker.getResolvedSignature(call)?.declaration;
  const parameter =
    at < 0 ||
    args.slice(0, at + 1).some(api.isSpreadElement) ||
    called === undefined ||
    called.getSourceFile().isDeclarationFile ||
    !("body" in called)
      ? undefined
      : called.parameters.at(at);
  return parameter === undefined ||
    !api.isParameter(parameter) ||
    parameter.dotDotDotToken !== undefined
    ? null
    : parameter;
}
