// One object at two places of arguments whose types are recursive: the gradient has one shadow for
// both, and it holds the sum of all contributions. Variants of place, term and engine against
// differences in which the object changes at all of its places at once.

import { describe, expect, test } from "vitest";
import { slopesAlong } from "../../runtime/differences.ts";
import { ravel, unravel } from "../../runtime/tree/index.ts";
import { built } from "../nested/compiled.ts";

interface List {
  value: number;
  next: List | null;
}

/** How an argument holds two lists: its type, and how they are read. */
const PLACES = {
  record: ["{ l: L; r: L }", "p.l", "p.r"],
  tuple: ["[L, L]", "p[0]", "p[1]"],
  list: ["L[]", "p[0]!", "p[1]!"],
  nested: ["{ x: { l: L }; y: { l: L } }", "p.x.l", "p.y.l"],
} as const;
type Place = keyof typeof PLACES;

const hold = (place: Place, l: List, r: List): unknown =>
  ({ record: { l, r }, tuple: [l, r], list: [l, r], nested: { x: { l }, y: { l: r } } })[place];

/** What is computed of two lists. */
const TERMS = [
  "l.value ** 2 + 5 * r.value",
  "5 * r.value + l.value ** 2",
  "l.value * r.value",
  "l.value * (r.next === null ? 1 : r.next.value ** 2)",
  "(l.value > 0 ? l.value * 3 : 1) + Math.sin(r.value) * total(l)",
  "total(l) * 2 + total(r) ** 2",
];

const sourceOf = (place: Place, term: string): string => {
  const [type, l, r] = PLACES[place];
  return `import { grad } from "tsgrad";
interface L { value: number; next: L | null }
function total(l: L): number { let s = 0; for (let n: L | null = l; n !== null; n = n.next) s = s * 0.5 + n.value * n.value; return s; }
export function f(p: ${type}): number { const l = ${l}; const r = ${r}; return ${term}; }
export const own = grad(f);
export const byDelta = grad(f, { engine: "delta" });
`;
};

const variants = (Object.keys(PLACES) as Place[]).flatMap((place) =>
  TERMS.map((term) => [place, term] as const),
);

describe.each(variants)("%s: %s", (place, term) => {
  const { f, own, byDelta } = built(sourceOf(place, term)).exports as Record<
    "f" | "own" | "byDelta",
    (p: unknown) => unknown
  >;
  const tail: List = { value: 0.7, next: null };
  const head: List = { value: 1.3, next: tail };
  test.each([
    ["one list twice", hold(place, head, head)],
    ["a list and its tail", hold(place, head, tail)],
    ["two lists with one tail", hold(place, head, { value: -0.4, next: tail })],
    ["nothing shared", hold(place, head, { value: 2, next: { value: 0.2, next: null } })],
  ])("%s", (_, p) => {
    const at = ravel(p);
    const expected = Array.from(at, (_x, i) => {
      const line = (h: number): number[] => [
        Number(
          f(
            unravel(
              at.map((x, k) => (k === i ? x + h : x)),
              p,
            ),
          ),
        ),
      ];
      return slopesAlong(line)[0]?.value ?? NaN;
    });
    for (const gradient of [own(p), byDelta(p)])
      ravel(gradient, p).forEach((slope, i) => {
        expect(slope).toBeCloseTo(expected[i] ?? NaN, 7);
      });
  });
});
