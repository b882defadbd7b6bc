// Calls of functions that are not inlined.
//
// FWD{ z = g(x, a) }  =  b = g$revf(x, a, a$bar) ; z = b[0]      saves b        (an aggregate z: z$bar = b[1])
// REV{ z = g(x, a) }  =  x$bar += g$revr(b, z$bar)       (a recursive g: and what its calls hand on, pass-through-params.ts)

import { bar } from "../../ir/names.ts";
import { field, num } from "../../ir/build.ts";
import { stmtBinds } from "../../ir/visit.ts";
import type { Atom, Expr, Let, Stmt, Type, Var } from "../../ir/types.ts";
import type { Signature } from "./signature.ts";
import { nestedStep } from "./nested.ts";
import { isRuled } from "../../ir/derivation.ts";
import { beyondRule } from "../shadows.ts";
import { isOfRounds } from "./checkpoint-schedule.ts";
import { isActing, roundsStep } from "./rounds.ts";
import { ruleStep } from "./rule.ts";
import { plainStep } from "./scalar.ts";
import { zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";
import type { Builder } from "../../ir/build.ts";
import type { Cotangents, Rank } from "./cotangents.ts";

export function callStep(stmt: Let, expr: Expr & { kind: "call" }, body: BodySweep): Step {
  const { sweep } = body;
  const active = sweep.facts.callActive(stmt.bind.name);
  if (active === null)
    return sweep.facts.shadowed(stmt.bind) ? freshStep(stmt, body) : plainStep(stmt);
  const callee = sweep.nested.func(expr.callee);
  // what writes its arguments, or hands them back, is recorded: run again on copies, its writes would have no cotangents; so is what is seen outside
  const isRecorded =
    callee.rule?.mode === "checkpoint" &&
    (beyondRule(stmt.bind, expr.args, sweep.facts) !== null || isActing(callee.name, body));
  if (isRuled(callee) && !isRecorded) return ruleStep(stmt, expr, callee, active, body);
  if (isOfRounds(callee)) return roundsStep(stmt, expr, callee, active, body);
  const derivative = sweep.nested.derivative(expr.callee);
  if (derivative !== null) return nestedStep(stmt, expr, derivative, active, body);
  if (sweep.nested.isClosed(expr.callee)) {
    sweep.problems.push({ kind: "opaque", origin: stmt.origin, text: expr.callee });
    return plainStep(stmt);
  }
  return pairStep(stmt, expr, sweep.signature(expr.callee, active), body);
}

/** By `g$revf` and `g$revr`. */
function pairStep(
  stmt: Let,
  expr: Expr & { kind: "call" },
  signature: Signature,
  body: BodySweep,
): Step {
  const { sweep } = body;
  const bog: Var = {
    kind: "var",
    name: sweep.names.fresh(`${expr.callee.replaceAll(/\.\d+/g, "")}$bog`),
    type: { kind: "named", name: signature.bog },
  };
  body.frame.define(bog);
  body.frame.want(bog);
  sweep.bogs.add(bog.name);
  const hasValue = stmt.bind.type.kind !== "void";
  // the value stands in the BOG, which the reverse sweep has
  body.frame.define(
    stmt.bind,
    hasValue ? { kind: "load", object: bog, key: field("0") } : null,
    true,
  );
  const shadow =
    signature.result === "aggregate" && sweep.facts.shadowed(stmt.bind)
      ? sweep.shadowVar(stmt.bind)
      : null;
  if (shadow !== null) body.frame.define(shadow);
  const rank = body.rank;
  // of the reverse sweep, which is written first
  const b = sweep.entry.nested();
  b.origin = stmt.origin;
  let shadows: readonly Atom[] = [];
  return {
    forward: () => {
      const call: Stmt = {
        kind: "let",
        bind: bog,
        expr: { kind: "call", callee: signature.revf, args: [...expr.args, ...shadows] },
        origin: stmt.origin,
      };
      const value: Stmt = {
        kind: "let",
        bind: stmt.bind,
        expr: { kind: "load", object: bog, key: field("0") },
        origin: stmt.origin,
      };
      const out: Stmt[] = [...b.stmts, call];
      if (hasValue) out.push(value);
      if (shadow !== null)
        out.push({
          kind: "let",
          bind: shadow,
          expr: { kind: "load", object: bog, key: field("1") },
          origin: stmt.origin,
          adjoint: true,
        });
      return out;
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      shadows = signature.aggregates.map((i) => sweep.shadowOrZeros(b, expr.args[i] ?? num(0)));
      for (const made of b.stmts) for (const bind of stmtBinds(made)) body.frame.define(bind);
      const handed = signature.handed.map(({ position, of }) =>
        body.value(
          (of === "value"
            ? expr.args[position]
            : shadows[signature.aggregates.indexOf(position)]) ?? num(0),
        ),
      );
      reverseCall(stmt, expr, signature, [body.value(bog), handed], rank, rev, env, body);
    },
  };
}

// FWD{ z = g(x) }  =  z = g(x) ; z$bar = zeros of z        where nothing active goes in, but z is written later
function freshStep(stmt: Let, body: BodySweep): Step {
  const { sweep } = body;
  const shadow = body.shadowLet(
    sweep.shadowVar(stmt.bind),
    { kind: "zeros", like: stmt.bind },
    stmt.origin,
    false,
  );
  return {
    forward: () => [stmt, shadow],
    reverse: (rev) => {
      rev.origin = stmt.origin;
      if (sweep.repeatable) zeroInto(rev, stmt.bind.type, body.value(shadow.bind), sweep.types);
    },
  };
}

function reverseCall(
  stmt: Let,
  expr: Expr & { kind: "call" },
  signature: Signature,
  [bog, handed]: readonly [Atom, readonly Atom[]],
  rank: Rank,
  rev: Builder,
  env: Cotangents,
  body: BodySweep,
): void {
  const { facts } = body.sweep;
  const seeds: readonly Atom[] =
    signature.result === "scalar" ? [env.take(rev, stmt.bind.name) ?? num(0)] : [];
  const type = resultType(signature);
  const isRead = type.kind !== "void";
  const returned = rev.let(isRead && type.kind === "num" ? "t" : "bars", type, {
    kind: "call",
    callee: signature.revr,
    args: [bog, ...seeds, ...handed],
  });
  signature.scalars.forEach((position, i) => {
    const arg = expr.args[position];
    if (arg === undefined || !facts.active(arg)) return;
    const part =
      signature.scalars.length === 1
        ? returned
        : rev.load("t", num(0).type, returned, field(String(i)));
    env.add(arg, rank, () => part);
  });
}

/** What `revr` returns: nothing, the cotangent of the one active scalar, or a tuple of them. */
export function resultType(signature: Signature): Type {
  const count = signature.scalars.length;
  if (count === 0) return { kind: "void" };
  if (count === 1) return num(0).type;
  const labels = signature.scalars.map((i) => bar(signature.callee.params[i]?.name ?? `x${i}`));
  return { kind: "tuple", elems: labels.map(() => num(0).type), labels };
}
