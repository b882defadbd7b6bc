// Ranges of index expressions. An index is a sum of names with integer factors; loop counters and
// carried numbers range between bounds that are sums again. Also the least length of array
// literals.

import { num } from "../../ir/build.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Carried, Expr, For, Let, While } from "../../ir/types.ts";
import { walkAtoms, walkStmts } from "../../ir/visit.ts";
import { letsIn } from "../../ir/lets.ts";

/** A linear sum: the factor of each name, and a constant. */
interface Sum {
  readonly terms: ReadonlyMap<string, number>;
  readonly constant: number;
}

/** The inclusive range of a counter; null: unknown. */
interface Range {
  readonly least: Bound | null;
  readonly most: Bound | null;
}

/** `atom + more` */
interface Bound {
  readonly atom: Atom;
  readonly more: number;
}

export interface Indices {
  readonly lets: ReadonlyMap<string, Let>;
  readonly counters: ReadonlyMap<string, Range>;
  /** Names that `while` loops carry. */
  readonly carried: ReadonlySet<string>;
}

export function indicesOf(body: Body): Indices {
  const lets = letsIn(body);
  const counters = new Map<string, Range>();
  const carried = new Set<string>();
  const loops: (For | While)[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "for" || stmt.kind === "while") loops.push(stmt);
  });
  for (const loop of loops) {
    if (loop.kind === "for") counters.set(loop.index.name, rangeOf(loop));
    for (const [i, one] of loop.carried.entries()) {
      if (loop.kind === "while") carried.add(one.param.name);
      const range = carriedRange(one, loop.body.result[i], lets);
      const { least, most } = loop.kind === "while" ? testedRange(range, loop, one, lets) : range;
      if (least !== null || most !== null) counters.set(one.param.name, { least, most });
    }
  }
  for (const [name, least] of leastLengths(body, lets))
    counters.set(name, { least: { atom: num(least), more: 0 }, most: null });
  return { lets, counters, carried };
}

/** The range of a number that a `while` loop carries and perhaps tests. */
const testedRange = (
  { least, most }: Range,
  loop: While,
  { param }: Carried,
  lets: ReadonlyMap<string, Let>,
): Range => ({
  least: least ?? testedBound(loop, param, "least", lets),
  most: most ?? testedBound(loop, param, "most", lets),
});

/**
 * By name of a length: the element count of an array literal that has no alias and never shrinks.
 */
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
  // by array: uses other than reads and writes of its elements
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

/** The definition of a name, through copies. */
export function exprOf(atom: Atom, lets: ReadonlyMap<string, Let>): Expr | null {
  const expr = atom.kind === "var" ? (lets.get(atom.name)?.expr ?? null) : null;
  return expr?.kind === "copy" ? exprOf(expr.atom, lets) : expr;
}

/** Whether an index is at least 0. */
export function isNonnegative(at: Atom, scope: Indices): boolean {
  const expr = exprOf(at, scope.lets);
  if (expr?.kind === "op") {
    if (expr.op === "min" || expr.op === "select")
      return expr.args
        .slice(expr.op === "select" ? 1 : 0)
        .every((arg) => isNonnegative(arg, scope));
    if (expr.op === "max") return expr.args.some((arg) => isNonnegative(arg, scope));
  }
  // a number that is loaded, passed in or carried may be the -1 of a search
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

/** Whether an index is below the bound of its loop, whatever the array. */
export function isBelowBound(at: Atom, scope: Indices): boolean {
  const expr = exprOf(at, scope.lets);
  if (expr?.kind === "op") {
    if (expr.op === "max" || expr.op === "select")
      return expr.args.slice(expr.op === "select" ? 1 : 0).every((arg) => isBelowBound(arg, scope));
    if (expr.op === "min") return expr.args.some((arg) => isBelowBound(arg, scope));
    if (expr.op === "mod" || expr.op === "band") return true;
  }
  return at.kind === "const" || extreme(sumOf(at, scope), "most", scope).constant < 0;
}

const OPAQUE = (name: string): Sum => ({ terms: new Map([[name, 1]]), constant: 0 });

export function sumOf(atom: Atom, scope: Indices): Sum {
  if (atom.kind === "const") return { terms: new Map(), constant: Number(atom.value) };
  if (atom.kind !== "var") return OPAQUE(atom.kind === "global" ? atom.name : "");
  const expr = exprOf(atom, scope.lets);
  if (expr?.kind !== "op") return OPAQUE(atom.name);
  const [x, z] = expr.args;
  if (x !== undefined && expr.op === "neg") return plus(ZERO, sumOf(x, scope), -1);
  if (x === undefined || z === undefined) return OPAQUE(atom.name);
  return arithmetic(expr.op, x, z, scope) ?? OPAQUE(atom.name);
}

function arithmetic(op: ScalarOp, x: Atom, z: Atom, scope: Indices): Sum | null {
  if (op === "add" || op === "sub")
    return plus(sumOf(x, scope), sumOf(z, scope), op === "add" ? 1 : -1);
  if (op !== "mul") return null;
  if (x.kind === "const") return plus(ZERO, sumOf(z, scope), Number(x.value));
  return z.kind === "const" ? plus(ZERO, sumOf(x, scope), Number(z.value)) : null;
}

const ZERO: Sum = { terms: new Map(), constant: 0 };

function plus(a: Sum, b: Sum, times: number): Sum {
  const terms = new Map(a.terms);
  for (const [name, count] of b.terms) {
    const sum = (terms.get(name) ?? 0) + times * count;
    if (sum === 0) terms.delete(name);
    else terms.set(name, sum);
  }
  return { terms, constant: a.constant + times * b.constant };
}

/** The minimum or maximum of a sum: each counter is at an end of its range. */
export function extreme(sum: Sum, which: "least" | "most", scope: Indices): Sum {
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

/** The range of a carried number that only grows or only shrinks. */
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

/** A bound from `i < n` among the conjuncts of a `while` test. */
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
    const less = INEQUALITIES[expr.op];
    if (less === undefined) return null;
    const [small, large] = less.turned ? [z, x] : [x, z];
    const isParam = (one: Atom): boolean => one.kind === "var" && one.name === param.name;
    if (which === "most")
      return isParam(small) ? { atom: large, more: less.strict ? -1 : 0 } : null;
    return isParam(large) ? { atom: small, more: less.strict ? 1 : 0 } : null;
  };
  return visit(test.result[0]);
}

/** Comparisons as `small < large` or `small <= large`; `turned`: the operands are swapped. */
export const INEQUALITIES: Readonly<
  Partial<Record<ScalarOp, { readonly strict: boolean; readonly turned: boolean }>>
> = {
  lt: { strict: true, turned: false },
  le: { strict: false, turned: false },
  gt: { strict: true, turned: true },
  ge: { strict: false, turned: true },
};
