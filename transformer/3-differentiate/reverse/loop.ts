// Loops. The reverse sweep runs the iterations backwards; what each of them saves is pushed once per round.
//
// FWD{ s = loop (s0) p }  =  s = loop (s0) FWD{p}               one frame per iteration; a loop without bounds counts its rounds
// REV{ s = loop (s0) p }  =  loop downwards (s$bar) REV{p}      s0$bar += s$bar ; x$bar += sum of the rounds, for each outer x that p uses

import { Builder, num } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import type { Atom, Carried, For, Stmt, Var, While } from "../../ir/types.ts";
import { stmtBinds } from "../../ir/visit.ts";
import { shadowBind } from "./branch.ts";
import { choiceOf, chosenLoopStep } from "./argmax-replay.ts";
import { Cotangents } from "./cotangents.ts";
import { Frame, NOTHING_EARLIER } from "./frame.ts";
import { type CountedBack, noteCounted, restoreCounted } from "./inductions.ts";
import { readAhead } from "./hoisted-recomputation.ts";
import { againIn, onwardsOf, repeatedOf } from "./forward-order-reversal.ts";
import { BodySweep, type Step } from "./sweep.ts";

type Loop = For | While;

export function loopStep(stmt: Loop, body: BodySweep): Step {
  const choice = stmt.kind === "for" ? choiceOf(stmt, body) : null;
  return stmt.kind === "for" && choice !== null
    ? chosenLoopStep(stmt, choice, body)
    : recordedLoopStep(stmt, body);
}

function recordedLoopStep(stmt: Loop, body: BodySweep): Step {
  const { sweep, frame } = body;
  const onwards = stmt.kind === "for" ? onwardsOf(stmt, body) : null;
  // what was found out for rounds that run backwards
  const earlier =
    onwards === null ? sweep.earlier : { ...sweep.earlier, chosen: NOTHING_EARLIER.chosen };
  const inner = new Frame(
    frame,
    "tape",
    new Builder(frame.prelude.names, sweep.func.origin, true),
    sweep.residuals,
    earlier,
    null,
    stmt,
  );
  for (const bind of stmt.binds) frame.define(bind);
  for (const { param } of stmt.carried) inner.define(param);
  if (stmt.kind === "for") inner.define(stmt.index);
  // the body may read what the test has computed, which differs from round to round
  else {
    for (const made of stmt.test.stmts)
      for (const bind of stmtBinds(made))
        inner.define(bind, made.kind === "let" ? made.expr : null);
    for (const made of stmt.test.stmts) if (made.kind === "let") readAhead(made, sweep, inner);
  }
  const shadows = stmt.carried.flatMap(({ param }, i) => {
    const bind = stmt.binds[i];
    if (bind === undefined || !sweep.facts.shadowed(param)) return [];
    const shadow = sweep.shadowVar(param);
    inner.define(shadow);
    return [{ i, param: shadow, bind: shadowBind(bind, body) }];
  });
  const rounds = stmt.kind === "while" ? counter(body) : null;
  if (stmt.kind === "for") noteCounted(stmt, body);
  const nested = new BodySweep(sweep, stmt.body, inner);
  const rank = body.rank;
  return {
    forward: () => [...inner.ahead, forwardLoop(stmt, nested, shadows, rounds)],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      reverseLoop(stmt, { nested, rounds, onwards, rank }, rev, env, body);
    },
  };
}

interface Counter {
  readonly param: Var;
  readonly bind: Var;
  /** Whether the reverse loop asked for it. */
  used: boolean;
}

function counter(body: BodySweep): Counter {
  const fresh = (): Var => ({
    kind: "var",
    name: body.sweep.names.fresh("rounds"),
    type: num(0).type,
  });
  const made: Counter = { param: fresh(), bind: fresh(), used: false };
  body.frame.define(made.bind);
  return made;
}

