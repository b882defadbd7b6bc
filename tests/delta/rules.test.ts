// Rules of the user's and forms inside of what the Delta engine takes. In: programs. Out: gradients by closed forms and by the static engine, and what is refused.

import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

interface Built {
  readonly codes: readonly string[];
  readonly exports: () => Readonly<Record<string, unknown>>;
}

const FORMS = [
  "addCotangents",
  "checkpoint",
  "customJvp",
  "customVjp",
  "delta",
  "grad",
  "hessian",
  "hvp",
  "jacfwd",
  "jacrev",
  "jvp",
  "linearize",
  "stopGradient",
  "valueAndGrad",
  "vjp",
];
const withImport = (text: string): string =>
  `import { ${FORMS.filter((form) => new RegExp(`\\b${form}\\(`).test(text)).join(", ")} } from "tsgrad";\n${text}\n`;

/** All programs are modules of one, so that TypeScript's own libraries are read once. */
function builtTogether(texts: readonly string[]): ReadonlyMap<string, Built> {
  const given = Object.fromEntries(texts.map((text, i) => [`program${i}.ts`, withImport(text)]));
  const host = programOf(given);
  expect(typeErrors(host)).toEqual([]);
  const { edits, diagnostics } = analyse(host);
  const emitted = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [
      name,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  expect(typeErrors(programOf(emitted))).toEqual([]);
  return new Map(
    texts.map((text, i) => {
      const file = `/src/program${i}.ts`;
      const codes = diagnostics
        .filter(({ span }) => span.file === file)
        .map(({ code, message }) => `${code} ${message}`);
      return [
        text,
        { codes, exports: () => loader(new Map([[file, emitted[`program${i}.ts`] ?? ""]]))(file) },
      ];
    }),
  );
}

/** Something that only the Delta engine takes. */
const TRY = "try { void 0; } finally { void 0; }";

const VALUES: readonly (readonly [string, string, unknown])[] = [
  [
    "a form over a union",
    `type S = { kind: "a"; r: number } | { kind: "b"; q: number };\nexport const value = grad((x: number, s: S): number => { ${TRY} const c = grad((t: S): number => (t.kind === "a" ? t.r * t.r : t.q))(s); return x * (c.kind === "a" ? c.r : c.q); })(3, { kind: "a", r: 2 });`,
    4,
  ],
  // customVjp
  [
    "a number",
    `const f = customVjp((x: number): number => x * x, (x) => [x * x, (bar) => [100 * bar * x]]);\nexport const value = valueAndGrad((x: number): number => { ${TRY} return f(x) * x; })(3);`,
    [27, 9 + 300 * 3],
  ],
  [
    "two numbers, one constant",
    `const f = customVjp((x: number, k: number): number => x * k, (x, k) => [x * k, (bar) => [bar * k * 10, bar * x]]);\nexport const value = grad((x: number): number => { ${TRY} return f(x, 5); })(3);`,
    50,
  ],
  [
    "by name, in a loop",
    `const sq = (x: number): number => x * x;\nconst rule = (x: number): readonly [number, (bar: number) => readonly [number]] => [sq(x), (bar) => [2 * x * bar]];\nconst f = customVjp(sq, rule);\n` +
      `export const value = grad((x: number): number => { ${TRY} let s = x; for (let i = 0; i < 3; i++) s = f(s); return s; })(1.5);`,
    8 * 1.5 ** 7,
  ],
  [
    "an array to an array, the pullback called once",
    `let calls = 0;\nconst f = customVjp((xs: number[], k: number): number[] => xs.map((x) => x * k), (xs, k) => [xs.map((x) => x * k), (bar) => { calls++; let dk = 0; for (let i = 0; i < xs.length; i++) dk += bar[i]! * xs[i]!; return [bar.map((b) => b * k), dk]; }]);\n` +
      `const d = grad((xs: number[], k: number): number => { ${TRY} const ys = f(xs, k); xs[0] = 100; return ys[0]! * ys[1]!; }, { argnums: [0, 1] })([2, 3], 4);\nexport const value = [d, calls];`,
    [[[48, 32], 48], 1],
  ],
  [
    "records, typed arrays, and arguments without numbers",
    `interface P { w: Float64Array; b: number }\nconst f = customVjp((p: P, name: string): P => ({ w: p.w.map((x) => x * p.b), b: p.b + name.length }), (p, name) => [{ w: p.w.map((x) => x * p.b), b: p.b + name.length },\n` +
      `  (bar) => [{ w: bar.w.map((x) => x * p.b), b: bar.b + bar.w.reduce((s, x, i) => s + x * p.w[i]!, 0) }, undefined]]);\n` +
      `export const value = grad((p: P): number => { ${TRY} const q = f(p, "ab"); return q.w[0]! * q.w[1]! + q.b * q.b; })({ w: Float64Array.of(2, 3), b: 5 });`,
    { w: Float64Array.of(75, 50), b: 60 + 14 },
  ],
  [
    "forward mode",
    `const f = customVjp((xs: number[]): number[] => [xs[0]! * xs[1]!, xs[0]!], (xs) => [[xs[0]! * xs[1]!, xs[0]!], (bar) => [[bar[0]! * xs[1]! * 10 + bar[1]!, bar[0]! * xs[0]!]]]);\n` +
      `export const value = [jvp((xs: number[]): number[] => { ${TRY} return f(xs); })([[2, 3]], [[1, 100]]), jacfwd((xs: number[]): number[] => { ${TRY} return f(xs); })([2, 3])];`,
    [
      [
        [6, 2],
        [30 + 200, 1],
      ],
      [
        [30, 2],
        [1, 0],
      ],
    ],
  ],
  [
    "a pullback that is kept",
    `const f = customVjp((x: number): number[] => [x, x * x], (x) => [[x, x * x], (bar) => [bar[0]! + 2 * x * bar[1]!]]);\nconst [, pull] = vjp((x: number): number[] => { ${TRY} return f(x); })(3);\nexport const value = [pull([1, 0]), pull([0, 1]), pull([1, 1]), pull([1, 0])];`,
    [[1], [6], [7], [1]],
  ],
  [
    "the value is that of the function",
    `const f = customVjp((x: number): number => x + 1, (x) => [x - 1, (bar) => [bar]]);\nexport const value = valueAndGrad((x: number): number => { ${TRY} return f(x); })(3);`,
    [4, 1],
  ],
  [
    "straight through what has no derivative",
    `const f = customVjp((x: number): number => Math.round(x), (x) => [Math.round(x), (bar) => [bar]]);\nexport const value = grad((x: number): number => { ${TRY} return f(x * 3) * x; })(1.5);`,
    5 + 1.5 * 3,
  ],
  [
    "one object twice, its cotangents apart",
    `const f = customVjp((p: { a: number[]; b: number[] }): number => p.a[0]! * p.b[0]!, (p) => [p.a[0]! * p.b[0]!, (bar) => [{ a: [bar * p.b[0]!], b: [bar * p.a[0]!] }]]);\n` +
      `export const value = grad((xs: number[]): number => { ${TRY} return f({ a: xs, b: xs }); })([3]);`,
    [6],
  ],
  [
    "one object twice, one cotangent at both places, which counts at each",
    `const f = customVjp((p: { a: number[]; b: number[] }): number => p.a[0]! * p.b[0]!, (p) => [p.a[0]! * p.b[0]!, (bar) => { const sum = [bar * (p.b[0]! + p.a[0]!)]; return [{ a: sum, b: sum }]; }]);\n` +
      `export const value = grad((xs: number[]): number => { ${TRY} return f({ a: xs, b: xs }); })([3]);`,
    [12],
  ],
  [
    "a result with one object twice",
    `interface P { a: number[]; b: number[] }\nconst twice = (x: number): P => { const s = [x * x]; return { a: s, b: s }; };\n` +
      `const f = customVjp(twice, (x): [P, (bar: P) => [number]] => [twice(x), (bar) => [2 * x * (bar.a[0]! + bar.b[0]!)]]), g = customJvp(twice, ([x], [dx]): [P, P] => { const s = [2 * x * dx]; return [twice(x), { a: s, b: s }]; });\n` +
      `const k = customVjp(twice, (x): [P, (bar: P) => [number]] => { const [value, pull] = vjp(twice)(x); return [value, (bar) => [pull(bar)[0]]]; });\n` +
      `export const value = [${["f", "g", "k"].map((rule) => `grad((x: number): number => { ${TRY} const p = ${rule}(x); return 3 * p.a[0]! + 5 * p.b[0]!; })(2)`).join(", ")}];`,
    [32, 32, 32],
  ],
  [
    "a cotangent with one list twice, of a result that has one twice; and by the static engine",
    `interface P { a: number[]; b: number[] }\nconst f = (x: number): P => { ${TRY} const s = [x * x]; return { a: s, b: s }; };\n` +
      `const g = (x: number): P => { const s = [x * x]; return { a: s, b: s }; };\nconst [, pull] = vjp(f)(3), [, push] = vjp(g)(3), one = [1];\n` +
      `export const value = [pull, push].map((each) => [...each({ a: one, b: one }), ...each({ a: [1], b: [1] }), ...each({ a: [1], b: [0] })]);`,
    [
      [12, 12, 6],
      [12, 12, 6],
    ],
  ],
  [
    "made inside of the function",
    `export const value = grad((x: number): number => { ${TRY} const f = customVjp((y: number): number => y * y, (y) => [y * y, (bar) => [7 * bar]]); return f(x) + f(2); })(3);`,
    7,
  ],
  [
    "a rule that returns early",
    `const f = customVjp((x: number): number => Math.abs(x), (x) => { if (x > 0) return [x, (bar: number) => [bar] as const]; const minus = (bar: number) => [-2 * bar] as const; return [-x, minus]; });\n` +
      `const d = grad((x: number): number => { ${TRY} return f(x); });\nexport const value = [d(3), d(-3)];`,
    [1, -2],
  ],
  // customJvp
  [
    "a number",
    `const f = customJvp((x: number): number => x * x, ([x], [dx]) => [x * x, 10 * x * dx]);\nexport const value = [grad((x: number): number => { ${TRY} return f(x) * x; })(3), jvp((x: number): number => { ${TRY} return f(x); })([3], [2])];`,
    [9 + 90, [9, 60]],
  ],
  [
    "arrays",
    `const f = customJvp((xs: number[], s: string): number[] => xs.map((x) => x * xs[0]! + s.length), ([xs, s], [dxs]) => [xs.map((x) => x * xs[0]! + s.length), dxs.map((d, i) => d * xs[0]! + xs[i]! * dxs[0]!)]);\n` +
      `export const value = grad((xs: number[]): number => { ${TRY} const ys = f(xs, "a"); return ys[0]! * 2 + ys[1]! * 3; })([2, 5]);`,
    [2 * 4 + 3 * 5, 3 * 2],
  ],
  // forms inside
  [
    "grad, of what is not active",
    `const g = (y: number): number => y * y;\nexport const value = grad((x: number, n: number): number => { ${TRY} return x * grad(g)(n); })(3, 5);`,
    10,
  ],
  [
    "a const made by a form",
    `const dg = grad((y: number): number => y ** 3);\nexport const value = grad((x: number): number => { ${TRY} return x * dg(2); })(3);`,
    12,
  ],
  [
    "with options",
    `export const value = grad((x: number, n: number): number => { ${TRY} const [v, [a, b]] = valueAndGrad((p: number, q: number): number => p * q, { argnums: [1, 0] })(n, 7); return x * (v + 10 * a + 100 * b); })(1, 5);`,
    35 + 50 + 700,
  ],
  [
    "vjp, jvp, linearize, dense ones",
    `const g = (y: number[]): number[] => [y[0]! * y[1]!, y[0]!];\nexport const value = grad((x: number): number => { ${TRY} const [v, pull] = vjp(g)([2, 3]); const [, dot] = jvp(g)([[2, 3]], [[1, 10]]); const [, map] = linearize(g)([2, 3]);\n` +
      `  const [row] = pull([1, 0]); return x * (v[0]! + row[0]! + dot[0]! + map.apply([[1, 0]])[0]! + jacfwd(g)([2, 3])[0]![1]! + jacrev(g)([2, 3])[0]![0]!); })(1);`,
    6 + 3 + 23 + 3 + 2 + 3,
  ],
  [
    "a descent, of which the result is a constant",
    `export const value = grad((x: number): number => { ${TRY} let y = [1]; for (let i = 0; i < 3; i++) { const d = grad((z: number[]): number => z[0]! * z[0]!)(y); y = y.map((v, k) => v - 0.25 * d[k]!); } return x * y[0]!; })(3);`,
    0.125,
  ],
  [
    "written memory around it stays what it is",
    `export const value = grad((xs: number[]): number => { ${TRY} const buffer = [xs[0]! * 2, 0]; const d = grad((z: number): number => { const own = [z * z]; return own[0]! * 3; })(4); buffer[1] = d * xs[0]!; return buffer[0]! + buffer[1]!; })([5]);`,
    [26],
  ],
  [
    "of a function with a rule",
    `const f = customVjp((x: number): number => x, (x) => [x, (bar) => [11 * bar]]);\nexport const value = grad((x: number): number => { ${TRY} return x * grad((y: number): number => f(y) * 2)(1); })(3);`,
    22,
  ],
  // derivatives of derivatives
  [
    "a derivative inside by an argument",
    `export const value = grad((x: number): number => { ${TRY} return grad((y: number): number => y * y)(x); })(3);`,
    2,
  ],
  [
    "a derivative inside by an array",
    `export const value = grad((x: number[]): number => { ${TRY} return grad((y: number[]): number => y[0]! * y[0]!)(x)[0]!; })([3]);`,
    [2],
  ],
  [
    "a derivative inside by a variable around it",
    `export const value = grad((x: number): number => { ${TRY} return grad((y: number): number => x * y)(2); })(3);`,
    1,
  ],
  [
    "a derivative inside by an array around it",
    `export const value = grad((x: number[]): number => { ${TRY} return grad((y: number): number => x[0]! * y * y)(2); })([3]);`,
    [4],
  ],
  [
    "a derivative inside by an array around it, where the derivative is 0",
    `export const value = grad((x: number[]): number => { ${TRY} return grad((y: number): number => x[0]! * y * y)(0); })([3]);`,
    [0],
  ],
  [
    "a derivative inside by a tangent",
    `export const value = grad((x: number): number => { ${TRY} return jvp((y: number): number => y * y)([2], [x])[1]; })(3);`,
    4,
  ],
  [
    "a pullback's rule",
    `export const value = grad((k: number[]): number => { ${TRY} const f = customVjp((y: number): number => y, (y) => [y, (bar) => [k[0]! * bar]]); return grad((y: number): number => f(y))(2); })([3]);`,
    [1],
  ],
  [
    "a result that is around it",
    `export const value = grad((k: number): number => { ${TRY} return valueAndGrad((y: number): number => (y > 0 ? k : y))(2)[0]; })(3);`,
    1,
  ],
  [
    "a second derivative inside",
    `export const value = grad((x: number): number => { ${TRY} return x * hvp((y: number): number => x * y ** 3)([2], 1); })(3);`,
    2 * 3 * 12,
  ],
  // arguments
  [
    "an argument that holds itself",
    `interface Node { x: number; next: Node | null; back: Node | null }\nconst a: Node = { x: 3, next: null, back: null }, b: Node = { x: 5, next: null, back: a };\na.next = b;\na.back = b;\n` +
      `const d = grad((n: Node): number => { ${TRY} return n.x * n.next!.x * n.back!.x; })(a);\nexport const value = [d.x, d.next?.x, d.next === d.back];`,
    [25, 30, true],
  ],
  [
    "an argument of a recursive type",
    `type E = { kind: "leaf"; v: number } | { kind: "product"; a: E; b: E };\nconst run = (e: E): number => { ${TRY} return e.kind === "leaf" ? e.v : run(e.a) * run(e.b); };\nconst x: E = { kind: "leaf", v: 3 };\n` +
      `const d = grad(run)({ kind: "product", a: x, b: x });\nexport const value = d.kind === "product" && [d.a, d.a === d.b];`,
    [{ kind: "leaf", v: 6 }, true],
  ],
  [
    "an argument with one object without numbers twice",
    `const c = { name: "c" };\nexport const value = grad((p: { a: typeof c; b: typeof c; x: number }): number => { ${TRY} return p.x * p.x; })({ a: c, b: c, x: 3 });`,
    { x: 6 },
  ],
];

const THROWN: readonly (readonly [string, string, RegExp])[] = [
  [
    "what it sees that is active",
    `export const value = grad((k: number): number => { ${TRY} const f = customVjp((x: number): number => k * x, (x) => [k * x, (bar) => [k * bar]]); return f(2); })(3);`,
    /TSG0010.*depends on `k`/,
  ],
  [
    "an array that it sees",
    `export const value = grad((k: number[]): number => { ${TRY} const f = customVjp((x: number): number => k[0]! * x, (x) => [k[0]! * x, (bar) => [k[0]! * bar]]); return f(2) ; })([3]);`,
    /TSG0010.*depends on `k`/,
  ],
  [
    "an argument that is returned",
    `const f = customVjp((xs: number[]): number[] => xs, (xs) => [xs, (bar) => [bar]]);\nexport const value = grad((xs: number[]): number => { ${TRY} return f(xs)[0]!; })([3]);`,
    /TSG0010.*copy/,
  ],
  [
    "an argument that is written",
    `const f = customVjp((xs: number[]): number => { xs[0] = 2 * xs[0]!; return xs[0]!; }, (xs) => [2 * xs[0]!, (bar) => [[2 * bar]]]);\nexport const value = grad((xs: number[]): number => { ${TRY} return f(xs); })([3]);`,
    /TSG0010.*writes/,
  ],
  [
    "an argument that holds one object twice",
    `const xs = [3];\nexport const value = grad((p: { a: number[]; b: number[] }): number => { ${TRY} return p.a[0]! * p.b[0]!; })({ a: xs, b: xs });`,
    /TSG0004: argument 0 holds one object twice/,
  ],
];

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  [
    "a term inside",
    `export const d = grad((x: number): number => { ${TRY} return x * delta((y: number): number => y * y)(2).value; });`,
    /TSG1301 .*delta/,
  ],
];

const all = [...VALUES, ...THROWN, ...REFUSED].map(([, text]) => text);
let programs: ReadonlyMap<string, Built> = new Map();
beforeAll(() => {
  programs = builtTogether(all);
}, 120_000);
const program = (text: string): Built => programs.get(text) ?? expect.unreachable();

test.each(VALUES)("%s", (_, text, expected) => {
  const { codes, exports } = program(text);
  expect(codes).toEqual([]);
  expect(exports()["value"]).toEqual(expected);
});

test.each(THROWN)("no silent zero: %s", (_, text, expected) => {
  const { codes, exports } = program(text);
  expect(codes).toEqual([]);
  expect(exports).toThrow(expected);
});

test.each(REFUSED)("refused by the build: %s", (_, text, expected) => {
  expect(program(text).codes).toEqual([expect.stringMatching(expected)]);
});
