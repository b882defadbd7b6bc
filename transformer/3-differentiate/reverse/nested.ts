// Calls of derivatives that are differentiated once more. A gradient is the pullback of its function, and the pullback of a pullback is its forward mode:
// with R(x, v) = [f(x), Jf(x)^T v], the cotangents of x and v for [p, q] are the tangent of R in the direction (q, p), its parts exchanged
// (second derivatives commute). So reverse code is never reversed again: what is called is `f$pull$fwd`, and for `f$grad$fwd` it is `f$pull$fwd$fwd`,
// and so for every forward mode: the pullback of `h$fwd` is `h$pull$fwd`.
//
// FWD{ z = f$grad(x) }  =  z = f$grad(x)                         saves x
// REV{ z = f$grad(x) }  =  x$bar += f$pull$fwd(x, 1, z$bar)[1]

import { type Builder, field, num, NUM } from "../../ir/build.ts";
import type { Derivation } from "../../ir/facts.ts";
import { baseName } from "../../ir/names.ts";
import {
  hasNumbers,
  isPlain,
  isScalarType,
  resolve,
  shadowType,
  type Types,
} from "../../ir/shadow.ts";
import type { Atom, Expr, Let, Stmt, Type } from "../../ir/types.ts";
import type { Derivative } from "../nested.ts";
import type { Cotangents, Rank } from "./cotangents.ts";
import { addInto, zeroInto } from "./structure.ts";
import type { BodySweep, Step } from "./sweep.ts";

/** What the pullback of the base is called with, and what its tangents mean. */
interface Plan {
  readonly derivative: Derivative;
  /** Positions among the base's arguments whose cotangents are wanted or given. */
  readonly all: readonly number[];
  readonly asked: readonly number[];
  readonly active: readonly number[];
}

export function nestedStep(
  stmt: Let,
  expr: Expr & { kind: "call" },
  derivative: Derivative,
  active: readonly number[],
  body: BodySweep,
): Step {
  const { sweep } = body;
  const { base, derivation, inner } = derivative;
  // what the module holds and the function writes is an argument more, whose cotangent no pullback gives
  const { original, params } = sweep.nested.func(expr.callee);
  const written = original === undefined ? undefined : params[original.params];
  if (written !== undefined)
    sweep.problems.push({
      kind: "nested-write",
      origin: base.origin,
      text: baseName(written.name),
    });
  const asked = (inner ?? derivation).asked;
  const all = base.params.flatMap((param, i) =>
    hasNumbers(param.type, sweep.types) && (asked.includes(i) || active.includes(i)) ? [i] : [],
  );
  const plan: Plan = { derivative, all, asked, active };
  return recomputedStep(stmt, expr, active, body, (args, seed, rev) =>
    derivation.mode === "fwd" && inner === null
      ? ofPushed(plan, args, seed, rev, body)
      : inner === null
        ? ofGradient(plan, args, seed, rev, body)
        : ofForward(plan, inner, args, seed, rev, body),
  );
}

/** A call of which only the arguments are saved; `barsOf` gives their cotangents from them and from that of the value. */
export function recomputedStep(
  stmt: Let,
  expr: Expr & { kind: "call" },
  active: readonly number[],
  body: BodySweep,
  barsOf: (args: readonly Atom[], seed: Atom, rev: Builder) => Bars,
): Step {
  const { sweep } = body;
  const shadow = sweep.facts.shadowed(stmt.bind) ? sweep.shadowVar(stmt.bind) : null;
  const lets = expr.args.map((arg): Let | null =>
    shadowType(arg.type, sweep.types) === null ||
    isScalarType(arg.type) ||
    sweep.facts.unchanging(arg)
      ? null
      : copyOf(arg, stmt, body),
  );
  if (shadow !== null) body.frame.define(shadow);
  const rank = body.rank;
  return {
    forward: () => {
      const copies = lets.flatMap((copy): Stmt[] => (copy === null ? [] : [copy]));
      const zeros: Stmt[] =
        shadow === null
          ? []
          : [
              {
                kind: "let",
                bind: shadow,
                expr: { kind: "zeros", like: stmt.bind },
                origin: stmt.origin,
                adjoint: true,
              },
            ];
      return [...copies, stmt, ...zeros];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const args = expr.args.map((arg, i) => body.value(lets[i]?.bind ?? arg));
      const seed = shadow === null ? (env.take(rev, stmt.bind.name) ?? num(0)) : body.value(shadow);
      contribute(expr, barsOf(args, seed, rev), active, rank, rev, env, body);
      if (shadow !== null && sweep.repeatable) zeroInto(rev, stmt.bind.type, seed, sweep.types);
    },
  };
}

