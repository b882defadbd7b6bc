// Zero cotangents of calls. If the result of g is a number and g writes no argument, all that
// `g$revr` gives is a multiple of its seed. So it is not called with 0, and slopes inside need no
// test for that.
//
// REV{ z = g(x) }  =  x$bar += z$bar === 0 ? 0 : g$revr(b, z$bar)

import { type Builder, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Func, Var } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { isUnbounded, slopeOf } from "../../rules/slopes.ts";
import { freshNumber } from "../fragments.ts";
import type { Signature } from "./signature.ts";

export const isMultipleOfSeed = ({ result }: Signature, writesArguments: boolean): boolean =>
  result === "scalar" && !writesArguments;

/** Whether a slope in a function or its callees may be infinite or NaN, or an element missing. */
export function hasUnboundedSlope({ name, body }: Func, { boundsTests }: FunctionFacts): boolean {
  let found = false;
  walkStmts(body, (stmt) => {
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind === "call") found ||= expr.callee !== name;
    if (expr.kind === "load") found ||= boundsTests(stmt, "user").above;
    if (expr.kind === "op")
      found ||= expr.args.some(
        (arg, i) => arg.kind === "var" && isUnbounded(slopeOf(expr.op, i, expr.args)),
      );
  });
  return found;
}

/** `seed === 0 ? 0 : write()`, for each number that `write` gives. */
export function unlessZero(
  b: Builder,
  seed: Atom,
  names: readonly string[],
  write: (b: Builder) => readonly Atom[],
): readonly Var[] {
  const zeros = b.nested();
  const cond = b.op("eq", seed, num(0));
  const otherwise = b.nested();
  const numbers = write(otherwise);
  const binds = names.map((name) => freshNumber(b.names, name));
  b.emit({
    kind: "if",
    cond,
    then: zeros.body(names.map(() => num(0))),
    else: otherwise.body(numbers),
    binds,
  });
  return binds;
}
