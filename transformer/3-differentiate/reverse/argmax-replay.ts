// Loops that choose one number of many: a running maximum or minimum, a value that a branch takes over. The cotangent of what was chosen goes to the round that it comes
// from, so that round is remembered and run again; nothing is recorded. In: a counted loop of which only one number is active from round to round.
//
// FWD{ m = loop (m0) max(m, v) }  =  m, last, first = loop (m0, none, none) …      the last round that won or tied, the last one that won
// REV{ m = loop (m0) max(m, v) }  =  loop from last down to first: FWD{v} ; if v = m then REV{v}      a round that wins takes m$bar, one that ties half of it
// REV{ m = loop (m0) c ? v : m }  =  if last is a round: FWD{v} ; REV{v}
//
// Invariant: running a round's value again does nothing else, and gives what it gave. See Note [Rounds that win].

import { Builder, num } from "../../ir/build.ts";
import { isCall } from "../../ir/calls.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { bar } from "../../ir/names.ts";
import { OPS } from "../../ir/ops.ts";
import type { Atom, Body, Carried, For, If, Let, Stmt, Var } from "../../ir/types.ts";
import { renameVars, substitute } from "../../ir/rename.ts";
import { definedVars, freeVars, stmtBinds, stmtFreeVars, walkStmts } from "../../ir/visit.ts";
import { Cotangents } from "./cotangents.ts";
import { Frame, MOST_SHOWN } from "./frame.ts";
import { BodySweep, type Step } from "./sweep.ts";

/** How a round's value `v` may become what is carried on. */
interface Choice {
  /** Which carried value. */
  readonly at: number;
  readonly v: Var;
  /** `max` or `min`; or the branch or selection that takes `v` over where its condition is `when`. */
  readonly by:
    | { readonly kind: "extremum"; readonly op: "max" | "min" }
    | { readonly kind: "taken"; readonly cond: Atom; readonly when: boolean };
  /** What computes `v`, in order. */
  readonly slice: readonly Stmt[];
}

// what can be done so ----------------------------------------------------------------------------------------------

export function choiceOf(stmt: For, body: BodySweep): Choice | null {
  const { facts } = body.sweep;
  const isActive = stmt.carried.map(
    ({ param }, i) =>
      facts.active(param) || facts.shadowed(param) || facts.active(stmt.binds[i] ?? param),
  );
  const at = isActive.indexOf(true);
  const m = stmt.carried[at]?.param;
  const next = stmt.body.result[at];
  if (
    m === undefined ||
    next?.kind !== "var" ||
    isActive.lastIndexOf(true) !== at ||
    facts.shadowed(m) ||
    m.type.kind !== "num"
  )
    return null;
  if (facts.storesOutside(stmt) || actsOnActive(stmt.body, facts)) return null;
  const made = stmt.body.stmts.find((inner) =>
    stmtBinds(inner).some(({ name }) => name === next.name),
  );
  const chosen = made === undefined ? null : choiceBy(made, m, next);
  if (made === undefined || chosen === null || !facts.active(chosen.v)) return null;
  const slice = sliceOf(
    [...stmt.body.stmts.slice(0, stmt.body.stmts.indexOf(made)), ...chosen.inside],
    chosen.v,
    facts,
  );
  const carried = new Set(stmt.carried.map(({ param }) => param.name));
  // inner loops may record, and what a pullback reads must stay as the forward sweep has left it
  if (slice === null || (body.sweep.isSplit && slice.some((inner) => inner.kind !== "let")))
    return null;
  return [...freeVars({ stmts: slice, result: [chosen.v] }).keys()].some((name) =>
    carried.has(name),
  )
    ? null
    : { at, v: chosen.v, by: chosen.by, slice };
}

type Found = Pick<Choice, "v" | "by"> & { readonly inside: readonly Stmt[] };

