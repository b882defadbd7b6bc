// `f$rewind`: reverses a loop by recursive halving (binomial checkpointing, Griewank and Walther).
// Input: the functions of the loop and of one iteration (1-lower/ssa/outline-loops.ts), and the
// pair of the latter. Output: a function that advances to the middle, then reverses the later half
// and the earlier half. Invariant: the state is copied once per open halving, log2(n) times.
//
// rewind(lo, hi, s, s$bar)  =  s$bar                                    where hi = lo
//                           =  b = step$revf(s) ; step$revr(b, s$bar)     where hi = lo + 1
//                           =  m = s after iterations lo … mid ;
//                              rewind(lo, mid, s, rewind(mid, hi, m, s$bar))

import { Builder, field, num, NUM } from "../../ir/build.ts";
import { labelsOf } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isScalarType, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Body, Func, OutlinedLoop, Type, Var } from "../../ir/types.ts";
import { resultType, type Signature, shadowParam } from "./signature.ts";
import { addInto } from "./structure.ts";

/** The function of a loop that is reversed by a schedule. */
export type ScheduledLoop = Func & { readonly outlined: OutlinedLoop };

export const isScheduledLoop = (func: Func): func is ScheduledLoop => func.outlined !== undefined;

/** How `f$rewind` is called. Positions are those of the loop's arguments. */
export interface RewindSignature {
  readonly name: string;
  /** Positions of carried values that have cotangents. */
  readonly carried: readonly number[];
  /** Positions of active outer values: aggregates, and numbers whose cotangents are summed. */
  readonly shadows: readonly number[];
  readonly sums: readonly number[];
  /** Where the carried values begin among the arguments, and where the outer values begin. */
  readonly first: number;
  readonly free: number;
  readonly result: Type;
}

export function rewindSignature(
  loop: ScheduledLoop,
  active: readonly number[],
  types: Types,
): RewindSignature {
  const { outlined: iterations, params } = loop;
  const first = iterations.step === null ? 0 : 2;
  const free = first + iterations.carried;
  const carried = params.flatMap((param, i) =>
    i >= first && i < free && hasNumbers(param.type, types) ? [i] : [],
  );
  const outside = active.filter((i) => i >= free);
  const isScalar = (i: number): boolean => isScalarType(params[i]?.type ?? NUM);
  const sums = outside.filter(isScalar);
  const elems = [
    ...carried.map((i) => shadowType(params[i]?.type ?? NUM, types) ?? NUM),
    ...sums.map(() => NUM),
  ];
  return {
    name: names.rewind(loop.name, labelsOf(params, [...carried, ...outside], types)),
    carried,
    shadows: outside.filter((i) => !isScalar(i)),
    sums,
    first,
    free,
    result: elems.length === 0 ? { kind: "void" } : { kind: "tuple", elems },
  };
}

export interface RewindRequest {
  readonly loop: ScheduledLoop;
  readonly iteration: Func;
  readonly signature: RewindSignature;
  readonly types: Types;
  /** Whether iterations write the outer value at this position. */
  readonly isWritten: (at: number) => boolean;
  readonly pairOf: (callee: string, active: readonly number[]) => Signature;
}

export function rewindOf(request: RewindRequest): Func {
  return new Rewinding(request).func();
}

class Rewinding {
  readonly #request: RewindRequest;
  readonly #names = new names.Names();
  readonly #lo: Var;
  readonly #hi: Var;
  readonly #from: readonly Var[];
  readonly #carried: readonly Var[];
  readonly #free: readonly Var[];
  readonly #shadows: readonly Var[];
  readonly #seeds: readonly Var[];
  readonly #sums: readonly Var[];

