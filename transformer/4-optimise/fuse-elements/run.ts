// Which neighbouring statements can be one loop over the elements of arrays made here. In: statements, and what is known of their function. Out: a Run, or null.
// Invariant: a run writes elements of its own arrays only, each loop its element `i`, and reads of them elements `i` and `i - 1`, or the first one between the
// loops; the arrays are distinct objects that nobody outside sees, and as long as the loops' bound. All else that a run reads it does not write.

import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, Key, Let, Stmt, Store, Var } from "../../ir/types.ts";
import {
  innerBinds,
  stmtAtoms,
  stmtBinds,
  stmtBodies,
  stmtFreeVars,
  unreachable,
} from "../../ir/visit.ts";
import { isNumber, isValue, sameAtom } from "../atoms.ts";
import { changingSites } from "../memory/lengths.ts";
import { Memory } from "../memory/memory.ts";

/** A loop, or a statement for the first elements between loops. */
export type Item =
  | { readonly kind: "loop"; readonly loop: For }
  | { readonly kind: "first"; readonly stmt: Let | Store };

export interface Run {
  readonly items: readonly Item[];
  /** Statements between the loops that need none of them, to run before. */
  readonly before: readonly Let[];
  /** How many elements there are: a whole number. */
  readonly bound: Atom;
  /** The arrays that are written, by name. */
  readonly arrays: ReadonlySet<string>;
}

export interface Known {
  readonly memory: Memory;
  readonly made: ReadonlyMap<string, Expr>;
  /** Sites whose length may change. */
  readonly changing: ReadonlySet<string>;
  /** Where each name is bound, counted from the function's beginning. */
  readonly order: ReadonlyMap<string, number>;
}

export function knownOf(func: Func, types: Types): Known {
  const made = new Map<string, Expr>();
  const order = new Map<string, number>();
  const note = ({ name }: Var): void => {
    order.set(name, order.size);
  };
  const visit = (body: Body): void => {
    for (const stmt of body.stmts) {
      if (stmt.kind === "let") made.set(stmt.bind.name, stmt.expr);
      innerBinds(stmt).forEach(note);
      stmtBodies(stmt).forEach(visit);
      stmtBinds(stmt).forEach(note);
    }
  };
  func.params.forEach(note);
  visit(func.body);
  const memory = Memory.of(func, types);
  return { memory, made, changing: changingSites(func, memory), order };
}

