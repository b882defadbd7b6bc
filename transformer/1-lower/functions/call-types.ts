// Result types and type arguments of calls.
// The checker's signature of the call decides, where it has one; else the function's declaration.

import type ts from "typescript";
import { VOID } from "../../ir/build.ts";
import { holdsOpaque } from "../../ir/shadow.ts";
import type { Type } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";
import { argumentsOfCall, NO_TYPE_ARGUMENTS, type TypeArguments } from "../types/type-arguments.ts";
import { implementationsOf } from "../lowering.ts";

/** The result type of the call `at`, or as the function declares it where `at` is no call of it. */
export function resultType(
  f: Frame,
  body: ts.FunctionLikeDeclaration,
  at: ts.Node,
  given: TypeArguments = f.env.types,
): Type {
  const { api, ctx } = f;
  const called = signatureOfCall(f, body, at);
  const type = (called ?? ctx.checker.getSignatureFromDeclaration(body))?.getReturnType();
  if (
    type === undefined ||
    type.flags & (api.TypeFlags.Void | api.TypeFlags.Undefined | api.TypeFlags.Never)
  )
    return VOID;
  const result = ctx.typeFrom(type, at, called === null ? given : f.env.types);
  const declared = holdsOpaque(result, ctx.types) ? declaredResult(f, body) : undefined;
  return declared === undefined ? result : ctx.typeFrom(declared, at, given);
}

/** `const grow: (x: number) => Tree = (x) => …`: the result that the variable's type declares. */
function declaredResult(
  { api, ctx }: Frame,
  body: ts.FunctionLikeDeclaration,
): ts.Type | undefined {
  const { parent } = body;
  if (body.type !== undefined || !api.isVariableDeclaration(parent) || parent.type === undefined)
    return undefined;
  const [signature, ...others] = ctx.checker.getTypeFromTypeNode(parent.type).getCallSignatures();
  return others.length > 0 || signature?.typeParameters !== undefined
    ? undefined
    : signature?.getReturnType();
}

/** The signature of the call, if it calls this function. */
export function signatureOfCall(
  f: Frame,
  body: ts.FunctionLikeDeclaration,
  at: ts.Node,
): ts.Signature | null {
  const called = f.api.isCallExpression(at) ? f.ctx.checker.getResolvedSignature(at) : undefined;
  const declared = called?.declaration;
  if (called === undefined || declared === undefined) return null;
  return declared === body || isImplementedBy(f, declared, body) ? called : null;
}

/** Whether a generic method implements the declared method of an interface or another class. */
function isImplementedBy(f: Frame, declared: ts.Node, body: ts.FunctionLikeDeclaration): boolean {
  const {
    api,
    ctx: { checker },
  } = f;
  if (
    !(api.isMethodSignature(declared) || api.isMethodDeclaration(declared)) ||
    !api.isMethodDeclaration(body) ||
    (body.typeParameters?.length ?? 0) === 0
  )
    return false;
  const symbol = checker.getSymbolAtLocation(declared.name);
  return (
    declared.typeParameters?.length === body.typeParameters?.length &&
    declared.name.getText() === body.name.getText() &&
    symbol !== undefined &&
    implementationsOf(f, symbol).includes(body)
  );
}

/** The result type of the overload that a call resolves to; null where it is no overload. */
export function overloadResult(
  f: Frame,
  body: ts.FunctionLikeDeclaration,
  at: ts.Node,
): Type | null {
  const { checker } = f.ctx;
  const called = f.api.isCallExpression(at) ? checker.getResolvedSignature(at) : undefined;
  const { declaration } = called ?? {};
  if (
    called === undefined ||
    declaration === undefined ||
    body.name === undefined ||
    !(f.api.isFunctionDeclaration(declaration) || f.api.isMethodDeclaration(declaration)) ||
    declaration.body !== undefined ||
    declaration.name === undefined
  )
    return null;
  const symbol = checker.getSymbolAtLocation(body.name);
  return symbol !== undefined && symbol === checker.getSymbolAtLocation(declaration.name)
    ? f.ctx.typeFrom(called.getReturnType(), at)
    : null;
}

/** The type arguments of a call. */
export function givenBy(
  f: Frame,
  node: ts.FunctionLikeDeclaration,
  at: ts.Node | null,
): TypeArguments {
  const {
    api,
    ctx: { checker },
  } = f;
  const declared =
    node.typeParameters === undefined ? undefined : checker.getSignatureFromDeclaration(node);
  const called = at === null ? null : signatureOfCall(f, node, at);
  if (declared === undefined || called === null || at === null) return NO_TYPE_ARGUMENTS;
  const explicit = api.isCallExpression(at)
    ? at.typeArguments?.map((each) => checker.getTypeFromTypeNode(each))
    : undefined;
  const found =
    explicit === undefined
      ? argumentsOfCall(declared, called, at, api, checker)
      : new Map(
          (declared.typeParameters ?? []).flatMap((parameter, i) => {
            const arg = explicit[i];
            return arg === undefined ? [] : [[parameter, arg] as const];
          }),
        );
  return new Map(
    [...found].flatMap(([parameter, arg]): [ts.Type, Type][] => {
      const type = f.ctx.typeFrom(arg, at);
      // A leaf keeps the parameter's meaning; its name has none where the code is inlined.
      return type.kind !== "leaf" && holdsOpaque(type, f.ctx.types) ? [] : [[parameter, type]];
    }),
  );
}