  constructor(request: RewindRequest) {
    this.#request = request;
    const { loop, signature, types } = request;
    const param = (i: number): Var => loop.params[i] ?? { kind: "var", name: "x", type: NUM };
    const like = (one: Var): Var => ({ ...one, name: this.#names.fresh(one.name) });
    const barOf = (i: number): Var => like(shadowParam(param(i), types));
    this.#lo = like({ kind: "var", name: "lo", type: NUM });
    this.#hi = like({ kind: "var", name: "hi", type: NUM });
    this.#from =
      loop.outlined.step === null ? [] : [like({ kind: "var", name: "from", type: NUM })];
    this.#carried = loop.params.slice(signature.first, signature.free).map(like);
    this.#free = loop.params.slice(signature.free).map(like);
    this.#shadows = signature.shadows.map(barOf);
    this.#seeds = signature.carried.map(barOf);
    this.#sums = signature.sums.map(barOf);
  }

  #builder(): Builder {
    return new Builder(this.#names, this.#request.loop.origin, true);
  }

  func(): Func {
    const { loop, signature } = this.#request;
    const b = this.#builder();
    const count = b.sub(this.#hi, this.#lo);
    const result = this.#choose(
      b,
      b.op("gt", count, num(1)),
      this.#halves(b.nested()),
      this.#fewer(b.nested(), count),
    );
    return {
      name: signature.name,
      home: loop.home,
      origin: loop.origin,
      isSweep: true,
      result: signature.result,
      params: [
        this.#lo,
        this.#hi,
        ...this.#from,
        ...this.#carried,
        ...this.#free,
        ...this.#shadows,
        ...this.#seeds,
        ...this.#sums,
      ],
      body: b.body(result),
    };
  }

  #choose(b: Builder, cond: Atom, then: Body, otherwise: Body): readonly Atom[] {
    const { result } = this.#request.signature;
    const binds: Var[] =
      result.kind === "void"
        ? []
        : [{ kind: "var", name: this.#names.fresh("bars"), type: result }];
    b.emit({ kind: "if", cond, then, else: otherwise, binds });
    return binds;
  }

  /** One iteration, or none. */
  #fewer(b: Builder, count: Atom): Body {
    const none = b.nested();
    return b.body(
      this.#choose(
        b,
        b.op("gt", count, num(0)),
        this.#one(b.nested()),
        none.body(this.#packed(none, this.#seeds, this.#sums)),
      ),
    );
  }

  #packed(b: Builder, carried: readonly Atom[], sums: readonly Atom[]): readonly Atom[] {
    const { result } = this.#request.signature;
    return result.kind === "void"
      ? []
      : [b.let("bars", result, { kind: "tuple", elems: [...carried, ...sums] })];
  }

  #parts(
    b: Builder,
    bars: Atom | null,
  ): { readonly seeds: readonly Atom[]; readonly sums: readonly Atom[] } {
    const { result, carried } = this.#request.signature;
    const parts =
      result.kind !== "tuple" || bars === null
        ? []
        : result.elems.map((type, i): Atom => b.load("t", type, bars, field(String(i))));
    return { seeds: parts.slice(0, carried.length), sums: parts.slice(carried.length) };
  }