function choiceBy(made: Stmt, m: Var, next: Var): Found | null {
  const other = (
    x: Atom | undefined,
    z: Atom | undefined,
  ): { readonly v: Var; readonly isFirst: boolean } | null => {
    if (x?.kind === "var" && z?.kind === "var" && (x.name === m.name) !== (z.name === m.name))
      return x.name === m.name ? { v: z, isFirst: false } : { v: x, isFirst: true };
    return null;
  };
  if (made.kind === "let" && made.expr.kind === "op") {
    const { op, args } = made.expr;
    const isExtremum = (op === "max" || op === "min") && args.length === 2;
    const pair = isExtremum
      ? other(args[0], args[1])
      : op === "select"
        ? other(args[1], args[2])
        : null;
    if (pair === null) return null;
    if (isExtremum) return { v: pair.v, by: { kind: "extremum", op }, inside: [] };
    return { v: pair.v, by: { kind: "taken", cond: args[0] ?? m, when: pair.isFirst }, inside: [] };
  }
  if (made.kind !== "if") return null;
  const k = made.binds.findIndex(({ name }) => name === next.name);
  const pair = other(made.then.result[k], made.else.result[k]);
  return pair === null
    ? null
    : {
        v: pair.v,
        by: { kind: "taken", cond: made.cond, when: pair.isFirst },
        inside: pair.isFirst ? made.then.stmts : made.else.stmts,
      };
}

/** Whether a body does anything to active memory, or calls what has a reverse of its own. */
function actsOnActive(body: Body, facts: FunctionFacts): boolean {
  let acts = false;
  walkStmts(body, (stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill")
      acts ||= facts.shadowed(stmt.object);
    if (stmt.kind === "let" && stmt.expr.kind === "removeLast")
      acts ||= facts.shadowed(stmt.expr.object);
    if (isCall(stmt)) acts ||= facts.callActive(stmt.bind.name) !== null;
  });
  return acts;
}

/** The statements that `v` is computed by; null where one of them must not run again. */
function sliceOf(stmts: readonly Stmt[], v: Var, facts: FunctionFacts): readonly Stmt[] | null {
  const needed = new Set([v.name]);
  const slice: Stmt[] = [];
  for (const stmt of [...stmts].reverse()) {
    if (!stmtBinds(stmt).some(({ name }) => needed.has(name))) continue;
    if (!runsAgain(stmt, facts)) return null;
    slice.unshift(stmt);
    for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
  }
  return slice;
}

function runsAgain(stmt: Stmt, facts: FunctionFacts): boolean {
  let again = true;
  walkStmts({ stmts: [stmt], result: [] }, (inner) => {
    again &&=
      inner.kind === "let"
        ? letRunsAgain(inner, facts)
        : inner.kind === "if" || inner.kind === "for" || inner.kind === "while";
  });
  return again;
}

function letRunsAgain({ bind, expr }: Let, facts: FunctionFacts): boolean {
  switch (expr.kind) {
    case "op":
    case "copy":
    case "present":
    case "unwrap":
      return true;
    case "load":
    case "length":
      return facts.rereadable(bind.name);
    case "extern":
      return expr.effect === "pure";
    default:
      return false;
  }
}

// the sweeps -------------------------------------------------------------------------------------------------------

/** What the forward loop remembers: the params in its rounds, the binds behind it. "first" only where rounds may tie. */
interface Memory {
  readonly last: { readonly param: Var; readonly bind: Var };
  readonly first: { readonly param: Var; readonly bind: Var };
}

export function chosenLoopStep(stmt: For, choice: Choice, body: BodySweep): Step {
  const { sweep, frame } = body;
  for (const bind of stmt.binds) frame.define(bind);
  const named = (name: string): Var => ({
    kind: "var",
    name: sweep.names.fresh(name),
    type: num(0).type,
  });
  const pair = (name: string): Memory["last"] => ({ param: named(name), bind: named(name) });
  const memory: Memory = { last: pair("last"), first: pair("first") };
  frame.define(memory.last.bind);
  frame.define(memory.first.bind);
  // a pullback's names are not those of the forward sweep: there each value gets one of its own
  const inner = new Frame(
    frame,
    sweep.isSplit ? "tape" : "scope",
    new Builder(frame.prelude.names, sweep.func.origin, true),
    sweep.residuals,
    sweep.earlier,
  );
  const nested = new BodySweep(sweep, { stmts: choice.slice, result: [choice.v] }, inner);
  const rank = body.rank;
  let used = false;
  return {
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const bind = stmt.binds[choice.at];
      const seed = bind === undefined ? null : env.take(rev, bind.name);
      const init = stmt.carried[choice.at]?.init;
      if (seed === null || bind === undefined || init === undefined) return;
      used = true;
      sweep.residuals.push({
        value: choice.v,
        storage: "again",
        reason: "run again in the round that it was chosen in",
        again: priceOf(choice.slice),
      });
      const round = new Round(stmt, choice, memory, bind, body, rev);
      for (const { of, bind: sum } of round.reverse(nested, seed, env))
        env.add(of ?? init, rank, () => sum);
    },
    forward: () => (used ? remembering(stmt, choice, memory, sweep.names) : [stmt]),
  };
}

