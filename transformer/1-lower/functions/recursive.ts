// Lifts recursive functions that are closures, generic, or take functions. Each becomes a function
// of the program, once per closure, type arguments and functions it is passed.
// Variables that it captures become parameters; those that it assigns become further results.
// While its body is lowered, only that body may call it.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { CallLet } from "../../ir/calls.ts";
import { member } from "../../ir/names.ts";
import { holdsOpaque } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { implementationsOf } from "../lowering.ts";
import { scopeOf } from "./captures.ts";
import { resultType } from "./call-types.ts";
import { isFn, type Arg, Env, type Fn, type Recursion } from "../function-values.ts";
import { inline } from "./inlining.ts";
import { isSpecialisedByValues, isGeneric, isThis } from "./specialisation.ts";
import { isNullish, UNDEFINED } from "../coerce.ts";
import { type Frame, type Named, settled } from "../frame.ts";
import { parameterVar } from "./lambda-lifting.ts";
import { returnsThis } from "../classes/members.ts";
import { sameType } from "../objects/tuples.ts";
import { completed, finish, isCalledElsewhere, type Member } from "./recursion-group.ts";

/** A function that is called. */
export interface Called {
  readonly node: ts.FunctionLikeDeclaration;
  readonly env: Env;
  /** The receiver of a method. */
  readonly self?: Atom;
  /** A name for a function without one. */
  readonly name?: string;
}

/** Whether exactly the parameters for functions get functions, and a call fixes nothing else. */
export function takesFunctions(
  f: Frame,
  node: ts.FunctionLikeDeclaration,
  args: readonly Arg[],
): boolean {
  const parameters = node.parameters.filter((parameter) => !isThis(f, parameter));
  return (
    args.some(isFn) &&
    !isSpecialisedByValues(f, node) &&
    parameters.every((parameter, i) => isFn(args[i] ?? UNDEFINED) === isOfFunctions(f, parameter))
  );
}

/** Whether a function is recursive, and generic or higher-order, so that it is lifted per call. */
export const isLiftedForCall = (
  f: Frame,
  node: ts.FunctionLikeDeclaration,
  args: readonly Arg[],
): boolean =>
  (takesFunctions(f, node, args) ||
    (isGeneric(f, node) && !args.some(isFn) && !isSpecialisedByValues(f, node))) &&
  reaches(f, node, node, () => true);

const isOfFunctions = (f: Frame, parameter: ts.ParameterDeclaration): boolean =>
  f.ctx.checker.getTypeAtLocation(parameter).getCallSignatures().length > 0;

/** A callback that calls the function being lifted that it was passed to. */
export function reenteredCallback(f: Frame, fn: Fn & { readonly kind: "closure" }): Called | null {
  for (const { body, fns, node } of f.recursions) {
    const place = body === null ? [...fns].find(([, each]) => isSameFn(each, fn))?.[0] : undefined;
    const parameter =
      place === undefined ? undefined : node.parameters.filter((each) => !isThis(f, each))[place];
    if (parameter !== undefined && reaches(f, fn.node, node, ({ isLocal }) => isLocal))
      return { node: fn.node, env: fn.env, name: parameter.name.getText() };
  }
  return null;
}

/** Whether a local function calls itself, other than through a function that is being lifted. */
export function isRecursive(f: Frame, node: ts.FunctionLikeDeclaration): boolean {
  const open: readonly ts.Node[] = f.recursions
    .filter(({ body }) => body === null)
    .map((each) => each.node);
  if (open.includes(node)) return true;
  return reaches(f, node, node, ({ isLocal, node: next }) => isLocal && !open.includes(next));
}

/** Whether a function names the target, directly or through functions that count. */
function reaches(
  f: Frame,
  from: ts.Node,
  target: ts.Node,
  counts: (named: Named) => boolean,
): boolean {
  const found = new Set<ts.Node>();
  const walk = (node: ts.Node): boolean =>
    functionsIn(f, node).some((named) => {
      if (named.node === target) return true;
      if (found.has(named.node) || !counts(named)) return false;
      found.add(named.node);
      return walk(named.node);
    });
  return walk(from);
}

/** The functions and methods that a function's code names, nested functions included. */
function functionsIn(f: Frame, node: ts.Node): readonly Named[] {
  const known = f.named.get(node);
  if (known !== undefined) return known;
  const found = new Map<ts.Node, Named>();
  const walk = (inner: ts.Node): void => {
    if (f.api.isTypeNode(inner) || isNameOf(f, inner, node)) return;
    for (const named of f.api.isMemberName(inner) ? functionsNamed(f, inner) : [])
      found.set(named.node, named);
    f.api.forEachChild(inner, walk);
  };
  f.api.forEachChild(node, walk);
  f.named.set(node, [...found.values()]);
  return [...found.values()];
}

const isNameOf = (f: Frame, inner: ts.Node, node: ts.Node): boolean =>
  f.api.isFunctionLike(node) && node.name === inner;

