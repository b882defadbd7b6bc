// Calls of functions with a rule of the user's.
//
// FWD{ z = f(x) }  =  t = f$fwd(x, x$dot) ; z = f(x) ; z$dot = t[1]     `customJvp`
//                     t = f$fwd(x, x$dot) ; z = t[0] ; z$dot = t[1]     both rules, from lowering,
//                                                                       which knows that they agree
//                     z = f(x) ; z$dot = (f$pull)^T(x, x$dot)           `customVjp`, whose pullback
//                                                                       is linear in its seed

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import { isRuled } from "../../ir/derivation.ts";
import { InvariantError } from "../../ir/invariant.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Func, Type } from "../../ir/types.ts";
import { tuple } from "../fragments.ts";
import type { ActiveCall, RuledCall } from "../nested.ts";
import { noteBeyondRule } from "../unsupported.ts";
import type { Pushforward } from "./pushforward.ts";

export function ruledForward(call: RuledCall, push: Pushforward, b: Builder): void {
  const { stmt, callee } = call;
  if (callee.rule.mode !== "both") b.stmts.push(stmt);
  const tangent = tangentBy(call, push, b);
  if (isScalarType(stmt.bind.type)) return push.setDot(stmt.bind, tangent);
  if (push.facts.shadowed(stmt.bind))
    push.emitShadow(b, stmt.bind, { kind: "copy", atom: tangent });
}

/** The tangent of a call by the user's rule. */
function tangentBy(call: RuledCall, push: Pushforward, b: Builder): Atom {
  const { callee } = call;
  noteBeyondRule(call, push.facts, push.shadows.problems);
  const numeric = callee.params.flatMap((param, i) =>
    i < callee.rule.given && hasNumbers(param.type, push.types) ? [i] : [],
  );
  const tangents = tangentsAt(numeric, call.expr, callee, push, b);
  return callee.rule.mode === "jvp" || callee.rule.mode === "both"
    ? pushed(call, tangents, push, b)
    : transposed(call, tangents, push, b);
}

/** The tangents of the arguments at these positions. */
const tangentsAt = (
  positions: readonly number[],
  { args }: Expr & { kind: "call" },
  callee: Func,
  push: Pushforward,
  b: Builder,
): readonly Atom[] =>
  positions.map((i) => {
    const arg = args[i];
    return arg === undefined || isScalarType(callee.params[i]?.type ?? NUM)
      ? push.dotOrZero(arg ?? num(0))
      : push.shadows.orZeros(b, arg);
  });

// FWD{ t = f$rule(x) }  =  u = f$rule$fwd(x, x$dot) ; t = u[0] ; t$dot = [z$dot, ...u[1][1…]]
//                          z$dot as for z = f(x); the other tangents are those of the rule's code
export function onceForward(
  { stmt, expr, active, callee, of }: ActiveCall & { readonly callee: Func; readonly of: string },
  push: Pushforward,
  b: Builder,
): void {
  const { types, facts } = push;
  const signature = push.signature(callee.name, active);
  const tangents = tangentsAt(signature.active, expr, callee, push, b);
  const both = b.let("both", signature.result, {
    kind: "call",
    callee: signature.name,
    args: [...expr.args, ...tangents],
  });
  b.stmts.push({ ...stmt, expr: { kind: "load", object: both, key: field("0") } });
  const ruled = push.nested.func(of);
  const type = shadowType(callee.result, types);
  if (!isRuled(ruled) || type?.kind !== "tuple")
    throw new InvariantError(`${of} has no rule in two parts`);
  if (!facts.shadowed(stmt.bind)) return;
  const value = b.load("value", ruled.result, stmt.bind, field("0"));
  const own = tangentBy({ stmt: { ...stmt, bind: value }, expr, active, callee: ruled }, push, b);
  const dots = b.load("t", type, both, field("1"));
  const elems = type.elems.map((elem, i) =>
    i === 0 ? own : b.load("t", elem, dots, field(String(i))),
  );
  push.emitShadow(b, stmt.bind, { kind: "tuple", elems });
}

function pushed(
  { stmt, expr, callee }: RuledCall,
  tangents: readonly Atom[],
  push: Pushforward,
  b: Builder,
): Atom {
  const rule = push.nested.func(names.fwd(callee.name, null));
  const both = b.let("both", rule.result, {
    kind: "call",
    callee: rule.name,
    args: [...expr.args, ...tangents],
  });
  if (callee.rule.mode === "both")
    b.stmts.push({ ...stmt, expr: { kind: "load", object: both, key: field("0") } });
  const type = shadowType(callee.result, push.types) ?? NUM;
  return b.load(names.dot(callee.name), type, both, field("1"));
}

function transposed(
  { stmt: { bind }, expr, callee }: RuledCall,
  tangents: readonly Atom[],
  push: Pushforward,
  b: Builder,
): Atom {
  const rule = push.nested.func(names.pull(callee.name, { names: null, tuple: false }));
  const result = shadowType(callee.result, push.types) ?? NUM;
  const zero = (): Atom =>
    isScalarType(result) ? num(0) : b.let("t", result, { kind: "zeros", like: bind });
  const name = push.nested.pull(rule, [callee.params.length], [], 0);
  const bars: Type = { kind: "tuple", elems: [result] };
  const args = [...expr.args, zero(), tuple(b, [zero(), tuple(b, tangents)])];
  const type: Type = { kind: "tuple", elems: [rule.result, bars] };
  const both = b.let("both", type, { kind: "call", callee: name, args });
  return b.load(names.dot(callee.name), result, b.load("t", bars, both, field("1")), field("0"));
}
