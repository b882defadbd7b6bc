// Finds the counter of a loop whose test is not one of a counted loop. In: a `while` loop. Out: the loop, with its counter in its head where nothing reads it behind the loop.
// `let i = 0; while (c) { …; i++; }  ->  for (let i = 0; c; i++) { … }`

import type { Atom, Carried } from "../../ir/types.ts";
import { type Counter, leafVars, type Nested, type WhileLine } from "../code.ts";
import type { Uses } from "./uses.ts";

export function withCounter(loop: WhileLine, nested: Nested, uses: Uses): WhileLine {
  if (loop.first === "body") return loop;
  const at = loop.carried.findIndex(
    (one, i) =>
      isTested(one, loop, nested) &&
      isEarly(one.init, nested) &&
      !uses.has(loop.binds[i]?.name ?? "") &&
      stepOf(one, loop.body.result[i], nested, uses) !== null,
  );
  const one = loop.carried[at];
  const step = one === undefined ? null : stepOf(one, loop.body.result[at], nested, uses);
  if (one === undefined || step === null) return loop;
  const others = <T>(all: readonly T[]): T[] => all.filter((_, i) => i !== at);
  const counter: Counter = { index: one.param, from: one.init, step };
  return {
    ...loop,
    counter,
    carried: others(loop.carried),
    binds: others(loop.binds),
    body: { ...loop.body, result: others(loop.body.result) },
  };
}

/** Whether the loop is left by it. */
const isTested = ({ param }: Carried, { test }: WhileLine, nested: Nested): boolean =>
  test.lines.length === 0 &&
  test.result.some((atom) => leafVars(atom, nested).some(({ name }) => name === param.name));

/** Whether it may be evaluated behind the other variables' first values. */
const isEarly = (init: Atom, nested: Nested): boolean =>
  init.kind === "const" || (init.kind === "var" && !nested.has(init.name));

/** What each round adds; null where it does something else, or where something else reads the sum. */
function stepOf(
  { param }: Carried,
  next: Atom | undefined,
  nested: Nested,
  uses: Uses,
): number | null {
  const value =
    next?.kind === "var" && uses.get(next.name) === 1 ? nested.get(next.name) : undefined;
  if (value?.kind !== "op" || (value.op !== "add" && value.op !== "sub")) return null;
  const [left, right] = value.args;
  if (
    left?.kind !== "var" ||
    left.name !== param.name ||
    right?.kind !== "const" ||
    typeof right.value !== "number" ||
    !Number.isSafeInteger(right.value) ||
    right.value === 0
  )
    return null;
  return value.op === "add" ? right.value : -right.value;
}
