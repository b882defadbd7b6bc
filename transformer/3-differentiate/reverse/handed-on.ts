// What a recursive function hands on to itself as it came in (weights, tolerances, what a local function sees around it): its reverse sweep is given that by
// its caller, and no call's BOG keeps it. In: the signature of its pair; a first writing of the reverse sweep. Out: which arguments, which shadows.
// Invariant: the answer depends on the function and its active arguments alone; functions that recur through each other keep all that they need.
//
// REV{ z = g(x, a) }  =  x$bar += g$revr(b, z$bar, a, a$bar)      where each call of g in g is handed g's own a

import type { Func } from "../../ir/types.ts";
import { callsIn, walkAtoms } from "../../ir/visit.ts";
import { reaches } from "./recursion.ts";
import type { HandedOn, Signature } from "./signature.ts";

/** What might be handed on: arguments that go into each call of itself as they are, and the shadows of those that have one. */
export function handedOn({ callee, aggregates }: Signature, func: (name: string) => Func): readonly HandedOn[] {
  const calls = callsIn(callee.body), own = calls.filter((call) => call.callee === callee.name);
  if (own.length === 0 || calls.some((call) => call.callee !== callee.name && reaches(call.callee, callee.name, func))) return [];
  const positions = callee.params.flatMap(({ name }, i) => (own.every(({ args }) => { const arg = args[i]; return arg?.kind === "var" && arg.name === name; }) ? [i] : []));
  const shadows = positions.filter((i) => aggregates.includes(i));
  return [...positions.map((position): HandedOn => ({ position, of: "value" })), ...shadows.map((position): HandedOn => ({ position, of: "shadow" }))];
}

/** What of it the reverse sweep reads, but for handing it on again. */
export function readIn(reverse: Func, { revr, handed }: Signature): readonly HandedOn[] {
  const own = callsIn(reverse.body).filter(({ callee }) => callee === revr).length;
  const reads = new Map<string, number>();
  walkAtoms(reverse.body, (atom) => { if (atom.kind === "var") reads.set(atom.name, (reads.get(atom.name) ?? 0) + 1); });
  const first = reverse.params.length - handed.length;
  return handed.filter((_, i) => (reads.get(reverse.params[first + i]?.name ?? "") ?? 0) > own);
}
