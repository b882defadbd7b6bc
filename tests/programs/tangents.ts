// Directions in the space of a value's numbers. In: a value. Out: a copy with random numbers in place of its own (objects that are one stay one),
// and arguments moved along it. Invariant: what is no number stays, so a tangent has every tag that tells the members of a union apart.

import { cloned } from "./clone.ts";
import { changed, isTyped } from "./numbers.ts";

/** Numbers between -1 and 1, the same for the same seed (Lehmer's generator). */
function numbersFrom(seed: number): () => number {
  let state = (seed * 48271 + 11) % 2147483647 || 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 1073741823.5 - 1;
  };
}

/** Calls `visit` for every number in a value, each object once, with what sets it. */
function eachNumber(
  value: unknown,
  visit: (x: number, set: (x: number) => void) => void,
  met = new Set<unknown>(),
): void {
  if (typeof value !== "object" || value === null || met.has(value)) return;
  met.add(value);
  const entry = (held: unknown, set: (x: number) => void): void => {
    if (typeof held === "number") visit(held, set);
    else eachNumber(held, visit, met);
  };
  if (value instanceof Map)
    for (const [key, held] of value) entry(held, (x) => void value.set(key, x));
  else if (isTyped(value))
    value.forEach((held, i) => {
      visit(held, (x) => {
        value[i] = x;
      });
    });
  else
    for (const key of Object.keys(value))
      entry(Reflect.get(value, key), (x) => void Reflect.set(value, key, x));
}

/** `still`: paths of numbers that choose and do not vary. */
export function randomTangents(
  value: unknown,
  seed: number,
  still: readonly string[] = [],
): unknown {
  const next = numbersFrom(seed);
  if (typeof value === "number") return next();
  const copy = cloned(value);
  eachNumber(copy, (_, set) => {
    set(next());
  });
  return still.reduce((made, path) => changed(made, path, () => 0), copy);
}

/** `args` with `t` times the tangent added to those at `positions`. */
export function moved(
  args: readonly unknown[],
  positions: readonly number[],
  tangents: readonly unknown[],
  t: number,
): unknown[] {
  return args.map((arg, i) => {
    const tangent = tangents[positions.indexOf(i)];
    if (!positions.includes(i)) return arg;
    if (typeof arg === "number") return arg + t * Number(tangent);
    const steps: number[] = [];
    eachNumber(tangent, (x) => void steps.push(x));
    let k = 0;
    eachNumber(arg, (x, set) => {
      set(x + t * (steps[k++] ?? 0));
    });
    return arg;
  });
}
