// Local functions that call themselves. In: a closure and the arguments of a call. Out: a function of the program, made once for each closure, and its call. What the closure
// sees of its surroundings becomes further parameters; of what it assigns there, the values are results beside its own. Invariant: while the function is being made only
// its own body calls it.

import type ts from "typescript";
import { field } from "../ir/build.ts";
import { baseName, member } from "../ir/names.ts";
import { hasNumbers, isScalarType } from "../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Let, Stmt, Type, Var } from "../ir/types.ts";
import { mapBodies, walkStmts } from "../ir/visit.ts";
import { scopeOf } from "./captures.ts";
import { inline, isFixedByCall, isThis, resultType } from "./closures.ts";
import { asOptional, UNDEFINED, unwrap } from "./coerce.ts";
import { type Env, type Fn, type Frame, settled } from "./frame.ts";
import { parameterVar, surroundingsOf, withDistinctNames } from "./lifting.ts";
import { opened } from "./resolve.ts";

type Closure = Fn & { readonly kind: "closure" };

/** A local function as one of the program. */
export interface Recursion {
  readonly node: ts.FunctionLikeDeclaration;
  readonly env: Env;
  readonly name: string;
  readonly params: readonly Var[];
  readonly result: Type;
  /** Null while its body is being lowered. */
  surroundings: Surroundings | null;
  /** How often its own body calls it. */
  calls: number;
}

interface Surroundings {
  /** What it reads, or assigns. */
  readonly seen: readonly Var[];
  /** What of it it assigns. */
  readonly assigned: readonly Var[];
}

/** Whether a local function calls itself, other than through one that is being made and so calls it from its own body. */
export function isRecursive(f: Frame, node: ts.FunctionLikeDeclaration): boolean {
  const open = f.recursions.filter(({ surroundings }) => surroundings === null).map((each) => each.node);
  if (open.includes(node)) return true;
  const found = new Set<ts.Node>(open);
  const reaches = (from: ts.Node): boolean => localsIn(f, from).some((next) => {
    if (next === node) return true;
    if (found.has(next)) return false;
    found.add(next);
    return reaches(next);
  });
  return reaches(node);
}

/** The local functions that a function's code names, however deep. */
function localsIn(f: Frame, node: ts.Node): readonly ts.Node[] {
  const known = f.locals.get(node);
  if (known !== undefined) return known;
  const found = new Set<ts.Node>();
  const walk = (inner: ts.Node): void => {
    if (f.api.isTypeNode(inner)) return;
    const named = f.api.isIdentifier(inner) ? functionNamed(f, inner) : null;
    if (named !== null) found.add(named);
    f.api.forEachChild(inner, walk);
  };
  f.api.forEachChild(node, walk);
  f.locals.set(node, [...found]);
  return [...found];
}

function functionNamed(f: Frame, name: ts.Identifier): ts.Node | null {
  const { api } = f;
  if (api.isPropertyAccessExpression(name.parent) && name.parent.name === name) return null;
  const declaration = f.symbolOf(name)?.valueDeclaration;
  if (declaration === undefined) return null;
  const node = api.isVariableDeclaration(declaration) && declaration.initializer !== undefined ? opened(f, declaration.initializer) : declaration;
  const isFunction = api.isFunctionDeclaration(node) || api.isFunctionExpression(node) || api.isArrowFunction(node);
  return isFunction && !api.isSourceFile(scopeOf(declaration, api)) ? node : null;
}

/** Calls a local function that calls itself. */
export function applyRecursive(f: Frame, fn: Closure, args: readonly Atom[], at: ts.Node, wanted: string): Atom | null {
  const recursion = f.recursions.find(({ node, env }) => node === fn.node && env === fn.env) ?? made(f, fn, at);
  const { surroundings, params, result, name } = recursion;
  if (surroundings === null && f.recursions.findLast((each) => each.surroundings === null) !== recursion) return refused(f, fn, at);
  const bind: Var = { kind: "var", name: f.names.fresh(result.kind === "void" ? "t" : wanted), type: result };
  const call: CallLet = { kind: "let", bind, expr: { kind: "call", callee: name, args: params.map((_, i) => args[i] ?? UNDEFINED) }, origin: f.b.origin };
  if (surroundings === null) recursion.calls++;
  f.b.stmts.push(...(surroundings === null ? [call] : completed(f, recursion, surroundings, call)));
  return result.kind === "void" ? null : bind;
}

const refused = (f: Frame, { node }: Closure, at: ts.Node): never => f.refuse("TSG1123", at, node.name?.getText() ?? f.textOf(node));

