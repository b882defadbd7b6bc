// Functions that a call may construct in several ways: `KERNELS[name](scale)`, `c ? f(k) : g(k)`.
// Output: a function that chooses between them, or null.
// The condition is evaluated where JavaScript evaluates it. Construction must be pure, so that all
// of the functions are constructed and one is called.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { bool, BOOL } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { isPure } from "../builtins/purity.ts";
import { lowerArguments, lowerExpr } from "../lowering.ts";
import type { Arg, Fn } from "../function-values.ts";
import { inside, returnedOf, inlinable } from "./inlining.ts";
import { equalityTest } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { held } from "./known-functions.ts";
import { isNamed, throwNotCallable } from "./function-tables.ts";
import { lowerCondition } from "../operators.ts";
import { functionOf, resolveFn } from "../resolve.ts";
import { builtinPath } from "../names/library-names.ts";
import { lowerStatements } from "../statement.ts";

/** The result of a call that may construct one of several functions. `given`: null for its own. */
export function madeByOneOf(
  f: Frame,
  fn: Fn,
  given: readonly Arg[] | null,
  call: ts.CallExpression | null,
): Fn | null {
  if (fn.kind !== "choice" && fn.kind !== "table") return oneOfReturned(f, fn, given, call);
  if (call === null || !isMaker(f, fn)) return null;
  const args = given ?? lowerArguments(f, call);
  if (fn.kind === "choice")
    return chosen(
      fn.cond,
      returnedOf(f, fn.then, args, call),
      returnedOf(f, fn.otherwise, args, call),
    );
  const hits = fn.cases.map(({ name }) => isNamed(f, fn, name));
  const [first, ...others] = hits;
  if (first === undefined) return null;
  f.when(
    f.b.op(
      "not",
      others.reduce((x, z) => f.b.op("or", x, z), first),
    ),
    () => throwNotCallable(f, call),
  );
  const made = fn.cases.map((each) => returnedOf(f, each.fn, args, call));
  return made
    .slice(0, -1)
    .reduceRight<Fn | null>(
      (otherwise, then, i) => chosen(hits[i] ?? first, then, otherwise),
      made.at(-1) ?? null,
    );
}

const chosen = (cond: Atom, then: Fn | null, otherwise: Fn | null): Fn | null =>
  then === null || otherwise === null ? null : { kind: "choice", cond, then, otherwise };

/** Whether a call of the function only constructs a function. */
function isMaker(f: Frame, fn: Fn): boolean {
  if (fn.kind === "choice") return isMaker(f, fn.then) && isMaker(f, fn.otherwise);
  if (fn.kind === "table") return fn.cases.every((each) => isMaker(f, each.fn));
  const { node, body } = inlinable(f, fn);
  const { api } = f;
  if (node === null || body === null || !node.parameters.every(isPlainParameter)) return false;
  const [only, ...others] = api.isBlock(body) ? body.statements : [];
  const returned = !api.isBlock(body)
    ? body
    : only !== undefined && others.length === 0 && api.isReturnStatement(only)
      ? only.expression
      : undefined;
  return returned !== undefined && isFunctionLiteral(f, returned);
}

export const isPlainParameter = ({
  initializer,
  dotDotDotToken,
}: ts.ParameterDeclaration): boolean => initializer === undefined && dotDotDotToken === undefined;

function isFunctionLiteral(f: Frame, node: ts.Expression): boolean {
  const target = bare(node, f.api);
  return f.api.isArrowFunction(target) || f.api.isFunctionExpression(target);
}

type Choice =
  | Fn
  | {
      readonly kind: "test";
      readonly node: ts.ConditionalExpression;
      readonly then: Choice;
      readonly otherwise: Choice;
    };

/** `c ? g : h` of functions that exist or may be constructed anywhere. */
export function chosenFn(f: Frame, node: ts.ConditionalExpression): Fn | null {
  const choice = choiceOf(f, node);
  return choice === null ? null : tested(f, choice, null);
}

