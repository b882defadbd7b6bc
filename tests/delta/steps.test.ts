// Calls that are one step of the tape (transformer/delta/plan/steps.ts, runtime/delta/step.ts). In: small programs whose outer function only the Delta engine takes. Out: closed forms, and which functions are called that way.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { explain } from "../../transformer/explain.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import * as delta from "../../runtime/delta/index.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad, jacrev, jvp, valueAndGrad, vjp } from "tsgrad";\n`;

function built(source: string): string {
  const whole = HEAD + source;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []).text;
}

const run = (text: string): unknown =>
  loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts")["value"];

/** Functions that are called as steps, by the run time or, those of few numbers, in their own code. */
const stepsIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(/\$d\.step(?:Of)?\((?:.*, )?(\w+), \1\$/g),
    ...text.matchAll(/const t\$\d+(?:: any)? = (\w+)\$(?:vag|vag\w+)(?:\$\w+)*\(/g),
  ]
    .map(([, name]) => name ?? "")
    .sort();

/** A function that goes through its lists once is recorded, so all of these do it twice. Σ wᵢ², by halves. */
const SQUARES =
  "function squares(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < w.length; i++) s += (w[i]! * w[i]!) / 2; return s; }";
/** Σ aᵢ bᵢ */
const DOT =
  "function dot(a: readonly number[], b: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < a.length; i++) s += (a[i]! * b[i]!) / 2; return s; }";
/** xⁿ */
const POWER =
  "function power(x: number, n: number): number { let p = 1; for (let k = 0; k < n; k++) for (let i = 0; i < 1; i++) p *= x; return p; }";

/** Sums from the front, twice: yᵢ = 2 Σ x₀…xᵢ */
const SUMS =
  "function sums(x: readonly number[]): number[] { const y: number[] = []; for (let k = 0; k < 2; k++) { let s = 0; for (let i = 0; i < x.length; i++) { s += x[i]!; y[i] = (y[i] ?? 0) + s; } } return y; }";
/** Two sums of a list, in a record. */
const MOMENTS =
  'interface Moments { readonly n: number; readonly sum: number; readonly rows: readonly (readonly number[])[]; readonly name: string }\nfunction moments(x: readonly number[]): Moments { let sum = 0; const rows: number[][] = []; for (let k = 0; k < 2; k++) { const row: number[] = []; for (let i = 0; i < x.length; i++) { sum += x[i]! / 2; row.push(x[i]! ** (k + 1)); } rows.push(row); } return { n: x.length, sum, rows, name: "m" }; }';
/** An oscillator by Euler's method. */
const STEPPED =
  "interface State { x: number; v: number }\nfunction stepped(p: State, n: number): State { let a = p.x, b = p.v; for (let k = 0; k < n; k++) for (let i = 0; i < 2; i++) { const c = a + b / 2; b = b - a / 2; a = c; } return { x: a, v: b }; }";

const of = (f: string): string => `export const value = valueAndGrad(${f})`;

const PROGRAMS: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "a number",
    `${POWER}\n${of("(x: number): number => { try { return power(x, 3) * x; } catch { return 0; } }")}(2);`,
    [16, 32],
  ],
  [
    "a list",
    `${SQUARES}\n${of("(w: number[]): number => { try { return 3 * squares(w); } catch { return 0; } }")}([1, 2]);`,
    [15, [6, 12]],
  ],
  [
    "an empty list",
    `${SQUARES}\n${of("(w: number[]): number => { try { return squares(w) + 1; } catch { return 0; } }")}([]);`,
    [1, []],
  ],
  [
    "one list twice",
    `${DOT}\n${of("(w: number[]): number => { try { return dot(w, w); } catch { return 0; } }")}([3, 5]);`,
    [34, [6, 10]],
  ],
  [
    "a list that was computed",
    `${SQUARES}\n${of("(w: number[]): number => { try { return squares(w.map((x) => x * x)); } catch { return 0; } }")}([1, 2]);`,
    [17, [4, 32]],
  ],
  [
    "a list of which some numbers vary",
    `${DOT}\n${of("(x: number): number => { try { const a = [x, 7, x * x], b = [2, x, 5]; return dot(a, b); } catch { return 0; } }")}(3);`,
    [72, 39],
  ],
  [
    "a list that is written between two calls",
    `${SQUARES}\n${of("(w: number[]): number => { try { const before = squares(w); w[0] = w[1]! * 2; return before + 10 * squares(w); } catch { return 0; } }")}([3, 1]);`,
    [60, [6, 102]],
  ],
  [
    "calls in a loop whose sum they are",
    `${DOT}\n${of("(w: number[]): number => { let s = 0; try { for (let k = 1; k < 4; k++) s += k * dot(w, [k, 1]); } finally { void 0; } return s; }")}([2, 5]);`,
    [58, [14, 6]],
  ],
  [
    "records and lists in each other",
    `interface Layer { readonly rows: readonly (readonly number[])[]; readonly bias: number }
function total(layers: readonly Layer[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const { rows, bias } of layers) for (const row of rows) for (const x of row) s += (x * x * bias) / 2; return s; }
${of("(layers: Layer[]): number => { try { return total(layers); } catch { return 0; } }")}([{ rows: [[1, 2], [3]], bias: 2 }, { rows: [[]], bias: 5 }]);`,
    [
      28,
      [
        { rows: [[4, 8], [12]], bias: 14 },
        { rows: [[]], bias: 0 },
      ],
    ],
  ],
  [
    "a row that stands in a list twice",
    `function total(rows: readonly (readonly number[])[]): number { let s = 1; for (let k = 0; k < 2; k++) for (const row of rows) for (const x of row) s *= k === 0 ? x : 1; return s; }
${of("(w: number[]): number => { try { return total([w, w]); } catch { return 0; } }")}([2, 3]);`,
    [36, [36, 24]],
  ],
  [
    "tuples, and fields that hold no numbers",
    `interface P { readonly name: string; readonly at: readonly [number, number]; readonly on: boolean }
function total(ps: readonly P[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const { at, on, name } of ps) s += on && name !== "" ? (at[0] * at[1]) / 2 : 0; return s; }
${of('(x: number, y: number): number => { try { return total([{ name: "a", at: [x, y], on: true }, { name: "b", at: [x, 9], on: false }]); } catch { return 0; } }')}(3, 5);`,
    [15, 5],
  ],
  [
    "a result that is a list, of which one element is written, and what is given is written, too",
    `${SUMS}\n${of("(x: number[]): number => { try { const y = sums(x); x[0] = 7; y[2] = y[0]! * y[1]!; return y[2]! + x[1]! * y[1]! + x[0]!; } catch { return 0; } }")}([1, 2, 4]);`,
    [2 * 6 + 2 * 6 + 7, [2 * 6 + 2 * 2 + 2 * 2, 2 * 2 + 6 + 2 * 2, 0]],
  ],
  [
    "a result that is a record with lists, a text and a number that does not vary",
    `${MOMENTS}\n${of('(x: number[]): number => { try { const m = moments(x); return m.name === "m" ? m.sum * m.n + m.rows[1]![1]! * m.rows[0]![0]! : 0; } catch { return 0; } }')}([3, 5]);`,
    [16 + 75, [2 + 25, 2 + 30]],
  ],
  [
    "a result that is a record of numbers, given to the function again",
    `${STEPPED}\n${of("(x: number, v: number): number => { try { const s = stepped(stepped({ x, v }, 1), 1); return s.x * s.v; } catch { return 0; } }, { argnums: [0, 1] }")}(1, 2);`,
    // (x, v) -> (x + v / 2, v - x / 2), four times
    [2.5625 * -2.375, [-0.4375 * -2.375 + 2.5625 * -1.5, 1.5 * -2.375 + 2.5625 * -0.4375]],
  ],
  [
    "a result of which nothing is used, and one of which a cotangent is 0",
    `${SUMS}\n${of("(x: number[]): number => { try { sums(x); const y = sums(x); return y[0]! * 0 + x[0]! * x[1]!; } catch { return 0; } }")}([3, 5]);`,
    [15, [5, 3]],
  ],
  [
    "a list as a result, of which a list is made, many times",
    `${SUMS}\n${of("(x: number[]): number => { let t = 0; try { let y = x; for (let k = 0; k < 3; k++) y = sums(y.map((e) => e / 2)); for (const e of y) t += e; } finally { void 0; } return t; }")}([1, 1]);`,
    // sums thrice: 1, 1 -> 1, 2 -> 1, 3 -> 1, 4
    [5, [4, 1]],
  ],
  [
    "an infinite slope in a list that is a result, behind a zero",
    `function roots(x: readonly number[]): number[] { const y: number[] = []; for (let k = 0; k < 2; k++) for (let i = 0; i < x.length; i++) y[i] = Math.sqrt(x[i]!); return y; }
${of("(w: number[]): number => { try { const y = roots([w[0]!, w[1]!]); return y[0]! * 0 + y[1]!; } catch { return 0; } }")}([0, 4]);`,
    [2, [0, 0.25]],
  ],
  [
    "a typed array",
    `function total(w: Float64Array): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < w.length; i++) s += w[i]! ** 3 / 2; return s; }
${of("(w: Float64Array): number => { try { return total(w); } catch { return 0; } }")}(Float64Array.of(1, 2));`,
    [9, Float64Array.of(3, 12)],
  ],
  [
    "a part of a typed array",
    `function total(w: Float64Array): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < w.length; i++) s += w[i]! ** 3 / 2; return s; }
${of("(w: Float64Array): number => { try { return total(w.subarray(1)); } catch { return 0; } }")}(Float64Array.of(1, 2));`,
    [8, Float64Array.of(0, 12)],
  ],
  [
    "recursion",
    `function chebyshev(n: number, x: number): number { let p = 1, q = x; for (let k = 1; k < n; k++) for (let i = 0; i < 1; i++) [p, q] = [q, 2 * x * q - p]; return n > 3 ? chebyshev(n - 1, x) * q : q; }
${of("(x: number): number => { try { return chebyshev(4, x); } catch { return 0; } }")}(2);`,
    [26 * 97, 45 * 97 + 26 * 224],
  ],
  [
    "an error inside, which is caught outside",
    `function root(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const x of w) { if (x < 0) throw new RangeError("negative"); s += (x * x) / 2; } return s; }
${of('(w: number[]): number => { try { return root(w); } catch (e) { return e instanceof RangeError && e.message === "negative" ? 7 * w[0]! : 0; } }')}([3, -1]);`,
    [21, [7, 0]],
  ],
  [
    "NaN",
    `${SQUARES}\n${of("(w: number[]): number => { try { return squares(w); } catch { return 0; } }")}([NaN, 2]);`,
    [NaN, [NaN, 4]],
  ],
  [
    "an infinite slope behind a zero",
    `function roots(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const x of w) s += Math.sqrt(x) / 2; return s; }
${of("(w: number[]): number => { try { return roots([w[0]!]) * 0 + w[1]!; } catch { return 0; } }")}([0, 2]);`,
    [2, [0, 1]],
  ],
  [
    "a function that a method of lists calls",
    `${POWER}\nconst square = (x: number): number => power(x, 2);
${of("(w: number[]): number => { try { return w.map(square).reduce((s, x) => s + x, 0); } catch { return 0; } }")}([1, 3]);`,
    [10, [2, 6]],
  ],
  [
    "an arrow function that a const names",
    `const squares = (w: readonly number[]): number => { let s = 0; for (let k = 0; k < 2; k++) s += w.reduce((t, x) => t + x * x, 0) / 2; return s; };
${of("(w: number[]): number => { try { return squares(w); } catch { return 0; } }")}([1, 2]);`,
    [5, [2, 4]],
  ],
  [
    "constants of the module",
    `const SCALE = 3;\nfunction scaled(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const x of w) s += (SCALE * x) / 2; return s; }
${of("(w: number[]): number => { try { return scaled(w); } catch { return 0; } }")}([1, 2]);`,
    [9, [3, 3]],
  ],
  [
    "lists and records of the module",
    `const TABLE = [2, 3], OPTIONS = { scale: 5, by: [1, 1] };\nfunction weighed(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < w.length; i++) s += (w[i]! * TABLE[i]! * OPTIONS.scale * OPTIONS.by[i]!) / 2; return s; }
${of("(w: number[]): number => { try { return weighed(w); } catch { return 0; } }")}([1, 2]);`,
    [40, [10, 15]],
  ],
  [
    "what a generator yields",
    `${DOT}\nfunction* parts(w: number[]): Generator<number> { try { for (let k = 1; k < 3; k++) yield dot(w, [k, k]); } finally { w; } }
${of("(w: number[]): number => { let s = 0; for (const part of parts(w)) s += part; return s; }")}([1, 2]);`,
    [9, [3, 3]],
  ],
  [
    "a pullback, which is called twice",
    `${SQUARES}\nfunction f(w: number[]): number { try { return squares(w); } catch { return 0; } }
const [, pull] = vjp(f)([1, 2]);\nexport const value = [pull(1), pull(10)];`,
    [[[2, 4]], [[20, 40]]],
  ],
  [
    "a pushforward",
    `${SQUARES}\nfunction f(w: number[]): number { try { return squares(w) * w[0]!; } catch { return 0; } }
export const value = jvp(f)([[1, 2]], [[1, 10]]);`,
    [5, 5 + 2 + 40],
  ],
  [
    "a result that is a list: a pullback, which is called twice, after what was given is written",
    `${SUMS}\nfunction f(x: number[]): number { try { const y = sums(x.map((e) => e * e)); return y[0]! * y[1]!; } catch { return 0; } }
const given = [1, 2], [, pull] = vjp(f)(given);\ngiven[0] = 9;\nexport const value = [pull(1), pull(10)];`,
    [[[4 * 10 + 2 * 4, 2 * 8]], [[480, 160]]],
  ],
  [
    "a result that is a list: a pushforward",
    `${SUMS}\nfunction f(x: number[]): number { try { return sums(x)[1]! * x[0]!; } catch { return 0; } }
export const value = jvp(f)([[1, 2]], [[1, 10]]);`,
    [6, 22 + 6],
  ],
  [
    "a result that is a list: rows of a Jacobian",
    `${SUMS}\nfunction f(x: number[]): number[] { try { const y = sums(x); return [y[1]! * y[0]!, x[1]!]; } catch { return []; } }
export const value = jacrev(f)([1, 2]);`,
    [
      [2 * 2 + 6 * 2, 2 * 2],
      [0, 1],
    ],
  ],
];

