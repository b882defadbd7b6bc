// Entry points of lowering that need each other. Files call them here, through the frame, so that
// they do not import one another in a circle; `index.ts` puts the implementations together.
// A function here has the name of its implementation.

import type ts from "typescript";
import type { Atom } from "../ir/types.ts";
import type { Asking } from "./context.ts";
import type { Frame } from "./frame.ts";
import type { Arg, CallSite, CodeScope, Fn, Meant, MethodCall, Source } from "./function-values.ts";
import type { Subject } from "./functions/stored-functions.ts";

type Call = ts.CallExpression | ts.NewExpression;

export interface Lowering {
  lowerExpr(f: Frame, node: ts.Expression, hint?: string, maybe?: boolean): Atom;
  lowerEffect(f: Frame, node: ts.Expression): void;
  lowerValues(f: Frame, node: ts.CallExpression): Atom[];
  lowerArguments(f: Frame, node: Call, lists?: boolean): Arg[];
  spreadValues(f: Frame, node: Call, list: ts.Expression, at?: ts.Node): Atom[];
  lowerArrayMethod(f: Frame, call: MethodCall): Atom | null;
  applyAt(f: Frame, fn: Fn, args: readonly Arg[], site: CallSite): Atom | null;
  applyCallback(f: Frame, fn: Fn, args: readonly Arg[], at: ts.Node, hint?: string): Atom | null;
  meantBy(f: Frame, node: ts.Expression, names: CodeScope): readonly Meant[];
  implementationsOf(f: Frame, symbol: ts.Symbol): readonly ts.Node[];
  functionsAt(asking: Asking, subject: Subject, called: string): readonly Source[] | null;
}

/**
 * Lowers an expression for its value. `hint` names the value where it is computed here. `maybe`: an
 * element read out of bounds is a missing value, not a number.
 */
export const lowerExpr: Lowering["lowerExpr"] = (f, node, hint, maybe) =>
  f.ctx.lowering.lowerExpr(f, node, hint, maybe);

/** Lowers an expression for its effects. */
export const lowerEffect: Lowering["lowerEffect"] = (f, node) =>
  f.ctx.lowering.lowerEffect(f, node);

/** The arguments of a call as values. */
export const lowerValues: Lowering["lowerValues"] = (f, node) =>
  f.ctx.lowering.lowerValues(f, node);

/** The arguments of a call. `lists`: a spread array is one argument. */
export const lowerArguments: Lowering["lowerArguments"] = (f, node, lists) =>
  f.ctx.lowering.lowerArguments(f, node, lists);

/** Loads the elements of a spread tuple. */
export const spreadValues: Lowering["spreadValues"] = (f, node, list, at) =>
  f.ctx.lowering.spreadValues(f, node, list, at);

/** A method call on an array; null where the method returns nothing. */
export const lowerArrayMethod: Lowering["lowerArrayMethod"] = (f, call) =>
  f.ctx.lowering.lowerArrayMethod(f, call);

/** Calls `fn`; null where the result is void. */
export const applyAt: Lowering["applyAt"] = (f, fn, args, site) =>
  f.ctx.lowering.applyAt(f, fn, args, site);

/** The same for a call without a receiver. `at` is the call in user code. */
export const applyFn = (
  f: Frame,
  fn: Fn,
  args: readonly Arg[],
  at: ts.Node,
  hint = "t",
): Atom | null => applyAt(f, fn, args, { at, hint, self: null });

/** Calls a callback, which gets only as many arguments as it has parameters. */
export const applyCallback: Lowering["applyCallback"] = (f, fn, args, at, hint) =>
  f.ctx.lowering.applyCallback(f, fn, args, at, hint);

/** The code that an expression stands for when it is called. */
export const meantBy: Lowering["meantBy"] = (f, node, names) =>
  f.ctx.lowering.meantBy(f, node, names);

/** The declarations that a member may run, overriding ones included. */
export const implementationsOf: Lowering["implementationsOf"] = (f, symbol) =>
  f.ctx.lowering.implementationsOf(f, symbol);
