// Pullbacks in differentiated functions: `vjp(g)(x)` gives `[value, pullback]`.
// Input: the form, arguments, a seed. Output: a known function value, or a call of the derivative.
// A pullback computes from the arguments as they were when it was created.

import type ts from "typescript";
import { field, num, NUM } from "../../ir/build.ts";
import { labelsOf } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";
import { UNDEFINED } from "../coerce.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import type { Frame } from "../frame.ts";
import { zerosOf } from "./numbers.ts";
import {
  requestedPositions,
  type Derived,
  liftedTarget,
  type NotHeld,
  type Lifted,
  buildTuple,
  shadowOf,
} from "./nested.ts";

/** `[value, pullback]` of `vjp(g)(x)`. */
export function valueAndPullback(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
  otherwise: NotHeld = "TSG1009",
): Fn & { readonly kind: "members" } {
  const { of, aux } = liftedTarget(f, derived, args, at, otherwise);
  const value = f.let("value", of.result, { kind: "call", callee: of.name, args: of.args });
  return {
    kind: "members",
    parts: new Map<string, Arg>([
      ["0", value],
      ["1", pullbackFn(f, derived, of, at)],
      ...(aux === null ? [] : [["2", aux] as const]),
    ]),
    isList: true,
    isWhole: true,
  };
}

/** The pullback alone, of `transpose(g)(x)`. */
export const transposed = (f: Frame, derived: Derived, args: readonly Arg[], at: ts.Node): Fn =>
  pullbackFn(f, derived, liftedTarget(f, derived, args, at, "TSG1009").of, at);

export const pullbackFn = (
  f: Frame,
  derived: Derived,
  of: Lifted,
  at: ts.Node,
): Fn & { readonly kind: "pullback" } => ({
  kind: "pullback",
  form: derived,
  of: of.name,
  params: of.params,
  result: of.result,
  args: of.args,
  asked: requestedPositions(f, derived.options, of, at),
  position: (k) => of.positions.get(k),
  captured: of.captured,
});

/** `[value, pullback]` of `f.vjp(x)`, where a rule receives `f`: includes the cotangent of `f`. */
export function ruleArgumentPullback(
  f: Frame,
  { fn, outside }: Fn & { readonly kind: "givenVjp" },
  args: readonly Arg[],
  at: ts.Node,
): Fn & { readonly kind: "members" } {
  const form: Derived = {
    kind: "derived",
    form: "vjp",
    fn,
    options: {
      argnums: [],
      tuple: false,
      hasAux: false,
      into: false,
      engine: null,
      argnumsAt: null,
    },
  };
  const made = valueAndPullback(f, form, args, at, "TSG1023");
  const pullback = made.parts.get("1");
  if (pullback === undefined || !isFn(pullback) || pullback.kind !== "pullback") return made;
  return { ...made, parts: new Map<string, Arg>([...made.parts, ["1", { ...pullback, outside }]]) };
}

/** `pullback(v)` */
export function applyPullback(
  f: Frame,
  fn: Fn & { readonly kind: "pullback" },
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const [seed = UNDEFINED] = args;
  if (isFn(seed)) return f.refuse("TSG1124", at, f.textOf(at));
  const all = fn.params.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const of = { name: fn.of, params: fn.params, result: fn.result, args: fn.args };
  // a predicate's pullback takes nothing and gives zeros
  const bars = hasNumbers(fn.result, f.ctx.types)
    ? pullCall(f, of, all, seed)
    : all.map((i) => zerosOf(f, fn.args[i] ?? num(0)));
  const bar = (position: number): Atom => bars[all.indexOf(position)] ?? UNDEFINED;
  const { options } = fn.form;
  if (options.argnums.length > 0 && !options.tuple) return bar(fn.asked[0] ?? 0);
  const wantedPositions =
    options.argnums.length > 0
      ? fn.asked
      : fn.params.flatMap((_, i) => (fn.position(i) === undefined ? [] : [fn.position(i) ?? 0]));
  const parts = wantedPositions.map(bar);
  if (fn.outside !== undefined)
    parts.push(
      functionCotangent(f, fn.outside, (variable) => {
        const at = fn.captured.findIndex(({ name }) => name === variable.name);
        return at < 0 ? null : bar(fn.params.length - fn.captured.length + at);
      }),
    );
  return buildTuple(f, parts, wanted);
}

/** The cotangents of some arguments for a cotangent of the result. `asked`: their positions. */
export function pullCall(
  f: Frame,
  of: Pick<Lifted, "name" | "params" | "result" | "args">,
  asked: readonly number[],
  seed: Atom,
): readonly Atom[] {
  const bars = asked.map((i) => shadowOf(f, of.params[i]?.type ?? NUM));
  const name = names.pull(of.name, {
    names: labelsOf(of.params, asked, f.ctx.types),
    tuple: false,
  });
  f.ctx.derive(name, { mode: "pull", of: of.name, requested: asked, tuple: true, pure: true });
  const both = f.let(
    "t",
    { kind: "tuple", elems: [of.result, { kind: "tuple", elems: bars }] },
    { kind: "call", callee: name, args: [...of.args, seed] },
  );
  const list = f.b.load("t", { kind: "tuple", elems: bars }, both, field("1"));
  return bars.map((type, k) => f.b.load("t", type, list, field(String(k))));
}

/** The cotangent of a function: those of its captures, 0 for unused ones. */
export function functionCotangent(
  f: Frame,
  outside: readonly Var[],
  barOf: (variable: Var) => Atom | null,
): Atom {
  const elems = outside.map((variable): Atom => {
    const type = shadowOf(f, variable.type);
    return (
      barOf(variable) ??
      (type.kind === "num" ? num(0) : f.let("t", type, { kind: "zeros", like: variable }))
    );
  });
  return buildTuple(f, elems, "t");
}
