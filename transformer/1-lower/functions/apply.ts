// Applies function values: inlines known bodies, and calls functions of the program.
// Input: what the function is known to be, and its arguments. Output: the result.
// Arguments are evaluated before the body.

import type ts from "typescript";
import { applyFn } from "../lowering.ts";
import type { Atom } from "../../ir/types.ts";
import { callBuiltin } from "../builtins/library.ts";
import { applyScan } from "../builtins/scan.ts";
import { applyMapped, applyVector } from "../builtins/vector.ts";
import { UNDEFINED } from "../coerce.ts";
import { Rejected } from "../context.ts";
import { applyDefined, applyOutside } from "../derivatives/defined.ts";
import { applySolver } from "../derivatives/implicit.ts";
import { applyDerived } from "../derivatives/nested.ts";
import { applyPullback } from "../derivatives/pullbacks.ts";
import { applyCustom } from "../derivatives/custom-rules.ts";
import { applyOperator } from "../derivatives/cotangent-operators.ts";
import type { Frame } from "../frame.ts";
import { isFn, type Arg, type Fn, type CallSite } from "../function-values.ts";
import { isVectorOp } from "../sites/forms.ts";
import { resultType } from "./call-types.ts";
import { applyHeld } from "./held-functions.ts";
import { inline } from "./inlining.ts";
import { applyTable } from "./function-tables.ts";
import { either, fnResult } from "./call-results.ts";
import { refuseSpread } from "./parameters.ts";
import {
  applyRecursive,
  reenteredCallback,
  isLiftedForCall,
  isRecursive,
  takesFunctions,
} from "./recursive.ts";
import { isOnlyInlined, isThis, mentionsThis } from "./specialisation.ts";

// eslint-disable-next-line complexity -- flat exhaustive switch over Fn kinds
export function applyFnAt(f: Frame, fn: Fn, args: readonly Arg[], site: CallSite): Atom | null {
  const { at, hint, self } = site;
  switch (fn.kind) {
    case "closure":
      return applyClosure(f, fn, args, site);
    case "program":
      return applyProgram(f, fn, args, site);
    case "builtin": {
      const atoms = args.filter((arg): arg is Atom => !isFn(arg));
      if (atoms.length < args.length) return f.refuse("TSG1124", at, fn.path);
      return callBuiltin(f, fn.path, atoms, at, hint);
    }
    case "bound":
      return applyFnAt(f, fn.fn, [...fn.args, ...args], { at, hint, self: fn.self });
    case "choice":
      return applyChoice(f, fn, site, (each) => applyFnAt(f, each, args, { at, hint: "t", self }));
    case "table":
      return applyTable(f, fn, at, hint, (each, as) => applyFn(f, each, args, at, as));
    case "held":
      return applyHeld(f, fn, at, hint, (each, as) => applyFn(f, each, args, at, as));
    case "members":
    case "getter":
    case "linear":
    case "givenVjp":
      return f.refuse("TSG1124", at, f.textOf(at));
    case "spread":
      return refuseSpread(f, fn);
    case "derived":
      return applyDerived(f, fn, args, at, hint);
    case "pullback":
      return applyPullback(f, fn, args, at, hint);
    case "custom":
      return applyCustom(f, fn, args, at, hint);
    case "mapped":
      return applyMapped(f, fn, args, at, hint);
    case "operator":
      if (fn.operator === "scan") return applyScan(f, args, at, hint);
      return isVectorOp(fn.operator)
        ? applyVector(f, fn.operator, args, at, hint)
        : applyOperator(f, fn.operator, args, at, hint);
    case "defined":
      return applyDefined(f, fn.definition, args, at, hint);
    case "outside":
      return applyOutside(f, fn.target, args, at);
    case "solver":
      return applySolver(f, fn.solver, args, at, hint);
    case "given":
      return applyFn(f, fn.fn, args, at, hint);
  }
}

type Of<K extends Fn["kind"]> = Fn & { readonly kind: K };

function applyClosure(
  f: Frame,
  fn: Of<"closure">,
  args: readonly Arg[],
  site: CallSite,
): Atom | null {
  const { node, env } = fn;
  const { at, hint } = site;
  if (env.self?.kind !== "members") {
    const hasFns = args.some(isFn);
    if (isRecursive(f, node) && (!hasFns || takesFunctions(f, node, args)))
      return applyRecursive(f, fn, args, at, hint);
    const again = hasFns ? null : reenteredCallback(f, fn);
    if (again !== null) return applyRecursive(f, again, args, at, hint);
  }
  const self = f.api.isArrowFunction(node) ? null : site.self;
  return inline(f, { node, env, self }, args, at, hint);
}

function applyProgram(
  f: Frame,
  { symbol }: Of<"program">,
  args: readonly Arg[],
  { at, hint, self }: CallSite,
): Atom | null {
  const node = f.ctx.bodyOf(symbol);
  const env = f.outside;
  if (self?.kind === "value" && node !== null && mentionsThis(f, node))
    return inline(f, { node, env, self }, args, at, hint);
  const atoms = args.filter((arg): arg is Atom => !isFn(arg));
  if (atoms.length === args.length && !isOnlyInlined(f, symbol))
    return callProgram(f, symbol, atoms, at, hint);
  if (node === null) return f.refuse("TSG1113", at, symbol.name);
  return isLiftedForCall(f, node, args)
    ? applyRecursive(f, { node, env }, args, at, hint)
    : inline(f, { node, env }, args, at, hint);
}

