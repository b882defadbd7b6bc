// Loops that are one node of the tape (transformer/delta/loop-node.ts). In: small programs whose loops
// add up products of lists. Out: closed forms, which a lost id would not give, and the primal's own
// effects.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import * as delta from "../../runtime/delta/index.ts";
import { problemsOf } from "../5-emit/type-check.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const FORMS = ["grad", "jacrev", "jvp", "vjp"];
const OF = `{ engine: "delta" }`;

function emitted(source: string): string {
  const forms = FORMS.filter((form) => source.includes(`${form}(`));
  const whole = `import { ${forms.join(", ")} } from "tsgrad";\n${source}`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []).text;
}

/** `nodes`: how many of the loops are. */
const PROGRAMS: readonly (readonly [
  what: string,
  nodes: number,
  source: string,
  value: unknown,
])[] = [
  [
    "a record's weights and data",
    2,
    `interface Model { w: number[]; b: number }
const at = (m: Model, x: number[]): number => { let z = m.b; for (let i = 0; i < x.length; i++) z += m.w[i]! * x[i]!; return z; };
const f = (m: Model, xs: number[][]): number => { let s = 0; for (const x of xs) s += at(m, x) ** 2; return s; };
export const value: unknown = grad(f, ${OF})({ w: [2, 3], b: 1 }, [[1, 1], [0, 2]]);`,
    { w: [2 * 6, 2 * 6 + 4 * 7], b: 2 * 6 + 2 * 7 },
  ],
  [
    "rows of a matrix",
    1,
    `const f = (a: number[][], x: number[]): number => { let s = 0; for (let i = 0; i < a.length; i++) { let t = 0; for (let j = 0; j < x.length; j++) t += a[i]![j]! * x[j]!; s += t * t; } return s; };
export const value: unknown = grad(f, { argnums: [0, 1], engine: "delta" })([[1, 2], [3, 4]], [1, -1]);`,
    [
      [
        [-2, 2],
        [-2, 2],
      ],
      [2 * -1 + 2 * -3, 2 * -2 + 2 * -4],
    ],
  ],
  [
    "a list and itself, and as far as a field's list goes",
    2,
    `const f = (m: { w: Float64Array }): number => { let s = 0, t = 0; const w = m.w; for (let i = 0; i < w.length; i++) s += w[i]! * w[i]!; for (let i = 0; i < m.w.length; i++) t = t + m.w[i]! * w[i]!; return s + 10 * t; };
export const value: unknown = Array.from(grad(f, ${OF})({ w: Float64Array.of(2, 5) }).w);`,
    [22 * 2, 22 * 5],
  ],
  [
    "a sum that has begun, and lists that are shorter than the loop",
    1,
    `const f = (o: { xs: number[] }, n: number): number => { const w = [5, 7, 11]; let s = o.xs[0]! * 3; for (let k = 0; k < 2; k++) for (let i = 0; i < n; i++) s += o.xs[i]! * w[i]!; return n > 3 ? 0 : s; };
export const value: unknown = grad(f, ${OF})({ xs: [1, 2] }, 2).xs;`,
    [3 + 10, 14],
  ],
  [
    "an accessor is read as often as ever",
    0,
    `let reads = 0;
class Model { #w: number[]; constructor(w: number[]) { this.#w = w; } get w(): number[] { reads++; return this.#w; } }
const at = (m: { w: number[] }, x: number[]): number => { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < 3; i++) s += m.w[i]! * x[i]!; return s; };
const f = (xs: number[]): number => at(new Model(xs), [1, 2, 4]) * xs[0]!;
export const value: unknown = [grad(f, ${OF})([1, 2, 3]), reads];`,
    [[2 + 2 * 17, 4, 8], 6],
  ],
  [
    "an index or a sum that the place reads is none",
    0,
    `const f = (a: number[][], x: number[]): number => { let s = 0; for (let i = 0; i < 2; i++) s += a[i]![i]! * x[i]!; for (let i = 0; i < 2; i++) s = s + a[1]![i]! * x[i]! * 2; return s; };
export const value: unknown = grad(f, ${OF})([[1, 2], [3, 4]], [5, 7]);`,
    [
      [5, 0],
      [10, 7 + 14],
    ],
  ],
  [
    "squares of what a loop goes through, of lists, of typed arrays and by an iterator of the list's own",
    1,
    `const own = (xs: number[]): number[] => Object.assign([...xs], { *[Symbol.iterator](): Iterator<number> { yield xs[1]! * 3; yield xs[0]!; yield 7; } });
const squares = (xs: number[]): number => { let s = 0; for (const x of xs) s += x * x; return s; };
const f = (xs: number[]): number => squares(xs) + 10 * squares(own(xs)) + 100 * squares(Float64Array.from(xs) as unknown as number[]);
export const value: unknown = grad(f, ${OF})([2, 5]);`,
    [4 + 10 * 4 + 100 * 4, 10 + 10 * 90 + 100 * 10],
  ],
  [
    "squares of lists in another order, of numbers that do not vary among others, of one and of none",
    1,
    `const squares = (xs: number[]): number => { let s = 0; for (const x of xs) s += x * x; return s; };
const f = (xs: number[]): number => squares([...xs].reverse()) + 10 * squares([xs[1]!, 3, xs[0]!]) + 100 * squares([]) + 1000 * squares([xs[1]!]) + squares([1, 2]);
export const value: unknown = grad(f, ${OF})([2, 5]);`,
    [4 + 10 * 4, 10 + 10 * 10 + 1000 * 10],
  ],
  [
    "squares of more numbers than the columns hold terms",
    2,
    `const squares = (xs: number[]): number => { let s = 0; for (const x of xs) s += x * x; return s; };
const f = (a: number[], p: number[], n: number): number => { let t = squares(a); for (let k = 0; k < n; k++) t += squares(p) * 0.5; return t; };
const [x, y] = grad(f, { engine: "delta", argnums: [0, 1] })(Array.from({ length: 1100000 }, (_, k) => k % 7), [3, 1], 600000);
export const value: unknown = [x!.every((d, k) => d === 2 * (k % 7)), y];`,
    [true, [600000 * 3, 600000]],
  ],
  [
    "what a loop by places goes through is the list as it is then",
    0,
    `const f = (xs: number[]): number => { let s = 0, n = 0; for (const x of xs) { if (xs.length < 4) xs[xs.length] = x * 2; if (n > 90) continue; n++; s += x * n; } return s; };
const g = (xs: Set<number>, k: number): number => { let s = 0; for (const x of xs as unknown as number[]) s += x * k; return s; };
export const value: unknown = [grad(f, ${OF})([1, 10]), grad(g, { argnums: 1, engine: "delta" })(new Set([2, 5]), 3)];`,
    [[1 + 2 * 3, 2 + 2 * 4], 7],
  ],
  [
    "a list that another one takes the place of between the loops",
    1,
    `const f = (o: { w: number[] }, x: number[]): number => { let s = 0; for (let k = 0; k < 3; k++) { for (let i = 0; i < x.length; i++) s += o.w[i]! * x[i]!; o.w = o.w.map((e) => e * 2); } return s; };
export const value: unknown = grad(f, ${OF})({ w: [1, 1] }, [3, 5]).w;`,
    [3 * 7, 5 * 7],
  ],
  [
    "an error leaves the sum as it was then",
    1,
    `const f = (xs: number[]): number => { let s = 1; try { for (const x of xs) { if (x > 2) throw new Error("no"); s *= x; } } catch { s += 10 * xs[0]!; } return s; };
export const value: unknown = [grad(f, ${OF})([2, 1.5, 3, 1]), grad(f, ${OF})([2, 1.5])];`,
    [
      [11.5, 2, 0, 0],
      [1.5, 2],
    ],
  ],
  [
    "rounds that are skipped, a loop that is left, one with a test alone",
    1,
    `const f = (xs: number[], k: number): number => { let s = 0; for (const x of xs) { if (x < 0) continue; if (x > 9) break; s += x * x; } let t = k; while (t < 100) t *= k; let u = 0; do { u += xs[0]! * k; } while (u < 5); return s + t + u; };
export const value: unknown = grad(f, { engine: "delta", argnums: [0, 1] })([2, -5, 3, 10, 4], 6);`,
    [[4 + 6, 0, 6, 0, 0], 3 * 36 + 2],
  ],
  [
    "functions of the module, and their constants",
    1,
    `const W = [2, 3], K = 5;
const term = (x: number, i: number): number => K * x * W[i % 2]!;
const f = (xs: number[]): number => { let s = 0; for (let i = 0; i < xs.length; i++) s += term(xs[i]!, i) * xs[i]!; return s; };
export const value: unknown = grad(f, ${OF})([1, 2, 3]);`,
    [20, 60, 60],
  ],
  [
    "a constant that the module's end cannot name, a loop that is left for good, one that writes a list",
    0,
    `let made = (_xs: number[]): number => 0;
{ const K = 5; made = (xs) => { let s = 0; for (const x of xs) s += K * x; return s; }; }
const last = (xs: number[]): number => { let s = 0; for (const x of xs) { s += x * x; if (s > 3) return s; } return 0; };
const put = (xs: number[], i: number): number => { xs[i]! *= 3; return xs[i]!; };
const f = (xs: number[]): number => { const before = last(xs); let s = 0; for (let i = 0; i < xs.length; i++) s += put(xs, i); return before + s + xs[0]!; };
export const value: unknown = [grad(f, ${OF})([1, 2, 3]), grad((xs: number[]) => made(xs), ${OF})([1, 2])];`,
    [
      [2 + 3 + 3, 4 + 3, 3],
      [5, 5],
    ],
  ],
  [
    "names of a namespace",
    0,
    `namespace N { const K = 5; export const sum = (xs: number[]): number => { let s = 0; for (const x of xs) s += K * x; return s; }; }
const f = (xs: number[]): number => N.sum(xs) * xs[0]!;
export const value: unknown = grad(f, ${OF})([1, 2]);`,
    [15 + 5, 5],
  ],
  [
    "a list of the module that holds a number of the run",
    1,
    `const W = [2, 3];
const f = (xs: number[]): number => { W[0] = xs[1]!; let s = 0; for (let i = 0; i < xs.length; i++) s += W[i]! * xs[i]!; W[0] = 2; return s; };
export const value: unknown = grad(f, ${OF})([5, 7]);`,
    [7, 5 + 3],
  ],
  [
    "a variable that a function of the loop changes",
    0,
    `const f = (xs: number[]): number => { let s = 0; const add = (x: number): void => { s += x * x; }; for (const x of xs) { add(x); s += x; } return s; };
export const value: unknown = grad(f, ${OF})([5, 7]);`,
    [11, 15],
  ],
  [
    "numbers of records, rows, and of a typed array; a text among what it reads",
    1,
    `interface P { at: { x: number; y: number }; mass: number }
const f = (ps: P[], w: Float64Array, rows: number[][]): number => { const kind: string = "a"; let s = 0; for (let i = 0; i < ps.length; i++) { for (let j = 0; j < rows[i]!.length; j++) s += ps[i]!.at.x * w[i]! * rows[i]![j]!; if (kind === "a") s += ps[i]!.mass ** 2; } return s; };
const [ps, w, rows] = grad(f, { engine: "delta", argnums: [0, 1, 2] })([{ at: { x: 2, y: 1 }, mass: 3 }, { at: { x: 4, y: 1 }, mass: 5 }], Float64Array.of(6, 7), [[1, 2], [3]]);
export const value: unknown = [ps, [...w], rows];`,
    [
      [
        { at: { x: 18, y: 0 }, mass: 6 },
        { at: { x: 21, y: 0 }, mass: 10 },
      ],
      [6, 12],
      [[12, 12], [28]],
    ],
  ],
  [
    "a pushforward, rows of a Jacobian, a value with a pullback",
    1,
    `const sum = (xs: number[], k: number): number => { let s = 0; for (const x of xs) s += x * x * k; return s; };
const f = (xs: number[]): number[] => [sum(xs, 1), sum(xs, xs[0]!)];
export const value: unknown = [jvp(f, ${OF})([[2, 3]], [[1, 10]]), jacrev(f, ${OF})([2, 3]), vjp(f, ${OF})([2, 3])[1]([1, 10])];`,
    [
      [
        [13, 26],
        [64, 13 + 2 * 64],
      ],
      [
        [4, 6],
        [21, 12],
      ],
      [[214, 126]],
    ],
  ],
];

describe("the gradient is the closed form", () => {
  test.each(PROGRAMS)("%s", (_what, nodes, source, value) => {
    const text = emitted(source);
    expect(text.match(/\$d\.step(?:OfNumbers\(|Into\(|\(null, )/g) ?? []).toHaveLength(nodes);
    expect(loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts")["value"]).toEqual(
      value,
    );
  });
});

test("what is emitted type-checks under every strictness flag", () => {
  // `erasableSyntaxOnly` does not allow namespaces
  const sources = PROGRAMS.filter(([, , source]) => !source.includes("namespace"));
  expect(
    problemsOf(Object.fromEntries(sources.map(([, , source], k) => [`p${k}.ts`, emitted(source)]))),
  ).toEqual([]);
});
