// Calls whose derivative runs where they stand: the cotangent of the result is known in front of the call (immediate-reversal.ts), so nothing has to be kept for later.
// In: such a call; the function it calls with its facts. Out: the call of `g$merged`, and that function: both sweeps of g in one.
// Invariant: g writes no active memory, so it adds into shadows and reads none of what is added later.
//
// FWD;REV{ z = g(x, a) }  =  [z, x$bar] = g$merged(x, a, a$bar, z$bar)      saves nothing      (without an active x: z = g$merged(a, a$bar, z$bar))
//   where g is recursive  =  n = [z$bar] ; g$merged(x, a, a$bar, n) ; z = n[0] ; x$bar = n[1]      see Note [Numbers of recursion]

import { Builder, field, num, NUM } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import { sameType } from "../../ir/print.ts";
import type { Atom, Expr, Func, Let, Stmt, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { Cotangents } from "./cotangents.ts";
import type { Earlier, Residual } from "./frame.ts";
import type { Problem } from "../shadows.ts";
import { shadowParam, type Signature } from "./signature.ts";
import type { SplitRequest } from "./split.ts";
import { BodySweep, type Step, Sweep } from "./sweep.ts";
import { type Swept, sweptTwice } from "./two-pass-residuals.ts";

export function mergedCallStep(stmt: Let, expr: Expr & { kind: "call" }, body: BodySweep): Step {
  const { sweep, rank } = body;
  const { signature, isRecursive } = sweep.nested.merged(
    expr.callee,
    sweep.facts.callActive(stmt.bind.name) ?? [],
  );
  body.frame.define(stmt.bind);
  const parts = signature.scalars.map((position): Var => ({
    kind: "var",
    name: sweep.names.fresh(bar(signature.callee.params[position]?.name ?? "x")),
    type: NUM,
  }));
  let seed: Atom = num(0);
  return {
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      seed = env.take(rev, stmt.bind.name) ?? num(0);
      signature.scalars.forEach((position, i) => {
        const arg = expr.args[position];
        const part = parts[i];
        if (arg !== undefined && part !== undefined && sweep.facts.active(arg))
          env.add(arg, rank, () => part);
      });
    },
    forward: () => {
      const b = sweep.entry.nested();
      b.origin = stmt.origin;
      const shadows = signature.aggregates.map((i) =>
        sweep.shadowOrZeros(b, expr.args[i] ?? num(0)),
      );
      if (isRecursive)
        return [
          ...b.stmts,
          ...recursiveCall(stmt, [...expr.args, ...shadows], seed, parts, signature, sweep),
        ];
      const call: Expr = {
        kind: "call",
        callee: signature.merged,
        args: [...expr.args, ...shadows, seed],
      };
      if (parts.length === 0) return [...b.stmts, { ...stmt, expr: call }];
      const both: Var = { kind: "var", name: sweep.names.fresh("both"), type: resultOf(signature) };
      const loads = [stmt.bind, ...parts].map((bind, i): Stmt => ({
        kind: "let",
        bind,
        expr: { kind: "load", object: both, key: field(String(i)) },
        origin: stmt.origin,
        ...(i === 0 ? {} : { adjoint: true }),
      }));
      return [...b.stmts, { kind: "let", bind: both, expr: call, origin: stmt.origin }, ...loads];
    },
  };
}

/** `n[0] = z$bar; g$merged(x, n); z = n[0]; x$bar = n[1]`, where n is the one that this function has got, or a new one. */
function recursiveCall(
  stmt: Let,
  args: readonly Atom[],
  seed: Atom,
  parts: readonly Var[],
  signature: Signature,
  sweep: Sweep,
): readonly Stmt[] {
  const b = new Builder(sweep.names, stmt.origin, true);
  const own =
    sweep.numbers !== null && sameType(sweep.numbers.type, numbersOf(signature))
      ? sweep.numbers
      : null;
  const numbers =
    own ??
    b.let("numbers", numbersOf(signature), {
      kind: "tuple",
      elems: [seed, ...parts.map(() => num(0))],
    });
  if (own !== null) b.store(own, field("0"), seed);
  const call: Stmt = {
    kind: "let",
    bind: { kind: "var", name: sweep.names.fresh("t"), type: { kind: "void" } },
    expr: { kind: "call", callee: signature.merged, args: [...args, numbers] },
    origin: stmt.origin,
  };
  const load = (bind: Var, i: number): Let => ({
    kind: "let",
    bind,
    expr: { kind: "load", object: numbers, key: field(String(i)) },
    origin: stmt.origin,
  });
  return [
    ...b.stmts,
    call,
    load(stmt.bind, 0),
    ...parts.map((part, i): Stmt => ({ ...load(part, i + 1), adjoint: true })),
  ];
}

