// The optimiser without anything that saves it work. In: an ssa function. Out: what all passes make of it, each asked in each round, until a round changes nothing.

import { LATE, type optimise, PASSES } from "../../transformer/4-optimise/index.ts";
import type { Func } from "../../transformer/ir/types.ts";

type Types = Parameters<typeof optimise>[1]["types"];

function rounds(func: Func, types: Types, without: readonly string[]): Func {
  let current = func;
  for (let round = 0; round < 16; round++) {
    const before = JSON.stringify(current.body);
    for (const [name, pass] of PASSES)
      if (!without.includes(name)) current = pass(current, { types });
    if (JSON.stringify(current.body) === before) break;
  }
  return current;
}

/** What `optimise` does, which asks fewer passes. */
export const everyRound = (func: Func, types: Types): Func =>
  rounds(rounds(func, types, [...LATE]), types, []);