function forwardLoop(
  stmt: Loop,
  nested: BodySweep,
  shadows: readonly { i: number; param: Var; bind: Var }[],
  rounds: Counter | null,
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
  if (rounds !== null && rounds.used) {
    const next: Var = { kind: "var", name: sweep.names.fresh("rounds"), type: num(0).type };
    extra.push({
      kind: "let",
      bind: next,
      expr: { kind: "op", op: "add", args: [rounds.param, num(1)] },
      origin: stmt.origin,
      adjoint: true,
    });
    carried.push({ param: rounds.param, init: num(0) });
    binds.push(rounds.bind);
    results.push(next);
  }
  return { ...stmt, carried, binds, body: nested.forwardBody(results, extra) };
}

/** A cotangent that the reverse loop carries: of a value the forward loop carries, or of a name from outside that the body uses. */
interface CarriedBar {
  readonly param: Var;
  readonly init: Atom;
  readonly next: Atom;
  /** The forward atom that the cotangent belongs to before the loop; null for a number that is counted back. */
  readonly of: Atom | null;
}

interface Reversal {
  readonly nested: BodySweep;
  readonly rounds: Counter | null;
  /** See forward-order-reversal.ts. */
  readonly onwards: readonly number[] | null;
  readonly rank: BodySweep["rank"];
}

function reverseLoop(
  stmt: Loop,
  { nested, rounds, onwards, rank }: Reversal,
  rev: Builder,
  env: Cotangents,
  body: BodySweep,
): void {
  const { facts } = nested.sweep;
  const fresh = (name: string): Var => ({
    kind: "var",
    name: rev.names.fresh(bar(name)),
    type: num(0).type,
  });
  const inside = rev.nested();
  const local = new Cotangents();
  const isCarried = stmt.carried.map(
    ({ param }, i) => facts.active(param) || facts.active(stmt.binds[i] ?? param),
  );
  const params = stmt.carried.map(({ param, init }, i) => {
    const bind = stmt.binds[i];
    if (isCarried[i] !== true || bind === undefined) return null;
    const next = stmt.body.result[i] ?? param;
    const carried = fresh(param.name);
    if (facts.active(next))
      local.add(next, { statement: stmt.body.stmts.length, within: i }, () => carried);
    return { carried, seed: env.take(rev, bind.name) ?? num(0), init };
  });
  const index = freshIndex(
    stmt.kind === "for"
      ? stmt.index
      : (roundsOf(stmt)?.param ?? { kind: "var", name: "round", type: num(0).type }),
    rev,
  );
  const counts: CountedBack[] = [];
  if (stmt.kind === "for") {
    nested.frame.restoreAs(stmt.index, index);
    restoreCounted(stmt, index, nested, body, counts);
  } else restoreInductions(stmt, index, nested, body);
  const again = (onwards ?? []).map((k) => againIn(stmt, k, nested, rev));
  nested.reverse(inside, local);
  const own = stmt.carried.flatMap(({ param }, i): CarriedBar[] => {
    const made = params[i];
    return made === null || made === undefined
      ? []
      : [
          {
            param: made.carried,
            init: made.seed,
            next: local.take(inside, param.name) ?? num(0),
            of: made.init,
          },
        ];
  });
  // a test is not reversed: what a round computes of active numbers it computes itself
  if (stmt.kind === "while")
    body.noteLeft(stmt.test.stmts.flatMap(stmtBinds).find((bind) => local.has(bind)));
  const bars = [
    ...own,
    ...outsideBars(local, inside, nested.frame, rev, env),
    ...counts.map((one): CarriedBar => ({ ...one, of: null })),
  ];
  const repeated = repeatedOf(
    again,
    bars.map(({ next }) => next),
    inside,
    nested,
    body,
  );
  if (onwards !== null && nested.frame.records.length + counts.length > 0)
    nested.sweep.stuck.add(stmt);
  const written = nested.reverseBody(
    inside,
    [...bars, ...repeated].map(({ next }) => next),
  );
  if (written.stmts.length === 0 && bars.length === 0) return;
  rev.origin = stmt.origin;
  const binds = [...bars, ...repeated].map(({ param }) => ({
    ...param,
    name: rev.names.fresh(param.name),
  }));
  const carried = [...bars, ...repeated].map(({ param, init }): Carried => ({ param, init }));
  const range =
    stmt.kind === "while"
      ? countdown(stmt, rounds, rev, body)
      : onwards === null
        ? backwards(stmt, rev, body)
        : {
            from: body.value(stmt.from),
            test: stmt.test,
            to: body.value(stmt.to),
            step: stmt.step,
          };
  rev.emit({ kind: "for", index, ...range, carried, body: written, binds });
  bars.forEach(({ of }, i) => {
    const bind = binds[i];
    if (bind !== undefined && of !== null) env.add(of, rank, () => bind);
  });
}

