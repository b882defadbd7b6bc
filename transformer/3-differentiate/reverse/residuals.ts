// Descriptions of how the reverse sweep gets at primal values. They flow from the frames to
// `explain`, and from the first pass over a sweep to the second.

import type { Stmt, Var } from "../../ir/types.ts";

/**
 * Where a body's residuals are stored. "scope": nowhere, the reverse code still sees its names.
 * "bog": fields of the function's BOG. "tape": pushed at the end of the body, popped at the start
 * of its reverse. "hoist": bound by the `if` whose branch the body is.
 */
export type Storage = "scope" | "bog" | "tape" | "hoist";

/**
 * A primal value that reverse code reads, and how it gets at it; for `explain`.
 * "again": recomputed or read again, not stored; "given": the caller passes it in;
 * "elsewhere": it is in what is there in any case, such as the result or the index of an iteration.
 */
export interface Residual {
  readonly value: Var;
  readonly storage: Storage | "again" | "given" | "elsewhere";
  readonly reason: string;
  /** Cost of recomputing it, in additions, at most MOST_SHOWN; null if that is impossible. */
  readonly again: number | null;
}

/** Stands for this cost and any larger one. */
export const MOST_SHOWN = 100;

/** What earlier passes over the same sweep have found. */
export interface EarlierPass {
  /** Names that are recorded. */
  readonly demanded: ReadonlySet<string>;
  /** By name of a value inside a loop: whether it is recorded (true) or recomputed. */
  readonly chosen: ReadonlyMap<string, boolean>;
  /** Loops that must be reversed backwards: in forward order they would need a tape. */
  readonly barred: ReadonlySet<Stmt>;
}

export const FIRST_PASS: EarlierPass = {
  demanded: new Set(),
  chosen: new Map(),
  barred: new Set(),
};

/** Names of the values that are stored. */
export const recordedNames = (residuals: readonly Residual[]): ReadonlySet<string> =>
  new Set(
    residuals
      .filter(({ storage }) => !["scope", "again", "given", "elsewhere"].includes(storage))
      .map(({ value }) => value.name),
  );
