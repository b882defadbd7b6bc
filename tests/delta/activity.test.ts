// What functions are given (transformer/delta/plan/activity.ts): parameters that no number with an id reaches, data, and sums whose node is made behind their loop. In: small programs. Out: closed forms,
// which a lost id would not give, and where it matters what the code asks for.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import * as delta from "../../runtime/delta/index.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad, vjp } from "tsgrad";\n`;

function built(source: string): string {
  const whole = HEAD + source;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": whole }));
  expect(diagnostics).toEqual([]);
  return applyEdits("/src/input.ts", whole, edits.get("/src/input.ts") ?? []).text;
}

const run = (text: string): unknown =>
  loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts")["value"];
const valueOf = (source: string): unknown => run(built(source));

const OF = (options: string): string => `{ engine: "delta"${options} }`;

const PROGRAMS: readonly (readonly [what: string, source: string, value: unknown])[] = [
  [
    "the same function, differentiated by another argument elsewhere",
    `function f(x: number, y: number): number { return x * y * y; }
export const value = [grad(f, ${OF("")})(2, 3), grad(f, ${OF(", argnums: 1")})(2, 3)];`,
    [9, 12],
  ],
  [
    "a helper that one caller gives a constant and another one what varies",
    `function scaled(x: number, by: number): number { return x * by; }
function f(x: number): number { return scaled(x, 3) + scaled(2, x); }
export const value = grad(f, ${OF("")})(5);`,
    5,
  ],
  [
    "recursion in which arguments change their places",
    `function g(a: number, b: number, n: number): number { return n === 0 ? a * a : g(b, a, n - 1); }
function f(x: number): number { return g(4, x, 3); }
export const value = grad(f, ${OF("")})(5);`,
    10,
  ],
  [
    "a parameter that is assigned what varies",
    `function f(x: number, y: number): number { y = y + x; return y * y; }
export const value = grad(f, ${OF("")})(2, 3);`,
    10,
  ],
  [
    "a default that varies",
    `function g(a: number, b: number = a * a): number { return a * b; }
function f(x: number): number { return g(x); }
export const value = grad(f, ${OF("")})(2);`,
    12,
  ],
  [
    "arguments that are spread",
    `function g(a: number, b: number): number { return a * b * b; }
function f(x: number): number { const both: [number, number] = [2, x]; return g(...both); }
export const value = grad(f, ${OF("")})(5);`,
    20,
  ],
  [
    "a function that is called by name and as a value",
    `function g(a: number, b: number): number { return a * b; }
function f(x: number): number { const h = g; return g(x, 2) + h(3, x); }
export const value = grad(f, ${OF("")})(5);`,
    5,
  ],
  [
    "a function that a method of lists calls",
    `function g(a: number, k: number): number { return a * k; }
function f(x: number): number { return g(3, 4) + [x, x].map(g).reduce((s, e) => s + e, 0); }
export const value = grad(f, ${OF("")})(5);`,
    1,
  ],
  [
    "a function in an object",
    `const ops = { g(a: number, b: number): number { return a * b; } };
function f(x: number): number { return ops.g(2, x); }
export const value = grad(f, ${OF("")})(5);`,
    2,
  ],
  [
    "a pullback, which is of all arguments",
    `function f(x: number, xs: number[]): number { return x * xs[0]!; }
export const value = vjp(f, ${OF("")})(2, [3])[1](1);`,
    [3, [2]],
  ],
  [
    "a list of whole numbers that is written under another name",
    `function f(x: number): number { const order: number[] = [1, 2]; const same = order; same[0] = x * x; return order[0]! * order[1]!; }
export const value = grad(f, ${OF("")})(3);`,
    12,
  ],
  [
    "a list of whole numbers that a function writes what varies into",
    `function put(into: number[], k: number, x: number): void { into[k] = x; }
function f(x: number): number { const a: number[] = []; a.push(4); put(a, 1, x * x); a.push(5); return a[0]! * a[1]! * a[2]!; }
export const value = grad(f, ${OF("")})(3);`,
    120,
  ],
  [
    "a list of whole numbers in a record, in a list and in a closure",
    `function f(x: number): number {
  const a: number[] = [1], b: number[] = [2], c: number[] = [3], o = { a }, all = [b], set = (y: number): void => { c[0] = y * y; };
  o.a[0] = x * 5; all[0]![0] = x * 7; set(x);
  return a[0]! * 100 + b[0]! * 10 + c[0]!;
}
export const value = grad(f, ${OF("")})(3);`,
    576,
  ],
  [
    "a list of whole numbers that a pattern, a method and a loop write",
    `function f(x: number): number {
  const a: number[] = [1, 1], b: number[] = [], c: number[] = [0], d: number[] = [0];
  [a[0], a[1]] = [x, x * x]; b.push(1); b.push(x * x * x); Array.prototype.push.call(c, x * 11);
  for (d[0] of [x, x * 13]) c[0]! += 1;
  return a[0]! + a[1]! + b[1]! + c[1]! + d[0]! + c[0]!;
}
export const value = grad(f, ${OF("")})(3);`,
    1 + 6 + 27 + 11 + 13,
  ],
  [
    "a list of whole numbers that is put in an order, beside one of what varies",
    `function f(xs: number[]): number {
  const order: number[] = [], sorted: number[] = [];
  for (let k = 0; k < xs.length; k++) order.push(k);
  for (let k = 0; k < xs.length; k++) for (let j = k + 1; j < xs.length; j++) if (xs[order[j]!]! < xs[order[k]!]!) { const t = order[k]!; order[k] = order[j]!; order[j] = t; }
  for (let k = 0; k < xs.length; k++) sorted[k] = xs[order[k]!]!;
  let s = 0; for (let k = 0; k < xs.length; k++) s += sorted[k]! * 10 ** k;
  return s;
}
export const value = grad(f, ${OF("")})([3, 1, 2]);`,
    [100, 1, 10],
  ],
  [
    "a list of whole numbers that one run leaves to the next",
    `function made(): (x: number) => number { const kept: number[] = [2]; return (x) => { kept[1] = (kept[1] ?? 0) + x * kept[0]!; kept.push(x); return kept[1]! * kept.pop()!; }; }
const each = made();
export const value = (() => { try { return [grad((x: number): number => made()(x), ${OF("")})(3), each(1)]; } catch (error) { return String(error); } })();`,
    [12, 2],
  ],
  [
    "a list that is a copy of data",
    `function f(x: number): number { const a: number[] = [1, 2], b = a.slice(), c = [...a]; b[0] = x * x; c[1] = x; return a[0]! * b[0]! * c[1]!; }
export const value = grad(f, ${OF("")})(3);`,
    27,
  ],
  [
    "a list of whole numbers that what is assigned again stands for",
    `function f(x: number, xs: number[]): number { let a: number[] = [1]; const b = a; if (x > 0) a = xs; a[0]! *= x; b[0]! += x; return a[0]! * b[0]!; }
export const value = [grad(f, ${OF("")})(3, [2]), grad(f, ${OF(", argnums: 1")})(3, [2])];`,
    [2 * 4 + 6, [12]],
  ],
  [
    "data beside what is differentiated",
    `function f(w: number[], rows: number[][]): number { let s = 0; for (const row of rows) for (let i = 0; i < row.length; i++) s += w[i]! * row[i]!; return s; }
export const value = grad(f, ${OF("")})([1, 2], [[3, 4], [5, 6]]);`,
    [8, 10],
  ],
  [
    "data of one call that is differentiated by another",
    `function f(a: number[], b: number[]): number { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]! * a[i]! * b[i]!; return s; }
export const value = [grad(f, ${OF("")})([1, 2], [3, 4]), grad(f, ${OF(", argnums: 1")})([1, 2], [3, 4])];`,
    [
      [6, 16],
      [1, 4],
    ],
  ],
  [
    "a list that is data for one caller and what varies for another",
    `function total(xs: number[]): number { let s = 0; for (const x of xs) s += x * x; return s; }
function f(w: number[], data: number[]): number { return total(w) * total(data); }
export const value = grad(f, ${OF("")})([1, 2], [3]);`,
    [18, 36],
  ],
  [
    "data into which what varies is written",
    `function f(x: number, data: number[]): number { data[0] = x * x; return data[0]! * data[1]!; }
export const value = grad(f, ${OF("")})(3, [1, 2]);`,
    12,
  ],
  [
    "the same by another name",
    `function f(x: number, data: number[]): number { const other = data; other[0] = x * x; return data[0]! * data[1]!; }
export const value = grad(f, ${OF("")})(3, [1, 2]);`,
    12,
  ],
  [
    "the same by a callee",
    `function put(into: number[], y: number): void { into[0] = y; }
function f(x: number, data: number[]): number { put(data, x * x); return data[0]! * data[1]!; }
export const value = grad(f, ${OF("")})(3, [1, 2]);`,
    12,
  ],
  [
    "the same by a method of the list",
    `function f(x: number, data: number[]): number { data.push(x * x); return data[1]! * data[0]!; }
export const value = grad(f, ${OF("")})(3, [2]);`,
    12,
  ],
  [
    "the same in a row of it",
    `function f(x: number, data: number[][]): number { const row = data[0]!; row[0] = x * x; return data[0]![0]! * 2; }
export const value = grad(f, ${OF("")})(3, [[2]]);`,
    12,
  ],
  [
    "the same through a fresh list that holds it",
    `function f(x: number, data: number[]): number { const held = [data]; held[0]![0] = x * x; return data[0]! * 2; }
export const value = grad(f, ${OF("")})(3, [2]);`,
    12,
  ],
  [
    "the same in a closure that a list's method calls",
    `function f(xs: number[], data: number[]): number { xs.forEach((x, i) => { data[i] = x * x; }); return data[0]! + data[1]!; }
export const value = grad(f, ${OF("")})([3, 4], [0, 0]);`,
    [6, 8],
  ],
  [
    "the same by a view of its memory",
    `function f(x: number, data: Float64Array): number { const v = new Float64Array(data.buffer); v[0] = x * x; return data[0]! * 2; }
export const value = grad(f, ${OF("")})(3, new Float64Array(2));`,
    12,
  ],
  [
    "the same in the rows of a copy",
    `function f(x: number, data: number[][]): number { const copy = data.slice(); copy[0]![0] = x * x; return data[0]![0]! * 2; }
export const value = grad(f, ${OF("")})(3, [[1]]);`,
    12,
  ],
  [
    "the same by a method of a class",
    `class Held { constructor(readonly data: number[]) {} put(x: number): void { this.data[0] = x; } }
function f(x: number, data: number[]): number { new Held(data).put(x * x); return data[0]! * 2; }
export const value = grad(f, ${OF("")})(3, [1]);`,
    12,
  ],
  [
    "the same by a function that is passed on",
    `function twice(g: (xs: number[]) => void, xs: number[]): void { g(xs); }
function f(x: number, data: number[]): number { twice((xs) => { xs[0] = x * x; }, data); return data[0]! * 2; }
export const value = grad(f, ${OF("")})(3, [1]);`,
    12,
  ],
  [
    "the same by a pattern",
    `function f(x: number, data: number[]): number { [data[0], data[1]] = [x * x, x]; return data[0]! * data[1]!; }
export const value = grad(f, ${OF("")})(3, [1, 1]);`,
    27,
  ],
  [
    "what is differentiated, put into data",
    `function f(xs: number[], data: number[][]): number { data.push(xs); return data[1]![0]! * data[0]![0]!; }
export const value = grad(f, ${OF("")})([3], [[2]]);`,
    [2],
  ],
  [
    "an object that stands for a number",
    `function g(s: any, t: number): number { return s * t; }
function f(x: number): number { return g({ valueOf: () => x * x }, 2); }
export const value = grad(f, ${OF("")})(5);`,
    20,
  ],
  [
    "a field of data that is written",
    `function f(x: number, data: { k: number }): number { data.k = x * x; return data.k * 2; }
export const value = grad(f, ${OF("")})(3, { k: 1 });`,
    12,
  ],
  [
    "a list of data that is replaced",
    `function f(x: number, data: { xs: number[] }): number { data.xs = [x * x]; return data.xs[0]! * 2; }
export const value = grad(f, ${OF("")})(3, { xs: [1] });`,
    12,
  ],
  [
    "a name that stands for data first, and then for what varies",
    `function f(w: number[], data: number[]): number { let xs = data, s = 0; for (let k = 0; k < 2; k++) { s += xs[0]! * xs[0]!; xs = w; } return s; }
export const value = grad(f, ${OF("")})([3], [5]);`,
    [6],
  ],
  [
    "a closure that is kept, called when its data are differentiated",
    `let kept = (): number => 0;
function f(x: number, data: number[]): number { kept = () => data[0]! * data[0]!; return x * data[0]!; }
function h(data: number[]): number { return kept() + data[0]! * 0; }
const own = [3], first = grad(f, ${OF("")})(2, own);
export const value = [first, grad(h, ${OF("")})(own)];`,
    [3, [6]],
  ],
  [
    "entries of data",
    `function f(w: number[], rows: number[][]): number { let s = 0; for (const [i, row] of rows.entries()) s += w[i]! * row[0]! * row[0]!; return s; }
export const value = grad(f, ${OF("")})([1, 2], [[3], [4]]);`,
    [9, 16],
  ],
  [
    "data in methods of lists",
    `function f(w: number[], data: number[]): number { return w.map((each, i) => each * each * data[i]!).reduce((s, each) => s + each, 0); }
export const value = grad(f, ${OF("")})([1, 2], [3, 4]);`,
    [6, 16],
  ],
  [
    "records of data",
    `interface Point { readonly x: number; readonly y: number }
function f(w: Point, points: readonly Point[]): number { let s = 0; for (const p of points) s += (w.x - p.x) ** 2 + (w.y - p.y) ** 2; return s; }
export const value = grad(f, ${OF("")})({ x: 1, y: 2 }, [{ x: 3, y: 5 }]);`,
    { x: -4, y: -6 },
  ],
  [
    "a sum whose loop is left",
    `function f(xs: number[], n: number): number { let s = 0; for (let i = 0; i < xs.length; i++) { if (i === n) break; if (i === 1) continue; s += xs[i]! * xs[i]!; } return s; }
export const value = grad(f, ${OF("")})([1, 2, 3, 4], 3);`,
    [2, 0, 6, 0],
  ],
  [
    "a sum that is begun before and goes on behind",
    `function f(xs: number[]): number { let s = xs[0]! * xs[1]!; for (let i = 0; i < xs.length; i++) s += xs[i]! * 3; s *= 2; for (let i = 0; i < xs.length; i++) s -= xs[i]!; return s; }
export const value = grad(f, ${OF("")})([5, 7]);`,
    [19, 15],
  ],
  [
    "a sum to which nothing is added",
    `function f(xs: number[], n: number): number { let s = xs[0]! * 2; for (let i = 0; i < n; i++) s += xs[i]!; return s; }
export const value = grad(f, ${OF("")})([5], 0);`,
    [2],
  ],
  [
    "an error that leaves the loop",
    `function f(xs: number[], n: number): number { let s = 0; try { for (let i = 0; i < xs.length; i++) { if (i === n) throw new Error("end"); s += xs[i]! * xs[i]!; } } catch { s *= 2; } return s; }
export const value = grad(f, ${OF("")})([1, 2, 3], 2);`,
    [4, 8, 0],
  ],
  [
    "an error in a read, caught around the loop",
    `function f(xs: number[], rows: number[][]): number { let s = 0; try { for (let i = 0; i < 3; i++) s += xs[i]! * rows[i]![0]!; } catch { s = s * 2; } return s; }
export const value = grad(f, ${OF("")})([1, 2], [[3], [4]]);`,
    [6, 8],
  ],
  [
    "an error that leaves the function, caught by its caller",
    `function part(xs: number[], rows: number[][]): number { let s = 0; for (let i = 0; i < 3; i++) s += xs[i]! * rows[i]![0]!; return s; }
function f(xs: number[], rows: number[][]): number { let a = 1; try { a = part(xs, rows); } catch { a = xs[0]!; } let s = 0; for (let i = 0; i < xs.length; i++) s += xs[i]! * a; return s; }
export const value = grad(f, ${OF("")})([1, 2], [[3], [4]]);`,
    [4, 1],
  ],
  [
    "sums one in another",
    `function f(xs: number[]): number { let s = 0; for (let i = 0; i < xs.length; i++) { let z = 0; for (let j = 0; j <= i; j++) z += xs[j]! * xs[j]!; s += z * xs[i]!; } return s; }
export const value = grad(f, ${OF("")})([1, 2]);`,
    [3 + 4, 1 + 4 + 8],
  ],
  [
    "terms that are functions",
    `function f(xs: number[]): number { let s = 0; for (const x of xs) s += Math.exp(x) * x; return s; }
export const value = grad(f, ${OF("")})([0, 0]);`,
    [1, 1],
  ],
  [
    "a list that is a generator after all",
    `function f(xs: number[]): number { function* doubled(): Generator<number> { for (const x of xs) { let z = 0; for (let k = 0; k < 2; k++) z += x * x; yield z; } }
let s = 0; for (const x of doubled() as unknown as number[]) s += x * x; return s; }
export const value = grad(f, ${OF("")})([1, 2]);`,
    [16, 128],
  ],
  [
    "an accessor in place of an element, which sums itself",
    `const inner = grad((xs: number[]): number => { let s = 0; for (let i = 0; i < xs.length; i++) s += xs[i]! * xs[i]!; return s; }, ${OF("")});
const data = Object.defineProperty([4, 0], 1, { get: () => inner([1, 2, 3])[2] });
function f(xs: number[], rows: number[]): number { let s = 0; for (let i = 0; i < xs.length; i++) s += xs[i]! * rows[i]!; return s; }
export const value = grad(f, ${OF("")})([1, 2], data);`,
    [4, 6],
  ],
  [
    "NaN",
    `function f(xs: number[], data: number[]): number { let s = 0; for (let i = 0; i < xs.length; i++) s += xs[i]! * data[i]!; return s; }
export const value = grad(f, ${OF("")})([1, 2], [NaN, 2]);`,
    [NaN, 2],
  ],
  [
    "more terms than the columns hold",
    `function f(xs: number[], n: number): number { let s = 0; for (let i = 0; i < n; i++) s += xs[i & 1]! * 2; return s * xs[0]!; }
export const value = grad(f, ${OF("")})([1, 0], 2100000);`,
    [2100000 + 2100000, 2100000],
  ],
  [
    "more nodes than a chunk holds while a loop writes terms",
    `function f(xs: number[], n: number): number { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(xs[i & 1]!); return s; }
export const value = grad(f, ${OF("")})([1, 4], 600000);`,
    [150000, 75000],
  ],
];

