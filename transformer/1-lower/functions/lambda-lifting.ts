// What makes a function of a closure. In: the arguments of a call, a lowered body. Out: parameters, and what the body sees of its surroundings, which become
// parameters, too. Invariant: nothing that a body writes outside of itself is lost without a report.

import type ts from "typescript";
import { baseName } from "../../ir/names.ts";
import type { Body, Type, Var } from "../../ir/types.ts";
import { renameVars } from "../../ir/rename.ts";
import { definedVars, freeVars, walkStmts } from "../../ir/visit.ts";
import { isFn, type Arg } from "./closures.ts";
import type { Fn, Frame } from "../frame.ts";

/** A parameter for each argument that is a value; functions stay what they are. `wanted`: the names that the function itself has for them. */
export function parametersFor(
  f: Frame,
  args: readonly Arg[],
  wanted: readonly string[] = [],
): { readonly params: readonly Var[]; readonly inner: readonly Arg[] } {
  const params: Var[] = [];
  const inner = args.map((arg, i): Arg => {
    if (isFn(arg)) return arg;
    const param: Var = {
      kind: "var",
      name: f.names.fresh(wanted[i] ?? (arg.kind === "var" ? arg.name : "x")),
      type: arg.type,
    };
    params.push(param);
    return param;
  });
  return { params, inner };
}

/** What a body reads and what it assigns of its surroundings, by name; `own`: what is not of its surroundings. */
export function surroundingsOf(
  body: Body,
  params: readonly Var[],
): {
  readonly read: ReadonlyMap<string, Var>;
  readonly assigned: ReadonlyMap<string, Var>;
  readonly own: ReadonlySet<string>;
} {
  const own = new Set([...params, ...definedVars(body)].map(({ name }) => name));
  const assigned = new Map<string, Var>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "assign" && !own.has(stmt.variable.name))
      assigned.set(stmt.variable.name, stmt.variable);
  });
  return { read: new Map([...freeVars(body)].filter(([name]) => !own.has(name))), assigned, own };
}

/** Names of the surroundings that a body reads. What it assigns there would be lost. */
export function capturedBy(
  f: Frame,
  body: Body,
  params: readonly Var[],
  at: ts.Node,
): ReadonlyMap<string, Var> {
  const { read, assigned } = surroundingsOf(body, params);
  for (const name of assigned.keys()) f.refuse("TSG1018", at, f.textOf(at), baseName(name));
  return read;
}

/** The names of a function's parameters. */
export function parameterNames(f: Frame, fn: Fn): readonly string[] {
  const node =
    fn.kind === "closure" ? fn.node : fn.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  return (node?.parameters ?? []).map(({ name }, i) =>
    f.api.isIdentifier(name) ? name.text : `x${i}`,
  );
}

/** The same with parameters of which each has another name without its version: the names of derivatives are made of these. */
export function withDistinctNames(
  params: readonly Var[],
  body: Body,
): { readonly params: readonly Var[]; readonly body: Body } {
  const taken = new Set([...params, ...definedVars(body)].map(({ name }) => name));
  const bases = new Set<string>();
  const renamed = new Map<string, string>();
  for (const { name } of params) {
    const base = baseName(name);
    let wanted = base;
    for (let i = 1; bases.has(wanted); i++) wanted = `${base}${i}`;
    bases.add(wanted);
    if (wanted === base) continue;
    // a version of the other name that nothing has yet
    let fresh = wanted;
    for (let i = 1; taken.has(fresh); i++) fresh = `${wanted}.${i}`;
    taken.add(fresh);
    renamed.set(name, fresh);
  }
  return {
    params: params.map((param) => ({ ...param, name: renamed.get(param.name) ?? param.name })),
    body: renameVars(body, renamed),
  };
}

/** The parameter in IR. */
export const parameterVar = (f: Frame, parameter: ts.ParameterDeclaration, at: number): Var => ({
  kind: "var",
  name: f.names.fresh(parameterName(f, parameter, at)),
  type: parameterType(f, parameter),
});

/** A pattern has no name of its own: it goes by its type, `options` for `{ rate }: Options`, unless the function has something else of that name. */
export function parameterName(f: Frame, parameter: ts.ParameterDeclaration, at: number): string {
  if (f.api.isIdentifier(parameter.name)) return parameter.name.text;
  const type = f.ctx.typeOf(parameter.name);
  const inner = type.kind === "opt" ? type.of : type;
  const word =
    inner.kind === "named"
      ? (/^[A-Za-z]\w*$/.exec(f.ctx.types.get(inner.name)?.text ?? "")?.[0] ?? "")
      : "";
  const name = `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`;
  return name === "" || new RegExp(`\\b${name}\\b`).test(parameter.parent.getText())
    ? `arg${at}`
    : name;
}

/** Type of a parameter as the function sees it before its default. */
export function parameterType(f: Frame, parameter: ts.ParameterDeclaration): Type {
  const declared = f.ctx.typeOf(parameter.name);
  const isOptional = parameter.initializer !== undefined || parameter.questionToken !== undefined;
  if (!isOptional) return declared;
  const shape = f.shape(declared);
  if (shape.kind !== "opt") return { kind: "opt", of: declared };
  return shape.nil === "null" ? { ...shape, nil: "both" } : declared;
}
