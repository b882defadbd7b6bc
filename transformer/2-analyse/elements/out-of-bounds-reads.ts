// Which element reads may be before the beginning or behind the end of their array, while the result does not say so. In: an ssa body. Out: a test of loads.
// Invariant: what the number is used for always shows that it was missing (the result is NaN), so only reads are asked about that some branch or choice may leave out, and those next to
// another position (`a[i + 1]`) that are stored. Positions that are the counter of a loop, or rows and columns of counters, are taken to be what the loop's bound says, unless the array's own length is looked at.

import { num } from "../../ir/build.ts";
import type { Beyond } from "../../ir/facts.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Carried, Expr, For, Let, Store, While } from "../../ir/types.ts";
import { stmtBodies, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { conditionalNames } from "../activity/conditional.ts";

export const WITHIN: Beyond = { below: false, behind: false };

/** A sum: how often it takes each name, and a constant. */
interface Sum {
  readonly terms: ReadonlyMap<string, number>;
  readonly constant: number;
}

/** What a counter counts from and to, both included; null: not known. */
interface Range {
  readonly least: Bound | null;
  readonly most: Bound | null;
}

/** `atom + more` */
interface Bound {
  readonly atom: Atom;
  readonly more: number;
}

interface Scope {
  readonly lets: ReadonlyMap<string, Let>;
  readonly counters: ReadonlyMap<string, Range>;
  /** What `while` loops carry. */
  readonly carried: ReadonlySet<string>;
  /** Reads in a branch that a round of a loop may not take: the user has asked whether they are there. */
  readonly guarded: ReadonlySet<string>;
  /** Arrays whose length is compared with something, and the names that this is made of. */
  readonly measured: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether some number is asked if it is one, though its type says so. */
  readonly asks: boolean;
}

interface AskedOfBeyond {
  readonly read: (stmt: Let) => Beyond;
  readonly write: (stmt: Let) => Beyond;
  readonly dropped: (stmt: Store) => boolean;
}

/** `read`: of any array. `write`: of one that would have a new element; a typed array takes none that it has no place for. `dropped`: whether it may be that such an array drops what is stored. */
export function beyondIn(
  body: Body,
  types: Types,
  isWithin: (stmt: Let) => boolean,
  isLeftUnread: (stmt: Let) => boolean,
): AskedOfBeyond {
  let scope: Scope | null = null;
  let chosen: ReadonlySet<string> | null = null;
  let kept: ReadonlySet<string> | null = null;
  let copied: ReadonlySet<string> | null = null;
  const read = (stmt: Let): Beyond => {
    const { expr, bind } = stmt;
    if (
      expr.kind !== "load" ||
      expr.key.kind !== "index" ||
      resolve(expr.object.type, types).kind !== "array"
    )
      return WITHIN;
    scope ??= scopeOf(body);
    const { at } = expr.key;
    const maybe =
      at.kind === "const"
        ? atConstant(at, expr.object, scope)
        : { below: !isAbove(at, scope), behind: !isWithin(stmt) };
    if (!maybe.below && !maybe.behind) return WITHIN;
    // what a branch or a choice leaves out may be left out because it is not there
    chosen ??= conditionalNames(body, "joins");
    if (chosen.has(bind.name) || isLeftUnread(stmt)) return maybe;
    const beyond = {
      below: maybe.below,
      behind:
        maybe.behind &&
        (at.kind === "const" || !isBelow(at, scope) || isUncertain(at, expr.object, scope)),
    };
    if ((!beyond.below && !beyond.behind) || scope.guarded.has(bind.name)) return WITHIN;
    kept ??= conditionalNames(body, "everything");
    return (at.kind === "const" ||
      isBesides(at, scope) ||
      reachesEnd(at, expr.object, scope) ||
      isCompared(at, expr.object, scope)) &&
      kept.has(bind.name)
      ? beyond
      : WITHIN;
  };
  const dropped = ({ object, key }: Store): boolean => {
    const shape = resolve(object.type, types);
    if (key.kind !== "index" || shape.kind !== "array" || shape.store === "Array") return false;
    scope ??= scopeOf(body);
    if (key.at.kind === "const")
      return !isPlaceOf(Number(key.at.value), exprOf(object, scope.lets));
    return (
      (!isAbove(key.at, scope) || !isBelow(key.at, scope)) &&
      (isBesides(key.at, scope) || isFromNumber(key.at, scope) || reachesEnd(key.at, object, scope))
    );
  };
  /** What is put into a list as it is may never be asked for, whatever bounds the loop. */
  const write = (stmt: Let): Beyond => {
    if (!grows(stmt.expr, types)) return WITHIN;
    const beyond = read(stmt);
    if (
      beyond !== WITHIN ||
      stmt.expr.kind !== "load" ||
      stmt.expr.key.kind !== "index" ||
      stmt.expr.key.at.kind === "const" ||
      !(copied ??= copiedNames(body)).has(stmt.bind.name) ||
      isWithin(stmt)
    )
      return beyond;
    kept ??= conditionalNames(body, "everything");
    return kept.has(stmt.bind.name) ? { below: false, behind: true } : WITHIN;
  };
  return { read, write, dropped };
}

/** Names of which an object gets what they mean. */
function copiedNames(body: Body): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (atom: Atom): void => {
    if (atom.kind === "var") found.add(atom.name);
  };
  walkStmts(body, (stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append") add(stmt.value);
    if (stmt.kind === "let" && stmt.expr.kind === "record")
      for (const { value } of stmt.expr.fields) add(value);
    if (stmt.kind === "let" && stmt.expr.kind === "array")
      for (const { atom } of stmt.expr.parts) add(atom);
    if (stmt.kind === "let" && stmt.expr.kind === "tuple") stmt.expr.elems.forEach(add);
  });
  return found;
}