const applyChoice = (
  f: Frame,
  fn: Of<"choice">,
  { at, hint }: Omit<CallSite, "self">,
  apply: (fn: Fn) => Atom | null,
): Atom | null =>
  either(
    f,
    { type: fnResult(f, fn, at), wanted: hint },
    fn.cond,
    () => apply(fn.then),
    () => apply(fn.otherwise),
  );

/** Calls a callback with as many of the arguments as it takes. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Fn kinds
export function applyCallback(
  f: Frame,
  fn: Fn,
  args: readonly Arg[],
  at: ts.Node,
  hint = "t",
): Atom | null {
  switch (fn.kind) {
    case "builtin":
      return applyBuiltinCallback(f, fn, args, { at, hint });
    case "choice":
      return applyChoice(f, fn, { at, hint }, (each) => applyCallback(f, each, args, at));
    case "table":
      return applyTable(f, fn, at, hint, (each, as) => applyCallback(f, each, args, at, as));
    case "held":
      return applyHeld(f, fn, at, hint, (each, as) => applyCallback(f, each, args, at, as));
    case "given":
      return applyCallback(f, fn.fn, args, at, hint);
    case "members":
    case "getter":
    case "spread":
    case "linear":
    case "givenVjp":
      return f.refuse("TSG1209", at, "which function it is, is not known here");
    case "bound":
      return applyFn(f, fn, args.slice(0, takenByBound(f, fn, at)), at, hint);
    case "closure":
    case "program":
      return applyFn(f, fn, args.slice(0, declaredCount(f, fn) ?? args.length), at, hint);
    case "derived":
    case "pullback":
    case "custom":
    case "mapped":
    case "operator":
    case "solver":
    case "defined":
    case "outside":
      return applyFn(f, fn, args.slice(0, takenBy(f, fn) ?? args.length), at, hint);
  }
}

const parametersOf = (
  f: Frame,
  fn: Of<"closure"> | Of<"program">,
): readonly ts.ParameterDeclaration[] | undefined =>
  (fn.kind === "closure" ? fn.node : f.ctx.bodyOf(fn.symbol))?.parameters;

const isRest = ({ dotDotDotToken }: ts.ParameterDeclaration): boolean =>
  dotDotDotToken !== undefined;

/** The number of parameters, `this` included; null if any number of arguments is taken. */
function declaredCount(f: Frame, fn: Of<"closure"> | Of<"program">): number | null {
  const parameters = parametersOf(f, fn);
  return parameters === undefined || parameters.some(isRest) ? null : parameters.length;
}

/** How many arguments `g.bind(o, x)` takes. */
function takenByBound(f: Frame, { fn, args }: Of<"bound">, at: ts.Node): number {
  if (fn.kind !== "closure" && fn.kind !== "program")
    return f.refuse("TSG1209", at, "which function it is, is not known here");
  const taken = (parametersOf(f, fn) ?? []).filter((parameter) => !isThis(f, parameter));
  return Math.max(0, taken.length - args.length);
}

function applyBuiltinCallback(
  f: Frame,
  fn: Of<"builtin">,
  args: readonly Arg[],
  { at, hint }: Omit<CallSite, "self">,
): Atom | null {
  if (["Math.max", "Math.min", "Math.hypot", "parseInt"].includes(fn.path))
    return f.refuse("TSG1209", at, `\`${fn.path}\` takes all the arguments that the method passes`);
  const count = ["Math.pow", "Math.atan2", "Math.imul"].includes(fn.path) ? 2 : 1;
  return applyFn(f, fn, args.slice(0, count), at, hint);
}

/** How many arguments a function takes; null if unknown or any number. */
function takenBy(f: Frame, fn: Fn): number | null {
  switch (fn.kind) {
    case "closure":
    case "program": {
      const parameters = parametersOf(f, fn)?.filter((parameter) => !isThis(f, parameter));
      return parameters === undefined || parameters.some(isRest) ? null : parameters.length;
    }
    case "derived":
      return fn.form === "jvp" || fn.form === "hvp" ? null : takenBy(f, fn.fn);
    case "custom":
    case "given":
    case "mapped":
      return takenBy(f, fn.fn);
    case "pullback":
      return 1;
    default:
      return null;
  }
}

/** Calls a function of the program, which has a derivative of its own. */
function callProgram(
  f: Frame,
  symbol: ts.Symbol,
  args: readonly Atom[],
  at: ts.Node,
  hint: string,
): Atom | null {
  const name = f.ctx.callee(symbol, at);
  const body = f.ctx.declarationOf(symbol, at);
  if (name === null || body === null) throw new Rejected();
  const count = body.parameters.filter((parameter) => !isThis(f, parameter)).length;
  const passed: Atom[] = args.slice(0, count);
  while (passed.length < count) passed.push(UNDEFINED);
  const type = resultType(f, body, at);
  const bound = f.let(type.kind === "void" ? "t" : hint, type, {
    kind: "call",
    callee: name,
    args: passed,
  });
  return type.kind === "void" ? null : bound;
}
