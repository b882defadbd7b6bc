// Joins two branches on the same condition into one. In: an ssa function. Out: the same meaning.
//   if c -> (x) { p yield v } else { q yield w } ; if c -> (z) { r } else { s }   ->   if c -> (x, z) { p; r[x := v] } else { q; s[x := w] }
// Invariant: what stands between the two is pure, and moves before the first or behind the second only if neither needs it there.

import type { Types } from "../ir/shadow.ts";
import type { Atom, Body, Func, If, Let, Stmt } from "../ir/types.ts";
import { exprAtoms, isPure, mapAtoms, mapBodies, stmtFreeVars } from "../ir/visit.ts";
import { accesses, interfere } from "./access.ts";
import { sameAtom } from "./atoms.ts";
import { Memory } from "./memory.ts";

export function mergeIfs(func: Func, types: Types): Func {
  return { ...func, body: mergeBody(func.body, new Memory(func, types)) };
}

function mergeBody(body: Body, memory: Memory): Body {
  let stmts: readonly Stmt[] = body.stmts.map((stmt) => mapBodies(stmt, (nested) => mergeBody(nested, memory)));
  for (let at = 0; at < stmts.length; at++) {
    for (let next = mergeAt(stmts, at, memory); next !== null; next = mergeAt(stmts, at, memory)) stmts = next;
  }
  return { ...body, stmts };
}

/** The statements with the branch at `at` merged with the next one on its condition, or null. */
function mergeAt(stmts: readonly Stmt[], at: number, memory: Memory): readonly Stmt[] | null {
  const first = stmts[at];
  if (first?.kind !== "if") return null;
  const distance = stmts.slice(at + 1).findIndex((stmt) => stmt.kind !== "let" || !isPure(stmt.expr) || stmt.expr.kind === "lambda");
  const second = distance < 0 ? undefined : stmts[at + 1 + distance];
  if (second?.kind !== "if" || !sameAtom(first.cond, second.cond)) return null;
  const between = stmts.slice(at + 1, at + 1 + distance).flatMap((stmt) => (stmt.kind === "let" ? [stmt] : []));
  const moved = part(between, first, second, memory);
  return moved === null ? null : [...stmts.slice(0, at), ...moved.before, merged(first, second), ...moved.behind, ...stmts.slice(at + 2 + distance)];
}

/** Which statements between two branches go before the first and which behind the second; null where one can do neither. */
function part(between: readonly Let[], first: If, second: If, memory: Memory): { readonly before: readonly Let[]; readonly behind: readonly Let[] } | null {
  const bound = new Set(first.binds.map((bind) => bind.name));
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

function merged(first: If, second: If): If {
  const arm = (side: "then" | "else"): Body => {
    const values = new Map<string, Atom>();
    first.binds.forEach((bind, k) => { const value = first[side].result[k]; if (value !== undefined) values.set(bind.name, value); });
    const rest = mapAtoms(second[side], (atom) => (atom.kind === "var" ? values.get(atom.name) ?? atom : atom));
    return { stmts: [...first[side].stmts, ...rest.stmts], result: [...first[side].result, ...rest.result] };
  };
  return { ...first, then: arm("then"), else: arm("else"), binds: [...first.binds, ...second.binds] };
}
