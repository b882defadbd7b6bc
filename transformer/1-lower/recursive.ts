// Functions that call themselves and are closures, or are handed functions. In: such a function and the arguments of a call. Out: a function of the program, made once for each
// closure and the functions it is handed, and its call. What it sees of its surroundings becomes further parameters; of what it assigns there, the values are results beside
// its own. Invariant: while the function is being made only its own body calls it, with the functions that it was handed.

import type ts from "typescript";
import { member } from "../ir/names.ts";
import type { Atom, Var } from "../ir/types.ts";
import { scopeOf } from "./captures.ts";
import { type Arg, inline, isFixedByCall, isFn, isThis, resultType } from "./closures.ts";
import { UNDEFINED } from "./coerce.ts";
import { type Fn, type Frame, settled } from "./frame.ts";
import { parameterVar } from "./lifting.ts";
import { type CallLet, completed, finish, isCalledElsewhere, type Member, type Recursion } from "./recursion-group.ts";
import { opened } from "./resolve.ts";

type Closure = Fn & { readonly kind: "closure" };

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
  const open = f.recursions.filter(({ body }) => body === null).map((each) => each.node);
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
  const { places, result, name } = recursion;
  const bind: Var = { kind: "var", name: f.names.fresh(result.kind === "void" ? "t" : wanted), type: result };
  const given = places.map((place) => args[place]).map((arg) => (arg === undefined || isFn(arg) ? UNDEFINED : arg));
  const call: CallLet = { kind: "let", bind, expr: { kind: "call", callee: name, args: given }, origin: f.b.origin };
  if (recursion.surroundings === null) f.b.stmts.push(incomplete(f, recursion, call));
  else f.b.stmts.push(...completed(f, recursion, call));
  return result.kind === "void" ? null : bind;
}

/** A call of a function that is not finished: the one that is being lowered, which calls it, is made together with it. */
function incomplete(f: Frame, recursion: Recursion, call: CallLet): CallLet {
  recursion.calls++;
  joins(f, recursion.outermost);
  return call;
}

function joins(f: Frame, outermost: number): void {
  const lowered = f.recursions.findLast(({ body }) => body === null);
  if (lowered !== undefined) lowered.outermost = Math.min(lowered.outermost, outermost);
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
  const place = f.recursions.length;
  const recursion: Recursion = { node, env, fns, name, params, places, result: resultType(f, node, node), place, body: null, outermost: place, surroundings: null, calls: 0 };
  f.recursions.push(recursion);
  recursion.body = f.nested(() => {
    const value = inline(f, node, env, parameters.map((_, i) => fns.get(i) ?? params[places.indexOf(i)] ?? UNDEFINED), at, "t");
    return value === null ? [] : [settled(value, recursion.result)];
  });
  if (recursion.outermost < place) joins(f, recursion.outermost);
  else finishGroup(f, fn, place, at);
  return recursion;
}

/** Finishes the function that stands at a place, with those that were waiting for it. */
function finishGroup(f: Frame, fn: Closure, place: number, at: ts.Node): void {
  const group = f.recursions.slice(place).filter((each): each is Member => each.body !== null && each.surroundings === null);
  const isInConstructor = f.inlining.some(f.api.isClassLike);
  if (isCalledElsewhere(group) || (isInConstructor && group.length > 1)) return refused(f, fn, at);
  finish(f, group);
  // an object that a constructor is making may have other values at the next call, whoever reads it
  if (isInConstructor) f.recursions.splice(place, 1);
}

function declaredName(f: Frame, node: ts.FunctionLikeDeclaration): string {
  const at = f.api.findAncestor(node.parent, (each) => !f.api.isExpression(each));
  return node.name?.getText() ?? (at !== undefined && f.api.isVariableDeclaration(at) ? at.name.getText() : "local");
}
