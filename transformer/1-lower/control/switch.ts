// Lowers `switch` to nested ifs; with fall-through, to a number of the clause that is entered.
// Invariant: cases are tested in order, each at most once. Clauses run in order from the match.

import type ts from "typescript";
import { NUM, bool, num } from "../../ir/build.ts";
import { withHint } from "../../ir/names.ts";
import type { Atom } from "../../ir/types.ts";
import { isNullish, equalityTest } from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { alwaysExits, breakable, lowerStatements } from "../statement.ts";

/** Consecutive clauses that share their statements (`case 1: case 2: …`). */
interface Group {
  readonly tests: readonly ts.Expression[];
  readonly isDefault: boolean;
  /** Without a final `break`. */
  readonly statements: readonly ts.Statement[];
  readonly fallsThrough: boolean;
}

export function lowerSwitch(f: Frame, node: ts.SwitchStatement, labels: readonly string[]): void {
  const value = lowerExpr(f, node.expression);
  const subject =
    value.kind === "var" ? f.let("t", value.type, { kind: "copy", atom: value }) : value;
  const groups = groupsOf(f, node.caseBlock.clauses);
  const falls = groups.slice(0, -1).some((group) => group.fallsThrough);
  breakable(f, labels, "switch", () =>
    falls ? lowerFallThrough(f, subject, groups) : lowerCases(f, subject, groups, groups),
  );
}

function groupsOf(f: Frame, clauses: readonly ts.CaseOrDefaultClause[]): Group[] {
  const groups: Group[] = [];
  let tests: ts.Expression[] = [];
  let isDefault = false;
  for (const clause of clauses) {
    if (f.api.isCaseClause(clause)) tests.push(clause.expression);
    else isDefault = true;
    if (clause.statements.length === 0 && clause !== clauses.at(-1)) continue;
    groups.push({ tests, isDefault, ...ending(f, clause.statements) });
    tests = [];
    isDefault = false;
  }
  return groups;
}

function ending(
  f: Frame,
  statements: readonly ts.Statement[],
): { statements: readonly ts.Statement[]; fallsThrough: boolean } {
  const { api } = f;
  const only = statements[0];
  if (statements.length === 1 && only !== undefined && api.isBlock(only))
    return ending(f, only.statements);
  const last = statements.at(-1);
  if (last === undefined) return { statements, fallsThrough: true };
  if (api.isBreakStatement(last) && last.label === undefined)
    return { statements: statements.slice(0, -1), fallsThrough: false };
  return { statements, fallsThrough: !alwaysExits(f, last) };
}

function matches(f: Frame, subject: Atom, tests: readonly ts.Expression[]): Atom {
  const [first, ...rest] = tests;
  if (first === undefined) return bool(false);
  const test = lowerExpr(f, first);
  const hit =
    isNullish(test) && subject.kind === "const"
      ? bool(test.kind === "const" && test.value === subject.value)
      : equalityTest(f, "===", subject, test);
  if (rest.length === 0) return hit;
  return f.choose(
    "t",
    { kind: "bool" },
    hit,
    () => bool(true),
    () => matches(f, subject, rest),
  );
}

/** A chain of ifs for clauses without fall-through; the default's statements come last. */
function lowerCases(
  f: Frame,
  subject: Atom,
  groups: readonly Group[],
  all: readonly Group[],
): void {
  const [group, ...rest] = groups.filter((each) => !each.isDefault);
  const otherwise = all.find((each) => each.isDefault);
  if (group === undefined) {
    if (otherwise !== undefined) lowerStatements(f, otherwise.statements);
    return;
  }
  const hit = matches(f, subject, group.tests);
  f.when(
    hit,
    () => lowerStatements(f, group.statements),
    () => lowerCases(f, subject, rest, all),
  );
}

function lowerFallThrough(f: Frame, subject: Atom, groups: readonly Group[]): void {
  const entry = entryOf(f, subject, groups, 0);
  const isCertain = groups.some((each) => each.isDefault);
  for (const [at, group] of groups.entries()) {
    const run = (): void => {
      lowerStatements(f, group.statements);
      if (!group.fallsThrough) leave(f);
    };
    if (isCertain && at === groups.length - 1) run();
    else f.when(f.b.op("le", entry, num(at)), run);
  }
}

/** The number of the clause that is entered; the number of clauses if none is. */
function entryOf(f: Frame, subject: Atom, groups: readonly Group[], from: number): Atom {
  const group = groups[from];
  if (group === undefined) {
    const otherwise = groups.findIndex((each) => each.isDefault);
    return num(otherwise < 0 ? groups.length : otherwise);
  }
  if (group.tests.length === 0) return entryOf(f, subject, groups, from + 1);
  return f.choose(
    withHint("t", "clause"),
    NUM,
    matches(f, subject, group.tests),
    () => num(from),
    () => entryOf(f, subject, groups, from + 1),
  );
}

function leave(f: Frame): void {
  const exit = f.exits.at(-1);
  if (exit === undefined) return;
  exit.used = true;
  f.b.emit({ kind: "break", label: exit.label });
}