/** The place of a number that was no whole one: `Math.floor(x / width)`. */
const isFromNumber = (at: Atom, { lets }: Scope): boolean => {
  const expr = exprOf(at, lets);
  return expr?.kind === "op" && WHOLE.has(expr.op);
};
const WHOLE: ReadonlySet<ScalarOp> = new Set<ScalarOp>([
  "floor",
  "ceil",
  "round",
  "trunc",
  "bor",
  "bnot",
]);

/** Whether an array has the place; one that is not made here is taken to. */
const isPlaceOf = (at: number, made: Expr | null): boolean =>
  Number.isInteger(at) &&
  at >= 0 &&
  (made?.kind !== "alloc" || made.length.kind !== "const" || at < Number(made.length.value));

function grows(expr: Expr, types: Types): boolean {
  const shape = expr.kind === "load" ? resolve(expr.object.type, types) : null;
  return shape?.kind === "array" && shape.store === "Array";
}

function scopeOf(body: Body): Scope {
  const lets = new Map<string, Let>();
  const counters = new Map<string, Range>();
  const carried = new Set<string>();
  const measured = new Map<string, Set<string>>();
  const loops: (For | While)[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "for" || stmt.kind === "while") loops.push(stmt);
    if (stmt.kind === "let") lets.set(stmt.bind.name, stmt);
  });
  for (const loop of loops) {
    if (loop.kind === "for") counters.set(loop.index.name, rangeOf(loop));
    for (const [i, one] of loop.carried.entries()) {
      const range = carriedRange(one, loop.body.result[i], lets);
      if (loop.kind === "while") carried.add(one.param.name);
      const least =
        range.least ?? (loop.kind === "while" ? testedBound(loop, one.param, "least", lets) : null);
      const most =
        range.most ?? (loop.kind === "while" ? testedBound(loop, one.param, "most", lets) : null);
      if (least !== null || most !== null) counters.set(one.param.name, { least, most });
    }
  }
  for (const [name, least] of leastLengths(body, lets))
    counters.set(name, { least: { atom: num(least), more: 0 }, most: null });
  const measure = (atom: Atom, others: readonly Atom[]): void => {
    const expr = exprOf(atom, lets);
    if (expr?.kind === "length" && expr.object.kind === "var")
      measured.set(
        expr.object.name,
        new Set([
          ...(measured.get(expr.object.name) ?? []),
          ...others.flatMap((other) => madeOf(other, lets)),
        ]),
      );
  };
  let asks = false;
  for (const { expr } of lets.values()) {
    if (expr.kind === "op" && COMPARISONS.has(expr.op)) {
      expr.args.forEach((arg) => measure(arg, expr.args));
      asks ||= expr.args.some(isNothing);
    }
    asks ||= expr.kind === "present" && expr.value.type.kind === "num";
  }
  return { lets, counters, carried, guarded: guardedReads(body), measured, asks };
}

