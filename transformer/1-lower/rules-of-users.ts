// Functions with a derivative of the user's own: `customVjp(f, rule)`, `customJvp(f, rule)`, and `checkpoint(f)`. In: such a function and the arguments of a
// call. Out: a call of a function that says which rule it has. Invariant: `f` gives the value and the rule the derivative; the rule is a function of the
// program like any other, so it is differentiated itself where second derivatives are asked for (Estep §2-3).

import type ts from "typescript";
import { field, NUM } from "../ir/build.ts";
import * as names from "../ir/names.ts";
import { baseName } from "../ir/names.ts";
import { printType } from "../ir/print.ts";
import { hasNumbers, shadowType } from "../ir/shadow.ts";
import type { Atom, Body, Type, Var } from "../ir/types.ts";
import { definedVars, freeVars, walkStmts } from "../ir/visit.ts";
import { applyFn, isFn, returnedOf, type Arg } from "./closures.ts";
import type { Fn, Frame } from "./frame.ts";
import { nameOf } from "./targets.ts";
import { resolveFn } from "./resolve.ts";

export type Custom = Fn & { readonly kind: "custom" };

/** `customVjp(f, rule)` and the like as a function value; null for other calls. */
export function customFn(f: Frame, call: ts.CallExpression): Custom | null {
  const symbol = f.ctx.checker.getSymbolAtLocation(nameOf(call.expression, f.api));
  const operator = symbol === undefined ? null : f.ctx.operatorOf(symbol);
  if (operator === null || operator === "stopGradient") return null;
  const [target, rule] = call.arguments;
  const fn = target === undefined ? null : resolveFn(f, target);
  if (target === undefined || fn === null) return f.refuse("TSG1001", target ?? call, f.textOf(target ?? call));
  if (operator === "checkpoint") return { kind: "custom", mode: "checkpoint", fn, rule: null, shown: f.textOf(target), at: call };
  const given = rule === undefined ? null : resolveFn(f, rule);
  if (given === null) return f.refuse("TSG1001", rule ?? call, f.textOf(rule ?? call));
  return { kind: "custom", mode: operator === "customVjp" ? "vjp" : "jvp", fn, rule: given, shown: f.textOf(target), at: call };
}

/** `stopGradient(x)`: x, of which no derivative is asked. */
export function stopped(f: Frame, args: readonly Arg[], at: ts.Node, wanted: string): Atom {
  const [value] = args;
  if (value === undefined || isFn(value)) return f.refuse("TSG1124", at, f.textOf(at));
  return f.let(wanted, value.type, { kind: "extern", text: ["", ""], args: [value], effect: "pure", inert: true });
}

/** Calls a function that has a rule. Each call of the same types calls the same function, so a rule may call what it is the rule of. */
export function applyCustom(f: Frame, custom: Custom, args: readonly Arg[], at: ts.Node, wanted: string): Atom {
  const key = args.some(isFn) ? null : `${custom.at.getSourceFile().fileName} ${custom.at.pos} ${args.map((arg) => (isFn(arg) ? "" : printType(arg.type))).join()}`;
  const known = key === null ? undefined : f.customs.get(key);
  const made = known ?? madeOf(f, custom, args, at, key);
  const atoms = args.filter((arg): arg is Atom => !isFn(arg));
  return f.let(wanted, made.result, { kind: "call", callee: made.name, args: [...atoms, ...made.captured] });
}

function madeOf(f: Frame, custom: Custom, args: readonly Arg[], at: ts.Node, key: string | null): Made {
  const given: Var[] = [];
  const inner = args.map((arg): Arg => {
    if (isFn(arg)) return arg;
    const param: Var = { kind: "var", name: f.names.fresh(arg.kind === "var" ? arg.name : "x"), type: arg.type };
    given.push(param);
    return param;
  });
  const shown = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(custom.shown) ? custom.shown : "f";
  const name = f.ctx.reserve(`${shown}$${custom.mode === "checkpoint" ? "checkpoint" : "custom"}`);
  const primal = bodyOf(f, () => applyFn(f, custom.fn, inner, at));
  const result = primal.result[0]?.type;
  if (result === undefined || !hasNumbers(result, f.ctx.types)) return f.refuse("TSG2005", at, custom.shown, "void");
  const outside = capturedBy(f, primal, given, at);
  // a rule that calls itself sees what has no surroundings
  if (key !== null && outside.size === 0) f.customs.set(key, { name, result, captured: [] });
  const seed: Var = { kind: "var", name: f.names.fresh("seed"), type: shadowType(result, f.ctx.types) ?? NUM };
  const dots = given.filter(({ type }) => hasNumbers(type, f.ctx.types)).map((param): Var => ({ kind: "var", name: f.names.fresh(names.dot(param.name)), type: shadowType(param.type, f.ctx.types) ?? NUM }));
  const rule = custom.mode === "vjp" ? bodyOf(f, () => pulledByRule(f, custom, inner, given, seed, result, at))
    : custom.mode === "jvp" ? bodyOf(f, () => pushedByRule(f, custom, given, dots, result, at)) : null;
  const captured = [...new Map([...outside, ...(rule === null ? [] : capturedBy(f, rule, [...given, ...dots, seed], at))]).values()];
  if (captured.length > 0 && key !== null) f.customs.delete(key);
  const params = [...given, ...captured];
  const origin = f.ctx.originOf(at);
  f.ctx.lifted({ name, home: name, params, result, body: primal, origin, rule: { mode: custom.mode, given: given.length } });
  if (rule === null) return { name, result, captured };
  const isPulled = custom.mode === "vjp";
  const own = f.ctx.reserve(isPulled ? names.pull(name, { names: null, tuple: false }) : names.fwd(name, null));
  f.ctx.lifted({ name: own, home: own, params: [...params, ...(isPulled ? [seed] : dots)], result: isPulled ? pairOf(f, result, given) : { kind: "tuple", elems: [result, seed.type] }, body: rule, origin });
  return { name, result, captured };
}

