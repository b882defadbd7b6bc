// Lowers `Math.hypot` of an array to a call of a generated function with a derivative rule.
// Engines scale and compensate differently, so no loop yields the same bits as `Math.hypot`.
// The rule calls the same function, so it holds for every order of derivative.
//
// FWD{ y = hypot(xs) }  =  y = hypot(xs)                                 saves y
// FWD{ y = hypot(xs) }  =  y$dot = sum of xs$dot[i] * (xs[i] / y)         forward mode
// REV{ y = hypot(xs) }  =  xs$bar[i] += y$bar * (xs[i] / y)
// Kink: 0 where all are 0, as of `Math.hypot(x, z)`.

import type ts from "typescript";
import { index, NUM, num } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { shadowType } from "../../ir/shadow.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { initial } from "./iterate.ts";

/** Calls the function for this kind of array, which is defined at its first use. */
export function hypotOf(
  f: Frame,
  list: Atom,
  type: Type & { readonly kind: "array" },
  at: ts.Node,
  hint: string,
): Atom {
  const key = `hypot ${type.store}`;
  const known = f.ruleFunctions.get(key)?.name;
  const name = known ?? f.ctx.reserveName(names.solution(f.name, "hypot"));
  if (known === undefined) {
    f.ruleFunctions.set(key, { name, result: NUM, captured: [] });
    define(f, name, type, at);
  }
  return f.let(hint, NUM, { kind: "call", callee: name, args: [list] });
}

/** Emits the function, its reverse `back`, its `pull` and its forward mode. */
function define(f: Frame, name: string, type: Type, at: ts.Node): void {
  const bars = shadowType(type, f.ctx.types) ?? type;
  const xs = fresh(f, "xs", type);
  const y = fresh(f, "y", NUM);
  const seed = fresh(f, "seed", NUM);
  const dot: Var = { kind: "var", name: f.names.derivative(names.dot(xs.name)), type: bars };
  const origin = f.ctx.originOf(at);
  const lifted = (
    func: Pick<Func, "name" | "params" | "result" | "rule">,
    make: () => Atom,
  ): void => f.ctx.addLifted({ ...func, home: func.name, body: f.nested(() => [make()]), origin });
  const back = f.ctx.reserveName(names.backOf(name));
  const pull = f.ctx.reserveName(names.pull(name, { names: null, tuple: false }));
  const fwd = f.ctx.reserveName(names.fwd(name, null));
  const valueOf = (): Var => f.let("y", NUM, { kind: "call", callee: name, args: [xs] });

  const once = { rule: null, back, kept: [NUM], value: 0, read: [0] };
  const rule = { mode: "both", given: 1, once } as const;
  lifted({ name, params: [xs], result: NUM, rule }, () =>
    f.let("y", NUM, {
      kind: "extern",
      text: ["Math.hypot(...", ")"],
      args: [xs],
      effect: "reads",
    }),
  );
  lifted({ name: back, params: [xs, y, seed], result: tuple(bars) }, () =>
    tupleOf(f, scaled(f, xs, y, seed, bars)),
  );
  lifted({ name: pull, params: [xs, seed], result: tuple(NUM, tuple(bars)) }, () => {
    const value = valueOf();
    const args = [xs, value, seed];
    return tupleOf(f, value, f.let("t", tuple(bars), { kind: "call", callee: back, args }));
  });
  lifted({ name: fwd, params: [xs, dot], result: tuple(NUM, NUM) }, () => {
    const value = valueOf();
    return tupleOf(f, value, tangent(f, xs, value, dot));
  });
}

const fresh = (f: Frame, hint: string, type: Type): Var => ({
  kind: "var",
  name: f.names.fresh(hint),
  type,
});

const tuple = (...elems: readonly Type[]): Type => ({ kind: "tuple", elems });

const tupleOf = (f: Frame, ...elems: readonly Atom[]): Var =>
  f.let("t", tuple(...elems.map((each) => each.type)), { kind: "tuple", elems });

function tangent(f: Frame, xs: Atom, y: Var, dot: Atom): Atom {
  const sum = f.declare(names.dot(y.name), NUM, num(0));
  eachShare(f, xs, y, (share, i) => {
    const term = f.b.mul(f.let("t", NUM, { kind: "load", object: dot, key: index(i) }), share);
    f.assign(sum, f.b.add(sum, term));
  });
  return f.let("t", NUM, { kind: "copy", atom: sum });
}

/** A loop over `xs[i] / y`; empty where y is 0. */
function eachShare(f: Frame, xs: Atom, y: Atom, take: (share: Atom, i: Var) => void): void {
  f.when(f.b.op("ne", y, num(0)), () => {
    emitFor(f, f.label("loop"), f.b.length(xs), (i) => {
      take(f.b.div(f.let("t", NUM, { kind: "load", object: xs, key: index(i) }), y), i);
    });
  });
}

function scaled(f: Frame, xs: Atom, y: Atom, seed: Atom, type: Type): Var {
  const bars = f.let(names.bar("xs"), type, { kind: "zeros", like: xs });
  eachShare(f, xs, y, (share, i) => {
    initial(f, bars, i, f.b.mul(seed, share));
  });
  return bars;
}
