// Programs whose loops write elements, run. In: source of `f`. Out: its gradient, pullback and tangent by the Delta engine, and differences to compare with; random programs, by both engines.

import { isLong } from "../breadth.ts";
import { expect } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

export type Numbers = readonly number[];

export interface Loaded {
  readonly text: string;
  readonly f: (xs: Numbers) => number;
  readonly gradient: (xs: Numbers) => Numbers;
  readonly pull: (xs: Numbers) => readonly [number, (seed: number) => readonly [Numbers]];
  readonly push: (
    primals: readonly [Numbers],
    tangents: readonly [Numbers],
  ) => readonly [number, number];
}

const DELTA = `{ engine: "delta" }`;

/** `isWhole`: with a pullback and a tangent beside the gradient. */
export function built(source: string, isWhole = true): Loaded {
  const others = `export const pull = vjp(f, ${DELTA});\nexport const push = jvp(f, ${DELTA});\n`;
  const whole = `import { grad${isWhole ? ", jvp, vjp" : ""} } from "tsgrad";\n${source}\nexport const gradient: (x: number[]) => number[] = grad(f, ${DELTA});\n${isWhole ? others : ""}`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(diagnostics).toEqual([]);
  const { text } = applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []);
  const loaded = loader(new Map([["/src/input.ts", text]]))("/src/input.ts");
  return { text, ...(loaded as unknown as Omit<Loaded, "text">) }; // what the source exports
}

export const INPUT: Numbers = Array.from({ length: 70 }, (_, k) => 0.3 + 0.01 * ((k * 37) % 70));

/** Differences of fourth order: h^4 f'''''/30 and rounding 1e-16 / h are below 1e-9 for these functions, whose values are of order 1. */
export function difference(f: (xs: Numbers) => number, k: number): number {
  const h = 1e-3;
  const at = (t: number): number => f(INPUT.map((x, i) => (i === k ? x + t * h : x)));
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
}

export const SUM = "let s = 0; for (let i = 0; i < y.length; i++) s += y[i]! * (1 + i % 3);";

/** The gradient is that of differences, the value has the primal's bits, and pullback and tangent say the same. Returns what was built. */
export function checked(source: string): Loaded {
  const loaded = built(source);
  const { f, gradient, pull, push } = loaded;
  const own = gradient([...INPUT]);
  const [value, pullback] = pull([...INPUT]);
  expect(Object.is(value, f([...INPUT]))).toBe(true);
  const [twice] = pullback(2);
  const [once] = pullback(1);
  expect(once).toEqual(own);
  expect(twice).toEqual(own.map((x) => 2 * x));
  for (const k of [0, 1, 3, 4, 9, 29, 30, 59, 69])
    expect(own[k], `x[${k}]`).toBeCloseTo(
      difference((xs) => f([...xs]), k),
      7,
    );
  const direction = INPUT.map((_, k) => Math.cos(k));
  const [, tangent] = push([[...INPUT]], [direction]);
  // the same partials in another order
  expect(tangent).toBeCloseTo(
    own.reduce((sum, x, k) => sum + x * (direction[k] ?? 0), 0),
    8,
  );
  return loaded;
}

/** Numbers from 0 up to n. */
export function randomOf(seed: number): (n: number) => number {
  let state = seed * 2654435761 + 12345;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Seeds of random programs: `count` in a long run, a quarter of them else, or `SEEDS=from,to`. */
export function seedsOfRun(count: number): readonly number[] {
  const [from = 1, to = isLong ? count : Math.ceil(count / 4)] = (process.env["SEEDS"] ?? "")
    .split(",")
    .filter((part) => part !== "")
    .map(Number);
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

/** The Delta engine's gradient is the static engine's, and the value has the primal's bits. */
export function agrees(source: string): void {
  const whole = `import { grad, valueAndGrad } from "tsgrad";\n${source}\nexport const own: (x: number[]) => [number, number[]] = valueAndGrad(f, { engine: "delta" }), other: (x: number[]) => number[] = grad(f);\n`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(
    diagnostics.filter(({ severity }) => severity === "error"),
    source,
  ).toEqual([]);
  const { text } = applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []);
  // a module's exports, whose types the source says
  const loaded = loader(new Map([["/src/input.ts", text]]))("/src/input.ts") as unknown as {
    f: (x: Numbers) => number;
    own: (x: Numbers) => readonly [number, Numbers];
    other: (x: Numbers) => Numbers;
  };
  const [value, gradient] = loaded.own([...INPUT]);
  const expected = loaded.other([...INPUT]);
  expect(Object.is(value, loaded.f([...INPUT])), source).toBe(true);
  // sums of some hundred terms in another order
  expect(
    gradient.every(
      (x, k) =>
        Object.is(x, expected[k]) || Math.abs(x - (expected[k] ?? NaN)) <= 1e-9 * (1 + Math.abs(x)),
    ),
    source,
  ).toBe(true);
}
