// Loops that choose one number of many (argmax-choice.ts). The cotangent of the chosen number flows
// to the iteration that it comes from. So the forward loop notes that iteration, and the reverse
// sweep runs it again; nothing is recorded. See Note [Iterations that win].
//
// FWD{ m = loop (m0) max(m, v) }  =  m, last, first = loop (m0, none, none) …
//                                    the last iteration that won or tied, the last one that won
// REV{ m = loop (m0) max(m, v) }  =  loop from last down to first: FWD{v} ; if v = m then REV{v}
//                                    a winner takes m$bar, a tie takes half of it
// REV{ m = loop (m0) c ? v : m }  =  if last is an iteration: FWD{v} ; REV{v}

import { Builder, num, NUM } from "../../ir/build.ts";
import { bar, type Names } from "../../ir/names.ts";
import { OPS } from "../../ir/ops.ts";
import { renameVars, substitute } from "../../ir/rename.ts";
import type { Atom, Body, Carried, For, Stmt, Var } from "../../ir/types.ts";
import { definedVars, freeVars } from "../../ir/visit.ts";
import { freshNumber } from "../fragments.ts";
import type { Choice } from "./argmax-choice.ts";
import { Cotangents } from "./cotangents.ts";
import { MOST_SHOWN } from "./residuals.ts";
import { BodySweep, type Step } from "./sweep.ts";

/** An index that the forward loop notes: as the loop carries it, and after the loop. */
interface Noted {
  readonly param: Var;
  readonly bind: Var;
}

/** `first` is only used where iterations may tie. */
interface Memory {
  readonly last: Noted;
  readonly first: Noted;
}

export function argmaxLoopStep(stmt: For, choice: Choice, body: BodySweep): Step {
  const { sweep, frame, rank } = body;
  for (const bind of stmt.binds) frame.define(bind);
  const pair = (name: string): Noted => ({
    param: freshNumber(sweep.names, name),
    bind: freshNumber(sweep.names, name),
  });
  const memory: Memory = { last: pair("last"), first: pair("first") };
  frame.define(memory.last.bind);
  frame.define(memory.first.bind);
  // a pullback cannot see the names of the forward sweep
  const inner = frame.nested({ storage: sweep.isSplit ? "tape" : "scope" });
  const nested = new BodySweep(sweep, { stmts: choice.slice, result: [choice.v] }, inner);
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
        reason: "run again in the iteration that it was chosen in",
        again: priceOf(choice.slice),
      });
      const replay = new Replay(choice, { stmt, bind, ...memory }, body, rev);
      for (const { of, bind: sum } of replay.reverse(nested, seed, env))
        env.add(of ?? init, rank, () => sum);
    },
    forward: () => (used ? remembering(stmt, choice, memory, sweep.names) : [stmt]),
  };
}

/** The forward loop, which also notes the iterations that its result comes from. */
function remembering(stmt: For, choice: Choice, memory: Memory, names: Names): readonly Stmt[] {
  const before = new Builder(names, stmt.origin, true);
  const none =
    stmt.from.kind === "const" && typeof stmt.from.value === "number"
      ? num(stmt.from.value - stmt.step)
      : before.sub(stmt.from, num(stmt.step));
  const { by } = choice;
  const loop =
    by.kind === "taken"
      ? rememberTaken(stmt, choice.at, by, memory, names)
      : rememberExtremum(stmt, choice, by.op, memory, names);
  const noted = loop.noted.map(({ param }): Carried => ({ param, init: none }));
  return [
    ...before.stmts,
    {
      ...stmt,
      carried: [...stmt.carried, ...noted],
      binds: [...stmt.binds, ...loop.noted.map(({ bind }) => bind)],
      body: { stmts: loop.stmts, result: [...stmt.body.result, ...loop.result] },
    },
  ];
}

interface Remembered {
  /** What the loop carries in addition, and the values that go on to the next iteration. */
  readonly noted: readonly Noted[];
  readonly result: readonly Atom[];
  readonly stmts: readonly Stmt[];
}

/** Where a branch or selection takes `v`, it takes the index as `last`. */
function rememberTaken(
  { body, index, origin }: For,
  at: number,
  by: Choice["by"] & { readonly kind: "taken" },
  { last }: Memory,
  names: Names,
): Remembered {
  const b = new Builder(names, origin, true);
  const next = freshNumber(names, "last");
  const [then, other] = by.when ? [index, last.param] : [last.param, index];
  const chosen = body.result[at];
  const name = chosen?.kind === "var" ? chosen.name : null;
  const stmts = body.stmts.map((inner): Stmt =>
    inner.kind === "if" && inner.binds.some((bind) => bind.name === name)
      ? {
          ...inner,
          then: { ...inner.then, result: [...inner.then.result, then] },
          else: { ...inner.else, result: [...inner.else.result, other] },
          binds: [...inner.binds, next],
        }
      : inner,
  );
  const isBranch = stmts.some((inner, k) => inner !== body.stmts[k]);
  const result = [isBranch ? next : b.select(by.cond, then, other)];
  return { noted: [last], result, stmts: [...stmts, ...b.stmts] };
}

