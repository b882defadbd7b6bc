// Programs of numbers, whose derivatives know nothing else (transformer/delta/plan/lean.ts). In: small programs, with a run time of their own, so that nothing is there
// that they did not ask for. Out: closed forms, and what is refused.

import { describe, expect, test, vi } from "vitest";
import { CHUNK } from "../../runtime/delta/tape.ts";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { type Exports, loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad, valueAndGrad } from "tsgrad";\n`;

function built(source: string): string {
  const { edits, diagnostics } = analyse(programOf({ "input.ts": HEAD + source }));
  expect(diagnostics).toEqual([]);
  return applyEdits("/src/input.ts", HEAD + source, edits.get("/src/input.ts") ?? []).text;
}

/** Other test files may have used families in theirs. */
async function fresh(): Promise<Exports> {
  vi.resetModules();
  const made = await import("../../runtime/delta/index.ts");
  vi.resetModules();
  return made;
}
const delta = await fresh();

const valueOf = (source: string): unknown => {
  const text = built(source);
  expect(text).toMatch(/\$d\.(?:grad|valueAndGrad)Of(?:Numbers)?\(/);
  return loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts")["value"];
};

/** `x`, or 0 where it throws. */
const TRY = "try { if (x > 100) throw new Error(`at ${x}`); y = x; } catch { y = 0; }";

const PROGRAMS: readonly (readonly [string, string, unknown])[] = [
  [
    "no accessors: create(1, 2)",
    `const create = (a: number, b: number): number => a * b;\nconst two = create(1, 2);\nexport const value = grad((xs: number[], p: { k: number }): number => { let y = 0; try { y = xs[0]! * p.k; } catch { y = 0; } return y; })([3], { k: 2 })[0];`,
    2,
  ],
  [
    "no accessors: comment",
    `// get k() { } Proxy defineProperty(o, { get })\nconst two = 2, text = "get x() { } Proxy".length > 0;\nexport const value = grad((xs: number[], p: { k: number }): number => { let y = 0; try { y = xs[0]! * p.k; } catch { y = 0; } return y; })([3], { k: 2 })[0];`,
    2,
  ],
  [
    "no accessors: data",
    `const two = 2, o = Object.create(null);\nObject.defineProperty(o, "a", { value: two });\nexport const value = grad((xs: number[], p: { k: number }): number => { let y = 0; try { y = xs[0]! * p.k; } catch { y = 0; } return y; })([3], { k: 2 })[0];`,
    2,
  ],
  [
    "its value too",
    `export const value = valueAndGrad((x: number): number => { let y = 0; ${TRY} return y * y; })(3);`,
    [9, 6],
  ],
  [
    "a list of positions",
    `export const value = grad((x: number, z: number): number => { let y = 0; ${TRY} return y * z; }, { argnums: [1, 0] })(3, 5);`,
    [3, 5],
  ],
  [
    "a position",
    `export const value = grad((x: number, z: number): number => { let y = 0; ${TRY} return y * z * z; }, { argnums: 1 })(3, 5);`,
    30,
  ],
  [
    "what does not depend on it",
    `export const value = grad((x: number): number => { let y = 0; ${TRY} return 4; })(3);`,
    0,
  ],
  [
    "the caught branch",
    `export const value = grad((x: number): number => { let y = 0; ${TRY} return y * y + x; })(200);`,
    1,
  ],
  [
    "an error of the user's",
    `const d = grad((x: number): number => { let y = 0; ${TRY} if (y < 0) throw new RangeError("negative"); return y * y; });
let met: unknown; try { d(-1); } catch (e) { met = e instanceof RangeError; }\nexport const value = [met, d(3)];`,
    [true, 6],
  ],
  [
    "a thrown number",
    `export const value = grad((x: number): number => { try { throw x * x; } catch (e) { return (e as number); } })(3);`,
    6,
  ],
  [
    "a number that a finally passes",
    `export const value = grad((x: number): number => { let z = 0; try { return x * x; } finally { z = x * 7; } })(3);`,
    6,
  ],
  [
    "recursion, by a function called by name",
    `function power(x: number, n: number): number { try { return n === 0 ? 1 : x * power(x, n - 1); } finally { void 0; } }\nexport const value = grad(power)(2, 5);`,
    80,
  ],
  [
    "by name, a list of positions",
    `function f(x: number, z: number, w: number): number { let y = 0; ${TRY} return y * z + w; }\nexport const value = grad(f, { argnums: [1, 0] })(3, 5, 7);`,
    [3, 5],
  ],
  [
    "by name, a list of one position, and the value",
    `function f(x: number, z: number): number { let y = 0; ${TRY} return y * z * z; }\nexport const value = valueAndGrad(f, { argnums: [1] })(3, 5);`,
    [75, [30]],
  ],
  [
    "by name, parameters that are called as emitted code calls its own",
    `function f(i: number, bar: number, first: number): number { try { return i * bar * bar * first; } finally { void 0; } }\nexport const value = grad(f, { argnums: [0, 1] })(2, 3, 5);`,
    [45, 60],
  ],
  [
    "by name, a parameter that is taken apart",
    `function f(x: number, { k }: { k: number }): number { let y = 0; ${TRY} return y * y * k; }\nexport const value = grad(f)(3, { k: 5 });`,
    30,
  ],
  [
    "by name, a parameter with a default",
    `function f(x: number, k = 5): number { let y = 0; ${TRY} return y * y * k; }\nexport const value = grad(f)(3);`,
    30,
  ],
  [
    "functions of Math, remainders, powers",
    `export const value = grad((x: number): number => { let y = 0; ${TRY} return Math.max(y, 1) * Math.hypot(y, 0) + (y % 2) + y ** 3 + Math.atan2(0, y); })(3);`,
    6 + 1 + 27,
  ],
  [
    "NaN",
    `export const value = grad((x: number): number => { let y = 0; ${TRY} return Math.sqrt(-y); })(3);`,
    NaN,
  ],
  [
    "an infinite slope",
    `export const value = grad((x: number): number => { let y = 0; ${TRY} return Math.sqrt(y); })(0);`,
    Infinity,
  ],
  [
    "a derivative inside, which is a constant to the outer one",
    `const inner = grad((x: number): number => { let y = 0; ${TRY} return y * y; });
const slope = inner(3);\nexport const value = grad((x: number): number => { let y = 0; ${TRY} return y * slope; })(5);`,
    6,
  ],
  [
    "called many times",
    `const d = grad((x: number): number => { let y = 0; ${TRY} return y * y; });\nlet s = 0;\nfor (let k = 0; k < 100; k++) s += d(k);\nexport const value = s;`,
    9900,
  ],
  [
    "more nodes than a chunk of the tape",
    `export const value = grad((x: number): number => { let y = 0; ${TRY} for (let k = 0; k < 600000; k++) y = y * 1 + 1; return y; })(3);`,
    1,
  ],
  [
    "an argument that is not differentiated may be anything",
    `export const value = grad((x: number, _o: { a: number[] }): number => { let y = 0; ${TRY} return y * y; })(3, { a: [1] });`,
    6,
  ],
];

