// Moves the statements between two statements out of the way, so that the second can follow the
// first; null where a statement can move neither up nor down.
//   first; p; q; second   ->   p; first; second; q
// Invariant: nothing moves past what it interferes with, and only pure statements move up.

import type { Stmt } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { memoised, stmtAtoms, stmtBinds, stmtBodies, stmtFreeVars } from "../../ir/visit.ts";
import { accesses, interfere, type Access } from "./access.ts";
import type { Memory } from "./memory.ts";

interface Parted {
  readonly before: readonly Stmt[];
  readonly after: readonly Stmt[];
}

const isMovable = (stmt: Stmt): boolean =>
  stmt.kind === "let" &&
  stmt.expr.kind !== "lambda" &&
  (isPure(stmt.expr) || (stmt.expr.kind === "call" && stmt.expr.pure === true));

/** An access, and whether it only accumulates a cotangent: two of those commute. */
interface Done {
  readonly access: Access;
  readonly sums: boolean;
}

export function moveBetween(
  first: Stmt,
  between: readonly Stmt[],
  second: Stmt,
  memory: Memory,
): Parted | null {
  const bound = new Set(stmtBinds(first).map((bind) => bind.name));
  const needed = stmtFreeVars(second);
  const [inFirst, inSecond] = [done(first), done(second)];
  const passed: Done[] = [...inFirst];
  const before: Stmt[] = [];
  const after: Stmt[] = [];
  for (const stmt of between) {
    const own = done(stmt);
    const isFree = !reads(stmt, bound);
    if (isMovable(stmt) && isFree && !meets(own, passed, memory)) before.push(stmt);
    else if (
      !stmtBinds(stmt).some((bind) => needed.has(bind.name)) &&
      !meets(own, inSecond, memory)
    ) {
      after.push(stmt);
      passed.push(...own);
      for (const bind of stmtBinds(stmt)) bound.add(bind.name);
    } else return null;
  }
  return { before, after };
}

/** Whether the statement, or a body in it, reads one of the names. */
function reads(stmt: Stmt, names: ReadonlySet<string>): boolean {
  if (stmtBodies(stmt).length === 0)
    return stmtAtoms(stmt).some((atom) => atom.kind === "var" && names.has(atom.name));
  for (const name of stmtFreeVars(stmt).keys()) if (names.has(name)) return true;
  return false;
}

const SUM = "accum";

const done: (stmt: Stmt) => readonly Done[] = memoised((stmt) => {
  const all: Done[] = [];
  const visit = (one: Stmt): void => {
    if (one.kind === "if" || one.kind === "for" || one.kind === "while")
      return stmtBodies(one).forEach((body) => body.stmts.forEach(visit));
    // The caller checks tapes.
    if (one.kind === "push" || (one.kind === "let" && one.expr.kind === "pop")) return;
    const sums = one.kind === SUM && one.adjoint === true;
    for (const access of accesses(one)) all.push({ access, sums });
  };
  visit(stmt);
  return all;
});

const meets = (xs: readonly Done[], zs: readonly Done[], memory: Memory): boolean =>
  xs.some((x) => zs.some((z) => !(x.sums && z.sums) && interfere(x.access, z.access, memory)));
