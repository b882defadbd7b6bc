// Replaces lengths of arrays allocated here.
//   y = alloc n fill 0; …; length y   ->   n
//   z = zeros a; …; length z          ->   length a
//   c = slice a 0; …; length c        ->   length a
//   y = alloc n; …; zeros y           ->   alloc n fill 0   of numbers
//   y = alloc n; …; for i < length y  ->   for i < n      `n` may be any number
// Invariant: nothing in the function may change the length of the array. See Note [In bounds].

import { num } from "../../ir/build.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt } from "../../ir/types.ts";
import { mapBodies, stmtBodies } from "../../ir/visit.ts";
import { ownAccesses, type Access } from "./access.ts";
import { Replacements, isNumber, sameAtom } from "../atoms.ts";
import { Memory } from "./memory.ts";
import { someStmt } from "../stmts.ts";
import { letsIn, definition } from "../../ir/lets.ts";

interface Known {
  readonly memory: Memory;
  readonly defs: ReadonlyMap<string, Let>;
  /** Sites whose length may change. */
  readonly changing: ReadonlySet<string>;
  /** Whether outside code may run, and change the lengths of all arrays that it can reach. */
  readonly foreign: boolean;
  readonly replaced: Replacements;
}

export function lengths(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  const defs = letsIn(func.body);
  const known: Known = {
    memory,
    defs,
    ...changesOf(func, defs, memory),
    replaced: new Replacements(),
  };
  const body = rewrite(func.body, known);
  return withBody(func, known.replaced.finish(body));
}

/** A test whether an array keeps its initial length all through the function. */
export function steadyIn(func: Func, types: Types): (array: Atom) => boolean {
  const [memory, defs] = [Memory.of(func, types), letsIn(func.body)];
  const known = { memory, ...changesOf(func, defs, memory) };
  return (array) => isSteady(array, known);
}

/** Sites of arrays whose length a statement of the function itself may change. */
export const changingSites = (func: Func, memory: Memory): ReadonlySet<string> =>
  changesOf(func, letsIn(func.body), memory).changing;

/** The least fixpoint: a store is in bounds if the lengths that it depends on do not change. */
function changesOf(
  func: Func,
  defs: ReadonlyMap<string, Let>,
  memory: Memory,
): Pick<Known, "changing" | "foreign"> {
  const changing = new Set<string>();
  const foreign = runsForeign(func.body);
  for (;;) {
    const before = changing.size;
    noteChanging(func.body, { defs, memory, changing, foreign, ranges: new Map() });
    if (changing.size === before) return { changing, foreign };
  }
}

/** Whether the function may run outside code. */
const runsForeign = (body: Body): boolean =>
  someStmt(body, (stmt) => ownAccesses(stmt).some((one) => one.write && one.object === null));

function rewrite(body: Body, known: Known): Body {
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt): readonly Stmt[] => {
      if (stmt.kind === "for")
        return [mapBodies(bounded(stmt, known), (nested) => rewrite(nested, known))];
      if (stmt.kind === "let" && stmt.expr.kind === "zeros") return [zeroed(stmt, known)];
      if (stmt.kind !== "let" || stmt.expr.kind !== "length")
        return [mapBodies(stmt, (nested) => rewrite(nested, known))];
      const same = sourceOf(stmt.expr.object, known);
      if (same === null) return [stmt];
      if (same.kind === "length") return [{ ...stmt, expr: same }];
      known.replaced.replace(stmt.bind, same.atom);
      return [];
    }),
  );
}

/** An index that is an integer is below `n` where it is below the length of `n` elements. */
function bounded(loop: For, { defs, ...known }: Known): For {
  const length = definition(loop.to, defs);
  const object = length?.kind === "length" ? length.object : null;
  const array = definition(object, defs);
  if (loop.test !== "<" || loop.step !== 1 || !isNumber(loop.from)) return loop;
  // a typed array has as many elements as the integer part of `n`
  if (object === null || isTyped(object) || array?.kind !== "alloc") return loop;
  return array.fill === null && isSteady(object, known) ? { ...loop, to: array.length } : loop;
}

function zeroed(stmt: Let, known: Known): Let {
  const like = stmt.expr.kind === "zeros" ? stmt.expr.like : stmt.bind;
  const isOfNumbers = like.type.kind === "array" && like.type.elem.kind === "num";
  const same = isOfNumbers ? sourceOf(like, known) : null;
  return same?.kind === "copy"
    ? { ...stmt, expr: { kind: "alloc", length: same.atom, fill: num(0) } }
    : stmt;
}

