// The last optimisation of all functions that are emitted for a group: each on its own, then
// together. `isCalledOutside` names functions that other code calls; these keep their parameters
// and results. Functions and types that nothing uses any more are gone.

import type { Derived } from "../ir/facts.ts";
import type { Func } from "../ir/types.ts";
import { dropDeadReverseCalls } from "./calls/dead-reverse-calls.ts";
import { finish, optimise, type OptimiserContext } from "./index.ts";
import { pruneBogs } from "./tapes/prune-bogs.ts";
import { dropDeadParams } from "./calls/dead-params.ts";
import { pruneRecords } from "./tapes/prune-records.ts";

export function optimiseTogether(
  items: readonly Derived[],
  isCalledOutside: (name: string) => boolean,
  context: OptimiserContext,
): readonly Derived[] {
  const { types } = context;
  const again = (func: Func): Func => optimise(func, context);
  const last = withFuncs(items, (funcs) =>
    dropDeadReverseCalls(
      pruneRecords(funcs.map(again), types, again).map((func) => finish(func, context)),
      isCalledOutside,
      types,
    ),
  );
  return withFuncs(pruneBogs(last, isCalledOutside, types), (funcs) =>
    dropDeadParams(funcs, isCalledOutside, types),
  );
}

function withFuncs(
  items: readonly Derived[],
  change: (funcs: readonly Func[]) => readonly Func[],
): readonly Derived[] {
  const changed = new Map(
    change(items.flatMap((item) => (item.kind === "func" ? [item.func] : []))).map((func) => [
      func.name,
      func,
    ]),
  );
  return items.flatMap((item): Derived[] => {
    if (item.kind === "type") return [item];
    const func = changed.get(item.func.name);
    return func === undefined ? [] : [{ ...item, func }];
  });
}
