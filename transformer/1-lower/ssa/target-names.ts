// Finds the temporaries that take a user's name. Output: by temporary, the name and type of the
// variable that it is copied into. Invariant: only names `t` are renamed, and only those that
// nothing but copies and assignments reads.

import { baseName } from "../../ir/names.ts";
import type { Atom, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { walkAtoms, walkStmts } from "../../ir/visit.ts";

export interface TargetName {
  readonly name: string;
  readonly type: Type;
  /** Whether the copy is the only use, so that the variable's type fits as well. */
  readonly only: boolean;
}

/** The variable that a statement copies an atom into. */
function copied(stmt: Stmt): { readonly atom: Atom; readonly into: Var } | null {
  if (stmt.kind === "let" && stmt.expr.kind === "copy")
    return { atom: stmt.expr.atom, into: stmt.bind };
  if (stmt.kind === "assign") return { atom: stmt.value, into: stmt.variable };
  return stmt.kind === "declare" && stmt.init !== null
    ? { atom: stmt.init, into: stmt.variable }
    : null;
}

export function targetNames(func: Func): ReadonlyMap<string, TargetName> {
  const uses = new Map<string, number>();
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "var") uses.set(atom.name, (uses.get(atom.name) ?? 0) + 1);
  });

  // a variable that only holds the function's result has no name of the user's
  const result = func.body.result[0];
  const returned = result?.kind === "var" && uses.get(result.name) === 1 ? result.name : null;

  const copies = new Map<string, Var[]>();
  walkStmts(func.body, (stmt) => {
    const copy = copied(stmt);
    if (copy?.atom.kind !== "var" || copy.into.name === returned) return;
    copies.set(copy.atom.name, [...(copies.get(copy.atom.name) ?? []), copy.into]);
  });

  const wanted = new Map<string, TargetName>();
  for (const [name, into] of copies) {
    const first = into[0];
    if (baseName(name) !== "t" || first === undefined || uses.get(name) !== into.length) continue;
    wanted.set(name, { name: first.name, type: first.type, only: into.length === 1 });
  }
  for (const [name, want] of wanted)
    wanted.set(name, { ...want, name: lastName(want.name, wanted) });
  return wanted;
}

/** The name at the end of a chain of temporaries that are copied into each other. */
function lastName(name: string, wanted: ReadonlyMap<string, TargetName>): string {
  const seen = new Set<string>();
  let last = name;
  for (
    let next = wanted.get(last);
    next !== undefined && !seen.has(last);
    next = wanted.get(last)
  ) {
    seen.add(last);
    last = next.name;
  }
  return last;
}
