// Values as vectors: the numbers of an argument or result, in order. A shared object counts once.
// Depth costs heap, not stack, so that linked lists may be long.

import {
  enter,
  entriesOf,
  inside,
  isView,
  kindOf,
  type Layout,
  pathOf,
  type Place,
} from "./parts.ts";

/** What is to be visited: a part, what another value has there, and where that is. */
interface Visit {
  readonly at: unknown;
  readonly other: unknown;
  readonly place: Place | null;
}

type See = (number: number, other: unknown, path: () => string) => void;

/** Calls `see` at each number of `shape`, with the part of `value` at the same place. */
export function eachNumber(shape: unknown, value: unknown, see: See, layout: Layout = {}): void {
  const met = new Set<unknown>();
  const open: Visit[] = [{ at: shape, other: value, place: null }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { at, other, place } = visit;
    if (typeof at === "number") see(at, other, () => pathOf(place));
    if (typeof at === "number" || kindOf(at) === "leaf" || met.has(at)) continue;
    met.add(at);
    if (isView(at) || isFlat(at)) {
      const numbers = isView(other) || Array.isArray(other) ? other : [];
      for (let i = 0; i < at.length; i++)
        see(Number(at[i]), numbers[i], () => pathOf({ key: i, of: at, outer: place }));
      continue;
    }
    const parts = entriesOf(at, layout).filter(([, , isTag]) => !isTag);
    enter(
      open,
      parts.map(([key, inner]) => ({
        at: inner,
        other: inside(other, key),
        place: { key, of: at, outer: place },
      })),
    );
  }
}

/** Whether a value is an array of numbers alone. */
export function isFlat(value: unknown): value is unknown[] {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== "number") return false;
  return true;
}

/**
 * The numbers of `value` at the places of those of `shape`, in order.
 * @throws Error if one is missing, unless `missing` replaces it.
 */
export function numbersAlong(
  shape: unknown,
  value: unknown,
  layout: Layout = {},
  missing?: number,
): number[] {
  const numbers: number[] = [];
  eachNumber(
    shape,
    value,
    (_, other, path) => {
      const number = typeof other === "number" ? other : missing;
      if (number === undefined)
        throw new Error(
          `there is no number at \`value${path()}\`, which the shape of the space has one at`,
        );
      numbers.push(number);
    },
    layout,
  );
  return numbers;
}

export const numbersOf = (value: unknown, layout: Layout = {}): number[] =>
  numbersAlong(value, value, layout);

/** The path of each number, in order: `w[0]`, `b`. */
export function pathsOf(value: unknown, layout: Layout = {}): string[] {
  const paths: string[] = [];
  eachNumber(
    value,
    value,
    (_, __, path) => {
      paths.push(path());
    },
    layout,
  );
  return paths;
}

/**
 * Whether a derivative can pass into a value. Empty aggregates might hold numbers. The nearest
 * number decides, so that a list is not walked to its end for each of its nodes.
 */
export function holdsNumbers(value: unknown): boolean {
  const met = new Set([value]);
  for (const at of met) {
    // The most frequent case, decided by one look.
    if (Array.isArray(at) && (at.length === 0 || typeof at[0] === "number")) return true;
    const kind = kindOf(at);
    if (kind === "number" || kind === "view") return true;
    const entries = kind === "leaf" ? [] : entriesOf(at, {});
    if (entries.length === 0 && (kind === "list" || kind === "map")) return true;
    for (const [, inner] of entries) met.add(inner);
  }
  return false;
}

/** An integer array: constant data, in which a small step would be rounded away. */
export const isWhole = (value: unknown): boolean =>
  isView(value) && !(value instanceof Float64Array) && !(value instanceof Float32Array);

/** Whether a value contains a single-precision array. */
export function holdsSingle(value: unknown): boolean {
  const met = new Set<unknown>();
  const open = [value];
  while (open.length > 0) {
    const at = open.pop();
    if (at instanceof Float32Array) return true;
    const kind = kindOf(at);
    if ((kind !== "list" && kind !== "map" && kind !== "record") || met.has(at)) continue;
    met.add(at);
    for (const [, inner] of entriesOf(at, {})) open.push(inner);
  }
  return false;
}