/** By name of a measured length: how many elements the array began with, where it is written out, known by its name alone, and nothing is taken off it. */
function leastLengths(body: Body, lets: ReadonlyMap<string, Let>): ReadonlyMap<string, number> {
  const measured = [...lets.values()].flatMap(({ bind, expr }) => {
    const made = expr.kind === "length" ? exprOf(expr.object, lets) : null;
    return expr.kind === "length" && expr.object.kind === "var" && made?.kind === "array"
      ? [
          {
            bind,
            array: expr.object.name,
            least: made.parts.filter(({ spread }) => !spread).length,
          },
        ]
      : [];
  });
  if (measured.length === 0) return new Map();
  // by array: mentions that are no reads or writes of its elements
  const others = new Map<string, number>();
  const count = (atom: Atom, by: number): void => {
    if (atom.kind === "var") others.set(atom.name, (others.get(atom.name) ?? 0) + by);
  };
  walkAtoms(body, (atom) => count(atom, 1));
  walkStmts(body, (stmt) => {
    if (stmt.kind === "append" || stmt.kind === "store" || stmt.kind === "fill")
      count(stmt.object, -1);
    else if (stmt.kind === "let" && (stmt.expr.kind === "load" || stmt.expr.kind === "length"))
      count(stmt.expr.object, -1);
  });
  return new Map(
    measured.flatMap(({ bind, array, least }) =>
      others.get(array) === 0 ? [[bind.name, least]] : [],
    ),
  );
}

const COMPARISONS: ReadonlySet<string> = new Set([
  "lt",
  "le",
  "gt",
  "ge",
  "eq",
  "ne",
  "looseEq",
  "looseNe",
]);

function guardedReads(
  body: Body,
  isGuarded = false,
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const stmt of body.stmts) {
    if (isGuarded && stmt.kind === "let" && stmt.expr.kind === "load") found.add(stmt.bind.name);
    for (const nested of stmtBodies(stmt)) guardedReads(nested, stmt.kind === "if", found);
  }
  return found;
}

const isNothing = (atom: Atom): boolean =>
  atom.kind === "const" && (atom.value === undefined || atom.value === null);

function exprOf(atom: Atom, lets: ReadonlyMap<string, Let>): Expr | null {
  const expr = atom.kind === "var" ? (lets.get(atom.name)?.expr ?? null) : null;
  return expr?.kind === "copy" ? exprOf(expr.atom, lets) : expr;
}

/** Names that a number is made of, its own among them. */
function madeOf(atom: Atom, lets: ReadonlyMap<string, Let>): readonly string[] {
  const expr = exprOf(atom, lets);
  return atom.kind !== "var"
    ? []
    : [atom.name, ...(expr?.kind === "op" ? expr.args.flatMap((arg) => madeOf(arg, lets)) : [])];
}

/** A first element is taken to be there where nobody asks how many there are, nor whether a number is one. */
const atConstant = (
  { value }: Atom & { kind: "const" },
  object: Atom,
  { measured, asks }: Scope,
): Beyond => ({
  below: typeof value !== "number" || value < 0,
  behind: asks || (object.kind === "var" && measured.has(object.name)),
});

