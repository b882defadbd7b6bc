// Finds natives that convert arguments to numbers, as operators do. In: an expression or a callee.
// Out: whether it flows to such a native. Invariant: storing or returning is no conversion.

import type ts from "typescript";
import type { Work } from "../work.ts";

/** `Number(o)`, `Math.max(o, 1)`: natives that convert to a number. */
export function isConversion(work: Work, callee: ts.Expression): boolean {
  const { api } = work;
  const named = api.isPropertyAccessExpression(callee) ? callee.expression : callee;
  return (
    api.isIdentifier(named) &&
    (named.text === "Number" || named.text === "Math" || named.text === "String") &&
    work.bindings.find(named) === null &&
    work.context.resolver.resolve(named).kind === "native"
  );
}

/** Whether its use converts it to a number: `fs[0] = o`, `Float64Array.of(o)`, `Math.sin(o)`. */
export function isConverted(work: Work, node: ts.Node): boolean {
  const { api } = work;
  const { parent } = node;
  if (api.isCallExpression(parent))
    return parent.expression !== node && convertsArguments(work, parent.expression);
  if (api.isNewExpression(parent))
    return parent.expression !== node && isOfNumbers(work, parent.expression);
  if (api.isBinaryExpression(parent) && parent.operatorToken.kind === api.SyntaxKind.EqualsToken)
    return (
      parent.right === node &&
      api.isElementAccessExpression(parent.left) &&
      isOfNumbers(work, parent.left.expression)
    );
  const isHandedOn =
    api.isParenthesizedExpression(parent) ||
    api.isNonNullExpression(parent) ||
    api.isArrayLiteralExpression(parent) ||
    api.isConditionalExpression(parent) ||
    (api.isArrowFunction(parent) && parent.body === node);
  return isHandedOn && isConverted(work, parent);
}

/** `Number(o)`, `Float64Array.of(o)`, `fs.fill(o)` */
const convertsArguments = (work: Work, callee: ts.Expression): boolean =>
  isConversion(work, callee) ||
  (work.api.isPropertyAccessExpression(callee) && isOfNumbers(work, callee.expression));

/** Whether a method of a string makes text of it: `s.concat(x)`. The run time has their rules. */
export function isWritten(work: Work, node: ts.Node): boolean {
  const {
    api,
    context: { checker },
  } = work;
  const { parent } = node;
  if (api.isParenthesizedExpression(parent) || api.isNonNullExpression(parent))
    return isWritten(work, parent);
  if (checker === null || !api.isCallExpression(parent) || parent.expression === node) return false;
  const { expression: callee } = parent;
  return (
    (api.isPropertyAccessExpression(callee) || api.isElementAccessExpression(callee)) &&
    (checker.getTypeAtLocation(callee.expression).getNonNullableType().flags &
      api.TypeFlags.StringLike) !==
      0 &&
    checker.getResolvedSignature(parent)?.declaration?.getSourceFile().isDeclarationFile === true
  );
}

function isOfNumbers({ api, context: { checker } }: Work, node: ts.Expression): boolean {
  const symbol = checker?.getTypeAtLocation(node).symbol;
  return (
    symbol !== undefined &&
    /^(?:Float|Int|Uint)\d+(?:Clamped)?Array(?:Constructor)?$/.test(symbol.name) &&
    symbol.declarations?.some(
      (each) => api.isSourceFile(each.parent) && each.parent.isDeclarationFile,
    ) === true
  );
}
