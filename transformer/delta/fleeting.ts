// Finds expressions whose only effect is their value; nodes they record may be dropped. In: an
// expression. Out: whether it is one. Invariant: when unsure, no; none stores a number elsewhere.

import type ts from "typescript";
import { isDataField } from "./handles.ts";
import { isListLike, isNumber, isPrimitive } from "./types/leaves.ts";
import { unwrapped, type Work } from "./work.ts";

/** Depth of nested calls that are followed. */
const DEEPEST = 4;

export class Fleeting {
  readonly #work: Work;
  calls = 0;
  /** A second evaluation would give the same value. */
  isSteady = true;

  constructor(work: Work) {
    this.#work = work;
  }

  /** `own`: the function whose locals may be written, or null. */
  is(node: ts.Node, own: ts.Node | null = null, depth = 0): boolean {
    const { api } = this.#work;
    const inner = (one: ts.Node): boolean => this.is(one, own, depth);
    if (
      api.isTypeNode(node) ||
      api.isNumericLiteral(node) ||
      api.isBreakStatement(node) ||
      api.isContinueStatement(node) ||
      node.kind === api.SyntaxKind.TrueKeyword ||
      node.kind === api.SyntaxKind.FalseKeyword
    )
      return true;
    if (api.isIdentifier(node)) return node.text !== "arguments";
    if (api.isPropertyAccessExpression(node))
      return (
        node.questionDotToken === undefined && this.#isPlainField(node) && inner(node.expression)
      );
    if (api.isElementAccessExpression(node))
      return (
        node.questionDotToken === undefined &&
        this.#isElement(node) &&
        inner(node.expression) &&
        inner(node.argumentExpression)
      );
    if (api.isCallExpression(node) && /\brandom\b/.test(node.expression.getText()))
      this.isSteady = false;
    if (api.isCallExpression(node))
      return (
        node.arguments.every((arg) => this.#isNumberOrObject(arg) && inner(arg)) &&
        (this.#isOfMath(node) || this.#isKnown(node, depth))
      );
    if (api.isBinaryExpression(node))
      return this.#isOperation(node, own) && inner(node.left) && inner(node.right);
    if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node))
      return this.#isSign(node, own) && inner(node.operand);
    if (api.isVariableDeclaration(node))
      return (
        api.isIdentifier(node.name) && (node.initializer === undefined || inner(node.initializer))
      );
    if (api.isVariableDeclarationList(node))
      return (
        (node.flags & api.NodeFlags.Using) !== api.NodeFlags.Using && node.declarations.every(inner)
      );
    const isPart =
      api.isParenthesizedExpression(node) ||
      api.isNonNullExpression(node) ||
      api.isConditionalExpression(node) ||
      api.isBlock(node) ||
      api.isVariableStatement(node) ||
      api.isReturnStatement(node) ||
      api.isIfStatement(node) ||
      api.isForStatement(node) ||
      api.isWhileStatement(node) ||
      api.isDoStatement(node) ||
      api.isExpressionStatement(node) ||
      api.isToken(node);
    return isPart && api.forEachChild(node, (child) => !inner(child) || undefined) === undefined;
  }