function choiceOf(f: Frame, expression: ts.Expression): Choice | null {
  const node = bare(expression, f.api);
  if (!f.api.isConditionalExpression(node))
    return isMadeAnywhere(f, node) ? functionOf(f, node) : null;
  const then = choiceOf(f, node.whenTrue);
  const otherwise = then === null ? null : choiceOf(f, node.whenFalse);
  return then === null || otherwise === null ? null : { kind: "test", node, then, otherwise };
}

function tested(f: Frame, choice: Choice, guard: Atom | null): Fn | null {
  if (choice.kind !== "test") return choice;
  const cond = guarded(f, guard, choice.node.condition);
  if (cond.kind === "const")
    return tested(f, cond.value === true ? choice.then : choice.otherwise, guard);
  const is = held(f, cond);
  const within = (side: Choice, truth: Atom): Fn | null =>
    tested(f, side, side.kind === "test" ? both(f, guard, truth) : null);
  return chosen(
    is,
    within(choice.then, is),
    choice.otherwise.kind === "test"
      ? within(choice.otherwise, f.b.op("not", is))
      : choice.otherwise,
  );
}

/** A condition that is evaluated where `guard` holds. */
const guarded = (f: Frame, guard: Atom | null, condition: ts.Expression): Atom =>
  guard === null
    ? lowerCondition(f, condition)
    : f.choose(
        "t",
        BOOL,
        guard,
        () => lowerCondition(f, condition),
        () => bool(false),
      );

const both = (f: Frame, guard: Atom | null, is: Atom): Atom =>
  guard === null ? is : f.b.op("and", guard, is);

/** Whether a function may be constructed though it is not chosen: its arguments must be total. */
function isMadeAnywhere(f: Frame, node: ts.Expression): boolean {
  const { api } = f;
  const target = bare(node, f.api);
  if (!api.isCallExpression(target)) return true;
  const isSure = (argument: ts.Expression): boolean => {
    const given = bare(argument, f.api);
    const symbol = api.isIdentifier(given) ? f.symbolOf(given) : null;
    const type = symbol === null ? null : f.ctx.checker.getTypeOfSymbol(symbol);
    return (
      api.isNumericLiteral(given) ||
      api.isStringLiteralLike(given) ||
      (type !== null && f.ctx.checker.getNonNullableType(type) === type) ||
      (api.isPropertyAccessExpression(given) && isSure(given.expression) && isPure(f, given))
    );
  };
  if (!target.arguments.every(isSure)) return false;
  const fn = functionOf(f, target.expression);
  return fn !== null && isMaker(f, fn);
}

// ---------------------------------------------------------------- functions that decide

/** `switch (kind) { case "a": return g; default: return h; }`, `if (c) return g; return h;` */
function oneOfReturned(
  f: Frame,
  fn: Fn,
  given: readonly Arg[] | null,
  call: ts.CallExpression | null,
): Fn | null {
  const { node, body } = inlinable(f, fn);
  if (node === null || body === null || !f.api.isBlock(body) || !decides(f, body.statements, true))
    return null;
  const args = given ?? (call === null ? [] : lowerArguments(f, call));
  return inside(f, { fn, node }, args, call, () => {
    const made = decided(f, body.statements, null);
    return made === "throws" ? null : made;
  });
}

/** Whether the statements only choose what to return or throw, after pure constants. */
function decides(f: Frame, statements: readonly ts.Statement[], isOutermost: boolean): boolean {
  const { api } = f;
  const [first, ...rest] = statements;
  if (first === undefined) return false;
  const inside = (...inner: readonly (ts.Statement | undefined)[]): boolean =>
    decides(f, [...inner.filter((each) => each !== undefined), ...rest], false);
  if (api.isBlock(first)) return inside(...first.statements);
  if (api.isReturnStatement(first))
    return first.expression !== undefined && mayBeFunction(f, first.expression);
  if (api.isThrowStatement(first)) return true;
  if (api.isVariableStatement(first))
    return (
      isOutermost &&
      (first.declarationList.flags & api.NodeFlags.Const) !== 0 &&
      decides(f, rest, true)
    );
  if (api.isIfStatement(first))
    return (
      isPure(f, first.expression) && inside(first.thenStatement) && inside(first.elseStatement)
    );
  return (
    api.isSwitchStatement(first) && isOutermost && clausesDecide(f, first.caseBlock.clauses, rest)
  );
}

