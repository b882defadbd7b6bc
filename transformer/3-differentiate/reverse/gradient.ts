// `f$grad` and `f$vag`: forward and reverse sweep in one function, so that residuals stay in
// locals. Input: an ssa function with its facts. Output: one function. Invariant: the function's
// result is a number, or a pair that starts with one, unless it is seeded.

import { Builder, field, num, NUM } from "../../ir/build.ts";
import type { FunctionFacts, SeedOrigin } from "../../ir/facts.ts";
import { bar, type Names } from "../../ir/names.ts";
import { hasNumbers, isScalarType, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { refuseAliases } from "../aliases.ts";
import { elementType, signatureText, tuple } from "../fragments.ts";
import type { Problem } from "../unsupported.ts";
import { stepOf } from "./constructs.ts";
import { Cotangents, type Rank } from "./cotangents.ts";
import { type Cut, outlineOf } from "./outline.ts";
import type { EarlierPass, Residual } from "./residuals.ts";
import { addInto } from "./structure.ts";
import { BodySweep, Sweep, type SweepRequest } from "./sweep.ts";
import { type Swept, sweptTwice } from "./two-pass-residuals.ts";

export interface GradientRequest extends SweepRequest {
  readonly name: string;
  /** Positions of the requested arguments. */
  readonly asked: readonly number[];
  /** Whether the cotangents are returned as a tuple. */
  readonly tuple: boolean;
  /** Whether the function returns `[value, aux]`. */
  readonly hasAux: boolean;
  readonly withValue: boolean;
  /** Who gives the cotangent of the result as the last argument, instead of 1. */
  readonly seeded?: Exclude<SeedOrigin, "one"> | undefined;
}

export interface Gradient {
  readonly func: Func;
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

/** State of the reverse sweep of one gradient. */
interface GradientSweep {
  readonly request: GradientRequest;
  readonly sweep: Sweep;
  readonly rev: Builder;
  readonly env: Cotangents;
}

export function gradientOf(request: GradientRequest): Gradient {
  return sweptTwice((earlier) => sweepGradient(request, earlier));
}

function sweepGradient(request: GradientRequest, earlier: EarlierPass): Gradient & Swept {
  const { func, facts, name } = request;
  const { home, origin } = func;
  const names = namesOf(func);
  const sweep = new Sweep(request, {
    forwardNames: names,
    reverseNames: names,
    isSplit: false,
    seed: request.seeded ?? "one",
    repeatable: false,
    merges: request.seeded === undefined || isScalarType(func.result),
    earlier,
    stepOf,
  });
  for (const position of request.asked) {
    const param = func.params[position];
    if (param !== undefined && facts.shadowed(param)) sweep.shadow(param);
  }
  const before = arrangements(request, sweep);
  const body = new BodySweep(sweep, func.body, sweep.root);
  const rev = new Builder(names, origin, true);
  const state = { request, sweep, rev, env: new Cotangents() };
  const result = func.body.result[0];
  const given = request.seeded !== undefined ? seedParam(request, names) : null;
  if (result !== undefined && given !== null) seedWith(result, given, state);
  else if (result !== undefined) seedWithOne(result, state);
  body.reverse(rev, state.env);
  const forward = body.forwardBody([]);
  rev.origin = origin;
  const returned = packed(state, before);
  const stmts = [
    ...refuseAliases(request, names),
    ...sweep.opening(),
    ...before.stmts,
    ...forward.stmts,
    ...rev.stmts,
  ];
  return {
    func: {
      name,
      home,
      params: given === null ? func.params : [...func.params, given],
      result: returned.type,
      origin,
      body: { stmts, result: [returned] },
      ...signatureText(func, given === null ? 0 : 1),
    },
    problems: sweep.problems,
    residuals: sweep.residuals,
    stuck: sweep.stuck,
    chosen: sweep.chosen,
  };
}

/** How arguments that are rearranged or grow get their cotangents in the original shape. */
interface Arrangements {
  readonly stmts: readonly Stmt[];
  /** By position: the shadows in the original order of the elements. */
  readonly shadows: ReadonlyMap<number, Atom>;
  /** By position: how the cotangents of arguments that grow are trimmed. */
  readonly cuts: ReadonlyMap<number, Cut>;
}

function arrangements({ func, facts, asked, types }: GradientRequest, sweep: Sweep): Arrangements {
  const b = new Builder(sweep.names, func.origin, true);
  const shadows = new Map<number, Atom>();
  const cuts = new Map<number, Cut>();
  for (const position of asked) {
    const param = func.params[position];
    if (param === undefined) continue;
    if (!facts.shadowed(param)) {
      // an inactive argument: zeros in its shape at the entry, which may change later
      const zeros = facts.isUnchanged(param) ? null : shadowType(param.type, types);
      if (zeros !== null)
        shadows.set(position, b.let(bar(param.name), zeros, { kind: "zeros", like: param }));
      continue;
    }
    sweep.problems.push(...rearrangement(func, param, facts));
    if (facts.storedObjects(param) !== "none")
      shadows.set(position, inOriginalOrder(b, param, sweep.shadow(param), types));
    const cut = outlineOf(b, param, sweep.shadow(param), facts, types);
    if (cut !== null) cuts.set(position, cut);
  }
  return { stmts: b.stmts, shadows, cuts };
}

/** A copy of an array of shadows, in its present order. */
export function inOriginalOrder(b: Builder, param: Var, shadow: Atom, types: Types): Var {
  return b.let(bar(param.name), shadowType(param.type, types) ?? shadow.type, {
    kind: "slice",
    object: shadow,
    from: num(0),
    to: null,
  });
}

/** The problem of an argument in which objects below its own elements are replaced. */
export function rearrangement(func: Func, param: Var, facts: FunctionFacts): readonly Problem[] {
  return facts.storedObjects(param) === "deep"
    ? [{ kind: "rearranged", origin: func.origin, text: param.name }]
    : [];
}

/** The rank of the result's cotangent: after all statements. */
const endOf = ({ func }: GradientRequest): Rank => ({
  statement: func.body.stmts.length,
  within: 0,
});

/** Seeds the result with 1; with `hasAux`, its first element. */
function seedWithOne(result: Atom, { request, sweep, rev, env }: GradientSweep): void {
  if (!request.hasAux) {
    if (sweep.facts.active(result)) env.add(result, endOf(request), () => num(1));
  } else if (sweep.facts.shadowed(result)) {
    rev.accum(sweep.shadow(result), field("0"), num(1));
  }
}

function seedParam(request: GradientRequest, names: Names): Var {
  return {
    kind: "var",
    name: names.fresh(bar(request.func.name)),
    type: shadowType(valueType(request), request.types) ?? NUM,
  };
}

/** The type of the differentiated part of the result: with `hasAux`, its first element. */
function valueType({ func, hasAux, types }: GradientRequest): Type {
  const result = resolve(func.result, types);
  return hasAux && result.kind === "tuple" ? (result.elems[0] ?? func.result) : func.result;
}

/** Seeds the result with the cotangent that the caller gives. */
function seedWith(result: Atom, given: Var, { request, sweep, rev, env }: GradientSweep): void {
  const { func, types } = request;
  if (!request.hasAux && isScalarType(result.type)) {
    if (sweep.facts.active(result)) env.add(result, endOf(request), () => given);
    return;
  }
  if (!sweep.facts.shadowed(result)) return;
  const shadow = (): Atom => sweep.shadow(result);
  const value = valueType(request);
  if (!request.hasAux) addInto(rev, func.result, shadow(), given, types);
  else if (isScalarType(value)) rev.accum(shadow(), field("0"), given);
  else if (hasNumbers(value, types))
    addInto(rev, value, rev.load("t", given.type, shadow(), field("0")), given, types);
}

function packed({ request, sweep, rev, env }: GradientSweep, before: Arrangements): Atom {
  const { func, asked } = request;
  const cotangentOf = (param: Atom): Atom =>
    param.kind === "var" && isScalarType(param.type)
      ? (env.take(rev, param.name) ?? num(0))
      : sweep.shadowOrZeros(rev, param);
  const bars = asked.map(
    (position) => before.shadows.get(position) ?? cotangentOf(func.params[position] ?? num(0)),
  );
  asked.forEach((position, i) => before.cuts.get(position)?.(rev, bars[i] ?? num(0)));
  const labels = asked.map((position) => bar(func.params[position]?.name ?? `x${position}`));
  const cotangent = request.tuple ? tuple(rev, bars, labels) : (bars[0] ?? num(0));
  const result = func.body.result[0] ?? num(0);
  if (!request.hasAux) return request.withValue ? tuple(rev, [result, cotangent]) : cotangent;
  const part = (i: number): Var =>
    rev.load("t", elementType(result.type, i), result, field(String(i)));
  return request.withValue
    ? tuple(rev, [tuple(rev, [part(0), part(1)]), cotangent])
    : tuple(rev, [cotangent, part(1)]);
}
