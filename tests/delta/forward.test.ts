// Forward mode by the Delta engine, over whole programs. In: one program per class of construct. Out: jvp against central differences and against vjp
// (duality), jacfwd against jacrev, linearize against both; and the rules for tangents, results and what is refused.

import { beforeAll, describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

type Exports = Readonly<Record<string, unknown>>;
type Function = (...args: readonly unknown[]) => unknown;

const HEAD = `import { grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, vjp } from "tsgrad";\n`;

interface Built {
  readonly codes: readonly string[];
  readonly text: string;
  readonly exports: () => Exports;
}

/** Builds and type-checks modules together; they are run when their exports are asked for. */
function built(files: Readonly<Record<string, string>>): Readonly<Record<string, Built>> {
  const given = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`/src/${name}.ts`, `${HEAD}${text}`]),
  );
  const host = programOf(given);
  expect(typeErrors(host)).toEqual([]);
  const { edits, diagnostics } = analyse(host);
  const texts = Object.fromEntries(
    Object.entries(given).map(([file, text]) => [
      file,
      applyEdits(file, text, edits.get(file) ?? []).text,
    ]),
  );
  expect(typeErrors(programOf(texts))).toEqual([]);
  const load = loader(new Map(Object.entries(texts)));
  return Object.fromEntries(
    Object.keys(files).map((name) => {
      const file = `/src/${name}.ts`;
      return [
        name,
        {
          codes: diagnostics
            .filter(({ span }) => span.file === file)
            .map(({ code, message }) => `${code} ${message}`),
          text: texts[file] ?? "",
          exports: () => load(file),
        },
      ];
    }),
  );
}

const one = (text: string): Built => built({ input: text })["input"] ?? expect.unreachable();

function value(text: string): unknown {
  const { codes, exports } = one(text);
  expect(codes).toEqual([]);
  return exports()["value"];
}

function called(exports: Exports, name: string): Function {
  const f = exports[name];
  if (typeof f !== "function") throw new Error(`${name} is no function`);
  return (...args) => Reflect.apply(f, undefined, args);
}

/** The numbers of a value, in order. */
function numbers(at: unknown): number[] {
  if (typeof at === "number") return [at];
  if (ArrayBuffer.isView(at) && !(at instanceof DataView))
    return Array.from(Object.values(at), Number);
  if (at instanceof Map) return [...at.values()].flatMap(numbers);
  return typeof at === "object" && at !== null ? Object.values(at).flatMap(numbers) : [];
}

const dot = (a: unknown, b: unknown): number => {
  const bs = numbers(b);
  return numbers(a).reduce((sum, x, i) => sum + x * (bs[i] ?? NaN), 0);
};

