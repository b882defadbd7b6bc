// Decides whether an expression is total: it cannot throw, whatever objects it reads.
// The answer relies on declared types and errs towards no.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Frame } from "../frame.ts";
import { isLookUp } from "./purity.ts";

export function isTotal(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isLiteralExpression(node) || api.isIdentifier(node)) return true;
  if (api.isPrefixUnaryExpression(node)) return isTotal(f, node.operand);
  if (api.isBinaryExpression(node)) return isTotal(f, node.left) && isTotal(f, node.right);
  if (api.isCallExpression(node)) return isTotalCall(f, node);
  if (api.isElementAccessExpression(node))
    return (
      node.questionDotToken === undefined &&
      hasPlainElements(f, node.expression) &&
      isDefined(f, node.expression) &&
      isTotal(f, node.argumentExpression)
    );
  if (!api.isPropertyAccessExpression(node) || node.questionDotToken !== undefined) return false;
  const own = f.symbolOf(node.name);
  const isField = own !== null && (own.flags & api.SymbolFlags.Accessor) === 0;
  return isField && isDefined(f, node.expression);
}

const isTotalCall = (f: Frame, node: ts.CallExpression): boolean =>
  f.api.isPropertyAccessExpression(node.expression) &&
  isLookUp(f, node.expression) &&
  isTotal(f, node.expression) &&
  node.arguments.every((argument) => isTotal(f, argument));

/** Whether reading any key of the object calls no accessor. */
function hasPlainElements(f: Frame, object: ts.Expression): boolean {
  const type = f.ctx.typeOf(object);
  const { kind } = f.shape(type);
  return (
    kind === "array" ||
    kind === "tuple" ||
    kind === "dict" ||
    (kind === "record" && f.ctx.classOf(type) === null)
  );
}

/** Whether the type of a variable or field excludes null and undefined. */
function isDefined(f: Frame, object: ts.Expression): boolean {
  const { api } = f;
  const { TypeFlags } = api;
  const named = bare(object, f.api);
  const name = api.isPropertyAccessExpression(named) ? named.name : named;
  const symbol = api.isIdentifier(name) || api.isPrivateIdentifier(name) ? f.symbolOf(name) : null;
  if (symbol === null || !f.ctx.hasStrictNulls) return false;
  const type = f.ctx.checker.getTypeOfSymbol(symbol);
  const parts = type.isUnion() ? type.types : [type];
  return (
    parts.every(
      ({ flags }) =>
        (flags & (TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Any | TypeFlags.Unknown)) === 0,
    ) && isTotal(f, named)
  );
}
