// States of the solvers: a number or an array of numbers. Solvers write their own copies only, and
// the user's function gets a new state each time.

export type State = number | number[] | Float64Array;

export function entriesOf(x: State): number[] {
  return typeof x === "number" ? [x] : Array.from(x);
}

/** A state of the same kind as `like`. */
export function stateLike<S extends State>(like: S, entries: readonly number[]): S;
export function stateLike(like: State, entries: readonly number[]): State {
  if (typeof like === "number") return entries[0] ?? NaN;
  return Array.isArray(like) ? [...entries] : Float64Array.from(entries);
}

export function copied<S extends State>(x: S): S;
export function copied(x: State): State {
  return typeof x === "number" ? x : x.slice();
}

/** `from`, in the list `into` if it is one: `from` may change later. */
export function stored<S extends State>(into: S, from: S): S;
export function stored(into: State, from: State): State {
  if (typeof into === "number" || typeof from === "number") return from;
  for (let i = 0; i < into.length; i++) into[i] = from[i] ?? NaN;
  return into;
}

export const sizeOf = (x: State): number => (typeof x === "number" ? 1 : x.length);

/** The largest absolute entry; NaN if an entry is NaN. */
export function largest(x: State | readonly number[]): number {
  if (typeof x === "number") return Math.abs(x);
  let size = 0;
  for (let i = 0; i < x.length; i++) size = Math.max(size, Math.abs(x[i] ?? NaN));
  return size;
}

/** The largest absolute difference of entries of two states of one kind and size. */
export function distance(x: State, y: State): number {
  if (typeof x === "number" || typeof y === "number") return Math.abs(Number(x) - Number(y));
  let size = 0;
  for (let i = 0; i < x.length; i++) size = Math.max(size, Math.abs((x[i] ?? NaN) - (y[i] ?? NaN)));
  return size;
}

export const entryOf = (x: State, i: number): number => (typeof x === "number" ? x : (x[i] ?? NaN));

/** `x` with `by` added to entry `i` */
export function shifted<S extends State>(x: S, i: number, by: number): S;
export function shifted(x: State, i: number, by: number): State {
  if (typeof x === "number") return x + by;
  const there = x.slice();
  there[i] = entryOf(x, i) + by;
  return there;
}

/** `x + by · step` */
export function moved<S extends State>(x: S, step: number | readonly number[], by: number): S;
export function moved(x: State, step: number | readonly number[], by: number): State {
  if (typeof step === "number") return shifted(x, 0, by * step);
  const there = copied(x);
  if (typeof there !== "number")
    for (let i = 0; i < there.length; i++) there[i] = entryOf(there, i) + by * (step[i] ?? 0);
  return there;
}