/** Each: `f(xs: number[])`, and what it returns. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  generator:
    "function* powers(x: number): Generator<number> { let p = 1; for (let i = 0; i < 3; i++) { p *= x; yield p; } }\nexport function f(xs: number[]): number[] { const out: number[] = []; for (const x of xs) for (const p of powers(x)) out.push(p); return out; }",
  "try and catch":
    "export function f(xs: number[]): number { let s = 0; for (const x of xs) { try { if (x > 1) throw x * x; s += x; } catch (e) { s += Number(e) * xs[0]!; } finally { s *= x; } } return s; }",
  Map: "export function f(xs: number[]): Map<string, number> { const m = new Map<string, number>(); xs.forEach((x, i) => { m.set(`k${i % 2}`, (m.get(`k${i % 2}`) ?? 1) * x); }); return m; }",
  class:
    "class Point { x: number; y: number; constructor(x: number, y: number) { this.x = x; this.y = y; } get norm(): number { return Math.hypot(this.x, this.y); } scaled(k: number): Point { return new Point(this.x * k, this.y * k); } }\n" +
    "export function f(xs: number[]): { p: Point; n: number } { const p = new Point(xs[0]!, xs[1]!).scaled(xs[2]!); return { p, n: p.norm }; }",
  "function values":
    "const table: Record<string, (x: number) => number> = { sin: (x) => Math.sin(x), sq: (x) => x * x, exp: Math.exp };\nexport function f(xs: number[]): number[] { return Object.keys(table).map((k) => table[k]!(xs[0]!) * xs[1]!); }",
  mutation:
    "export function f(xs: number[]): number[] { const a = xs.slice(); a[0] = a[1]! * a[2]!; a[1]! *= a[0]!; a.reverse(); a.push(Math.exp(a[0]!)); xs[0] = 7; return a; }",
  closure:
    "export function f(xs: number[]): number { let state = xs[0]!; const step = (k: number): void => { state = Math.tanh(state * k); }; xs.forEach(step); return state; }",
  recursion:
    "export function f(xs: number[], n = 4): number { return n === 0 ? xs[0]! : Math.sin(f(xs, n - 1) * xs[n % 3]!); }",
  "typed array":
    "export function f(xs: number[]): Float64Array { const a = Float64Array.from(xs); a.set(a.subarray(0, 2).map((x) => x * x), 1); return a; }",
  union:
    "type S = { kind: 1; r: number } | { kind: 2; a: number; b: number };\nexport function f(xs: number[]): S[] { return xs.map((x): S => (x > 1 ? { kind: 1, r: x * x } : { kind: 2, a: x, b: xs[0]! * x })); }",
  "sort and reduce":
    "export function f(xs: number[]): number[] { const s = xs.slice().sort((a, b) => b - a); return [s.reduce((a, x, i) => a + x * x * i, 0), Math.max(...xs), s[0]! / s[2]!]; }",
  "products of lists":
    "const dot = (a: number[], b: number[]): number => { let s = 1; for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!; return s; };\n" +
    "export function f(xs: number[]): number[] { const ys = xs.map((x) => x * x), first = dot(xs, ys), d = dot(ys, [xs[2]!, first * 0.1, 0.5]); return [first, dot(ys, ys) * 0.1, d]; }",
  "string switch":
    'export function f(xs: number[]): number { let s = 0; for (const key of ["a", "b", "c"]) switch (key) { case "a": s += xs[0]! ** 3; break; case "b": s *= xs[1]!; default: s -= Math.log(xs[2]!); } return s; }',
};

const SITES = ["jvp", "vjp", "linearize", "jacfwd", "jacrev"]
  .map((form) => `export const ${form}F = ${form}(f, { engine: "delta" });`)
  .join("\n");

const POINT = [0.7, 1.3, 1.9];
const DIRECTION = [0.3, -0.8, 0.5];
const SECOND = [-1, 0.25, 2];

describe("constructs", () => {
  let all: Readonly<Record<string, Built>> = {};
  const name = (construct: string): string => construct.replaceAll(" ", "-");
  beforeAll(() => {
    all = built(
      Object.fromEntries(
        Object.entries(CONSTRUCTS).map(([construct, text]) => [
          name(construct),
          `${text}\n${SITES}\n`,
        ]),
      ),
    );
  });

  test.each(Object.keys(CONSTRUCTS))("%s", (construct) => {
    const module = all[name(construct)] ?? expect.unreachable();
    expect(module.codes).toEqual([]);
    const exports = module.exports();
    const f = called(exports, "f");
    const jvp = called(exports, "jvpF");
    for (const direction of [DIRECTION, SECOND]) {
      const [primal, tangent] = jvp([POINT.slice()], [direction]) as [unknown, unknown];
      expect(primal).toEqual(f(POINT.slice()));
      const at = (t: number): number[] =>
        numbers(f(POINT.map((x, i) => x + t * (direction[i] ?? 0))));
      const h = 1e-5;
      const back = at(-h);
      const differences = at(h)
        .map((y, i) => (y - (back[i] ?? NaN)) / (2 * h))
        .map((d, i) => (isTag(construct, i, primal) ? (numbers(primal)[i] ?? NaN) : d));
      // central differences: h^2 f''' / 6 and rounding 1e-16 / h, both below 1e-8 here
      expect(numbers(tangent)).toEqual(differences.map((d) => expect.closeTo(d, 7)));
      const [, pullback] = called(exports, "vjpF")(POINT.slice()) as [unknown, Function];
      const cotangent = withNumbers(tangent, (i) => Math.cos(i + 1));
      const [pulled] = pullback(cotangent) as [number[]];
      const across = numbers(tangent).reduce(
        (sum, x, i) => (isTag(construct, i, primal) ? sum : sum + x * Math.cos(i + 1)),
        0,
      );
      expect(dot(pulled, direction)).toBeCloseTo(across, 11); // the same partials, in another order
    }
    expect(jvp([POINT.slice()], [[0, 0, 0]])).toEqual([
      f(POINT.slice()),
      withNumbers((jvp([POINT.slice()], [DIRECTION]) as unknown[])[1], (i, x) =>
        isTag(construct, i, f(POINT.slice())) ? x : 0,
      ),
    ]);
  });

  // a function that writes its argument is refused by forms that run it more than once
  test.each(Object.keys(CONSTRUCTS).filter((construct) => construct !== "mutation"))(
    "jacfwd is jacrev, linearize is both: %s",
    (construct) => {
      const exports = (all[name(construct)] ?? expect.unreachable()).exports();
      const [forward, reverse] = [
        called(exports, "jacfwdF")(POINT.slice()),
        called(exports, "jacrevF")(POINT.slice()),
      ];
      const rows = numbers(forward);
      expect(rows.length).toBeGreaterThanOrEqual(3);
      expect(numbers(reverse)).toEqual(rows.map((x) => expect.closeTo(x, 11)));
      expect(shapeOf(reverse)).toEqual(shapeOf(forward));
    },
  );
});

/** The union's `kind` is a number that stays. */
const isTag = (construct: string, i: number, primal: unknown): boolean =>
  construct === "union" &&
  Array.isArray(primal) &&
  primal.reduce((n: number, s: object) => n + Object.keys(s).length, 0) > i &&
  primal
    .reduce(
      (starts: number[], s: object) => [...starts, (starts.at(-1) ?? 0) + Object.keys(s).length],
      [0],
    )
    .includes(i);

