// Inlines calls of functions whose body is constants and a result. In: a call. Out: the value of
// the result, or null for other functions. Invariant: arguments are read before the body; recursive
// calls are not inlined; each inlining has its own names.

import type ts from "typescript";
import { unwrapped, type Work } from "../work.ts";
import { declare, returnedBy } from "./body.ts";
import { isLocal, valueOf } from "./expression.ts";
import type { Callee, Run } from "./state.ts";
import type { Value } from "./values.ts";

export function called(run: Run, node: ts.CallExpression, caller: Callee | null): Value | null {
  const { work } = run;
  const own =
    node.questionDotToken === undefined
      ? functionOf(run, unwrapped(work, node.expression), caller)
      : null;
  if (
    own === null ||
    isInside(run, own, caller) ||
    own.parameters.length > node.arguments.length ||
    !run.mayCall()
  )
    return null;
  const args: Value[] = [];
  for (const arg of node.arguments) {
    const value = valueOf(run, arg, caller);
    if (value === null) return null;
    args.push(value);
  }
  const callee: Callee = { node: own, names: new Map(), caller };
  const isTaken = own.parameters.every((parameter, k) => {
    const given = args[k];
    return (
      given !== undefined && isPlain(work, parameter) && declare(run, parameter.name, given, callee)
    );
  });
  const result = isTaken ? returnedBy(run, own, callee) : null;
  if (result !== null) run.spared++;
  return result;
}

export const isPlain = ({ api }: Work, parameter: ts.ParameterDeclaration): boolean =>
  parameter.initializer === undefined &&
  parameter.dotDotDotToken === undefined &&
  parameter.questionToken === undefined &&
  !(api.isIdentifier(parameter.name) && parameter.name.text === "this");

/** The function that a name refers to, if it runs synchronously to its end. */
export function functionOf(
  run: Run,
  name: ts.Expression,
  caller: Callee | null,
): ts.FunctionLikeDeclaration | null {
  const { api, context } = run.work;
  if (!api.isIdentifier(name) || name.text === "arguments" || isLocal(run, name, caller))
    return null;
  const found = context.resolver.resolve(name);
  if (found.kind !== "function") return null;
  const { node } = found;
  const isGenerator = "asteriskToken" in node && node.asteriskToken !== undefined;
  const isAsync =
    api.canHaveModifiers(node) &&
    (api.getModifiers(node) ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword);
  const isFunction =
    api.isArrowFunction(node) || api.isFunctionExpression(node) || api.isFunctionDeclaration(node);
  return isFunction &&
    !isGenerator &&
    !isAsync &&
    !/\.[cm]?jsx?$/.test(node.getSourceFile().fileName)
    ? node
    : null;
}

export function isInside(run: Run, own: ts.Node, caller: Callee | null): boolean {
  for (let at: Callee | null = caller; at !== null; at = at.caller)
    if (at.node === own) return true;
  for (let at: ts.Node = run.first; !run.work.api.isSourceFile(at); at = at.parent)
    if (at === own) return true;
  return false;
}