describe("closed forms", () => {
  test.each(PROGRAMS)("%s", (_what, source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });
});

/** Lists and records, too: the whole engine is asked as well, and agrees. */
const DATA: readonly (readonly [string, string, unknown])[] = [
  [
    "elements and fields",
    `function f(p: { x: number; y: number }, ws: readonly number[]): number {
  let s = 0; const seen: number[] = [];
  try { for (let i = 0; i < ws.length; i++) { seen[i] = ws[i]! * p.x; s += seen[i]! * p.y; } } finally { void 0; }
  return s;
}
export const value = grad(f, { argnums: [0, 1] })({ x: 2, y: 3 }, [1, 4]);`,
    [{ x: 15, y: 10 }, [6, 6]],
  ],
  [
    "what is written is read again",
    `export const value = grad((xs: number[]): number => { try { xs[0] = xs[1]! * 2; xs.length = 1; return xs[0]! * 3; } catch { return 0; } })([1, 2, 5]);`,
    [0, 6, 0],
  ],
  [
    "records in lists, texts in records",
    `interface Layer { readonly name: string; readonly w: readonly number[]; readonly bias?: number }
function f(layers: readonly Layer[]): number {
  let s = 1;
  try { for (const { name, w, bias } of layers) { if (name === "skip") continue; s = s * (w[0] ?? 1) + (bias ?? 0); } } finally { void 0; }
  return s;
}
export const value = grad(f)([{ name: "a", w: [2, 7] }, { name: "skip", w: [] }, { name: "b", w: [3], bias: 5 }]);`,
    [{ w: [3, 0] }, { w: [] }, { w: [2], bias: 1 }],
  ],
  [
    "tuples, and a spread",
    `export const value = grad((p: readonly [number, { k: number }, string]): number => { try { const q = [...p, 1] as const; const o = { ...p[1], m: p[0] }; return q[0] * o.k + o.m; } catch { return 0; } })([2, { k: 3 }, "t"]);`,
    [4, { k: 2 }, "t"],
  ],
  [
    "assigned patterns",
    `export const value = grad((p: number[]): number => { let a = 0, b = 0; try { [a, b] = [p[1]!, p[0]!]; return a * a * b; } catch { return 0; } })([3, 5]);`,
    [25, 30],
  ],
  [
    "records that are made and changed",
    `function step(o: { x: number; v: number }): { x: number; v: number } { return { x: o.x + o.v, v: o.v * 0.5 }; }
export const value = grad((o: { x: number; v: number }): number => { let at = o; try { for (let k = 0; k < 2; k++) { at = step(at); at.x *= 2; } return at.x; } catch { return 0; } })({ x: 1, v: 1 });`,
    { x: 4, v: 5 },
  ],
  [
    "a record that another name stands for",
    `export const value = grad((o: { x: number }): number => { try { const p = o; p.x = p.x * p.x; return o.x * o.x; } catch { return 0; } })({ x: 3 });`,
    { x: 108 },
  ],
  [
    "lists of lists, by a recursion",
    `function sum(rows: readonly (readonly number[])[], k: number): number { try { return k < rows.length ? rows[k]![0]! * rows[k]!.length + sum(rows, k + 1) : 0; } finally { void 0; } }
export const value = grad((rows: readonly (readonly number[])[]): number => sum(rows, 0))([[1, 2], [3], [4, 5, 6]]);`,
    [[2, 0], [1], [3, 0, 0]],
  ],
  [
    "a table of the module, and a variable that is written",
    `const table = [2, 3]; let last = 0;
export const value = grad((xs: number[]): number => { try { last = xs[0]! * table[1]!; return last * last; } catch { return 0; } })([1]);`,
    [18],
  ],
  [
    "frozen arguments",
    `export const value = grad((o: Readonly2): number => { try { return o.xs[0]! * o.k; } catch { return 0; } })(Object.freeze({ k: 2, xs: Object.freeze([5]) as readonly number[] }));
interface Readonly2 { readonly k: number; readonly xs: readonly number[] }`,
    { k: 5, xs: [2] },
  ],
  [
    "holes, and reads behind the end",
    `export const value = grad((xs: number[]): number => { try { let s = 0; for (let i = 0; i < 4; i++) s += (xs[i] ?? 7) * 2; return s; } catch { return 0; } })([1, 2]);`,
    [2, 2],
  ],
  [
    "nothing in it",
    `export const value = grad((xs: number[]): number => { try { return xs.length; } catch { return 0; } })([]);`,
    [],
  ],
  [
    "values that are no numbers",
    `export const value = grad((xs: { a: number; b: string | null; c: boolean }[]): number => { try { return xs[0]!.c ? xs[0]!.a * 2 : 0; } catch { return 0; } })([{ a: 1, b: null, c: true }, { a: 2, b: "", c: false }]);`,
    [{ a: 2 }, { a: 0 }],
  ],
  [
    "an argument that is not differentiated",
    `export const value = grad((x: number, o: { k: readonly number[] }): number => { try { return x * x * o.k[0]!; } catch { return 0; } })(3, { k: [2] });`,
    12,
  ],
  [
    "NaN and Infinity",
    `export const value = grad((xs: number[]): number => { try { return Math.sqrt(xs[0]!) + Math.sqrt(xs[1]!); } catch { return 0; } })([0, -1]);`,
    [Infinity, NaN],
  ],
  [
    "records that are alike",
    `export const value = grad((ps: { x: number; y: number }[]): number => { let s = 0; try { for (const p of ps) s += p.x * p.x * p.y; } catch { s = 0; } return s; })([{ x: 2, y: 3 }, { x: 4, y: 5 }]);`,
    [
      { x: 12, y: 4 },
      { x: 40, y: 16 },
    ],
  ],
  [
    "records with their fields in another order, with one more, and with an object",
    `interface P { x: number; y?: number; at?: { x: number } }
export const value = grad((ps: P[]): number => { let s = 0; try { for (const p of ps) s += p.x * (p.y ?? 2) * (p.at?.x ?? 3); } catch { s = 0; } return s; })([{ x: 2, y: 3 }, { y: 4, x: 5 }, { x: 7 }, { x: 1, at: { x: 6 } }]);`,
    [{ x: 9, y: 6 }, { x: 12, y: 15 }, { x: 6 }, { x: 12, at: { x: 2 } }],
  ],
  [
    "records again and again, more of them",
    `interface P { x: number; y: number }
const d = grad((ps: readonly P[]): number => { let s = 0; try { for (const p of ps) s += p.x * (p.x + p.y); } catch { s = 0; } return s; }), ps: P[] = [{ x: 2, y: 3 }, { x: 4, y: 5 }];
d(ps);\nps.push({ x: 6, y: 7 });\nexport const value = d(ps);`,
    [
      { x: 7, y: 2 },
      { x: 13, y: 4 },
      { x: 19, y: 6 },
    ],
  ],
  [
    "records in rows of rows",
    `export const value = grad((rows: { x: number }[][]): number => { let s = 0; try { for (const row of rows) for (const p of row) s += p.x * p.x * rows.length; } catch { s = 0; } return s; })([[{ x: 1 }, { x: 2 }], [], [{ x: 3 }]]);`,
    [[{ x: 6 }, { x: 12 }], [], [{ x: 18 }]],
  ],
  [
    "reduce, of products, of a maximum, of what comes last, by the place",
    `const d = grad((xs: number[], ws: readonly number[]): number => xs.reduce((s, x, i) => s + x * x * ws[i]!, 1) * xs.reduce((m, x) => Math.max(m, x), -Infinity) + xs.reduce((_, x) => x, 0) + xs.reduce((s, x, i) => s * x + i, 2), { engine: "delta" });
export const value = [d([2, 3], [1, 10]), d([2], [5])];`,
    [[12 + 6, 180 + 95 + 1 + 4], [20 * 2 + 21 + 1 + 2]],
  ],
  [
    "reduce without a start, of an empty list, of a choice",
    `const d = grad((xs: number[]): number => xs.reduce((s, x) => s * x) + [].reduce((s: number, x: number) => s + x, 4) * xs.reduce((s, x) => x > 2 ? s + x * x : s - x, 0), { engine: "delta" });
export const value = [d([2, 3, 5]), d([3])];`,
    [[15 - 4, 10 + 24, 6 + 40], [1 + 24]],
  ],
  [
    "reduce that carries a record, and one that carries nothing of the list",
    `export const value = grad((xs: number[]): number => { const { a, n } = xs.reduce((s, x) => ({ a: s.a * x, n: s.n + 1 }), { a: 1, n: 0 }); return a * n * xs.reduce((n) => n + 1, 0); }, { engine: "delta" })([2, 3]);`,
    [12, 8],
  ],
  [
    "forEach that adds, leaves out and writes",
    `export const value = grad((xs: number[]): number => { let s = 0; const out = [0, 0, 0]; xs.forEach((x, i) => { if (x < 0) return; s += x * x; out[i] = x * s; }); return out.reduce((a, b) => a + b, s); }, { engine: "delta" })([2, -1, 3]);`,
    [4 + 12 + 12, 0, 6 + 4 + 27],
  ],
  [
    "map of a choice, and reduce of records",
    `export const value = grad((xs: number[], ps: readonly { w: number }[]): number => xs.map((x) => x > 1 ? x * x : 0.5 * x).reduce((s, x) => s + x * x, 0) + ps.reduce((s, p) => s + p.w * xs[0]!, 0), { engine: "delta" })([2, 1], [{ w: 3 }, { w: 4 }]);`,
    [32 + 7, 0.5],
  ],
  [
    "one list twice in what is not differentiated",
    `const w = [2];
export const value = grad((xs: number[], ws: readonly (readonly number[])[]): number => { try { return xs[0]! * ws[0]![0]! * ws[1]![0]!; } catch { return 0; } })([3], [w, w]);`,
    [4],
  ],
];

