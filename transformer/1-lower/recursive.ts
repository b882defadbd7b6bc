// Functions that call themselves and are closures, or are handed functions. In: such a function and the arguments of a call. Out: a function of the program, made once for each
// closure and the functions it is handed, and its call. What it sees of its surroundings becomes further parameters; of what it assigns there, the values are results beside
// its own. Invariant: while the function is being made only its own body calls it, with the functions that it was handed.

import type ts from "typescript";
import { field } from "../ir/build.ts";
import { baseName, member } from "../ir/names.ts";
import { hasNumbers, isScalarType } from "../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Let, Stmt, Type, Var } from "../ir/types.ts";
import { mapBodies, walkStmts } from "../ir/visit.ts";
import { scopeOf } from "./captures.ts";
import { type Arg, inline, isFixedByCall, isFn, isThis, resultType } from "./closures.ts";
import { asOptional, UNDEFINED, unwrap } from "./coerce.ts";
import { type Env, type Fn, type Frame, settled } from "./frame.ts";
import { parameterVar, surroundingsOf, withDistinctNames } from "./lifting.ts";
import { opened } from "./resolve.ts";

type Closure = Fn & { readonly kind: "closure" };

/** A function for what a call has fixed, as one of the program. */
export interface Recursion {
  readonly node: ts.FunctionLikeDeclaration;
  readonly env: Env;
  /** The functions that it is handed, by position. */
  readonly fns: ReadonlyMap<number, Fn>;
  readonly name: string;
  readonly params: readonly Var[];
  /** Which of the arguments these are. */
  readonly places: readonly number[];
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

/** Whether there are functions among the arguments, wherever the function takes one and nowhere else, and nothing more of it is fixed by a call. */
export function takesAsHanded(f: Frame, node: ts.FunctionLikeDeclaration, args: readonly Arg[]): boolean {
  const parameters = node.parameters.filter((parameter) => !isThis(f, parameter));
  return args.some(isFn) && !isFixedByCall(f, node) && parameters.every((parameter, i) => isFn(args[i] ?? UNDEFINED) === isOfFunctions(f, parameter));
}

const isOfFunctions = (f: Frame, parameter: ts.ParameterDeclaration): boolean => f.ctx.checker.getTypeAtLocation(parameter).getCallSignatures().length > 0;

/** Whether a function of a module names itself, which is then in its own code. */
export function namesItself(f: Frame, node: ts.FunctionLikeDeclaration): boolean {
  const names = (inner: ts.Node): boolean => (f.api.isIdentifier(inner) && functionMeant(f, inner)?.node === node) || f.api.forEachChild(inner, (child) => names(child) || undefined) === true;
  return node.body !== undefined && names(node.body);
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
  const meant = functionMeant(f, name);
  return meant === null || f.api.isSourceFile(scopeOf(meant.declaration, f.api)) ? null : meant.node;
}

/** The function that a name means, and what declares the name. */
function functionMeant(f: Frame, name: ts.Identifier): { readonly node: ts.Node; readonly declaration: ts.Node } | null {
  const { api } = f;
  if (api.isPropertyAccessExpression(name.parent) && name.parent.name === name) return null;
  const declaration = f.symbolOf(name)?.valueDeclaration;
  if (declaration === undefined) return null;
  const node = api.isVariableDeclaration(declaration) && declaration.initializer !== undefined ? opened(f, declaration.initializer) : declaration;
  return api.isFunctionDeclaration(node) || api.isFunctionExpression(node) || api.isArrowFunction(node) ? { node, declaration } : null;
}

/** Calls a function that calls itself. */
export function applyRecursive(f: Frame, fn: Closure, args: readonly Arg[], at: ts.Node, wanted: string): Atom | null {
  const fns = new Map(args.flatMap((arg, i): [number, Fn][] => (isFn(arg) ? [[i, arg]] : [])));
  const recursion = f.recursions.find((each) => each.node === fn.node && each.env === fn.env && isSameFns(each.fns, fns)) ?? made(f, fn, fns, at);
  const { surroundings, places, result, name } = recursion;
  if (surroundings === null && f.recursions.findLast((each) => each.surroundings === null) !== recursion) return refused(f, fn, at);
  const bind: Var = { kind: "var", name: f.names.fresh(result.kind === "void" ? "t" : wanted), type: result };
  const given = places.map((place) => args[place]).map((arg) => (arg === undefined || isFn(arg) ? UNDEFINED : arg));
  const call: CallLet = { kind: "let", bind, expr: { kind: "call", callee: name, args: given }, origin: f.b.origin };
  if (surroundings === null) recursion.calls++;
  f.b.stmts.push(...(surroundings === null ? [call] : completed(f, recursion, surroundings, call)));
  return result.kind === "void" ? null : bind;
}

const refused = (f: Frame, { node }: Closure, at: ts.Node): never => f.refuse("TSG1123", at, node.name?.getText() ?? f.textOf(node));

const isSameFns = (x: ReadonlyMap<number, Fn>, z: ReadonlyMap<number, Fn>): boolean => x.size === z.size && [...x].every(([place, fn]) => isSameFn(fn, z.get(place)));

const isSameFn = (x: Fn, z: Fn | undefined): boolean =>
  x === z || (x.kind === "closure" && z?.kind === "closure" && x.node === z.node && x.env === z.env) || (x.kind === "program" && z?.kind === "program" && x.symbol === z.symbol)
  || (x.kind === "builtin" && z?.kind === "builtin" && x.path === z.path);

function made(f: Frame, fn: Closure, fns: ReadonlyMap<number, Fn>, at: ts.Node): Recursion {
  const { node, env } = fn;
  const parameters = node.parameters.filter((parameter) => !isThis(f, parameter));
  const isFnMissing = parameters.some((parameter, i) => !fns.has(i) && isOfFunctions(f, parameter));
  if (f.inlining.includes(node) || isFnMissing || isFixedByCall(f, node)) return refused(f, fn, at);
  const name = f.ctx.reserve(member(f.name, declaredName(f, node)));
  const places = [...parameters.keys()].filter((i) => !fns.has(i));
  const params = places.flatMap((i) => parameters.slice(i, i + 1).map((parameter) => parameterVar(f, parameter, i)));
  const recursion: Recursion = { node, env, fns, name, params, places, result: resultType(f, node, node), surroundings: null, calls: 0 };
  f.recursions.push(recursion);
  const body = f.nested(() => {
    const value = inline(f, node, env, parameters.map((_, i) => fns.get(i) ?? params[places.indexOf(i)] ?? UNDEFINED), at, "t");
    return value === null ? [] : [settled(value, recursion.result)];
  });
  let calls = 0;
  walkStmts(body, (stmt) => { if (isCallOf(stmt, recursion)) calls++; });
  // in a derivative that the body asks for, which is a function of its own
  if (calls < recursion.calls) return refused(f, fn, at);
  const { read, assigned } = surroundingsOf(body, params);
  const surroundings = { seen: [...new Map([...read, ...assigned]).values()], assigned: [...assigned.values()] };
  recursion.surroundings = surroundings;
  // an object that a constructor is making may have other values at the next call, whoever reads it
  if (f.inlining.some(f.api.isClassLike)) f.recursions.splice(f.recursions.indexOf(recursion), 1);
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
