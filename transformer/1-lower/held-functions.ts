// Calls of functions that fields hold: `layer.act(x)`. In: such a call. Out: a choice among all functions that code of the program puts into fields of that name, told by which one it
// is. Invariant: where one of them is not known by a name, the call is refused; any other function throws when it is called.

import type ts from "typescript";
import type { Atom } from "../ir/types.ts";
import { lowerArguments } from "./calls.ts";
import { applyFn } from "./closures.ts";
import { extern, externCall, str } from "./coerce.ts";
import { BOOL } from "../ir/build.ts";
import { lowerExpr } from "./expression.ts";
import type { Fn, Frame } from "./frame.ts";
import { fieldRead, functionsPutInto, nameOfFunction, type Source } from "./function-flow.ts";
import { either, fnResult } from "./known-functions.ts";
import { resolveFn } from "./resolve.ts";

/** Null where the callee is no field that holds functions, or not all of them are known. */
export function callHeld(f: Frame, node: ts.CallExpression, callee: ts.Expression, wanted: string): { readonly value: Atom | null } | null {
  const sources = heldBy(f, callee);
  if (sources === null) return null;
  const value = lowerExpr(f, callee), args = lowerArguments(f, node);
  const fns = sources.map(({ fn }) => fn), type = fnResult(f, tableOf(value, fns), node);
  const from = ([first, ...others]: readonly Source[], as: string): Atom | null => {
    if (first === undefined) return null;
    const isIt = isThat(f, value, first);
    if (others.length > 0) return either(f, type, isIt, as, () => applyFn(f, first.fn, args, node, "t"), () => from(others, "t"));
    f.when(isIt, () => undefined, () => throwUnknown(f, callee, sources));
    return applyFn(f, first.fn, args, node, as);
  };
  return { value: from(sources, wanted) };
}

function throwUnknown(f: Frame, callee: ts.Expression, sources: readonly Source[]): void {
  const message = `TSG0022: \`${f.textOf(callee)}\` is none of the functions that code of the program puts there (${sources.map((source) => source.shown).join(", ")})`;
  f.b.emit({ kind: "throw", value: externCall(f, "t", { kind: "leaf", text: "Error" }, "new Error", [str(message)]) });
}

/** What is put into a field: a function of a module, or of the library, is told by its name later. */
export function lowerStored(f: Frame, node: ts.Expression, wanted = "t"): Atom {
  const fn = f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0 ? resolveFn(f, node) : null;
  if (fn === null) return lowerExpr(f, node, wanted);
  const type = f.ctx.typeOf(node), atom = fn.kind === "program" ? nameOfFunction(f, fn.symbol) : null;
  if (fn.kind === "builtin") return extern(f, wanted, type, [fn.path], []);
  return atom === null ? f.refuse("TSG1124", node, f.textOf(node)) : { ...atom, type };
}

/** What a field that is called may hold, if all of it is known. */
function heldBy(f: Frame, callee: ts.Expression): readonly Source[] | null {
  const field = fieldRead(f, callee), sources = field === null ? null : functionsPutInto(f, field, callee);
  return sources === null || sources.length === 0 ? null : sources;
}

/** The code of such functions; null of the library's. */
export const heldBodies = (f: Frame, callee: ts.Expression): readonly (ts.Node | null)[] | null =>
  heldBy(f, callee)?.map(({ fn }) => (fn.kind === "program" ? f.ctx.bodyOf(fn.symbol) : fn.kind === "closure" ? fn.node : null)) ?? null;

const tableOf = (at: Atom, fns: readonly Fn[]): Fn => ({ kind: "table", at, isList: false, cases: fns.map((fn) => ({ name: "", fn })) });

function isThat(f: Frame, value: Atom, { fn, atom, shown }: Source): Atom {
  return fn.kind === "builtin" ? extern(f, "t", BOOL, ["", ` === ${shown}`], [value]) : extern(f, "t", BOOL, ["", " === ", ""], atom === null ? [value] : [value, atom]);
}
