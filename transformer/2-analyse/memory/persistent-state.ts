// Finds persistent state: variables of enclosing scopes that hold active numbers from one execution
// to the next. A later execution sees them as constants, so its derivative would lack their part.
// Output: the variables, each with a place where it is read. What every execution writes before it
// reads is not persistent, nor is what does not reach the result. An object of the host may compute
// from any number that it is given. Example:
//   if (state.x !== x) { state.x = x; state.value = x * x; } return state.value;

import type { Types } from "../../ir/shadow.ts";
import type { Func, Origin } from "../../ir/types.ts";
import { mayHaveStored, OUTSIDE, placeOnPath } from "./access-path.ts";
import { activityOf } from "../activity/activity.ts";
import type { Memory } from "./memory.ts";
import { externalUseOf } from "./upward-exposed-reads.ts";
import type { Region } from "./region.ts";

interface KeptState {
  readonly name: string;
  readonly read: Origin;
  /** An object of the host, to which active numbers are written. */
  readonly isAmbient?: true;
}

export function persistentState(
  func: Func,
  funcs: ReadonlyMap<string, Func>,
  graphs: ReadonlyMap<string, Memory>,
  types: Types,
  requested: readonly number[],
): readonly KeptState[] {
  const memory = graphs.get(func.name);
  if (memory === undefined || memory.writtenGlobals().length === 0) return [];
  const activity = activityOf({
    func,
    memory,
    types,
    graphs,
    active: requested,
    writesAreOutputs: false,
  });
  const { reads, stores, globals } = externalUseOf(func, { funcs, graphs, types });
  const isVaried = (region: Region): boolean => activity.varied.has(region);
  const hosts = memory.writtenGlobals().filter((atom): boolean => {
    const region = atom.isAmbient === true ? memory.region(atom) : null;
    return region !== null && [...memory.reachable(region)].some(isVaried);
  });
  if (hosts.length > 0)
    return hosts.map(({ name }) => ({ name, read: func.origin, isAmbient: true }));
  const found = new Map<string, KeptState>();
  for (const { path, origin } of reads) {
    const [root = "", ...keys] = path;
    const global = root.startsWith(OUTSIDE) ? globals.get(root.slice(1)) : undefined;
    if (global === undefined || found.has(root) || !mayHaveStored(path, stores)) continue;
    const place = keys.reduce<Region | null>(
      (object, key) => (object === null ? null : placeOnPath(object, key)),
      memory.region(global),
    );
    if (
      place !== null &&
      [...memory.reachable(place)].some((inner) => isVaried(inner) && activity.useful.has(inner))
    )
      found.set(root, { name: global.name, read: origin });
  }
  return [...found.values()];
}
