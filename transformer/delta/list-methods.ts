// Rewrites `map`, `reduce`, `forEach` with an inline arrow function. In: array and function. Out:
// `$d.mapped(list, ($, x) => …)`, which needs no function value.

import type ts from "typescript";
import { type Code, code, list } from "../code/code.ts";
import { plainFunction } from "./function.ts";
import { asArgument, called, type Pair } from "./pair.ts";
import { unwrapped, type Work } from "./work.ts";

export function listCall(
  work: Work,
  callee: ts.Expression,
  object: Pair,
  args: readonly ts.Expression[],
  pairsOf: (args: readonly ts.Expression[]) => readonly Code[],
): Pair | null {
  const {
    api,
    context: { checker },
  } = work;
  const [given, start] = args;
  const f = given === undefined ? null : unwrapped(work, given);
  if (
    f === null ||
    !api.isArrowFunction(f) ||
    work.isUntyped ||
    !api.isPropertyAccessExpression(callee)
  )
    return null;
  if (
    checker === null ||
    !checker.isArrayType(checker.getTypeAtLocation(callee.expression)) ||
    (api.getModifiers(f) ?? []).length > 0
  )
    return null;
  const own = (): Code => plainFunction(work, f, { typedThis: false, parent: "none" });
  const name = callee.name.text;
  if (name === "forEach" && args.length === 1)
    return called(code`$d.visited(${asArgument(object)}, ${own()})`);
  if (
    name === "reduce" &&
    args.length <= 2 &&
    (start === undefined || !api.isSpreadElement(start))
  ) {
    const first = pairsOf(start === undefined ? [] : [start]);
    return called(code`$d.reduced(${list([asArgument(object), own(), ...first])})`);
  }
  return name === "map" && args.length === 1
    ? called(code`$d.mapped(${asArgument(object)}, ${own()})`)
    : null;
}
