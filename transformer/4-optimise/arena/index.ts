// BOGs of numbers lie one behind the other in one array of the derivative that makes them, in place of an object each. In: all that is emitted for a group. Out: the same, where such a
// BOG is the place at which it begins. Invariant: BOGs alone, which nobody but these functions sees; what is above a BOG's end is nobody's once the function that made it has returned,
// since a BOG holds none that is made after it.
//
//   f$revf(x)        { b = g$revf(x); return [y, b] }        ->  f$revf(x, arena, top) { b = g$revf(x, arena, top); bog = b + 2; arena[bog] = y; arena[bog + 1] = b; return bog }
//   f$revr(bog, …)   { … bog[0] … }                          ->  f$revr(bog, …, arena) { … arena[bog] … }
//
// DESIGN: "a stretch of the tape arena for loops, recursion and calls". Its top is what a call gives, and its BOG's length: nothing else has to be kept.

import type { Derived } from "../../ir/facts.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";
import { mapVars } from "../../ir/rename.ts";
import { bogsOf } from "./bogs.ts";
import { Layout } from "./layout.ts";
import { moved } from "./moved.ts";
import { dce } from "../dce.ts";

/** `isAsked`: functions that code outside of these calls. */
export function inArena(
  items: readonly Derived[],
  isAsked: (name: string) => boolean,
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
  const bogs = bogsOf(declared, funcs, isAsked);
  if (bogs.size === 0) return items;
  const layout = new Layout(funcs, bogs);
  return items.flatMap((item): readonly Derived[] => {
    if (item.kind === "type") return bogs.has(item.name) ? [] : [item];
    const func = funcs.get(item.func.name);
    return func !== undefined && layout.isTouched(func.name)
      ? [{ ...item, func: dce(moved(func, layout), types) }]
      : [item];
  });
}

/** A BOG that is made has the fields' types, and goes by its name where it is given back. */
function withNamedResult(func: Func, declared: ReadonlyMap<string, Type>): Func {
  const { result } = func;
  const shape = result.kind === "named" ? declared.get(result.name) : undefined;
  if (shape === undefined) return func;
  const text = JSON.stringify(shape);
  return {
    ...func,
    body: mapVars(func.body, (one) =>
      one.type.kind === "tuple" && JSON.stringify(one.type) === text
        ? { ...one, type: result }
        : one,
    ),
  };
}
