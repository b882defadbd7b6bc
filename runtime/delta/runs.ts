// How runs begin and end. In: what is to be done around them. Out: the run, its nodes on the tape. Invariants: runs nest; a run leaves nothing behind, whether
// it returns, throws or is suspended; what only packages need is brought by those who need it (`aroundRuns`), and no part of the others' bundles.

import { setId } from "./register.ts";
import { close, resume, spare, startInner, startRun, type Run } from "./store.ts";
import { release, restart } from "./tape.ts";

/** What is done before a run begins, and after it while its ids are still known. */
export interface Around {
  begin(isFirst: boolean): void;
  end?(own: Run, isLast: boolean): void;
}

const around: Around[] = [];

export function aroundRuns(one: Around): void {
  if (!around.includes(one)) around.push(one);
}

/** How many runs have begun and not ended. */
let live = 0;

export function beginInner(): Run {
  const own = startInner();
  live++;
  return own;
}

export function begin(): Run {
  // one may bring another one
  for (let k = 0; k < around.length; k++) around[k]?.begin(live === 0);
  const own = startRun();
  live++;
  return own;
}

/** Ends a run: its store is dropped, and its nodes are as soon as no suspended run can have nodes behind them. */
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
