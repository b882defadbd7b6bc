// Runs one function of a program so that everything a caller can see is comparable. In: a program and arguments (copied before).
// Out: the value or what was thrown, and the arguments as the run leaves them.

import { run } from "../../transformer/ir/eval.ts";
import { InvariantError } from "../../transformer/ir/invariant.ts";
import type { Program } from "../../transformer/ir/types.ts";

export interface Seen {
  readonly value: unknown;
  readonly thrown: unknown;
  readonly args: readonly unknown[];
}

export function see(program: Program, name: string, args: readonly unknown[]): Seen {
  const copies = structuredClone(args);
  try {
    return { value: run(program, name, copies).value, thrown: null, args: copies };
  } catch (error) {
    // a mistake of ours is no exception of the program's
    if (error instanceof InvariantError) throw error;
    return { value: undefined, thrown: { error }, args: copies };
  }
}
