// The BOG split of one function: `f$revf` runs the primal and keeps residuals, `f$revr` runs backwards (ksc notes, §6 and Figures 24-25).
// In: an ssa function, its facts for a set of active arguments. Out: the BOG's type and the two functions.
// Invariant: `revr` leaves its seed unwritten; where `repeats`, it may run any number of times on one BOG, and leaves the shadows made by `revf` clean.

import { Builder, field, num } from "../../ir/build.ts";
import type { Derived, FunctionFacts } from "../../ir/facts.ts";
import { bar, baseName, BOG, Names, spoken } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { resultType } from "./call.ts";
import { Cotangents } from "./cotangents.ts";
import type { Earlier, Residual } from "./frame.ts";
import { shadowParam, type Signature } from "./signature.ts";
import type { Problem } from "../shadows.ts";
import type { Nested } from "../nested.ts";
import { BodySweep, Sweep } from "./sweep.ts";
import { type Swept, sweptTwice } from "./two-pass-residuals.ts";

export interface SplitRequest {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly signature: Signature;
  /** Whether a pullback may run the pair's reverse sweep twice. */
  readonly repeats: boolean;
  readonly signatureOf: (callee: string, active: readonly number[]) => Signature;
  readonly nested: Nested;
}

export interface Split {
  readonly derived: readonly Derived[];
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

export function splitOf(request: SplitRequest): Split {
  return sweptTwice((earlier, barred) => written(request, earlier, barred));
}

function written(
  request: SplitRequest,
  earlier: Earlier,
  barred: ReadonlySet<Stmt>,
): Split & Swept {
  const { func, facts, types, signature } = request;
  const forwardNames = namesOf(func);
  const reverseNames = new Names([BOG]);
  const sweep = new Sweep({
    func,
    facts,
    types,
    forwardNames,
    reverseNames,
    isSplit: true,
    repeatable: request.repeats,
    merges: true,
    earlier,
    barred,
    nested: request.nested,
    signature: request.signatureOf,
  });
  const shadows = signature.aggregates.map((position) => {
    const param = func.params[position] ?? { kind: "var", name: `x${position}`, type: num(0).type };
    const shadow: Var = { ...shadowParam(param, types), name: forwardNames.fresh(bar(param.name)) };
    sweep.root.define(shadow);
    sweep.setShadow(param, shadow);
    return shadow;
  });
  const body = new BodySweep(sweep, func.body, sweep.root);
  const reverse = reverseFunc(request, sweep, body, reverseNames, shadows);
  const forward = forwardFunc(request, sweep, body, shadows);
  return {
    derived: [
      {
        kind: "type",
        home: func.home,
        name: signature.bog,
        type: forward.result,
        origin: func.origin,
      },
      {
        kind: "func",
        home: func.home,
        func: { ...forward, half: true, result: { kind: "named", name: signature.bog } },
      },
      { kind: "func", home: func.home, func: { ...reverse, half: true } },
    ],
    problems: sweep.problems,
    residuals: sweep.residuals,
    stuck: sweep.stuck,
    chosen: sweep.chosen,
  };
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

/** Parameters for what the caller hands on; the reverse sweep has it from there. */
function given(
  { func, signature }: SplitRequest,
  sweep: Sweep,
  names: Names,
  shadows: readonly Var[],
): readonly Var[] {
  return signature.handed.flatMap(({ position, of }) => {
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
    const seed: Var = { kind: "var", name: names.fresh(bar(func.name)), type: num(0).type };
    params.push(seed);
    if (result !== undefined && sweep.facts.active(result))
      env.add(result, { statement: func.body.stmts.length, within: 0 }, () => seed);
  }
  params.push(...given(request, sweep, names, shadows));
  if (signature.result === "scalar" && result?.kind === "var")
    sweep.root.restoreLazily(result, (b) => b.load(result.name, result.type, bog, field("0")));
  // an argument that is returned as it came in needs no statement, but must be known as active
  body.reverse(rev, env);
  const bars = signature.scalars.map((position): Atom => {
    const param = func.params[position];
    return (param === undefined ? null : env.take(rev, param.name)) ?? num(0);
  });
  const type = resultType(signature);
  const returned: Atom[] =
    bars.length <= 1 ? bars : [rev.let("t", type, { kind: "tuple", elems: bars })];
  const unpack = sweep.root.records.map(({ restored }, i): Stmt => ({
    kind: "let",
    bind: restored,
    expr: { kind: "load", object: bog, key: field(String(leadingCount(request) + i)) },
    origin: func.origin,
    adjoint: true,
  }));
  return {
    name: signature.revr,
    home: func.home,
    params,
    result: type,
    origin: func.origin,
    body: { stmts: [...unpack, ...sweep.root.prelude.stmts, ...rev.stmts], result: returned },
  };
}

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
      label: spoken(value.name),
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
    ...(func.listed === undefined ? {} : { listed: func.listed }),
    ...(func.paramText === undefined
      ? {}
      : { paramText: [...func.paramText, ...shadows.map(() => null)] }),
  };
}
