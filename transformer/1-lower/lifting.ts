// What makes a function of a closure. In: the arguments of a call, a lowered body. Out: parameters, and what the body sees of its surroundings, which become
// parameters, too. Invariant: nothing that a body writes outside of itself is lost without a report.

import type ts from "typescript";
import { baseName } from "../ir/names.ts";
import type { Body, Type, Var } from "../ir/types.ts";
import { definedVars, freeVars, walkStmts } from "../ir/visit.ts";
import { isFn, type Arg } from "./closures.ts";
import type { Frame } from "./frame.ts";

/** A parameter for each argument that is a value; functions stay what they are. */
export function parametersFor(f: Frame, args: readonly Arg[]): { readonly params: readonly Var[]; readonly inner: readonly Arg[] } {
  const params: Var[] = [];
  const inner = args.map((arg): Arg => {
    if (isFn(arg)) return arg;
    const param: Var = { kind: "var", name: f.names.fresh(arg.kind === "var" ? arg.name : "x"), type: arg.type };
    params.push(param);
    return param;
  });
  return { params, inner };
}

/** Names of the surroundings that a body reads. What it assigns there would be lost. */
export function capturedBy(f: Frame, body: Body, params: readonly Var[], at: ts.Node): ReadonlyMap<string, Var> {
  const own = new Set([...params, ...definedVars(body)].map(({ name }) => name));
  walkStmts(body, (stmt) => {
    if (stmt.kind === "assign" && !own.has(stmt.variable.name)) f.refuse("TSG1018", at, f.textOf(at), baseName(stmt.variable.name));
  });
  return new Map([...freeVars(body)].filter(([name]) => !own.has(name)));
}

/** Type of a parameter as the function sees it before its default. */
export function parameterType(f: Frame, parameter: ts.ParameterDeclaration): Type {
  const declared = f.ctx.typeOf(parameter.name);
  const isOptional = parameter.initializer !== undefined || parameter.questionToken !== undefined;
  return isOptional && declared.kind !== "opt" ? { kind: "opt", of: declared } : declared;
}
