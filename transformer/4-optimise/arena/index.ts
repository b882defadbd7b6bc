// Puts BOGs of numbers into one array, the arena, instead of an object each. A BOG becomes the
// index at which it begins. The function that creates the arena passes it down.
//   f$revf(x) { b = g$revf(x); return [y, b] }
//     ->   f$revf(x, arena, top) {
//          b = g$revf(x, arena, top); bog = b + 2; arena[bog] = y; arena[bog + 1] = b; return bog }
//   f$revr(bog, …) { … bog[0] … }   ->   f$revr(bog, …, arena) { … arena[bog] … }
// Invariant: a BOG holds only BOGs constructed before it. So what lies above the end of a BOG is
// free once the function that constructed it has returned, and the next top follows from a call's
// result.

import type { Derived } from "../../ir/facts.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { mapVars } from "../../ir/rename.ts";
import { bogsOf } from "./bogs.ts";
import { Layout } from "./layout.ts";
import { rewriteForArena } from "./rewrite-for-arena.ts";
import { dce } from "../dce.ts";

/** `isCalledOutside`: functions that code outside of these calls. */
export function inArena(
  items: readonly Derived[],
  isCalledOutside: (name: string) => boolean,
  types: Types,
): readonly Derived[] {
  const declared = new Map(
    items.flatMap((item): [string, Type][] =>
      item.kind === "type" ? [[item.name, item.type]] : [],
    ),
  );
  if (declared.size === 0) return items;
  const funcs = new Map(
    items.flatMap((item): [string, Func][] =>
      item.kind === "func" ? [[item.func.name, withNamedResult(item.func, declared)]] : [],
    ),
  );
  const bogs = bogsOf(declared, funcs, isCalledOutside);
  if (bogs.size === 0) return items;
  const layout = new Layout(funcs, bogs);
  return items.flatMap((item): readonly Derived[] => {
    if (item.kind === "type") return bogs.has(item.name) ? [] : [item];
    const func = funcs.get(item.func.name);
    return func !== undefined && layout.isTouched(func.name)
      ? [{ ...item, func: dce(rewriteForArena(func, layout), types) }]
      : [item];
  });
}

/** The function with the type name of its BOG on the tuple that it returns. */
function withNamedResult(func: Func, declared: ReadonlyMap<string, Type>): Func {
  const { result } = func;
  const shape = result.kind === "named" ? declared.get(result.name) : undefined;
  if (shape === undefined) return func;
  const key = JSON.stringify(shape);
  return {
    ...func,
    body: mapVars(func.body, (one) =>
      one.type.kind === "tuple" && JSON.stringify(one.type) === key
        ? { ...one, type: result }
        : one,
    ),
  };
}
