// `f$vjp`: the split pair with the pullback as a closure. Input: an ssa function, its facts, the
// signature of its pair and the requested arguments. Output: `f$vjp(...args) => [value, pullback]`;
// with `hasAux` `[value, pullback, aux]`.
// Invariant: the pullback may be called any number of times.

import { Builder, field, num, NUM } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { bar, BOG } from "../../ir/names.ts";
import { hasNumbers, isScalarType, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { refuseAliases } from "../aliases.ts";
import { signatureText, tuple, UNDEFINED } from "../fragments.ts";
import { inOriginalOrder } from "./gradient.ts";
import { type Cut, outlineOf } from "./outline.ts";
import { resultType, type Signature } from "./signature.ts";
import { addInto, zeroInto } from "./structure.ts";
import { hasUnboundedSlope, isMultipleOfSeed, unlessZero } from "./zero-seeds.ts";

export interface PullbackRequest {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly name: string;
  readonly signature: Signature;
  readonly types: Types;
  /**
   * Positions of the arguments whose cotangents the pullback returns. Null: one entry per argument,
   * `undefined` for those without numbers.
   */
  readonly asked: readonly number[] | null;
  /** Whether the cotangents are returned as a tuple. */
  readonly tuple: boolean;
  /** Whether the function returns `[value, aux]`, and the seed is the value's cotangent. */
  readonly hasAux: boolean;
}

export function pullbackOf(request: PullbackRequest): Func {
  const { func, facts, signature, types } = request;
  const names = namesOf(func);
  const b = new Builder(names, func.origin, true);
  b.stmts.push(...refuseAliases(request, names));
  const shadows = signature.aggregates.map((i) => {
    const param = func.params[i] ?? { kind: "var" as const, name: `x${i}`, type: NUM };
    return b.let(bar(param.name), shadowTypeOf(param.type, types), { kind: "zeros", like: param });
  });
  const before = shadows.map((shadow, k) => {
    const param = func.params[signature.aggregates[k] ?? 0];
    return param !== undefined && facts.storedObjects(param) !== "none"
      ? inOriginalOrder(b, param, shadow, types)
      : shadow;
  });
  const cuts = before.map((shadow, k) => {
    const param = func.params[signature.aggregates[k] ?? 0];
    return param === undefined ? null : outlineOf(b, param, shadow, facts, types);
  });
  const bog = b.let(
    BOG,
    { kind: "named", name: signature.bog },
    { kind: "call", callee: signature.revf, args: [...func.params, ...shadows] },
  );
  const returned = b.let("t", func.result, { kind: "load", object: bog, key: field("0") });
  const part = (i: number): Var => b.load("t", partType(request, i), returned, field(String(i)));
  const value = request.hasAux ? part(0) : returned;
  const passed = signature.passThrough.map(
    ({ position, of }) =>
      (of === "value" ? func.params[position] : shadows[signature.aggregates.indexOf(position)]) ??
      num(0),
  );
  const lambda = closure(
    request,
    b,
    { bog, passed },
    before.map((shadow, k) => ({ shadow, cut: cuts[k] ?? null })),
  );
  const result = tuple(b, request.hasAux ? [value, lambda, part(1)] : [value, lambda]);
  return {
    name: request.name,
    home: func.home,
    params: func.params,
    result: result.type,
    origin: func.origin,
    body: b.body([result]),
    ...signatureText(func, 0),
  };
}

/** The type of the value (0) or of aux (1). */
function partType({ func, types }: PullbackRequest, i: number): Type {
  const result = resolve(func.result, types);
  return (result.kind === "tuple" ? result.elems[i] : undefined) ?? NUM;
}

/** The shadow of an argument in its original order, and how its cotangent is trimmed. */
interface Argument {
  readonly shadow: Var;
  readonly cut: Cut | null;
}

function closure(
  request: PullbackRequest,
  outer: Builder,
  { bog, passed }: { readonly bog: Var; readonly passed: readonly Atom[] },
  given: readonly Argument[],
): Var {
  const { func, signature, types } = request;
  const b = outer.nested();
  const seeded = request.hasAux ? partType(request, 0) : func.result;
  const seedType: Type = hasNumbers(seeded, types)
    ? shadowTypeOf(seeded, types)
    : { kind: "leaf", text: "undefined" };
  const seed: Var = { kind: "var", name: b.names.fresh(bar(func.name)), type: seedType };
  if (signature.result === "aggregate") seedWith(request, b, bog, seed, seeded);
  const pull = (inner: Builder): Var =>
    inner.let("bars", resultType(signature), {
      kind: "call",
      callee: signature.revr,
      args: [bog, ...(signature.result === "scalar" ? [seed] : []), ...passed],
    });
  const isTested =
    isMultipleOfSeed(signature, request.facts.writesArguments) &&
    hasUnboundedSlope(func, request.facts);
  const returned = isTested ? pulledUnlessZero(b, seed, signature, pull) : pull(b);
  const result = cotangents(request, b, returned, given);
  const type: Type = { kind: "func", params: [seed.type], names: [seed.name], result: result.type };
  return outer.let("pullback", type, { kind: "lambda", params: [seed], body: b.body([result]) });
}

/** What `pull` returns, or zeros. */
function pulledUnlessZero(
  b: Builder,
  seed: Var,
  signature: Signature,
  pull: (b: Builder) => Var,
): Var {
  const type = resultType(signature);
  if (type.kind === "num") {
    const [returned = seed] = unlessZero(b, seed, ["t"], (inner) => [pull(inner)]);
    return returned;
  }
  const cond = b.op("eq", seed, num(0));
  const zeros = b.nested();
  const none =
    type.kind === "void"
      ? []
      : [
          tuple(
            zeros,
            signature.scalars.map(() => num(0)),
          ),
        ];
  const otherwise = b.nested();
  const returned = pull(otherwise);
  const bind: Var = { kind: "var", name: b.names.fresh("bars"), type };
  const isVoid = type.kind === "void";
  b.emit({
    kind: "if",
    cond,
    then: zeros.body(none),
    else: otherwise.body(isVoid ? [] : [returned]),
    binds: isVoid ? [] : [bind],
  });
  return bind;
}

/** Adds the seed to the result's shadow; with `hasAux` to that of its first element. */
function seedWith(
  { func, types, hasAux }: PullbackRequest,
  b: Builder,
  bog: Var,
  seed: Var,
  seeded: Type,
): void {
  const shadow = b.load("t", shadowTypeOf(func.result, types), bog, field("1"));
  if (!hasAux) addInto(b, func.result, shadow, seed, types);
  else if (isScalarType(seeded)) b.accum(shadow, field("0"), seed);
  else addInto(b, seeded, b.load("t", seed.type, shadow, field("0")), seed, types);
}

function cotangents(
  request: PullbackRequest,
  b: Builder,
  returned: Var,
  given: readonly Argument[],
): Atom {
  const { func, signature, types } = request;
  const asked = request.asked ?? func.params.map((_, i) => i);
  const { scalars } = signature;
  // `revr` already returns this tuple
  if (
    request.tuple &&
    scalars.length > 1 &&
    asked.length === scalars.length &&
    asked.every((position, i) => scalars[i] === position)
  )
    return returned;
  const parts = asked.map((position): Atom => {
    const scalar = scalars.indexOf(position);
    if (scalar >= 0)
      return scalars.length === 1 ? returned : b.load("t", NUM, returned, field(String(scalar)));
    const param = func.params[position];
    const known = given[signature.aggregates.indexOf(position)];
    if (known === undefined || param === undefined) return UNDEFINED;
    const { shadow, cut } = known;
    const copy = b.let(bar(param.name), shadow.type, { kind: "clone", object: shadow });
    cut?.(b, copy);
    zeroInto(b, param.type, shadow, types);
    return copy;
  });
  return request.tuple
    ? tuple(
        b,
        parts,
        asked.map((position) => bar(func.params[position]?.name ?? `x${position}`)),
      )
    : (parts[0] ?? num(0));
}

const shadowTypeOf = (type: Type, types: Types): Type => shadowType(type, types) ?? type;
