// Tests of loops that are left early: `!done && test`, and counted loops as `while`.
// Invariant: the user's test is not evaluated once a flag is set, unless it is pure arithmetic.

import { BOOL, bool, Builder, num } from "../../ir/build.ts";
import { invariant } from "../../ir/invariant.ts";
import type { Names } from "../../ir/names.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, For, Stmt, Type, Var, While } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";

const TESTS: Record<For["test"], ScalarOp> = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" };

/** Whether a test is the constant true. */
export const isAlways = (test: Body): boolean => {
  const result = test.result[0];
  return test.stmts.length === 0 && result?.kind === "const" && result.value === true;
};

const isAggregate = (type: Type): boolean =>
  type.kind !== "num" && type.kind !== "bool" && type.kind !== "leaf";

/** Whether a test assigns an outer variable or may write memory, which a test cannot. */
export function effectOfTest(test: Body): boolean {
  const declared = new Set<string>();
  let acts = false;
  walkStmts(test, (stmt) => {
    if (stmt.kind === "declare") declared.add(stmt.variable.name);
    if (stmt.kind === "assign" && !declared.has(stmt.variable.name)) acts = true;
    if (
      stmt.kind === "store" ||
      stmt.kind === "accum" ||
      stmt.kind === "append" ||
      stmt.kind === "fill" ||
      stmt.kind === "push"
    )
      acts = true;
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "pop" || stmt.expr.kind === "removeLast") acts = true;
    if (stmt.expr.kind === "call" && stmt.expr.args.some((arg) => isAggregate(arg.type)))
      acts = true;
  });
  return acts;
}

/** `index += step` at the end of a counted loop's body. After a break the index is unused. */
export function indexStep(loop: For, names: Names): readonly Stmt[] {
  const b = new Builder(names, loop.origin, false);
  const next =
    loop.step < 0 ? b.sub(loop.index, num(-loop.step)) : b.add(loop.index, num(loop.step));
  return [...b.stmts, { kind: "assign", variable: loop.index, value: next, origin: loop.origin }];
}

// for i = from < to { p }  ->  i = from ; while i < to { p ; i += step }
export function whileOf(loop: For | While, names: Names): While {
  if (loop.kind === "while") return loop;
  const b = new Builder(names, loop.origin, false);
  const inRange = b.op(TESTS[loop.test], loop.index, loop.to);
  return {
    kind: "while",
    origin: loop.origin,
    carried: [],
    binds: [],
    test: b.body([inRange]),
    body: loop.body,
  };
}

/** `test`, but false once one of `flags` is set. */
export function guardTest(test: Body, flags: readonly Var[], b: Builder): Body {
  const cond = test.result[0];
  invariant(cond !== undefined, "a loop's test without a result");
  const stop = flags.reduce<Atom | null>(
    (all, flag) => (all === null ? flag : b.op("or", all, flag)),
    null,
  );
  if (stop === null) return test;
  if (isAlways(test)) return b.body([b.op("not", stop)]);
  if (test.stmts.every((stmt) => stmt.kind === "let" && stmt.expr.kind === "op")) {
    const go = b.op("not", stop);
    b.stmts.push(...test.stmts);
    return b.body([b.op("and", go, cond)]);
  }
  const go: Var = { kind: "var", name: b.names.fresh("go"), type: BOOL };
  b.emit({
    kind: "if",
    cond: stop,
    then: { stmts: [], result: [bool(false)] },
    else: { stmts: test.stmts, result: [cond] },
    binds: [go],
  });
  return b.body([go]);
}
