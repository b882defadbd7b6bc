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
    falls ? lowerFallThrough(f, subject, groups) : lowerCases(f, subject, groups),
  );
}

/** A switch of more clauses is a tree, if its tests may be repeated: its depth costs stack. */
const MANY = 64;
/** Clauses that are tested one after the other within a tree. */
const FEW = 8;

/** The first half of the clauses, if they are to be told from the rest by one test. */
function firstHalf(f: Frame, groups: readonly Group[], isInTree: boolean): number {
  if (groups.length <= (isInTree ? FEW : MANY)) return 0;
  const isSteady =
    isInTree || groups.every(({ tests }) => tests.every((test) => isLiteral(f, test)));
  return isSteady ? Math.ceil(groups.length / 2) : 0;
}

const isLiteral = (f: Frame, node: ts.Expression): boolean =>
  f.api.isLiteralExpression(node) ||
  (f.api.isPrefixUnaryExpression(node) && f.api.isLiteralExpression(node.operand)) ||
  (f.api.isPropertyAccessExpression(node) &&
    ((f.ctx.checker.getSymbolAtLocation(node)?.flags ?? 0) & f.api.SymbolFlags.EnumMember) !== 0);

/** Whether one of many literals matches. */
function matchesAny(f: Frame, subject: Atom, tests: readonly ts.Expression[]): Atom {
  if (tests.length < 2) return matches(f, subject, tests);
  const half = Math.ceil(tests.length / 2);
  return f.b.op(
    "or",
    matchesAny(f, subject, tests.slice(0, half)),
    matchesAny(f, subject, tests.slice(half)),
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
  if (tests.length > MANY && tests.every((test) => isLiteral(f, test)))
    return matchesAny(f, subject, tests);
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
function lowerCases(f: Frame, subject: Atom, all: readonly Group[]): void {
  const otherwise = all.find((each) => each.isDefault);
  const cases = all.filter((each) => !each.isDefault);
  /** `isCertain`: one of them matches. */
  const lowerSome = (groups: readonly Group[], isCertain: boolean, isInTree: boolean): void => {
    const half = firstHalf(f, groups, isInTree);
    if (half > 0) {
      const first = groups.slice(0, half);
      f.when(
        matchesAny(
          f,
          subject,
          first.flatMap(({ tests }) => tests),
        ),
        () => lowerSome(first, true, true),
        () => lowerSome(groups.slice(half), isCertain, true),
      );
      return;
    }
    const [group, ...rest] = groups;
    if (group === undefined) return lowerStatements(f, otherwise?.statements ?? []);
    if (isCertain && rest.length === 0) return lowerStatements(f, group.statements);
    f.when(
      matches(f, subject, group.tests),
      () => lowerStatements(f, group.statements),
      () => lowerSome(rest, isCertain, isInTree),
    );
  };
  lowerSome(cases, false, false);
}

function lowerFallThrough(f: Frame, subject: Atom, groups: readonly Group[]): void {
  const entry = entryOf(f, subject, groups);
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
function entryOf(f: Frame, subject: Atom, groups: readonly Group[]): Atom {
  const at = new Map(groups.map((group, number) => [group, num(number)]));
  const otherwise = groups.find((each) => each.isDefault);
  const none = (otherwise === undefined ? null : at.get(otherwise)) ?? num(groups.length);
  const entryIn = (some: readonly Group[], isCertain: boolean, isInTree: boolean): Atom => {
    const half = firstHalf(f, some, isInTree);
    const [group, ...rest] = some;
    const first = some.slice(0, Math.max(half, 1));
    if (group === undefined) return none;
    if (isCertain && rest.length === 0) return at.get(group) ?? none;
    const tests = first.flatMap((each) => each.tests);
    return f.choose(
      withHint("t", "clause"),
      NUM,
      half > 0 ? matchesAny(f, subject, tests) : matches(f, subject, tests),
      () => (half > 0 ? entryIn(first, true, true) : (at.get(group) ?? none)),
      () => entryIn(half > 0 ? some.slice(half) : rest, isCertain, isInTree || half > 0),
    );
  };
  return entryIn(
    groups.filter(({ tests }) => tests.length > 0),
    false,
    false,
  );
}

function leave(f: Frame): void {
  const exit = f.exits.at(-1);
  if (exit === undefined) return;
  exit.used = true;
  f.b.emit({ kind: "break", label: exit.label });
}
