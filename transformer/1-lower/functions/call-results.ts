// Result types of known functions, and choices between their results.

import type ts from "typescript";
import { assignable } from "../../ir/assignable.ts";
import { NUM } from "../../ir/build.ts";
import { sameType } from "../objects/tuples.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { resultType } from "./call-types.ts";
import { type Fn } from "../function-values.ts";
import { UNDEFINED } from "../coerce.ts";
import { type Frame } from "../frame.ts";

/** One of two calls. `wanted`: the name of the result. */
export function either(
  f: Frame,
  { type, wanted }: { readonly type: Type; readonly wanted: string },
  cond: Atom,
  then: () => Atom | null,
  otherwise: () => Atom | null,
): Atom | null {
  if (type.kind === "void") {
    f.when(
      cond,
      () => void then(),
      () => void otherwise(),
    );
    return null;
  }
  return f.choose(
    wanted,
    type,
    cond,
    () => then() ?? UNDEFINED,
    () => otherwise() ?? UNDEFINED,
  );
}

/** The result type of a call of the function. */
export function fnResult(f: Frame, fn: Fn, at: ts.Node): Type {
  const among = choicesOf(fn);
  if (among !== null) return oneType(f, among, at);
  if (fn.kind === "bound") return fnResult(f, fn.fn, at);
  if (fn.kind === "closure") return resultType(f, fn.node, at);
  if (fn.kind === "program") {
    const body = f.ctx.bodyOf(fn.symbol);
    return body === null ? f.refuse("TSG1113", at, fn.symbol.name) : resultType(f, body, at);
  }
  if (fn.kind !== "builtin") return f.refuse("TSG1124", at, f.textOf(at));
  return fn.path.startsWith("Math.") ? NUM : f.refuse("TSG1124", at, fn.path);
}

/** The functions among which it chooses when it is called. */
function choicesOf(fn: Fn): readonly Fn[] | null {
  if (fn.kind === "choice") return [fn.then, fn.otherwise];
  if (fn.kind === "table") return fn.cases.map((each) => each.fn);
  return fn.kind === "held" ? fn.sources.map((each) => each.fn) : null;
}

function oneType(f: Frame, fns: readonly Fn[], at: ts.Node): Type {
  const [first, ...others] = fns.map((fn) => fnResult(f, fn, at));
  if (first !== undefined && others.every((other) => sameType(first, other))) return first;
  // The declared type of all functions of the table.
  const called = first !== undefined && f.api.isCallExpression(at) ? f.ctx.typeOf(at) : null;
  return called !== null &&
    [first, ...others].every(
      (each) => each !== undefined && each.kind !== "void" && assignable(each, called, f.ctx.types),
    )
    ? called
    : f.refuse("TSG1124", at, f.textOf(at));
}
