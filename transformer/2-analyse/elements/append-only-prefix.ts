// Which element reads are of a place that the array surely has, or can never have: an append behind them leaves that place alone. In: a read and what is known of the
// function's arrays. Out: yes or no. Invariant: nothing takes elements off the array; unsure means no.

import { wholeOf } from "../../ir/build.ts";
import type { Append, Atom, Expr, For, Stmt } from "../../ir/types.ts";

export interface Arrays {
  readonly lets: ReadonlyMap<string, Expr>;
  /** Lists that are written out: how many elements they begin with. */
  readonly literals: ReadonlyMap<string, { readonly count: number }>;
  readonly appends: readonly Append[];
  /** The length of the array in front of a loop each of whose rounds appends once, and changes it in no other way. */
  readonly lengthInFront: (append: Append, loop: For) => number | "measured" | null;
}

/** `loops`: those that the read stands in. */
export function isBelowLength(
  object: Atom,
  at: Atom,
  loops: readonly Stmt[],
  arrays: Arrays,
): boolean {
  if (object.kind !== "var") return false;
  const { base, more } = sumOf(at, arrays.lets);
  const count = arrays.literals.get(object.name)?.count ?? 0;
  if (base === null) return more < count;
  const made = arrays.lets.get(base);
  if (made?.kind === "length")
    return made.object.kind === "var" && made.object.name === object.name && more < 0;
  const loop = loops.find((one) => one.kind === "for" && one.index.name === base);
  const from = loop?.kind === "for" && loop.step === 1 ? wholeOf(loop.from) : null;
  if (loop?.kind !== "for" || from === null) return false;
  const append = arrays.appends.find(
    (one) =>
      one.object.kind === "var" && one.object.name === object.name && loop.body.stmts.includes(one),
  );
  const length = append === undefined ? null : arrays.lengthInFront(append, loop);
  return typeof length === "number" && more + from < length;
}

/** `base + more`, of a whole number; `base` null: a constant. */
function sumOf(
  atom: Atom,
  lets: ReadonlyMap<string, Expr>,
): { readonly base: string | null; readonly more: number } {
  if (atom.kind === "const") return { base: null, more: wholeOf(atom) ?? Infinity };
  if (atom.kind !== "var") return { base: null, more: Infinity };
  const expr = lets.get(atom.name);
  if (expr?.kind !== "op" || (expr.op !== "add" && expr.op !== "sub"))
    return { base: atom.name, more: 0 };
  const [x, z] = expr.args;
  const [first, second] = [wholeOf(x), wholeOf(z)];
  if (x !== undefined && second !== null) {
    const { base, more } = sumOf(x, lets);
    return { base, more: more + (expr.op === "add" ? second : -second) };
  }
  if (z !== undefined && first !== null && expr.op === "add") {
    const { base, more } = sumOf(z, lets);
    return { base, more: more + first };
  }
  return { base: atom.name, more: 0 };
}
