// Whether code has a value whatever the objects are that it reads. In: an expression. Out: yes or no, as far as declarations say. Invariant: errs on the side of no; what is total throws nothing.

import type ts from "typescript";
import type { Frame } from "../frame.ts";
import { opened } from "../resolve.ts";
import { isLookUp } from "./purity.ts";

export function isTotal(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isLiteralExpression(node) || api.isIdentifier(node)) return true;
  if (api.isPrefixUnaryExpression(node)) return isTotal(f, node.operand);
  if (api.isBinaryExpression(node)) return isTotal(f, node.left) && isTotal(f, node.right);
  if (api.isCallExpression(node))
    return (
      api.isPropertyAccessExpression(node.expression) &&
      isLookUp(f, node.expression) &&
      isTotal(f, node.expression) &&
      node.arguments.every((argument) => isTotal(f, argument))
    );
  if (api.isElementAccessExpression(node))
    return (
      node.questionDotToken === undefined &&
      hasPlainElements(f, node.expression) &&
      isThere(f, node.expression) &&
      isTotal(f, node.argumentExpression)
    );
  if (!api.isPropertyAccessExpression(node) || node.questionDotToken !== undefined) return false;
  const own = f.symbolOf(node.name);
  return (
    own !== null && (own.flags & api.SymbolFlags.Accessor) === 0 && isThere(f, node.expression)
  );
}

/** Whether no accessor stands behind a key. */
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

/** Whether a name, or a field, says that an object is there. */
function isThere(f: Frame, object: ts.Expression): boolean {
  const { api } = f;
  const { TypeFlags } = api;
  const named = opened(f, object);
  const symbol = api.isIdentifier(named)
    ? f.symbolOf(named)
    : api.isPropertyAccessExpression(named)
      ? f.symbolOf(named.name)
      : null;
  if (symbol === null || !f.ctx.saysMissing) return false;
  const type = f.ctx.checker.getTypeOfSymbol(symbol);
  const parts = type.isUnion() ? type.types : [type];
  return (
    parts.every(
      ({ flags }) =>
        (flags & (TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Any | TypeFlags.Unknown)) === 0,
    ) && isTotal(f, named)
  );
}