/** `$d.gradOf(f, args, 0, $d.aggregates)  ->  $d.grad(f, args, { argnums: 0 })` */
const whole = (text: string): string =>
  text
    .replace(
      /\$d\.(grad|valueAndGrad)Of\(([^;]*), args, ([^;]*), \$d\.aggregates(?:, \[[\d, ]*\])?\)/g,
      (_all, form, f, argnums) => `$d.${form}(${f}, args, { argnums: ${argnums} })`,
    )
    .replace(
      /\$d\.(grad|valueAndGrad)Of\(([^;]*), \$args, ([^;]*), \$d\.aggregates(?:, \[[\d, ]*\])?\)/g,
      (_all, form, f, argnums) => `$d.${form}(${f}, $args, { argnums: ${argnums} })`,
    );

describe("lists and records", () => {
  test.each(DATA)("%s", (_what, source, expected) => {
    expect(built(source)).toMatch(/\$d\.aggregates(?:, \[[\d, ]*\])?\)|\$d\.gradOf\(/);
    expect(valueOf(source)).toEqual(expected);
    const other = whole(built(source));
    expect(loader(new Map([["/src/input.ts", other]]))("/src/input.ts")["value"]).toEqual(expected);
  });

  test.each([
    [
      "one object twice in an argument",
      `const p = { x: 1 };
export const value = grad((ps: { x: number }[]): number => { try { return ps[0]!.x; } catch { return 0; } })([p, p]);`,
      /^TSG0004: argument 0 holds one object twice/,
    ],
    [
      "one object in two arguments",
      `const p = [1];
export const value = grad((xs: number[], ys: number[]): number => { try { return xs[0]! * ys[0]!; } catch { return 0; } }, { argnums: [0, 1] })(p, p);`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "one object in an argument that is not differentiated",
      `const p = [1];
export const value = grad((xs: number[], ys: number[]): number => { try { return xs[0]! * ys[0]!; } catch { return 0; } }, { argnums: 1 })(p, p);`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "a record of an argument that is differentiated, in a list of another one",
      `const p = { x: 1 };
export const value = grad((o: { x: number }, os: { x: number }[]): number => { try { return o.x * os[1]!.x; } catch { return 0; } })(p, [{ x: 2 }, p]);`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "the same deeper inside, one of many",
      `const p = Array.from({ length: 9 }, (_, x) => [x]);
export const value = grad((a: number[][], os: { xs: readonly number[] }[]): number => { try { return a[0]![0]! * os[0]!.xs[0]!; } catch { return 0; } })(p, [{ xs: [1] }, { xs: p[7]! }]);`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "one record of a list, in a list of another argument",
      `const p = { x: 1 };
export const value = grad((a: { x: number }[], b: { x: number }[]): number => { try { return a[0]!.x * b[1]!.x; } catch { return 0; } }, { argnums: [0, 1] })([{ x: 3 }, p], [{ x: 2 }, p]);`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "one record of a list, that is an argument, too",
      `const p = { x: 1 };
export const value = grad((a: { x: number }[], b: { x: number }): number => { try { return a[0]!.x * b.x; } catch { return 0; } }, { argnums: [0, 1] })([{ x: 3 }, p], p);`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "one record of a list, in what is not differentiated",
      `const p = { x: 1 };
export const value = grad((a: { x: number }[], b: { p: { x: number } }): number => { try { return a[0]!.x * b.p.x; } catch { return 0; } })([{ x: 3 }, p], { p });`,
      /^TSG0004: argument 0 and argument 1 are/,
    ],
    [
      "one record in two rows of an argument",
      `const p = { x: 1 };
export const value = grad((a: { x: number }[][]): number => { try { return a[0]![0]!.x; } catch { return 0; } })([[p], [{ x: 2 }, p]]);`,
      /^TSG0004: argument 0 holds one object twice/,
    ],
    [
      "a typed array",
      `export const value = grad((xs: number[]): number => { try { return xs[0]!; } catch { return 0; } })(new Float64Array(2) as unknown as number[]);`,
      /^TSG0021/,
    ],
    [
      "a Map",
      `export const value = grad((o: { x: number }): number => { try { return o.x; } catch { return 0; } })(new Map() as unknown as { x: number });`,
      /^TSG0021/,
    ],
    [
      "a typed array in a record",
      `export const value = grad((o: { xs: number[] }): number => { try { return o.xs[0]!; } catch { return 0; } })({ xs: new Float64Array(1) as unknown as number[] });`,
      /^TSG0021/,
    ],
  ])("%s throws", (_what, source, error) => {
    expect(() => valueOf(source)).toThrow(error);
  });

  test("an accessor that no code of the program has throws", () => {
    const text = built(
      `export const d = grad((o: { k: number; x: number }): number => { try { return o.x * o.k; } catch { return 0; } });`,
    );
    const { d } = loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts");
    const half = Object.defineProperty({ x: 3, k: 0 }, "k", {
      get() {
        return 2 * this.x;
      },
    });
    expect(() => typeof d === "function" && d(half)).toThrow(/^TSG0021/);
  });

  test("an accessor in a record of a list throws, whatever the others hold", () => {
    const text = built(
      `export const d = grad((os: { k: number; x: number }[]): number => { let s = 0; try { for (const o of os) s += o.x * o.k; } catch { s = 0; } return s; });`,
    );
    const { d } = loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts");
    const half = Object.defineProperty({ x: 3, k: 0 }, "k", {
      get() {
        return 2 * this.x;
      },
    });
    expect(() => typeof d === "function" && d([{ x: 1, k: 2 }, half])).toThrow(/^TSG0021/);
  });

  test("inherited fields, and one called __proto__, are as they were", () => {
    const text = built(
      `export const d = grad((os: { x: number }[]): number => { let s = 0; try { for (const o of os) s += o.x * o.x; } catch { s = 0; } return s; });`,
    );
    const { d } = loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts");
    const of = (os: unknown): unknown => typeof d === "function" && d(os);
    const heir: unknown = Object.assign(Object.create({ y: 1 }), { x: 3 });
    const odd: unknown = JSON.parse('{ "x": 4, "__proto__": 5 }');
    // an inherited number can be read, so it has a cotangent
    expect(of([{ x: 2 }, heir])).toEqual([{ x: 4 }, { x: 6, y: 0 }]);
    expect(of([heir])).toEqual([{ x: 6, y: 0 }]);
    expect(JSON.stringify(of([odd]))).toBe('[{"x":8,"__proto__":0}]');
  });

  test("an object of the host, whose fields are accessors, is a constant", () => {
    const text = built(
      `export const d = grad((x: number, p: { k: number }): number => { try { return x * x * p.k; } catch { return 0; } });`,
    );
    class Point {
      get k(): number {
        return 5;
      }
    }
    const { d } = loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts");
    expect(typeof d === "function" && d(3, new Point())).toBe(30);
  });
});

