// A gradient keeps its tape for the next call. In: a loop that records. Out: numbers, and which array the calls have used.
// Reference values: another copy of the module, which has not run before, gives the same doubles.

import { expect, test, vi } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const FILE = "/src/spare.ts";
const TEXT = `import { grad } from "tsgrad";
// runs before the code that the build adds at the end of the module
export const first = grad(f)([1.5, 0.25, 2], 99);
function f(xs: number[], limit: number): number {
  let y = 1;
  for (let i = 0; i < xs.length; i++) {
    y = Math.sin(y) * xs[i]! + y;
    if (y > limit) throw new Error("too much");
  }
  return y;
}
export const derivative = grad(f);
`;

type Derivative = (xs: readonly number[], limit: number) => readonly number[];

function fresh(): {
  readonly derivative: Derivative;
  readonly first: unknown;
  readonly kept: () => unknown;
} {
  const emitted = applyEdits(
    FILE,
    TEXT,
    analyse(programOf({ [FILE]: TEXT })).edits.get(FILE) ?? [],
  ).text;
  const { derivative, first, kept } = loader(
    new Map([[FILE, `${emitted}\nexport const kept = () => f$gradTape;`]]),
  )(FILE);
  if (typeof derivative !== "function" || typeof kept !== "function")
    throw new Error("not functions");
  return { derivative: (...args) => derivative(...args), first, kept: () => kept() };
}

const LONG = Array.from({ length: 50 }, (_, i) => Math.cos(i) / 4);

test("the second call uses the array of the first", () => {
  const { derivative, kept } = fresh();
  const before = derivative(LONG, 99);
  const tape = kept();
  expect(tape).toBeInstanceOf(Float64Array);
  expect(derivative(LONG, 99)).toEqual(before);
  expect(kept()).toBe(tape);
});

test("what a longer call has left does not show", () => {
  const { derivative, first } = fresh();
  derivative(LONG, 99);
  expect(derivative([1.5, 0.25, 2], 99)).toEqual(first);
});

test("a call with more rounds has a longer one, one with fewer the same", () => {
  const { derivative, kept } = fresh();
  derivative([1.5, 0.25, 2], 99);
  const short = kept();
  const before = derivative(LONG, 99);
  const long = kept();
  expect(long).not.toBe(short);
  expect(derivative(LONG.slice(0, 7), 99)).toEqual(fresh().derivative(LONG.slice(0, 7), 99));
  expect(kept()).toBe(long);
  expect(derivative(LONG, 99)).toEqual(before);
});

test("after an exception, a new one", () => {
  const { derivative, kept } = fresh();
  const before = derivative(LONG, 99);
  expect(() => derivative([0.5, 9], 1.3)).toThrow("too much");
  expect(kept()).toBe(undefined);
  expect(derivative(LONG, 99)).toEqual(before);
  expect(kept()).toBeInstanceOf(Float64Array);
});

const ENTERED = `import { grad } from "tsgrad";
// what runs while the tape is in use
function look(round: number): number {
  return Math.random() < 2 ? round % 2 : 0;
}
function f(xs: number[], scale: number): number {
  let y = 1;
  for (let i = 0; i < xs.length; i++) y = Math.sin(y) * xs[i]! + y * (look(i) + scale);
  return y;
}
export const derivative: (xs: number[], scale: number) => number[] = grad(f, { engine: "static" });
`;

test("a call from within has a tape of its own", () => {
  const edits = analyse(programOf({ [FILE]: ENTERED }));
  expect(edits.diagnostics).toEqual([]);
  const emitted = applyEdits(FILE, ENTERED, edits.edits.get(FILE) ?? []).text;
  expect(emitted).toContain("f$gradTape ??");
  const { derivative } = loader(new Map([[FILE, emitted]]))(FILE) as { derivative: Derivative }; // what stands in ENTERED
  const y = [1]; // the primal by hand, and its reverse
  const xs = [0.5, 0.25, 1.25, 0.75];
  xs.forEach((x, i) => {
    const at = y[i] ?? 0;
    y.push(Math.sin(at) * x + at * ((i % 2) + 2));
  });
  const expected: number[] = [];
  for (let i = 3, bar = 1; i >= 0; i--) {
    const at = y[i] ?? 0;
    expected[i] = bar * Math.sin(at);
    bar *= Math.cos(at) * (xs[i] ?? 0) + (i % 2) + 2;
  }
  for (let call = 0; call < 2; call++) {
    const all: (readonly number[])[] = [];
    let drawn = 0;
    const random = vi.spyOn(Math, "random").mockImplementation(() => {
      if (++drawn === 3 || drawn === 5) all.push(derivative(xs, 2));
      return 0;
    });
    all.push(derivative(xs, 2));
    random.mockRestore();
    expect(all).toHaveLength(3);
    for (const each of all)
      each.forEach((one, i) => {
        expect(one).toBeCloseTo(expected[i] ?? NaN, 12);
      }); // products of four factors below 4
  }
});
