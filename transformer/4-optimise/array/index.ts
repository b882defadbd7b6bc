// The optimiser of array programs. In: a program with cotangent code as the rules leave it. Out: the code a person would write. Invariant: same values
// (cotangents as real numbers, primal code bit for bit) and same exceptions; what it returns is fresh.

import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  type ArrayProgram,
  atomsOf,
  bodiesOf,
  boundNames,
  freeOf,
  freeVars,
  freshBody,
  type Lambda,
  mapExpr,
  readsOf,
  substitute,
} from "../../ir/array.ts";
import { num } from "../../ir/build.ts";
import { baseName, Names } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom } from "../../ir/types.ts";
import { checksAlone, dropChecks, hasCheck } from "./checks.ts";
import { freshResult } from "./fresh.ts";
import { guarded } from "./guard.ts";
import { rewrite } from "./rewrites.ts";

/** Rounds of rewrites; each makes others possible. */
const MOST_ROUNDS = 60;

export function optimiseArray(program: ArrayProgram, types: Types): ArrayProgram {
  const names = new Names(boundNames(program));
  let { body } = program;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = JSON.stringify(body);
    body = shared(live(new Rewriter(types, names, countUses(body)).body(body, new Map())));
    if (JSON.stringify(body) === before) break;
  }
  const guardedBody = (inner: ArrayBody): ArrayBody =>
    live(guarded({ ...program, body: inner }, types, names));
  const settled = dropChecks(live(checksAlone(freshResult(body, types, names))));
  return { ...program, body: unnamed(guardedBody(settled), names) };
}

/**
 * Cotangent code that is read once has no name of its own: it is written where it is read. What a function reads has one, and is not computed in every round.
 */
function unnamed(body: ArrayBody, names: Names): ArrayBody {
  const uses = countUses(body);
  const inRounds = readInRounds(body);
  const values = new Map<string, Atom>();
  const wantedName = (name: string): string | null => {
    if (inRounds.has(name)) return baseName(name) === "t" ? "k" : null;
    return uses.get(name) === 1 && baseName(name) !== "t" ? "t" : null;
  };
  const visit = (inner: ArrayBody): ArrayBody => ({
    ...inner,
    lets: inner.lets.map((each) => {
      const expr = mapExpr(each.expr, (atom) => atom, visit);
      const wanted = each.adjoint === true ? wantedName(each.bind.name) : null;
      if (wanted === null) return { ...each, expr };
      const bind = { ...each.bind, name: names.fresh(wanted) };
      values.set(each.bind.name, bind);
      return { ...each, bind, expr };
    }),
  });
  return substitute(visit(body), values);
}

class Rewriter {
  readonly #types: Types;
  readonly #names: Names;
  readonly #uses: ReadonlyMap<string, number>;

  constructor(types: Types, names: Names, uses: ReadonlyMap<string, number>) {
    this.#types = types;
    this.#names = names;
    this.#uses = uses;
  }

  body(body: ArrayBody, outer: ReadonlyMap<string, ArrayExpr>): ArrayBody {
    const made = new Map(outer);
    const values = new Map<string, Atom>();
    const atom = (one: Atom): Atom => (one.kind === "var" ? (values.get(one.name) ?? one) : one);
    const lets: ArrayLet[] = [];
    for (const each of body.lets) {
      const expr = mapExpr(each.expr, atom, (inner) => this.body(substitute(inner, values), made));
      const result = rewrite(expr, each.bind.type, {
        types: this.#types,
        names: this.#names,
        adjoint: each.adjoint === true,
        made: (one) => (one.kind === "var" ? (made.get(one.name) ?? null) : null),
        uses: (one) => (one.kind === "var" ? (this.#uses.get(one.name) ?? 0) : 0),
      });
      if (result !== null && "atom" in result) {
        values.set(each.bind.name, result.atom);
        continue;
      }
      for (const extra of result?.lets ?? []) {
        lets.push({ ...extra, origin: each.origin });
        made.set(extra.bind.name, extra.expr);
      }
      const next = result?.expr ?? expr;
      made.set(each.bind.name, next);
      lets.push({ ...each, expr: next });
    }
    return { lets, result: atom(body.result) };
  }
}

/** Names that a function inside reads. */
function readInRounds(body: ArrayBody): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (inner: ArrayBody): void => {
    for (const { expr } of inner.lets) {
      if (expr.kind === "map" || expr.kind === "fold" || expr.kind === "scan")
        for (const name of freeOf(expr.fn).keys()) found.add(name);
      bodiesOf(expr).forEach(visit);
    }
  };
  visit(body);
  return found;
}

function countUses(body: ArrayBody): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const read = (atom: Atom): void => {
    if (atom.kind === "var") uses.set(atom.name, (uses.get(atom.name) ?? 0) + 1);
  };
  const visit = (inner: ArrayBody): void => {
    for (const { expr } of inner.lets) {
      atomsOf(expr).forEach(read);
      bodiesOf(expr).forEach(visit);
    }
    read(inner.result);
  };
  visit(body);
  return uses;
}

// let x = e in e2  ->  e2        (x not in e2, and e throws nothing)
function live(body: ArrayBody): ArrayBody {
  const needed = new Set(freeVars({ lets: [], result: body.result }).keys());
  const kept: ArrayLet[] = [];
  for (const each of [...body.lets].reverse()) {
    if (!needed.has(each.bind.name) && each.expr.kind !== "check" && !hasCheck(each.expr)) continue;
    const expr = mapExpr(each.expr, (atom) => atom, live);
    for (const name of readsOf({ ...each, expr }).keys()) needed.add(name);
    kept.push({ ...each, expr });
  }
  return { lets: kept.reverse(), result: body.result };
}

// let x = e in let y = e in e2  ->  let x = e in e2[x/y]
function shared(body: ArrayBody): ArrayBody {
  const known = new Map<string, Atom>();
  const values = new Map<string, Atom>();
  const atom = (one: Atom): Atom => (one.kind === "var" ? (values.get(one.name) ?? one) : one);
  const lets: ArrayLet[] = [];
  for (const each of body.lets) {
    const expr = mapExpr(each.expr, atom, (inner) => shared(substitute(inner, values)));
    const key = textOf(expr);
    const same = known.get(key);
    if (same !== undefined && expr.kind !== "check") {
      values.set(each.bind.name, same);
      continue;
    }
    known.set(key, each.bind);
    lets.push({ ...each, expr });
  }
  return { lets, result: atom(body.result) };
}

/** The same text for what differs in bound names only. */
function textOf(expr: ArrayExpr): string {
  let next = 0;
  const names = { fresh: () => `#${next++}` };
  const closed = (fn: Lambda): ArrayBody => {
    const params = fn.params.map((param) => ({ ...param, name: names.fresh() }));
    return freshBody(
      fn.body,
      names,
      new Map(fn.params.map((param, i) => [param.name, params[i] ?? num(0)])),
    );
  };
  const plain =
    expr.kind === "map" || expr.kind === "fold" || expr.kind === "scan"
      ? { ...expr, fn: closed(expr.fn) }
      : mapExpr(
          expr,
          (atom) => atom,
          (inner) => freshBody(inner, names),
        );
  return JSON.stringify(plain, (key, value: unknown) =>
    key === "origin" || key === "adjoint" ? undefined : value,
  );
}
