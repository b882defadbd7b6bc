// Writes a sweep twice. The first pass finds what reverse code reads, and decides what each loop
// iteration records. The second pass may compute other values from these records. Invariant: in the
// last pass no loop is stuck, i.e. reversed in forward order although it needs a tape.

import { invariant } from "../../ir/invariant.ts";
import type { Stmt } from "../../ir/types.ts";
import { type EarlierPass, FIRST_PASS, recordedNames, type Residual } from "./residuals.ts";

export interface Swept {
  readonly residuals: readonly Residual[];
  readonly stuck: ReadonlySet<Stmt>;
  readonly chosen: ReadonlyMap<string, boolean>;
}

export function sweptTwice<T extends Swept>(write: (earlier: EarlierPass) => T): T {
  const first = write(FIRST_PASS);
  const { chosen } = first;
  const recorded = recordedNames(first.residuals);
  // the second pass would be the first one again
  if (recorded.size === 0 && first.stuck.size === 0) return first;
  const others = [...recorded].filter((name) => !chosen.has(name));
  const demanded = new Set([
    ...others,
    ...[...chosen].flatMap(([name, isRecorded]) => (isRecorded ? [name] : [])),
  ]);
  const barred = new Set<Stmt>();
  for (;;) {
    const made = write({ demanded, chosen, barred });
    if (made.stuck.size === 0) return made;
    const before = barred.size;
    for (const loop of made.stuck) barred.add(loop);
    invariant(barred.size > before, "a loop is stuck again");
  }
}
