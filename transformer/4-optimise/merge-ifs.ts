// Joins two branches on the same condition into one.
//   if c -> x { p; yield v } else { q; yield w }; if c -> z { r } else { s }
//     ->   if c -> x, z { p; r[x := v] } else { q; s[x := w] }
// Invariant: statements between the two move only where move-between.ts proves that order does not
// matter.

import { withBody, withStmts } from "../ir/rebuilt.ts";
import type { Types } from "../ir/shadow.ts";
import type { Atom, Body, Func, If, Stmt } from "../ir/types.ts";
import { isPure } from "../ir/effects.ts";
import { mapAtoms, mapBodies } from "../ir/visit.ts";
import { sameAtom } from "./atoms.ts";
import { moveBetween } from "./memory/move-between.ts";
import { Memory } from "./memory/memory.ts";

export function mergeIfs(func: Func, types: Types): Func {
  return withBody(func, mergeBody(func.body, Memory.of(func, types)));
}

function mergeBody(body: Body, memory: Memory): Body {
  let stmts: readonly Stmt[] = body.stmts.map((stmt) =>
    mapBodies(stmt, (nested) => mergeBody(nested, memory)),
  );
  for (let at = 0; at < stmts.length; at++) {
    for (let next = mergeAt(stmts, at, memory); next !== null; next = mergeAt(stmts, at, memory))
      stmts = next;
  }
  return withStmts(body, stmts);
}

/** The statements with the branch at `at` joined with the next one on its condition, or null. */
function mergeAt(stmts: readonly Stmt[], at: number, memory: Memory): readonly Stmt[] | null {
  const first = stmts[at];
  if (first?.kind !== "if") return null;
  let then = at + 1;
  for (let stmt = stmts[then]; isMovable(stmt); stmt = stmts[then]) then++;
  const second = stmts[then];
  if (second?.kind !== "if" || !sameAtom(first.cond, second.cond)) return null;
  const moved = moveBetween(first, stmts.slice(at + 1, then), second, memory);
  return moved === null
    ? null
    : [
        ...stmts.slice(0, at),
        ...moved.before,
        merged(first, second),
        ...moved.after,
        ...stmts.slice(then + 1),
      ];
}

const isMovable = (stmt: Stmt | undefined): boolean =>
  stmt?.kind === "let" && isPure(stmt.expr) && stmt.expr.kind !== "lambda";

function merged(first: If, second: If): If {
  const arm = (side: "then" | "else"): Body => {
    const values = new Map<string, Atom>();
    first.binds.forEach((bind, k) => {
      const value = first[side].result[k];
      if (value !== undefined) values.set(bind.name, value);
    });
    const rest = mapAtoms(second[side], (atom) =>
      atom.kind === "var" ? (values.get(atom.name) ?? atom) : atom,
    );
    return {
      stmts: [...first[side].stmts, ...rest.stmts],
      result: [...first[side].result, ...rest.result],
    };
  };
  return {
    ...first,
    then: arm("then"),
    else: arm("else"),
    binds: [...first.binds, ...second.binds],
  };
}
