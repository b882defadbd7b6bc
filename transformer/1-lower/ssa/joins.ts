// Removes redundant joins and carried values. Input: a body in which every assigned variable is
// joined and carried; output: the same with versions numbered in order. Removed are joins with
// equal sides, carried values that never change, and those that nothing reads. Follows phi
// elimination after SSA construction (Braun et al., Aycock and Horspool).

import { Names, variableOf } from "../../ir/names.ts";
import type { Atom, Body, Carried, For, If, Stmt, Var, While } from "../../ir/types.ts";
import { mapExpr, mapStmt, stmtAtoms, stmtBodies } from "../../ir/visit.ts";

/** A join of two branches, or a carried value with its `param`, init and next value. */
interface Slot {
  readonly bind: Var;
  readonly param: Var | null;
  readonly sides: readonly [Atom, Atom];
  /** The condition of a join. */
  readonly cond: Atom | null;
  /** Names bound before this many others are in scope after the construct. */
  readonly since: number;
}

export function settle(params: readonly Var[], body: Body): Body {
  const facts = new Facts(params, body);
  const alias = new Aliases();
  // a unified slot may make another one redundant
  for (let news = true; news;)
    news = facts.slots.filter((slot) => unify(slot, alias, facts)).length > 0;
  const live = liveNames(facts, alias);
  return new Rebuild(params, alias, live).body(body);
}

/** The atoms that replace names. */
class Aliases {
  readonly #to = new Map<string, Atom>();

  resolve(atom: Atom): Atom {
    let at = atom;
    while (at.kind === "var") {
      const next = this.#to.get(at.name);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  has(name: string): boolean {
    return this.#to.has(name);
  }

  set(from: Var, to: Atom): void {
    this.#to.set(from.name, to);
  }
}

function same(x: Atom, z: Atom): boolean {
  if (x.kind === "var") return z.kind === "var" && x.name === z.name;
  if (x.kind === "const")
    return z.kind === "const" && Object.is(x.value, z.value) && x.type.kind === z.type.kind;
  if (x.kind === "global") return z.kind === "global" && variableOf(x) === variableOf(z);
  return z.kind === "undef";
}

/** The slots and reads of a body, collected in one walk. */
class Facts {
  readonly slots: Slot[] = [];
  /** By the names of their binds and parameters. */
  readonly slotOf = new Map<string, Slot>();
  /** Atoms that are read outside of joins and carried values. */
  readonly reads: Atom[] = [];
  readonly #order = new Map<string, number>();

  constructor(params: readonly Var[], body: Body) {
    for (const param of params) this.#bound(param);
    this.#walk(body);
    this.reads.push(...body.result);
  }

  /** Whether an atom is in scope where only names bound before `since` are. */
  visible(atom: Atom, since: number): boolean {
    return atom.kind !== "var" || (this.#order.get(atom.name) ?? 0) < since;
  }

  #bound(bind: Var): void {
    this.#order.set(bind.name, this.#order.size);
  }

  #walk(body: Body): void {
    for (const stmt of body.stmts) this.#stmt(stmt);
  }

  #stmt(stmt: Stmt): void {
    if (stmt.kind === "if") return this.#if(stmt);
    if (stmt.kind === "for" || stmt.kind === "while") return this.#loop(stmt);
    this.reads.push(...stmtAtoms(stmt));
    if (stmt.kind === "let" && stmt.expr.kind === "lambda") {
      for (const param of stmt.expr.params) this.#bound(param);
      this.#walk(stmt.expr.body);
      this.reads.push(...stmt.expr.body.result);
    }
    if (stmt.kind === "let") this.#bound(stmt.bind);
  }

  #if(stmt: If): void {
    const since = this.#order.size;
    this.reads.push(stmt.cond);
    this.#walk(stmt.then);
    this.#walk(stmt.else);
    for (const [at, bind] of stmt.binds.entries())
      this.#slot(
        { bind, param: null, cond: stmt.cond, since },
        stmt.then.result[at],
        stmt.else.result[at],
      );
  }

  #loop(stmt: For | While): void {
    const since = this.#order.size;
    if (stmt.kind === "for") this.reads.push(stmt.from, stmt.to);
    for (const { param } of stmt.carried) this.#bound(param);
    if (stmt.kind === "for") this.#bound(stmt.index);
    for (const nested of stmtBodies(stmt)) this.#walk(nested);
    if (stmt.kind === "while") this.reads.push(...stmt.test.result);
    for (const [at, { param, init }] of stmt.carried.entries()) {
      const bind = stmt.binds[at];
      if (bind !== undefined)
        this.#slot({ bind, param, cond: null, since }, init, stmt.body.result[at]);
    }
  }

  #slot(slot: Omit<Slot, "sides">, first: Atom | undefined, second: Atom | undefined): void {
    this.#bound(slot.bind);
    if (first === undefined || second === undefined) return;
    const whole: Slot = { ...slot, sides: [first, second] };
    this.slots.push(whole);
    this.slotOf.set(slot.bind.name, whole);
    if (slot.param !== null) this.slotOf.set(slot.param.name, whole);
  }
}

