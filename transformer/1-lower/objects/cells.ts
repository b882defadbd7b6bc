// Variables of the module and static fields that code assigns: counters, seeds of generators.
// They are read and written by the user's code, which no pass moves or repeats.
// Invariant: what lowered code writes there depends on no argument, since no cotangent is kept for
// it. The expression that is written is read for that; what is not seen to be so is Delta's.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { VOID } from "../../ir/build.ts";
import type { Atom, Global, Type } from "../../ir/types.ts";
import { isAssigned } from "../assignments.ts";
import { externWith } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { builtinPath, isModuleLevel } from "../names/library-names.ts";
import { variableIdentity } from "../names/variable-identity.ts";

export interface Cell {
  readonly kind: "cell";
  readonly cell: Global;
  readonly type: Type;
}

/**
 * The variable that code of the file calls `name`; null where it may hold an object.
 * `type`: of its present value; by default the type that it is declared with.
 */
export function cellOf(
  f: Frame,
  name: string,
  { node, symbol }: { readonly node: ts.Expression; readonly symbol: ts.Symbol },
  type = f.ctx.typeFrom(f.ctx.checker.getTypeOfSymbol(symbol), node),
): Cell | null {
  if (!isPrimitive(f, type)) return null;
  const file = node.getSourceFile().fileName;
  const meant = variableIdentity(symbol, name, file, f.api);
  return { kind: "cell", cell: { kind: "global", name, type, file, ...meant }, type };
}

/** The present value of the variable. */
export const readCell = (f: Frame, { cell, type }: Cell): Atom =>
  externWith(f, "t", type, { text: ["", ""], args: [cell], effect: "reads" });

export const writeCell = (f: Frame, { cell }: Cell, value: Atom): void =>
  void externWith(f, "t", VOID, { text: ["", " = ", ""], args: [cell, value], effect: "io" });

export function isPrimitive(f: Frame, type: Type): boolean {
  const shape = f.shape(type);
  return (
    shape.kind === "num" ||
    shape.kind === "bool" ||
    (shape.kind === "leaf" && shape.opaque !== true)
  );
}

/** Whether what an assignment writes depends on nothing but the module's variables. */
export function isOfModule(f: Frame, target: ts.Expression): boolean {
  const { api } = f;
  const { parent } = target;
  if (api.isPrefixUnaryExpression(parent) || api.isPostfixUnaryExpression(parent)) return true;
  return (
    api.isBinaryExpression(parent) && parent.left === target && isConstant(f, parent.right, DEEPEST)
  );
}

/** A bound for constants that are made of constants. */
const DEEPEST = 20;

/** Whether an expression reads no argument, object or function of the program. */
function isConstant(f: Frame, expression: ts.Expression, depth: number): boolean {
  const { api } = f;
  const node = bare(expression, api);
  const is = (part: ts.Expression): boolean => isConstant(f, part, depth);
  if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node))
    return is(node.operand);
  if (api.isBinaryExpression(node)) return is(node.left) && is(node.right);
  // what decides has no derivative
  if (api.isConditionalExpression(node)) return is(node.whenTrue) && is(node.whenFalse);
  if (api.isCallExpression(node))
    return CONSTANT_CALLS.test(builtinPath(f, node.expression) ?? "") && node.arguments.every(is);
  if (api.isPropertyAccessExpression(node)) return isStaticNumber(f, node);
  return api.isIdentifier(node)
    ? depth > 0 && isOfConstants(f, node, depth - 1)
    : isLiteral(f, node);
}

const CONSTANT_CALLS = /^(?:Math\.\w+|Date\.now)$/;

const isLiteral = ({ api }: Frame, node: ts.Expression): boolean =>
  api.isNumericLiteral(node) ||
  api.isStringLiteralLike(node) ||
  node.kind === api.SyntaxKind.TrueKeyword ||
  node.kind === api.SyntaxKind.FalseKeyword;

/** `Rng.state`, a primitive static field. */
function isStaticNumber(f: Frame, node: ts.PropertyAccessExpression): boolean {
  const field = f.symbolOf(node.name)?.valueDeclaration;
  return (
    field !== undefined &&
    f.api.isPropertyDeclaration(field) &&
    f.ctx.classes.isStatic(field) &&
    isPrimitive(f, f.ctx.typeOf(node))
  );
}

/** Of a primitive variable of the module, or a constant with such an initializer. */
function isOfConstants(f: Frame, node: ts.Identifier, depth: number): boolean {
  const { api, ctx } = f;
  const symbol = f.symbolOf(node);
  const declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || !api.isVariableDeclaration(declaration))
    return false;
  if (isModuleLevel(f, declaration)) return isPrimitive(f, ctx.typeOf(node));
  return (
    declaration.initializer !== undefined &&
    !isAssigned(symbol, ctx.checker, api) &&
    isConstant(f, declaration.initializer, depth)
  );
}
