// Whether a tangent is made where it is given, as in `jvp(g)([x], [[1, k]])`. In: the expression. Out: the answer. Invariant: nobody else has a name
// for what is made there, so a forward derivative may write it.

import type ts from "typescript";
import type { Frame } from "../frame.ts";
import { opened } from "../resolve.ts";

export function isMadeHere(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isArrayLiteralExpression(node))
    return node.elements.every((part) =>
      api.isSpreadElement(part) ? isListOfNumbers(f, part.expression) : isMadeHere(f, part),
    );
  if (api.isObjectLiteralExpression(node))
    return node.properties.every(
      (part) => api.isPropertyAssignment(part) && isMadeHere(f, part.initializer),
    );
  return (
    (f.ctx.checker.getTypeAtLocation(node).flags &
      (api.TypeFlags.NumberLike | api.TypeFlags.Undefined)) !==
    0
  );
}

function isListOfNumbers(f: Frame, node: ts.Expression): boolean {
  const element = f.ctx.checker.getTypeAtLocation(node).getNumberIndexType();
  return element !== undefined && (element.flags & f.api.TypeFlags.NumberLike) !== 0;
}