/** The loop that keeps in mind where its result comes from. */
function remembering(
  stmt: For,
  { at, v, by }: Choice,
  { last, first }: Memory,
  names: Builder["names"],
): readonly Stmt[] {
  const before = new Builder(names, stmt.origin, true);
  const none =
    stmt.from.kind === "const" && typeof stmt.from.value === "number"
      ? num(stmt.from.value - stmt.step)
      : before.sub(stmt.from, num(stmt.step));
  const b = new Builder(names, stmt.origin, true);
  const named = (name: string): Var => ({
    kind: "var",
    name: names.fresh(name),
    type: num(0).type,
  });
  if (by.kind === "taken") {
    const next = named("last");
    const [then, other] = by.when ? [stmt.index, last.param] : [last.param, stmt.index];
    // where the branch itself says so, it remembers, too
    const stmts = stmt.body.stmts.map((inner) =>
      inner.kind === "if" && inner.binds.some((bind) => bind.name === nameOf(stmt.body.result[at]))
        ? ({
            ...inner,
            then: { ...inner.then, result: [...inner.then.result, then] },
            else: { ...inner.else, result: [...inner.else.result, other] },
            binds: [...inner.binds, next],
          } satisfies If)
        : inner,
    );
    const isBranch = stmts.some((inner, k) => inner !== stmt.body.stmts[k]);
    const result = isBranch ? next : b.select(by.cond, then, other);
    return [
      ...before.stmts,
      {
        ...stmt,
        carried: [...stmt.carried, { param: last.param, init: none }],
        binds: [...stmt.binds, last.bind],
        body: { stmts: [...stmts, ...b.stmts], result: [...stmt.body.result, result] },
      },
    ];
  }
  const m = stmt.carried[at]?.param ?? v;
  const loses = b.op(by.op === "max" ? "lt" : "gt", v, m);
  const [nextLast, nextFirst] = [named("last"), named("first")];
  const wins = b.nested();
  const tied = wins.select(wins.op("eq", v, m), first.param, stmt.index);
  b.emit({
    kind: "if",
    cond: loses,
    then: { stmts: [], result: [last.param, first.param] },
    else: { stmts: wins.stmts, result: [stmt.index, tied] },
    binds: [nextLast, nextFirst],
  });
  return [
    ...before.stmts,
    {
      ...stmt,
      carried: [
        ...stmt.carried,
        { param: last.param, init: none },
        { param: first.param, init: none },
      ],
      binds: [...stmt.binds, last.bind, first.bind],
      body: {
        stmts: [...stmt.body.stmts, ...b.stmts],
        result: [...stmt.body.result, nextLast, nextFirst],
      },
    },
  ];
}

/** In additions; of inner rounds there may be any number. */
function priceOf(slice: readonly Stmt[]): number {
  const prices = slice.map((stmt) =>
    stmt.kind !== "let" ? MOST_SHOWN : stmt.expr.kind === "op" ? OPS[stmt.expr.op].cost : 0,
  );
  return Math.min(
    MOST_SHOWN,
    prices.reduce((sum, price) => sum + price, 0),
  );
}

/** Computed where it may not be needed rather than behind a branch. */
const isCheap = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  !(stmt.expr.kind === "op" && OPS[stmt.expr.op].expensive) &&
  stmt.expr.kind !== "extern";

const nameOf = (atom: Atom | undefined): string | null => (atom?.kind === "var" ? atom.name : null);

/** The cotangent of a name from outside, or (null) of what the loop starts with. */
interface Sum {
  readonly of: Var | null;
  readonly bind: Var;
}

/** A name from outside: what its cotangent is before, and what a round adds. */
interface Share {
  readonly of: Var;
  readonly init: Atom;
  readonly delta: Atom;
}

