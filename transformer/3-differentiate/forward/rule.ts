// Calls of functions with a rule of the user's.
//
// FWD{ z = f(x) }  =  t = f$fwd(x, x$dot) ; z = f(x) ; z$dot = t[1]          the user's, of `customJvp`
//                     t = f$fwd(x, x$dot) ; z = t[0] ; z$dot = t[1]          of what lowering has given both rules: it knows that the value is the same
//                     z = f(x) ; z$dot = (f$pull)^T(x, x$dot)                of `customVjp`: the pullback is linear in its seed, so its own pullback pushes forward

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Func, Let, Type } from "../../ir/types.ts";
import { isRuled, type Ruled } from "../../ir/derivation.ts";
import { InvariantError } from "../../ir/invariant.ts";
import { beyondRule } from "../shadows.ts";
import type { Pushforward } from "./pushforward.ts";

export function ruledForward(
  stmt: Let,
  expr: Expr & { kind: "call" },
  callee: Ruled,
  active: readonly number[],
  push: Pushforward,
  b: Builder,
): void {
  const { facts, shadows } = push;
  if (callee.rule.mode !== "both") b.stmts.push(stmt);
  const tangent = tangentBy(stmt, expr, callee, active, push, b);
  if (isScalarType(stmt.bind.type)) return push.setDot(stmt.bind, tangent);
  if (facts.shadowed(stmt.bind))
    b.emit({ kind: "let", bind: shadows.fresh(stmt.bind), expr: { kind: "copy", atom: tangent } });
}

function tangentBy(
  stmt: Let,
  expr: Expr & { kind: "call" },
  callee: Ruled,
  active: readonly number[],
  push: Pushforward,
  b: Builder,
): Atom {
  const { shadows, types } = push;
  const { given, mode } = callee.rule;
  // the rule says nothing of what the function sees of its surroundings
  const beyond = beyondRule(stmt.bind, expr.args, push.facts);
  if (beyond !== null)
    shadows.problems.push({ kind: "beyond-rule", origin: stmt.origin, text: beyond });
  for (const i of active)
    if (i >= given)
      shadows.problems.push({
        kind: "captured",
        origin: stmt.origin,
        text: names.baseName(callee.params[i]?.name ?? ""),
      });
  const numeric = callee.params.flatMap((param, i) =>
    i < given && hasNumbers(param.type, types) ? [i] : [],
  );
  const tangents = numeric.map((i): Atom => {
    const arg = expr.args[i];
    return arg === undefined || isScalarType(callee.params[i]?.type ?? NUM)
      ? push.dotOrZero(arg ?? num(0))
      : shadows.orZeros(b, arg);
  });
  return mode === "jvp" || mode === "both"
    ? pushed(stmt, expr, callee, tangents, push, b)
    : transposed(stmt, expr, callee, tangents, push, b);
}

// FWD{ t = f$rule(x) }  =  u = f$rule$fwd(x, x$dot) ; t = u[0] ; t$dot = [z$dot, ...u[1][1…]]     z$dot as of z = f(x); of what is kept, that of the code
export function onceForward(
  stmt: Let,
  expr: Expr & { kind: "call" },
  callee: Func,
  of: string,
  active: readonly number[],
  push: Pushforward,
  b: Builder,
): void {
  const { shadows, types, facts } = push;
  const signature = push.signature(callee.name, active);
  const tangents = signature.active.map((i): Atom => {
    const arg = expr.args[i];
    return arg === undefined || isScalarType(callee.params[i]?.type ?? NUM)
      ? push.dotOrZero(arg ?? num(0))
      : shadows.orZeros(b, arg);
  });
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
  const own = tangentBy({ ...stmt, bind: value }, expr, ruled, active, push, b);
  const dots = b.load("t", type, both, field("1"));
  const elems = type.elems.map((elem, i) =>
    i === 0 ? own : b.load("t", elem, dots, field(String(i))),
  );
  b.emit({ kind: "let", bind: shadows.fresh(stmt.bind), expr: { kind: "tuple", elems } });
}

function pushed(
  stmt: Let,
  expr: Expr & { kind: "call" },
  callee: Ruled,
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
  return b.load(
    names.dot(callee.name),
    shadowType(callee.result, push.types) ?? NUM,
    both,
    field("1"),
  );
}

function transposed(
  { bind }: Let,
  expr: Expr & { kind: "call" },
  callee: Ruled,
  tangents: readonly Atom[],
  push: Pushforward,
  b: Builder,
): Atom {
  const rule = push.nested.func(names.pull(callee.name, { names: null, tuple: false }));
  const result = shadowType(callee.result, push.types) ?? NUM;
  const zero = (): Atom =>
    isScalarType(result) ? num(0) : b.let("t", result, { kind: "zeros", like: bind });
  const list = (elems: readonly Atom[]): Atom =>
    b.let("t", { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });
  const name = push.nested.pull(rule, [callee.params.length], [], 0);
  const bars: Type = { kind: "tuple", elems: [result] };
  const both = b.let(
    "both",
    { kind: "tuple", elems: [rule.result, bars] },
    { kind: "call", callee: name, args: [...expr.args, zero(), list([zero(), list(tangents)])] },
  );
  return b.load(names.dot(callee.name), result, b.load("t", bars, both, field("1")), field("0"));
}
