// Calls of derivatives that are differentiated once more. A gradient is the pullback R of its
// function, and the pullback of a pullback is its forward mode. With R(x, v) = [f(x), Jf(x)^T v],
// the cotangents of x and v for [p, q] are the tangent of R in the direction (q, p), with its parts
// swapped, because second derivatives commute. So reverse code is never reversed again: the reverse
// of `f$grad` calls `f$pull$fwd`, that of `f$grad$fwd` calls `f$pull$fwd$fwd`. The same holds for
// every forward mode: the pullback of `h$fwd` is `h$pull$fwd`.
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
import type { Atom, Let, Stmt, Type } from "../../ir/types.ts";
import { adjointLet, elementType } from "../fragments.ts";
import type { ActiveCall, Derivative } from "../nested.ts";
import { addInto, zeroInto } from "./structure.ts";
import type { BodySweep, Reversing, Step } from "./sweep.ts";

/** How the pullback of the base function is called. Positions are those of its arguments. */
interface Plan {
  readonly derivative: Derivative;
  /** Arguments that the pullback gives cotangents for. */
  readonly all: readonly number[];
  /** Arguments that the derivative is with respect to. */
  readonly asked: readonly number[];
  /** Active arguments of the call. */
  readonly active: readonly number[];
}

/** The arguments of a call, and the cotangent of its value. */
export type Given = readonly [args: readonly Atom[], seed: Atom];

/** Cotangents by position of the derivative's arguments. */
export type Bars = ReadonlyMap<number, Atom>;

export function nestedStep(call: ActiveCall, derivative: Derivative, body: BodySweep): Step {
  const { sweep } = body;
  const { base, derivation, inner } = derivative;
  // a module variable that the function writes is an extra argument without a cotangent
  const { original, params } = sweep.nested.func(call.expr.callee);
  const written = original === undefined ? undefined : params[original.params];
  if (written !== undefined)
    sweep.problems.push({
      kind: "nested-write",
      origin: base.origin,
      text: baseName(written.name),
    });
  const { active } = call;
  const { requested: asked } = inner ?? derivation;
  const all = base.params.flatMap((param, i) =>
    hasNumbers(param.type, sweep.types) && (asked.includes(i) || active.includes(i)) ? [i] : [],
  );
  const plan: Plan = { derivative, all, asked, active };
  return recomputedStep(call, body, (args, seed, rev) => {
    if (inner !== null) return ofForward(plan, inner, [args, seed], rev, body);
    return derivation.mode === "fwd"
      ? ofPushed(plan, [args, seed], rev, body)
      : ofGradient(plan, [args, seed], rev, body);
  });
}

// FWD{ z = f(x) }  =  z = f(x)                    saves x, or a copy where x is written later
// REV{ z = f(x) }  =  x$bar += barsOf(x, z$bar)
export function recomputedStep(
  call: ActiveCall,
  body: BodySweep,
  barsOf: (args: readonly Atom[], seed: Atom, rev: Builder) => Bars,
): Step {
  const { sweep, rank } = body;
  const { stmt, expr } = call;
  const shadow = sweep.facts.shadowed(stmt.bind) ? sweep.shadowVar(stmt.bind) : null;
  const lets = expr.args.map((arg): Let | null => copyIfWritten(arg, stmt, body));
  if (shadow !== null) body.frame.define(shadow);
  return {
    forward: () => {
      const copies = lets.flatMap((copy): Stmt[] => (copy === null ? [] : [copy]));
      const zeros: Stmt[] =
        shadow === null
          ? []
          : [adjointLet(shadow, { kind: "zeros", like: stmt.bind }, stmt.origin)];
      return [...copies, stmt, ...zeros];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const args = expr.args.map((arg, i) => body.value(lets[i]?.bind ?? arg));
      const seed = shadow === null ? (env.take(rev, stmt.bind.name) ?? num(0)) : body.value(shadow);
      contribute(call, barsOf(args, seed, rev), { rev, env, rank, body });
      if (shadow !== null && sweep.repeatable) zeroInto(rev, stmt.bind.type, seed, sweep.types);
    },
  };
}

