// Which tapes a function may keep for its next call. In: an ssa function. Out: names. Invariant: a kept tape is only pushed to and popped from, from 0 up
// and down again, and nothing that runs while it is in use can call the function again.

import type { Body, Func, Var } from "./types.ts";
import { walkAtoms, walkStmts } from "./visit.ts";

export function keptTapes(func: Func): readonly Var[] {
  if (func.result.kind === "void" || runsOtherCode(func.body)) return [];
  const found: Var[] = [];
  for (const stmt of func.body.stmts) {
    if (stmt.kind !== "let" || stmt.expr.kind !== "newTape" || stmt.bind.type.kind !== "tape") continue;
    const { name, type: { of } } = stmt.bind;
    if (!isPlain(name, func.body) || (of === "ref" && isReadLast(name, func.body))) continue;
    found.push(stmt.bind);
  }
  return found;
}

function runsOtherCode(body: Body): boolean {
  let runs = false;
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind === "lambda" || (expr.kind === "call" && expr.pure !== true) || (expr.kind === "extern" && expr.effect === "io")) runs = true;
  });
  return runs;
}

/** Whether all uses are pushes, what makes room for them, and pops, and there are some. */
function isPlain(tape: string, body: Body): boolean {
  let uses = 0, moves = 0;
  walkAtoms(body, (atom) => { if (atom.kind === "var" && atom.name === tape) uses++; });
  walkStmts(body, (stmt) => {
    const used = stmt.kind === "push" || stmt.kind === "reserve" ? stmt.tape : stmt.kind === "let" && stmt.expr.kind === "pop" ? stmt.expr.tape : null;
    if (used?.kind === "var" && used.name === tape) moves++;
  });
  return moves > 0 && uses === moves;
}

/** Whether what is popped may stand in the `return` itself, behind which nothing can empty the tape. */
const isReadLast = (tape: string, body: Body): boolean =>
  body.stmts.some((stmt) => stmt.kind === "let" && stmt.expr.kind === "pop" && stmt.expr.tape.kind === "var" && stmt.expr.tape.name === tape);
