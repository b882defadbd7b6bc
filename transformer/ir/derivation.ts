// Derivatives as functions of a program. In: functions. Out: whether one can be swept in reverse as it stands, and what stands for one that cannot.
// Invariant: what has a tape, adds into shadows or is half of a pair is called, never swept.

import type { Derived } from "./facts.ts";
import { hasNumbers, type Types } from "./shadow.ts";
import type { Func, NamedType, Program, Stmt, Var } from "./types.ts";
import { walkStmts } from "./visit.ts";

/** Whether a function has nothing but what user code has, so that its reverse can be written like that of user code. */
export function isSweepable(func: Func, funcs: Program["funcs"]): boolean {
  if (func.half === true) return false;
  let found = true;
  walkStmts(func.body, (stmt) => {
    if (isReverseOnly(stmt, funcs)) found = false;
  });
  return found;
}

function isReverseOnly(stmt: Stmt, funcs: Program["funcs"]): boolean {
  if (stmt.kind === "push" || stmt.kind === "reserve" || stmt.kind === "accum") return true;
  if (stmt.kind !== "let") return false;
  switch (stmt.expr.kind) {
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      return true;
    case "call": {
      const callee = funcs.get(stmt.expr.callee);
      return callee?.half === true || callee?.onceOf !== undefined;
    }
    default:
      return false;
  }
}

/** `g(x)  =  f$grad(x)`, which can be swept: the call has a reverse of its own. */
export function calling(func: Func, name: string): Func {
  const bind: Var = { kind: "var", name: "value", type: func.result };
  const call: Stmt = {
    kind: "let",
    bind,
    expr: { kind: "call", callee: func.name, args: func.params },
    origin: func.origin,
  };
  const { derivation: _, ...rest } = func;
  return { ...rest, name, body: { stmts: [call], result: [bind] } };
}

/** Name of that function. */
export const callerName = (derivative: string): string => `${derivative}$again`;

/** Names of the arguments at these positions, as a derivative's name has them; null where they are all that hold numbers, in order. */
export function labelsOf(
  params: readonly Var[],
  positions: readonly number[],
  types: Types,
): readonly string[] | null {
  const numeric = params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
  const isAll = positions.length === numeric.length && numeric.every((i, k) => positions[k] === i);
  return isAll ? null : positions.map((i) => params[i]?.name ?? String(i));
}

/** The types among what is derived, which are those of BOGs. `textOf`: what they are called in their files. */
export const bogTypes = (
  items: readonly Derived[],
  homes: Program["homes"],
  textOf: (name: string) => string = (name) => name,
): readonly (readonly [string, NamedType])[] =>
  items.flatMap((item) =>
    item.kind === "type"
      ? [
          [
            item.name,
            {
              type: item.type,
              text: textOf(item.name),
              scope: [homes.get(item.home)?.file ?? ""],
              constant: true,
            },
          ],
        ]
      : [],
  );

/** A function that says how it is differentiated. */
export type Ruled = Func & { readonly rule: NonNullable<Func["rule"]> };

export const isRuled = (func: Func): func is Ruled => func.rule !== undefined;
