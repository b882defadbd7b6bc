// Iterator helpers in the Delta engine, which the engine's choice takes, too. Oracle: central differences.

import { afterAll, describe, expect, it } from "vitest";
import { iteratorHelpers } from "../../runtime/delta/natives/iterator-helpers.ts";
import { variantsOf } from "../programs/variants.ts";
import { addHelpers, removeHelpers } from "./iterator-polyfill.ts";

addHelpers();
// the run time may be in use already, and have met none
iteratorHelpers();
afterAll(removeHelpers);

/** Iterators of `a`, `a * b`, `b`, `2`. */
const SOURCES: Readonly<Record<string, string>> = {
  "a list": "[a, a * b, b, 2].values()",
  "a Set": "new Set([a, a * b, b, 2]).values()",
  "a Map": "new Map([['p', a], ['q', a * b], ['r', b], ['s', 2]]).values()",
  "a generator": "four(a, b)",
  "a generator made from": "Iterator.from(four(a, b))",
  "a list made from": "Iterator.from([a, a * b, b, 2])",
  "an iterator by hand":
    "Iterator.from({ k: 0, next() { const all = [a, a * b, b, 2]; return this.k < 4 ? { value: all[this.k++], done: false } : { value: undefined, done: true }; } })",
  "an iterable by hand": "Iterator.from({ *[Symbol.iterator]() { yield* [a, a * b, b, 2]; } })",
  "a helper": "[a, b * 2].values().flatMap((v: number) => [v, v * b])",
};
/** Bodies that use it as `i`. */
const USES: Readonly<Record<string, string>> = {
  map: "let s = 0; for (const v of i.map((v: number, k: number) => v * v + k * a)) s = s * 0.5 + v; return s;",
  filter:
    "let s = 0; for (const v of i.filter((v: number, k: number) => v > 0.1 && k !== 1)) s = s * 0.5 + v * a; return s;",
  take: "return i.take(2).reduce((s: number, v: number) => s * b + v, 0);",
  "take of none": "return [...i.take(0)].length + a * b;",
  "take of more":
    "return i.take(9).map((v: number) => v * v).reduce((s: number, v: number) => s + v);",
  drop: "const [p, q] = i.drop(1); return p * q * a;",
  flatMap:
    "return [...i.flatMap((v: number, k: number) => [v * a, k * b])].reduce((s, v, k) => s + v * k, 0);",
  "flatMap of iterators":
    "return i.flatMap((v: number) => [v, b].values()).reduce((s: number, v: number) => s * 0.5 + v * v);",
  reduce: "return i.reduce((s: number, v: number, k: number) => s * 0.3 + v * v * k);",
  "reduce with a number":
    "return i.reduce((s: number, v: number, k: number) => s * 0.3 + v * v * k, a * b);",
  "reduce to a record":
    "const r = i.reduce((s: { t: number }, v: number) => ({ t: s.t + v * v }), { t: a }); return r.t * b;",
  toArray: "const all: number[] = i.toArray(); return all[0]! * all[1]! + all[2]!;",
  forEach: "let s = 0; i.forEach((v: number, k: number) => { s += v * v * k; }); return s;",
  find: "const v = i.find((v: number, k: number) => k === 1); return v * v;",
  some: "let s = 1; const is = i.some((v: number, k: number) => { s *= v; return k === 1; }); return is ? s : 0;",
  every:
    "let s = 1; const is = i.every((v: number, k: number) => { s *= v + 1; return k < 2; }); return is ? 0 : s;",
  "a chain":
    "return i.map((v: number) => v * a).filter((v: number) => v > 0.1).drop(1).take(2).map(Math.sin).toArray().reduce((s: number, v: number) => s + v * b, 0);",
  "steps by hand":
    "const h = i.map((v: number) => v * v * b); h.next(); const { value } = h.next(); return value * a;",
  "an early end":
    "let s = 0; for (const v of i.map((v: number) => v * v)) { s += v * b; if (s > 0.1) break; } return s;",
};

