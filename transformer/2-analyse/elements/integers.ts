// Numbers that are integers by definition: constants, loop indices, lengths, roundings, and sums
// and products of these.

import type { Atom, Body, Let } from "../../ir/types.ts";
import { memoised, walkStmts } from "../../ir/visit.ts";

export const integersIn =
  (body: Body, lets: ReadonlyMap<string, Let>): ((atom: Atom) => boolean) =>
  (atom) =>
    isInteger(atom, lets, loopIndices(body));

const loopIndices = memoised((body: Body): ReadonlySet<string> => {
  const names = new Set<string>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "for") names.add(stmt.index.name);
  });
  return names;
});

/** Operators whose result is an integer if their operands are. */
const CLOSED: ReadonlySet<string> = new Set("add sub mul mod neg plus min max abs".split(" "));
/** Operators whose result is always an integer. */
const ROUNDING: ReadonlySet<string> = new Set(
  "floor ceil round trunc sign band bor bxor bnot shl shr ushr imul clz32".split(" "),
);

function isInteger(
  atom: Atom,
  lets: ReadonlyMap<string, Let>,
  indices: ReadonlySet<string>,
): boolean {
  if (atom.kind === "const") return typeof atom.value === "number" && Number.isInteger(atom.value);
  if (atom.kind !== "var") return false;
  if (indices.has(atom.name)) return true;
  const expr = lets.get(atom.name)?.expr;
  if (expr === undefined) return false;
  if (expr.kind === "length") return true;
  if (expr.kind === "copy") return isInteger(expr.atom, lets, indices);
  if (expr.kind !== "op") return false;
  return (
    ROUNDING.has(expr.op) ||
    (CLOSED.has(expr.op) && expr.args.every((arg) => isInteger(arg, lets, indices)))
  );
}
