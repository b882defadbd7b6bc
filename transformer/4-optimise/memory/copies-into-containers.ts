// Statements that store an object in a container where a copy of it would do as well. Invariant:
// the container is local to the function, and no call, user code or comparison receives it or its
// content. So nothing can distinguish objects of equal fields, as long as nothing writes them.

import {
  freeVars,
  stmtAtoms,
  stmtBinds,
  stmtBodies,
  walkAtoms,
  walkStmts,
} from "../../ir/visit.ts";
import type { Atom, Body, Func, Stmt } from "../../ir/types.ts";

interface Placed {
  readonly stmt: Stmt;
  readonly into: Atom;
}

/**
 * `isWanted` selects the names of objects; `overlap` says whether two objects may share one. A
 * statement counts only beside the one that binds the object, so that each object is copied once.
 */
export function copiesIntoContainers(
  func: Func,
  isWanted: (name: string) => boolean,
  overlap: (x: Atom, z: Atom) => boolean,
): ReadonlySet<Stmt> {
  const placed: Placed[] = [];
  const seen: Atom[] = [...func.params, ...func.body.result];
  const visit = (body: Body, params: readonly Atom[]): void => {
    const bound = new Set(params.flatMap((atom) => (atom.kind === "var" ? [atom.name] : [])));
    for (const stmt of body.stmts) {
      const into = intoOf(stmt);
      if (
        into !== null &&
        stmtAtoms(stmt).some(
          (atom) =>
            atom !== into && atom.kind === "var" && bound.has(atom.name) && isWanted(atom.name),
        )
      )
        placed.push({ stmt, into });
      for (const { name } of stmtBinds(stmt)) bound.add(name);
      for (const inner of stmtBodies(stmt))
        visit(
          inner,
          stmt.kind === "for" || stmt.kind === "while"
            ? stmt.carried.map(({ param }) => param)
            : [],
        );
    }
  };
  visit(func.body, []);
  if (placed.length === 0) return new Set();
  walkStmts(func.body, (stmt) => {
    seen.push(...shownBy(stmt));
  });
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "global") seen.push(atom);
  });
  return new Set(
    placed.filter(({ into }) => !seen.some((atom) => overlap(into, atom))).map(({ stmt }) => stmt),
  );
}

/** The container that a statement stores objects in. */
function intoOf(stmt: Stmt): Atom | null {
  if (stmt.kind === "store" || stmt.kind === "append") return stmt.object;
  if (stmt.kind !== "let") return null;
  const { bind, expr } = stmt;
  return expr.kind === "record" ||
    expr.kind === "tuple" ||
    (expr.kind === "array" && !expr.parts.some(({ spread }) => spread))
    ? bind
    : null;
}

/** The objects whose identity a statement reveals. */
function shownBy(stmt: Stmt): readonly Atom[] {
  if (stmt.kind === "throw" || stmt.kind === "push") return stmtAtoms(stmt);
  if (stmt.kind !== "let") return [];
  switch (stmt.expr.kind) {
    case "call":
    case "extern":
      return [...stmtAtoms(stmt), stmt.bind];
    case "op":
      return stmtAtoms(stmt);
    case "lambda":
      return stmtBodies(stmt).flatMap((body) => [...freeVars(body).values()]);
    default:
      return [];
  }
}
