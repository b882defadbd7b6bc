// Calls of functions with a derivative of their own: a user's rule, or a checkpoint.
//
// FWD{ z = f(x) }  =  z = f(x)                         saves x, and nothing that f computes
// REV{ z = f(x) }  =  x$bar += f$pull(x, z$bar)[1]     `customVjp`: the user's; `checkpoint`: of f
//                     x$bar += (f$fwd)^T(x, z$bar)     `customJvp`: it is linear in its tangent

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import type { Ruled } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Func, Let, SingleRunRule, Stmt, Type, Var } from "../../ir/types.ts";
import { adjointLet, tuple } from "../fragments.ts";
import type { RuledCall } from "../nested.ts";
import { noteBeyondRule } from "../unsupported.ts";
import { type Bars, contribute, copyOf, type Given, recomputedStep } from "./nested.ts";
import { zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";

export function ruleStep(call: RuledCall, body: BodySweep): Step {
  const { sweep } = body;
  const { stmt, callee, active } = call;
  const { mode, once } = callee.rule;
  if (mode !== "checkpoint") noteBeyondRule(call, sweep.facts, sweep.problems);
  // a rule must see copies of arguments that the function writes
  if (once !== undefined && !sweep.facts.callWrites(stmt.bind.name))
    return onceStep(call, once, body);
  return recomputedStep(call, body, (args, seed, rev) =>
    mode === "jvp"
      ? transposed(callee, [args, seed], rev, body)
      : pulled(callee, active, [args, seed], rev, body),
  );
}

// FWD{ z = f(x) }  =  t = f$rule(x) ; z = t[0] ; k = t[1…]      saves k, and what f$back reads of x
// REV{ z = f(x) }  =  x$bar += f$back(x, k, z$bar)
function onceStep(call: RuledCall, once: SingleRunRule, body: BodySweep): Step {
  const { sweep, rank } = body;
  const { stmt, expr, callee } = call;
  const { bind, origin } = stmt;
  const type: Type = { kind: "tuple", elems: [callee.result, ...once.kept] };
  const both: Var = { kind: "var", name: sweep.names.fresh("both"), type };
  const kept = once.kept.map((each, i): Var =>
    i === once.value ? bind : { kind: "var", name: sweep.names.fresh("kept"), type: each },
  );
  for (const each of [bind, ...kept]) body.frame.define(each);
  const shadow = sweep.facts.shadowed(bind) ? sweep.shadowVar(bind) : null;
  if (shadow !== null) body.frame.define(shadow);
  const args = once.read.map((i) => expr.args[i] ?? num(0));
  // `f$back` must see the values of now, not of later writes
  const copyUnless = (isUnique: boolean, atom: Atom): Let | null =>
    holdsNoNumbers(atom, body) || (isUnique && sweep.facts.isUnchanged(atom))
      ? null
      : copyOf(atom, stmt, body);
  const argCopies = args.map((arg) => copyUnless(true, arg));
  const keptCopies = kept.map((each, i) => copyUnless(i === once.value, each));
  const load = (each: Var, i: number): Stmt => ({
    kind: "let",
    bind: each,
    expr: { kind: "load", object: both, key: field(String(i)) },
    origin,
  });
  return {
    forward: () => {
      const stmts: Stmt[] = [...defined(argCopies)];
      if (once.rule === null) stmts.push(stmt);
      else {
        const ruled: Expr = { kind: "call", callee: once.rule, args: expr.args };
        stmts.push({ kind: "let", bind: both, expr: ruled, origin }, load(bind, 0));
      }
      stmts.push(...kept.flatMap((each, i) => (i === once.value ? [] : [load(each, i + 1)])));
      stmts.push(...defined(keptCopies));
      if (shadow !== null) stmts.push(adjointLet(shadow, { kind: "zeros", like: bind }, origin));
      return stmts;
    },
    reverse: (rev, env) => {
      rev.origin = origin;
      const seed = shadow === null ? (env.take(rev, bind.name) ?? num(0)) : body.value(shadow);
      const given = [
        ...args.map((arg, i) => body.value(argCopies[i]?.bind ?? arg)),
        ...kept.map((each, i) => body.value(keptCopies[i]?.bind ?? each)),
        seed,
      ];
      contribute(call, backBars(callee, once, given, rev, body), { rev, env, rank, body });
      if (shadow !== null && sweep.repeatable) zeroInto(rev, bind.type, seed, sweep.types);
    },
  };
}

const holdsNoNumbers = ({ type }: Atom, { sweep }: BodySweep): boolean =>
  isScalarType(type) || shadowType(type, sweep.types) === null;

const defined = (copies: readonly (Let | null)[]): readonly Let[] =>
  copies.flatMap((copy) => (copy === null ? [] : [copy]));

/** The cotangents that `f$back` returns. */
function backBars(
  callee: Ruled,
  once: SingleRunRule,
  given: readonly Atom[],
  rev: Builder,
  { sweep: { types } }: BodySweep,
): Bars {
  const listed = numericOf(callee, callee.rule.given, types);
  const elems = listed.map((i) => shadowType(callee.params[i]?.type ?? NUM, types) ?? NUM);
  const back: Expr = { kind: "call", callee: once.back, args: given };
  const list = rev.let("bars", { kind: "tuple", elems }, back);
  return new Map(listed.map((i, k) => [i, rev.load("t", elems[k] ?? NUM, list, field(String(k)))]));
}

/** Positions of the first `count` parameters that hold numbers. */
const numericOf = (
  { params }: Func,
  count: number,
  types: BodySweep["sweep"]["types"],
): readonly number[] =>
  params.flatMap((param, i) => (i < count && hasNumbers(param.type, types) ? [i] : []));

function pulled(
  callee: Ruled,
  active: readonly number[],
  [args, seed]: Given,
  b: Builder,
  { sweep: { types, nested } }: BodySweep,
): Bars {
  const isOwn = callee.rule.mode !== "checkpoint";
  const listed = isOwn ? numericOf(callee, callee.rule.given, types) : active;
  const name = isOwn
    ? names.pull(callee.name, { names: null, tuple: false })
    : nested.pull(callee, active, [], 0);
  const elems = listed.map((i) => shadowType(callee.params[i]?.type ?? NUM, types) ?? NUM);
  const pull: Expr = { kind: "call", callee: name, args: [...args, seed] };
  return barsOf(b, pull, callee.result, listed, elems);
}

/** Calls `pull`, which returns a value and the cotangents of the `listed` positions. */
function barsOf(
  b: Builder,
  pull: Expr,
  result: Type,
  listed: readonly number[],
  elems: readonly Type[],
): Bars {
  const bars: Type = { kind: "tuple", elems };
  const both = b.let("both", { kind: "tuple", elems: [result, bars] }, pull);
  const list = b.load("bars", bars, both, field("1"));
  return new Map(listed.map((i, k) => [i, b.load("t", elems[k] ?? NUM, list, field(String(k)))]));
}

/** The transpose of `f$fwd` at tangent 0: a linear function has the same transpose everywhere. */
function transposed(
  callee: Ruled,
  [args, seed]: Given,
  b: Builder,
  { sweep: { types, nested } }: BodySweep,
): Bars {
  const rule = nested.func(names.fwd(callee.name, null));
  const listed = numericOf(callee, callee.rule.given, types);
  const dots = rule.params.slice(callee.params.length);
  const zeros = dots.map((dot, k): Atom => {
    const like = args[listed[k] ?? 0] ?? num(0);
    return isScalarType(dot.type) ? num(0) : b.let("t", dot.type, { kind: "zeros", like });
  });
  const valueBar: Atom = isScalarType(callee.result)
    ? num(0)
    : b.let("t", seed.type, { kind: "zeros", like: seed });
  const seeds = tuple(b, [valueBar, seed]);
  const positions = dots.map((_, k) => callee.params.length + k);
  const name = nested.pull(rule, positions, [], 0);
  const elems = dots.map(({ type }) => shadowType(type, types) ?? NUM);
  const pull: Expr = { kind: "call", callee: name, args: [...args, ...zeros, seeds] };
  return barsOf(b, pull, rule.result, listed, elems);
}
