// Derivatives as functions of a program: which of them can be differentiated in reverse as they
// are, and wrappers for the others. A function with a tape, with accumulation into shadows or of a
// sweep pair is called and never swept.

import type { Derived } from "./facts.ts";
import { hasNumbers, type Types } from "./shadow.ts";
import type { Func, NamedType, Program, Stmt, Var } from "./types.ts";
import { walkStmts } from "./visit.ts";

/** Whether a function has only constructs of user code, so that its reverse can be generated. */
export function isSweepable(func: Func, funcs: Program["funcs"]): boolean {
  if (func.isSweep === true) return false;
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
      return callee?.isSweep === true || callee?.onceOf !== undefined;
    }
    default:
      return false;
  }
}

/** `g(x) = f$grad(x)`. It can be swept, since the call has a reverse of its own. */
export function wrapperOf(func: Func, name: string): Func {
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

/** Name of the function that `calling` makes. */
export const wrapperName = (derivative: string): string => `${derivative}$again`;

/** Names of arguments for a derivative's name; null for all arguments with numbers, in order. */
export function labelsOf(
  params: readonly Var[],
  positions: readonly number[],
  types: Types,
): readonly string[] | null {
  const numeric = params.flatMap((param, i) => (hasNumbers(param.type, types) ? [i] : []));
  const isAll = positions.length === numeric.length && numeric.every((i, k) => positions[k] === i);
  return isAll ? null : positions.map((i) => params[i]?.name ?? String(i));
}

/** The BOG types among the derived items. `textOf`: their names in their files. */
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

/** A function with a derivative rule. */
export type Ruled = Func & { readonly rule: NonNullable<Func["rule"]> };

export const isRuled = (func: Func): func is Ruled => func.rule !== undefined;
