// Loops. The reverse sweep runs the iterations backwards; each iteration pushes its residuals.
//
// FWD{ s = loop (s0) p }  =  s = loop (s0) FWD{p}      a loop without bounds counts its iterations
// REV{ s = loop (s0) p }  =  loop downwards (s$bar) REV{p}
//                            s0$bar += s$bar ; x$bar += sum over iterations, for each outer x in p

import { type Builder, num, NUM } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import type { Atom, Carried, Expr, For, Stmt, Var, While } from "../../ir/types.ts";
import { stmtBinds } from "../../ir/visit.ts";
import { adjointLet, freshNumber } from "../fragments.ts";
import { choiceOf } from "./argmax-choice.ts";
import { argmaxLoopStep } from "./argmax-replay.ts";
import { shadowBind } from "./branch.ts";
import { Cotangents } from "./cotangents.ts";
import { recomputedIn, recomputableInOrder, usedRecomputations } from "./forward-order-reversal.ts";
import type { Frame } from "./frame.ts";
import { hoistRead } from "./hoisted-recomputation.ts";
import { type CountedBack, noteCounted, restoreCounted } from "./inductions.ts";
import {
  type Counter,
  counter,
  freshIndex,
  rangeOf,
  restoreInductions,
  type Reversed,
} from "./loop-range.ts";
import { FIRST_PASS } from "./residuals.ts";
import { BodySweep, type Reversing, type Step } from "./sweep.ts";

type Loop = For | While;

export function loopStep(stmt: Loop, body: BodySweep): Step {
  const choice = stmt.kind === "for" ? choiceOf(stmt, body) : null;
  return stmt.kind === "for" && choice !== null
    ? argmaxLoopStep(stmt, choice, body)
    : recordedLoopStep(stmt, body);
}

function recordedLoopStep(stmt: Loop, body: BodySweep): Step {
  const { sweep, frame, rank } = body;
  const onwards = stmt.kind === "for" ? recomputableInOrder(stmt, body) : null;
  // the first pass chose records for a loop that is reversed backwards
  const earlier =
    onwards === null ? sweep.earlier : { ...sweep.earlier, chosen: FIRST_PASS.chosen };
  const inner = frame.nested({ storage: "tape", earlier, loop: stmt });
  for (const bind of stmt.binds) frame.define(bind);
  for (const { param } of stmt.carried) inner.define(param);
  if (stmt.kind === "for") inner.define(stmt.index);
  // the body may read values of the test, which differ in each iteration
  else {
    for (const made of stmt.test.stmts)
      for (const bind of stmtBinds(made))
        inner.define(bind, made.kind === "let" ? made.expr : null);
    for (const made of stmt.test.stmts) if (made.kind === "let") hoistRead(made, sweep, inner);
  }
  const shadows = stmt.carried.flatMap(({ param }, i) => {
    const bind = stmt.binds[i];
    if (bind === undefined || !sweep.facts.shadowed(param)) return [];
    const shadow = sweep.shadowVar(param);
    inner.define(shadow);
    return [{ i, param: shadow, bind: shadowBind(bind, body) }];
  });
  const count = stmt.kind === "while" ? counter(body) : null;
  if (stmt.kind === "for") noteCounted(stmt, body);
  const nested = new BodySweep(sweep, stmt.body, inner);
  return {
    forward: () => [...inner.hoisted, forwardLoop(stmt, nested, shadows, count)],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      reverseLoop({ stmt, nested, count, onwards }, { rev, env, rank, body });
    },
  };
}

function forwardLoop(
  stmt: Loop,
  nested: BodySweep,
  shadows: readonly { i: number; param: Var; bind: Var }[],
  count: Counter | null,
): Stmt {
  const { sweep } = nested;
  const carried: Carried[] = [...stmt.carried];
  const binds = [...stmt.binds];
  const results = [...stmt.body.result];
  const extra: Stmt[] = [];
  for (const { i, param, bind } of shadows) {
    carried.push({ param, init: sweep.shadow(stmt.carried[i]?.init ?? num(0)) });
    binds.push(bind);
    results.push(sweep.shadow(stmt.body.result[i] ?? num(0)));
  }
  if (count !== null && count.used) {
    const next = freshNumber(sweep.names, "rounds");
    const grown: Expr = { kind: "op", op: "add", args: [count.param, num(1)] };
    extra.push(adjointLet(next, grown, stmt.origin));
    carried.push({ param: count.param, init: num(0) });
    binds.push(count.bind);
    results.push(next);
  }
  return { ...stmt, carried, binds, body: nested.forwardBody(results, extra) };
}

/** A cotangent that the reverse loop carries. */
interface CarriedBar {
  readonly param: Var;
  readonly init: Atom;
  readonly next: Atom;
  /** The atom that it belongs to before the loop; null for an integer that is counted back. */
  readonly of: Atom | null;
}

interface LoopSweep extends Reversed {
  readonly nested: BodySweep;
}

