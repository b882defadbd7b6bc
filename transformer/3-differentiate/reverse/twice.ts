// A sweep is written twice: what the first run records, the second may compute from. In: how to write it. Out: the last run.
// Invariant: no loop of it is stuck, that is: reversed onwards though it has something on the tape.

import type { Stmt } from "../../ir/types.ts";
import { invariant } from "../../ir/invariant.ts";
import { recordedNames, type Residual } from "./frame.ts";

export interface Swept {
  readonly residuals: readonly Residual[];
  readonly stuck: ReadonlySet<Stmt>;
}

export function sweptTwice<T extends Swept>(write: (demanded: ReadonlySet<string>, barred: ReadonlySet<Stmt>) => T): T {
  const barred = new Set<Stmt>();
  const first = write(new Set(), barred), demanded = recordedNames(first.residuals);
  // the second sweep would be the first one again
  if (demanded.size === 0 && first.stuck.size === 0) return first;
  for (;;) {
    const made = write(demanded, barred);
    if (made.stuck.size === 0) return made;
    const before = barred.size;
    for (const loop of made.stuck) barred.add(loop);
    invariant(barred.size > before, "a loop is stuck again");
  }
}