/** What the rounds add to the cotangents of names from outside. */
function outsideBars(
  local: Cotangents,
  inside: Builder,
  inner: Frame,
  rev: Builder,
  env: Cotangents,
): readonly CarriedBar[] {
  return local.names().flatMap((name): CarriedBar[] => {
    if (inner.owns(name)) return [];
    const delta = local.take(inside, name);
    if (delta === null) return [];
    const of: Var = { kind: "var", name, type: num(0).type };
    const param: Var = { ...of, name: rev.names.fresh(bar(name)) };
    return [{ param, init: env.take(rev, name) ?? num(0), next: inside.add(param, delta), of }];
  });
}

/** Sum over the rounds of the cotangent of a name from outside. */
interface OuterSum {
  readonly of: Var;
  readonly param: Var;
  readonly next: Atom;
  readonly bind: Var;
}

function outerSums(local: Cotangents, inside: Builder, inner: Frame): readonly OuterSum[] {
  const fresh = (name: string): Var => ({
    kind: "var",
    name: inside.names.fresh(bar(name)),
    type: num(0).type,
  });
  return local.names().flatMap((name): OuterSum[] => {
    if (inner.owns(name)) return [];
    const delta = local.take(inside, name);
    if (delta === null) return [];
    const param = fresh(name);
    return [
      {
        of: { kind: "var", name, type: num(0).type },
        param,
        next: inside.add(param, delta),
        bind: fresh(name),
      },
    ];
  });
}

// FWD;REV{ s = loop (s0) s + p }  =  s, x$bar = loop (s0, 0) FWD{ s + p }; REV{p}      saves nothing; s$bar is the same in every round
export function mergedLoopStep(stmt: Loop, body: BodySweep): Step {
  const { sweep, frame } = body;
  const inner = new Frame(
    frame,
    "scope",
    new Builder(frame.prelude.names, sweep.func.origin, true),
    sweep.residuals,
    sweep.earlier,
  );
  for (const bind of stmt.binds) frame.define(bind);
  for (const { param } of stmt.carried) inner.define(param);
  if (stmt.kind === "for") {
    inner.define(stmt.index);
    noteCounted(stmt, body);
  }
  const nested = new BodySweep(sweep, stmt.body, inner);
  const rank = body.rank;
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

function freshIndex(like: Var, rev: Builder): Var {
  return { ...like, name: rev.names.fresh(like.name) };
}

/** A whole number that grows by a constant each round needs no record: `i = init + round * step`. */
function restoreInductions(stmt: While, round: Var, nested: BodySweep, body: BodySweep): void {
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

/** The constant that a round adds to a carried number; null where it does something else. */
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

function countdown(stmt: While, rounds: Counter | null, rev: Builder, body: BodySweep): Range {
  const counted = roundsOf(stmt)?.bind;
  if (counted === undefined && rounds !== null) rounds.used = true;
  const count = counted ?? rounds?.bind ?? num(0);
  return { from: rev.sub(body.value(count), num(1)), test: ">=", to: num(0), step: -1 };
}

/** A carried number that counts the rounds itself: it starts at 0 and grows by 1. */
function roundsOf(stmt: While): { readonly param: Var; readonly bind: Var } | null {
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

/** The last index that a counted loop reaches, if it runs at all. `from` is whole; `to` need not be. */
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
