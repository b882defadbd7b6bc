// A value pushed and popped again at once. In: an ssa function. Out: the same meaning.
//   push t v; …; w = pop t   ->   …; w is v
// Invariant: nothing between the two touches the tape, and nobody but pushes and pops sees it.

import { withBody, withStmts } from "../../ir/rebuilt.ts";
import { plainTapesOf, tapeOf } from "../../ir/tapes.ts";
import type { Body, Func, Push, Stmt } from "../../ir/types.ts";
import { mapBodies, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { Replacements } from "../atoms.ts";

export function cancelTape(func: Func): Func {
  let any = false;
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "push") any = true;
  });
  if (!any) return func;
  const replaced = new Replacements();
  const body = cancelIn(func.body, plainTapesOf(func), replaced);
  return withBody(func, replaced.finish(body));
}

function cancelIn(body: Body, tapes: ReadonlySet<string>, replaced: Replacements): Body {
  const stmts: Stmt[] = [];
  /** By tape: pushes that nothing has touched since, the last one last. */
  const open = new Map<string, Push[]>();
  for (const stmt of body.stmts) {
    if (stmt.kind === "push" && stmt.tape.kind === "var" && tapes.has(stmt.tape.name))
      open.set(stmt.tape.name, [...(open.get(stmt.tape.name) ?? []), stmt]);
    else if (stmt.kind === "let" && stmt.expr.kind === "pop" && stmt.expr.tape.kind === "var") {
      const push = open.get(stmt.expr.tape.name)?.pop();
      if (push !== undefined) {
        replaced.replace(stmt.bind, push.value);
        stmts.splice(stmts.lastIndexOf(push), 1);
        continue;
      }
    } else for (const tape of touched(stmt)) open.delete(tape);
    stmts.push(mapBodies(stmt, (nested) => cancelIn(nested, tapes, replaced)));
    const last = stmts.at(-1);
    // the copy that stands in the list is the one to find again
    if (stmt.kind === "push" && last?.kind === "push" && stmt.tape.kind === "var")
      open.get(stmt.tape.name)?.splice(-1, 1, last);
  }
  return withStmts(body, stmts);
}

/** Tapes that bodies inside the statement push or pop. */
function touched(stmt: Stmt): ReadonlySet<string> {
  const tapes = new Set<string>();
  for (const body of stmtBodies(stmt))
    walkStmts(body, (inner) => {
      const tape = tapeOf(inner);
      if (tape !== null) tapes.add(tape.name);
    });
  return tapes;
}
