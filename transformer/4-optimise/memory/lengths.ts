// Lengths of arrays made here. In: an ssa function. Out: the same meaning.
//   y = alloc n fill 0 … length y   ->   n          z = zeros a … length z   ->   length a          c = slice a 0 … length c   ->   length a
// Invariant: nothing in the function may make one of the arrays longer or shorter. Note [In bounds].

import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Stmt } from "../../ir/types.ts";
import { mapBodies, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { ownAccesses } from "./access.ts";
import { Replacements, isNumber, sameAtom } from "../atoms.ts";
import { Memory } from "./memory.ts";

interface Known {
  readonly memory: Memory;
  readonly made: ReadonlyMap<string, Expr>;
  /** Sites whose length may change. */
  readonly changing: ReadonlySet<string>;
  /** Whether code outside may change lengths, and with it those of all it can reach. */
  readonly foreign: boolean;
  readonly replaced: Replacements;
}

export function lengths(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  const made = madeIn(func);
  const known: Known = {
    memory,
    made,
    ...changesOf(func, made, memory),
    replaced: new Replacements(),
  };
  const body = rewrite(func.body, known);
  return withBody(func, known.replaced.finish(body));
}

/** Whether an array is as long as it was made all through the function. */
export function steadyIn(func: Func, types: Types): (array: Atom) => boolean {
  const [memory, made] = [Memory.of(func, types), madeIn(func)];
  const known = { memory, ...changesOf(func, made, memory) };
  return (array) => isSteady(array, known);
}

/** Sites of arrays whose length something in the function itself may change. */
export const changingSites = (func: Func, memory: Memory): ReadonlySet<string> =>
  changesOf(func, madeIn(func), memory).changing;

function madeIn(func: Func): ReadonlyMap<string, Expr> {
  const made = new Map<string, Expr>();
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") made.set(stmt.bind.name, stmt.expr);
  });
  return made;
}

/** An array that none of the function's stores makes longer as long as the others keep their lengths keeps its own: what changes is found from none at all. */
function changesOf(
  func: Func,
  made: ReadonlyMap<string, Expr>,
  memory: Memory,
): Pick<Known, "changing" | "foreign"> {
  const changing = new Set<string>();
  const foreign = runsForeign(func.body);
  for (;;) {
    const before = changing.size;
    noteChanging(func.body, { made, memory, changing, foreign, ranges: new Map() });
    if (changing.size === before) return { changing, foreign };
  }
}

/** Whether code outside runs at all. */
function runsForeign(body: Body): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    found ||= ownAccesses(stmt).some((one) => one.write && one.object === null);
  });
  return found;
}

function rewrite(body: Body, known: Known): Body {
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt): readonly Stmt[] => {
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

/** What the length of the array was when it was made, if it still is. */
function sourceOf(
  object: Atom,
  known: Known,
): (Expr & { readonly kind: "copy" | "length" }) | null {
  if (object.kind !== "var" || !isSteady(object, known)) return null;
  const expr = known.made.get(object.name);
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

/** Typed arrays keep the length that they were made with. */
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

/** Whether an array of so many elements surely has just so many. */
function isCount(atom: Atom, { made }: Known): boolean {
  if (isNumber(atom)) return Number.isInteger(atom.value) && atom.value >= 0;
  return atom.kind === "var" && made.get(atom.name)?.kind === "length";
}

interface Walk {
  readonly made: ReadonlyMap<string, Expr>;
  readonly memory: Memory;
  readonly changing: Set<string>;
  readonly foreign: boolean;
  /** For each loop index that counts up from 0: what it stays below. */
  readonly ranges: Map<string, Atom>;
}

/** Notes sites whose length may change. */
function noteChanging(body: Body, walk: Walk): void {
  for (const stmt of body.stmts) {
    if (
      stmt.kind === "for" &&
      stmt.test === "<" &&
      stmt.step > 0 &&
      isNumber(stmt.from) &&
      stmt.from.value >= 0
    )
      walk.ranges.set(stmt.index.name, stmt.to);
    for (const one of ownAccesses(stmt)) {
      if (!one.write || one.object === null || isTyped(one.object)) continue;
      if (
        (one.part.kind === "length" && !isInBounds(stmt, walk)) ||
        (one.part.kind === "elements" && stmt.kind !== "fill")
      ) {
        for (const site of walk.memory.sites(one.object)) walk.changing.add(site);
      }
    }
    for (const nested of stmtBodies(stmt)) noteChanging(nested, walk);
  }
}

/** Whether a store is below the length that its array was made with. */
function isInBounds(stmt: Stmt, walk: Walk): boolean {
  if (stmt.kind !== "store" || stmt.key.kind !== "index" || stmt.object.kind !== "var")
    return false;
  const expr = walk.made.get(stmt.object.name);
  const { at } = stmt.key;
  const bound = at.kind === "var" ? walk.ranges.get(at.name) : undefined;
  if (bound === undefined) return false;
  if (expr?.kind === "slice")
    return (
      isLengthOf(bound, stmt.object, walk) ||
      (isWhole(expr) && isSteady(expr.object, walk) && isLengthOf(bound, expr.object, walk))
    );
  return expr?.kind === "alloc" && sameAtom(madeWith(bound, walk), madeWith(expr.length, walk));
}

function isLengthOf(atom: Atom, array: Atom, { made }: Walk): boolean {
  const expr = atom.kind === "var" ? made.get(atom.name) : undefined;
  return expr?.kind === "length" && sameAtom(expr.object, array);
}

/** A length is what its array was made with, if nothing is known to change it. */
function madeWith(length: Atom, walk: Walk): Atom {
  const expr = length.kind === "var" ? walk.made.get(length.name) : undefined;
  if (
    expr?.kind !== "length" ||
    expr.object.kind !== "var" ||
    !isSteady(expr.object, { ...walk, foreign: true })
  )
    return length;
  const source = walk.made.get(expr.object.name);
  return source?.kind === "alloc" ? madeWith(source.length, walk) : length;
}

// Note [In bounds]
// A store behind the end makes an array longer, so a primal store counts as changing the length unless its index runs below
// the length that the array was made with, or that of an array made with the same; a copy's length is its own as long as all its stores run below it. Stores into shadows are in bounds, as those into their primals were.
