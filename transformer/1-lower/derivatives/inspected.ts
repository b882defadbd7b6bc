// Lowers `inspect(x, show)`: the identity, with a rule that shows what passes through it.
//
// FWD{ z = inspect(x) }  =  z = x ; show(x$dot, "tangent") ; z$dot = x$dot
// REV{ z = inspect(x) }  =  show(z$bar, "cotangent") ; x$bar += z$bar

import type ts from "typescript";
import { NUM } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import type { Atom, Body, Type, Var } from "../../ir/types.ts";
import { str } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import { capturedBy } from "../functions/lambda-lifting.ts";
import { applyFn } from "../lowering.ts";
import { buildTuple } from "./nested.ts";

const BARS: Type = { kind: "tuple", elems: [NUM] };

export function applyInspect(f: Frame, [x, show]: readonly Arg[], at: ts.Node, hint: string): Atom {
  if (x === undefined || isFn(x) || f.shape(x.type).kind !== "num")
    return f.refuse("TSG1209", at, "`inspect` takes a number; of an array, inspect its elements");
  if (show === undefined || !isFn(show)) return f.refuse("TSG1124", at, f.textOf(at));
  const { name, captured } = lifted(f, show, at);
  return f.let(hint, NUM, { kind: "call", callee: name, args: [x, ...captured] });
}

/** The function and its rules; `captured`: variables that `show` reads. */
function lifted(
  f: Frame,
  show: Fn,
  at: ts.Node,
): { readonly name: string; readonly captured: readonly Var[] } {
  const [x, dot, bar] = [numberNamed(f, "x"), numberNamed(f, "x$dot"), numberNamed(f, "x$bar")];
  const origin = f.ctx.originOf(at);
  const name = f.ctx.reserveName("inspect");
  const shown = (value: Var, word: string, result: () => Atom): Body =>
    f.nested(() => {
      applyFn(f, show, [value, str(word)], at);
      return [result()];
    });
  const back = shown(bar, "cotangent", () => buildTuple(f, [bar], "t"));
  const pushed = shown(dot, "tangent", () => buildTuple(f, [x, dot], "t"));
  const captured = [
    ...new Map([
      ...capturedBy(f, back, [bar], at),
      ...capturedBy(f, pushed, [x, dot], at),
    ]).values(),
  ];
  const params = [x, ...captured];
  const read = captured.map((_, i) => i + 1);
  const add = (own: string, given: readonly Var[], body: Body, rule = {}): void => {
    f.ctx.addLifted({
      ...{ name: own, home: own, params: given, body, origin, ...rule },
      result: body.result[0]?.type ?? NUM,
    });
  };
  const backName = f.ctx.reserveName(names.backOf(name));
  add(
    name,
    params,
    { stmts: [], result: [x] },
    {
      rule: {
        ...{ mode: "both", given: 1 },
        once: { rule: null, back: backName, kept: [NUM], value: 0, read },
      },
    },
  );
  add(backName, [...captured, x, bar], back);
  const pulled = f.nested(() => [
    buildTuple(
      f,
      [x, f.let("t", BARS, { kind: "call", callee: backName, args: [...captured, x, bar] })],
      "t",
    ),
  ]);
  const noNames = { names: null, tuple: false };
  add(f.ctx.reserveName(names.pull(name, noNames)), [...params, bar], pulled);
  add(f.ctx.reserveName(names.fwd(name, null)), [...params, dot], pushed);
  return { name, captured };
}

const numberNamed = (f: Frame, wanted: string): Var => ({
  kind: "var",
  name: f.names.derivative(wanted),
  type: NUM,
});