/** The run that the statements are, all of them. */
export function runOf(stmts: readonly Stmt[], known: Known): Run | null {
  const loops = stmts.filter((stmt) => stmt.kind === "for");
  const bound = loops[0] === undefined ? null : countOf(loops[0].to, known);
  if (
    bound === null ||
    !loops.every((loop) => isPlain(loop) && sameAtom(countOf(loop.to, known) ?? loop.from, bound))
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

const isPlain = ({ from, test, step, vector, schedule, carried }: For): boolean =>
  (isValue(from, 0) || isValue(from, 1)) &&
  test === "<" &&
  step === 1 &&
  vector === undefined &&
  schedule === undefined &&
  carried.every(({ param: { type } }) => type.kind === "num" || type.kind === "bool");

export function storesIn(stmt: Stmt): readonly Store[] {
  if (stmt.kind === "store") return [stmt];
  return stmt.kind === "for" ? stmt.body.stmts.filter((inner) => inner.kind === "store") : [];
}

/** The number itself, or what an array was made with whose length it is; null unless it surely is a count. */
function countOf(atom: Atom, known: Known): Atom | null {
  if (isNumber(atom)) return Number.isInteger(atom.value) && atom.value > 0 ? atom : null;
  const expr = atom.kind === "var" ? known.made.get(atom.name) : undefined;
  if (expr?.kind !== "length") return null;
  const source = expr.object.kind === "var" ? known.made.get(expr.object.name) : undefined;
  return source?.kind === "alloc" && expr.object.kind === "var" && isSteady(expr.object, known)
    ? countOf(source.length, known)
    : atom;
}

const isSteady = (array: Var, { memory, changing }: Known): boolean =>
  memory.only(array) === array.name &&
  !memory.escapes(array.name) &&
  (isTyped(array) || !changing.has(array.name));

export const isTyped = ({ type }: Atom): boolean =>
  type.kind === "array" && type.store === "Float64Array";

/** Whether the name means an array of numbers that was made here, is seen here alone, and has and keeps `bound` elements. */
function isElements(array: Var, bound: Atom, known: Known): boolean {
  const made = known.made.get(array.name);
  const isOfNumbers =
    array.type.kind === "array" &&
    array.type.elem.kind === "num" &&
    (array.type.store === "Array" || isTyped(array));
  return (
    isOfNumbers &&
    made?.kind === "alloc" &&
    isSteady(array, known) &&
    sameAtom(countOf(made.length, known) ?? array, bound)
  );
}

// places ---------------------------------------------------------------------------------------------------------

/** Which element of a run's own arrays an expression in a loop reads; null where it reads something else. */
export function placeOf(
  expr: Expr,
  loop: For,
  arrays: ReadonlySet<string>,
  { made }: Known,
): { readonly array: Var; readonly at: "own" | "previous" } | null {
  if (
    expr.kind !== "load" ||
    expr.object.kind !== "var" ||
    !arrays.has(expr.object.name) ||
    expr.key.kind !== "index"
  )
    return null;
  if (sameAtom(expr.key.at, loop.index)) return { array: expr.object, at: "own" };
  const index = expr.key.at.kind === "var" ? made.get(expr.key.at.name) : undefined;
  const [x, one] = index?.kind === "op" && index.op === "sub" ? index.args : [];
  const isPrevious =
    x !== undefined && one !== undefined && sameAtom(x, loop.index) && isValue(one, 1);
  // the first round reads nothing in front of the array
  return isPrevious && isValue(loop.from, 1) ? { array: expr.object, at: "previous" } : null;
}

const isAt = (key: Key, at: Var | 0): boolean =>
  key.kind === "index" && (at === 0 ? isValue(key.at, 0) : sameAtom(key.at, at));

/** Whether a load of what has `bound` elements gives a number: a typed array has no holes. */
export function isInside(expr: Expr, index: Var | 0, { bound }: Run, { made }: Known): boolean {
  const length = bound.kind === "var" ? made.get(bound.name) : undefined;
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
  /** Bound by statements for the first elements. */
  readonly #first = new Set<string>();
  /** Arrays that some statement so far writes. */
  readonly #stored = new Set<string>();
  /** Bound by the loops: not there before they have ended. */
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

  /** Whether the atom may mean one of the arrays. */
  #touches(atom: Atom): boolean {
    if (atom.kind !== "var")
      return [...this.#known.memory.sites(atom)].some((site) => this.#arrays.has(site));
    const { memory, order } = this.#known;
    // what a name means that was there before the array is an array of another round, at the most
    const isLater = (site: string): boolean =>
      (order.get(atom.name) ?? Infinity) >= (order.get(site) ?? 0);
    return [...memory.sites(atom)].some((site) => this.#arrays.has(site) && isLater(site));
  }

  #loop(loop: For): boolean {
    this.items.push({ kind: "loop", loop });
    for (const bind of loop.binds) this.#sums.add(bind.name);
    // what a sum begins with is there without elements, too
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

  /** Whether the element is there and a number. */
  #isRead({ bind }: Let, array: Atom): boolean {
    return bind.type.kind === "num" && !this.#isEmpty(array);
  }

  /** Whether the array was made without elements, and none was stored yet. */
  #isEmpty(array: Atom): boolean {
    const made = array.kind === "var" ? this.#known.made.get(array.name) : undefined;
    return (
      array.kind === "var" &&
      made?.kind === "alloc" &&
      made.fill === null &&
      !this.#stored.has(array.name)
    );
  }

  /** Whether a number is written, into an array without elements once and from the first one up. */
  #isWrite({ object, value, initial, removed }: Store, fromFirst: boolean): boolean {
    if (value.type.kind !== "num" || removed === true || object.kind !== "var") return false;
    const isFirst = this.#isEmpty(object);
    this.#stored.add(object.name);
    return isFirst ? initial === true && fromFirst : initial !== true && !this.#isGrown(object);
  }

  #isGrown({ name }: Var): boolean {
    const made = this.#known.made.get(name);
    return made?.kind === "alloc" && made.fill === null;
  }

  /** Whether a statement, nested ones included, does nothing but compute, and not from the arrays. */
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

  // a[0] = v, where `a` may have no elements: then a typed array stays as it is
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

/** Whether the value follows from what is read, and evaluating it does nothing else. */
function isComputed(expr: Expr): boolean {
  switch (expr.kind) {
    case "copy":
    case "op":
    case "load":
    case "length":
    case "present":
    case "unwrap":
      return true;
    case "extern":
      return expr.effect === "pure";
    case "call":
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "zeros":
    case "clone":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      return false;
    default:
      return unreachable(expr);
  }
}
