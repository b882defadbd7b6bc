// Random array programs: the gradient as array code against the same as loops (what `vjp` gives), and both against differences.
// TSGRAD_SEED picks other programs; a failure prints its seed and text.

import { describe, expect, test } from "vitest";
import { type Random, randomBody, seeded } from "./random-array.ts";
import { callable, vectorModule } from "./module.ts";

const FIRST = Number(process.env["TSGRAD_SEED"] ?? 1);
const BATCHES = Number(process.env["TSGRAD_BATCHES"] ?? 2);
const EACH = 8;
const USED = "add, dot, foldl, map, map2, mul, onesLike, prod, reduce, sum";

type List = number[] | Float64Array;
type Args = [w: number, a: List, b: List, rows: List[]];

/** Kinds of a, b and rows. */
const KINDS = [
  ["number[]", "number[]", "number[]"],
  ["Float64Array", "Float64Array", "Float64Array"],
  ["number[]", "Float64Array", "number[]"],
  ["Float64Array", "number[]", "Float64Array"],
] as const;
type Kinds = (typeof KINDS)[number];

const ofKind = (kind: Kinds[number], list: List): List =>
  kind === "number[]" ? [...list] : Float64Array.from(list);

const numbers = (random: Random, n: number): number[] =>
  Array.from({ length: n }, () => random() * 2 - 1);
const argsOf = (random: Random, [a, b, row]: Kinds, n: number, m: number): Args => [
  random() * 2 - 1,
  ofKind(a, numbers(random, n)),
  ofKind(b, numbers(random, n)),
  Array.from({ length: m }, () => ofKind(row, numbers(random, n))),
];

const flat = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : value instanceof Float64Array
      ? [...value]
      : Array.isArray(value)
        ? value.flatMap(flat)
        : [];
const isNear = (x: number, y: number, tolerance: number): boolean =>
  Object.is(x, y) || Math.abs(x - y) <= tolerance * (1 + Math.abs(x) + Math.abs(y));

/** What is thrown, or nothing. */
function outcome(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (error) {
    return String(error);
  }
}

/** Central differences with respect to all numbers. */
function differences(f: (...args: Args) => number, args: Args): number[] {
  const h = 1e-5;
  const slopes: number[] = [];
  const at = (
    place: (copy: Args) => { readonly object: Args | List; readonly key: number },
  ): void => {
    const value = (by: number): number => {
      const copy = structuredClone(args);
      const { object, key } = place(copy);
      Object.assign(object, { [key]: Number(object[key]) + by });
      return f(...copy);
    };
    slopes.push((value(h) - value(-h)) / (2 * h));
  };
  at((copy) => ({ object: copy, key: 0 }));
  [...args[1]].forEach((_, i) => at((copy) => ({ object: copy[1], key: i })));
  [...args[2]].forEach((_, i) => at((copy) => ({ object: copy[2], key: i })));
  args[3].forEach((row, j) =>
    [...row].forEach((_, i) => at((copy) => ({ object: copy[3][j] ?? [], key: i }))),
  );
  return slopes;
}

describe.each(Array.from({ length: BATCHES }, (_, batch) => FIRST + batch))("seed %i", (seed) => {
  const random = seeded(seed);
  const kinds = KINDS[seed % KINDS.length] ?? KINDS[0];
  const bodies = Array.from({ length: EACH }, () => randomBody(random));
  const text = [
    `import { grad, valueAndGrad, vjp } from "tsgrad";`,
    `import { ${USED} } from "tsgrad/vector";`,
    ...bodies.map(
      (body, i) =>
        `export function f${i}(w: number, a: ${kinds[0]}, b: ${kinds[1]}, rows: ${kinds[2]}[]): number { ${body} }`,
    ),
    ...bodies.flatMap((_, i) => [
      `export const g${i} = grad(f${i}, { argnums: [0, 1, 2, 3] });`,
      `export const v${i} = valueAndGrad(f${i}, { argnums: [0, 1, 2, 3] });`,
      `export const p${i} = vjp(f${i});`,
    ]),
    `export const used = [${USED}];`,
  ].join("\n");
  const module = vectorModule(text);
  const points = [
    argsOf(random, kinds, 3, 2),
    argsOf(random, kinds, 1, 1),
    argsOf(random, kinds, 0, 2),
    argsOf(random, kinds, 4, 0),
  ];

  test("what is emitted type-checks", () => expect(module.errors()).toEqual([]));

  test("most programs are array code", () => {
    const own = module.text
      .split(/^(?=function )/m)
      .filter((part) => /^function f\d+\$grad\$/.test(part));
    expect(own.length).toBe(EACH);
    expect(own.filter((part) => !part.includes("for (")).length).toBeGreaterThanOrEqual(EACH / 2);
  });

  test.each(bodies.map((body, i) => [i, body] as const))("f%i", (i, body) => {
    const [f, g, v, p] = ["f", "g", "v", "p"].map((letter) => callable(module, `${letter}${i}`));
    if (f === undefined || g === undefined || v === undefined || p === undefined) return;
    for (const args of points) {
      const why = `${body}\n${JSON.stringify(args)}`;
      const [value, pullback] = p(...args) as [number, (seed: number) => unknown];
      const loops = flat(pullback(1));
      const arrays = flat(g(...args));
      expect(arrays.length, why).toBe(loops.length);
      // sums and products associate in another way
      arrays.forEach((x, k) =>
        expect(isNear(x, loops[k] ?? NaN, 1e-10), `${why}\n${x} is not ${loops[k]}, at ${k}`).toBe(
          true,
        ),
      );
      const [both, again] = v(...args) as [number, unknown];
      expect(both, why).toBe(f(...args));
      expect(both, why).toBe(value);
      expect(
        flat(again).every((x, k) => isNear(x, arrays[k] ?? NaN, 1e-12)),
        why,
      ).toBe(true);
    }
    for (const sizes of [
      [3, 2, 3],
      [2, 2, 3],
      [2, 3, 3],
      [0, 1, 1],
    ] as const) {
      const args: Args = [
        0.5,
        ofKind(kinds[0], numbers(random, sizes[0])),
        ofKind(kinds[1], numbers(random, sizes[1])),
        [ofKind(kinds[2], numbers(random, sizes[2]))],
      ];
      const why = `${body}\n${JSON.stringify(args)}`;
      expect(
        outcome(() => g(...args)),
        why,
      ).toBe(outcome(() => f(...args)));
      expect(
        outcome(() => v(...args)),
        why,
      ).toBe(outcome(() => f(...args)));
    }
    const [first] = points;
    if (first === undefined) return;
    const slopes = differences((...args) => Number(f(...args)), first);
    // differences see five digits, and nothing at a kink within the step
    flat(g(...first)).forEach((x, k) =>
      expect(
        isNear(x, slopes[k] ?? NaN, 1e-5),
        `${body}\n${JSON.stringify(first)}\n${x} is not ${slopes[k]}, at ${k}`,
      ).toBe(true),
    );
  });
});