/** Whose sweeps are recorded: one node for each operation. */
const NESTED: readonly [string, string, unknown] = [
  "a derivative inside of another one",
  `${POWER}\nfunction inner(x: number): number { try { return power(x, 3); } catch { return 0; } }
${of("(y: number): number => { try { return y * grad(inner)(2); } catch { return 0; } }")}(5);`,
  [60, 12],
];

describe("closed forms", () => {
  test("a derivative inside of another one is no step", () => {
    const [, source, value] = NESTED;
    const text = built(source);
    expect(stepsIn(text)).toEqual([]);
    expect(run(text)).toEqual(value);
  });
  test.each(PROGRAMS)("%s", (_what, source, value) => {
    const text = built(source);
    expect(stepsIn(text)).not.toEqual([]);
    expect(run(text)).toEqual(value);
  });
});

/** Programs in which a function has to be recorded, which is seen where it runs. */
const OTHERWISE: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "an accessor of a class",
    `class Square { constructor(readonly x: number) {} get a(): number { return this.x * this.x; } }
function total(o: { readonly a: number }): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < 1; i++) s += o.a; return s; }
${of("(x: number): number => { try { return total(new Square(x)); } catch { return 0; } }")}(3);`,
    [18, 12],
  ],
  [
    "a text among numbers",
    `${SQUARES}\n${of('(x: number): number => { try { return squares([x, "2"] as unknown as number[]); } catch { return 0; } }')}(3);`,
    [13, 6],
  ],
  [
    "a list of the module that holds a number of the run",
    `const kept: number[] = [1, 1];\nfunction weighed(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < w.length; i++) s += (w[i]! * kept[i]!) / 2; return s; }
${of("(w: number[]): number => { try { kept[0] = w[1]!; return weighed(w); } catch { return 0; } }")}([3, 2]);`,
    [8, [2, 4]],
  ],
  [
    "an object that is no list",
    `${SQUARES}\n${of("(x: number): number => { try { return squares({ 0: x, 1: 2, length: 2 } as unknown as number[]); } catch { return 0; } }")}(3);`,
    [13, 6],
  ],
  [
    "an object that is no list, recorded",
    `${SQUARES}\nexport const value = valueAndGrad((x: number): number => squares({ 0: x, 1: 2, length: 2 } as unknown as number[]), { engine: "delta" })(3);`,
    [13, 6],
  ],
  [
    "one list twice in a result",
    `function both(x: readonly number[]): number[][] { const y: number[] = []; for (let k = 0; k < 2; k++) for (let i = 0; i < x.length; i++) y[i] = (x[i]! * x[i]!); return [y, y]; }
${of("(x: number[]): number => { try { const [a, b] = both(x); a![0] = 5; return b![0]! * a![1]!; } catch { return 0; } }")}([2, 3]);`,
    [45, [0, 30]],
  ],
  [
    "a text among the numbers of which a list is made",
    `${SUMS}\n${of('(x: number): number => { try { const y = sums([x, "2"] as unknown as number[]); return y.length * x; } catch { return 0; } }')}(3);`,
    [6, 2],
  ],
  [
    "a field that its type does not have",
    `function total(o: { readonly a: number }): number { let s = 0; for (let k = 0; k < 2; k++) for (const each of Object.values(o)) s += each * o.a; return s; }
${of("(x: number): number => { try { const o = { a: x, b: x * x }; return total(o); } catch { return 0; } }")}(3);`,
    [2 * (9 + 27), 2 * (6 + 27)],
  ],
  [
    "an accessor",
    `function total(o: { readonly a: number }): number { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < 1; i++) s += o.a; return s; }
${of("(x: number): number => { try { return total({ get a() { return x * x; } }); } catch { return 0; } }")}(3);`,
    [18, 12],
  ],
];

