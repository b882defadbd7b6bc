// The numbers of one value at the places of another, as a gradient has them for its argument.
// A cotangent may have a part for each place of a shared object, or one part: pairs of objects
// count once, so both are summed rightly. Depth costs heap, not stack.

import { rebuilt } from "./build.ts";
import { isFlat } from "./numbers.ts";
import { entriesOf, inside, isView, kindOf, type Layout, pathOf, type Place } from "./parts.ts";

interface Pair {
  readonly one: unknown;
  readonly other: unknown;
  readonly place: Place | null;
}

type See = (one: number, other: number | undefined) => void;

/** Which pairs of objects have been seen. "ended": the walk is to be given up. */
type Met = (one: unknown, other: unknown) => "new" | "known" | "ended";

/** Most objects have one partner; `second` says what to do with others. */
function meeting(second: Met): Met {
  const met = new Map<unknown, unknown>();
  return (one, other) => {
    if (!met.has(one)) met.set(one, other);
    else return met.get(one) === other || other == null ? "known" : second(one, other);
    return "new";
  };
}

const oncePerObject = (): Met => meeting(() => "ended");

const oncePerPair = (): Met => {
  const others = new Map<unknown, Set<unknown>>();
  return meeting((one, other) => {
    const partners = others.get(one) ?? new Set();
    if (partners.has(other)) return "known";
    others.set(one, partners.add(other));
    return "new";
  });
};

/**
 * Calls `see` for each number of `one` with the number that `other` has there: `undefined` where it
 * has nothing. Whether the walk came to its end.
 * @throws Error if `other` has something that does not fit.
 */
function eachPair(one: unknown, other: unknown, see: See, layout: Layout, met: Met): boolean {
  const open: Pair[] = [{ one, other, place: null }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const at = pair.one;
    if (typeof at === "number") see(at, numberIn(pair));
    else if (kindOf(at) !== "leaf") {
      const found = met(at, pair.other);
      if (found === "ended") return false;
      if (found === "new") openPair(pair, open, see, layout);
    }
  }
  return true;
}

function openPair(pair: Pair, open: Pair[], see: See, layout: Layout): void {
  const { one, place } = pair;
  const other = partner(pair);
  const isTyped = isView(one);
  if ((isTyped || isFlat(one)) && (other === undefined || isView(other) || isFlat(other))) {
    for (let i = 0; i < one.length; i++)
      see(Number(one[i]), other === undefined ? undefined : Number(other[i]));
    return;
  }
  const entries = isTyped
    ? Array.from({ length: one.length }, (_, i) => [i, one[i], false] as const)
    : entriesOf(one, layout);
  for (let i = entries.length - 1; i >= 0; i--) {
    const [key, inner, isTag] = entries[i] ?? [];
    if (isTag === false)
      open.push({ one: inner, other: inside(other, key), place: { key, of: one, outer: place } });
  }
}

function numberIn({ other, place }: Pair): number | undefined {
  if (typeof other === "number") return other;
  if (other == null) return undefined;
  throw new TypeError(`trees do not fit: ${nameOf(other)} at ${shown(place)}, not a number`);
}

/** What the other value has there, if it has the same shape; `undefined` if it has nothing. */
function partner({ one, other, place }: Pair): unknown {
  if (other == null) return undefined;
  if (nameOf(one) !== nameOf(other))
    throw new TypeError(
      `trees do not fit: ${nameOf(other)} at ${shown(place)}, not ${nameOf(one)}`,
    );
  if (isList(one) && isList(other) && one.length !== other.length)
    throw new RangeError(
      `trees do not fit: ${other.length} elements at ${shown(place)}, not ${one.length}`,
    );
  return other;
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || isView(value);

/** What is there, as a message says it. Arrays of all kinds fit each other. */
function nameOf(value: unknown): string {
  const kind = kindOf(value);
  if (kind === "leaf") return typeof value === "object" ? "another object" : `a ${typeof value}`;
  if (kind === "map") return "a Map";
  return kind === "number" ? "a number" : kind === "record" ? "an object" : "an array";
}

const shown = (place: Place | null): string =>
  place === null ? "the root" : `\`${pathOf(place).replace(/^\./, "")}\``;

/** How the numbers that stand for one number of `shape` become one result. */
interface Gathering<Part> {
  readonly first: (number: number | undefined) => Part;
  readonly next: (before: Part | undefined, number: number) => Part;
}

function gathered<Part>(
  [shape, value]: readonly [unknown, unknown],
  layout: Layout,
  { first, next }: Gathering<Part>,
): Part[] {
  const found: Part[] = [];
  const see: See = (_, number) => {
    found.push(first(number));
  };
  if (eachPair(shape, value, see, layout, oncePerObject())) return found;
  const parts: Part[] = [];
  const places = rebuilt(shape, () => parts.push(first(undefined)) - 1, {
    ...layout,
    keepViews: false,
    leaves: "all",
    keepsEmpty: true,
  });
  const add: See = (at, number) => {
    if (number !== undefined) parts[at] = next(parts[at], number);
  };
  eachPair(places, value, add, layout, oncePerPair());
  return parts;
}

/**
 * The numbers of `value` at the places of those of `shape`, in order; `undefined` where it has
 * none. Parts of one number are summed.
 * @throws Error if the value does not fit.
 */
export const along = (shape: unknown, value: unknown, layout: Layout): (number | undefined)[] =>
  gathered<number | undefined>([shape, value], layout, {
    first: (number) => number,
    next: (sum, number) => (sum ?? 0) + number,
  });

/** The same, with the parts of each number in place of their sum. */
export const partsAlong = (shape: unknown, value: unknown, layout: Layout): number[][] =>
  gathered<number[]>([shape, value], layout, {
    first: (number) => (number === undefined ? [] : [number]),
    next: (parts = [], number) => [...parts, number],
  });

/** The same, with the number of the first place in place of the sum. */
export const firstAlong = (shape: unknown, value: unknown, layout: Layout): number[] =>
  partsAlong(shape, value, layout).map(([first]) => {
    if (first === undefined) throw new TypeError("trees do not fit: one lacks a number");
    return first;
  });

/**
 * The sum of the products of numbers at the same place.
 * @throws Error if the values do not fit.
 */
export function product(one: unknown, other: unknown, layout: Layout): number {
  let sum = 0;
  const add: See = (x, y) => {
    if (y !== undefined) sum += x * y;
  };
  eachPair(one, other, add, layout, oncePerPair());
  return sum;
}
