// Calls of functions that say how they are differentiated: by a rule of the user's, or by computing them again.
//
// FWD{ z = f(x) }  =  z = f(x)                         saves x, and nothing of what f computes
// REV{ z = f(x) }  =  x$bar += f$pull(x, z$bar)[1]     the user's, of `customVjp`; made from f, of `checkpoint`
//                     x$bar += (f$fwd)^T(x, z$bar)     of `customJvp`: its rule is linear in the tangent, and so its own transpose's transpose

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import type { Ruled } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Expr, Func, Let, Once, Stmt, Type, Var } from "../../ir/types.ts";
import { beyondRule } from "../shadows.ts";
import { contribute, copyOf, recomputedStep } from "./nested.ts";
import { zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";

export function ruleStep(
  stmt: Let,
  expr: Expr & { kind: "call" },
  callee: Ruled,
  active: readonly number[],
  body: BodySweep,
): Step {
  const { sweep } = body;
  const { mode, given } = callee.rule;
  if (mode !== "checkpoint") {
    // the rule says nothing of what the function sees of its surroundings
    const beyond = beyondRule(stmt.bind, expr.args, sweep.facts);
    if (beyond !== null)
      sweep.problems.push({ kind: "beyond-rule", origin: stmt.origin, text: beyond });
    for (const i of active)
      if (i >= given)
        sweep.problems.push({
          kind: "captured",
          origin: stmt.origin,
          text: names.baseName(callee.params[i]?.name ?? ""),
        });
  }
  const { once } = callee.rule;
  // of arguments that it writes, a rule has to see copies
  if (once !== undefined && !sweep.facts.callWrites(stmt.bind.name))
    return onceStep(stmt, expr, callee, once, active, body);
  return recomputedStep(stmt, expr, active, body, (args, seed, rev) =>
    mode === "jvp"
      ? transposed(callee, args, seed, rev, body)
      : pulled(callee, args, seed, active, rev, body),
  );
}

// FWD{ z = f(x) }  =  t = f$rule(x) ; z = t[0] ; k = t[1…]      saves k, and of x what the pullback reads
// REV{ z = f(x) }  =  x$bar += f$back(x, k, z$bar)
function onceStep(
  stmt: Let,
  expr: Expr & { kind: "call" },
  callee: Ruled,
  once: Once,
  active: readonly number[],
  body: BodySweep,
): Step {
  const { sweep } = body;
  const { types, facts, names: fresh } = sweep;
  const type: Type = { kind: "tuple", elems: [callee.result, ...once.kept] };
  const both: Var = { kind: "var", name: fresh.fresh("both"), type };
  const kept = once.kept.map((each, i): Var =>
    i === once.value ? stmt.bind : { kind: "var", name: fresh.fresh("kept"), type: each },
  );
  for (const each of [stmt.bind, ...kept]) body.frame.define(each);
  const shadow = facts.shadowed(stmt.bind) ? sweep.shadowVar(stmt.bind) : null;
  if (shadow !== null) body.frame.define(shadow);
  // what the pullback sees may share its memory with what is written later
  const isSafe = (atom: Atom, i: number | null): boolean =>
    isScalarType(atom.type) ||
    shadowType(atom.type, types) === null ||
    ((i === null || i === once.value) && facts.unchanging(atom));
  const copyUnless = (atom: Atom, i: number | null): Let | null =>
    isSafe(atom, i) ? null : copyOf(atom, stmt, body);
  const args = once.read.map((i) => expr.args[i] ?? num(0));
  const argCopies = args.map((arg) => copyUnless(arg, null));
  const keptCopies = kept.map((each, i) => copyUnless(each, i));
  const rank = body.rank;
  const load = (bind: Var, i: number): Stmt => ({
    kind: "let",
    bind,
    expr: { kind: "load", object: both, key: field(String(i)) },
    origin: stmt.origin,
  });
  const present = (copies: readonly (Let | null)[]): readonly Stmt[] =>
    copies.flatMap((copy): Stmt[] => (copy === null ? [] : [copy]));
  return {
    forward: () => [
      ...present(argCopies),
      ...(once.rule === null
        ? [stmt]
        : [
            {
              kind: "let" as const,
              bind: both,
              expr: { kind: "call" as const, callee: once.rule, args: expr.args },
              origin: stmt.origin,
            },
            load(stmt.bind, 0),
          ]),
      ...kept.flatMap((each, i) => (i === once.value ? [] : [load(each, i + 1)])),
      ...present(keptCopies),
      ...(shadow === null
        ? []
        : [
            {
              kind: "let" as const,
              bind: shadow,
              expr: { kind: "zeros" as const, like: stmt.bind },
              origin: stmt.origin,
              adjoint: true as const,
            },
          ]),
    ],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = shadow === null ? (env.take(rev, stmt.bind.name) ?? num(0)) : body.value(shadow);
      const given = [
        ...args.map((arg, i) => body.value(argCopies[i]?.bind ?? arg)),
        ...kept.map((each, i) => body.value(keptCopies[i]?.bind ?? each)),
        seed,
      ];
      const listed = numericOf(callee, callee.rule.given, body);
      const elems = listed.map((i) => shadowType(callee.params[i]?.type ?? NUM, types) ?? NUM);
      const list = rev.let(
        "bars",
        { kind: "tuple", elems },
        { kind: "call", callee: once.back, args: given },
      );
      contribute(
        expr,
        new Map(listed.map((i, k) => [i, rev.load("t", elems[k] ?? NUM, list, field(String(k)))])),
        active,
        rank,
        rev,
        env,
        body,
      );
      if (shadow !== null && sweep.repeatable) zeroInto(rev, stmt.bind.type, seed, types);
    },
  };
}