/** Replaces a slot that has a single value by that value; returns whether it did. */
function unify(slot: Slot, alias: Aliases, facts: Facts): boolean {
  if (alias.has(slot.bind.name)) return false;
  const first = alias.resolve(slot.sides[0]);
  const second = alias.resolve(slot.sides[1]);
  const value =
    onlyValue(slot, first, second, alias, facts) ?? condition(slot, first, second, alias);
  if (value === null) return false;
  alias.set(slot.bind, value);
  if (slot.param !== null) alias.set(slot.param, value);
  return true;
}

function onlyValue(
  slot: Slot,
  first: Atom,
  second: Atom,
  alias: Aliases,
  facts: Facts,
): Atom | null {
  if (slot.param !== null && same(second, slot.param)) return first;
  return same(first, second) ? first : soleSource(slot, alias, facts);
}

/**
 * The only value that flows to a slot through any chain of slots. A path that throws, or assigns
 * nothing, agrees with any value. The value must be bound before every loop on the way, since in a
 * loop each iteration would bind another one.
 */
function soleSource(slot: Slot, alias: Aliases, facts: Facts): Atom | null {
  const seen = new Set<Slot>([slot]);
  const pending: Atom[] = [...slot.sides];
  let { since } = slot;
  let sole: Atom | null = null;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const atom = alias.resolve(next);
    const through = atom.kind === "var" ? facts.slotOf.get(atom.name) : undefined;
    if (through !== undefined) {
      if (seen.has(through)) continue;
      seen.add(through);
      since = Math.min(since, through.since);
      pending.push(...through.sides);
    } else if (atom.kind !== "undef") {
      if (sole !== null && !same(sole, atom)) return null;
      sole = atom;
    }
  }
  return sole !== null && facts.visible(sole, since) ? sole : null;
}

// if c -> (done) { yield true } else { yield false }  ->  done is c
function condition(slot: Slot, first: Atom, second: Atom, alias: Aliases): Atom | null {
  if (
    slot.cond === null ||
    first.kind !== "const" ||
    second.kind !== "const" ||
    first.value !== true ||
    second.value !== false
  )
    return null;
  const cond = alias.resolve(slot.cond);
  return cond.type.kind === "bool" ? cond : null;
}

/** Names of binds and parameters that are read, through any chain of slots. */
function liveNames(facts: Facts, alias: Aliases): ReadonlySet<string> {
  const live = new Set<string>();
  const pending = facts.reads.map((atom) => alias.resolve(atom));
  for (let atom = pending.pop(); atom !== undefined; atom = pending.pop()) {
    if (atom.kind !== "var" || live.has(atom.name)) continue;
    live.add(atom.name);
    const slot = facts.slotOf.get(atom.name);
    if (slot !== undefined) pending.push(...slot.sides.map((side) => alias.resolve(side)));
  }
  return live;
}

/** Rebuilds the body without aliased and dead slots; versions are numbered in order. */
class Rebuild {
  readonly #renamed = new Map<string, Var>();
  readonly #names: Names;
  readonly #alias: Aliases;
  readonly #live: ReadonlySet<string>;

  constructor(params: readonly Var[], alias: Aliases, live: ReadonlySet<string>) {
    this.#names = new Names(params.map((param) => param.name));
    this.#alias = alias;
    this.#live = live;
  }

  readonly #read = (atom: Atom): Atom => {
    const to = this.#alias.resolve(atom);
    return to.kind === "var" ? (this.#renamed.get(to.name) ?? to) : to;
  };

