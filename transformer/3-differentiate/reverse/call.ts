// Calls of functions that are not inlined.
//
// FWD{ z = g(x, a) }  =  b = g$revf(x, a, a$bar) ; z = b[0]      saves b
//                        for an aggregate z also: z$bar = b[1]
// REV{ z = g(x, a) }  =  x$bar += g$revr(b, z$bar)
//                        a recursive g also takes pass-through values (pass-through-params.ts)

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import { isRuled } from "../../ir/derivation.ts";
import type { Atom, Expr, Let, Stmt, Var } from "../../ir/types.ts";
import { stmtBinds } from "../../ir/visit.ts";
import { adjointLet } from "../fragments.ts";
import { beyondRule } from "../unsupported.ts";
import { isScheduledLoop } from "./checkpoint-schedule.ts";
import { nestedStep } from "./nested.ts";
import { hasVisibleEffect, scheduledLoopStep } from "./scheduled-loop.ts";
import { ruleStep } from "./rule.ts";
import { plainStep } from "./scalar.ts";
import { resultType, type Signature } from "./signature.ts";
import { zeroInto } from "./structure.ts";
import type { BodySweep, Reversing, Step } from "./sweep.ts";
import { isMultipleOfSeed, unlessZero } from "./zero-seeds.ts";

type Call = Expr & { kind: "call" };

export function callStep(stmt: Let, expr: Call, body: BodySweep): Step {
  const { sweep } = body;
  const active = sweep.facts.callActive(stmt.bind.name);
  // what its sweeps write is not known
  const shipped = sweep.nested.shippedOf(expr.callee);
  if (shipped !== null) {
    sweep.problems.push({ kind: "shipped", origin: stmt.origin, text: shipped.name });
    return plainStep(stmt);
  }
  if (active === null)
    return sweep.facts.shadowed(stmt.bind) ? freshStep(stmt, body) : plainStep(stmt);
  const callee = sweep.nested.func(expr.callee);
  // a checkpoint re-runs on copies, so writes, aliasing results and I/O need the recorded call
  const isRecorded =
    callee.rule?.mode === "checkpoint" &&
    (beyondRule(stmt.bind, expr.args, sweep.facts) !== null || hasVisibleEffect(callee.name, body));
  if (isRuled(callee) && !isRecorded) return ruleStep({ stmt, expr, callee, active }, body);
  if (isScheduledLoop(callee)) return scheduledLoopStep({ stmt, expr, callee, active }, body);
  const derivative = sweep.nested.derivative(expr.callee);
  if (derivative !== null) return nestedStep({ stmt, expr, active }, derivative, body);
  if (sweep.nested.isClosed(expr.callee)) {
    sweep.problems.push({ kind: "opaque", origin: stmt.origin, text: expr.callee });
    return plainStep(stmt);
  }
  return pairStep(stmt, expr, sweep.signature(expr.callee, active), body);
}

/** The call by `g$revf` and `g$revr`. */
function pairStep(stmt: Let, expr: Call, signature: Signature, body: BodySweep): Step {
  const { sweep, frame, rank } = body;
  const { bind, origin } = stmt;
  const bog = bogOf(expr, signature, body);
  const hasValue = bind.type.kind !== "void";
  const value: Expr = { kind: "load", object: bog, key: field("0") };
  // the reverse sweep reads the value from the BOG
  frame.define(bind, hasValue ? value : null, true);
  const shadow =
    signature.result === "aggregate" && sweep.facts.shadowed(bind) ? sweep.shadowVar(bind) : null;
  if (shadow !== null) frame.define(shadow);
  // forward statements that `reverse`, which runs first, finds necessary
  const b = sweep.entry.nested();
  b.origin = origin;
  let shadows: readonly Atom[] = [];
  return {
    forward: () => {
      const args = [...expr.args, ...shadows];
      const call: Expr = { kind: "call", callee: signature.revf, args };
      const out: Stmt[] = [...b.stmts, { kind: "let", bind: bog, expr: call, origin }];
      if (hasValue) out.push({ kind: "let", bind, expr: value, origin });
      if (shadow !== null)
        out.push(adjointLet(shadow, { kind: "load", object: bog, key: field("1") }, origin));
      return out;
    },
    reverse: (rev, env) => {
      rev.origin = origin;
      shadows = signature.aggregates.map((i) => sweep.shadowOrZeros(b, expr.args[i] ?? num(0)));
      for (const made of b.stmts) for (const each of stmtBinds(made)) frame.define(each);
      const passed = signature.passThrough.map(({ position, of }) => {
        const shadowAt = signature.aggregates.indexOf(position);
        return body.value((of === "value" ? expr.args[position] : shadows[shadowAt]) ?? num(0));
      });
      reverseCall(stmt, expr, signature, [body.value(bog), passed], { rev, env, rank, body });
    },
  };
}

/** The variable for a call's BOG, which the reverse sweep needs in any case. */
function bogOf(expr: Call, signature: Signature, { sweep, frame }: BodySweep): Var {
  const bog: Var = {
    kind: "var",
    name: sweep.names.fresh(`${expr.callee.replaceAll(/\.\d+/g, "")}$bog`),
    type: { kind: "named", name: signature.bog },
  };
  frame.define(bog);
  frame.require(bog);
  sweep.bogs.add(bog.name);
  return bog;
}

// FWD{ z = g(x) }  =  z = g(x) ; z$bar = zeros z      no argument is active, but z is written later
// REV{ z = g(x) }  =  z$bar = 0                       only where the sweep may run again
function freshStep(stmt: Let, body: BodySweep): Step {
  const { sweep } = body;
  const zeros: Expr = { kind: "zeros", like: stmt.bind };
  const shadow = body.shadowLet(sweep.shadowVar(stmt.bind), zeros, stmt.origin, false);
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
  expr: Call,
  signature: Signature,
  [bog, passed]: readonly [Atom, readonly Atom[]],
  { rev, env, rank, body }: Reversing,
): void {
  const { scalars } = signature;
  const { facts } = body.sweep;
  const seed = signature.result === "scalar" ? (env.take(rev, stmt.bind.name) ?? num(0)) : null;
  const type = resultType(signature);
  const write = (b: Builder): readonly Atom[] => {
    const returned = b.let(type.kind === "num" ? "t" : "bars", type, {
      kind: "call",
      callee: signature.revr,
      args: [bog, ...(seed === null ? [] : [seed]), ...passed],
    });
    return scalars.map((_, i) =>
      scalars.length === 1 ? returned : b.load("t", NUM, returned, field(String(i))),
    );
  };
  const isTested =
    seed !== null &&
    seed.kind !== "const" &&
    isMultipleOfSeed(signature, facts.callWrites(stmt.bind.name)) &&
    ["dropped", "stored"].includes(facts.zeroCotangent(stmt.bind.name, body.sweep.seed));
  const parts = isTested
    ? unlessZero(
        rev,
        seed,
        scalars.map(() => "t"),
        write,
      )
    : write(rev);
  scalars.forEach((position, i) => {
    const [arg, part] = [expr.args[position], parts[i]];
    if (arg !== undefined && part !== undefined && facts.active(arg))
      env.add(arg, rank, () => part);
  });
}
