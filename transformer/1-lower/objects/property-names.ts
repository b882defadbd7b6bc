// Names of properties in literals, patterns and accesses. Input: a name or a property.
// Output: the name, or null where it is known only at run time.

import type ts from "typescript";
import type { Frame } from "../frame.ts";
import type { TypeScript } from "../typescript.ts";

/** Of a literal or a pattern: `k`, `"k"`, `0`, `["k"]`, `[Kind.Dot]`. */
export function declaredName(
  api: TypeScript,
  name: ts.PropertyName | ts.BindingName,
  checker: ts.TypeChecker | null,
): string | null {
  if (api.isIdentifier(name) || api.isStringLiteral(name) || api.isNumericLiteral(name))
    return name.text;
  if (!api.isComputedPropertyName(name)) return null;
  return api.isStringLiteralLike(name.expression)
    ? name.expression.text
    : nameOfMember(api, name.expression, checker);
}

/** `{ __proto__: base }`: it sets the prototype; `["__proto__"]: v` and `__proto__` are fields. */
const setsPrototype = (api: TypeScript, property: ts.ObjectLiteralElementLike): boolean =>
  api.isPropertyAssignment(property) &&
  !api.isComputedPropertyName(property.name) &&
  declaredName(api, property.name, null) === "__proto__";

export function refusePrototype(f: Frame, property: ts.ObjectLiteralElementLike): void {
  if (setsPrototype(f.api, property))
    f.refuse("TSG1201", property, "prototype in an object literal");
}

/** The key of an enum member: `Kind.Dot`. */
export function nameOfMember(
  api: TypeScript,
  node: ts.Expression,
  checker: ts.TypeChecker | null,
): string | null {
  const member = api.isPropertyAccessExpression(node)
    ? checker?.getSymbolAtLocation(node.name)?.valueDeclaration
    : undefined;
  const value =
    member !== undefined && api.isEnumMember(member)
      ? checker?.getConstantValue(member)
      : undefined;
  return value === undefined ? null : String(value);
}

/** Of `o.k` and `o["k"]`. */
export function accessedName(api: TypeScript, node: ts.Node): string | null {
  if (api.isPropertyAccessExpression(node)) return node.name.text;
  return api.isElementAccessExpression(node) && api.isStringLiteralLike(node.argumentExpression)
    ? node.argumentExpression.text
    : null;
}

/** The object and key of an element of `const { f, g: h } = table`; null for defaults and rests. */
export function destructuredProperty(
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

/** Whether no later spread or computed name in the literal may override the property. */
export function isNotOverridden(property: ts.Node, api: TypeScript): boolean {
  const { parent: literal } = property;
  if (!api.isObjectLiteralExpression(literal)) return true;
  return !literal.properties.some(
    (other) =>
      other.pos > property.pos &&
      (other.name === undefined || api.isComputedPropertyName(other.name)),
  );
}
