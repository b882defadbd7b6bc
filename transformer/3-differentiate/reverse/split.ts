// The BOG split of one function: `f$revf` runs the primal and records residuals, `f$revr` runs
// backwards (ksc notes, §6 and Figures 24-25). Input: an ssa function, its facts for a set of
// active arguments. Output: the BOG's type and the two functions.
// Invariant: `revr` does not write its seed. With `repeats` it may run any number of times on one
// BOG, and leaves the shadows made by `revf` zero.

import { Builder, field, num } from "../../ir/build.ts";
import type { Derived, SeedOrigin } from "../../ir/facts.ts";
import { bar, baseName, BOG, Names, preferredName } from "../../ir/names.ts";
import type { Atom, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { adjointLet, freshNumber, signatureText } from "../fragments.ts";
import type { Problem } from "../unsupported.ts";
import { stepOf } from "./constructs.ts";
import { Cotangents } from "./cotangents.ts";
import type { EarlierPass, Residual } from "./residuals.ts";
import { resultType, type Signature } from "./signature.ts";
import { BodySweep, Sweep, type SweepRequest } from "./sweep.ts";
import { isMultipleOfSeed } from "./zero-seeds.ts";
import { type Swept, sweptTwice } from "./two-pass-residuals.ts";

export interface SplitRequest extends SweepRequest {
  readonly signature: Signature;
  /** Whether a pullback may run the pair's reverse sweep twice. */
  readonly repeats: boolean;
}

export interface Split {
  readonly derived: readonly Derived[];
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

export function splitOf(request: SplitRequest): Split {
  return sweptTwice((earlier) => sweepSplit(request, earlier));
}

function sweepSplit(request: SplitRequest, earlier: EarlierPass): Split & Swept {
  const { func, signature } = request;
  const { home, origin } = func;
  const reverseNames = new Names([BOG]);
  const sweep = new Sweep(request, {
    forwardNames: namesOf(func),
    reverseNames,
    isSplit: true,
    seed: seedOf(request),
    repeatable: request.repeats,
    merges: true,
    earlier,
    stepOf,
  });
  const shadows = sweep.shadowParams(signature);
  const body = new BodySweep(sweep, func.body, sweep.root);
  const reverse = reverseFunc(request, sweep, body, reverseNames, shadows);
  const forward = forwardFunc(request, sweep, body, shadows);
  const result: Type = { kind: "named", name: signature.bog };
  return {
    derived: [
      { kind: "type", home, name: signature.bog, type: forward.result, origin },
      { kind: "func", home, func: { ...forward, isSweep: true, result } },
      { kind: "func", home, func: { ...reverse, isSweep: true } },
    ],
    problems: sweep.problems,
    residuals: sweep.residuals,
    stuck: sweep.stuck,
    chosen: sweep.chosen,
  };
}

function seedOf({ signature, facts, repeats }: SplitRequest): SeedOrigin {
  if (isMultipleOfSeed(signature, facts.writesArguments)) return "one";
  return repeats ? "user" : "caller";
}

/** The BOG's leading fields: the value and, for an aggregate, its shadow. */
function leading(
  request: SplitRequest,
  sweep: Sweep,
  b: Builder,
): readonly { atom: Atom; label: string; type: Type }[] {
  const result = request.func.body.result[0];
  if (result === undefined) return [];
  const name = baseName(request.func.name);
  const value = { atom: result, label: name, type: request.func.result };
  if (request.signature.result !== "aggregate") return [value];
  return [
    value,
    {
      atom: sweep.shadowOrZeros(b, result),
      label: bar(name),
      type: sweep.shadowTypeOf(request.func.result),
    },
  ];
}

const leadingCount = (request: SplitRequest): number =>
  request.func.body.result.length === 0 ? 0 : request.signature.result === "aggregate" ? 2 : 1;

/** Parameters for pass-through values; the reverse sweep reads these values from them. */
function passedParams(
  { func, signature }: SplitRequest,
  sweep: Sweep,
  names: Names,
  shadows: readonly Var[],
): readonly Var[] {
  return signature.passThrough.flatMap(({ position, of }) => {
    const value =
      of === "value" ? func.params[position] : shadows[signature.aggregates.indexOf(position)];
    if (value === undefined) return [];
    const param: Var = { ...value, name: names.fresh(value.name) };
    sweep.root.restoreGiven(value, param);
    return [param];
  });
}

function reverseFunc(
  request: SplitRequest,
  sweep: Sweep,
  body: BodySweep,
  names: Names,
  shadows: readonly Var[],
): Func {
  const { func, signature } = request;
  const rev = new Builder(names, func.origin, true);
  const bog: Var = { kind: "var", name: BOG, type: { kind: "named", name: signature.bog } };
  const params = [bog];
  const env = new Cotangents();
  const result = func.body.result[0];
  if (signature.result === "scalar") {
    const seed = freshNumber(names, bar(func.name));
    params.push(seed);
    if (result !== undefined && sweep.facts.active(result))
      env.add(result, { statement: func.body.stmts.length, within: 0 }, () => seed);
  }
  params.push(...passedParams(request, sweep, names, shadows));
  if (signature.result === "scalar" && result?.kind === "var")
    sweep.root.restoreLazily(result, (b) => b.load(result.name, result.type, bog, field("0")));
  body.reverse(rev, env);
  const bars = scalarBars(request, rev, env);
  const type = resultType(signature);
  const returned = bars.length <= 1 ? bars : [rev.let("t", type, { kind: "tuple", elems: bars })];
  const unpack = sweep.root.records.map(({ restored }, i): Stmt => {
    const key = field(String(leadingCount(request) + i));
    return adjointLet(restored, { kind: "load", object: bog, key }, func.origin);
  });
  return {
    name: signature.revr,
    home: func.home,
    params,
    result: type,
    origin: func.origin,
    body: { stmts: [...unpack, ...sweep.root.prelude.stmts, ...rev.stmts], result: returned },
  };
}

/** The cotangents of the active scalar arguments. */
export const scalarBars = (
  { func, signature }: Pick<SplitRequest, "func" | "signature">,
  rev: Builder,
  env: Cotangents,
): readonly Atom[] =>
  signature.scalars.map((position) => {
    const param = func.params[position];
    return (param === undefined ? null : env.take(rev, param.name)) ?? num(0);
  });

function forwardFunc(
  request: SplitRequest,
  sweep: Sweep,
  body: BodySweep,
  shadows: readonly Var[],
): Func {
  const { func, signature } = request;
  const forward = body.forwardBody([]);
  const b = new Builder(sweep.names, func.origin, true);
  const fields = [
    ...leading(request, sweep, b),
    ...sweep.root.records.map(({ value }) => ({
      atom: value,
      label: preferredName(value.name),
      type: value.type,
    })),
  ];
  const labels = new Names();
  const type: Type = {
    kind: "tuple",
    elems: fields.map((f) => f.type),
    labels: fields.map(({ label }) => labels.fresh(label).replace(".", "")),
  };
  const bog = b.let(BOG, type, { kind: "tuple", elems: fields.map(({ atom }) => atom) });
  return {
    name: signature.revf,
    home: func.home,
    params: [...func.params, ...shadows],
    result: type,
    origin: func.origin,
    body: { stmts: [...sweep.opening(), ...forward.stmts, ...b.stmts], result: [bog] },
    ...signatureText(func, shadows.length),
  };
}