/** What a recursive function gets its cotangent in, and gives its value and the cotangents of its active scalars. */
const numbersOf = ({ scalars }: Signature): Type => ({
  kind: "tuple",
  elems: [NUM, ...scalars.map(() => NUM)],
});

/** The value, or a tuple of it and the cotangents of the active scalars. */
function resultOf({ callee, scalars }: Signature): Type {
  if (scalars.length === 0) return callee.result;
  const labels = [callee.name, ...scalars.map((i) => bar(callee.params[i]?.name ?? `x${i}`))];
  return { kind: "tuple", elems: [callee.result, ...scalars.map(() => NUM)], labels };
}

export interface MergedRequest extends Omit<SplitRequest, "repeats"> {
  readonly isRecursive: boolean;
}

interface Merged {
  readonly func: Func;
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

export function mergedOf(request: MergedRequest): Merged {
  return sweptTwice((earlier, barred) => written(request, earlier, barred));
}

function written(
  request: MergedRequest,
  earlier: Earlier,
  barred: ReadonlySet<Stmt>,
): Merged & Swept {
  const { func, facts, types, signature, isRecursive } = request;
  const names = namesOf(func);
  const sweep = new Sweep({
    func,
    facts,
    types,
    forwardNames: names,
    reverseNames: names,
    isSplit: false,
    repeatable: false,
    merges: true,
    earlier,
    barred,
    nested: request.nested,
    signature: request.signatureOf,
  });
  const shadows = signature.aggregates.map((position) => {
    const param = func.params[position] ?? { kind: "var", name: `x${position}`, type: NUM };
    const shadow: Var = { ...shadowParam(param, types), name: names.fresh(bar(param.name)) };
    sweep.root.define(shadow);
    sweep.setShadow(param, shadow);
    return shadow;
  });
  const seed: Var = { kind: "var", name: names.fresh(bar(func.name)), type: NUM };
  const numbers: Var | null = isRecursive
    ? { kind: "var", name: names.fresh("numbers"), type: numbersOf(signature) }
    : null;
  sweep.numbers = numbers;
  const body = new BodySweep(sweep, func.body, sweep.root);
  const rev = new Builder(names, func.origin, true);
  const env = new Cotangents();
  const result = func.body.result[0] ?? num(0);
  if (facts.active(result))
    env.add(result, { statement: func.body.stmts.length, within: 0 }, () => seed);
  body.reverse(rev, env);
  const forward = body.forwardBody([]);
  rev.origin = func.origin;
  const bars = signature.scalars.map((position): Atom => {
    const param = func.params[position];
    return (param === undefined ? null : env.take(rev, param.name)) ?? num(0);
  });
  const first: readonly Stmt[] =
    numbers === null
      ? []
      : [
          {
            kind: "let",
            bind: seed,
            expr: { kind: "load", object: numbers, key: field("0") },
            origin: func.origin,
            adjoint: true,
          },
        ];
  const returned = given(result, bars, numbers, signature, rev);
  return {
    func: {
      name: signature.merged,
      home: func.home,
      params: [...func.params, ...shadows, numbers ?? seed],
      result: numbers === null ? resultOf(signature) : { kind: "void" },
      origin: func.origin,
      half: true,
      body: {
        stmts: [...first, ...sweep.opening(), ...forward.stmts, ...rev.stmts],
        result: returned,
      },
      ...(func.listed === undefined ? {} : { listed: func.listed }),
      ...(func.paramText === undefined
        ? {}
        : { paramText: [...func.paramText, ...shadows.map(() => null), null] }),
    },
    problems: sweep.problems,
    residuals: sweep.residuals,
    stuck: sweep.stuck,
    chosen: sweep.chosen,
  };
}

/** What the function yields: nothing, where it stores it. */
function given(
  result: Atom,
  bars: readonly Atom[],
  numbers: Var | null,
  signature: Signature,
  rev: Builder,
): readonly Atom[] {
  if (numbers !== null) {
    [result, ...bars].forEach((atom, i) => {
      rev.store(numbers, field(String(i)), atom);
    });
    return [];
  }
  return bars.length === 0
    ? [result]
    : [rev.let("t", resultOf(signature), { kind: "tuple", elems: [result, ...bars] })];
}

// Note [Numbers of recursion]
// A number that goes into a call which is not inlined, or out of it, is boxed: an object on the heap for each. Of a recursive function these are all the work there
// is beside its own, and they made an expansion into minors a quarter slower. So what the outermost call makes goes down with the calls, as the array of one or
// more doubles that all of them write: the cotangent is read before anything is called, and what is given is read right behind the call, so there is nothing to
// restore, no state is left when a call throws, and two outermost calls share nothing.
