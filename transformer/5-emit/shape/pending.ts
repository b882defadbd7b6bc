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
  /** Larger than that of all that waited before in its block. */
  readonly order: number;
}

/** A block under construction. */
export interface Level {
  readonly lines: Line[];
  /** Pending values by name, in their order. */
  readonly pending: Map<string, Pending>;
  readonly outer: Level | null;
  /** Whether the block executes at most once per execution of the outer one. */
  readonly once: boolean;
}

/** The widest expression in characters that nesting builds. */
export const WIDEST = 88;

const isPending = ({ pending }: Level, one: Pending): boolean => pending.get(one.bind.name) === one;

const pendingOf = ({ pending }: Level, { atom }: Read): Pending | undefined =>
  pending.get(nameOf(atom) ?? "");

const inOrder = (some: readonly Pending[]): readonly Pending[] =>
  some.toSorted((a, b) => a.order - b.order);

export class Queue {
  readonly #nested: Map<string, Value>;
  #count = 0;

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
    const isTooSmall = (read: Read): boolean => {
      const one = pendingOf(level, read);
      return one !== undefined && !fits(one, read.place);
    };
    for (const one of inOrder(this.#among(level, reads.filter(isTooSmall))))
      this.flushOne(level, one);
    if (!isAlone) this.#fitWidth(level, reads);
    const candidates = this.#inOrder(level, reads);
    if (waits) this.#flushOvertaken(level, candidates);
    else this.#flushConflicting(level, candidates, own);
    const taken = candidates.filter((one) => isPending(level, one));
    for (const one of taken) {
      this.#nested.set(one.bind.name, one.value);
      level.pending.delete(one.bind.name);
    }
    return {
      effect: union(...taken.map((one) => one.effect)),
      width: taken.reduce((sum, one) => sum + one.width, 0),
    };
  }

  /** Before `u = g(); v = a[i]; s = u + 1; … v … s`, u must not move past v. */
  #flushOvertaken(level: Level, taken: readonly Pending[]): void {
    const all = new Set(taken);
    const isOvertaken = (one: Pending): boolean =>
      [...level.pending.values()].some(
        (v) => !all.has(v) && v.order > one.order && conflict(one.effect, v.effect),
      );
    for (const one of inOrder(taken.filter(({ effect }) => !isFree(effect))))
      if (isPending(level, one) && isOvertaken(one)) this.flushOne(level, one);
  }

  /** Flushes values that conflict with `own`, or with a taken value that was defined later. */
  #flushConflicting(level: Level, taken: readonly Pending[], own: Effect): void {
    const all = new Set(taken);
    const busy = taken.filter((one) => !isFree(one.effect));
    this.flushWhere(
      level,
      (one) =>
        !isFree(one.effect) &&
        !all.has(one) &&
        (conflict(one.effect, own) ||
          busy.some(
            (u) => isPending(level, u) && u.order > one.order && conflict(one.effect, u.effect),
          )),
    );
  }

  /** Moves a pure value from an outer block into this one, but not into a loop; else flushes it. */
  fetch(level: Level, read: Read): void {
    let once = level.once;
    for (let outer = level.outer; outer !== null; outer = outer.outer) {
      const found = pendingOf(outer, read);
      if (found !== undefined) {
        if (once && isFree(found.effect) && !isStorage(found.value)) {
          outer.pending.delete(found.bind.name);
          this.add(level, found);
        } else this.flushOne(outer, found);
        return;
      }
      once &&= outer.once;
    }
  }

  /** The value waits in this block. */
  add(level: Level, one: Omit<Pending, "order">): void {
    level.pending.set(one.bind.name, { ...one, order: this.#count++ });
  }

  #among(level: Level, reads: readonly Read[]): Pending[] {
    return reads.flatMap((read) => pendingOf(level, read) ?? []);
  }

  /** The pending values among `reads`; flushes those that would be evaluated out of order. */
  #inOrder(level: Level, reads: readonly Read[]): Pending[] {
    const taken = this.#among(level, reads);
    const before: Pending[] = [];
    const late: Pending[] = [];
    for (const one of taken) {
      if (isFree(one.effect)) continue;
      if (before.some((other) => other.order > one.order && conflict(other.effect, one.effect)))
        late.push(one);
      before.push(one);
    }
    for (const one of late) this.flushOne(level, one);
    return taken.filter((one) => isPending(level, one));
  }

  /** Flushes the widest values until the rest fits on one line. */
  #fitWidth(level: Level, reads: readonly Read[]): void {
    let all = inOrder([...new Set(this.#among(level, reads))]);
    while (all.reduce((sum, one) => sum + one.width, 0) > WIDEST) {
      this.flushOne(
        level,
        all.reduce((a, b) => (b.width > a.width ? b : a)),
      );
      all = all.filter((one) => isPending(level, one));
    }
  }

  flushWhere(level: Level, which: (one: Pending) => boolean): void {
    for (const one of [...level.pending.values()])
      if (isPending(level, one) && which(one)) this.flushOne(level, one);
  }

  /** Turns a pending value into a line, after earlier ones that it must not overtake. */
  flushOne(level: Level, one: Pending): void {
    if (!isPending(level, one)) return;
    level.pending.delete(one.bind.name);
    if (!isFree(one.effect))
      for (const other of [...level.pending.values()])
        if (other.order < one.order && conflict(other.effect, one.effect))
          this.flushOne(level, other);
    const { kind, bind, value, origin, adjoint } = one;
    level.lines.push({ kind, bind, value, origin, ...(adjoint === true ? { adjoint } : {}) });
  }
}
