// Jacobians and Hessians that are written out as code: `f$jacrev`, `f$jacfwd`, `f$hessian`. Oracles: differences of the function or of its gradient; each of the first two for the other,
// which walks at run time where its numbers are not known. One module for all, so that it is built once.

import { describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { built, emittedErrors } from "./compiled.ts";

/** By name: the function, its arguments, options of the form, and whether its Jacobian is written out. */
const CASES: Readonly<
  Record<
    string,
    {
      readonly text: string;
      readonly args: readonly unknown[];
      readonly options?: string;
      readonly walks?: true;
    }
  >
> = {
  pair: {
    text: "(xs: number[], k: number): [number, number] => [Math.sin(xs[0] * k), xs[1] ** 3]",
    args: [[0.4, 1.7], 1.2],
    options: "{ argnums: [1, 0] }",
  },
  one: {
    text: "(x: number, y: number): number => Math.exp(x * y)",
    args: [0.3, 1.1],
    options: "{ argnums: [0, 1] }",
  },
  onlyOne: { text: "(x: number): number => x * x * Math.cos(x)", args: [0.7] },
  nested: {
    text: "(a: [number, number], b: { c: number; name: string }): { u: [number, number]; v: { w: number; kind: string } } => ({ u: [a[0] * b.c, Math.sin(a[1])], v: { w: a[0] / a[1], kind: b.name } })",
    args: [[0.5, 1.5], { c: 2, name: "n" }],
    options: "{ argnums: [0, 1] }",
  },
  loop: {
    text: "(xs: number[], n: number): [number, number, number] => { let a = 1, b = 0; for (const x of xs) { a = Math.sin(a * x) + n; b += a * x * b + x; } return [a, b, a * b]; }",
    args: [[0.3, 0.8, -0.4], 0.6],
    options: "{ argnums: [0, 1] }",
  },
  exits: {
    text: "(xs: number[]): [number, number] => { let s = 0; for (let i = 0; i < xs.length; i++) { if (xs[i] < 0) return [s, xs[i]]; if (xs[i] > 2) break; s = s * xs[i] + xs[i]; } return [s * s, s]; }",
    args: [[0.5, 1.5, 3, -1]],
  },
  exitsEarly: {
    text: "(xs: number[]): [number, number] => { let s = 0; for (const x of xs) { if (x < 0) return [s, x * s]; s += x * x; } return [s, 1]; }",
    args: [[0.5, -1.5, 3]],
  },
  isArgument: { text: "(p: [number, number]): [number, number] => p", args: [[0.5, 1.5]] },
  sameTwice: {
    text: "(x: number): [[number, number], [number, number]] => { const p: [number, number] = [x * x, Math.sin(x)]; return [p, p]; }",
    args: [0.8],
  },
  argumentTwice: {
    text: "(p: [number, number], q: [number, number]): [number, [number, number]] => [p[0] * q[1], q]",
    args: [
      [0.5, 1.5],
      [2, 3],
    ],
    options: "{ argnums: [0, 1] }",
  },
  writes: {
    text: "(xs: number[]): [number, number] => { xs = xs.slice(); for (let i = 1; i < xs.length; i++) xs[i] *= xs[i - 1]; xs[0] = xs[2] ** 2; return [xs[0], xs[1]]; }",
    args: [[0.5, 1.5, -0.7]],
  },
  grows: {
    text: "(x: number, n: number): [number, number] => { const list: number[] = []; for (let i = 0; i < n; i++) list.push(i === 0 ? x : list[i - 1] * x); return [list[n - 1], list.reduce((a, b) => a + b, 0)]; }",
    args: [1.2, 4],
  },
  records: {
    text: "(x: number): { a: number; b: number } => { let p = { a: x, b: 1 }; for (let i = 0; i < 3; i++) p = { a: p.a * p.b, b: p.b + Math.sin(p.a) }; return p; }",
    args: [0.9],
  },
  unused: {
    text: "(x: number, y: number[]): [number, number] => [x * 2, 5]",
    args: [0.9, [1, 2]],
    options: "{ argnums: [0, 1] }",
  },
  aux: {
    text: "(x: number, y: number): [{ s: number; t: number }, { seen: number }] => [{ s: x * y, t: x ** 3 }, { seen: x + 1 }]",
    args: [0.9, 2],
    options: "{ hasAux: true, argnums: [0, 1] }",
  },
  auxOfOne: {
    text: "(x: number, y: number): [number, string] => [x * y * x, `${y}`]",
    args: [0.9, 2],
    options: "{ hasAux: true }",
  },
  branches: {
    text: "(x: number, y: number): [number, number] => { let u = 0, v = 0; if (x > y) { u = x * x; v = Math.log(x); } else if (x < 0) v = Math.exp(y); return [u + v, u * v]; }",
    args: [1.9, 0.4],
    options: "{ argnums: [0, 1] }",
  },
  matrix: {
    text: "(m: [[number, number], [number, number]]): [[number, number], [number, number]] => { const d = m[0][0] * m[1][1] - m[0][1] * m[1][0]; return [[m[1][1] / d, -m[0][1] / d], [-m[1][0] / d, m[0][0] / d]]; }",
    args: [
      [
        [1, 0.5],
        [0.2, 2],
      ],
    ],
  },
  typed: {
    text: "(xs: Float64Array): [number, number] => { let s = 0; const ys = xs.map((x) => x * x); for (let i = 0; i < ys.length; i++) s += ys[i] * xs[0]; return [s, ys[1]]; }",
    args: [Float64Array.of(0.3, 0.9)],
  },
  sorted: {
    text: "(xs: number[]): [number, number] => { const ys = [...xs].sort((a, b) => a - b); return [ys[0] * ys[1], Math.max(...xs)]; }",
    args: [[0.9, 0.2, 0.5]],
  },
  list: {
    text: "(xs: number[], k: number): number[] => xs.map((x) => x * k)",
    args: [[0.9, 0.2], 3],
    walks: true,
  },
  called: {
    text: "function recur(x: number, n: number): [number, number] { if (n === 0) return [x, x * x]; const [a, b] = recur(Math.sin(x), n - 1); return [a * b, a + x]; }",
    args: [0.9, 3],
    walks: true,
  },
  tagged: {
    text: "(s: { kind: 'a'; r: number } | { kind: 'b'; w: number }): { kind: 'a'; r: number } | { kind: 'b'; w: number } => (s.kind === 'a' ? { kind: 'a', r: s.r * s.r } : { kind: 'b', w: 2 * s.w })",
    args: [{ kind: "a", r: 3 }],
    walks: true,
  },
};

/** By a known number of numbers. */
const FORWARD: typeof CASES = {
  polar: {
    text: "(r: number, t: number): number[] => [r * Math.cos(t), r * Math.sin(t)]",
    args: [2, 0.5],
    options: "{ argnums: [1, 0] }",
  },
  series: {
    text: "(p: [number, number], n: number): number[] => { const out: number[] = []; let x = p[0]; for (let i = 0; i < n; i++) { x = Math.sin(x * p[1]); out.push(x * i); } return out; }",
    args: [[0.7, 1.3], 5],
  },
  rowsOfRecords: {
    text: "(p: { a: number; b: number }, n: number): { x: number; ys: number[] }[] => Array.from({ length: n }, (_, i) => ({ x: p.a * i, ys: [p.b ** i, p.a * p.b] }))",
    args: [{ a: 0.7, b: 1.3 }, 3],
  },
  singles: {
    text: "(x: number): Float64Array => Float64Array.of(x * x, Math.sin(x), 1)",
    args: [0.7],
  },
  nothing: { text: "(x: number): number[] => (x > 9 ? [x] : [])", args: [0.7] },
  auxBeside: {
    text: "(x: number, k: number): [number[], { n: number }] => [[x * k, x ** 3], { n: k }]",
    args: [0.7, 3],
    options: "{ hasAux: true, argnums: [0, 1] }",
  },
  throughCall: {
    text: "function recur(x: number, n: number): [number, number] { if (n === 0) return [x, x * x]; const [a, b] = recur(Math.sin(x), n - 1); return [a * b, a + x]; }",
    args: [0.9, 3],
    walks: true,
  },
  deep: {
    text: "(m: [[number, number], [number, number]], n: number): number[] => Array.from({ length: n }, (_, i) => m[0][0] * m[1][1] * i + m[0][1])",
    args: [
      [
        [1, 0.5],
        [0.2, 2],
      ],
      2,
    ],
    walks: true,
  },
};

const SECOND: typeof CASES = {
  rosenbrock: {
    text: "(x: number, y: number): number => (1 - x) ** 2 + 100 * (y - x * x) ** 2",
    args: [0.7, 0.4],
    options: "{ argnums: [0, 1] }",
  },
  ofOne: { text: "(x: number, k: number): number => Math.sin(x * k) * x", args: [0.7, 2] },
  ofPoint: {
    text: "(p: [number, number], n: number): number => { let s = p[0]; for (let i = 0; i < n; i++) s = Math.sin(s * p[1]) + s * s * p[0]; return s; }",
    args: [[0.3, 0.6], 4],
  },
  ofRecord: {
    text: "(p: { a: number; b: number; tag: string }, q: number): number => { const xs = [p.a, p.b * q, q]; let s = 0; for (const x of xs) { if (x > 0.5) s += x * x * p.a; else s -= Math.exp(x) * p.b; } return s; }",
    args: [{ a: 0.7, b: 0.2, tag: "t" }, 3],
    options: "{ argnums: [1, 0] }",
  },
  untilSmall: {
    text: "(x: number, y: number): number => { let s = x, n = 0; while (Math.abs(s) > 0.1 && n < 20) { s = s * y * 0.5; n++; } return s * s * x + Math.log(y); }",
    args: [2, 0.7],
    options: "{ argnums: [0, 1] }",
  },
  withAux: {
    text: "(x: number, y: number): [number, string] => [x ** 3 * y, 's']",
    args: [2, 0.7],
    options: "{ hasAux: true, argnums: [0, 1] }",
  },
  ofList: { text: "(xs: number[]): number => xs[0] ** 3 * xs[1]", args: [[2, 0.7]], walks: true },
};

const declared = ([name, { text }]: readonly [string, { readonly text: string }]): string =>
  text.startsWith("function")
    ? `export ${text.replace(/function \w+/, `function ${name}`).replaceAll("recur(", `${name}(`)}`
    : `export const ${name} = ${text};`;
const entries = Object.entries(CASES);
const forwards = Object.entries(FORWARD);
const seconds = Object.entries(SECOND);
const calls = (form: string, of: typeof entries): string =>
  of
    .map(
      ([name, { options }]) =>
        `${name}: ${form}(${name}${options === undefined ? "" : `, ${options}`})`,
    )
    .join(", ");
const module = `import { grad, hessian, jacfwd, jacrev } from "tsgrad";\n${[...entries, ...forwards, ...seconds].map(declared).join("\n")}
export const reverse = { ${calls("jacrev", [...entries, ...forwards])} };
export const forward = { ${calls("jacfwd", [...entries, ...forwards])} };
export const second = { ${calls("hessian", seconds)} };
export const gradient = { ${calls("grad", seconds)} };
export function halves(xs: number[]): [number, number] { for (let i = 0; i < xs.length; i++) xs[i] /= 2; return [xs[0] * xs[1], xs[0]]; }
export const ofHalves = jacrev(halves);
export const masked = jacrev((x: number): [number, number] => [Math.sqrt(x), x * 3]);
export function checked(x: number): [number, number] { if (x < 0) throw new Error("negative"); return [x, x * x]; }
export const ofChecked = jacrev(checked);
`;
const { exports, text } = built(module);

type Call = (...args: readonly unknown[]) => unknown;
const isCall = (value: unknown): value is Call => typeof value === "function";
function callOf(name: string, of?: string): Call {
  const value = exports[name];
  const found: unknown =
    of === undefined
      ? value
      : typeof value === "object" && value !== null
        ? Reflect.get(value, of)
        : undefined;
  if (!isCall(found)) throw new Error(`no ${name} ${of ?? ""}`);
  return found;
}

/** Every number of a value, in order; strings are none. */
const numbersOf = (value: unknown): readonly number[] =>
  typeof value === "number"
    ? [value]
    : typeof value !== "object" || value === null
      ? []
      : Object.values(value).flatMap(numbersOf);
const close = (found: unknown, expected: unknown): void => {
  const [x, y] = [numbersOf(found), numbersOf(expected)];
  expect(x).toHaveLength(y.length);
  // both are exact but for the order of their sums
  x.forEach((number, i) => {
    expect(number).toBeCloseTo(y[i] ?? NaN, 12);
  });
};

/** A copy of an argument with its k-th number moved. */
function moved(value: unknown, k: { at: number }, by: number): unknown {
  if (typeof value === "number") return k.at-- === 0 ? value + by : value;
  if (value instanceof Float64Array) return value.map((one) => (k.at-- === 0 ? one + by : one));
  if (Array.isArray(value)) return value.map((one) => moved(one, k, by));
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, moved(one, k, by)]))
    : value;
}