/** A copy of an argument whose memory is written later, for use in reverse code; else null. */
export const copyIfWritten = (arg: Atom, stmt: Let, body: BodySweep): Let | null =>
  shadowType(arg.type, body.sweep.types) === null ||
  isScalarType(arg.type) ||
  body.sweep.facts.isUnchanged(arg)
    ? null
    : copyOf(arg, stmt, body);

export function copyOf(arg: Atom, stmt: Let, body: BodySweep): Let {
  const { sweep } = body;
  if (!isPlain(arg.type, sweep.types))
    sweep.problems.push({ kind: "unsaved", origin: stmt.origin, text: "" });
  return body.shadowLet(
    { kind: "var", name: sweep.names.fresh(arg.kind === "var" ? arg.name : "t"), type: arg.type },
    { kind: "clone", object: arg },
    stmt.origin,
    false,
  );
}

const part = (b: Builder, of: Atom, i: number, type: Type): Atom =>
  b.load("t", type, of, field(String(i)));

/** An element of a tuple of cotangents. */
const elem = (b: Builder, of: Atom, i: number): Atom => part(b, of, i, elementType(of.type, i));

/** The parts of the seed: the cotangents of the derivative's own cotangents. */
function seedsOf(seed: Atom, { tuple, requested: asked }: Derivation, b: Builder): readonly Atom[] {
  return tuple ? asked.map((_, k) => elem(b, seed, k)) : [seed];
}

const barType = (type: Type, types: Types): Type => shadowType(type, types) ?? NUM;

/** Types of what the pullback gives: the cotangents, them with the value, and with its tangent. */
function typesOf(
  { derivative: { base }, all }: Plan,
  types: Types,
): Record<"bars" | "pulled" | "tangent", Type> {
  const elems = all.map((i) => barType(base.params[i]?.type ?? NUM, types));
  const bars: Type = { kind: "tuple", elems };
  return {
    bars,
    pulled: { kind: "tuple", elems: [base.result, bars] },
    tangent: { kind: "tuple", elems: [barType(base.result, types), bars] },
  };
}

/** The cotangents for `f$grad(x)`, `f$vag(x)` and `f$pull(x, v)`. */
function ofGradient(plan: Plan, [args, seed]: Given, b: Builder, { sweep }: BodySweep): Bars {
  const {
    derivative: { base, derivation },
    all,
    asked,
    active,
  } = plan;
  const own = args.slice(0, base.params.length);
  const given = args[base.params.length];
  const isPair = derivation.mode !== "grad";
  const directions = seedsOf(isPair ? elem(b, seed, 1) : seed, derivation, b);
  const valueBar = isPair ? [elem(b, seed, 0)] : [];
  const seedPosition = base.params.length;
  const varied = [...asked, ...(isPair ? [seedPosition] : [])];
  const callee = sweep.nested.pull(base, all, varied, 1);
  const { bars, pulled, tangent } = typesOf(plan, sweep.types);
  const both = b.let(
    "both",
    { kind: "tuple", elems: [pulled, tangent] },
    { kind: "call", callee, args: [...own, given ?? num(1), ...directions, ...valueBar] },
  );
  const dot = part(b, both, 1, tangent);
  const barsDot = part(b, dot, 1, bars);
  const found = new Map(
    all.filter((i) => active.includes(i)).map((i) => [i, elem(b, barsDot, all.indexOf(i))]),
  );
  if (given !== undefined && active.includes(seedPosition))
    found.set(seedPosition, elem(b, dot, 0));
  return found;
}

