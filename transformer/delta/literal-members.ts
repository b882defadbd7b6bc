// Members of object literals that have code. In: a literal. Out: keys that can be evaluated again,
// and how a member is linked (`$d.linkObject`). Invariant: no later property replaces the member.

import type ts from "typescript";
import { code, type Code, literal, source } from "../code/code.ts";

type Api = typeof ts;

export interface LiteralMember {
  readonly key: Code;
  readonly kind: "value" | "get" | "set";
}

/** The methods and accessors of a literal. */
export const membersOf = (
  api: Api,
  node: ts.ObjectLiteralExpression,
): readonly (LiteralMember & {
  readonly member: ts.MethodDeclaration | ts.AccessorDeclaration;
})[] =>
  node.properties.flatMap((member) => {
    const found =
      api.isMethodDeclaration(member) || api.isAccessor(member)
        ? { member, as: memberOf(api, node, member) }
        : null;
    return found === null || found.as === null ? [] : [{ member: found.member, ...found.as }];
  });

/** Null where a later property may replace it, or its key cannot be evaluated again. */
export function memberOf(
  api: Api,
  node: ts.ObjectLiteralExpression,
  property: ts.ObjectLiteralElementLike,
): LiteralMember | null {
  const { name } = property;
  if (name === undefined) return null;
  const key = keyOf(api, name);
  const isReplaced = node.properties
    .slice(node.properties.indexOf(property) + 1)
    .some(
      (other) =>
        other.name === undefined ||
        (mayBeOne(api, name, other.name) &&
          !(api.isAccessor(property) && api.isAccessor(other) && property.kind !== other.kind)),
    );
  if (key === null || isReplaced) return null;
  return { key, kind: api.isAccessor(property) ? accessorKind(property, api) : "value" };
}

export const accessorKind = (node: ts.AccessorDeclaration, api: Api): "get" | "set" =>
  api.isGetAccessor(node) ? "get" : "set";

/** Whether two keys may be equal. */
function mayBeOne(api: Api, one: ts.PropertyName, other: ts.PropertyName): boolean {
  const [a, b] = [keyOf(api, one), keyOf(api, other)];
  return a === null || b === null || !isKnown(api, one) || !isKnown(api, other) || a === b;
}

const isKnown = (api: Api, name: ts.PropertyName): boolean =>
  !api.isComputedPropertyName(name) ||
  isSymbol(api, name) ||
  api.isStringLiteralLike(name.expression);

const isSymbol = (api: Api, name: ts.PropertyName): boolean =>
  api.isComputedPropertyName(name) && /^Symbol\.\w+$/.test(name.expression.getText());

function keyOf(api: Api, name: ts.PropertyName): Code | null {
  if (api.isIdentifier(name) || api.isStringLiteralLike(name)) return literal(name.text);
  if (api.isNumericLiteral(name)) return literal(String(Number(name.text)));
  if (!api.isComputedPropertyName(name)) return null;
  if (api.isStringLiteralLike(name.expression)) return literal(name.expression.text);
  return isSymbol(api, name) || api.isIdentifier(name.expression)
    ? code`${source(name.expression.getText())}`
    : null;
}
