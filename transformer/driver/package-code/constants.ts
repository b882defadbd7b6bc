// Constants that may be evaluated again without a difference. In: a declaration. Out: its value,
// where that is a number, a string, a list of such, or arithmetic of such, and nothing changes it.

import type ts from "typescript";
import { type Found, initialiserOf } from "./modules.ts";

type Api = typeof ts;

/** The value; null where it may be another object, or change. */
export function constantOf(api: Api, found: Found): ts.Expression | null {
  if (found.kind !== "declared") return null;
  const { module, name, node } = found;
  const value = initialiserOf(api, node);
  if (value === undefined || module.assigned.has(name)) return null;
  if (isScalar(api, value)) return value;
  const isHidden =
    !module.exposed.has(name) && ![...module.surface.exports.values()].includes(name);
  return isHidden && isTable(api, value) ? value : null;
}

const ARITHMETIC = /^(?:[-+*/%]|\*\*|<<|>>>?|[&|^])$/;
const TYPED = /^(?:Array|Float(?:32|64)Array|(?:Int|Uint)(?:8|16|32)Array|Uint8ClampedArray)$/;
const NAMES = new Set(["undefined", "NaN", "Infinity"]);

/** Numbers, strings, names of other values, and pure arithmetic of them. */
function isScalar(api: Api, node: ts.Expression): boolean {
  if (api.isParenthesizedExpression(node)) return isScalar(api, node.expression);
  if (api.isPrefixUnaryExpression(node)) return isScalar(api, node.operand);
  if (api.isBinaryExpression(node))
    return (
      ARITHMETIC.test(api.tokenToString(node.operatorToken.kind) ?? "") &&
      isScalar(api, node.left) &&
      isScalar(api, node.right)
    );
  if (api.isCallExpression(node))
    return isOfMath(api, node.expression) && node.arguments.every((each) => isScalar(api, each));
  return (
    isOfMath(api, node) ||
    isOfNumber(api, node) ||
    isAtom(api, node) ||
    isMethodText(node.getText())
  );
}

/** `Object.prototype.toString`, which a program that replaces it has replaced for both. */
export const isMethodText = (text: string): boolean =>
  /^(?:Object|Array|Number|String)\.prototype\.\w+$/.test(text);

const isAtom = (api: Api, node: ts.Expression): boolean =>
  api.isIdentifier(node) ||
  api.isNumericLiteral(node) ||
  api.isStringLiteralLike(node) ||
  node.kind === api.SyntaxKind.TrueKeyword ||
  node.kind === api.SyntaxKind.FalseKeyword ||
  node.kind === api.SyntaxKind.NullKeyword;

const isOfMath = (api: Api, node: ts.Expression): boolean =>
  api.isPropertyAccessExpression(node) &&
  node.expression.getText() === "Math" &&
  node.name.text !== "random";
const isOfNumber = (api: Api, node: ts.Expression): boolean =>
  api.isPropertyAccessExpression(node) && node.expression.getText() === "Number";

/** `[1, 2]`, `new Float64Array([1, 2])` */
function isTable(api: Api, node: ts.Expression): boolean {
  if (api.isArrayLiteralExpression(node))
    return node.elements.every((each) => isScalar(api, each) && !NAMES.has(each.getText()));
  return (
    api.isNewExpression(node) &&
    TYPED.test(node.expression.getText()) &&
    node.arguments?.length === 1 &&
    node.arguments.every((each) => api.isArrayLiteralExpression(each) && isTable(api, each))
  );
}