/** The functions that a name may denote. */
function functionsNamed(f: Frame, name: ts.MemberName): readonly Named[] {
  if (f.api.isPropertyAccessExpression(name.parent) && name.parent.name === name)
    return methodsNamed(f, name).map((node) => ({ node, isLocal: false }));
  const meant = f.api.isIdentifier(name) ? functionNamed(f, name) : null;
  return meant === null
    ? []
    : [{ node: meant.node, isLocal: !f.api.isSourceFile(scopeOf(meant.declaration, f.api)) }];
}

/** The methods of the program that `o.name` may call. */
function methodsNamed(f: Frame, name: ts.MemberName): readonly ts.Node[] {
  const symbol = f.ctx.checker.getSymbolAtLocation(name);
  const isMethod = (each: ts.Declaration): boolean =>
    f.api.isMethodDeclaration(each) || f.api.isMethodSignature(each);
  return symbol?.declarations?.some(
    (each) => isMethod(each) && !each.getSourceFile().isDeclarationFile,
  ) === true
    ? implementationsOf(f, symbol)
    : [];
}

/** The function that a name denotes, and the declaration of the name. */
function functionNamed(
  f: Frame,
  name: ts.Identifier,
): { readonly node: ts.Node; readonly declaration: ts.Node } | null {
  const { api } = f;
  const declaration = f.symbolOf(name)?.valueDeclaration;
  if (declaration === undefined) return null;
  const node =
    api.isVariableDeclaration(declaration) && declaration.initializer !== undefined
      ? bare(declaration.initializer, f.api)
      : declaration;
  return api.isFunctionDeclaration(node) ||
    api.isFunctionExpression(node) ||
    api.isArrowFunction(node)
    ? { node, declaration }
    : null;
}

/** Calls a recursive function, which is lifted at its first call. */
export function applyRecursive(
  f: Frame,
  called: Called,
  args: readonly Arg[],
  at: ts.Node,
  hint: string,
): Atom | null {
  const recursion =
    f.recursions.find((each) => isFor(f, each, called, args)) ?? lift(f, called, args, at);
  const { places, result, name } = recursion;
  const bind: Var = {
    kind: "var",
    name: f.names.fresh(result.kind === "void" ? "t" : hint),
    type: result,
  };
  const call: CallLet = {
    kind: "let",
    bind,
    expr: { kind: "call", callee: name, args: places.map((place) => given(called, args, place)) },
    origin: f.b.origin,
  };
  if (recursion.surroundings === null) f.b.stmts.push(incomplete(f, recursion, call));
  else f.b.stmts.push(...completed(f, recursion, call));
  return result.kind === "void" ? null : bind;
}

function given({ self }: Called, args: readonly Arg[], place: number | "self"): Atom {
  const arg = place === "self" ? self : args[place];
  return arg === undefined || isFn(arg) ? UNDEFINED : arg;
}

/** Whether a lifted function is the one for this call. */
function isFor(f: Frame, recursion: Recursion, called: Called, args: readonly Arg[]): boolean {
  const { node, env } = called;
  const isSameEnv = f.api.isClassLike(node.parent)
    ? isOfSameClass(recursion.env, env)
    : recursion.env === env;
  if (recursion.node !== node || !isSameEnv || !isSameFns(recursion.fns, functionsAmong(args)))
    return false;
  return recursion.params.every(({ type }, i) => {
    const place = recursion.places[i];
    if (place === undefined || (place !== "self" && !isGeneric(f, node))) return true;
    const arg = given(called, args, place);
    return isNullish(arg) || sameType(present(type), present(arg.type));
  });
}

/** In a static method, `this` is the class that it is called on. */
function isOfSameClass({ self: one }: Env, { self: other }: Env): boolean {
  return one?.kind === "class" && other?.kind === "class"
    ? one.node === other.node
    : one?.kind === other?.kind;
}

const present = (type: Type): Type => (type.kind === "opt" ? type.of : type);

const functionsAmong = (args: readonly Arg[]): ReadonlyMap<number, Fn> =>
  new Map(args.flatMap((arg, i): [number, Fn][] => (isFn(arg) ? [[i, arg]] : [])));

/** A call of an unfinished function: the function being lowered is finished together with it. */
function incomplete(f: Frame, recursion: Recursion, call: CallLet): CallLet {
  recursion.calls++;
  joins(f, recursion.outermost);
  return call;
}

function joins(f: Frame, outermost: number): void {
  const lowered = f.recursions.findLast(({ body }) => body === null);
  if (lowered !== undefined) lowered.outermost = Math.min(lowered.outermost, outermost);
}

const refused = (f: Frame, { node }: Called, at: ts.Node): never =>
  f.refuse("TSG1123", at, node.name?.getText() ?? f.textOf(node));

