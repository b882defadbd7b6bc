// Values that wait to be nested into the expression that uses them.
// A value is pending from its definition until its one use takes it, or until it is flushed:
// it becomes a line, because it does not fit there or a conflicting effect would overtake it.

import type { LetLine, Line, Value } from "../code.ts";
import type { Read } from "../places.ts";
import { fits, isStorage, nameOf } from "../types/fit.ts";
import { conflict, type Effect, isFree, union } from "./effects.ts";

export interface Pending extends LetLine {
  readonly effect: Effect;
  readonly width: number;
}

/** A block under construction. */
export interface Level {
  readonly lines: Line[];
  /** Pending values in order of definition. */
  pending: Pending[];
  readonly outer: Level | null;
  /** Whether the block executes at most once per execution of the outer one. */
  readonly once: boolean;
}

/** The widest expression in characters that nesting builds. */
export const WIDEST = 88;

export class Queue {
  readonly #nested: Map<string, Value>;

  constructor(nested: Map<string, Value>) {
    this.#nested = nested;
  }

  /**
   * Nests the pending values among `reads`, in order of evaluation, into an expression with effect
   * `own`. Flushes those that it would overtake; one that `waits` itself overtakes none yet.
   */
  take(
    level: Level,
    reads: readonly Read[],
    own: Effect,
    { waits = false, isAlone = false } = {},
  ): Pick<Pending, "effect" | "width"> {
    for (const read of reads) this.fetch(level, read);
    this.flushWhere(level, (one) =>
      reads.some((read) => nameOf(read.atom) === one.bind.name && !fits(one, read.place)),
    );
    if (!isAlone) this.#fitWidth(level, reads);
    const candidates = this.#inOrder(level, reads);
    if (waits) this.#flushOvertaken(level, candidates);
    else this.#flushConflicting(level, candidates, own);
    const taken = candidates.filter((one) => level.pending.includes(one));
    for (const one of taken) this.#nested.set(one.bind.name, one.value);
    level.pending = level.pending.filter((one) => !taken.includes(one));
    return {
      effect: union(...taken.map((one) => one.effect)),
      width: taken.reduce((sum, one) => sum + one.width, 0),
    };
  }

  /** Before `u = g(); v = a[i]; s = u + 1; … v … s`, u must not move past v. */
  #flushOvertaken(level: Level, taken: readonly Pending[]): void {
    this.flushWhere(
      level,
      (one) =>
        taken.includes(one) &&
        level.pending
          .slice(level.pending.indexOf(one) + 1)
          .some((v) => !taken.includes(v) && conflict(one.effect, v.effect)),
    );
  }

  /** Flushes values that conflict with `own`, or with a taken value that was defined later. */
  #flushConflicting(level: Level, taken: readonly Pending[], own: Effect): void {
    this.flushWhere(
      level,
      (one) =>
        !taken.includes(one) &&
        (conflict(one.effect, own) ||
          taken.some(
            (u) =>
              level.pending.indexOf(u) > level.pending.indexOf(one) &&
              conflict(one.effect, u.effect),
          )),
    );
  }

  /** Moves a pure value from an outer block into this one, but not into a loop; else flushes it. */
  fetch(level: Level, read: Read): void {
    const name = nameOf(read.atom);
    let once = level.once;
    for (let outer = level.outer; outer !== null; outer = outer.outer) {
      const found = outer.pending.find((one) => one.bind.name === name);
      if (found !== undefined) {
        if (once && isFree(found.effect) && !isStorage(found.value)) {
          outer.pending = outer.pending.filter((one) => one !== found);
          level.pending.push(found);
        } else this.flushOne(outer, found);
        return;
      }
      once &&= outer.once;
    }
  }

  /** The pending values among `reads`; flushes those that would be evaluated out of order. */
  #inOrder(level: Level, reads: readonly Read[]): Pending[] {
    const taken: Pending[] = [];
    for (const read of reads) {
      const one = level.pending.find((pending) => pending.bind.name === nameOf(read.atom));
      if (one !== undefined) taken.push(one);
    }
    const late = taken.filter((one, i) =>
      taken
        .slice(0, i)
        .some(
          (before) =>
            level.pending.indexOf(before) > level.pending.indexOf(one) &&
            conflict(before.effect, one.effect),
        ),
    );
    for (const one of late) this.flushOne(level, one);
    return taken.filter((one) => level.pending.includes(one));
  }

  /** Flushes the widest values until the rest fits on one line. */
  #fitWidth(level: Level, reads: readonly Read[]): void {
    const own = (): Pending[] =>
      level.pending.filter((one) => reads.some((read) => nameOf(read.atom) === one.bind.name));
    for (let all = own(); all.reduce((sum, one) => sum + one.width, 0) > WIDEST; all = own())
      this.flushOne(
        level,
        all.reduce((a, b) => (b.width > a.width ? b : a)),
      );
  }

  flushWhere(level: Level, which: (one: Pending) => boolean): void {
    for (const one of [...level.pending])
      if (level.pending.includes(one) && which(one)) this.flushOne(level, one);
  }

  /** Turns a pending value into a line, after earlier ones that it must not overtake. */
  flushOne(level: Level, one: Pending): void {
    if (!level.pending.includes(one)) return;
    const before = level.pending
      .slice(0, level.pending.indexOf(one))
      .filter((other) => conflict(other.effect, one.effect));
    level.pending = level.pending.filter((other) => other !== one);
    for (const other of before) this.flushOne(level, other);
    const { kind, bind, value, origin, adjoint } = one;
    level.lines.push({ kind, bind, value, origin, ...(adjoint === true ? { adjoint } : {}) });
  }
}
