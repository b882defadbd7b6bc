// Functions that fields hold: `layer.act(x)`. In: an expression that reads such a field. Out: a function that is a choice among all that code of the program puts into fields of that name,
// told by which one it is. Invariant: where one of them is not known by a name there is none, and the call is refused; any other function throws when it is called.

import type ts from "typescript";
import type { Atom } from "../ir/types.ts";
import { extern, externCall, str } from "./coerce.ts";
import { BOOL } from "../ir/build.ts";
import { lowerExpr } from "./expression.ts";
import type { Fn, Frame } from "./frame.ts";
import { fieldRead, functionsOf, functionsPutInto, nameOfFunction, type Source, unknownIn } from "./function-flow.ts";
import { either, fnResult } from "./known-functions.ts";
import { lowerCondition } from "./operators.ts";
import { functionOf, opened } from "./resolve.ts";

/** Null where the expression reads no field that holds functions, or not all of them are known. */
export function heldFn(f: Frame, expression: ts.Expression): Fn | null {
  const sources = heldBy(f, expression);
  return sources === null ? null : { kind: "held", value: valueOf(f, expression), sources, shown: f.textOf(expression) };
}

/** The value of an expression that holds functions: a choice between them runs where the code has it. */
function valueOf(f: Frame, expression: ts.Expression, wanted = "t"): Atom {
  const node = opened(f, expression);
  if (!f.api.isConditionalExpression(node)) return lowerStored(f, node, wanted);
  return f.choose(wanted, f.ctx.typeOf(node), lowerCondition(f, node.condition), () => valueOf(f, node.whenTrue), () => valueOf(f, node.whenFalse));
}

/** Runs the function that is held; any other than those that the program puts there throws. */
export function applyHeld(f: Frame, fn: Fn & { readonly kind: "held" }, at: ts.Node, wanted: string, apply: (fn: Fn, wanted: string) => Atom | null): Atom | null {
  const type = fnResult(f, fn, at);
  const from = ([first, ...others]: readonly Source[], as: string): Atom | null => {
    if (first === undefined) return null;
    const isIt = isThat(f, fn.value, first);
    if (others.length > 0) return either(f, type, isIt, as, () => apply(first.fn, "t"), () => from(others, "t"));
    f.when(isIt, () => undefined, () => throwUnknown(f, fn));
    return apply(first.fn, as);
  };
  return from(fn.sources, wanted);
}

function throwUnknown(f: Frame, { shown, sources }: Fn & { readonly kind: "held" }): void {
  const message = `TSG0022: \`${shown}\` is none of the functions that code of the program puts there (${sources.map((source) => source.shown).join(", ")})`;
  f.b.emit({ kind: "throw", value: externCall(f, "t", { kind: "leaf", text: "Error" }, "new Error", [str(message)]) });
}

/** What is put into a field: a function of a module, or of the library, is told by its name later. */
export function lowerStored(f: Frame, node: ts.Expression, wanted = "t"): Atom {
  const fn = f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0 ? functionOf(f, node) : null;
  if (fn === null) return lowerExpr(f, node, wanted);
  const type = f.ctx.typeOf(node), atom = fn.kind === "program" ? nameOfFunction(f, fn.symbol) : null;
  if (fn.kind === "held") return fn.value;
  if (fn.kind === "builtin") return extern(f, wanted, type, [fn.path], []);
  return atom === null ? f.refuse("TSG1124", node, f.textOf(node)) : { ...atom, type };
}

/** What a field, or a choice between fields, may hold, if all of it is known. */
function heldBy(f: Frame, expression: ts.Expression): readonly Source[] | null {
  const node = opened(f, expression), field = fieldRead(f, node);
  const sources = f.api.isConditionalExpression(node) ? functionsOf(f, node) : field === null ? null : functionsPutInto(f, field, node);
  return sources === null || sources.length === 0 ? null : sources;
}

/** Refuses a call of a function that a field holds: says which of them is not known. */
export function refuseHeld(f: Frame, node: ts.Node, callee: ts.Expression): void {
  const field = fieldRead(f, callee), unknown = field === null ? null : unknownIn(f, field, callee);
  if (unknown !== null) f.refuse("TSG1129", node, f.textOf(callee), f.textOf(unknown));
}

/** The code of such functions; null of the library's. */
export const heldBodies = (f: Frame, callee: ts.Expression): readonly (ts.Node | null)[] | null =>
  heldBy(f, callee)?.map(({ fn }) => (fn.kind === "program" ? f.ctx.bodyOf(fn.symbol) : fn.kind === "closure" ? fn.node : null)) ?? null;

function isThat(f: Frame, value: Atom, { fn, atom, shown }: Source): Atom {
  return fn.kind === "builtin" ? extern(f, "t", BOOL, ["", ` === ${shown}`], [value]) : extern(f, "t", BOOL, ["", " === ", ""], atom === null ? [value] : [value, atom]);
}
