// The tapes that a function keeps for its next call. In: a function and its variables. Out: the variables of its tapes, where they stand between calls.
// Invariant: a tape is only pushed to and popped from, from 0 up and down again, and nothing that runs while it is in use can call the
// function again. An exception leaves the tape lost, and the next call makes a new one. Note [Spare tapes].

import { spare } from "../ir/names.ts";
import type { Body, Func } from "../ir/types.ts";
import { walkAtoms, walkStmts } from "../ir/visit.ts";
import type { Variable, Variables } from "./variables.ts";

export interface SpareTape {
  readonly tape: Variable;
  /** The module's variable that holds it between calls. */
  readonly place: string;
  readonly of: "num" | "ref";
}

/** `identifier`: what the function is called. At most one tape of each kind. */
export function spareTapes(func: Func, identifier: string, variables: Variables, cursors: ReadonlySet<Variable>): readonly SpareTape[] {
  if (func.result.kind === "void" || runsOtherCode(func.body)) return [];
  const found: SpareTape[] = [];
  for (const stmt of func.body.stmts) {
    if (stmt.kind !== "let" || stmt.expr.kind !== "newTape" || stmt.bind.type.kind !== "tape") continue;
    const { of } = stmt.bind.type, tape = variables.of.get(stmt.bind.name);
    if (tape === undefined || tape.names.length !== 1 || !cursors.has(tape) || !isPlain(stmt.bind.name, func.body) || (of === "ref" && isReadLast(stmt.bind.name, func.body)) || found.some((other) => other.of === of)) continue;
    found.push({ tape, place: spare(identifier, of), of });
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

/** Whether all uses are pushes and pops. */
function isPlain(tape: string, body: Body): boolean {
  let uses = 0;
  walkAtoms(body, (atom) => { if (atom.kind === "var" && atom.name === tape) uses++; });
  walkStmts(body, (stmt) => {
    const used = stmt.kind === "push" ? stmt.tape : stmt.kind === "let" && stmt.expr.kind === "pop" ? stmt.expr.tape : null;
    if (used?.kind === "var" && used.name === tape) uses--;
  });
  return uses === 0;
}

/** Whether what is popped may stand in the `return` itself, behind which nothing can empty the tape. */
const isReadLast = (tape: string, body: Body): boolean =>
  body.stmts.some((stmt) => stmt.kind === "let" && stmt.expr.kind === "pop" && stmt.expr.tape.kind === "var" && stmt.expr.tape.name === tape);

// Note [Spare tapes]
// Growing an array from empty in each call costs a quarter of a recurrence's gradient at 1000 rounds and two thirds at 20000, so the function
// keeps its tape. It stands in a `var`: the code is at the end of its module, which a call at top level runs before, and where `let` would throw.
// Taken at entry and given back before each return. One of references is emptied then, at its full length: what they refer to would stay alive.
