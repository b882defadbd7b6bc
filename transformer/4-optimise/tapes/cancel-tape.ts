// Removes a push that a pop of the same body undoes.
//   push t v; …; w = pop t   ->   …; w is v
// Invariant: nothing in between touches the tape, and only pushes and pops use it.

import { withBody, withStmts } from "../../ir/rebuilt.ts";
import { privateTapesOf, tapeOf } from "../../ir/tapes.ts";
import type { Body, Func, Push, Stmt, Var } from "../../ir/types.ts";
import { mapBodies, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { Replacements } from "../atoms.ts";
import { someStmt } from "../stmts.ts";

export function cancelTape(func: Func): Func {
  if (!someStmt(func.body, ({ kind }) => kind === "push")) return func;
  const replaced = new Replacements();
  const body = cancelIn(func.body, privateTapesOf(func), replaced);
  return withBody(func, replaced.finish(body));
}

function cancelIn(body: Body, tapes: ReadonlySet<string>, replaced: Replacements): Body {
  const stmts: Stmt[] = [];
  /** By tape: the pushes that no nested body has touched since, the last one last. */
  const open = new Map<string, Push[]>();
  for (const stmt of body.stmts) {
    const tape = stmt.kind === "push" ? stmt.tape : poppedTape(stmt);
    if (tape === null) for (const inner of touched(stmt)) open.delete(inner);
    if (stmt.kind === "let" && tape?.kind === "var") {
      const push = open.get(tape.name)?.pop();
      if (push !== undefined) {
        replaced.replace(stmt.bind, push.value);
        stmts.splice(stmts.lastIndexOf(push), 1);
        continue;
      }
    }
    const mapped = mapBodies(stmt, (nested) => cancelIn(nested, tapes, replaced));
    stmts.push(mapped);
    if (mapped.kind === "push" && tape?.kind === "var" && tapes.has(tape.name))
      open.set(tape.name, [...(open.get(tape.name) ?? []), mapped]);
  }
  return withStmts(body, stmts);
}

const poppedTape = (stmt: Stmt): Var | null =>
  stmt.kind === "let" && stmt.expr.kind === "pop" && stmt.expr.tape.kind === "var"
    ? stmt.expr.tape
    : null;

/** The tapes that bodies inside the statement push or pop. */
function touched(stmt: Stmt): ReadonlySet<string> {
  const tapes = new Set<string>();
  for (const body of stmtBodies(stmt))
    walkStmts(body, (inner) => {
      const tape = tapeOf(inner);
      if (tape !== null) tapes.add(tape.name);
    });
  return tapes;
}
