// Returns a shadow itself instead of a copy of it. Such copies come from functions that copy an
// argument and work on the copy. Runs on code that is not differentiated any more.
//   x$bar = alloc n fill 0; a$bar = alloc n fill 0; p; for k { x$bar[k] = a$bar[k] }; yield x$bar
//     ->   a$bar = alloc n fill 0; p; yield a$bar
// Invariant: both are arrays of one type and length, allocated in the function's body. Only places
// of the second are read and written, none of them after the copy; the first is not used before it.

import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, For, Func, Key, Let, Stmt, Var } from "../../ir/types.ts";
import { sameType } from "../../ir/print.ts";
import { substitute } from "../../ir/rename.ts";
import { stmtAtoms, stmtBodies, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { atomKey, isValue, sameAtom } from "../atoms.ts";
import { steadyIn } from "./lengths.ts";

export function returnInPlace(func: Func, types: Types): Func {
  if (!func.body.stmts.some((stmt) => stmt.kind === "for" && copyIn(stmt) !== null)) return func;
  const steady = steadyIn(func, types);
  for (const [at, stmt] of func.body.stmts.entries()) {
    const copy = stmt.kind === "for" ? copyIn(stmt) : null;
    if (
      copy === null ||
      stmt.kind !== "for" ||
      !isWhole(stmt, copy, func.body.stmts.slice(0, at), steady)
    )
      continue;
    const rest = { stmts: func.body.stmts.slice(at + 1), result: func.body.result };
    if (mentions(rest, copy.from) || !isTouchedOnly(func.body.stmts.slice(0, at), copy)) continue;
    const before = func.body.stmts
      .slice(0, at)
      .filter((one) => !(one.kind === "let" && one.bind.name === copy.to.name));
    const after = substitute(rest, new Map([[copy.to.name, copy.from]]));
    return returnInPlace(
      { ...func, body: { stmts: [...before, ...after.stmts], result: after.result } },
      types,
    );
  }
  return func;
}

interface Copy {
  readonly to: Var;
  readonly from: Var;
}

/** The arrays of a loop whose body is `to[k] = from[k]` alone. */
function copyIn(loop: For): Copy | null {
  const { body, index } = loop;
  const [load, store, ...more] = body.stmts;
  if (load?.kind !== "let" || load.expr.kind !== "load" || store?.kind !== "store") return null;
  if (!countsFromZero(loop)) return null;
  if (store.adjoint !== true || more.length > 0 || !sameAtom(store.value, load.bind)) return null;
  const { object: from, key } = load.expr;
  const { object: to } = store;
  if (from.kind !== "var" || to.kind !== "var" || from.name === to.name) return null;
  return isElement(key, index) && isElement(store.key, index) ? { to, from } : null;
}

const countsFromZero = ({ from, test, step, carried }: For): boolean =>
  isValue(from, 0) && test === "<" && step === 1 && carried.length === 0;

const isElement = (key: Key, index: Var): boolean =>
  key.kind === "index" && sameAtom(key.at, index);

/** Whether the loop covers both arrays, and both are allocated as zeros of one type. */
function isWhole(
  { to: end }: For,
  copy: Copy,
  stmts: readonly Stmt[],
  steady: (array: Atom) => boolean,
): boolean {
  const lets = new Map(
    stmts.flatMap((stmt): readonly (readonly [string, Let])[] =>
      stmt.kind === "let" ? [[stmt.bind.name, stmt]] : [],
    ),
  );
  const [to, from] = [lets.get(copy.to.name), lets.get(copy.from.name)];
  if (to === undefined || from === undefined || !sameType(to.bind.type, from.bind.type))
    return false;
  const sizes = new Sizes(lets, steady);
  const [size, other] = [sizes.of(to), sizes.of(from)];
  return size !== null && size === other && sizes.text(end) === size;
}

/** Strings for the lengths of arrays that keep theirs. Equal strings mean equal lengths. */
class Sizes {
  readonly #lets: ReadonlyMap<string, Let>;
  readonly #steady: (array: Atom) => boolean;

  constructor(lets: ReadonlyMap<string, Let>, steady: (array: Atom) => boolean) {
    this.#lets = lets;
    this.#steady = steady;
  }

  /** For zeros of a shadow; null for anything else. */
  of({ expr, adjoint }: Let): string | null {
    if (adjoint !== true) return null;
    if (expr.kind === "zeros") return this.#length(expr.like);
    return expr.kind === "alloc" && expr.fill !== null && isValue(expr.fill, 0)
      ? this.text(expr.length)
      : null;
  }

  text(atom: Atom): string | null {
    const expr = atom.kind === "var" ? this.#lets.get(atom.name)?.expr : undefined;
    return expr?.kind === "length" ? this.#length(expr.object) : atomKey(atom);
  }

  /** Copies of whole arrays, and zeros like an array, share its length. */
  #length(array: Atom): string | null {
    if (!this.#steady(array)) return null;
    const expr = array.kind === "var" ? this.#lets.get(array.name)?.expr : undefined;
    if (expr?.kind === "zeros") return this.#length(expr.like);
    if (expr?.kind === "slice" && isValue(expr.from, 0) && expr.to === null)
      return this.#length(expr.object);
    return expr?.kind === "alloc" ? this.text(expr.length) : `length ${atomKey(array)}`;
  }
}

function mentions(body: Body, { name }: Var): boolean {
  let found = false;
  walkAtoms(body, (atom) => {
    found ||= atom.kind === "var" && atom.name === name;
  });
  return found;
}

/** Whether the first array is only allocated before the copy, and the second only used by place. */
function isTouchedOnly(stmts: readonly Stmt[], { to, from }: Copy): boolean {
  let isFine = true;
  const check = (atoms: readonly Atom[]): void => {
    isFine &&= atoms.every(
      (atom) => atom.kind !== "var" || (atom.name !== to.name && atom.name !== from.name),
    );
  };
  walkStmts({ stmts, result: [] }, (stmt) => {
    check(placesAside(stmt, from));
    for (const body of stmtBodies(stmt)) check(body.result);
  });
  return isFine;
}

/** What a statement names, except the object of which it reads or writes a place. */
function placesAside(stmt: Stmt, object: Var): readonly Atom[] {
  const isRead =
    stmt.kind === "let" && stmt.expr.kind === "load" && sameAtom(stmt.expr.object, object);
  const isWrite = (stmt.kind === "store" || stmt.kind === "accum") && sameAtom(stmt.object, object);
  return isRead || isWrite ? stmtAtoms(stmt).slice(1) : stmtAtoms(stmt);
}
