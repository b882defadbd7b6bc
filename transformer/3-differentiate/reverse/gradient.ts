// `f$grad` and `f$vag`: forward and reverse sweep fused in one function, so that what is saved stays in locals. `f$vjp`: the split pair with
// the pullback as a closure. In: an ssa function with its facts. Out: one function. Invariant: a scalar result, for the first two.

import { Builder, field, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { bar, type Names } from "../../ir/names.ts";
import { hasNumbers, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { resultType } from "./call.ts";
import { Cotangents } from "./cotangents.ts";
import { recordedNames, type Residual } from "./frame.ts";
import { isScalarType, type Signature } from "./signature.ts";
import { namesOf } from "./split.ts";
import { addInto, zeroInto } from "./structure.ts";
import { BodySweep, type Problem, Sweep } from "./sweep.ts";

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
  readonly signatureOf: (callee: string, active: readonly number[]) => Signature;
}

export interface Gradient {
  readonly func: Func;
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

/** Written twice: what the first run records, the second may compute from. */
export function gradientOf(request: GradientRequest): Gradient {
  return written(request, recordedNames(written(request, new Set()).residuals));
}

function written(request: GradientRequest, demanded: ReadonlySet<string>): Gradient {
  const { func, facts, types } = request;
  const names = namesOf(func);
  const sweep = new Sweep({ func, facts, types, forwardNames: names, reverseNames: names, repeatable: false, demanded, signature: request.signatureOf });
  for (const position of request.asked) {
    const param = func.params[position];
    if (param !== undefined && facts.shadowed(param)) sweep.shadow(param);
  }
  const body = new BodySweep(sweep, func.body, sweep.root);
  const rev = new Builder(names, func.origin, true);
  const env = new Cotangents();
  const result = func.body.result[0];
  if (result !== undefined) seed(result, request, sweep, rev, env, func.body.stmts.length);
  body.reverse(rev, env);
  const forward = body.forwardBody([]);
  rev.origin = func.origin;
  const returned = packed(request, sweep, rev, env);
  return {
    func: {
      name: request.name, home: func.home, params: func.params, result: returned.type, origin: func.origin,
      body: { stmts: [...refuseAliases(request, names), ...sweep.opening(), ...forward.stmts, ...sweep.root.prelude.stmts, ...rev.stmts], result: [returned] },
      ...(func.paramText === undefined ? {} : { paramText: func.paramText }),
    },
    problems: sweep.problems,
    residuals: sweep.residuals,
  };
}

/** Arguments that are one object and are written have one shadow; which of them its cotangent belongs to is not defined. */
export function refuseAliases({ func, facts }: Pick<GradientRequest, "func" | "facts">, names: Names): readonly Stmt[] {
  const b = new Builder(names, func.origin, false);
  for (const [x, z] of facts.aliasHazards()) {
    const isSame = b.op("eq", x, z);
    const then = b.nested();
    const position = (param: Var): number => func.params.findIndex(({ name }) => name === param.name);
    const text = `TSG0004: argument ${position(x)} and argument ${position(z)} are the same object, and the function writes it; pass a copy`;
    const error = then.let("t", { kind: "leaf", text: "Error" }, { kind: "extern", text: [`new Error(${JSON.stringify(text)})`], args: [], effect: "pure" });
    then.emit({ kind: "throw", value: error });
    b.emit({ kind: "if", cond: isSame, then: then.body(), else: b.nested().body(), binds: [] });
  }
  return b.stmts;
}

/** The result's cotangent is 1; with `hasAux` that of its first element. */
function seed(result: Atom, request: GradientRequest, sweep: Sweep, rev: Builder, env: Cotangents, end: number): void {
  if (!request.hasAux) {
    if (sweep.facts.active(result)) env.add(result, { statement: end, within: 0 }, () => num(1));
  } else if (sweep.facts.shadowed(result)) {
    rev.accum(sweep.shadow(result), field("0"), num(1));
  }
}

function packed(request: GradientRequest, sweep: Sweep, rev: Builder, env: Cotangents): Atom {
  const { func } = request;
  const bars = request.asked.map((position) => cotangentOf(func.params[position] ?? num(0), sweep, rev, env));
  const labels = request.asked.map((position) => bar(func.params[position]?.name ?? `x${position}`));
  const cotangent = request.tuple ? tuple(rev, bars, labels) : (bars[0] ?? num(0));
  const result = func.body.result[0] ?? num(0);
  if (!request.hasAux) return request.withValue ? tuple(rev, [result, cotangent]) : cotangent;
  const elems = result.type.kind === "tuple" ? result.type.elems : [];
  const part = (i: number): Var => rev.let("t", elems[i] ?? num(0).type, { kind: "load", object: result, key: field(String(i)) });
  return request.withValue ? tuple(rev, [tuple(rev, [part(0), part(1)]), cotangent]) : tuple(rev, [cotangent, part(1)]);
}

function cotangentOf(param: Atom, sweep: Sweep, rev: Builder, env: Cotangents): Atom {
  if (param.kind === "var" && isScalarType(param.type)) return env.take(rev, param.name) ?? num(0);
  return sweep.shadowOrZeros(rev, param);
}

function tuple(b: Builder, elems: readonly Atom[], labels?: readonly string[]): Var {
  const type: Type = { kind: "tuple", elems: elems.map((elem) => elem.type), ...(labels === undefined ? {} : { labels }) };
  return b.let("t", type, { kind: "tuple", elems });
}

/** `f$vjp(...args) => [value, pullback]`. The pullback may be called any number of times. */
export function pullbackOf(func: Func, facts: FunctionFacts, name: string, signature: Signature, types: Types): Func {
  const names = namesOf(func);
  const b = new Builder(names, func.origin, true);
  b.stmts.push(...refuseAliases({ func, facts }, names));
  const shadows = signature.aggregates.map((i) => {
    const param = func.params[i] ?? { kind: "var" as const, name: `x${i}`, type: num(0).type };
    return b.let(bar(param.name), shadowTypeOf(param.type, types), { kind: "zeros", like: param });
  });
  const bog = b.let("bog", { kind: "named", name: signature.bog }, { kind: "call", callee: signature.revf, args: [...func.params, ...shadows] });
  const value = b.let("t", func.result, { kind: "load", object: bog, key: field("0") });
  const lambda = pullback(func, signature, types, b, bog, shadows);
  const result = tuple(b, [value, lambda]);
  return {
    name, home: func.home, params: func.params, result: result.type, origin: func.origin, body: b.body([result]),
    ...(func.paramText === undefined ? {} : { paramText: func.paramText }),
  };
}

function pullback(func: Func, signature: Signature, types: Types, outer: Builder, bog: Var, shadows: readonly Var[]): Var {
  const b = outer.nested();
  const seedType: Type = hasNumbers(func.result, types) ? shadowTypeOf(func.result, types) : { kind: "leaf", text: "undefined" };
  const seed: Var = { kind: "var", name: b.names.fresh(bar(func.name)), type: seedType };
  if (signature.result === "aggregate") {
    const shadow = b.let("t", seedType, { kind: "load", object: bog, key: field("1") });
    addInto(b, func.result, shadow, seed, types);
  }
  const returned = b.let("bars", resultType(signature), { kind: "call", callee: signature.revr, args: signature.result === "scalar" ? [bog, seed] : [bog] });
  const isWhole = signature.scalars.length > 1 && signature.scalars.length === func.params.length;
  if (isWhole) return closed(outer, b, seed, returned);
  const parts = func.params.map((param, position): Atom => {
    const scalar = signature.scalars.indexOf(position);
    if (scalar >= 0) return signature.scalars.length === 1 ? returned : b.load("t", num(0).type, returned, field(String(scalar)));
    const shadow = shadows[signature.aggregates.indexOf(position)];
    if (shadow === undefined) return { kind: "const", type: { kind: "leaf", text: "undefined" }, value: undefined };
    const copy = b.let(bar(param.name), shadow.type, { kind: "clone", object: shadow });
    zeroInto(b, param.type, shadow, types);
    return copy;
  });
  const result = tuple(b, parts, func.params.map((param) => bar(param.name)));
  return closed(outer, b, seed, result);
}

function closed(outer: Builder, b: Builder, seed: Var, result: Atom): Var {
  const type: Type = { kind: "func", params: [seed.type], names: [seed.name], result: result.type };
  return outer.let("pullback", type, { kind: "lambda", params: [seed], body: b.body([result]) });
}

const shadowTypeOf = (type: Type, types: Types): Type => shadowType(type, types) ?? type;
