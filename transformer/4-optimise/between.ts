// Moves what stands between two statements out of the way, so that they can become one. In: both and the statements between.
// Out: those that go before the first and those that go behind the second, or null. Invariant: nothing moves past what it
// interferes with, and what moves is pure.

import type { Let, Stmt } from "../ir/types.ts";
import { exprAtoms, isPure, stmtBinds, stmtFreeVars } from "../ir/visit.ts";
import { accesses, interfere } from "./access.ts";
import type { Memory } from "./memory.ts";

export interface Parted {
  readonly before: readonly Let[];
  readonly behind: readonly Let[];
}

/** Whether a statement may be moved at all. */
export const isMovable = (stmt: Stmt): stmt is Let => stmt.kind === "let" && isPure(stmt.expr) && stmt.expr.kind !== "lambda";

export function part(first: Stmt, between: readonly Let[], second: Stmt, memory: Memory): Parted | null {
  const bound = new Set(stmtBinds(first).map((bind) => bind.name));
  const needed = stmtFreeVars(second);
  const [inFirst, inSecond] = [accesses(first), accesses(second)];
  const before: Let[] = [];
  const behind: Let[] = [];
  for (const stmt of between) {
    const own = accesses(stmt);
    const isFree = !exprAtoms(stmt.expr).some((atom) => atom.kind === "var" && bound.has(atom.name));
    if (isFree && !meets(own, inFirst, memory)) before.push(stmt);
    else if (!needed.has(stmt.bind.name) && !meets(own, inSecond, memory)) {
      behind.push(stmt);
      bound.add(stmt.bind.name);
    } else return null;
  }
  return { before, behind };
}

const meets = (xs: ReturnType<typeof accesses>, zs: ReturnType<typeof accesses>, memory: Memory): boolean =>
  xs.some((x) => zs.some((z) => interfere(x, z, memory)));