/** The arguments as they were: their memory is written later. */
export function copyOf(arg: Atom, stmt: Let, body: BodySweep): Let {
  const { sweep } = body;
  if (!isPlain(arg.type, sweep.types))
    sweep.problems.push({ kind: "opaque", origin: stmt.origin, text: "" });
  return body.shadowLet(
    { kind: "var", name: sweep.names.fresh(arg.kind === "var" ? arg.name : "t"), type: arg.type },
    { kind: "clone", object: arg },
    stmt.origin,
    false,
  );
}

const part = (b: Builder, of: Atom, i: number, type: Type): Atom =>
  b.load("t", type, of, field(String(i)));
const elem = (type: Type, i: number): Type =>
  type.kind === "tuple" ? (type.elems[i] ?? NUM) : NUM;

/** The cotangents of the asked arguments' cotangents, in their order: parts of the seed. */
function seedsOf(seed: Atom, { tuple, asked }: Derivation, b: Builder): readonly Atom[] {
  return tuple ? asked.map((_, k) => part(b, seed, k, elem(seed.type, k))) : [seed];
}

/** Cotangents by position of the derivative's arguments. */
type Bars = ReadonlyMap<number, Atom>;

/** `f$grad(x)`, `f$vag(x)` and `f$pull(x, v)` */
function ofGradient(
  { derivative: { base, derivation }, all, asked, active }: Plan,
  args: readonly Atom[],
  seed: Atom,
  b: Builder,
  body: BodySweep,
): Bars {
  const { types, nested } = body.sweep;
  const own = args.slice(0, base.params.length);
  const given = args[base.params.length];
  const isPair = derivation.mode !== "grad";
  const directions = seedsOf(isPair ? part(b, seed, 1, elem(seed.type, 1)) : seed, derivation, b);
  const valueBar = isPair ? [part(b, seed, 0, elem(seed.type, 0))] : [];
  const seedPosition = base.params.length;
  const varied = [...asked, ...(isPair ? [seedPosition] : [])];
  const callee = nested.pull(base, all, varied, 1);
  const bars: Type = {
    kind: "tuple",
    elems: all.map((i) => shadowType(base.params[i]?.type ?? NUM, types) ?? NUM),
  };
  const tangent: Type = { kind: "tuple", elems: [shadowType(base.result, types) ?? NUM, bars] };
  const both = b.let(
    "both",
    { kind: "tuple", elems: [{ kind: "tuple", elems: [base.result, bars] }, tangent] },
    { kind: "call", callee, args: [...own, given ?? num(1), ...directions, ...valueBar] },
  );
  const dot = part(b, both, 1, tangent);
  const barsDot = part(b, dot, 1, bars);
  const found = new Map(
    all
      .filter((i) => active.includes(i))
      .map((i) => [i, part(b, barsDot, all.indexOf(i), elem(bars, all.indexOf(i)))]),
  );
  if (given !== undefined && active.includes(seedPosition))
    found.set(seedPosition, part(b, dot, 0, elem(tangent, 0)));
  return found;
}

/** `h$fwd(x, u)`, of any h: its pullback is the forward mode of that of h, with u for the direction of x. */
function ofPushed(
  {
    derivative: {
      base,
      derivation: { asked },
    },
    all,
    active,
  }: Plan,
  args: readonly Atom[],
  seed: Atom,
  b: Builder,
  body: BodySweep,
): Bars {
  const { types, nested } = body.sweep;
  const count = base.params.length;
  const callee = nested.pull(base, all, [...asked, count], 1);
  const bars: Type = {
    kind: "tuple",
    elems: all.map((i) => shadowType(base.params[i]?.type ?? NUM, types) ?? NUM),
  };
  const result = shadowType(base.result, types) ?? NUM;
  const pulled: Type = { kind: "tuple", elems: [base.result, bars] };
  const tangent: Type = { kind: "tuple", elems: [result, bars] };
  const [ofValue, ofTangent] = [0, 1].map((i) => part(b, seed, i, elem(seed.type, i)));
  const both = b.let(
    "both",
    { kind: "tuple", elems: [pulled, tangent] },
    {
      kind: "call",
      callee,
      args: [...args.slice(0, count), ofTangent ?? seed, ...args.slice(count), ofValue ?? seed],
    },
  );
  const [values, dots] = [
    part(b, part(b, both, 0, pulled), 1, bars),
    part(b, part(b, both, 1, tangent), 1, bars),
  ];
  return new Map(
    active.map((i): [number, Atom] => {
      const k = all.indexOf(i < count ? i : (asked[i - count] ?? 0));
      return [i, part(b, i < count ? dots : values, k, elem(bars, k))];
    }),
  );
}

