// Calls that are reversed immediately: the cotangent of the result is known before the call
// (immediate-reversal.ts), so nothing is recorded. Input: such a call. Output: a call of `g$merged`
// (merged.ts), both sweeps of g in one function.
//
// FWD;REV{ z = g(x, a) }  =  [z, x$bar] = g$merged(x, a, a$bar, z$bar)      saves nothing
//                            without an active x: z = g$merged(a, a$bar, z$bar)
//   where g is recursive  =  n = [z$bar] ; g$merged(x, a, a$bar, n) ; z = n[0] ; x$bar = n[1]
//                            see Note [Numbers of recursion]

import { Builder, field, num, NUM } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import type { Atom, Expr, Let, Stmt, Type, Var } from "../../ir/types.ts";
import { freshNumber } from "../fragments.ts";
import type { Signature } from "./signature.ts";
import type { BodySweep, Step, Sweep } from "./sweep.ts";

export function mergedCallStep(stmt: Let, expr: Expr & { kind: "call" }, body: BodySweep): Step {
  const { sweep, rank } = body;
  const { bind, origin } = stmt;
  const active = sweep.facts.callActive(bind.name) ?? [];
  const { signature, isRecursive } = sweep.nested.merged(expr.callee, active);
  body.frame.define(bind);
  const parts = signature.scalars.map((position): Var =>
    freshNumber(sweep.names, bar(signature.callee.params[position]?.name ?? "x")),
  );
  let seed: Atom = num(0);
  return {
    reverse: (rev, env) => {
      rev.origin = origin;
      seed = env.take(rev, bind.name) ?? num(0);
      signature.scalars.forEach((position, i) => {
        const arg = expr.args[position];
        const part = parts[i];
        if (arg !== undefined && part !== undefined && sweep.facts.active(arg))
          env.add(arg, rank, () => part);
      });
    },
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = origin;
      const shadows = signature.aggregates.map((i) =>
        sweep.shadowOrZeros(b, expr.args[i] ?? num(0)),
      );
      const args = [...expr.args, ...shadows];
      const called = isRecursive
        ? recursiveCall(stmt, signature, { args, seed, parts }, sweep)
        : plainCall(stmt, signature, { args, seed, parts }, sweep);
      return [...b.stmts, ...called];
    },
  };
}

interface CallParts {
  readonly args: readonly Atom[];
  readonly seed: Atom;
  /** The variables for the cotangents of the active scalars. */
  readonly parts: readonly Var[];
}

/** `[z, x$bar] = g$merged(x, z$bar)` */
function plainCall(
  stmt: Let,
  signature: Signature,
  { args, seed, parts }: CallParts,
  { names }: Sweep,
): readonly Stmt[] {
  const { origin } = stmt;
  const call: Expr = { kind: "call", callee: signature.merged, args: [...args, seed] };
  if (parts.length === 0) return [{ ...stmt, expr: call }];
  const both: Var = { kind: "var", name: names.fresh("both"), type: mergedResult(signature) };
  return [
    { kind: "let", bind: both, expr: call, origin },
    ...loads(both, [stmt.bind, ...parts], stmt),
  ];
}

/** `n[0] = z$bar; g$merged(x, n); z = n[0]; x$bar = n[1]`, with this function's n if it fits. */
function recursiveCall(
  { bind, origin }: Let,
  signature: Signature,
  { args, seed, parts }: CallParts,
  sweep: Sweep,
): readonly Stmt[] {
  const b = new Builder(sweep.names, origin, true);
  const type = numbersType(signature);
  const own = sweep.numbers !== null && sameType(sweep.numbers.type, type) ? sweep.numbers : null;
  const elems = [seed, ...parts.map(() => num(0))];
  const numbers = own ?? b.let("numbers", type, { kind: "tuple", elems });
  if (own !== null) b.store(own, field("0"), seed);
  const call: Stmt = {
    kind: "let",
    bind: { kind: "var", name: sweep.names.fresh("t"), type: { kind: "void" } },
    expr: { kind: "call", callee: signature.merged, args: [...args, numbers] },
    origin,
  };
  return [...b.stmts, call, ...loads(numbers, [bind, ...parts], { origin })];
}

/** Reads the value and the cotangents, which are adjoint code, from what the call gives. */
const loads = (
  object: Var,
  binds: readonly Var[],
  { origin }: Pick<Let, "origin">,
): readonly Stmt[] =>
  binds.map((bind, i): Stmt => ({
    kind: "let",
    bind,
    expr: { kind: "load", object, key: field(String(i)) },
    origin,
    ...(i === 0 ? {} : { adjoint: true }),
  }));

/** The array in which a recursive function gets its seed, and gives its value and cotangents. */
export const numbersType = ({ scalars }: Signature): Type => ({
  kind: "tuple",
  elems: [NUM, ...scalars.map(() => NUM)],
});

/** What a function that is not recursive returns: its value, or that and the cotangents. */
export function mergedResult({ callee, scalars }: Signature): Type {
  if (scalars.length === 0) return callee.result;
  const labels = [callee.name, ...scalars.map((i) => bar(callee.params[i]?.name ?? `x${i}`))];
  return { kind: "tuple", elems: [callee.result, ...scalars.map(() => NUM)], labels };
}

// Note [Numbers of recursion]
// A number that a call which is not inlined takes or returns is boxed: one heap object each. In a
// recursive function these boxes are most of the work; an expansion into minors became a quarter
// slower. So the outermost call allocates one array of doubles that all inner calls write. The
// cotangent is read before anything is called, and the results are read right after the call. So
// nothing has to be restored, a call that throws leaves no state, and two outermost calls share
// nothing.
