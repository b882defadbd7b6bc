// Checks the head of a function: what its body needs to be lowered. Input: a function node.
// Output: reports. The body is not examined.

import type ts from "typescript";
import type { LowerContext } from "../context.ts";
import { shorten } from "./quoted-code.ts";

export function reportSignature(node: ts.FunctionLikeDeclaration, ctx: LowerContext): void {
  const api = ctx.ts;
  const name = nameFor(node, ctx);
  const head = node.name ?? node;
  if (api.isClassLike(node.parent) && ctx.classes.isDecorated(node.parent))
    return ctx.report("TSG1107", head, name, node.parent.name?.text ?? "class");
  if (node.asteriskToken !== undefined) return ctx.report("TSG1102", head, name);
  if (node.modifiers?.some((modifier) => modifier.kind === api.SyntaxKind.AsyncKeyword) === true)
    return ctx.report("TSG1101", head, name);
  if (node.typeParameters !== undefined && node.typeParameters.length > 0)
    return ctx.report("TSG1118", node.typeParameters[0] ?? head, name);
  for (const parameter of node.parameters) reportParameter(parameter, name, ctx);
  const signature = ctx.checker.getSignatureFromDeclaration(node);
  if (signature !== undefined && isAny(ctx.checker.getReturnTypeOfSignature(signature), ctx))
    ctx.report("TSG2002", head, name, "its result", "any");
}

function reportParameter(
  parameter: ts.ParameterDeclaration,
  name: string,
  ctx: LowerContext,
): void {
  const text = shorten(parameter.name.getText());
  if (text === "this") ctx.report("TSG1106", parameter, name);
  else if (parameter.dotDotDotToken !== undefined) ctx.report("TSG1119", parameter, name, text);
  else if (isAny(ctx.checker.getTypeAtLocation(parameter), ctx))
    ctx.report("TSG2002", parameter, name, `its parameter \`${text}\``, "any");
}

function nameFor(node: ts.FunctionLikeDeclaration, ctx: LowerContext): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ctx.ts.isVariableDeclaration(parent) ? parent.name.getText() : shorten(node.getText());
}

function isAny(type: ts.Type, ctx: LowerContext): boolean {
  if (type.flags & ctx.ts.TypeFlags.Any) return true;
  return (
    ctx.checker.isArrayType(type) &&
    ctx.checker.getTypeArguments(type as ts.TypeReference).some((elem) => isAny(elem, ctx))
  ); // isArrayType has no type guard
}
