// Decides which functions are specialised per call, as generic ones are, and are therefore inlined.
// All other functions of the program have derivatives of their own.

import type ts from "typescript";
import { setElement } from "../builtins/set.ts";
import type { Frame } from "../frame.ts";
import type { Type } from "../../ir/types.ts";
import { elementOf } from "../types/type-shapes.ts";
import { isRecursive } from "./recursive.ts";
import { someNode } from "../../syntax/walk.ts";

export function isOnlyInlined(f: Frame, symbol: ts.Symbol): boolean {
  const body = f.ctx.bodyOf(symbol);
  return body !== null && isSpecialisedByCall(f, body);
}

/** Whether the types or the functions that a function works on are known per call only. */
export const isSpecialisedByCall = (f: Frame, node: ts.FunctionLikeDeclaration): boolean =>
  isGeneric(f, node) ||
  isSpecialisedByValues(f, node) ||
  (node.parameters.some((parameter) => isArrayLike(f, f.ctx.typeOf(parameter.name))) &&
    !isRecursive(f, node));

/** Whether what a function works on depends on the arguments and not only on type arguments. */
export const isSpecialisedByValues = (f: Frame, node: ts.FunctionLikeDeclaration): boolean =>
  mentionsArguments(f, node) ||
  node.parameters.some(
    (parameter) =>
      parameter.dotDotDotToken !== undefined ||
      isOptionalFn(f, parameter) ||
      isListOfFns(f, parameter) ||
      (!isGeneric(f, node) && isOfAnyType(f, parameter)),
  );

/** Whether a function or the class of an instance member has type parameters. */
export const isGeneric = (f: Frame, node: ts.FunctionLikeDeclaration): boolean =>
  node.typeParameters !== undefined ||
  (f.api.isClassLike(node.parent) &&
    node.parent.typeParameters !== undefined &&
    !f.ctx.classes.isStatic(node as ts.MethodDeclaration)); // its parent is a class

/** Whether it is an optional parameter for a function. */
const isOptionalFn = (f: Frame, parameter: ts.ParameterDeclaration): boolean =>
  f.ctx.checker.isOptionalParameter(parameter) &&
  f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(parameter)).getCallSignatures()
    .length > 0;

/** Whether it is a parameter for an array of functions. */
export function isListOfFns(
  { ctx: { checker } }: Frame,
  parameter: ts.ParameterDeclaration,
): boolean {
  return (
    (elementOf(checker.getTypeAtLocation(parameter), checker)?.getCallSignatures().length ?? 0) > 0
  );
}

/** Whether a parameter's type is opaque, so that each call determines it. */
function isOfAnyType(f: Frame, parameter: ts.ParameterDeclaration): boolean {
  const shape = f.shape(f.ctx.typeOf(parameter.name));
  if (shape.kind !== "leaf" || shape.opaque !== true) return false;
  // A Set is opaque at every call, so it does not prevent recursion.
  const { parent } = parameter;
  return !(
    setElement(f, parameter.name) !== null && isRecursive(f, parent as ts.FunctionLikeDeclaration)
  );
}

/** `ArrayLike<number>`, which is one kind of array at each call. */
const isArrayLike = ({ ctx: { types } }: Frame, type: Type): boolean =>
  type.kind === "named" && types.get(type.name)?.text === "ArrayLike<number>";

/** Whether it is the `this` pseudo-parameter. */
export const isThis = (f: Frame, parameter: ts.ParameterDeclaration): boolean =>
  f.api.isIdentifier(parameter.name) && parameter.name.text === "this";

/** Whether the function uses `this`, which the call determines. */
export const mentionsThis = (f: Frame, node: ts.Node): boolean =>
  mentions(f, node, (inner) => inner.kind === f.api.SyntaxKind.ThisKeyword);

export const mentionsArguments = (f: Frame, node: ts.Node): boolean =>
  mentions(f, node, (inner) => f.api.isIdentifier(inner) && inner.text === "arguments");

/** Whether a function's code has such a node, outside of nested functions other than arrows. */
const mentions = (f: Frame, node: ts.Node, test: (inner: ts.Node) => boolean): boolean =>
  someNode(
    f.api,
    node,
    test,
    (inner) => inner !== node && f.api.isFunctionLike(inner) && !f.api.isArrowFunction(inner),
  );