/** The initial length of the array, if it still has it. */
function sourceOf(
  object: Atom,
  known: Known,
): (Expr & { readonly kind: "copy" | "length" }) | null {
  if (object.kind !== "var" || !isSteady(object, known)) return null;
  const expr = known.defs.get(object.name)?.expr;
  if (expr?.kind === "alloc")
    return isCount(expr.length, known) ? { kind: "copy", atom: expr.length } : null;
  const like =
    expr?.kind === "zeros"
      ? expr.like
      : expr?.kind === "slice" && isWhole(expr)
        ? expr.object
        : null;
  return like !== null && isSteady(like, known) ? { kind: "length", object: like } : null;
}

const isWhole = ({ from, to }: Expr & { readonly kind: "slice" }): boolean =>
  isNumber(from) && from.value === 0 && to === null;

/** Typed arrays have a fixed length. */
const isTyped = ({ type }: Atom): boolean => type.kind === "array" && type.store !== "Array";

const isSteady = (
  array: Atom,
  { memory, changing, foreign }: Pick<Known, "memory" | "changing" | "foreign">,
): boolean => {
  if (isTyped(array)) return true;
  const sites = [...memory.sites(array)];
  return (
    sites.length > 0 &&
    sites.every((site) => !changing.has(site) && !(foreign && memory.escapes(site)))
  );
};

/** Whether `alloc` with this length makes exactly so many elements. */
function isCount(atom: Atom, { defs }: Known): boolean {
  if (isNumber(atom)) return Number.isInteger(atom.value) && atom.value >= 0;
  return definition(atom, defs)?.kind === "length";
}

interface Walk {
  readonly defs: ReadonlyMap<string, Let>;
  readonly memory: Memory;
  readonly changing: Set<string>;
  readonly foreign: boolean;
  /** For each loop index that counts up from 0: its upper bound. */
  readonly ranges: Map<string, Atom>;
}

/** Adds the sites whose length may change. */
function noteChanging(body: Body, walk: Walk): void {
  for (const stmt of body.stmts) {
    if (stmt.kind === "for" && countsUp(stmt)) walk.ranges.set(stmt.index.name, stmt.to);
    for (const one of ownAccesses(stmt)) {
      if (!one.write || one.object === null || isTyped(one.object)) continue;
      if (mayResize(one, stmt, walk))
        for (const site of walk.memory.sites(one.object)) walk.changing.add(site);
    }
    for (const nested of stmtBodies(stmt)) noteChanging(nested, walk);
  }
}

const countsUp = ({ test, step, from }: For): boolean =>
  test === "<" && step > 0 && isNumber(from) && from.value >= 0;

const mayResize = ({ part }: Access, stmt: Stmt, walk: Walk): boolean =>
  (part.kind === "length" && !isInBounds(stmt, walk)) ||
  (part.kind === "elements" && stmt.kind !== "fill");

/** Whether a store is below the initial length of its array. */
function isInBounds(stmt: Stmt, walk: Walk): boolean {
  if (stmt.kind !== "store" || stmt.key.kind !== "index" || stmt.object.kind !== "var")
    return false;
  const expr = walk.defs.get(stmt.object.name)?.expr;
  const { at } = stmt.key;
  const bound = at.kind === "var" ? walk.ranges.get(at.name) : undefined;
  if (bound === undefined) return false;
  if (expr?.kind === "slice")
    return (
      isLengthOf(bound, stmt.object, walk) ||
      (isWhole(expr) && isSteady(expr.object, walk) && isLengthOf(bound, expr.object, walk))
    );
  return (
    expr?.kind === "alloc" && sameAtom(initialLength(bound, walk), initialLength(expr.length, walk))
  );
}

function isLengthOf(atom: Atom, array: Atom, { defs }: Walk): boolean {
  const expr = definition(atom, defs);
  return expr?.kind === "length" && sameAtom(expr.object, array);
}

/** The initial length of the array whose length this is, if nothing is known to change it. */
function initialLength(length: Atom, walk: Walk): Atom {
  const expr = definition(length, walk.defs);
  if (
    expr?.kind !== "length" ||
    expr.object.kind !== "var" ||
    !isSteady(expr.object, { ...walk, foreign: true })
  )
    return length;
  const source = walk.defs.get(expr.object.name)?.expr;
  return source?.kind === "alloc" ? initialLength(source.length, walk) : length;
}

// Note [In bounds]
// An out-of-bounds store lengthens an array. So a primal store counts as a change of the length,
// unless its index stays below the initial length of the array, or of an array allocated with the
// same length. A copy keeps its length if all stores into it are below it. Stores into shadows are
// in bounds, as the stores into their primals were.
