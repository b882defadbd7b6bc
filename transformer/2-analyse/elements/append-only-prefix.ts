// Element reads below the length of an array at that time, which appends after them do not change.
// The caller makes sure that nothing removes elements. Unsure means no.

import { integerOf } from "../../ir/build.ts";
import type { Append, Atom, Expr, For, Stmt, Var } from "../../ir/types.ts";

export interface Arrays {
  readonly lets: ReadonlyMap<string, Expr>;
  /** Array literals: their number of elements. */
  readonly literals: ReadonlyMap<string, { readonly count: number }>;
  readonly appends: readonly Append[];
  /** The length before a loop that only appends once per iteration; see reaching-writes.ts. */
  readonly lengthInFront: (append: Append, loop: For) => number | "measured" | null;
}

/** `loops`: the loops around the read. */
export function isBelowLength(
  object: Atom,
  at: Atom,
  loops: readonly Stmt[],
  arrays: Arrays,
): boolean {
  if (object.kind !== "var") return false;
  const { base, more } = sumOf(at, arrays.lets);
  if (base === null) return more < (arrays.literals.get(object.name)?.count ?? 0);
  const definition = arrays.lets.get(base);
  if (definition?.kind === "length")
    return definition.object.kind === "var" && definition.object.name === object.name && more < 0;
  const loop = loops.find((one) => one.kind === "for" && one.index.name === base);
  return loop?.kind === "for" && loop.step === 1 && startsBelow(object, more, loop, arrays);
}

/** Whether `index + more` is below the length in each iteration of a loop that appends once. */
function startsBelow({ name }: Var, more: number, loop: For, arrays: Arrays): boolean {
  const from = integerOf(loop.from);
  const append = arrays.appends.find(
    (one) => one.object.kind === "var" && one.object.name === name && loop.body.stmts.includes(one),
  );
  const length = append === undefined ? null : arrays.lengthInFront(append, loop);
  return from !== null && typeof length === "number" && more + from < length;
}

/** An integer as `base + more`; `base` is null for a constant. */
function sumOf(
  atom: Atom,
  lets: ReadonlyMap<string, Expr>,
): { readonly base: string | null; readonly more: number } {
  if (atom.kind === "const") return { base: null, more: integerOf(atom) ?? Infinity };
  if (atom.kind !== "var") return { base: null, more: Infinity };
  const expr = lets.get(atom.name);
  if (expr?.kind !== "op" || (expr.op !== "add" && expr.op !== "sub"))
    return { base: atom.name, more: 0 };
  const [x, z] = expr.args;
  const [first, second] = [integerOf(x), integerOf(z)];
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