/** `i + 1`, `i - k`, or what a loop counts in a variable: not the position of the round. */
const isBesides = (at: Atom, { lets, carried }: Scope): boolean => {
  const expr = exprOf(at, lets);
  return (
    (at.kind === "var" && carried.has(at.name)) ||
    (expr?.kind === "op" && (expr.op === "add" || expr.op === "sub"))
  );
};

/** `i <= xs.length`: the loop's own bound says that it goes beyond `xs`. */
function reachesEnd(at: Atom, object: Atom, scope: Scope): boolean {
  const { terms, constant } = extreme(sumOf(at, scope), "most", scope);
  const [only] = terms;
  const length =
    only === undefined || only[1] !== 1 || terms.size > 1 || constant < 0
      ? undefined
      : scope.lets.get(only[0])?.expr;
  return (
    length?.kind === "length" &&
    length.object.kind === "var" &&
    object.kind === "var" &&
    length.object.name === object.name
  );
}

/** Whether the program compares the array's length with what the position is made of. */
function isCompared(at: Atom, object: Atom, scope: Scope): boolean {
  const compared = object.kind === "var" ? scope.measured.get(object.name) : undefined;
  return compared !== undefined && madeOf(at, scope.lets).some((name) => compared.has(name));
}

/** Whether the program compares the array's length with anything, or counts to the most of several lengths. */
function isUncertain(at: Atom, object: Atom, scope: Scope): boolean {
  if (object.kind === "var" && scope.measured.has(object.name)) return true;
  return [...extreme(sumOf(at, scope), "most", scope).terms.keys()].some((name) => {
    const expr = scope.lets.get(name)?.expr;
    return expr?.kind === "op" && expr.op === "max";
  });
}

/** Whether a position is at least 0. */
function isAbove(at: Atom, scope: Scope): boolean {
  const expr = exprOf(at, scope.lets);
  if (expr?.kind === "op") {
    if (expr.op === "min" || expr.op === "select")
      return expr.args.slice(expr.op === "select" ? 1 : 0).every((arg) => isAbove(arg, scope));
    if (expr.op === "max") return expr.args.some((arg) => isAbove(arg, scope));
  }
  // what is read, given or carried may be the -1 of a search
  if (
    at.kind === "var" &&
    !scope.counters.has(at.name) &&
    expr?.kind !== "op" &&
    expr?.kind !== "length"
  )
    return false;
  const { terms, constant } = extreme(sumOf(at, scope), "least", scope);
  return constant >= 0 && [...terms.values()].every((times) => times >= 0);
}

/** Whether a position is less than a bound, whatever it is the bound of. */
function isBelow(at: Atom, scope: Scope): boolean {
  const expr = exprOf(at, scope.lets);
  if (expr?.kind === "op") {
    if (expr.op === "max" || expr.op === "select")
      return expr.args.slice(expr.op === "select" ? 1 : 0).every((arg) => isBelow(arg, scope));
    if (expr.op === "min") return expr.args.some((arg) => isBelow(arg, scope));
    if (expr.op === "mod" || expr.op === "band") return true;
  }
  return at.kind === "const" || extreme(sumOf(at, scope), "most", scope).constant < 0;
}

const OPAQUE = (name: string): Sum => ({ terms: new Map([[name, 1]]), constant: 0 });

function sumOf(atom: Atom, scope: Scope): Sum {
  if (atom.kind === "const") return { terms: new Map(), constant: Number(atom.value) };
  if (atom.kind !== "var") return OPAQUE(atom.kind === "global" ? atom.name : "");
  const expr = exprOf(atom, scope.lets);
  if (expr?.kind !== "op") return OPAQUE(atom.name);
  const [x, z] = expr.args;
  if (x === undefined || z === undefined) return OPAQUE(atom.name);
  if (expr.op === "add" || expr.op === "sub")
    return plus(sumOf(x, scope), sumOf(z, scope), expr.op === "add" ? 1 : -1);
  if (expr.op !== "mul") return OPAQUE(atom.name);
  const factor = x.kind === "const" ? x : z.kind === "const" ? z : null;
  return factor === null
    ? OPAQUE(atom.name)
    : plus(
        { terms: new Map(), constant: 0 },
        sumOf(factor === x ? z : x, scope),
        Number(factor.value),
      );
}

