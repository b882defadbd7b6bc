// Recovers the loop heads that people write from `while` loops of the IR: `do` loops and counters.
// Neither changes what the loop computes.

import type { Atom, Carried } from "../../ir/types.ts";
import { type Counter, leafVars, type Nested, type WhileLine } from "../code.ts";
import type { Uses } from "./uses.ts";
import { isConst } from "../../ir/build.ts";

// while first || c { …; first = false }  ->  do { … } while c
export function asDo(loop: WhileLine, nested: Nested, uses: Uses): WhileLine {
  const [cond] = loop.test.result;
  const parts = loop.test.lines.length === 0 ? disjunction(cond, nested) : null;
  if (parts === null) return loop;
  const [flag, rest] = parts;
  const at = loop.carried.findIndex((one) => flag.kind === "var" && one.param.name === flag.name);
  const one = loop.carried[at];
  const bind = loop.binds[at];
  if (one === undefined || uses.get(one.param.name) !== 1) return loop;
  if (bind !== undefined && uses.has(bind.name)) return loop;
  if (!isConst(one.init, true) || !isConst(loop.body.result[at], false)) return loop;
  return { ...without(loop, at), first: "body", test: { ...loop.test, result: [rest] } };
}

/** The loop without one of its carried values. */
function without(loop: WhileLine, at: number): WhileLine {
  const others = <T>(all: readonly T[]): T[] => all.filter((_, i) => i !== at);
  return {
    ...loop,
    carried: others(loop.carried),
    binds: others(loop.binds),
    body: { ...loop.body, result: others(loop.body.result) },
  };
}

/** The operands of `a || b`, also as `a ? true : b`. */
function disjunction(cond: Atom | undefined, nested: Nested): readonly [Atom, Atom] | null {
  const value = cond?.kind === "var" ? nested.get(cond.name) : undefined;
  if (value?.kind === "choose" && isConst(value.then, true)) return [value.cond, value.else];
  const [left, right] = value?.kind === "op" && value.op === "or" ? value.args : [];
  return left === undefined || right === undefined ? null : [left, right];
}

// let i = 0; while (c) { …; i++; }  ->  for (let i = 0; c; i++) { … }     i is dead after it
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
  const counter: Counter = { index: one.param, from: one.init, step };
  return { ...without(loop, at), counter };
}

/** Whether the loop's test reads the value. */
const isTested = ({ param }: Carried, { test }: WhileLine, nested: Nested): boolean =>
  test.lines.length === 0 &&
  test.result.some((atom) => leafVars(atom, nested).some(({ name }) => name === param.name));

/** Whether the value may be evaluated after the initial values of other variables. */
const isEarly = (init: Atom, nested: Nested): boolean =>
  init.kind === "const" || (init.kind === "var" && !nested.has(init.name));

/** The integer that each iteration adds; null for other updates, or if the sum has another use. */
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
  const step = right?.kind === "const" ? right.value : null;
  if (left?.kind !== "var" || left.name !== param.name || !isStep(step)) return null;
  return value.op === "add" ? step : -step;
}

const isStep = (value: unknown): value is number => Number.isSafeInteger(value) && value !== 0;