  /** `p.x`, `xs.length`, `Math.PI` */
  #isPlainField(node: ts.PropertyAccessExpression): boolean {
    const {
      api,
      context: { checker, activity },
    } = this.#work;
    if (node.name.text === "length" && isListLike(api, checker, node.expression)) return true;
    return (
      activity?.hasPlainFields() === true &&
      isDataField(api, checker?.getSymbolAtLocation(node.name))
    );
  }

  #isElement(node: ts.ElementAccessExpression): boolean {
    const {
      api,
      context: { checker, activity },
    } = this.#work;
    return (
      activity?.hasPlainFields() === true &&
      isListLike(api, checker, node.expression) &&
      isNumber(api, checker, node.argumentExpression)
    );
  }

  #isNumberOrObject(node: ts.Expression): boolean {
    const {
      api,
      context: { checker },
    } = this.#work;
    return (
      isNumber(api, checker, node) ||
      api.isIdentifier(node) ||
      api.isPropertyAccessExpression(node) ||
      api.isElementAccessExpression(node)
    );
  }

  #isOfMath({ expression: callee, arguments: args }: ts.CallExpression): boolean {
    const {
      api,
      context: { checker, resolver },
      bindings,
    } = this.#work;
    return (
      api.isPropertyAccessExpression(callee) &&
      api.isIdentifier(callee.expression) &&
      callee.expression.text === "Math" &&
      bindings.find(callee.expression) === null &&
      resolver.resolve(callee.expression).kind === "native" &&
      args.every((arg) => isNumber(api, checker, arg))
    );
  }

  /** A function of the program that returns a number. */
  #isKnown(node: ts.CallExpression, depth: number): boolean {
    const {
      api,
      context: { checker, resolver },
    } = this.#work;
    const callee = unwrapped(this.#work, node.expression);
    if (
      depth === DEEPEST ||
      node.questionDotToken !== undefined ||
      !api.isIdentifier(callee) ||
      callee.text === "arguments" ||
      !isNumber(api, checker, node)
    )
      return false;
    const found = resolver.resolve(callee);
    if (found.kind !== "function") return false;
    const { node: own } = found;
    const isGenerator = "asteriskToken" in own && own.asteriskToken !== undefined;
    if (
      isGenerator ||
      own.body === undefined ||
      /\.[cm]?jsx?$/.test(own.getSourceFile().fileName) ||
      !(api.isFunctionDeclaration(own) || api.isArrowFunction(own) || api.isFunctionExpression(own))
    )
      return false;
    if ((api.getModifiers(own) ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword))
      return false;
    this.calls++;
    return (
      own.parameters.every(
        ({ name, initializer, dotDotDotToken }) =>
          api.isIdentifier(name) && initializer === undefined && dotDotDotToken === undefined,
      ) && this.is(own.body, own, depth + 1)
    );
  }

  /** Arithmetic, comparisons, and assignments to locals of the function. */
  #isOperation(node: ts.BinaryExpression, own: ts.Node | null): boolean {
    const {
      api,
      context: { checker },
    } = this.#work;
    const k = api.SyntaxKind;
    const { kind } = node.operatorToken;
    if (kind >= k.FirstAssignment && kind <= k.LastAssignment)
      return (
        this.#isOwn(node.left, own) &&
        isPrimitive(api, checker, node.left) &&
        isPrimitive(api, checker, node.right) &&
        isNumber(api, checker, node)
      );
    if (kind === k.AmpersandAmpersandToken || kind === k.BarBarToken)
      return isPrimitive(api, checker, node.left) && isPrimitive(api, checker, node.right);
    const isEquality =
      kind === k.EqualsEqualsEqualsToken || kind === k.ExclamationEqualsEqualsToken;
    return (
      isEquality ||
      (isNumber(api, checker, node.left) &&
        isNumber(api, checker, node.right) &&
        kind !== k.CommaToken &&
        kind !== k.InKeyword &&
        kind !== k.InstanceOfKeyword)
    );
  }

  #isSign(
    node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression,
    own: ts.Node | null,
  ): boolean {
    const {
      api,
      context: { checker },
    } = this.#work;
    const k = api.SyntaxKind;
    if (node.operator === k.PlusPlusToken || node.operator === k.MinusMinusToken)
      return this.#isOwn(node.operand, own) && isNumber(api, checker, node.operand);
    return node.operator === k.ExclamationToken || isNumber(api, checker, node.operand);
  }

  #isOwn(node: ts.Node, own: ts.Node | null): boolean {
    const {
      api,
      context: { checker },
    } = this.#work;
    const declaration = api.isIdentifier(node)
      ? checker?.getSymbolAtLocation(node)?.valueDeclaration
      : undefined;
    if (own === null || declaration === undefined) return false;
    for (let at: ts.Node = declaration; !api.isSourceFile(at); at = at.parent)
      if (at === own) return true;
    return false;
  }
}

/** Calls of the program's functions without other effects; null for anything else. */
export function fleetingOf(work: Work, node: ts.Expression): Pick<Fleeting, "isSteady"> | null {
  if (
    work.isUntyped ||
    work.context.perOperation === true ||
    work.frame.isAsync ||
    work.frame.isGenerator
  )
    return null;
  const all = new Fleeting(work);
  return all.is(node) && all.calls > 0 ? all : null;
}
