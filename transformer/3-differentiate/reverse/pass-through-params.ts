// Finds what recursive functions pass through unchanged (weights, tolerances, captured variables).
// Callers pass these values to the reverse sweeps, so no call's BOG records them. Input: the
// signature of a pair; trial versions of reverse sweeps. Output: arguments and shadows to pass.
// Invariant: all callers of a pair pass the same (`WorkRequest.handed`).
//
// REV{ z = g(x, a) }  =  x$bar += g$revr(b, z$bar, a, a$bar)     g's calls of itself pass its own a

import { callsIn, callCycleOf, type FuncOf } from "../../ir/calls.ts";
import type { Func } from "../../ir/types.ts";
import { walkAtoms } from "../../ir/visit.ts";
import type { PassThrough, Signature } from "./signature.ts";

/** Parameters, with their shadows, that all recursive calls fill with the caller's own. */
export function passThroughCandidates(
  { callee, aggregates }: Signature,
  func: FuncOf,
): readonly PassThrough[] {
  const circle = callCycleOf(callee.name, func);
  // checkpoint-schedule.ts calls the pairs of iterations, without pass-through values
  if (circle.some(({ outlined: iterations }) => iterations !== undefined)) return [];
  const open = new Set(circle.flatMap(({ name, params }) => params.map((_, i) => `${name} ${i}`)));
  const calls = circle.flatMap((caller) =>
    callsIn(caller.body)
      .filter(({ expr }) => circle.some(({ name }) => name === expr.callee))
      .map(({ expr: call }) => ({ caller, call })),
  );
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const { caller, call } of calls) {
      call.args.forEach((arg, i) => {
        if (
          arg.kind !== "var" ||
          !open.has(`${caller.name} ${caller.params.findIndex(({ name }) => name === arg.name)}`)
        )
          open.delete(`${call.callee} ${i}`);
      });
    }
  }
  const positions = callee.params.flatMap((_, i) => (open.has(`${callee.name} ${i}`) ? [i] : []));
  const shadows = positions.filter((i) => aggregates.includes(i));
  return [
    ...positions.map((position): PassThrough => ({ position, of: "value" })),
    ...shadows.map((position): PassThrough => ({ position, of: "shadow" })),
  ];
}

/** A reverse sweep that is given all candidates. */
export interface Trial {
  readonly signature: Signature;
  readonly reverse: Func;
}

/** By trial: what its reverse sweep reads, or passes to one that reads it. */
export function passThroughRead(
  trials: readonly Trial[],
): ReadonlyMap<Trial, readonly PassThrough[]> {
  const uses = trials.map((trial) => usesIn(trial, trials));
  const read = new Set(uses.flatMap(({ direct }) => direct));
  for (let before = -1; before !== read.size;) {
    before = read.size;
    for (const { links } of uses)
      for (const { from, to } of links) if (read.has(to)) read.add(from);
  }
  return new Map(
    trials.map((trial) => [
      trial,
      trial.signature.passThrough.filter((_, i) => read.has(placeOf(trial, i))),
    ]),
  );
}

const placeOf = ({ signature }: Trial, i: number): string => `${signature.revr} ${i}`;

interface Uses {
  /** Candidates that are read other than to pass them on. */
  readonly direct: readonly string[];
  readonly links: readonly { readonly from: string; readonly to: string }[];
}

function usesIn(trial: Trial, trials: readonly Trial[]): Uses {
  const { reverse, signature } = trial;
  const given = new Map(
    signature.passThrough.map((_, i) => [
      reverse.params[reverse.params.length - signature.passThrough.length + i]?.name ?? "",
      placeOf(trial, i),
    ]),
  );
  const reads = new Map<string, number>();
  const count = (name: string, by: number): void =>
    void reads.set(name, (reads.get(name) ?? 0) + by);
  walkAtoms(reverse.body, (atom) => {
    if (atom.kind === "var") count(atom.name, 1);
  });
  const links = callsIn(reverse.body).flatMap(({ expr: { callee, args } }) => {
    const called = trials.find((one) => one.signature.revr === callee);
    if (called === undefined) return [];
    const { length } = called.signature.passThrough;
    return args.slice(args.length - length).flatMap((arg, i) => {
      const from = arg.kind === "var" ? given.get(arg.name) : undefined;
      if (from === undefined || arg.kind !== "var") return [];
      count(arg.name, -1);
      return [{ from, to: placeOf(called, i) }];
    });
  });
  return {
    direct: [...given].flatMap(([name, place]) => ((reads.get(name) ?? 0) > 0 ? [place] : [])),
    links,
  };
}
