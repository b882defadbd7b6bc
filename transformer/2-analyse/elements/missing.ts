// Which numbers are made of an element that may not be there, and may be left out for that reason. In: an ssa body, which reads may be beyond an array.
// Out: a test of atoms. Such a number is NaN where its element is missing, and its cotangent then an exact 0, which must not be multiplied with what is not there.
// Invariant: a name that the program asks whether it is there is taken to be, where it is used.

import type { Beyond, Missing } from "../../ir/facts.ts";
import type { Atom, Body, Let } from "../../ir/types.ts";
import { exprAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { conditionalNames } from "../activity/conditional.ts";

export function missingIn(body: Body, beyond: (stmt: Let) => Beyond): Missing {
  let missing: ReadonlySet<string> | null = null;
  let leftOut: ReadonlySet<string> | null = null;
  const isMissing = (atom: Atom): boolean =>
    atom.kind === "var" && (missing ??= missingNames(body, beyond)).has(atom.name);
  return {
    isMissing,
    isLeftOut: (atom) =>
      isMissing(atom) &&
      atom.kind === "var" &&
      (leftOut ??= conditionalNames(body, "stores")).has(atom.name),
  };
}

function missingNames(body: Body, beyond: (stmt: Let) => Beyond): ReadonlySet<string> {
  const asked = new Set<string>();
  const besides: string[] = [];
  const first: string[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    const { bind, expr } = stmt;
    if (expr.kind === "present" && expr.value.kind === "var") asked.add(expr.value.name);
    if (expr.kind !== "load") return;
    const { below, behind } = beyond(stmt);
    if (below || behind)
      (expr.key.kind === "index" && expr.key.at.kind === "const" ? first : besides).push(bind.name);
  });
  // a loop over an array goes on from its first element, which is there if there are rounds
  return new Set([...madeOf(besides, body, asked, true), ...madeOf(first, body, asked, false)]);
}

/** Names, and all that is made of them, from round to round where `inLoops`. */
function madeOf(
  names: readonly string[],
  body: Body,
  asked: ReadonlySet<string>,
  inLoops: boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (!asked.has(name)) found.add(name);
  };
  const has = (atom: Atom | undefined): boolean => atom?.kind === "var" && found.has(atom.name);
  names.forEach(add);
  for (let before = found.size === 0 ? 0 : -1; before !== found.size;) {
    before = found.size;
    walkStmts(body, (stmt) => {
      if (stmt.kind === "let") {
        if (isMade(stmt) && exprAtoms(stmt.expr).some(has)) add(stmt.bind.name);
      } else if (stmt.kind === "if") {
        stmt.binds.forEach((bind, i) => {
          if (stmtBodies(stmt).some(({ result }) => has(result[i]))) add(bind.name);
        });
      } else if (inLoops && (stmt.kind === "for" || stmt.kind === "while")) {
        stmt.carried.forEach(({ param, init }, i) => {
          if (has(init) || has(stmt.body.result[i]))
            [param.name, stmt.binds[i]?.name ?? param.name].forEach(add);
        });
      }
    });
  }
  return found;
}

const isMade = ({ bind, expr }: Let): boolean =>
  bind.type.kind === "num" &&
  (expr.kind === "op" || expr.kind === "copy" || expr.kind === "unwrap");