const numericOf = (func: Func, count: number, body: BodySweep): readonly number[] =>
  func.params.flatMap((param, i) =>
    i < count && hasNumbers(param.type, body.sweep.types) ? [i] : [],
  );

type Bars = ReadonlyMap<number, Atom>;

function pulled(
  callee: Ruled,
  args: readonly Atom[],
  seed: Atom,
  active: readonly number[],
  b: Builder,
  body: BodySweep,
): Bars {
  const { types, nested } = body.sweep;
  const isOwn = callee.rule.mode !== "checkpoint";
  const listed = isOwn ? numericOf(callee, callee.rule.given, body) : active;
  const name = isOwn
    ? names.pull(callee.name, { names: null, tuple: false })
    : nested.pull(callee, active, [], 0);
  return barsOf(
    b,
    name,
    callee.result,
    listed,
    listed.map((i) => shadowType(callee.params[i]?.type ?? NUM, types) ?? NUM),
    [...args, seed],
  );
}

function barsOf(
  b: Builder,
  callee: string,
  result: Type,
  listed: readonly number[],
  types: readonly Type[],
  args: readonly Atom[],
): Bars {
  const bars: Type = { kind: "tuple", elems: types };
  const both = b.let(
    "both",
    { kind: "tuple", elems: [result, bars] },
    { kind: "call", callee, args },
  );
  const list = b.load("bars", bars, both, field("1"));
  return new Map(listed.map((i, k) => [i, b.load("t", types[k] ?? NUM, list, field(String(k)))]));
}

/** With the tangents 0, where a linear function may be transposed as well as anywhere. */
function transposed(
  callee: Ruled,
  args: readonly Atom[],
  seed: Atom,
  b: Builder,
  body: BodySweep,
): Bars {
  const { types, nested } = body.sweep;
  const rule = nested.func(names.fwd(callee.name, null));
  const listed = numericOf(callee, callee.rule.given, body);
  const dots = rule.params.slice(callee.params.length);
  const zeros = dots.map((dot, k): Atom =>
    isScalarType(dot.type)
      ? num(0)
      : b.let("t", dot.type, { kind: "zeros", like: args[listed[k] ?? 0] ?? num(0) }),
  );
  const valueBar: Atom = isScalarType(callee.result)
    ? num(0)
    : b.let("t", seed.type, { kind: "zeros", like: seed });
  const seeds = b.let(
    "t",
    { kind: "tuple", elems: [valueBar.type, seed.type] },
    { kind: "tuple", elems: [valueBar, seed] },
  );
  const name = nested.pull(
    rule,
    dots.map((_, k) => callee.params.length + k),
    [],
    0,
  );
  return barsOf(
    b,
    name,
    rule.result,
    listed,
    dots.map(({ type }) => shadowType(type, types) ?? NUM),
    [...args, ...zeros, seeds],
  );
}
