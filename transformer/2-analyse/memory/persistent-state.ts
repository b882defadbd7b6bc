// Numbers that vary and are kept from one run to the next: the next call finds them as constants, and its derivative would lack what they are made of. In: a function whose derivative is
// asked for, the arguments asked for. Out: the variables of its surroundings that keep such numbers, with a place where they are read. Invariant: what each run writes before it reads it is
// none, nor is what does not reach the result.
//   if (state.x !== x) { state.x = x; state.value = x * x; } return state.value;

import type { Types } from "../../ir/shadow.ts";
import type { Func, Origin } from "../../ir/types.ts";
import { activityOf } from "../activity/activity.ts";
import type { Memory } from "./memory.ts";
import { outsideUseOf } from "./read-first.ts";
import type { Region } from "./region.ts";
import { mayHaveStored, OUTSIDE, placeOnWay } from "./written.ts";

interface KeptState {
  readonly name: string;
  readonly read: Origin;
}

export function keptState(
  func: Func,
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
  asked: readonly number[],
): readonly KeptState[] {
  const memory = graphs.get(func.name);
  if (memory === undefined || memory.writtenGlobals().length === 0) return [];
  const activity = activityOf({
    func,
    memory,
    types,
    graphs,
    active: asked,
    writesAreOutputs: false,
    isData: () => false,
  });
  const { reads, stores, globals } = outsideUseOf(func, { funcs, graphs, types });
  const found = new Map<string, KeptState>();
  for (const { way, origin } of reads) {
    const [root = "", ...keys] = way;
    const global = root.startsWith(OUTSIDE) ? globals.get(root.slice(1)) : undefined;
    if (global === undefined || found.has(root) || !mayHaveStored(way, stores)) continue;
    const place = keys.reduce<Region | null>(
      (object, key) => (object === null ? null : placeOnWay(object, key)),
      memory.region(global),
    );
    if (
      place !== null &&
      [...memory.reachable(place)].some(
        (inner) => activity.varied.has(inner) && activity.useful.has(inner),
      )
    )
      found.set(root, { name: global.name, read: origin });
  }
  return [...found.values()];
}