  /** The loop's index in an iteration, if the loop has one. */
  #index(b: Builder, iteration: Atom): readonly Atom[] {
    const { step } = this.#request.loop.outlined;
    return this.#from.map((from) =>
      b.add(from, step === 1 ? iteration : b.mul(iteration, num(step ?? 1))),
    );
  }

  /** Two or more iterations: a copy of the state advances to the middle. */
  #halves(b: Builder): Body {
    const mid = b.op("floor", b.div(b.add(this.#lo, this.#hi), num(2)));
    const free = this.#free.map((one, j): Atom =>
      this.#request.isWritten(j) ? b.let(one.name, one.type, { kind: "clone", object: one }) : one,
    );
    const state = this.#advanced(b, mid, free);
    const given = { seeds: this.#seeds, sums: this.#sums };
    const later = this.#parts(b, this.#recur(b, [mid, this.#hi], [...state, ...free], given));
    const start = [...this.#carried, ...this.#free];
    const earlier = this.#recur(b, [this.#lo, mid], start, later);
    return b.body(earlier === null ? [] : [earlier]);
  }

  /** The call of `rewind` for a part of the iterations. */
  #recur(
    b: Builder,
    range: readonly Atom[],
    state: readonly Atom[],
    { seeds, sums }: { readonly seeds: readonly Atom[]; readonly sums: readonly Atom[] },
  ): Atom | null {
    const { name, result } = this.#request.signature;
    const args = [...range, ...this.#from, ...state, ...this.#shadows, ...seeds, ...sums];
    const bound = b.let("bars", result, { kind: "call", callee: name, args });
    return result.kind === "void" ? null : bound;
  }

  /** The carried values after the iterations from `lo` to `mid`, which write `outside`. */
  #advanced(b: Builder, mid: Atom, outside: readonly Atom[]): readonly Atom[] {
    const at: Var = { kind: "var", name: this.#names.fresh("round"), type: NUM };
    const fresh = (one: Var): Var => ({ ...one, name: this.#names.fresh(one.name) });
    const params = this.#carried.map(fresh);
    const binds = this.#carried.map(fresh);
    const inner = b.nested();
    const { iteration } = this.#request;
    const value = inner.let("state", iteration.result, {
      kind: "call",
      callee: iteration.name,
      args: [...this.#index(inner, at), ...params, ...outside],
    });
    const next = this.#carried.map((one, i): Atom =>
      this.#carried.length === 1 ? value : inner.load(one.name, one.type, value, field(String(i))),
    );
    const carried = params.map((param, i) => ({ param, init: this.#carried[i] ?? param }));
    b.emit({
      kind: "for",
      index: at,
      from: this.#lo,
      test: "<",
      to: mid,
      step: 1,
      carried,
      body: inner.body(next),
      binds,
    });
    return binds;
  }

  /** Exactly one iteration: it is recorded and reversed. */
  #one(b: Builder): Body {
    const { loop, iteration, signature, types, pairOf } = this.#request;
    const head = this.#from.length;
    const before = signature.first - head;
    const pair = pairOf(
      iteration.name,
      [...signature.carried, ...signature.shadows, ...signature.sums].map((i) => i - before),
    );
    const bars = new Map<number, Atom>(
      signature.shadows.map((i, k) => [i, this.#shadows[k] ?? num(0)]),
    );
    signature.carried.forEach((i) => {
      const param = loop.params[i];
      const own = this.#carried[i - signature.first];
      const type = param === undefined ? null : shadowType(param.type, types);
      if (own !== undefined && type !== null && !isScalarType(own.type))
        bars.set(i, b.let(names.bar(own.name), type, { kind: "zeros", like: own }));
    });
    const shadows = pair.aggregates.map((i) => bars.get(i + before) ?? num(0));
    const bog = b.let(
      names.BOG,
      { kind: "named", name: pair.bog },
      {
        kind: "call",
        callee: pair.revf,
        args: [...this.#index(b, this.#lo), ...this.#carried, ...this.#free, ...shadows],
      },
    );
    const type = resultType(pair);
    const returned = b.let("bars", type, {
      kind: "call",
      callee: pair.revr,
      args: [bog, ...this.#seedResult(b, bog, pair)],
    });
    pair.scalars.forEach((i, k) =>
      bars.set(
        i + before,
        pair.scalars.length === 1 ? returned : b.load("t", NUM, returned, field(String(k))),
      ),
    );
    const sums = signature.sums.map((i, k): Atom =>
      b.add(this.#sums[k] ?? num(0), bars.get(i) ?? num(0)),
    );
    return b.body(
      this.#packed(
        b,
        signature.carried.map((i) => bars.get(i) ?? num(0)),
        sums,
      ),
    );
  }

  /** The next cotangents: numbers are passed, aggregates are added into the result's shadow. */
  #seedResult(b: Builder, bog: Atom, pair: Signature): readonly Atom[] {
    const { iteration, signature, types } = this.#request;
    if (pair.result === "none") return [];
    if (pair.result === "scalar") return [this.#seeds[0] ?? num(0)];
    const shadow = b.load(
      names.bar("state"),
      shadowType(iteration.result, types) ?? NUM,
      bog,
      field("1"),
    );
    if (this.#carried.length === 1)
      addInto(b, iteration.result, shadow, this.#seeds[0] ?? num(0), types);
    else
      signature.carried.forEach((i, k) => {
        this.#seedPart(b, shadow, i - signature.first, this.#seeds[k] ?? num(0));
      });
    return [];
  }

  #seedPart(b: Builder, shadow: Atom, i: number, seed: Atom): void {
    const { types } = this.#request;
    const own = this.#carried[i];
    if (own === undefined) return;
    if (isScalarType(own.type)) b.accum(shadow, field(String(i)), seed);
    else
      addInto(
        b,
        own.type,
        b.load("t", shadowType(own.type, types) ?? NUM, shadow, field(String(i))),
        seed,
        types,
      );
  }
}
