// Which values may be nested at which position, and how wide their text gets. The order of
// evaluation is for `nest.ts`.

import { baseName, preferredName } from "../../ir/names.ts";
import type { Atom, Body, For, Var, While } from "../../ir/types.ts";
import { givesFreshObject, isPure } from "../../ir/effects.ts";
import { stmtAtoms, stmtBodies, walkAtoms, walkStmts } from "../../ir/visit.ts";
import type { Value } from "../code.ts";
import type { Effect } from "../shape/effects.ts";
import { type Place, valueReads } from "../places.ts";
import type { Uses } from "../shape/uses.ts";

/** The widest bound of a loop, in characters, that needs no name. */
export const BOUND = 24;

/** Whether lengths are fixed: no `Array` grows, but for stores `xs[i] = x` without `xs.length`. */
export function keepsLengths(body: Body): boolean {
  const lengths = new Map<string, readonly string[]>();
  const of = (atom: Atom): readonly string[] => lengths.get(nameOf(atom) ?? "") ?? [];
  let keeps = true;
  walkStmts(body, (stmt) => {
    if (
      stmt.kind === "append" ||
      (stmt.kind === "let" && !isPure(stmt.expr) && stmt.expr.kind !== "pop")
    )
      keeps = false;
    if (stmt.kind === "let" && stmt.expr.kind === "length")
      lengths.set(stmt.bind.name, [nameOf(stmt.expr.object) ?? ""]);
    if (stmt.kind === "let" && stmt.expr.kind === "op")
      lengths.set(stmt.bind.name, stmt.expr.args.flatMap(of));
    if (
      stmt.kind === "store" &&
      stmt.initial !== true &&
      stmt.key.kind === "index" &&
      [stmt.key.at, stmt.value].flatMap(of).includes(nameOf(stmt.object) ?? "")
    )
      keeps = false;
  });
  return keeps;
}

export const nameOf = (atom: Atom | undefined): string | null =>
  atom?.kind === "var" ? atom.name : null;

/** Whether the value is a fresh object without an alias. */
export const isStorage = (value: Value): boolean =>
  value.kind === "closure" ||
  (value.kind !== "choose" &&
    value.kind !== "call" &&
    value.kind !== "extern" &&
    givesFreshObject(value));

export const isCheap = (value: Value): boolean =>
  value.kind === "length" ||
  value.kind === "load" ||
  (value.kind === "op" && ["add", "sub", "mul", "min", "max"].includes(value.op));

/** Whether a pending value may be nested at the position. */
export function fits(
  one: { readonly bind: Var; readonly value: Value; readonly effect: Effect },
  place: Place,
): boolean {
  if (place === "never") return false;
  if (place === "compared") return !hasLiteralType(one.value);
  // the operator may skip the operand, but not its effect
  if (place === "maybe" && one.effect.writes.size > 0) return false;
  if (place === "object")
    return one.value.kind === "load" || one.value.kind === "call" || one.value.kind === "unwrap";
  if (isStorage(one.value)) return place === "whole";
  // a sum with the name of a cotangent reads better on a line of its own
  const isSum = one.value.kind === "op" && (one.value.op === "add" || one.value.op === "sub");
  return place === "whole" || baseName(one.bind.name) === "t" || !isSum;
}

const isNumber = (atom: Atom): boolean => atom.kind === "const" && typeof atom.value === "number";

/** `c ? 2 : x`, whose type contains the literal type 2. */
const hasLiteralType = (value: Value): boolean =>
  value.kind === "choose" && (isNumber(value.then) || isNumber(value.else));

/** `c ? 2 : 3`, of type `2 | 3` without an annotation. */
export function isLiteralUnion(
  value: Value | undefined,
  nested: ReadonlyMap<string, Value>,
): boolean {
  return (
    value?.kind === "choose" &&
    [value.then, value.else].every(
      (atom) =>
        isNumber(atom) || (atom.kind === "var" && isLiteralUnion(nested.get(atom.name), nested)),
    )
  );
}

/** Approximate number of characters that a value adds to its operands' text. */
export function textWidth(value: Value): number {
  const atoms = valueReads(value, new Map()).reduce(
    (sum, read) => sum + (read.atom.kind === "var" ? preferredName(read.atom.name).length : 4),
    0,
  );
  if (value.kind === "extern") return atoms + value.text.join("").length;
  return atoms + (value.kind === "op" ? 4 : value.kind === "call" ? value.callee.length + 4 : 6);
}

/** `k1 = k + 1; a[k] = 0; k = k1  ->  a[k] = 0; k++`: next values to compute at the end. */
export function deferred(loop: For | While, uses: Uses): readonly string[] {
  const { body } = loop;
  return loop.carried.flatMap((one, i) => {
    const next = nameOf(body.result[i]);
    const at = body.stmts.findIndex((stmt) => stmt.kind === "let" && stmt.bind.name === next);
    if (next === null || at < 0 || uses.get(next) !== 1) return [];
    const isReadAgain = body.stmts.slice(at + 1).some((stmt) => reads(stmt, one.param.name));
    return isReadAgain ? [next] : [];
  });
}

function reads(stmt: Body["stmts"][number], name: string): boolean {
  if (stmtAtoms(stmt).some((atom) => nameOf(atom) === name)) return true;
  let found = false;
  for (const inner of stmtBodies(stmt))
    walkAtoms(inner, (atom) => {
      found ||= nameOf(atom) === name;
    });
  return found;
}