test("inputs that the columns have no room for are the first ones of the next", async () => {
  const { begin, end, gradOfNumbers, input, linear2, ret } =
    await import("../../runtime/delta/index.ts");
  const outer = begin();
  for (let k = 0; k < CHUNK - 3; k++) input();
  const inner = (): unknown =>
    gradOfNumbers(
      [2, 5, 7],
      (i) => ret(10, linear2(i, 5, i + 1, 2)),
      (bar) => [bar[0], bar[1], bar[2]],
    );
  expect(inner()).toEqual([5, 2, 0]);
  expect(inner()).toEqual([5, 2, 0]);
  end(outer);
  expect(inner()).toEqual([5, 2, 0]);
});

describe("what the types did not say throws", () => {
  test.each([
    ["an object as an argument", `[3], 3`],
    ["an object that a function of numbers meets", `{ valueOf: () => 3 }, 3`],
  ])("%s", (what, args) => {
    const source = `const d = grad((x: number, z: number): number => { let y = 0; ${TRY} return Math.sin(z) * y; });\nexport const value = (d as (...args: unknown[]) => unknown)(${args});`;
    expect(() => valueOf(source), what).toThrow(/^TSG0021/);
  });

  test("an object as an argument of a function by name", () => {
    const source = `function f(x: number, z: number): number { let y = 0; ${TRY} return Math.sin(z) * y; }\nconst d = grad(f);\nexport const value = (d as (...args: unknown[]) => unknown)([3], 3);`;
    expect(() => valueOf(source)).toThrow(/^TSG0021/);
  });

  test("and a catch of the user's makes no number of it", () => {
    expect(() =>
      valueOf(
        `const d = grad((x: number): number => { try { return Math.sin(x); } catch { return 0; } }) as (x: unknown) => number;\nexport const value = d([1]);`,
      ),
    ).toThrow(/^TSG0021/);
  });

  test("a result that is no number", () => {
    expect(() =>
      valueOf(
        `export const value = grad((x: number): number => { try { return "3" as unknown as number; } catch { return x; } })(3);`,
      ),
    ).toThrow(/^TSG0013/);
  });
});