describe("closed forms", () => {
  test.each(PROGRAMS)("%s", (_what, source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });
});

test("a list of whole numbers keeps no ids, in the function that makes it and in those it is given to", () => {
  const text =
    built(`function pick(xs: number[], order: number[], k: number): number { const t = order[0]!; order[0] = order[k]!; order[k] = t; let s = 0; for (let i = 0; i < k; i++) s += xs[order[i]!]! * i; return s; }
function f(xs: number[]): number { const order: number[] = []; for (let k = 0; k < xs.length; k++) order.push(k); return pick(xs, order, 2) * xs[order[0]!]!; }
export const value = grad(f, ${OF("")})([3, 4, 5]);`);
  expect(text).not.toMatch(/order\$ids|order, "push"|setIdAt/);
  // order 2 1 0: (0 x2 + 1 x1) x2
  expect(run(text)).toEqual([0, 5, 4]);
});

test("a number that is given on as text is read back nowhere unseen", () => {
  const source = `function g(s: string): number { return Number(s) * 2; }
function f(x: number): number { return g(x.toFixed(2)) + x; }
export const value = grad(f, ${OF("")})(5);`;
  expect(() => valueOf(source)).toThrow(/^TSG0012/);
});

describe("what the code asks for", () => {
  test("nothing of numbers and lists that are not differentiated", () => {
    const text = built(
      `function f(x: number, y: number, data: number[]): number { let s = 0; for (let i = 0; i < data.length; i++) s += x * data[i]! * y; return s; }
export const value = grad(f, DELTA_OPTIONS)(1, 2, [3]);`.replace("DELTA_OPTIONS", OF("")),
    );
    expect(text).not.toMatch(/y\$id|data\$ids/);
    expect(text).toContain("$d.stepOfNumbers(");
    expect(run(text)).toBe(6);
  });

  test("ids of data, where anything is written into an argument", () => {
    const text =
      built(`function f(x: number, data: number[]): number { let s = 0; data[0] = x; for (let i = 0; i < data.length; i++) s += data[i]! * data[i]!; return s; }
export const value = grad(f, ${OF("")})(1, [3]);`);
    expect(text).toContain("data$ids");
    expect(run(text)).toBe(2);
  });
});
