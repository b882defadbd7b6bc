// The optimiser of array programs. Its input is cotangent code as the rules leave it. Invariant:
// same values (cotangents as real numbers, primal code bit for bit) and same exceptions; the result
// is fresh.

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

/** Limit on iterations of the rewrites; each makes others possible. */
const MAX_ITERATIONS = 60;

export function optimiseArray(program: ArrayProgram, types: Types): ArrayProgram {
  const names = new Names(boundNames(program));
  let { body } = program;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
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
 * Removes the names of cotangents that are read once, so that they are emitted where they are read.
 * What the functions of maps, folds and scans read keeps a name, and is computed once.
 */
function unnamed(body: ArrayBody, names: Names): ArrayBody {
  const uses = countUses(body);
  const inFunctions = readInFunctions(body);
  const values = new Map<string, Atom>();
  const wantedName = (name: string): string | null => {
    if (inFunctions.has(name)) return baseName(name) === "t" ? "k" : null;
    return uses.get(name) === 1 && baseName(name) !== "t" ? "t" : null;
  };
  const visit = (inner: ArrayBody): ArrayBody => ({
    ...inner,
    lets: inner.lets.map((each) => {
      const expr = mapExpr(each.expr, (atom) => atom, visit);
      const hint = each.adjoint === true ? wantedName(each.bind.name) : null;
      if (hint === null) return { ...each, expr };
      const bind = { ...each.bind, name: names.fresh(hint) };
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
    const defs = new Map(outer);
    const values = new Map<string, Atom>();
    const atom = (one: Atom): Atom => (one.kind === "var" ? (values.get(one.name) ?? one) : one);
    const lets: ArrayLet[] = [];
    for (const each of body.lets) {
      const expr = mapExpr(each.expr, atom, (inner) => this.body(substitute(inner, values), defs));
      const result = rewrite(expr, each.bind.type, {
        types: this.#types,
        names: this.#names,
        adjoint: each.adjoint === true,
        definition: (one) => (one.kind === "var" ? (defs.get(one.name) ?? null) : null),
        uses: (one) => (one.kind === "var" ? (this.#uses.get(one.name) ?? 0) : 0),
      });
      if (result !== null && "atom" in result) {
        values.set(each.bind.name, result.atom);
        continue;
      }
      for (const extra of result?.lets ?? []) {
        lets.push({ ...extra, origin: each.origin });
        defs.set(extra.bind.name, extra.expr);
      }
      const next = result?.expr ?? expr;
      defs.set(each.bind.name, next);
      lets.push({ ...each, expr: next });
    }
    return { lets, result: atom(body.result) };
  }
}

/** Names that the function of a map, fold or scan reads. */
function readInFunctions(body: ArrayBody): ReadonlySet<string> {
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

// let x = e in e2   ->   e2, where e2 does not read x and e checks nothing
function live(body: ArrayBody): ArrayBody {
  const needed = new Set(freeVars({ lets: [], result: body.result }).keys());
  const remaining: ArrayLet[] = [];
  for (const each of [...body.lets].reverse()) {
    if (!needed.has(each.bind.name) && each.expr.kind !== "check" && !hasCheck(each.expr)) continue;
    const expr = mapExpr(each.expr, (atom) => atom, live);
    for (const name of readsOf({ ...each, expr }).keys()) needed.add(name);
    remaining.push({ ...each, expr });
  }
  return { lets: remaining.reverse(), result: body.result };
}

// let x = e in let y = e in e2   ->   let x = e in e2[x/y]
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

/** A string that expressions share if they differ only in bound names. */
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