/** `if (v < m) …, else last = index, and first = index unless v = m` */
function rememberExtremum(
  { body, carried, index, origin }: For,
  { at, v }: Choice,
  op: "max" | "min",
  { last, first }: Memory,
  names: Names,
): Remembered {
  const b = new Builder(names, origin, true);
  const m = carried[at]?.param ?? v;
  const loses = b.op(op === "max" ? "lt" : "gt", v, m);
  const binds = [freshNumber(names, "last"), freshNumber(names, "first")];
  const wins = b.nested();
  const tied = wins.select(wins.op("eq", v, m), first.param, index);
  b.emit({
    kind: "if",
    cond: loses,
    then: { stmts: [], result: [last.param, first.param] },
    else: { stmts: wins.stmts, result: [index, tied] },
    binds,
  });
  return { noted: [last, first], result: binds, stmts: [...body.stmts, ...b.stmts] };
}

/** The cost of running the slice again, in additions; inner loops are unbounded. */
function priceOf(slice: readonly Stmt[]): number {
  const prices = slice.map((stmt) =>
    stmt.kind !== "let" ? MOST_SHOWN : stmt.expr.kind === "op" ? OPS[stmt.expr.op].cost : 0,
  );
  return Math.min(
    MOST_SHOWN,
    prices.reduce((sum, price) => sum + price, 0),
  );
}

/** Whether a statement may run even where it is not needed, to avoid a branch. */
const isCheap = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  !(stmt.expr.kind === "op" && OPS[stmt.expr.op].expensive) &&
  stmt.expr.kind !== "extern";

/** The forward loop, its result and the indices that it notes. */
interface Remembering extends Memory {
  readonly stmt: For;
  readonly bind: Var;
}

/** The cotangent of an outer name, or (`of` null) of the loop's initial value. */
interface Sum {
  readonly of: Var | null;
  readonly bind: Var;
}

/** An outer name: its cotangent so far, and what the iteration adds. */
interface Share {
  readonly of: Var;
  readonly init: Atom;
  readonly delta: Atom;
}

/** Writes the chosen iteration again, or a loop over those that won or tied. */
class Replay {
  readonly #stmt: For;
  readonly #choice: Choice;
  readonly #body: BodySweep;
  readonly #rev: Builder;
  readonly #chosen: Atom;
  readonly #last: Atom;
  /** Where iterations may tie: the index of the reverse loop, and the iteration to stop at. */
  readonly #range: { readonly index: Var; readonly first: Atom } | null;
  /** The index of the iteration at hand. */
  readonly #index: Atom;

  constructor(choice: Choice, loop: Remembering, body: BodySweep, rev: Builder) {
    const { stmt, bind, last, first } = loop;
    this.#stmt = stmt;
    this.#choice = choice;
    this.#body = body;
    this.#rev = rev;
    const isTied = choice.by.kind === "extremum";
    this.#chosen = isTied ? body.value(bind) : bind;
    this.#last = body.value(last.bind);
    this.#range = isTied
      ? {
          index: { ...stmt.index, name: rev.names.fresh(stmt.index.name) },
          first: body.value(first.bind),
        }
      : null;
    this.#index = this.#range?.index ?? this.#last;
  }

  reverse(nested: BodySweep, seed: Atom, env: Cotangents): readonly Sum[] {
    return this.#range === null
      ? this.#once(nested, seed, env)
      : this.#downTo(this.#range.first, this.#range.index, nested, seed, env);
  }

  /** The last iteration that took its value over gets the whole cotangent, if there is one. */
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

  /** Variables for the rest that goes to the loop's initial value, and for the outer cotangents. */
  #binds(shares: readonly Share[]): readonly [Var, ...Var[]] {
    return [this.#cotangent(), ...shares.map(({ of }) => this.#named(bar(of.name)))];
  }

  #cotangent(): Var {
    return this.#named(bar(this.#stmt.carried[this.#choice.at]?.param.name ?? this.#choice.v.name));
  }

  #named(name: string): Var {
    return freshNumber(this.#rev.names, name);
  }

  /** Whether the iteration won or tied. If the result is NaN, none did. */
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

  /** Computes the value again, and reverses it. */
  #swept(nested: BodySweep, share: Atom, arm: Builder, env: Cotangents): readonly Share[] {
    const rev = arm.nested();
    const local = new Cotangents();
    local.add(this.#choice.v, { statement: this.#choice.slice.length, within: 0 }, () => share);
    const { isSplit } = this.#body.sweep;
    const again = isSplit ? this.#restored(nested) : [];
    nested.reverse(rev, local);
    const outer = local.names().flatMap((name) => {
      const delta = nested.frame.owns(name) ? null : local.take(rev, name);
      return delta === null ? [] : [{ of: { kind: "var", name, type: NUM } satisfies Var, delta }];
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

  /** The recomputed values, under names of reverse code. */
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

  /** Forward code in the reverse sweep: own names are renamed, outer ones are restored. */
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

// Note [Iterations that win]
// This follows the rule of `max` iteration by iteration. One whose value is larger takes all of
// m$bar. One that ties takes half of it, and leaves the rest to those before it. Whatever comes
// before an iteration that took all gets nothing, so it need not be visited. After the last winner
// m does not change, so an iteration there tied if its value equals the result. A value that is NaN
// makes m NaN for good: no comparison holds any more and nothing is contributed, so it counts as a
// winner that adds nothing. `last` is the last iteration that won or tied, `first` the last that
// won. Both are the index before `from` if there is none; then the reverse loop does not run, or
// visits ties only, and the rest of m$bar goes to m0.