/** `f$grad$fwd(x, u)` */
function ofForward(
  { derivative: { base, derivation }, all, asked, active }: Plan,
  inner: Derivation,
  args: readonly Atom[],
  seed: Atom,
  b: Builder,
  body: BodySweep,
): Bars {
  const { types, nested } = body.sweep;
  const count = base.params.length;
  const [own, tangents] = [args.slice(0, count), args.slice(count)];
  // arguments of the gradient that are held still have zeros
  const at = (i: number): Atom => {
    const type = shadowType(base.params[i]?.type ?? NUM, types) ?? NUM;
    const like = own[i];
    return (
      tangents[derivation.asked.indexOf(i)] ??
      (isScalarType(type) || like === undefined
        ? num(0)
        : b.let("t", type, { kind: "zeros", like }))
    );
  };
  const isPair = inner.mode === "vag";
  const inside = (half: Atom): Atom => (isPair ? part(b, half, 1, elem(half.type, 1)) : half);
  const [first, second] = [0, 1].map((i) =>
    seedsOf(inside(part(b, seed, i, elem(seed.type, i))), inner, b),
  );
  const varied = [...asked, ...asked.map((_, k) => count + 1 + k)];
  const callee = nested.pull(base, all, varied, 2);
  const bars: Type = {
    kind: "tuple",
    elems: all.map((i) => shadowType(base.params[i]?.type ?? NUM, types) ?? NUM),
  };
  const pulled: Type = { kind: "tuple", elems: [base.result, bars] };
  const tangent: Type = { kind: "tuple", elems: [shadowType(base.result, types) ?? NUM, bars] };
  const once: Type = { kind: "tuple", elems: [pulled, tangent] };
  const twice: Type = { kind: "tuple", elems: [tangent, tangent] };
  const both = b.let(
    "both",
    { kind: "tuple", elems: [once, twice] },
    {
      kind: "call",
      callee,
      args: [...own, num(1), ...(second ?? []), ...asked.map(at), ...(first ?? [])],
    },
  );
  const barsAt = (half: 0 | 1): Atom =>
    part(b, part(b, part(b, both, half, half === 0 ? once : twice), 1, tangent), 1, bars);
  const found = new Map<number, Atom>();
  const [values, dots] = [barsAt(0), barsAt(1)];
  for (const i of active) {
    const k = i < count ? i : (derivation.asked[i - count] ?? 0);
    found.set(i, part(b, i < count ? dots : values, all.indexOf(k), elem(bars, all.indexOf(k))));
  }
  return found;
}

/** The cotangent of a union as that of the variant that the argument is. */
function asVariant(bar: Atom, arg: Atom, rev: Builder, types: Types): Atom {
  const wanted = shadowType(arg.type, types);
  if (
    wanted === null ||
    resolve(bar.type, types).kind !== "union" ||
    resolve(wanted, types).kind === "union"
  )
    return bar;
  return rev.let("t", wanted, { kind: "unwrap", value: bar });
}

export function contribute(
  expr: Expr & { kind: "call" },
  bars: Bars,
  active: readonly number[],
  rank: Rank,
  rev: Builder,
  env: Cotangents,
  body: BodySweep,
): void {
  const { facts, types } = body.sweep;
  for (const position of active) {
    const arg = expr.args[position];
    const bar = bars.get(position);
    if (arg === undefined || bar === undefined) continue;
    if (isScalarType(arg.type)) {
      if (facts.active(arg)) env.add(arg, rank, () => bar);
    } else if (facts.shadowed(arg))
      addInto(
        rev,
        arg.type,
        body.value(body.sweep.shadow(arg)),
        asVariant(bar, arg, rev, types),
        types,
      );
  }
}
