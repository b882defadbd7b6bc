// A sweep is written twice: once it is known what reverse code asks for, it is chosen what each round of a loop records; of the rest, what the first run
// records the second may compute from. In: how to write it. Out: the last run.
// Invariant: no loop of it is stuck, that is: reversed onwards though it has something on the tape.

import type { Stmt } from "../../ir/types.ts";
import { invariant } from "../../ir/invariant.ts";
import { type Earlier, NOTHING_EARLIER, recordedNames, type Residual } from "./frame.ts";

export interface Swept {
  readonly residuals: readonly Residual[];
  readonly stuck: ReadonlySet<Stmt>;
  readonly chosen: ReadonlyMap<string, boolean>;
}

export function sweptTwice<T extends Swept>(
  write: (earlier: Earlier, barred: ReadonlySet<Stmt>) => T,
): T {
  const barred = new Set<Stmt>();
  const first = write(NOTHING_EARLIER, barred);
  const { chosen } = first;
  const recorded = recordedNames(first.residuals);
  // the second sweep would be the first one again
  if (recorded.size === 0 && first.stuck.size === 0) return first;
  const others = [...recorded].filter((name) => !chosen.has(name));
  const earlier: Earlier = {
    demanded: new Set([
      ...others,
      ...[...chosen].flatMap(([name, isRecorded]) => (isRecorded ? [name] : [])),
    ]),
    chosen,
  };
  for (;;) {
    const made = write(earlier, barred);
    if (made.stuck.size === 0) return made;
    const before = barred.size;
    for (const loop of made.stuck) barred.add(loop);
    invariant(barred.size > before, "a loop is stuck again");
  }
}