describe("what is not certain to know numbers only is left to the whole engine", () => {
  test.each([
    [
      "an argument of a library's type",
      `export const d = grad((xs: Float32Array): number => { try { return 3; } catch { return 0; } });`,
    ],
    [
      "`any`",
      `export const d = grad((x: any): number => { try { return x * x; } catch { return 0; } });`,
    ],
    [
      "a call of a value",
      `export const d = grad((x: number, f: (x: number) => number): number => { try { return f(x); } catch { return 0; } });`,
    ],
    [
      "an operand that may be text",
      `export const d = grad((x: number, z: number | string): number => { try { return Math.abs((z === 3 ? x : z) as any) * x; } catch { return 0; } });`,
    ],
    [
      "an accessor somewhere in the program",
      `export const o = { get k(): number { return 2; } };\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: a getter without a space",
      `export const o = { get["k"](): number { return 2; } };\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: a static setter",
      `export class O { static set k(v: number) { void v; } }\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: a descriptor with a name",
      `const own = { get: () => 2 };\nexport const o = Object.defineProperty({}, "k", own);\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: descriptors of several",
      `export const o = Object.defineProperties({}, { k: { get: () => 2 } });\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: a function taken out of Object",
      `const { defineProperty } = Object;\nexport const o = defineProperty({}, "k", { get: () => 2 });\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: a function by its key",
      `export const o = Object["defineProperty"]({}, "k", { get: () => 2 });\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: an object with descriptors",
      `const own = { k: { get: () => 2 } };\nexport const o = Object.create(null, own);\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: Reflect",
      `const own = { get: () => 2 };\nexport const o = {};\nReflect.defineProperty(o, "k", own);\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "accessors: a proxy",
      `export const o = new Proxy({}, {});\nexport const d = grad((x: number, p: { k: number }): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "an iterator that is taken apart",
      `function* two(x: number): Generator<number> { yield x; yield x * x; }\nexport const d = grad((x: number): number => { try { const [a, b] = two(x); return a! * b!; } catch { return 0; } });`,
    ],
    [
      "a text that is run through",
      `export const d = grad((xs: number[], s: string): number => { try { let n = 0; for (const c of s) n += c === "a" ? 1 : 0; return xs[0]! * n; } catch { return 0; } });`,
    ],
    [
      "a typed array",
      `export const d = grad((xs: Float64Array): number => { try { return xs[0]!; } catch { return 0; } });`,
    ],
    [
      "a Map",
      `export const d = grad((o: { m: Map<string, number> }): number => { try { return 3; } catch { return 0; } });`,
    ],
    [
      "a size, which a Map has as an accessor",
      `export const d = grad((x: number, m: ReadonlyMap<string, number>): number => { try { return x * m.size; } catch { return 0; } });`,
    ],
    [
      "a class",
      `class P { k = 2; }\nexport const d = grad((x: number, p: P): number => { try { return x * p.k; } catch { return 0; } });`,
    ],
    [
      "a type that stands in itself",
      `interface Tree { readonly v: number; readonly l?: Tree }\nexport const d = grad((t: Tree): number => { try { return t.v; } catch { return 0; } });`,
    ],
    [
      "a union told apart by a field",
      `export const d = grad((o: { kind: "a"; x: number } | { kind: "b"; y: number }): number => { try { return o.kind === "a" ? o.x : o.y; } catch { return 0; } });`,
    ],
    ["a promise", `export const d = grad(async (x: number): Promise<number> => x * x);`],
    [
      "a function of the program's that is no program of numbers",
      `const table = new Map([[1, 2]]);\nfunction f(x: number): number { return x * (table.get(1) ?? 0); }\nexport const d = grad((x: number): number => { try { return f(x); } catch { return 0; } });`,
    ],
  ])("%s", (_what, source) => {
    const text = built(source);
    expect(text).toMatch(/\$d\.grad\(/);
    expect(text).not.toMatch(/\$d\.gradOf/);
  });
});