const shapeOf = (at: unknown): unknown =>
  typeof at === "number"
    ? 0
    : at instanceof Map
      ? [...at].map(([k, v]) => [k, shapeOf(v)])
      : typeof at === "object" && at !== null
        ? Object.entries(at).map(([k, v]) => [k, shapeOf(v)])
        : at;

/** A copy with other numbers. */
function withNumbers(at: unknown, number: (i: number, x: number) => number): unknown {
  let i = 0;
  const copy = (one: unknown): unknown => {
    if (typeof one === "number") return number(i++, one);
    if (one instanceof Float64Array) return one.map((x) => number(i++, x));
    if (one instanceof Map) return new Map([...one].map(([k, v]) => [k, copy(v)]));
    if (Array.isArray(one)) return one.map(copy);
    return typeof one === "object" && one !== null
      ? Object.fromEntries(Object.entries(one).map(([k, v]) => [k, copy(v)]))
      : one;
  };
  return copy(at);
}

describe("rules of jvp", () => {
  const D = `{ engine: "delta" }`;

  test.each<[string, string, unknown]>([
    [
      "one tangent per argument, undefined for one without numbers",
      `export const value = jvp((x: number, s: string, y: number): number => x * y + s.length, ${D})([3, "ab", 4], [1, undefined, 10]);`,
      [14, 34],
    ],
    [
      "a parameter that is left out",
      `export const value = jvp((x: number, k?: number): number => x * (k ?? 2), ${D})([3], [1]);`,
      [6, 2],
    ],
    [
      "an absent optional number",
      `export const value = jvp((m: { a: number; b?: number }): number => m.a * (m.b ?? 3), ${D})([{ a: 2 }], [{ a: 1, b: undefined as never }]);`,
      [6, 3],
    ],
    [
      "empty arrays",
      `export const value = jvp((xs: number[], y: number): number[] => xs.map((x) => x * y), ${D})([[], 2], [[], 1]);`,
      [[], []],
    ],
    [
      "a tangent of 0 meets no infinite slope",
      `export const value = jvp((x: number, y: number): number => Math.sqrt(x) + y, ${D})([0, 1], [0, 1]);`,
      [1, 1],
    ],
    [
      "a tangent that is NaN",
      `export const value = jvp((x: number, y: number): number[] => [x * 2, y * 2], ${D})([1, 1], [NaN, 1]);`,
      [
        [2, 2],
        [NaN, 2],
      ],
    ],
    [
      "a shared tangent",
      `const d = [1, 2]; export const value = jvp((a: number[], b: number[]): number => a[0]! * b[1]! + a[1]! * b[0]!, ${D})([[1, 2], [3, 4]], [d, d]);`,
      [10, 4 + 2 + 2 * 3 + 2],
    ],
    [
      "a result that is the argument",
      `export const value = jvp((a: number[]): number[] => a, ${D})([[1, 2]], [[5, 6]]);`,
      [
        [1, 2],
        [5, 6],
      ],
    ],
    [
      "a constant result",
      `export const value = jvp((x: number): number => (x > 0 ? 1 : 2), ${D})([3], [1]);`,
      [1, 0],
    ],
    [
      "aux",
      `export const value = jvp((x: number): [number, string] => [x * x, "aux"], { engine: "delta", hasAux: true })([3], [2]);`,
      [9, 12, "aux"],
    ],
    [
      "a field that is a tag is no number",
      `type S = { kind: 2; x: number } | { kind: 3; y: number };\nexport const value = jvp((s: S): number => s.kind * (s.kind === 2 ? s.x : s.y), ${D})([{ kind: 3, y: 5 } as S], [{ kind: 3, y: 1 } as S]);`,
      [15, 3],
    ],
    [
      "the user's own `args`",
      `export const value = ((args: number) => { return jvp((x: number): number => x * args, ${D})([2], [1]); })(5);`,
      [10, 5],
    ],
    [
      "the user's own `args`, reverse",
      `export const value = ((args: number) => { return grad((x: number): number => x * args, ${D})(2); })(5);`,
      5,
    ],
    [
      "jacfwd by the second argument",
      `export const value = jacfwd((a: number[], y: number): number[] => a.map((x) => x * y), { argnums: 1, engine: "delta" })([1, 2], 3);`,
      [1, 2],
    ],
    [
      "jacfwd and jacrev by a list",
      `const f = (a: number[], s: string, y: number): number[] => a.map((x) => x * y + s.length);\nexport const value = [jacfwd(f, { argnums: [2, 0], engine: "delta" })([1, 2], "", 3), jacrev(f, { argnums: [2, 0], engine: "delta" })([1, 2], "", 3)];`,
      [
        [
          [1, 2],
          [
            [3, 0],
            [0, 3],
          ],
        ],
        [
          [1, 2],
          [
            [3, 0],
            [0, 3],
          ],
        ],
      ],
    ],
    [
      "jacfwd and jacrev with aux",
      `const f = (x: number): [number[], string] => [[x * x, x], "aux"];\nexport const value = [jacfwd(f, { hasAux: true, engine: "delta" })(3), jacrev(f, { hasAux: true, engine: "delta" })(3)];`,
      [
        [[6, 1], "aux"],
        [[6, 1], "aux"],
      ],
    ],
    [
      "tags have no column and no row",
      `type S = { kind: 1; x: number } | { kind: 2; y: number };\nconst f = (s: S): S => (s.kind === 1 ? { kind: 2, y: s.x * 3 } : s);\nexport const value = [jacfwd(f, ${D}), jacrev(f, ${D})].map((j) => j({ kind: 1, x: 1 } as S));`,
      [
        { kind: 2, y: { kind: 1, x: 3 } },
        { kind: 2, y: { kind: 1, x: 3 } },
      ],
    ],
    [
      "linearize",
      `const f = (x: number, y: number): number[] => [x * y, x];\nconst [v, map] = linearize(f, ${D})(2, 3);\nexport const value = [v, map.apply([1, 10]), map.transpose().apply([1, 100]), map.toMatrix()];`,
      [
        [6, 2],
        [23, 1],
        [103, 2],
        [
          [3, 2],
          [1, 0],
        ],
      ],
    ],
    [
      "calls one after the other",
      `const d = jvp((a: number[]): number => { a[0]! *= a[1]!; return a[0]!; }, ${D});\nexport const value = [d([[2, 3]], [[1, 0]]), d([[4, 5]], [[0, 1]]), d([[2, 3]], [[1, 0]])];`,
      [
        [6, 3],
        [20, 4],
        [6, 3],
      ],
    ],
    [
      "a long tape",
      `export const value = jvp((x: number): number => { let y = x; for (let i = 0; i < 300000; i++) y = y * 2 / 2; return y * x; }, ${D})([3], [1]);`,
      [9, 6],
    ],
    [
      "text that is only shown",
      "export const value = jvp((x: number): number => { const shown = Number(x.toFixed(1)); return shown > 2 ? x * x : x; }, " +
        D +
        ")([3], [1]);",
      [9, 6],
    ],
  ])("%s", (_, text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  test("async functions give promises", async () => {
    const [plain, aux] = value(
      `const later = async (x: number): Promise<number> => x * x;\nasync function f(x: number): Promise<number[]> { const y = await later(x); return [y * x, y]; }\n` +
        `async function g(x: number): Promise<[number, string]> { return [(await later(x)) * x, "aux"]; }\nexport const value = [jvp(f)([2], [1]), jvp(g, { hasAux: true })([2], [1])];`,
    ) as [unknown, unknown];
    expect(await plain).toEqual([
      [8, 4],
      [12, 4],
    ]);
    expect(await aux).toEqual([8, 12, "aux"]);
  });

  test.each([
    [
      "one object in two arguments",
      `const a = [1, 2];\nexport const value = jvp((x: number[], y: number[]): number => x[0]! * y[1]!, ${D})([a, a], [[1, 0], [0, 1]]);`,
      /TSG0004/,
    ],
    [
      "text that is read back",
      `export const value = jvp((x: number): number => Number(x.toFixed(1)) * 2, ${D})([3], [1]);`,
      /TSG0012/,
    ],
    [
      "another length",
      `export const value = jvp((x: number[]): number => x[0]! * x[1]!, ${D})([[1, 2]], [[1]]);`,
      /shape|fit/,
    ],
    [
      "an object that is missing",
      `export const value = jvp((x: { a: number[] }): number => x.a[0]!, ${D})([{ a: [1] }], [{ a: 1 as never }]);`,
      /shape|fit/,
    ],
    [
      "a function kept from an earlier call",
      `const hold = (() => { let at: number | null = null; return (x: number): number => (at ??= x * x); })();\nconst d = jvp((x: number): number => x * hold(x), ${D});\nd([2], [1]);\nexport const value = d([2], [1]);`,
      /TSG0015/,
    ],
  ])("refused: %s", (_, text, expected) => {
    const { codes, exports } = one(text);
    expect(codes).toEqual([]);
    expect(exports).toThrow(expected);
  });
});