  #bind(bind: Var): Var {
    const renamed = { ...bind, name: this.#names.fresh(bind.name) };
    this.#renamed.set(bind.name, renamed);
    return renamed;
  }

  /** `remaining`: the positions of the result that remain. */
  body(body: Body, remaining: readonly number[] | null = null): Body {
    const stmts = body.stmts.flatMap((stmt) => this.#stmt(stmt));
    const result =
      remaining === null ? body.result : remaining.flatMap((at) => body.result[at] ?? []);
    return { stmts, result: result.map(this.#read) };
  }

  #stmt(stmt: Stmt): readonly Stmt[] {
    if (stmt.kind === "if") return this.#if(stmt);
    if (stmt.kind === "for" || stmt.kind === "while") return [this.#loop(stmt)];
    if (stmt.kind !== "let") return [mapStmt(stmt, this.#read, (body) => body)];
    const expr =
      stmt.expr.kind === "lambda"
        ? {
            ...stmt.expr,
            params: stmt.expr.params.map((param) => this.#bind(param)),
            body: this.body(stmt.expr.body),
          }
        : mapExpr(stmt.expr, this.#read);
    return [{ ...stmt, bind: this.#bind(stmt.bind), expr }];
  }

  // if c {} else {}  ->  nothing
  #if(stmt: If): readonly Stmt[] {
    const remaining = [...stmt.binds.keys()].filter((at) => {
      const bind = stmt.binds[at];
      return (
        bind !== undefined &&
        this.#live.has(bind.name) &&
        !this.#alias.has(bind.name) &&
        !this.#isOpposite(stmt, at)
      );
    });
    const cond = this.#read(stmt.cond);
    const onThen = this.body(stmt.then, remaining);
    const onElse = this.body(stmt.else, remaining);
    const opposites = stmt.binds.flatMap((bind, at): readonly Stmt[] =>
      this.#isOpposite(stmt, at)
        ? [
            {
              kind: "let",
              bind: this.#bind(bind),
              expr: { kind: "op", op: "not", args: [cond] },
              origin: stmt.origin,
            },
          ]
        : [],
    );
    if (remaining.length === 0 && onThen.stmts.length === 0 && onElse.stmts.length === 0)
      return opposites;
    return [
      {
        ...stmt,
        cond,
        then: onThen,
        else: onElse,
        binds: remaining.flatMap((at) => stmt.binds[at] ?? []).map((bind) => this.#bind(bind)),
      },
      ...opposites,
    ];
  }

  // if c -> (done) { yield false } else { yield true }  ->  if c {} else {} ; done = not c
  #isOpposite(stmt: If, at: number): boolean {
    const bind = stmt.binds[at];
    const [then, other] = [stmt.then.result[at], stmt.else.result[at]].map((atom) =>
      atom === undefined ? undefined : this.#alias.resolve(atom),
    );
    return (
      bind !== undefined &&
      this.#live.has(bind.name) &&
      !this.#alias.has(bind.name) &&
      then?.kind === "const" &&
      then.value === false &&
      other?.kind === "const" &&
      other.value === true &&
      this.#alias.resolve(stmt.cond).type.kind === "bool"
    );
  }

  #loop(stmt: For | While): For | While {
    const remaining = [...stmt.carried.keys()].filter((at) => {
      const carried = stmt.carried[at];
      const bind = stmt.binds[at];
      if (carried === undefined || bind === undefined || this.#alias.has(bind.name)) return false;
      return this.#live.has(carried.param.name) || this.#live.has(bind.name);
    });
    const carried: Carried[] = remaining
      .flatMap((at) => stmt.carried[at] ?? [])
      .map(({ param, init }) => ({ init: this.#read(init), param: this.#bind(param) }));
    const binds = remaining.flatMap((at) => stmt.binds[at] ?? []);
    if (stmt.kind === "for") {
      const [from, to] = [this.#read(stmt.from), this.#read(stmt.to)];
      const index = this.#bind(stmt.index);
      const body = this.body(stmt.body, remaining);
      const after = binds.map((bind) => this.#bind(bind));
      return { ...stmt, from, to, index, carried, body, binds: after };
    }
    const test = this.body(stmt.test);
    const body = this.body(stmt.body, remaining);
    return { ...stmt, carried, test, body, binds: binds.map((bind) => this.#bind(bind)) };
  }
}
