// Beginning and end of runs. Runs nest, and a run leaves no state behind. Hooks that only packages
// need are registered by `aroundRuns`, so other bundles do not contain them.

import { setId } from "./register.ts";
import { close, resume, spare, startInner, startRun, type Run } from "./store.ts";
import { release, restart } from "./tape.ts";

/** Hooks before a run, and after it while its ids are still known. */
export interface Around {
  begin(isFirst: boolean): void;
  end?(own: Run, isLast: boolean): void;
}

const around: Around[] = [];

export function aroundRuns(one: Around): void {
  if (!around.includes(one)) around.push(one);
}

let live = 0;

export function beginInner(depth?: number): Run {
  const own = startInner(depth);
  live++;
  return own;
}

export function begin(): Run {
  // A hook may register another one.
  for (let k = 0; k < around.length; k++) around[k]?.begin(live === 0);
  const own = startRun();
  live++;
  return own;
}

/** Ends a run. Its nodes are dropped unless a suspended run may have later nodes. */
export function end(own: Run): void {
  live--;
  resume(own);
  if (own.isInner && own.outer !== undefined) {
    own.outer.touched ||= own.touched;
    resume(own.outer);
    return setId(0);
  }
  for (let k = 0; k < around.length; k++) around[k]?.end?.(own, live === 0);
  if (!spare(own)) close(own.store);
  resume(own.outer ?? own);
  setId(0);
  if (live === 0) restart();
  else if (!own.suspended) release(own.from);
}