/** Writes the round that was chosen, or the loop over those that won or tied. */
class Round {
  readonly #stmt: For;
  readonly #choice: Choice;
  readonly #body: BodySweep;
  readonly #rev: Builder;
  readonly #chosen: Atom;
  readonly #last: Atom;
  /** Where rounds may tie: the loop's index, and the round to stop at. */
  readonly #range: { readonly index: Var; readonly first: Atom } | null;
  /** The round at hand. */
  readonly #index: Atom;

  constructor(stmt: For, choice: Choice, memory: Memory, bind: Var, body: BodySweep, rev: Builder) {
    this.#stmt = stmt;
    this.#choice = choice;
    this.#body = body;
    this.#rev = rev;
    const isTied = choice.by.kind === "extremum";
    this.#chosen = isTied ? body.value(bind) : bind;
    this.#last = body.value(memory.last.bind);
    this.#range = isTied
      ? {
          index: { ...stmt.index, name: rev.names.fresh(stmt.index.name) },
          first: body.value(memory.first.bind),
        }
      : null;
    this.#index = this.#range?.index ?? this.#last;
  }

  reverse(nested: BodySweep, seed: Atom, env: Cotangents): readonly Sum[] {
    return this.#range === null
      ? this.#once(nested, seed, env)
      : this.#downTo(this.#range.first, this.#range.index, nested, seed, env);
  }