/** Whether each case of a literal decides, and the last one or what follows decides the others. */
function clausesDecide(
  f: Frame,
  clauses: readonly ts.CaseOrDefaultClause[],
  rest: readonly ts.Statement[],
): boolean {
  const { api } = f;
  const last = clauses.at(-1);
  const isKnown = (clause: ts.CaseOrDefaultClause): boolean =>
    api.isDefaultClause(clause)
      ? clause === last
      : api.isStringLiteralLike(clause.expression) || api.isNumericLiteral(clause.expression);
  return (
    clauses.every(
      (clause) =>
        isKnown(clause) &&
        (clause.statements.length === 0 ? clause !== last : decides(f, clause.statements, false)),
    ) &&
    (clauses.some(api.isDefaultClause) || decides(f, rest, false))
  );
}

/** A function, or a name that may mean one. */
const mayBeFunction = (f: Frame, node: ts.Expression): boolean =>
  isFunctionLiteral(f, node) ||
  f.api.isIdentifier(bare(node, f.api)) ||
  builtinPath(f, node) !== null;

/** `guard`: the condition under which the statements execute; null for always. */
function decided(
  f: Frame,
  statements: readonly ts.Statement[],
  guard: Atom | null,
): Fn | "throws" | null {
  const { api } = f;
  const [first, ...rest] = statements;
  if (first === undefined) return null;
  if (api.isBlock(first)) return decided(f, [...first.statements, ...rest], guard);
  if (api.isReturnStatement(first))
    return first.expression === undefined ? null : resolveFn(f, first.expression);
  if (api.isThrowStatement(first)) {
    if (guard === null) lowerStatements(f, [first]);
    else f.when(guard, () => lowerStatements(f, [first]));
    return "throws";
  }
  if (api.isIfStatement(first)) {
    return oneOf(
      f,
      guard,
      guarded(f, guard, first.expression),
      (inner) => decided(f, [first.thenStatement, ...rest], inner),
      (inner) =>
        decided(
          f,
          [...(first.elseStatement === undefined ? [] : [first.elseStatement]), ...rest],
          inner,
        ),
    );
  }
  if (api.isSwitchStatement(first))
    return ofClauses(f, lowerExpr(f, first.expression), first.caseBlock.clauses, rest, guard);
  lowerStatements(f, [first]);
  return decided(f, rest, guard);
}

function ofClauses(
  f: Frame,
  subject: Atom,
  clauses: readonly ts.CaseOrDefaultClause[],
  rest: readonly ts.Statement[],
  guard: Atom | null,
): Fn | "throws" | null {
  const at = clauses.findIndex(({ statements }) => statements.length > 0);
  const last = clauses[at];
  if (last === undefined) return decided(f, rest, guard);
  const labels = clauses
    .slice(0, at + 1)
    .flatMap((clause) =>
      f.api.isCaseClause(clause)
        ? [equalityTest(f, "===", subject, lowerExpr(f, clause.expression))]
        : [],
    );
  const [first, ...others] = labels;
  if (first === undefined || f.api.isDefaultClause(last)) return decided(f, last.statements, guard);
  return oneOf(
    f,
    guard,
    others.reduce((x, z) => f.b.op("or", x, z), first),
    (inner) => decided(f, last.statements, inner),
    (inner) => ofClauses(f, subject, clauses.slice(at + 1), rest, inner),
  );
}

function oneOf(
  f: Frame,
  guard: Atom | null,
  cond: Atom,
  then: (guard: Atom) => Fn | "throws" | null,
  otherwise: (guard: Atom) => Fn | "throws" | null,
): Fn | "throws" | null {
  const [x, z] = [then(both(f, guard, cond)), otherwise(both(f, guard, f.b.op("not", cond)))];
  return x === "throws" ? z : z === "throws" ? x : chosen(cond, x, z);
}
