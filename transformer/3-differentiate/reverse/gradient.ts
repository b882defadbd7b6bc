// `f$grad` and `f$vag`: forward and reverse sweep fused in one function, so that what is saved stays in locals.
// In: an ssa function with its facts. Out: one function. Invariant: the result is a number, or a pair that starts with one.

import { namesOf } from "../../ir/visit.ts";
import { Builder, field, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { bar, type Names } from "../../ir/names.ts";
import { hasNumbers, isScalarType, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { refuseAliases } from "../aliases.ts";
import { Cotangents } from "./cotangents.ts";
import type { Earlier, Residual } from "./frame.ts";
import type { Signature } from "./signature.ts";
import { type Cut, outlineOf } from "./outline.ts";
import { addInto } from "./structure.ts";
import type { Problem } from "../shadows.ts";
import type { Nested } from "../nested.ts";
import { BodySweep, Sweep } from "./sweep.ts";
import { type Swept, sweptTwice } from "./two-pass-residuals.ts";

export interface GradientRequest {
  readonly func: Func;
  readonly name: string;
  readonly facts: FunctionFacts;
  readonly types: Types;
  /** Positions of the arguments asked for. */
  readonly asked: readonly number[];
  /** Whether the cotangents come as a tuple. */
  readonly tuple: boolean;
  /** Whether the function returns `[value, aux]`. */
  readonly hasAux: boolean;
  readonly withValue: boolean;
  /** Whether the cotangent of the result is the last argument, in place of 1. */
  readonly seeded?: boolean;
  readonly signatureOf: (callee: string, active: readonly number[]) => Signature;
  readonly nested: Nested;
}

export interface Gradient {
  readonly func: Func;
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

export function gradientOf(request: GradientRequest): Gradient {
  return sweptTwice((earlier, barred) => written(request, earlier, barred));
}

function written(
  request: GradientRequest,
  earlier: Earlier,
  barred: ReadonlySet<Stmt>,
): Gradient & Swept {
  const { func, facts, types } = request;
  const names = namesOf(func);
  const sweep = new Sweep({
    func,
    facts,
    types,
    forwardNames: names,
    reverseNames: names,
    isSplit: false,
    repeatable: false,
    merges: request.seeded !== true || isScalarType(func.result),
    earlier,
    barred,
    nested: request.nested,
    signature: request.signatureOf,
  });
  for (const position of request.asked) {
    const param = func.params[position];
    if (param !== undefined && facts.shadowed(param)) sweep.shadow(param);
  }
  const before = arrangements(request, sweep);
  const body = new BodySweep(sweep, func.body, sweep.root);
  const rev = new Builder(names, func.origin, true);
  const env = new Cotangents();
  const result = func.body.result[0];
  const given = request.seeded === true ? seedParam(request, names) : null;
  if (result !== undefined && given !== null) sow(result, given, request, sweep, rev, env);
  else if (result !== undefined) seed(result, request, sweep, rev, env, func.body.stmts.length);
  body.reverse(rev, env);
  const forward = body.forwardBody([]);
  rev.origin = func.origin;
  const returned = packed(request, sweep, rev, env, before);
  return {
    func: {
      name: request.name,
      home: func.home,
      params: given === null ? func.params : [...func.params, given],
      result: returned.type,
      origin: func.origin,
      body: {
        stmts: [
          ...refuseAliases(request, names),
          ...sweep.opening(),
          ...before.stmts,
          ...forward.stmts,
          ...rev.stmts,
        ],
        result: [returned],
      },
      ...(func.listed === undefined ? {} : { listed: func.listed }),
      ...(func.paramText === undefined
        ? {}
        : { paramText: given === null ? func.paramText : [...func.paramText, null] }),
    },
    problems: sweep.problems,
    residuals: sweep.residuals,
    stuck: sweep.stuck,
    chosen: sweep.chosen,
  };
}

/** Of arguments that have another shape at the end. */
interface Arrangements {
  readonly stmts: readonly Stmt[];
  /** The shadows of those whose elements are put elsewhere, as they lie before that: by position. */
  readonly shadows: ReadonlyMap<number, Atom>;
  /** How the cotangents of those that become longer are cut: by position. */
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
      // zeros for what came in, which may have another shape at the end
      const zeros = facts.unchanging(param) ? null : shadowType(param.type, types);
      if (zeros !== null)
        shadows.set(position, b.let(bar(param.name), zeros, { kind: "zeros", like: param }));
      continue;
    }
    sweep.problems.push(...rearrangement(func, param, facts));
    if (facts.rearranged(param) !== "none")
      shadows.set(position, asBefore(b, param, sweep.shadow(param), types));
    const cut = outlineOf(b, param, sweep.shadow(param), facts, types);
    if (cut !== null) cuts.set(position, cut);
  }
  return { stmts: b.stmts, shadows, cuts };
}

/** An array of the same shadows in the order that they have now. */
export function asBefore(b: Builder, param: Var, shadow: Atom, types: Types): Var {
  return b.let(bar(param.name), shadowType(param.type, types) ?? shadow.type, {
    kind: "slice",
    object: shadow,
    from: num(0),
    to: null,
  });
}

/** An argument of which other objects than its own elements are replaced cannot be put together again. */
export function rearrangement(func: Func, param: Var, facts: FunctionFacts): readonly Problem[] {
  return facts.rearranged(param) === "deep"
    ? [{ kind: "rearranged", origin: func.origin, text: param.name }]
    : [];
}

/** The result's cotangent is 1; with `hasAux` that of its first element. */
function seed(
  result: Atom,
  request: GradientRequest,
  sweep: Sweep,
  rev: Builder,
  env: Cotangents,
  end: number,
): void {
  if (!request.hasAux) {
    if (sweep.facts.active(result)) env.add(result, { statement: end, within: 0 }, () => num(1));
  } else if (sweep.facts.shadowed(result)) {
    rev.accum(sweep.shadow(result), field("0"), num(1));
  }
}

function seedParam(request: GradientRequest, names: Names): Var {
  return {
    kind: "var",
    name: names.fresh(bar(request.func.name)),
    type: shadowType(valueType(request), request.types) ?? num(0).type,
  };
}

/** Of the result that is differentiated: with `hasAux` of its first element. */
function valueType({ func, hasAux, types }: GradientRequest): Type {
  const result = resolve(func.result, types);
  return hasAux && result.kind === "tuple" ? (result.elems[0] ?? func.result) : func.result;
}

/** The result's cotangent is what the caller gives. */
function sow(
  result: Atom,
  given: Var,
  request: GradientRequest,
  sweep: Sweep,
  rev: Builder,
  env: Cotangents,
): void {
  const { func, types } = request;
  if (request.hasAux) {
    if (sweep.facts.shadowed(result))
      sowFirst(result, given, valueType(request), types, sweep, rev);
  } else if (isScalarType(result.type)) {
    if (sweep.facts.active(result))
      env.add(result, { statement: func.body.stmts.length, within: 0 }, () => given);
  } else if (sweep.facts.shadowed(result)) {
    addInto(rev, func.result, sweep.shadow(result), given, types);
  }
}

function sowFirst(
  result: Atom,
  given: Var,
  value: Type,
  types: Types,
  sweep: Sweep,
  rev: Builder,
): void {
  if (isScalarType(value)) rev.accum(sweep.shadow(result), field("0"), given);
  else if (hasNumbers(value, types))
    addInto(rev, value, rev.load("t", given.type, sweep.shadow(result), field("0")), given, types);
}

function packed(
  request: GradientRequest,
  sweep: Sweep,
  rev: Builder,
  env: Cotangents,
  before: Arrangements,
): Atom {
  const { func } = request;
  const bars = request.asked.map(
    (position) =>
      before.shadows.get(position) ?? cotangentOf(func.params[position] ?? num(0), sweep, rev, env),
  );
  request.asked.forEach((position, i) => before.cuts.get(position)?.(rev, bars[i] ?? num(0)));
  const labels = request.asked.map((position) =>
    bar(func.params[position]?.name ?? `x${position}`),
  );
  const cotangent = request.tuple ? tuple(rev, bars, labels) : (bars[0] ?? num(0));
  const result = func.body.result[0] ?? num(0);
  if (!request.hasAux) return request.withValue ? tuple(rev, [result, cotangent]) : cotangent;
  const elems = result.type.kind === "tuple" ? result.type.elems : [];
  const part = (i: number): Var =>
    rev.let("t", elems[i] ?? num(0).type, { kind: "load", object: result, key: field(String(i)) });
  return request.withValue
    ? tuple(rev, [tuple(rev, [part(0), part(1)]), cotangent])
    : tuple(rev, [cotangent, part(1)]);
}

function cotangentOf(param: Atom, sweep: Sweep, rev: Builder, env: Cotangents): Atom {
  if (param.kind === "var" && isScalarType(param.type)) return env.take(rev, param.name) ?? num(0);
  return sweep.shadowOrZeros(rev, param);
}

export function tuple(b: Builder, elems: readonly Atom[], labels?: readonly string[]): Var {
  const type: Type = {
    kind: "tuple",
    elems: elems.map((elem) => elem.type),
    ...(labels === undefined ? {} : { labels }),
  };
  return b.let("t", type, { kind: "tuple", elems });
}
