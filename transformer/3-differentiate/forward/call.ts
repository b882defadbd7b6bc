// Calls of functions that are not inlined.
//
// FWD{ z = g(x, a) }  =  t = g$fwd(x, a, x$dot, a$dot) ; z = t[0] ; z$dot = t[1]

import { type Builder, field, NUM } from "../../ir/build.ts";
import { isRuled } from "../../ir/derivation.ts";
import { dot } from "../../ir/names.ts";
import { isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Let } from "../../ir/types.ts";
import { noteStringReads } from "../unsupported.ts";
import type { Pushforward } from "./pushforward.ts";
import { onceForward, ruledForward } from "./rule.ts";

export function callForward(
  stmt: Let,
  expr: Expr & { kind: "call" },
  push: Pushforward,
  b: Builder,
): void {
  const { facts, shadows, types } = push;
  b.origin = stmt.origin;
  const active = facts.callActive(stmt.bind.name);
  noteStringReads({ stmt, expr }, facts, shadows.problems);
  // what its sweeps write is not known
  const shipped = push.nested.shippedOf(expr.callee);
  if (shipped !== null) {
    shadows.problems.push({ kind: "shipped", origin: stmt.origin, text: shipped.name });
    b.stmts.push(stmt);
    return;
  }
  if (active === null) {
    b.stmts.push(stmt);
    // no argument is active, but the value is written later
    if (facts.shadowed(stmt.bind))
      push.emitShadow(b, stmt.bind, { kind: "zeros", like: stmt.bind });
    return;
  }
  const callee = push.nested.func(expr.callee);
  if (isRuled(callee) && callee.rule.mode !== "checkpoint")
    return ruledForward({ stmt, expr, active, callee }, push, b);
  if (callee.onceOf !== undefined)
    return onceForward({ stmt, expr, active, callee, of: callee.onceOf }, push, b);
  const signature = push.signature(expr.callee, active);
  if (signature.callee.shipped === true)
    shadows.problems.push({ kind: "shipped", origin: stmt.origin, text: signature.callee.name });
  const tangents = signature.active.map((i): Atom => {
    const arg = expr.args[i];
    if (arg === undefined) return push.dotOrZero(stmt.bind);
    return isScalarType(arg.type) || isScalarType(signature.callee.params[i]?.type ?? NUM)
      ? push.dotOrZero(arg)
      : shadows.orZeros(b, arg);
  });
  const call: Expr = { kind: "call", callee: signature.name, args: [...expr.args, ...tangents] };
  if (!signature.isPair) return void b.stmts.push({ ...stmt, expr: call });
  const both = b.let("both", signature.result, call);
  const value: Let = { ...stmt, expr: { kind: "load", object: both, key: field("0") } };
  b.stmts.push(value);
  const load: Expr = { kind: "load", object: both, key: field("1") };
  if (isScalarType(stmt.bind.type))
    push.setDot(stmt.bind, facts.active(stmt.bind) ? b.let(dot(stmt.bind.name), NUM, load) : null);
  else if (shadowType(stmt.bind.type, types) !== null && facts.shadowed(stmt.bind))
    push.emitShadow(b, stmt.bind, load);
}
