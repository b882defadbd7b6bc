// Loops whose reverse may run in the same order as they do. If iterations only add to sums, the
// order does not matter to the cotangents. Then inactive carried numbers are recomputed beside the
// reverse, as they come about, instead of being recorded. Input: a counted loop. Output: the values
// to recompute, or null. Invariant: such a loop has no tape. A loop that turns out to need one is
// named in `Sweep.stuck`, and the sweep is written again without it.
//
// FWD{ s, p = loop (s0, p0) s + x * p, p * t }  =  s, p = loop (s0, p0) s + x * p, p * t
// REV{ s, p = loop (s0, p0) s + x * p, p * t }  =  loop (p' = p0) REV{ s + x * p' } , p' * t
//                                                  in forward order; saves nothing

import type { Builder } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import { invariant } from "../../ir/invariant.ts";
import type { Atom, For, Let, Stmt, Var, While } from "../../ir/types.ts";
import { freeVars, stmtBinds } from "../../ir/visit.ts";
import { onlySums } from "./immediate-reversal.ts";
import { MOST_SHOWN } from "./residuals.ts";
import type { BodySweep } from "./sweep.ts";

/** Positions of carried values to recompute; null for a loop to be reversed backwards. */
export function recomputableInOrder(stmt: For, { sweep }: BodySweep): readonly number[] | null {
  const {
    facts,
    earlier: { demanded, barred },
  } = sweep;
  if (barred.has(stmt) || facts.storesOutside(stmt) || !stmt.body.stmts.every(isPlain)) return null;
  const own = [...stmt.carried.map(({ param }) => param), ...stmt.body.stmts.flatMap(stmtBinds)];
  // the gain is what an earlier pass has recorded
  if (
    !own.some(({ name }) => demanded.has(name)) ||
    stmt.carried.some(({ param }) => facts.shadowed(param))
  )
    return null;
  const again: number[] = [];
  for (const [k, { param }] of stmt.carried.entries()) {
    const [next, bind] = [stmt.body.result[k], stmt.binds[k]];
    if (next === undefined || bind === undefined) return null;
    if (facts.active(param) || facts.active(bind)) {
      if (!onlySums(stmt.body, param, next)) return null;
    } else if (param.type.kind === "num") again.push(k);
  }
  return again.length === 0 ? null : again;
}

/** Computations and reads: statements without effects and inner loops. */
function isPlain(stmt: Stmt): stmt is Let {
  if (stmt.kind !== "let") return false;
  switch (stmt.expr.kind) {
    case "op":
    case "copy":
    case "load":
    case "length":
    case "present":
    case "unwrap":
      return true;
    default:
      return false;
  }
}

/** A carried value that the reverse loop carries as well. */
export interface Again {
  readonly param: Var;
  readonly init: Atom;
  readonly next: Atom;
}

export function recomputedIn(stmt: For | While, k: number, nested: BodySweep, rev: Builder): Again {
  const one = stmt.carried[k];
  const next = stmt.body.result[k];
  invariant(one !== undefined && next !== undefined, "a loop carries what it is said to carry");
  const param: Var = { ...one.param, name: rev.names.fresh(one.param.name) };
  nested.frame.restoreAs(one.param, param);
  return { param, init: one.init, next };
}

/** The recomputed values that the reverse code reads, directly or for another one. */
export function usedRecomputations(
  again: readonly Again[],
  results: readonly Atom[],
  inside: Builder,
  nested: BodySweep,
  body: BodySweep,
): readonly Again[] {
  const repeated: Again[] = [];
  for (;;) {
    const read = freeVars({
      stmts: [...nested.frame.prelude.stmts, ...inside.stmts],
      result: [...results, ...repeated.map(({ next }) => next)],
    });
    const more = again.filter(
      ({ param }) => read.has(param.name) && !repeated.some((one) => one.param.name === param.name),
    );
    if (more.length === 0) return repeated;
    for (const { param, init, next } of more) {
      const before = nested.frame.prelude.stmts.length;
      repeated.push({ param, init: body.value(init), next: nested.value(next) });
      const price = nested.frame.prelude.stmts
        .slice(before)
        .reduce(
          (sum, stmt) =>
            sum + (stmt.kind === "let" && stmt.expr.kind === "op" ? OPS[stmt.expr.op].cost : 0),
          0,
        );
      nested.sweep.residuals.push({
        value: param,
        storage: "again",
        reason: "computed again, iteration by iteration",
        again: Math.min(MOST_SHOWN, price),
      });
    }
  }
}
