// What a pattern takes out of a value. In: an element of a pattern. Out: the value, and the name under which it has the part.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";
import { declaredName } from "./property-names.ts";

/** What an element of `const { f, g: h } = table` takes out of what; null for defaults, rests and patterns within patterns. */
export function takenOut(
  { parent, propertyName, name, initializer, dotDotDotToken }: ts.BindingElement,
  api: TypeScript,
): { readonly object: ts.Expression; readonly name: string } | null {
  const { parent: declaration } = parent;
  const key = propertyName ?? name;
  if (
    initializer !== undefined ||
    dotDotDotToken !== undefined ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  if ((api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0) return null;
  if (api.isArrayBindingPattern(parent))
    return {
      object: declaration.initializer,
      name: String(parent.elements.findIndex((each) => each === name.parent)),
    };
  const text = declaredName(api, key, null);
  return text === null ? null : { object: declaration.initializer, name: text };
}
