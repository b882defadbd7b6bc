// Finds neighbouring statements that can be one loop over the elements of arrays allocated here.
// Invariant: a run writes only its own arrays, each loop its element `i`. It reads elements `i` and
// `i - 1` of them, or the first one between the loops. The arrays are distinct local objects, as
// long as the loops' bound. The run writes nothing else that it reads.

import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, Key, Let, Stmt, Store, Var } from "../../ir/types.ts";
import { givesFreshObject, isPure } from "../../ir/effects.ts";
import { innerBinds, stmtAtoms, stmtBinds, stmtBodies, stmtFreeVars } from "../../ir/visit.ts";
import { isNumber, isValue, sameAtom } from "../atoms.ts";
import { changingSites } from "../memory/lengths.ts";
import { Memory } from "../memory/memory.ts";

/** A loop, or a statement for the first elements between loops. */
export type Item =
  | { readonly kind: "loop"; readonly loop: For }
  | { readonly kind: "first"; readonly stmt: Let | Store };

export interface Run {
  readonly items: readonly Item[];
  /** Statements between the loops that need none of them, and run before. */
  readonly before: readonly Let[];
  /** The number of elements; any number, if each array gets its elements by the run. */
  readonly bound: Atom;
  /** Names of the arrays that are written. */
  readonly arrays: ReadonlySet<string>;
}

export interface Known {
  readonly memory: Memory;
  readonly defs: ReadonlyMap<string, Expr>;
  /** Sites whose length may change. */
  readonly changing: ReadonlySet<string>;
  /** The position of each name's binding in the function. */
  readonly order: ReadonlyMap<string, number>;
}

export function knownOf(func: Func, types: Types): Known {
  const defs = new Map<string, Expr>();
  const order = new Map<string, number>();
  const note = ({ name }: Var): void => {
    order.set(name, order.size);
  };
  const visit = (body: Body): void => {
    for (const stmt of body.stmts) {
      if (stmt.kind === "let") defs.set(stmt.bind.name, stmt.expr);
      innerBinds(stmt).forEach(note);
      stmtBodies(stmt).forEach(visit);
      stmtBinds(stmt).forEach(note);
    }
  };
  func.params.forEach(note);
  visit(func.body);
  const memory = Memory.of(func, types);
  return { memory, defs, changing: changingSites(func, memory), order };
}

/** The run that consists of all the statements, or null. */
export function runOf(stmts: readonly Stmt[], known: Known): Run | null {
  const loops = stmts.filter((stmt) => stmt.kind === "for");
  const bound = loops[0] === undefined ? null : canonicalCount(loops[0].to, known);
  if (
    bound === null ||
    !loops.every(
      (loop) => isPlain(loop) && sameAtom(canonicalCount(loop.to, known) ?? loop.from, bound),
    )
  )
    return null;
  const arrays = new Set<string>();
  for (const stmt of stmts)
    for (const { object } of storesIn(stmt)) {
      if (object.kind !== "var" || !isElements(object, bound, known)) return null;
      arrays.add(object.name);
    }
  const reading = new Reading(arrays, known);
  return reading.all(stmts)
    ? { items: reading.items, before: reading.before, bound, arrays }
    : null;
}

const isPlain = ({ from, test, step, schedule, carried }: For): boolean =>
  (isValue(from, 0) || isValue(from, 1)) &&
  test === "<" &&
  step === 1 &&
  schedule === undefined &&
  carried.every(({ param: { type } }) => type.kind === "num" || type.kind === "bool");

export function storesIn(stmt: Stmt): readonly Store[] {
  if (stmt.kind === "store") return [stmt];
  return stmt.kind === "for" ? stmt.body.stmts.filter((inner) => inner.kind === "store") : [];
}

/** A canonical atom for a count: a positive constant, an initial length, or another name. */
function canonicalCount(atom: Atom, known: Known): Atom | null {
  if (isNumber(atom)) return Number.isInteger(atom.value) && atom.value > 0 ? atom : null;
  const expr = atom.kind === "var" ? known.defs.get(atom.name) : undefined;
  if (expr?.kind !== "length") return atom.kind === "var" ? atom : null;
  const source = expr.object.kind === "var" ? known.defs.get(expr.object.name) : undefined;
  return source?.kind === "alloc" && expr.object.kind === "var" && isSteady(expr.object, known)
    ? canonicalCount(source.length, known)
    : atom;
}