const isSameFns = (x: ReadonlyMap<number, Fn>, z: ReadonlyMap<number, Fn>): boolean =>
  x.size === z.size && [...x].every(([place, fn]) => isSameFn(fn, z.get(place)));

const isSameFn = (x: Fn, z: Fn | undefined): boolean =>
  x === z ||
  (x.kind === "closure" && z?.kind === "closure" && x.node === z.node && x.env === z.env) ||
  (x.kind === "program" && z?.kind === "program" && x.symbol === z.symbol) ||
  (x.kind === "builtin" && z?.kind === "builtin" && x.path === z.path);

/** The bound on lifting one declaration within itself, each time with other callbacks. */
const MAX_DEPTH = 3;

function lift(f: Frame, called: Called, args: readonly Arg[], at: ts.Node): Recursion {
  const { node, env } = called;
  const fns = functionsAmong(args);
  const parameters = node.parameters.filter((parameter) => !isThis(f, parameter));
  const isFnMissing = parameters.some((parameter, i) => !fns.has(i) && isOfFunctions(f, parameter));
  const open = f.recursions.filter((each) => each.body === null && each.node === node).length;
  const isInlined = f.inlining.filter((each) => each === node).length > open;
  if (isInlined || open >= MAX_DEPTH || isFnMissing || isSpecialisedByValues(f, node))
    return refused(f, called, at);
  const recursion = headOf(f, called, parameters, args, at);
  if (
    isGeneric(f, node) &&
    [recursion.result, ...recursion.params.map(({ type }) => type)].some((type) =>
      holdsOpaque(type, f.ctx.types),
    )
  )
    return refused(f, called, at);
  const { params, places } = recursion;
  const of = (place: number | "self"): Var | undefined => params[places.indexOf(place)];
  f.recursions.push(recursion);
  recursion.body = f.nested(() => {
    const object = of("self");
    const own = object === undefined ? env : new Env(env, { kind: "value", atom: object });
    const given = parameters.map((_, i) => fns.get(i) ?? of(i) ?? UNDEFINED);
    const value = inline(f, { node, env: own }, given, at, "t");
    return value === null ? [] : [settled(value, recursion.result)];
  });
  if (recursion.outermost < recursion.place) joins(f, recursion.outermost);
  else finishGroup(f, called, recursion.place, at);
  return recursion;
}

/** The function without its body; the call has fixed its type arguments. */
function headOf(
  f: Frame,
  called: Called,
  parameters: readonly ts.ParameterDeclaration[],
  args: readonly Arg[],
  at: ts.Node,
): Recursion {
  const { node, env, self } = called;
  const fns = functionsAmong(args);
  const place = f.recursions.length;
  const passed = parameters.flatMap((parameter, i): [number, Var][] =>
    fns.has(i) ? [] : [[i, typedBy(f, called, parameterVar(f, parameter, i), args[i])]],
  );
  const object: readonly ["self", Var][] =
    self === undefined
      ? []
      : [["self", { kind: "var", name: f.names.fresh("self"), type: self.type }]];
  const whole = [...object, ...passed];
  const result =
    self !== undefined && returnsThis(f, node)
      ? self.type
      : resultType(f, node, isGeneric(f, node) ? at : node, env.types);
  const name = f.ctx.reserveName(member(f.name, called.name ?? declaredName(f, node)));
  return {
    node,
    env,
    fns,
    name,
    params: whole.map(([, param]) => param),
    places: whole.map(([i]) => i),
    result,
    place,
    body: null,
    outermost: place,
    surroundings: null,
    calls: 0,
  };
}

/** In a generic function, a parameter gets the type of its argument. */
function typedBy(f: Frame, { node }: Called, param: Var, arg: Arg | undefined): Var {
  if (!isGeneric(f, node) || arg === undefined || isFn(arg) || isNullish(arg)) return param;
  return {
    ...param,
    type:
      param.type.kind === "opt" && arg.type.kind !== "opt"
        ? { ...param.type, of: arg.type }
        : arg.type,
  };
}

/** Finishes the function at an index of the stack, with its mutually recursive ones. */
function finishGroup(f: Frame, fn: Called, place: number, at: ts.Node): void {
  const group = f.recursions
    .slice(place)
    .filter((each): each is Member => each.body !== null && each.surroundings === null);
  const isInConstructor = f.inlining.some(f.api.isClassLike);
  if (isCalledElsewhere(group) || (isInConstructor && group.length > 1)) return refused(f, fn, at);
  finish(f, group);
  // Fields of an object under construction may differ at the next call, so it is lifted again.
  if (isInConstructor) f.recursions.splice(place, 1);
}

function declaredName(f: Frame, node: ts.FunctionLikeDeclaration): string {
  const at = f.api.findAncestor(node.parent, (each) => !f.api.isExpression(each));
  return (
    node.name?.getText() ??
    (at !== undefined && f.api.isVariableDeclaration(at) ? at.name.getText() : "local")
  );
}
