// The index ranges of reversed loops: the same indices, last one first. Input: a loop. Output: the
// range of the loop that reverses it, and values of integers that grow by a constant per iteration.
// Invariant: the first index is an integer; the bound need not be one.

import { type Builder, num, NUM } from "../../ir/build.ts";
import type { Atom, For, Var, While } from "../../ir/types.ts";
import { freshNumber } from "../fragments.ts";
import type { BodySweep } from "./sweep.ts";

/** A while loop's count of its iterations, for the reverse loop. */
export interface Counter {
  readonly param: Var;
  readonly bind: Var;
  /** Whether the reverse loop reads it. */
  used: boolean;
}

export function counter({ sweep, frame }: BodySweep): Counter {
  const made: Counter = {
    param: freshNumber(sweep.names, "rounds"),
    bind: freshNumber(sweep.names, "rounds"),
    used: false,
  };
  frame.define(made.bind);
  return made;
}

/** The index of the reverse loop. */
export function freshIndex(stmt: For | While, rev: Builder): Var {
  const like: Var =
    stmt.kind === "for"
      ? stmt.index
      : (countOf(stmt)?.param ?? { kind: "var", name: "round", type: NUM });
  return { ...like, name: rev.names.fresh(like.name) };
}

/** An integer that grows by a constant needs no record: it is `init + iteration * step`. */
export function restoreInductions(
  stmt: While,
  round: Var,
  nested: BodySweep,
  body: BodySweep,
): void {
  stmt.carried.forEach(({ param, init }, i) => {
    const step = stepOf(stmt, param, stmt.body.result[i]);
    if (step === null || !nested.sweep.facts.isInteger(init)) return;
    nested.frame.restoreLazily(param, (b) => {
      const start = body.value(init);
      const grown = step === 1 ? round : b.mul(round, num(step));
      return start.kind === "const" && start.value === 0 ? grown : b.add(start, grown);
    });
  });
}

/** The constant that an iteration adds to a carried number; null if it does something else. */
function stepOf(stmt: While, param: Var, next: Atom | undefined): number | null {
  const made = stmt.body.stmts.find(
    (inner) => inner.kind === "let" && next?.kind === "var" && inner.bind.name === next.name,
  );
  if (made?.kind !== "let" || made.expr.kind !== "op" || made.expr.op !== "add") return null;
  const [x, z] = made.expr.args;
  const step = x?.kind === "var" && x.name === param.name && z?.kind === "const" ? z.value : null;
  return typeof step === "number" && Number.isInteger(step) ? step : null;
}

type Range = Pick<For, "from" | "test" | "to" | "step">;

export interface Reversed {
  readonly stmt: For | While;
  readonly count: Counter | null;
  /** Carried values to recompute in forward order (forward-order-reversal.ts), or null. */
  readonly onwards: readonly number[] | null;
}

/** The range of the reverse loop. */
export function rangeOf({ stmt, count, onwards }: Reversed, rev: Builder, body: BodySweep): Range {
  if (stmt.kind === "while") return countdown(stmt, count, rev, body);
  if (onwards === null) return backwards(stmt, rev, body);
  const from = body.value(stmt.from);
  return { from, test: stmt.test, to: body.value(stmt.to), step: stmt.step };
}

function countdown(stmt: While, count: Counter | null, rev: Builder, body: BodySweep): Range {
  const own = countOf(stmt)?.bind;
  if (own === undefined && count !== null) count.used = true;
  const total = own ?? count?.bind ?? num(0);
  return { from: rev.sub(body.value(total), num(1)), test: ">=", to: num(0), step: -1 };
}

/** A carried number that counts the iterations: it starts at 0 and grows by 1. */
function countOf(stmt: While): { readonly param: Var; readonly bind: Var } | null {
  for (const [i, { param, init }] of stmt.carried.entries()) {
    const bind = stmt.binds[i];
    if (
      bind !== undefined &&
      init.kind === "const" &&
      init.value === 0 &&
      stepOf(stmt, param, stmt.body.result[i]) === 1
    )
      return { param, bind };
  }
  return null;
}

/** The same indices, last one first. */
function backwards(stmt: For, rev: Builder, body: BodySweep): Range {
  const from = body.value(stmt.from);
  const to = body.value(stmt.to);
  return {
    from: lastIndex(stmt, from, to, rev, body.sweep.facts.isInteger(stmt.to)),
    test: stmt.step > 0 ? ">=" : "<=",
    to: from,
    step: -stmt.step,
  };
}

/** The last index of a loop that runs. `from` is an integer; `to` is one if `isWhole`. */
function lastIndex(stmt: For, from: Atom, to: Atom, rev: Builder, isWhole: boolean): Atom {
  const size = Math.abs(stmt.step);
  const isUp = stmt.step > 0;
  const isStrict = stmt.test === "<" || stmt.test === ">";
  if (size === 1) {
    // i < 2.5 ends at 2, i <= 2.5 at 2; i > 2.5 ends at 3, i >= 2.5 at 3
    const whole = isWhole ? to : rev.op(isUp === isStrict ? "ceil" : "floor", to);
    if (!isStrict) return whole;
    return isUp ? rev.sub(whole, num(1)) : rev.add(whole, num(1));
  }
  const distance = isUp ? rev.sub(to, from) : rev.sub(from, to);
  const steps = rev.div(distance, num(size));
  const count = isStrict ? rev.sub(rev.op("ceil", steps), num(1)) : rev.op("floor", steps);
  const reach = rev.mul(count, num(size));
  return isUp ? rev.add(from, reach) : rev.sub(from, reach);
}