function made(f: Frame, fn: Closure, at: ts.Node): Recursion {
  const { node, env } = fn;
  const parameters = node.parameters.filter((parameter) => !isThis(f, parameter));
  const takesFunctions = parameters.some((parameter) => f.shape(f.ctx.typeOf(parameter.name)).kind === "func");
  if (f.inlining.includes(node) || takesFunctions || isFixedByCall(f, node)) return refused(f, fn, at);
  const name = f.ctx.reserve(member(f.name, declaredName(f, node)));
  const params = parameters.map((parameter, i) => parameterVar(f, parameter, i));
  const recursion: Recursion = { node, env, name, params, result: resultType(f, node, node), surroundings: null, calls: 0 };
  f.recursions.push(recursion);
  const body = f.nested(() => {
    const value = inline(f, node, env, params, at, "t");
    return value === null ? [] : [settled(value, recursion.result)];
  });
  let calls = 0;
  walkStmts(body, (stmt) => { if (isCallOf(stmt, recursion)) calls++; });
  // in a derivative that the body asks for, which is a function of its own
  if (calls < recursion.calls) return refused(f, fn, at);
  const { read, assigned } = surroundingsOf(body, params);
  const surroundings = { seen: [...new Map([...read, ...assigned]).values()], assigned: [...assigned.values()] };
  recursion.surroundings = surroundings;
  // an object that a constructor is making may have other values at the next call
  if (env.self?.kind === "building") f.recursions.splice(f.recursions.indexOf(recursion), 1);
  f.ctx.lifted({ name, home: name, ...functionOf(f, recursion, surroundings, body), origin: f.ctx.originOf(node) });
  return recursion;
}

function declaredName(f: Frame, node: ts.FunctionLikeDeclaration): string {
  const at = f.api.findAncestor(node.parent, (each) => !f.api.isExpression(each));
  return node.name?.getText() ?? (at !== undefined && f.api.isVariableDeclaration(at) ? at.name.getText() : "local");
}

/** The body, its own calls completed. What it assigns outside starts as a parameter. */
function functionOf(f: Frame, recursion: Recursion, surroundings: Surroundings, body: Body): Pick<Func, "params" | "body" | "result"> {
  const { seen, assigned } = surroundings;
  const complete = (inner: Body): Body => ({ ...inner, stmts: inner.stmts.flatMap((stmt) => (isCallOf(stmt, recursion) ? completed(f, recursion, surroundings, stmt) : [mapBodies(stmt, complete)])) });
  const given = seen.map((variable): Var => (assigned.includes(variable) || mayBeUnset(f, variable) ? { ...variable, name: f.names.fresh(baseName(variable.name)), type: passedType(f, variable) } : variable));
  const whole = f.nested(() => {
    for (const [i, param] of given.entries()) {
      const variable = seen[i];
      if (variable === undefined || param === variable) continue;
      if (assigned.includes(variable)) f.b.emit({ kind: "declare", variable, init: unwrap(f, param) });
      else f.b.emit({ kind: "let", bind: variable, expr: { kind: "unwrap", value: param } });
    }
    f.b.stmts.push(...complete(body).stmts);
    return assigned.length === 0 ? body.result : [f.let("t", resultOf(f, recursion, surroundings), { kind: "tuple", elems: [...body.result, ...assigned.map((variable) => f.let("t", passedType(f, variable), { kind: "copy", atom: variable }))] })];
  });
  return { ...withDistinctNames([...recursion.params, ...given], whole), result: resultOf(f, recursion, surroundings) };
}

/** Whether an object is in a variable that may have none yet: there is no shadow of what is not there. */
const mayBeUnset = (f: Frame, { name, type }: Var): boolean => f.unset.has(name) && hasNumbers(type, f.ctx.types) && !isScalarType(type);

const passedType = (f: Frame, variable: Var): Type => (mayBeUnset(f, variable) ? { kind: "opt", of: variable.type } : variable.type);

/** What the function gives: its result, or a tuple of that and of what it assigns outside. */
const resultOf = (f: Frame, { result }: Recursion, { assigned }: Surroundings): Type =>
  (assigned.length === 0 ? result : { kind: "tuple", elems: [...(result.kind === "void" ? [] : [result]), ...assigned.map((variable) => passedType(f, variable))] });

type CallLet = Let & { readonly expr: Extract<Expr, { kind: "call" }> };

const isCallOf = (stmt: Stmt, { name }: Recursion): stmt is CallLet => stmt.kind === "let" && stmt.expr.kind === "call" && stmt.expr.callee === name;

/** The call with what the function sees; what it assigns outside is taken from its result. */
function completed(f: Frame, recursion: Recursion, surroundings: Surroundings, { bind, expr, origin }: CallLet): readonly Stmt[] {
  const { seen, assigned } = surroundings;
  const outer = f.b, b = outer.nested();
  b.origin = origin;
  f.b = b;
  try {
    const args = [...expr.args, ...seen.map((variable) => (mayBeUnset(f, variable) ? asOptional(f, variable) : variable))];
    if (assigned.length === 0) b.emit({ kind: "let", bind, expr: { ...expr, args } });
    else {
      const list = f.let("t", resultOf(f, recursion, surroundings), { ...expr, args });
      const first = recursion.result.kind === "void" ? 0 : 1;
      if (first > 0) b.emit({ kind: "let", bind, expr: { kind: "load", object: list, key: field("0") } });
      for (const [i, variable] of assigned.entries()) f.assign(variable, unwrap(f, b.load(baseName(variable.name), passedType(f, variable), list, field(String(first + i))), baseName(variable.name)));
    }
    return b.stmts;
  } finally {
    f.b = outer;
  }
}