/** The cotangents for `h$fwd(x, u)`: `h$pull$fwd` with u as the direction of x. */
function ofPushed(plan: Plan, [args, seed]: Given, b: Builder, { sweep }: BodySweep): Bars {
  const {
    derivative: {
      base,
      derivation: { requested: asked },
    },
    all,
    active,
  } = plan;
  const count = base.params.length;
  const callee = sweep.nested.pull(base, all, [...asked, count], 1);
  const { bars, pulled, tangent } = typesOf(plan, sweep.types);
  const [ofValue, ofTangent] = [elem(b, seed, 0), elem(b, seed, 1)];
  const both = b.let(
    "both",
    { kind: "tuple", elems: [pulled, tangent] },
    {
      kind: "call",
      callee,
      args: [...args.slice(0, count), ofTangent, ...args.slice(count), ofValue],
    },
  );
  const values = part(b, part(b, both, 0, pulled), 1, bars);
  const dots = part(b, part(b, both, 1, tangent), 1, bars);
  return new Map(
    active.map((i): [number, Atom] => {
      const k = all.indexOf(i < count ? i : (asked[i - count] ?? 0));
      return [i, elem(b, i < count ? dots : values, k)];
    }),
  );
}

/** The cotangents for `f$grad$fwd(x, u)`. */
function ofForward(
  plan: Plan,
  inner: Derivation,
  [args, seed]: Given,
  b: Builder,
  { sweep }: BodySweep,
): Bars {
  const {
    derivative: { base, derivation },
    all,
    asked,
    active,
  } = plan;
  const count = base.params.length;
  const [own, tangents] = [args.slice(0, count), args.slice(count)];
  // arguments of the gradient without a tangent have the tangent 0
  const tangentAt = (i: number): Atom => {
    const type = barType(base.params[i]?.type ?? NUM, sweep.types);
    const like = own[i];
    return (
      tangents[derivation.requested.indexOf(i)] ??
      (isScalarType(type) || like === undefined
        ? num(0)
        : b.let("t", type, { kind: "zeros", like }))
    );
  };
  const isPair = inner.mode === "vag";
  const [first, second] = [0, 1].map((i) => {
    const half = elem(b, seed, i);
    return seedsOf(isPair ? elem(b, half, 1) : half, inner, b);
  });
  const varied = [...asked, ...asked.map((_, k) => count + 1 + k)];
  const callee = sweep.nested.pull(base, all, varied, 2);
  const { bars, pulled, tangent } = typesOf(plan, sweep.types);
  const once: Type = { kind: "tuple", elems: [pulled, tangent] };
  const twice: Type = { kind: "tuple", elems: [tangent, tangent] };
  const both = b.let(
    "both",
    { kind: "tuple", elems: [once, twice] },
    {
      kind: "call",
      callee,
      args: [...own, num(1), ...(second ?? []), ...asked.map(tangentAt), ...(first ?? [])],
    },
  );
  const barsAt = (half: 0 | 1): Atom =>
    part(b, part(b, part(b, both, half, half === 0 ? once : twice), 1, tangent), 1, bars);
  const [values, dots] = [barsAt(0), barsAt(1)];
  return new Map(
    active.map((i) => {
      const k = i < count ? i : (derivation.requested[i - count] ?? 0);
      return [i, elem(b, i < count ? dots : values, all.indexOf(k))];
    }),
  );
}

/** The cotangent of a union as that of the variant that the argument has. */
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

/** Adds the cotangents of a call's arguments: to sums for scalars, into shadows for aggregates. */
export function contribute(
  { expr, active }: ActiveCall,
  bars: Bars,
  { rev, env, rank, body: { sweep, frame } }: Reversing,
): void {
  const { facts, types } = sweep;
  for (const position of active) {
    const arg = expr.args[position];
    const bar = bars.get(position);
    if (arg === undefined || bar === undefined) continue;
    if (isScalarType(arg.type)) {
      if (facts.active(arg)) env.add(arg, rank, () => bar);
    } else if (facts.shadowed(arg)) {
      const shadow = frame.value(sweep.shadow(arg));
      addInto(rev, arg.type, shadow, asVariant(bar, arg, rev, types), types);
    }
  }
}
