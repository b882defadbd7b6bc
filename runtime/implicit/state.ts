// States of the solvers: a number or an array of numbers. Solvers write their own copies only, and
// the user's function gets a new state each time.

export type State = number | number[] | Float64Array;

export function entriesOf(x: State): number[] {
  return typeof x === "number" ? [x] : Array.from(x);
}

/** A state of the same kind as `like`. */
export function stateLike(like: State, entries: readonly number[]): State {
  if (typeof like === "number") return entries[0] ?? NaN;
  return Array.isArray(like) ? [...entries] : Float64Array.from(entries);
}

/** The largest absolute entry; NaN if an entry is NaN. */
export function largest(entries: readonly number[]): number {
  let size = 0;
  for (const entry of entries) if (!(Math.abs(entry) <= size)) size = Math.abs(entry);
  return size;
}

export const areFinite = (entries: readonly number[]): boolean =>
  entries.every((entry) => Number.isFinite(entry));

/** `x + by · step` */
export const moved = (x: readonly number[], step: readonly number[], by: number): number[] =>
  x.map((entry, i) => entry + by * (step[i] ?? 0));