  /** The last round takes all, if there is one. */
  #once(nested: BodySweep, seed: Atom, env: Cotangents): readonly Sum[] {
    const rev = this.#rev;
    const arm = rev.nested();
    const cond = rev.op(
      this.#stmt.step > 0 ? "ge" : "le",
      this.#last,
      this.#body.value(this.#stmt.from),
    );
    const shares = this.#swept(nested, seed, arm, env);
    const added = shares.map(({ init, delta }) => arm.add(init, delta));
    const binds = this.#binds(shares);
    rev.emit({
      kind: "if",
      cond,
      then: { stmts: arm.stmts, result: [num(0), ...added] },
      else: { stmts: [], result: [seed, ...shares.map(({ init }) => init)] },
      binds,
    });
    return sumsOf(binds, shares);
  }

  #downTo(first: Atom, index: Var, nested: BodySweep, seed: Atom, env: Cotangents): readonly Sum[] {
    const rev = this.#rev;
    const inside = rev.nested();
    const arm = inside.nested();
    const carried = this.#cotangent();
    const isFirst = inside.op("eq", index, first);
    const cond = this.#wins(inside, isFirst);
    const share = inside.select(isFirst, carried, inside.mul(num(0.5), carried));
    const shares = this.#swept(nested, share, arm, env);
    const sums = shares.map(({ of, init, delta }) => ({
      param: this.#named(bar(of.name)),
      init,
      delta,
    }));
    const added = sums.map(({ param, delta }) => arm.add(param, delta));
    const joined = sums.map(({ param }) => this.#named(param.name));
    inside.emit({
      kind: "if",
      cond,
      then: { stmts: arm.stmts, result: added },
      else: { stmts: [], result: sums.map(({ param }) => param) },
      binds: joined,
    });
    const rest = inside.select(isFirst, num(0), inside.select(cond, share, carried));
    const binds = this.#binds(shares);
    const isUp = this.#stmt.step > 0;
    rev.emit({
      kind: "for",
      index,
      from: this.#last,
      test: isUp ? ">=" : "<=",
      to: rev.op(isUp ? "max" : "min", first, this.#body.value(this.#stmt.from)),
      step: -this.#stmt.step,
      carried: [
        { param: carried, init: seed },
        ...sums.map(({ param, init }): Carried => ({ param, init })),
      ],
      body: { stmts: inside.stmts, result: [rest, ...joined] },
      binds,
    });
    return sumsOf(binds, shares);
  }

  /** What is left over for the loop's start, and the cotangents of names from outside. */
  #binds(shares: readonly Share[]): readonly [Var, ...Var[]] {
    return [this.#cotangent(), ...shares.map(({ of }) => this.#named(bar(of.name)))];
  }

  #cotangent(): Var {
    return this.#named(bar(this.#stmt.carried[this.#choice.at]?.param.name ?? this.#choice.v.name));
  }

  #named(name: string): Var {
    return { kind: "var", name: this.#rev.names.fresh(name), type: num(0).type };
  }

  /** Whether the round won or tied. A maximum that is no number is nobody's. */
  #wins(inside: Builder, isFirst: Atom): Atom {
    const again = this.#here({ stmts: this.#choice.slice, result: [this.#choice.v] });
    const other = inside.nested();
    other.stmts.push(...again.stmts.map((stmt): Stmt => ({ ...stmt, adjoint: true })));
    const tied = other.op("eq", again.result[0] ?? num(0), this.#chosen);
    if (again.stmts.every(isCheap)) {
      inside.stmts.push(...other.stmts);
      return tied;
    }
    const won = inside.nested();
    const isNumber = won.op("eq", this.#chosen, this.#chosen);
    const bind: Var = { kind: "var", name: inside.names.fresh("t"), type: tied.type };
    inside.emit({
      kind: "if",
      cond: isFirst,
      then: { stmts: won.stmts, result: [isNumber] },
      else: { stmts: other.stmts, result: [tied] },
      binds: [bind],
    });
    return bind;
  }

  /** The value again, and its reverse. */
  #swept(nested: BodySweep, share: Atom, arm: Builder, env: Cotangents): readonly Share[] {
    const rev = arm.nested();
    const local = new Cotangents();
    local.add(this.#choice.v, { statement: this.#choice.slice.length, within: 0 }, () => share);
    const { isSplit } = this.#body.sweep;
    const again = isSplit ? this.#restored(nested) : [];
    nested.reverse(rev, local);
    const outer = local.names().flatMap((name) => {
      const delta = nested.frame.owns(name) ? null : local.take(rev, name);
      return delta === null
        ? []
        : [{ of: { kind: "var", name, type: num(0).type } satisfies Var, delta }];
    });
    const deltas = outer.map(({ delta }) => delta);
    const { stmts, result } = isSplit
      ? { stmts: [...again, ...nested.frame.prelude.stmts, ...rev.stmts], result: deltas }
      : this.#here({ stmts: [...nested.forwardBody([]).stmts, ...rev.stmts], result: deltas });
    arm.stmts.push(...stmts);
    return outer.map(({ of }, i) => ({
      of,
      init: env.take(this.#rev, of.name) ?? num(0),
      delta: result[i] ?? num(0),
    }));
  }

  /** The values again, under names that the reverse code is told of. */
  #restored(nested: BodySweep): readonly Stmt[] {
    const forward = nested.forwardBody([]);
    const names = this.#fresh(forward);
    nested.frame.define(this.#stmt.index);
    nested.frame.restoreAs(this.#stmt.index, this.#index);
    for (const bind of definedVars(forward))
      nested.frame.restoreAs(bind, { ...bind, name: names.get(bind.name) ?? bind.name });
    return this.#here(forward, names).stmts;
  }

  #fresh(code: Body): ReadonlyMap<string, string> {
    return new Map(definedVars(code).map(({ name }) => [name, this.#rev.names.fresh(name)]));
  }

  /** Forward code as it runs in the reverse sweep: names of its own, values from outside as they are to be had there. What is meant by a name differs between the two. */
  #here(code: Body, names = this.#fresh(code)): Body {
    const free = [...freeVars(code).values()];
    const outside = free.map((one): Atom =>
      one.name === this.#stmt.index.name ? this.#index : this.#body.value(one),
    );
    const held = substitute(
      code,
      new Map(free.map((one, k): [string, Atom] => [one.name, { ...one, name: `?${k}` }])),
    );
    return substitute(renameVars(held, names), new Map(outside.map((atom, k) => [`?${k}`, atom])));
  }
}

const sumsOf = (
  [left, ...binds]: readonly [Var, ...Var[]],
  shares: readonly Share[],
): readonly Sum[] => [
  { of: null, bind: left },
  ...binds.map((bind, i): Sum => ({ of: shares[i]?.of ?? null, bind })),
];

// Note [Rounds that win]
// Round by round, as the rule of `max` says it: a round whose value is larger takes all of m$bar, one that ties half of it, and leaves the rest to those before it. What
// comes before a round that took all gets nothing, so it need not be visited; behind the last round that won, m does not change any more, so whether a round there tied
// is seen by comparing its value with the result. A value that is no number makes m NaN for good: no comparison holds from there on and nobody gets anything, which
// counts as a round that won and adds nothing. `last` is the last round that won or tied, `first` the last that won; both are the one before `from` where there is none,
// so that the reverse loop does not run (or visits ties alone), and what is left over goes to m0.