function reverseLoop(loop: LoopSweep, reversing: Reversing): void {
  const { stmt, nested, onwards } = loop;
  const { rev, env, rank, body } = reversing;
  const inside = rev.nested();
  const local = new Cotangents();
  const seeds = seedsOf(stmt, local, reversing);
  const index = freshIndex(stmt, rev);
  const counts: CountedBack[] = [];
  if (stmt.kind === "for") {
    nested.frame.restoreAs(stmt.index, index);
    restoreCounted(stmt, index, nested, body, counts);
  } else restoreInductions(stmt, index, nested, body);
  const again = (onwards ?? []).map((k) => recomputedIn(stmt, k, nested, rev));
  nested.reverse(inside, local);
  const own = seeds.map(({ name, ...seed }): CarriedBar => ({
    ...seed,
    next: local.take(inside, name) ?? num(0),
  }));
  // a test is not reversed: its active numbers must have no contribution
  if (stmt.kind === "while")
    body.noteLeft(stmt.test.stmts.flatMap(stmtBinds).find((bind) => local.has(bind)));
  const bars = [
    ...own,
    ...outerBars(local, inside, nested.frame, reversing),
    ...counts.map((one): CarriedBar => ({ ...one, of: null })),
  ];
  const results = bars.map(({ next }) => next);
  const repeated = usedRecomputations(again, results, inside, nested, body);
  if (onwards !== null && nested.frame.records.length + counts.length > 0)
    nested.sweep.stuck.add(stmt);
  const all = [...bars, ...repeated];
  const written = nested.reverseBody(
    inside,
    all.map(({ next }) => next),
  );
  if (written.stmts.length === 0 && bars.length === 0) return;
  rev.origin = stmt.origin;
  const binds = all.map(({ param }) => ({ ...param, name: rev.names.fresh(param.name) }));
  const carried = all.map(({ param, init }): Carried => ({ param, init }));
  const range = rangeOf(loop, rev, body);
  rev.emit({ kind: "for", index, ...range, carried, body: written, binds });
  bars.forEach(({ of }, i) => {
    const bind = binds[i];
    if (bind !== undefined && of !== null) env.add(of, rank, () => bind);
  });
}

/** A carried value, and its cotangent after the loop. */
interface Seed extends Omit<CarriedBar, "next"> {
  readonly name: string;
}

/** The cotangents of active carried values after the loop; `local` gets those in an iteration. */
function seedsOf(stmt: Loop, local: Cotangents, { rev, env, body }: Reversing): readonly Seed[] {
  const { facts } = body.sweep;
  return stmt.carried.flatMap(({ param, init }, i) => {
    const bind = stmt.binds[i];
    if (bind === undefined || (!facts.active(param) && !facts.active(bind))) return [];
    const next = stmt.body.result[i] ?? param;
    const carried = freshNumber(rev.names, bar(param.name));
    if (facts.active(next))
      local.add(next, { statement: stmt.body.stmts.length, within: i }, () => carried);
    const seed = env.take(rev, bind.name) ?? num(0);
    return [{ name: param.name, param: carried, init: seed, of: init }];
  });
}

/** What the iterations add to the cotangents of outer names. */
function outerBars(
  local: Cotangents,
  inside: Builder,
  inner: Frame,
  { rev, env }: Reversing,
): readonly CarriedBar[] {
  return local.names().flatMap((name): CarriedBar[] => {
    if (inner.owns(name)) return [];
    const delta = local.take(inside, name);
    if (delta === null) return [];
    const of: Var = { kind: "var", name, type: NUM };
    const param: Var = { ...of, name: rev.names.fresh(bar(name)) };
    return [{ param, init: env.take(rev, name) ?? num(0), next: inside.add(param, delta), of }];
  });
}

/** The sum over the iterations of the cotangent of an outer name. */
interface OuterSum {
  readonly of: Var;
  readonly param: Var;
  readonly next: Atom;
  readonly bind: Var;
}

function outerSums(local: Cotangents, inside: Builder, inner: Frame): readonly OuterSum[] {
  return local.names().flatMap((name): OuterSum[] => {
    if (inner.owns(name)) return [];
    const delta = local.take(inside, name);
    if (delta === null) return [];
    const of: Var = { kind: "var", name, type: NUM };
    const param = freshNumber(inside.names, bar(name));
    const next = inside.add(param, delta);
    return [{ of, param, next, bind: freshNumber(inside.names, bar(name)) }];
  });
}

// FWD;REV{ s = loop (s0) s + p }  =  s, x$bar = loop (s0, 0) FWD{ s + p }; REV{p}
//                                    saves nothing; s$bar is the same in every iteration
export function mergedLoopStep(stmt: Loop, body: BodySweep): Step {
  const { sweep, frame, rank } = body;
  const inner = frame.nested({ storage: "scope" });
  for (const bind of stmt.binds) frame.define(bind);
  for (const { param } of stmt.carried) inner.define(param);
  if (stmt.kind === "for") {
    inner.define(stmt.index);
    noteCounted(stmt, body);
  }
  const nested = new BodySweep(sweep, stmt.body, inner);
  let inside: Builder | null = null;
  let sums: readonly OuterSum[] = [];
  return {
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      inside = rev.nested();
      const local = new Cotangents();
      stmt.carried.forEach(({ init }, i) => {
        const bind = stmt.binds[i];
        const next = stmt.body.result[i];
        const seed =
          bind !== undefined && sweep.facts.active(bind) ? env.take(rev, bind.name) : null;
        if (seed === null || next === undefined) return;
        local.add(next, { statement: stmt.body.stmts.length, within: i }, () => seed);
        env.add(init, rank, () => seed);
      });
      nested.reverse(inside, local);
      sums = outerSums(local, inside, inner);
      for (const { of, bind } of sums) env.add(of, rank, () => bind);
    },
    forward: () => [
      {
        ...stmt,
        carried: [...stmt.carried, ...sums.map(({ param }): Carried => ({ param, init: num(0) }))],
        binds: [...stmt.binds, ...sums.map(({ bind }) => bind)],
        body: nested.forwardBody(
          [...stmt.body.result, ...sums.map(({ next }) => next)],
          inside === null ? [] : inside.stmts,
        ),
      },
    ],
  };
}
