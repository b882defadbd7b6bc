// Whether a part of an object literal is the one that the object has. In: a property. Out: whether nothing behind it in the literal may have its name.
// Invariant: a spread, and a name that is computed, may have any.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";

export function staysAsGiven(property: ts.Node, api: TypeScript): boolean {
  const { parent: literal } = property;
  if (!api.isObjectLiteralExpression(literal)) return true;
  return !literal.properties.some(
    (other) =>
      other.pos > property.pos &&
      (other.name === undefined || api.isComputedPropertyName(other.name)),
  );
}
