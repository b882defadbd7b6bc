// The ids of a value's numbers as a value of the same layout, in which each number is an id, and
// as a list in order. Depth costs heap, not stack, so that linked lists may be long.

import { firstAlong, partsAlong } from "../../tree/along.ts";
import { rebuilt } from "../../tree/build.ts";
import { numbersOf } from "../../tree/numbers.ts";
import type { Layout } from "../../tree/parts.ts";
import { combined } from "../../tree/space.ts";
import { isBuiltIn, isView } from "../handles.ts";
import { deeply, planOf, seedAt, type Places } from "../inputs.ts";
import { ret } from "../register.ts";
import { mayShare, reading } from "../run.ts";
import { derivativeInside } from "../tape.ts";
import type { Id, Value } from "../value.ts";
import { higher2 } from "./nodes.ts";

/** The ids of a value's numbers, in a value of the same layout. */
export const idTree = (value: Value, own: Id): Value =>
  deeply((within) => {
    const met = new Map<object, Value>();
    const inner = (each: Value, at: Id): Value => {
      if (typeof each === "number") return at;
      if (!mayShare(each) || (isBuiltIn(each) && !isView(each))) return each;
      const before: Value = met.get(each);
      if (before !== undefined) return before;
      const made = emptyFor(each);
      met.set(each, made);
      within(() => {
        fill(each, made, inner);
      });
      return made;
    };
    return inner(value, own);
  });

function emptyFor(value: Value): Value {
  if (isView(value)) return typeof value[0] === "bigint" ? value : new Float64Array(value.length);
  return Array.isArray(value) ? [] : value instanceof Map ? new Map() : {};
}

function fill(value: Value, into: Value, inner: (each: Value, at: Id) => Value): void {
  const at = (key: Value, kind: "key" | "view" | "entry", each: Value): Id =>
    typeof each === "number" ? reading.at(value, key, kind) : 0;
  if (isView(value)) {
    if (into !== value) for (let k = 0; k < value.length; k++) into[k] = at(k, "view", value[k]);
  } else if (value instanceof Map)
    for (const [key, each] of value) into.set(key, inner(each, at(key, "entry", each)));
  else
    for (const key of Object.keys(value)) into[key] = inner(value[key], at(key, "key", value[key]));
}

/** A number with its id. */
export type Pair = readonly [number: number, id: Id];

/** The numbers of a value, in order. */
export function pairsOf(value: Value, own: Id, layout: Layout): Pair[] {
  const ids = numbersOf(idTree(value, own), layout);
  return numbersOf(value, layout).map((number, k): Pair => [number, ids[k] ?? 0]);
}

export const plus = ([a, aId]: Pair, [b, bId]: Pair): Pair => [
  a + b,
  higher2(aId, 1, 0, bId, 1, 0),
];
export const times = ([a, aId]: Pair, [b, bId]: Pair): Pair => [
  a * b,
  higher2(aId, b, bId, bId, a, aId),
];

/**
 * The numbers of a value at the places of those of `shape`. A shared object of the shape has those
 * of its first place, or with `isSummed` the sum over its places.
 * @throws Error if the value does not fit.
 */
export function pairsAlong(
  shape: Value,
  [value, own]: readonly [Value, Id],
  layout: Layout,
  isSummed: boolean,
): Pair[] {
  const pairs = pairsOf(value, own, layout);
  const marks = rebuilt(value, (k) => k, { ...layout, keepViews: false, leaves: "all" });
  const at = (k: number): Pair => pairs[k] ?? [0, 0];
  return isSummed
    ? partsAlong(shape, marks, layout).map(([first, ...others]): Pair =>
        others.map(at).reduce(plus, first === undefined ? [0, 0] : at(first)),
      )
    : firstAlong(shape, marks, layout).map(at);
}

/** A value whose numbers have the ids of the pairs. */
export const withIdsOf = (value: Value, pairs: readonly Pair[], layout: Layout): Value =>
  withIds(
    value,
    rebuilt(idTree(value, 0), (i) => pairs[i]?.[1] ?? 0, { ...layout, leaves: "all" }),
  );

/** A value like `shape`, with the pairs as numbers. */
export const withPairs = (shape: Value, pairs: readonly Pair[], layout: Layout): Value =>
  withIdsOf(
    combined(shape, (i) => pairs[i]?.[0] ?? 0, layout),
    pairs,
    layout,
  );

/**
 * A value with the ids that another one of the same layout holds. `tags`: fields that keep their
 * numbers there, and have no ids.
 */
export function withIds(value: Value, tree: Value, tags: readonly string[] = []): Value {
  if (typeof value === "number") return ret(value, tree);
  const ids: Id[] = [];
  const visiting = (at: Places["at"]): Places => ({ number: () => 0, at });
  planOf(
    tree,
    0,
    visiting((o, key, kind) => ids[ids.push(kind === "entry" ? o.get(key) : o[key]) - 1] ?? 0),
    new Map(),
  );
  let k = 0;
  planOf(
    value,
    0,
    visiting((o, key, kind) => {
      const own = tags.includes(key) ? (k++, 0) : ids[k++];
      if (own === undefined) throw derivativeInside();
      if (own !== 0) seedAt(o, key, kind, own);
      return own;
    }),
    new Map(),
  );
  if (k !== ids.length) throw derivativeInside();
  return ret(value, 0);
}
