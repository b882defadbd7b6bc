// Finds object literals in constants where the type is a class type:
// `const relu: Layer = { forward: (x) => … }`. Dispatch tests the class, so it would find no member
// for them. Input: a declaration. Output: the name of a method of such a literal, or null.

import type ts from "typescript";
import type { Frame } from "../frame.ts";
import { declaredName } from "../objects/property-names.ts";

export function methodOfLiteral(f: Frame, declaration: ts.Declaration): string | null {
  const { api, ctx } = f;
  const initializer = api.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  if (initializer === undefined) return null;
  const search = (node: ts.Node): string | undefined => {
    if (api.isFunctionLike(node) || api.isClassLike(node)) return undefined;
    const method = api.isObjectLiteralExpression(node) ? methodIn(f, node) : null;
    const asked =
      method === null || !api.isObjectLiteralExpression(node)
        ? undefined
        : ctx.checker.getContextualType(node);
    if (
      method !== null &&
      asked !== undefined &&
      ctx.isOpen(ctx.typeFrom(ctx.checker.getNonNullableType(asked), node))
    )
      return method;
    return api.forEachChild(node, search);
  };
  return search(initializer) ?? null;
}

/** The name of a function that the literal holds. */
function methodIn(
  { api, ctx: { checker } }: Frame,
  { properties }: ts.ObjectLiteralExpression,
): string | null {
  const method = properties.find(
    (each) =>
      api.isMethodDeclaration(each) ||
      (each.name !== undefined && checker.getTypeAtLocation(each).getCallSignatures().length > 0),
  );
  return method?.name === undefined ? null : declaredName(api, method.name, checker);
}
