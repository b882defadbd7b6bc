// Calls of functions that say how they are differentiated: by a rule of the user's, or by computing them again.
//
// FWD{ z = f(x) }  =  z = f(x)                         saves x, and nothing of what f computes
// REV{ z = f(x) }  =  x$bar += f$pull(x, z$bar)[1]     the user's, of `customVjp`; made from f, of `checkpoint`
//                     x$bar += (f$fwd)^T(x, z$bar)     of `customJvp`: its rule is linear in the tangent, and so its own transpose's transpose

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import type { Ruled } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Func, Let, Type } from "../../ir/types.ts";
import { recomputedStep } from "./nested.ts";
import type { BodySweep, Step } from "./sweep.ts";

export function ruleStep(stmt: Let, expr: Expr & { kind: "call" }, callee: Ruled, active: readonly number[], body: BodySweep): Step {
  const { sweep } = body;
  const { mode, given } = callee.rule;
  if (mode !== "checkpoint") {
    // the rule says nothing of what the function sees of its surroundings
    for (const i of active) if (i >= given) sweep.problems.push({ kind: "captured", origin: stmt.origin, text: names.baseName(callee.params[i]?.name ?? "") });
  }
  return recomputedStep(stmt, expr, active, body, (args, seed, rev) => (mode === "jvp" ? transposed(callee, args, seed, rev, body) : pulled(callee, args, seed, active, rev, body)));
}

const numericOf = (func: Func, count: number, body: BodySweep): readonly number[] =>
  func.params.flatMap((param, i) => (i < count && hasNumbers(param.type, body.sweep.types) ? [i] : []));

type Bars = ReadonlyMap<number, Atom>;

function pulled(callee: Ruled, args: readonly Atom[], seed: Atom, active: readonly number[], b: Builder, body: BodySweep): Bars {
  const { types, nested } = body.sweep;
  const isOwn = callee.rule.mode !== "checkpoint";
  const listed = isOwn ? numericOf(callee, callee.rule.given, body) : active;
  const name = isOwn ? names.pull(callee.name, { names: null, tuple: false }) : nested.pull(callee, active, [], 0);
  return barsOf(b, name, callee.result, listed, listed.map((i) => shadowType(callee.params[i]?.type ?? NUM, types) ?? NUM), [...args, seed]);
}

function barsOf(b: Builder, callee: string, result: Type, listed: readonly number[], types: readonly Type[], args: readonly Atom[]): Bars {
  const bars: Type = { kind: "tuple", elems: types };
  const both = b.let("both", { kind: "tuple", elems: [result, bars] }, { kind: "call", callee, args });
  const list = b.load("bars", bars, both, field("1"));
  return new Map(listed.map((i, k) => [i, b.load("t", types[k] ?? NUM, list, field(String(k)))]));
}

/** With the tangents 0, where a linear function may be transposed as well as anywhere. */
function transposed(callee: Ruled, args: readonly Atom[], seed: Atom, b: Builder, body: BodySweep): Bars {
  const { types, nested } = body.sweep;
  const rule = nested.func(names.fwd(callee.name, null));
  const listed = numericOf(callee, callee.rule.given, body);
  const dots = rule.params.slice(callee.params.length);
  const zeros = dots.map((dot, k): Atom => (isScalarType(dot.type) ? num(0) : b.let("t", dot.type, { kind: "zeros", like: args[listed[k] ?? 0] ?? num(0) })));
  const valueBar: Atom = isScalarType(callee.result) ? num(0) : b.let("t", seed.type, { kind: "zeros", like: seed });
  const seeds = b.let("t", { kind: "tuple", elems: [valueBar.type, seed.type] }, { kind: "tuple", elems: [valueBar, seed] });
  const name = nested.pull(rule, dots.map((_, k) => callee.params.length + k), [], 0);
  return barsOf(b, name, rule.result, listed, dots.map(({ type }) => shadowType(type, types) ?? NUM), [...args, ...zeros, seeds]);
}