describe("what types said is not so, and what may be so or not", () => {
  test.each(OTHERWISE)("%s", (_what, source, value) => {
    expect(run(built(source))).toEqual(value);
  });
});

/** Functions that are recorded: what they do is more than their value, or a gradient of theirs would take longer than they. */
const RECORDED: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "an argument is written",
    `function first(w: number[]): number { for (let k = 0; k < 1; k++) for (let i = 1; i < w.length; i++) w[0] = w[0]! + w[i]!; return w[0]!; }
${of("(w: number[]): number => { try { const s = first(w); return s * w[0]!; } catch { return 0; } }")}([1, 2]);`,
    [9, [6, 6]],
  ],
  [
    "a variable of the module is written",
    `let last = 0;\nfunction noted(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const x of w) s += x / 2; last = s; return s; }
${of("(w: number[]): number => { try { return noted(w) * last; } catch { return 0; } }")}([1, 2]);`,
    [9, [6, 6]],
  ],
  [
    "a variable of the module is read",
    `let scale = 1;\nfunction scaled(w: readonly number[]): number { let s = 0; for (let k = 0; k < 2; k++) for (const x of w) s += (x * scale) / 2; return s; }
${of("(w: number[]): number => { try { scale = w[0]!; return scaled(w); } catch { return 0; } }")}([3, 2]);`,
    [15, [8, 3]],
  ],
  [
    "what is thrown holds a number",
    `class Found extends Error { constructor(readonly at: number) { super("found"); } }\nfunction search(w: readonly number[]): number { for (let k = 0; k < 2; k++) for (const x of w) if (x > 1) throw new Found(x * x); return 0; }
${of("(w: number[]): number => { try { return search(w); } catch (e) { return e instanceof Found ? e.at : 0; } }")}([1, 3]);`,
    [9, [0, 6]],
  ],
  [
    "a number is thrown",
    `function search(w: readonly number[]): number { for (let k = 0; k < 2; k++) for (const x of w) if (x > 1) throw x * x; return 0; }
${of('(w: number[]): number => { try { return search(w); } catch (e) { return typeof e === "number" ? e : 0; } }')}([1, 3]);`,
    [9, [0, 6]],
  ],
  [
    "an argument decides which element is read",
    `function near(w: readonly number[], i: number): number { let s = 0; for (let j = 0; j < 2; j++) for (let k = -1; k < 2; k++) s += (w[i + k] ?? 0) / 2; return s; }
${of("(w: number[]): number => { let s = 0; try { for (let i = 0; i < w.length; i++) s += near(w, i) * w[i]!; } finally { void 0; } return s; }")}([1, 2, 4]);`,
    [1 * 3 + 2 * 7 + 4 * 6, [6, 14, 12]],
  ],
  [
    "all elements are read once",
    `function squares(w: readonly number[]): number { let s = 0; for (const x of w) s += x * x; return s; }
${of("(w: number[]): number => { try { return squares(w); } catch { return 0; } }")}([1, 2]);`,
    [5, [2, 4]],
  ],
  [
    "the elements of what is largest are read once",
    `function times(rows: readonly (readonly number[])[], x: readonly number[]): number[] { const y: number[] = []; for (const row of rows) { let s = 0; for (let i = 0; i < x.length; i++) s += row[i]! * x[i]!; y.push(s); } return y; }
${of("(x: number[]): number => { try { const y = times([x, [x[1]!, 1]], x); return y[0]! + 2 * y[1]!; } catch { return 0; } }")}([2, 3]);`,
    [13 + 2 * 9, [4 + 2 * 3, 6 + 2 * 2 + 2]],
  ],
  [
    "the result is what was given",
    `function larger(a: number[], b: number[]): number[] { let s = 0; for (let k = 0; k < 2; k++) for (let i = 0; i < a.length; i++) s += a[i]! - b[i]!; return s > 0 ? a : b; }
${of("(x: number[]): number => { try { const y = larger(x, [1, 1]); y[0] = 7; return x[0]! * x[1]!; } catch { return 0; } }")}([3, 5]);`,
    [35, [0, 7]],
  ],
  [
    "no loop",
    `function product(p: { readonly x: number; readonly y: number }): number { return p.x * p.y; }
${of("(x: number): number => { try { return product({ x, y: x }); } catch { return 0; } }")}(3);`,
    [9, 6],
  ],
  [
    "a call that asks for this engine",
    `${SQUARES}\nexport const value = valueAndGrad((w: number[]): number => squares(w), { engine: "delta" })([1, 2]);`,
    [5, [2, 4]],
  ],
];