const isSteady = (array: Var, { memory, changing }: Known): boolean =>
  memory.only(array) === array.name &&
  !memory.escapes(array.name) &&
  (isTyped(array) || !changing.has(array.name));

export const isTyped = ({ type }: Atom): boolean =>
  type.kind === "array" && type.store === "Float64Array";

/** Whether the name denotes a local array of numbers that has, and keeps, `bound` elements. */
function isElements(array: Var, bound: Atom, known: Known): boolean {
  const def = known.defs.get(array.name);
  const isOfNumbers =
    array.type.kind === "array" &&
    array.type.elem.kind === "num" &&
    (array.type.store === "Array" || isTyped(array));
  return (
    isOfNumbers &&
    def?.kind === "alloc" &&
    (isNumber(bound) || isLength(bound, known) || (def.fill === null && !isTyped(array))) &&
    isSteady(array, known) &&
    sameAtom(canonicalCount(def.length, known) ?? array, bound)
  );
}

const isLength = (atom: Atom, { defs }: Known): boolean =>
  atom.kind === "var" && defs.get(atom.name)?.kind === "length";

// places ------------------------------------------------------------------------------------------

/** The element of a run's own array that an expression loads, or null. */
export function placeOf(
  expr: Expr,
  loop: For,
  arrays: ReadonlySet<string>,
  { defs }: Known,
): { readonly array: Var; readonly at: "own" | "previous" } | null {
  if (
    expr.kind !== "load" ||
    expr.object.kind !== "var" ||
    !arrays.has(expr.object.name) ||
    expr.key.kind !== "index"
  )
    return null;
  if (sameAtom(expr.key.at, loop.index)) return { array: expr.object, at: "own" };
  const index = expr.key.at.kind === "var" ? defs.get(expr.key.at.name) : undefined;
  const [x, one] = index?.kind === "op" && index.op === "sub" ? index.args : [];
  const isPrevious =
    x !== undefined && one !== undefined && sameAtom(x, loop.index) && isValue(one, 1);
  // From 1 on, so that no iteration reads before the start of the array.
  return isPrevious && isValue(loop.from, 1) ? { array: expr.object, at: "previous" } : null;
}

const isAt = (key: Key, at: Var | 0): boolean =>
  key.kind === "index" && (at === 0 ? isValue(key.at, 0) : sameAtom(key.at, at));

/** Whether a load surely gives a number: a typed array of `bound` elements has no holes. */
export function isInside(expr: Expr, index: Var | 0, { bound }: Run, { defs }: Known): boolean {
  const length = bound.kind === "var" ? defs.get(bound.name) : undefined;
  return (
    expr.kind === "load" &&
    isTyped(expr.object) &&
    isAt(expr.key, index) &&
    length?.kind === "length" &&
    sameAtom(length.object, expr.object)
  );
}

class Reading {
  readonly items: Item[] = [];
  readonly before: Let[] = [];
  readonly #arrays: ReadonlySet<string>;
  readonly #known: Known;
  /** Names bound by statements for the first elements. */
  readonly #first = new Set<string>();
  /** Arrays that a statement so far writes. */
  readonly #stored = new Set<string>();
  /** Names bound by the loops: not available before the loops have ended. */
  readonly #sums = new Set<string>();

  constructor(arrays: ReadonlySet<string>, known: Known) {
    this.#arrays = arrays;
    this.#known = known;
  }

  readonly all = (stmts: readonly Stmt[]): boolean =>
    stmts.every((stmt) => {
      if ([...stmtFreeVars(stmt).keys()].some((name) => this.#sums.has(name))) return false;
      if (stmt.kind === "for") return this.#loop(stmt);
      return stmt.kind === "store" ? this.#store(stmt) : stmt.kind === "let" && this.#let(stmt);
    });

  #isFirst(atom: Atom): boolean {
    return atom.kind === "var" && this.#first.has(atom.name);
  }

  #isArray(atom: Atom): boolean {
    return atom.kind === "var" && this.#arrays.has(atom.name);
  }

