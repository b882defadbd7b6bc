// Numbers of optional type that reverse code may treat as defined: the number is defined, or the
// result shows that it is not (it is NaN). A read by key is also defined in the branch of
// `m.has(key)` up to the next call or store.

import type { Atom, Body, Expr, Let, Stmt } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { stmtBodies } from "../../ir/visit.ts";
import { alwaysShowsMissing } from "../activity/conditional.ts";

export function definednessIn(body: Body, isCalled: boolean): (name: string) => boolean {
  const shows = alwaysShowsMissing(body, isCalled);
  let tested: ReadonlySet<string> | null = null;
  return (name) => shows(name) || (tested ??= testedReads(body, new Set())).has(name);
}

type Has = Expr & { kind: "extern" };

/** Reads by a key that an enclosing `if` has tested. */
function testedReads(body: Body, found: Set<string>): ReadonlySet<string> {
  const tests = new Map<string, Has>();
  for (const stmt of body.stmts) {
    const test =
      stmt.kind === "if" && stmt.cond.kind === "var" ? tests.get(stmt.cond.name) : undefined;
    if (test !== undefined && stmt.kind === "if")
      for (const read of readsOf(stmt.then.stmts, test)) found.add(read.bind.name);
    if (changes(stmt)) tests.clear();
    if (stmt.kind === "let" && isHas(stmt.expr)) tests.set(stmt.bind.name, stmt.expr);
    for (const nested of stmtBodies(stmt)) testedReads(nested, found);
  }
  return found;
}

/** `m.has(key)` */
const isHas = (expr: Expr): expr is Has =>
  expr.kind === "extern" &&
  expr.args.length === 2 &&
  expr.text[0] === "" &&
  expr.text[1] === ".has(" &&
  expr.text[2] === ")";

/** Reads before the first statement that may delete the key. */
function readsOf(stmts: readonly Stmt[], { args: [object, key] }: Has): readonly Let[] {
  const end = stmts.findIndex(changes);
  return (end < 0 ? stmts : stmts.slice(0, end)).flatMap((stmt) =>
    stmt.kind === "let" &&
    stmt.expr.kind === "load" &&
    stmt.expr.key.kind === "index" &&
    isSame(stmt.expr.object, object) &&
    isSame(stmt.expr.key.at, key)
      ? [stmt]
      : [],
  );
}

const changes = (stmt: Stmt): boolean => stmt.kind !== "let" || !isPure(stmt.expr);

const isSame = (one: Atom, other: Atom | undefined): boolean =>
  one.kind === "var" && other?.kind === "var" && one.name === other.name;
