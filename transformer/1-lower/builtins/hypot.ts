// `Math.hypot` of a list. In: the list. Out: a call of a function that gives what `Math.hypot(...xs)` gives, with its rule.
// Invariant: no loop gives the same bits, since engines scale and compensate as they like; the rule is made of the same function, so every order of derivative has it.
//
// FWD{ y = hypot(xs) }  =  y = hypot(xs)                                         saves y
// FWD{ y = hypot(xs) }  =  y = hypot(xs) ; y$dot = sum of xs$dot[i] * (xs[i] / y)      forward mode
// REV{ y = hypot(xs) }  =  xs$bar[i] += y$bar * (xs[i] / y)                      Kink: 0 where all are 0, as of `Math.hypot(x, z)`

import type ts from "typescript";
import { index, NUM, num } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { shadowType } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";
import { initial } from "./iterate.ts";

export function hypotOf(
  f: Frame,
  list: Atom,
  type: Type & { readonly kind: "array" },
  at: ts.Node,
  wanted: string,
): Atom {
  const key = `hypot ${type.store}`;
  const known = f.customs.get(key)?.name;
  const name = known ?? f.ctx.reserve(names.solution(f.name, "hypot"));
  if (known === undefined) {
    f.customs.set(key, { name, result: NUM, captured: [] });
    define(f, name, type, at);
  }
  return f.let(wanted, NUM, { kind: "call", callee: name, args: [list] });
}

function define(f: Frame, name: string, type: Type, at: ts.Node): void {
  const bars = shadowType(type, f.ctx.types) ?? type;
  const tuple = (...elems: readonly Type[]): Type => ({ kind: "tuple", elems });
  const fresh = (wanted: string, of: Type): Var => ({
    kind: "var",
    name: f.names.fresh(wanted),
    type: of,
  });
  const lifted = (
    own: string,
    params: readonly Var[],
    result: Type,
    make: () => Atom,
    more: object = {},
  ): void =>
    f.ctx.lifted({
      name: own,
      home: own,
      params,
      result,
      body: f.nested(() => [make()]),
      origin: f.ctx.originOf(at),
      ...more,
    });
  const xs = fresh("xs", type);
  const y = fresh("y", NUM);
  const seed = fresh("seed", NUM);
  const dot = fresh(names.dot(xs.name), bars);
  const valueOf = (wanted: string): Var =>
    f.let(wanted, NUM, { kind: "call", callee: name, args: [xs] });
  const listed = (elems: readonly Atom[]): Var =>
    f.let("t", tuple(...elems.map((each) => each.type)), { kind: "tuple", elems });
  const back = f.ctx.reserve(names.backOf(name));
  const pull = f.ctx.reserve(names.pull(name, { names: null, tuple: false }));
  const fwd = f.ctx.reserve(names.fwd(name, null));

  const once = { rule: null, back, kept: [NUM], value: 0, read: [0] };
  lifted(
    name,
    [xs],
    NUM,
    () =>
      f.let("y", NUM, {
        kind: "extern",
        text: ["Math.hypot(...", ")"],
        args: [xs],
        effect: "reads",
      }),
    { rule: { mode: "both", given: 1, once } },
  );
  lifted(back, [xs, y, seed], tuple(bars), () => listed([scaled(f, xs, y, seed, bars)]));
  lifted(pull, [xs, seed], tuple(NUM, tuple(bars)), () => {
    const value = valueOf("y");
    return listed([
      value,
      f.let("t", tuple(bars), { kind: "call", callee: back, args: [xs, value, seed] }),
    ]);
  });
  lifted(fwd, [xs, dot], tuple(NUM, NUM), () => {
    const value = valueOf("y");
    const sum = f.declare(names.dot(value.name), NUM, num(0));
    eachShare(f, xs, value, (share, i) => {
      f.assign(
        sum,
        f.b.add(sum, f.b.mul(f.let("t", NUM, { kind: "load", object: dot, key: index(i) }), share)),
      );
    });
    return listed([value, f.let("t", NUM, { kind: "copy", atom: sum })]);
  });
}

/** `xs[i] / y`, unless all are 0. */
function eachShare(f: Frame, xs: Atom, y: Atom, take: (share: Atom, i: Var) => void): void {
  f.when(f.b.op("ne", y, num(0)), () => {
    emitFor(f, f.label("loop"), f.let("t", NUM, { kind: "length", object: xs }), (i) => {
      take(f.b.div(f.let("t", NUM, { kind: "load", object: xs, key: index(i) }), y), i);
    });
  });
}

function scaled(f: Frame, xs: Atom, y: Atom, seed: Atom, type: Type): Var {
  const made = f.let(names.bar("xs"), type, { kind: "zeros", like: xs });
  eachShare(f, xs, y, (share, i) => {
    initial(f, made, i, f.b.mul(seed, share));
  });
  return made;
}