describe("what is no step", () => {
  test.each(RECORDED)("%s", (_what, source, value) => {
    const text = built(source);
    expect(stepsIn(text)).toEqual([]);
    expect(run(text)).toEqual(value);
  });
});

test("a parameter that no number with an id reaches has no cotangent", () => {
  const text = built(
    `${DOT}\nexport const value = grad((w: number[], x: readonly number[]): number => { try { return dot(w, x); } catch { return 0; } })([3, 5], [1, 2]);`,
  );
  expect(text).toContain("$d.step(dot, dot$vagTuple$a, [0], [[0]], $, [a, b])");
  expect(run(text)).toEqual([1, 2]);
});

test("where nothing varies the function itself is called", () => {
  const text = built(
    `${SQUARES}\nexport const value = grad((w: number[], x: number[]): number => { try { const both = [w, x]; return both.length * squares(x) * w[0]!; } catch { return 0; } })([3], [1, 2]);`,
  );
  expect(
    run(text.replace("$d.step(squares, squares$", "$d.step(squares, undefined && squares$")),
  ).toEqual([10]);
});

test("what `tsgrad explain` says of it", () => {
  const host = programOf({
    "input.ts": `${HEAD}${SQUARES}\nfunction f(w: number[]): number { try { return squares(w); } catch { return 0; } }\nexport const d = grad(f);`,
  });
  expect(explain(host, "/src/input.ts", "f")).toMatch(
    /^one step {2}squares by squares\$vagTuple\$w$/m,
  );
  expect(explain(host, "/src/input.ts", "squares")).toContain(
    "asked for by the Delta engine, which calls it as one step of its tape",
  );
});