/** A function that has been made for a call. */
export interface Made {
  readonly name: string;
  readonly result: Type;
  readonly captured: readonly Var[];
}

const pairOf = (f: Frame, result: Type, given: readonly Var[]): Type =>
  ({ kind: "tuple", elems: [result, { kind: "tuple", elems: given.filter(({ type }) => hasNumbers(type, f.ctx.types)).map(({ type }) => shadowType(type, f.ctx.types) ?? NUM) }] });

function bodyOf(f: Frame, make: () => Atom | null): Body {
  return f.nested(() => {
    const value = make();
    return value === null ? [] : [value];
  });
}

/** `[value, cotangents]`: the rule, and its pullback called with the seed. */
function pulledByRule(f: Frame, { rule }: Custom, args: readonly Arg[], given: readonly Var[], seed: Var, result: Type, at: ts.Node): Atom {
  const made = rule === null ? null : returnedOf(f, rule, args);
  const [value, pullback] = made?.kind === "members" ? [made.parts.get("0"), made.parts.get("1")] : [];
  if (value === undefined || isFn(value) || pullback === undefined || !isFn(pullback)) return f.refuse("TSG1019", at, f.textOf(at), "it has to end in `return [value, pullback]`");
  const bars = applyFn(f, pullback, [seed], at);
  const shape = bars === null ? null : f.shape(bars.type);
  if (bars === null || shape?.kind !== "tuple" || shape.elems.length !== args.length) return f.refuse("TSG1019", at, f.textOf(at), "its pullback has to return a list with one cotangent for each argument");
  const numeric = args.flatMap((arg, i): { readonly i: number; readonly type: Type }[] => (isFn(arg) || !hasNumbers(arg.type, f.ctx.types) ? [] : [{ i, type: shadowType(arg.type, f.ctx.types) ?? NUM }]));
  const parts = numeric.map(({ i, type }) => f.let("t", type, { kind: "load", object: bars, key: field(String(i)) }));
  const list = f.let("t", { kind: "tuple", elems: parts.map(({ type }) => type) }, { kind: "tuple", elems: parts });
  return f.let("t", pairOf(f, result, given), { kind: "tuple", elems: [value, list] });
}

/** `[value, tangent]` as the rule gives it. */
function pushedByRule(f: Frame, { rule }: Custom, given: readonly Var[], dots: readonly Var[], result: Type, at: ts.Node): Atom {
  const list = (elems: readonly Atom[]): Atom => f.let("t", { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });
  let next = 0;
  const tangents = given.map((param): Atom => (hasNumbers(param.type, f.ctx.types) ? dots[next++] ?? param : { kind: "const", type: { kind: "leaf", text: "undefined" }, value: undefined }));
  const made = rule === null ? null : applyFn(f, rule, [list(given), list(tangents)], at);
  const shape = made === null ? null : f.shape(made.type);
  if (made === null || shape?.kind !== "tuple" || shape.elems.length !== 2) return f.refuse("TSG1019", at, f.textOf(at), "it has to return `[value, tangent]`");
  const part = (i: number, type: Type): Atom => f.let("t", type, { kind: "load", object: made, key: field(String(i)) });
  return list([part(0, result), part(1, shadowType(result, f.ctx.types) ?? NUM)]);
}

function capturedBy(f: Frame, body: Body, params: readonly Var[], at: ts.Node): ReadonlyMap<string, Var> {
  const own = new Set([...params, ...definedVars(body)].map(({ name }) => name));
  walkStmts(body, (stmt) => {
    if (stmt.kind === "assign" && !own.has(stmt.variable.name)) f.refuse("TSG1018", at, f.textOf(at), baseName(stmt.variable.name));
  });
  return new Map([...freeVars(body)].filter(([name]) => !own.has(name)));
}
