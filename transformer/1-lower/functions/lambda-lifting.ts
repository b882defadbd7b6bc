// Lambda lifting: turns a closure into a function of the program.
// Variables that the body captures become parameters; the caller passes them.
// A body that assigns a captured variable is rejected, or the caller handles the assignment.

import type ts from "typescript";
import { baseName } from "../../ir/names.ts";
import type { Body, Type, Var } from "../../ir/types.ts";
import { renameVars } from "../../ir/rename.ts";
import { definedVars, freeVars, walkStmts } from "../../ir/visit.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import type { Frame } from "../frame.ts";

/** A parameter for each argument that is a value; functions stay. `hints`: names for parameters. */
export function parametersFor(
  f: Frame,
  args: readonly Arg[],
  hints: readonly string[] = [],
): { readonly params: readonly Var[]; readonly inner: readonly Arg[] } {
  const params: Var[] = [];
  const inner = args.map((arg, i): Arg => {
    if (isFn(arg)) return arg;
    const param: Var = {
      kind: "var",
      name: f.names.fresh(hints[i] ?? (arg.kind === "var" ? arg.name : "x")),
      type: arg.type,
    };
    params.push(param);
    return param;
  });
  return { params, inner };
}

/** The captured variables that a body reads and assigns; `own`: its parameters and local names. */
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

/** The captured variables; refused where the body assigns one, which would be lost. */
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

/** Gives parameters distinct base names, from which names of derivatives are built. */
export function withDistinctNames(
  params: readonly Var[],
  body: Body,
): { readonly params: readonly Var[]; readonly body: Body } {
  const taken = new Set([...params, ...definedVars(body)].map(({ name }) => name));
  const bases = new Set<string>();
  const renamed = new Map<string, string>();
  for (const { name } of params) {
    const base = baseName(name);
    let distinct = base;
    for (let i = 1; bases.has(distinct); i++) distinct = `${base}${i}`;
    bases.add(distinct);
    if (distinct === base) continue;
    // The first unused version of the new name.
    let fresh = distinct;
    for (let i = 1; taken.has(fresh); i++) fresh = `${distinct}.${i}`;
    taken.add(fresh);
    renamed.set(name, fresh);
  }
  return {
    params: params.map((param) => ({ ...param, name: renamed.get(param.name) ?? param.name })),
    body: renameVars(body, renamed),
  };
}

/** The IR variable of a parameter. */
export const parameterVar = (f: Frame, parameter: ts.ParameterDeclaration, at: number): Var => ({
  kind: "var",
  name: f.names.fresh(parameterName(f, parameter, at)),
  type: parameterType(f, parameter),
});

/** The name of a parameter; a pattern is named by its type, `options` for `{ rate }: Options`. */
export function parameterName(f: Frame, parameter: ts.ParameterDeclaration, at: number): string {
  if (f.api.isIdentifier(parameter.name)) return parameter.name.text;
  const type = f.ctx.typeOf(parameter.name);
  const inner = type.kind === "opt" ? type.of : type;
  const text = inner.kind === "named" ? (f.ctx.types.get(inner.name)?.text ?? "") : "";
  const word = /^[A-Za-z]\w*$/.test(text) ? text : "";
  const name = `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`;
  return name === "" || new RegExp(`\\b${name}\\b`).test(parameter.parent.getText())
    ? `arg${at}`
    : name;
}

/** The type of a parameter before its default applies. */
export function parameterType(f: Frame, parameter: ts.ParameterDeclaration): Type {
  const declared = f.ctx.typeOf(parameter.name);
  const isOptional = parameter.initializer !== undefined || parameter.questionToken !== undefined;
  if (!isOptional) return declared;
  const shape = f.shape(declared);
  if (shape.kind !== "opt") return { kind: "opt", of: declared };
  return shape.nil === "null" ? { ...shape, nil: "both" } : declared;
}