const PROGRAMS: Record<string, string> = {};
for (const [source, made] of Object.entries(SOURCES))
  for (const [use, body] of Object.entries(USES))
    PROGRAMS[`${use} of ${source}`] = `import { grad, hvp, jvp } from "tsgrad";
declare const Iterator: any;
function* four(a: number, b: number): Generator<number> { yield a; yield a * b; yield b; yield 2; }
export function f(a: number, b: number): number { const i: any = ${made}; ${body} }
export const chosen = grad(f, { argnums: [0, 1] }), delta = grad(f, { argnums: [0, 1], engine: "delta" });
export const j = jvp(f, { engine: "delta" }), h = hvp(f, { argnums: [0, 1], engine: "delta" });`;

type Call<R> = (a: number, b: number) => R;
interface Exports {
  readonly f: Call<number>;
  readonly chosen: Call<readonly number[]>;
  readonly delta: Call<readonly number[]>;
  readonly j: (at: readonly number[], along: readonly number[]) => readonly number[];
  readonly h: (at: readonly number[], along: readonly number[]) => readonly number[];
}

const variants = variantsOf(PROGRAMS, { lib: ["lib.es2023.d.ts"] });

describe.each(Object.keys(PROGRAMS))("%s", (name) => {
  it("has its derivatives", () => {
    const { errors, exports } = variants(name);
    expect(errors).toEqual([]);
    const { f, chosen, delta, j, h } = exports() as unknown as Exports;
    const [a, b, step] = [0.7, 1.3, 1e-5];
    const slopes = (at: number, bt: number): readonly number[] => [
      (f(at + step, bt) - f(at - step, bt)) / (2 * step),
      (f(at, bt + step) - f(at, bt - step)) / (2 * step),
    ];
    const [da = NaN, db = NaN] = slopes(a, b);
    for (const gradient of [chosen, delta, chosen]) {
      // differences of step 1e-5 are good to about 1e-9
      expect(gradient(a, b)[0]).toBeCloseTo(da, 7);
      expect(gradient(a, b)[1]).toBeCloseTo(db, 7);
    }
    const [value, tangent] = j([a, b], [1, 2]);
    expect(value).toBe(f(a, b));
    expect(tangent).toBeCloseTo(da + 2 * db, 6);
    // differences of gradients that are right to rounding
    const [up, down] = [delta(a + step, b), delta(a - step, b)];
    const second = h([a, b], [1, 0]);
    for (const k of [0, 1])
      expect(second[k]).toBeCloseTo(((up[k] ?? NaN) - (down[k] ?? NaN)) / (2 * step), 6);
  });
});

it("closes what it began, once, and refuses what the language refuses", () => {
  const code = `import { grad } from "tsgrad";
export const log: string[] = [];
function* all(x: number): Generator<number> { try { yield x; yield x * x; yield 1; } finally { log.push("end"); } }
const any = (i: Iterator<number>): any => i;
export const d = grad((x: number): number => { const [v] = any(all(x)).map((v: number) => v * x); return v; }, { engine: "delta" });
export const e = grad((x: number): number => any(all(x)).take(1).toArray()[0] * x, { engine: "delta" });
export const bad = grad((x: number): number => { let s = x; for (const f of [() => any(all(x)).map(1), () => any(all(x)).take(-1), () => any(all(x)).reduce(2), () => any([].values()).reduce(() => 1)]) try { f(); } catch (error) { log.push((error as Error).name); s += x * x; } return s; }, { engine: "delta" });`;
  const { errors, exports } = variantsOf({ code }, { lib: ["lib.es2023.d.ts"] })("code");
  expect(errors).toEqual([]);
  const { d, e, bad, log } = exports() as unknown as Record<
    "d" | "e" | "bad",
    (x: number) => number
  > & { log: string[] };
  expect(d(3)).toBe(6);
  expect(e(3)).toBe(6);
  expect(log.splice(0)).toEqual(["end", "end"]);
  expect(bad(3)).toBe(1 + 4 * 6);
  expect(log.filter((one) => one !== "end")).toEqual([
    "TypeError",
    "RangeError",
    "TypeError",
    "TypeError",
  ]);
});