  /** Whether the atom may denote one of the arrays. */
  #touches(atom: Atom): boolean {
    if (atom.kind !== "var")
      return [...this.#known.memory.sites(atom)].some((site) => this.#arrays.has(site));
    const { memory, order } = this.#known;
    // A name bound before the allocation can at most denote the array of a previous iteration.
    const isLater = (site: string): boolean =>
      (order.get(atom.name) ?? Infinity) >= (order.get(site) ?? 0);
    return [...memory.sites(atom)].some((site) => this.#arrays.has(site) && isLater(site));
  }

  #loop(loop: For): boolean {
    this.items.push({ kind: "loop", loop });
    for (const bind of loop.binds) this.#sums.add(bind.name);
    // The initial value of a carried sum must exist for empty arrays, too.
    if (stmtAtoms(loop).some((atom) => this.#isFirst(atom))) return false;
    return loop.body.stmts.every((stmt) => {
      if (stmt.kind === "store")
        return this.#isWrite(stmt, isValue(loop.from, 0)) && isAt(stmt.key, loop.index);
      const place =
        stmt.kind === "let" ? placeOf(stmt.expr, loop, this.#arrays, this.#known) : null;
      return place === null || stmt.kind !== "let"
        ? this.#isApart(stmt)
        : this.#isRead(stmt, place.array);
    });
  }

  /** Whether the element is a number. */
  #isRead({ bind }: Let, array: Atom): boolean {
    return bind.type.kind === "num" && !this.#isEmpty(array);
  }

  /** Whether the array was allocated without elements, and none was stored yet. */
  #isEmpty(array: Atom): boolean {
    const def = array.kind === "var" ? this.#known.defs.get(array.name) : undefined;
    return (
      array.kind === "var" &&
      def?.kind === "alloc" &&
      def.fill === null &&
      !this.#stored.has(array.name)
    );
  }

  /** Whether a number is stored; into an array without elements, once and from the first one on. */
  #isWrite({ object, value, initial, removed }: Store, fromFirst: boolean): boolean {
    if (value.type.kind !== "num" || removed === true || object.kind !== "var") return false;
    const isFirst = this.#isEmpty(object);
    this.#stored.add(object.name);
    return isFirst ? initial === true && fromFirst : initial !== true && !this.#isGrown(object);
  }

  #isGrown({ name }: Var): boolean {
    const def = this.#known.defs.get(name);
    return def?.kind === "alloc" && def.fill === null;
  }

  /** Whether a statement, with its nested bodies, only computes, and not from the arrays. */
  #isApart(stmt: Stmt): boolean {
    const isComputing =
      stmt.kind === "let" ? isComputed(stmt.expr) : stmt.kind === "if" || stmt.kind === "for";
    const isLength = stmt.kind === "let" && stmt.expr.kind === "length";
    const inBody = (body: Body): boolean =>
      body.stmts.every((inner) => this.#isApart(inner)) &&
      !body.result.some((atom) => this.#touches(atom));
    return (
      isComputing &&
      (isLength || !stmtAtoms(stmt).some((atom) => this.#touches(atom))) &&
      stmtBodies(stmt).every(inBody)
    );
  }

  // a[0] = v, where `a` may be empty: a typed array then stays as it is
  #store(stmt: Store): boolean {
    this.items.push({ kind: "first", stmt });
    return this.#isWrite(stmt, false) && isAt(stmt.key, 0) && isTyped(stmt.object);
  }

  #let(stmt: Let): boolean {
    const { expr } = stmt;
    const isFirst =
      expr.kind === "load" &&
      this.#isArray(expr.object) &&
      isAt(expr.key, 0) &&
      this.#isRead(stmt, expr.object);
    if (isFirst || stmtAtoms(stmt).some((atom) => this.#isFirst(atom))) {
      this.#first.add(stmt.bind.name);
      this.items.push({ kind: "first", stmt });
      return isFirst || this.#isApart(stmt);
    }
    this.before.push(stmt);
    return (
      this.#isApart(stmt) ||
      (expr.kind === "alloc" && (expr.fill === null || !this.#touches(expr.fill)))
    );
  }
}

/** Whether evaluating the expression only computes a value from what it reads. */
const isComputed = (expr: Expr): boolean =>
  expr.kind === "extern" ? expr.effect === "pure" : isPure(expr) && !givesFreshObject(expr);