describe("in one function", () => {
  it("type-checks", () => {
    expect(emittedErrors(text)).toEqual([]);
  });

  it.each([...entries, ...forwards])("%s", (name, { args, options = "", walks }) => {
    expect(text.includes(`${name}$${name in FORWARD ? "jacfwd" : "jacrev"}`)).toBe(walks !== true);
    const asked = /argnums: \[([\d, ]+)\]/.exec(options)?.[1]?.split(",").map(Number) ?? [0];
    const found = callOf("reverse", name)(...structuredClone(args));
    const hasAux = options.includes("hasAux");
    const both = callOf("forward", name)(...structuredClone(args));
    if (name !== "sameTwice")
      expect(
        JSON.stringify(found, (_, value: unknown) => (typeof value === "number" ? 0 : value)),
      ).toBe(JSON.stringify(both, (_, value: unknown) => (typeof value === "number" ? 0 : value)));
    close(found, both);
    const [whole, aux] = hasAux && Array.isArray(found) ? found : [found, undefined];
    const f = callOf(name);
    const result = f(...structuredClone(args));
    if (hasAux && Array.isArray(result)) expect(aux).toEqual(result[1]);
    asked.forEach((position, a) => {
      const block: unknown = asked.length > 1 && Array.isArray(whole) ? whole[a] : whole;
      const columns = numbersOf(args[position]).length;
      const rows = numbersOf(hasAux && Array.isArray(result) ? result[0] : result).length;
      for (let c = 0; c < columns; c++) {
        for (let r = 0; r < rows; r++) {
          const at = (t: number): number => {
            const value = f(
              ...args.map((arg, i) => (i === position ? moved(arg, { at: c }, t) : arg)),
            );
            return numbersOf(hasAux && Array.isArray(value) ? value[0] : value)[r] ?? NaN;
          };
          // extrapolated differences of smooth functions of this size
          expect(numbersOf(block)[r * columns + c]).toBeCloseTo(slopeOf(at, 0).value, 6);
        }
      }
    });
  });

  it.each(seconds)("hessian of %s", (name, { args, options = "", walks }) => {
    expect(text.includes(`${name}$hessian`)).toBe(walks !== true);
    const asked = /argnums: \[([\d, ]+)\]/.exec(options)?.[1]?.split(",").map(Number) ?? [0];
    const hasAux = options.includes("hasAux");
    const f = callOf("gradient", name);
    const given = callOf("second", name)(...structuredClone(args));
    const found: unknown = hasAux && Array.isArray(given) ? given[0] : given;
    const rows = asked.map((position) => numbersOf(args[position]).length);
    const all = rows.reduce((sum, count) => sum + count, 0);
    const flat: number[] = [];
    asked.forEach((position, j) => {
      for (let c = 0; c < (rows[j] ?? 0); c++) {
        for (let r = 0; r < all; r++) {
          const at = (t: number): number => {
            const value = f(
              ...args.map((arg, i) => (i === position ? moved(arg, { at: c }, t) : arg)),
            );
            return numbersOf(hasAux && Array.isArray(value) ? value[0] : value)[r] ?? NaN;
          };
          flat.push(slopeOf(at, 0).value);
        }
      }
    });
    // as a set: the matrix is symmetric, and its blocks are compared in their places below
    expect([...numbersOf(found)].sort((x, z) => x - z).map((x) => x.toFixed(5))).toEqual(
      flat.sort((x, z) => x - z).map((x) => x.toFixed(5)),
    );
    const walked: unknown =
      name === "ofRecord" && Array.isArray(found)
        ? [found[0]?.[1], found[1]?.[0], found[1]?.[1]]
        : null;
    if (walked !== null)
      expect(walked).toMatchObject([
        { a: expect.any(Number), b: expect.any(Number) },
        { a: expect.any(Number) },
        { a: { a: expect.any(Number) }, b: { b: expect.any(Number) } },
      ]);
    if (hasAux && Array.isArray(given)) expect(given[1]).toBe("s");
  });

  it("puts blocks of second derivatives where they belong", () => {
    expect(callOf("second", "rosenbrock")(1, 1)).toEqual([
      [802, -400],
      [-400, 200],
    ]);
    expect(callOf("second", "ofOne")(0, 2)).toBe(4);
    expect(callOf("second", "withAux")(2, 0.5)).toEqual([
      [
        [6, 12],
        [12, 0],
      ],
      "s",
    ]);
  });

  it("gives each row objects of its own, at each call", () => {
    const [byFirst] = [callOf("reverse", "unused")(1, [1, 2])].flatMap((value) =>
      Array.isArray(value) ? [value] : [],
    );
    const again = callOf("reverse", "unused")(1, [1, 2]);
    const rows: unknown = byFirst?.[1];
    expect(rows).toEqual([
      [0, 0],
      [0, 0],
    ]);
    if (Array.isArray(rows) && Array.isArray(rows[0])) rows[0][0] = 7;
    expect(rows).toEqual([
      [7, 0],
      [0, 0],
    ]);
    expect(again).toEqual([
      [2, 0],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
    const shared = [1, 2];
    expect(callOf("reverse", "argumentTwice")(shared, shared)).toEqual([
      [
        [2, 0],
        [
          [0, 0],
          [0, 0],
        ],
      ],
      [
        [0, 1],
        [
          [1, 0],
          [0, 1],
        ],
      ],
    ]);
  });

  it("lets the function write its argument, once", () => {
    const xs = [4, 6];
    expect(callOf("ofHalves")(xs)).toEqual([
      [1.5, 1],
      [0.5, 0],
    ]);
    expect(xs).toEqual([2, 3]);
  });

  it("keeps a row free of another row's infinity", () => {
    expect(callOf("masked")(0)).toEqual([Infinity, 3]);
  });

  it("throws what the function throws, and runs again", () => {
    expect(() => callOf("ofChecked")(-1)).toThrow("negative");
    expect(callOf("ofChecked")(3)).toEqual([1, 6]);
  });

  it("gives fields that are missing no row", () => {
    expect(callOf("reverse", "nested")([0.5, 1.5], { c: 2, name: "n" })).toMatchObject([
      { v: { w: [2 / 3, -0.5 / 2.25] } },
      { u: [{ c: 0.5 }, { c: 0 }] },
    ]);
  });
});