function plus(a: Sum, b: Sum, times: number): Sum {
  const terms = new Map(a.terms);
  for (const [name, count] of b.terms) {
    const sum = (terms.get(name) ?? 0) + times * count;
    if (sum === 0) terms.delete(name);
    else terms.set(name, sum);
  }
  return { terms, constant: a.constant + times * b.constant };
}

/** The sum at its least or its most: counters are at an end of their range. */
function extreme(sum: Sum, which: "least" | "most", scope: Scope): Sum {
  for (const [name, count] of sum.terms) {
    const range = scope.counters.get(name);
    const end =
      range === undefined ? null : count > 0 === (which === "most") ? range.most : range.least;
    if (end === null) continue;
    const without: Sum = {
      terms: new Map([...sum.terms].filter(([other]) => other !== name)),
      constant: sum.constant + count * end.more,
    };
    return extreme(plus(without, sumOf(end.atom, scope), count), which, scope);
  }
  return sum;
}

function rangeOf({ from, test, to, step }: For): Range {
  const first: Bound = { atom: from, more: 0 };
  const last: Bound = { atom: to, more: test === "<" ? -1 : test === ">" ? 1 : 0 };
  return step > 0 ? { least: first, most: last } : { least: last, most: first };
}

/** What starts somewhere and only grows, or only gets less. */
function carriedRange(
  { param, init }: Carried,
  next: Atom | undefined,
  lets: ReadonlyMap<string, Let>,
): Range {
  const step = next === undefined ? null : stepOf(param, next, lets);
  const start: Bound = { atom: init, more: 0 };
  return {
    least: step !== null && step >= 0 ? start : null,
    most: step !== null && step <= 0 ? start : null,
  };
}

function stepOf(
  param: Atom & { kind: "var" },
  next: Atom,
  lets: ReadonlyMap<string, Let>,
): number | null {
  const expr = exprOf(next, lets);
  if (expr?.kind !== "op" || (expr.op !== "add" && expr.op !== "sub")) return null;
  const [x, z] = expr.args;
  if (
    x?.kind !== "var" ||
    x.name !== param.name ||
    z?.kind !== "const" ||
    typeof z.value !== "number"
  )
    return null;
  return expr.op === "add" ? z.value : -z.value;
}

/** `i < n` among the conditions of a `while` that all have to hold. */
function testedBound(
  { test }: While,
  param: Atom & { kind: "var" },
  which: "least" | "most",
  lets: ReadonlyMap<string, Let>,
): Bound | null {
  const visit = (atom: Atom | undefined): Bound | null => {
    const expr = atom === undefined ? null : exprOf(atom, lets);
    if (expr?.kind !== "op") return null;
    const [x, z] = expr.args;
    if (expr.op === "and") return visit(x) ?? visit(z);
    if (x === undefined || z === undefined) return null;
    const less = LESS[expr.op];
    if (less === undefined) return null;
    const [small, large] = less.turned ? [z, x] : [x, z];
    const isParam = (one: Atom): boolean => one.kind === "var" && one.name === param.name;
    if (which === "most")
      return isParam(small) ? { atom: large, more: less.strict ? -1 : 0 } : null;
    return isParam(large) ? { atom: small, more: less.strict ? 1 : 0 } : null;
  };
  return visit(test.result[0]);
}

/** Comparisons as `small < large` or `small <= large`. */
const LESS: Readonly<
  Partial<Record<ScalarOp, { readonly strict: boolean; readonly turned: boolean }>>
> = {
  lt: { strict: true, turned: false },
  le: { strict: false, turned: false },
  gt: { strict: true, turned: true },
  ge: { strict: false, turned: true },
};
