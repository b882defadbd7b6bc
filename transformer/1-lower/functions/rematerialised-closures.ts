// Finds the function that a call of an enclosing scope returns: `const U = gaussian(mu)`.
// Output: the function literal, if the call can be repeated where the name is used.
// The call must be pure and use only numbers and constants; the answer errs towards null.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { isReassigned } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import { builtinPath } from "../names/library-names.ts";

type Literal = ts.ArrowFunction | ts.FunctionExpression;

export function madeAgain(f: Frame, call: ts.CallExpression): Literal | null {
  const { api } = f;
  const callee = bare(call.expression, f.api);
  if (!call.arguments.every((argument) => isSteady(f, argument))) return null;
  const symbol = api.isIdentifier(callee) ? f.symbolOf(callee) : null;
  const maker = api.isCallExpression(callee)
    ? madeAgain(f, callee)
    : symbol === null || f.env.lookup(symbol) !== null
      ? null
      : f.ctx.bodyOf(symbol);
  const isPlain =
    maker !== null &&
    maker.parameters.every(
      ({ name, initializer, dotDotDotToken }) =>
        api.isIdentifier(name) && initializer === undefined && dotDotDotToken === undefined,
    );
  return maker === null || !isPlain || maker.body === undefined ? null : givenBy(f, maker.body);
}

/** The literal that a body returns, if all else it has is `const`s of steady values. */
function givenBy(f: Frame, body: ts.ConciseBody): Literal | null {
  const { api } = f;
  if (!api.isBlock(body)) return literalOf(f, body);
  const last = body.statements.at(-1);
  const isNaming = (statement: ts.Statement): boolean =>
    api.isVariableStatement(statement) &&
    (statement.declarationList.flags & api.NodeFlags.Const) !== 0 &&
    statement.declarationList.declarations.every(
      ({ name, initializer }) =>
        api.isIdentifier(name) && initializer !== undefined && isSteady(f, initializer),
    );
  return last !== undefined &&
    api.isReturnStatement(last) &&
    last.expression !== undefined &&
    body.statements.slice(0, -1).every(isNaming)
    ? literalOf(f, last.expression)
    : null;
}

function literalOf(f: Frame, expression: ts.Expression): Literal | null {
  const node = bare(expression, f.api);
  return f.api.isArrowFunction(node) || f.api.isFunctionExpression(node) ? node : null;
}

const ARITHMETIC: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "**"]);

/** Whether it is a pure expression of constants. */
function isSteady(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  if (isWritten(f, node) || builtinPath(f, node) !== null) return true;
  if (api.isIdentifier(node)) {
    const symbol = f.symbolOf(node);
    return symbol !== null && !isReassigned(f, symbol);
  }
  if (api.isPrefixUnaryExpression(node))
    return node.operator === api.SyntaxKind.MinusToken && isSteady(f, node.operand);
  if (api.isBinaryExpression(node))
    return (
      ARITHMETIC.has(node.operatorToken.getText()) &&
      isSteady(f, node.left) &&
      isSteady(f, node.right)
    );
  return (
    api.isCallExpression(node) &&
    isFunctionOfMath(f, node.expression) &&
    node.arguments.every((argument) => isSteady(f, argument))
  );
}

/** A number, a string, a boolean or a function literal. */
const isWritten = (f: Frame, node: ts.Expression): boolean =>
  f.api.isNumericLiteral(node) ||
  f.api.isStringLiteral(node) ||
  node.kind === f.api.SyntaxKind.TrueKeyword ||
  node.kind === f.api.SyntaxKind.FalseKeyword ||
  literalOf(f, node) !== null;

function isFunctionOfMath(f: Frame, callee: ts.Expression): boolean {
  const path = builtinPath(f, callee);
  return path?.startsWith("Math.") === true && path !== "Math.random";
}
