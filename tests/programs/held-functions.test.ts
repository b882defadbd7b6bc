// Functions that fields hold. In: small modules. Out: derivatives against closed forms, what a function throws that the build has not seen, and codes where not all of them are known.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const LAYER =
  "export interface Layer { w: number; act: (x: number) => number }\nexport const square = (x: number): number => x * x;\n";
const HEAD = `import { grad, hessian, jvp, vjp } from "tsgrad";\nimport { type Layer, square } from "./b.ts";\n`;
const RUN =
  "const f = (w: number, layers: Layer[]): number => { let h = w; for (const l of layers) { if (h > 1e6) break; h = l.act(l.w * h); } return h; };\n";

const files = (
  module: string,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({ "a.ts": `${HEAD}${module}\n`, "b.ts": LAYER, ...others });

function got(
  module: string,
  others: Readonly<Record<string, string>> = {},
  isStatic = true,
): unknown {
  const texts = files(module, others);
  const { edits, diagnostics } = analyse(programOf(texts), isStatic ? { engine: "static" } : {});
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const edited = new Map(
    Object.entries(texts).map(([name, text]): [string, string] => [
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  return loader(edited)("/src/a.ts")["got"];
}

const codes = (module: string, others: Readonly<Record<string, string>> = {}): readonly string[] =>
  analyse(programOf(files(module, others)), { engine: "static" }).diagnostics.map(
    ({ code }) => code,
  );

test("in every mode", () => {
  const net =
    "const net: Layer[] = [{ w: 2, act: square }, { w: 1, act: square }, { w: 3, act: Math.abs }];\n";
  // 3 ((2 w)²)² = 48 w⁴: 192 w³, 576 w²
  expect(
    got(
      `${RUN}${net}export const got = [grad(f)(0.5, net), hessian(f)(0.5, net), jvp(f)([0.5, net], [2, net.map(() => ({ w: 0 }))] as never)[1], vjp(f)(0.5, net)[1](2)[0]];`,
    ),
  ).toEqual([24, 144, 48, 48]);
  // of the first weight v: 3 v⁴ w⁴, so 12 v³ w⁴ = 6
  expect(got(`${RUN}${net}export const got = grad(f, { argnums: 1 })(0.5, net)[0]!.w;`)).toBe(6);
});

test("early exit leaves out the layers behind it", () => {
  expect(
    got(
      `${RUN}const net: Layer[] = [{ w: 1e7, act: Math.abs }, { w: 1, act: square }];\nexport const got = grad(f)(1, net);`,
    ),
  ).toBe(1e7);
});

// (3 · 0.5)² + 2 · 0.5 is 3.25, and (1 + 2) · 3.25 the result: its derivative by the first weight is 3 · 2 · 3 · 0.25
test("another function of the same name stands where the derivative does", () => {
  const module =
    "function make(k: number) { const square = (x: number): number => k * x; const f = (ls: Layer[], x: number): number => { let h = x; for (const l of ls) h = l.act(l.w * h) + square(h); return h; }; return grad(f); }\n";
  expect(
    got(
      `${module}export const got = make(2)([{ w: 3, act: square }, { w: 1, act: Math.abs }], 0.5).map(({ w }) => w);`,
    ),
  ).toEqual([4.5, 3.25]);
});

// 4 · (3 · (2 x)) + 3 + 2
test("functions that call each other through fields", () => {
  const module =
    "interface Node { w: number; act: (n: Node, x: number) => number; next: Node | null }\nconst leaf = (n: Node, x: number): number => n.w * x;\n" +
    "const inner = (n: Node, x: number): number => (n.next === null ? x : n.next.act(n.next, x * n.w) + n.w);\nconst g = (n: Node, x: number): number => n.act(n, x);\n" +
    "const chain: Node = { w: 2, act: inner, next: { w: 3, act: inner, next: { w: 4, act: leaf, next: null } } };\n";
  expect(
    got(`${module}export const got = [grad(g, { argnums: 1 })(chain, 1), grad(g)(chain, 1).w];`),
  ).toEqual([24, 13]);
});

test("a function that the build has not seen throws", () => {
  const hidden = 'const hidden = new Function("return { w: 1, act: (x) => x }")() as Layer;\n';
  const thrown = got(
    `${RUN}${hidden}export const net: Layer[] = [{ w: 1, act: square }];\nexport const got = [hidden].map((l) => { try { return grad(f)(2, [l]); } catch (error) { return String(error); } });`,
  );
  expect(thrown).toEqual([
    "Error: TSG0022: `l.act` is none of the functions that code of the program puts there (square)",
  ]);
});

test.each([
  [
    "by a function that makes them",
    "const made = (w: number, act: (x: number) => number = square): Layer => ({ w, act });\nconst net = [made(2), made(1, Math.abs)];",
    4,
  ],
  [
    "by a choice",
    'const kind: string = "abs";\nconst net: Layer[] = [{ w: 2, act: kind === "abs" ? Math.abs : square }];',
    2,
  ],
  ["by an assignment", "const net: Layer[] = [{ w: 2, act: Math.abs }];\nnet[0]!.act = square;", 4],
  [
    "of another object",
    "const first: Layer = { w: 2, act: square };\nconst net: Layer[] = [{ w: 2, act: first.act }, { ...first, w: 1 }];",
    8,
  ],
  [
    "by going through a list",
    "const fs = [Math.abs, square], net = fs.map((act, i) => ({ w: 2 - i, act }));",
    2 * 2,
  ],
  [
    "by going through a literal",
    "const net: Layer[] = [];\n[square, Math.abs].forEach((act) => { net.push({ w: 2, act }); });",
    8,
  ],
  [
    "of a table",
    'const acts = { sq: (x: number): number => x * x, abs: Math.abs, own: square };\nconst net: Layer[] = [{ w: 2, act: acts.sq }, { w: 1, act: acts.abs }, { w: 1, act: acts["own"] }];',
    8,
  ],
  [
    "by the constructor of a class",
    "class C implements Layer { constructor(readonly w: number, public act: (x: number) => number) {} }\nclass D extends C { constructor() { super(2, square); } }\nconst net: Layer[] = [new D(), new C(1, Math.abs)];",
    4,
  ],
  [
    "by a function that is handed on",
    "const made = (act: (x: number) => number): Layer => ({ w: 2, act });\nconst net = [square].map(made);",
    4,
  ],
  [
    "of a table that is written into",
    "const acts = { sq: square };\nacts.sq = Math.abs;\nconst net: Layer[] = [{ w: 2, act: acts.sq }, { w: 1, act: Object.values(acts)[0]! }];",
    2,
  ],
  [
    "of a variable that is assigned",
    "let act = square;\nact = Math.abs;\nconst net: Layer[] = [{ w: 2, act }];\nact = square;",
    2,
  ],
  [
    "by keys known at run time",
    'const parts: Record<string, (x: number) => number> = {};\nfor (const [key, fn] of [["act", square]] as const) parts[key] = fn;\nconst net: Layer[] = [{ w: 2, act: Math.abs, ...parts }];',
    4,
  ],
])("put there %s", (_, module, expected) => {
  expect(got(`${RUN}${module}\nexport const got = grad(f)(0.5, net);`)).toBe(expected);
});

test("fields of that name of other objects do not count", () => {
  expect(
    codes(
      `${RUN}export const plan = { act: (n: string): string => n + n, scene: 2 }, other = { act: 3 };\nexport const net: Layer[] = [{ w: 1, act: square }];\nexport const d = grad(f);`,
    ),
  ).toEqual([]);
});

test.each([
  ["written in place", "export const net: Layer[] = [{ w: 1, act: (x) => x * x }];"],
  ["a method", "export const net: Layer[] = [{ w: 1, act(x) { return x * x; } }];"],
  [
    "of a class",
    "export class C { w = 1; act(x: number): number { return x * x; } }\nexport const net: Layer[] = [{ w: 1, act: square }, new C()];",
  ],
  [
    "made by a call",
    "const power = (k: number) => (x: number): number => x ** k;\nexport const net: Layer[] = [{ w: 1, act: power(2) }];",
  ],
  ["of no type", "declare const act: any;\nexport const net: Layer[] = [{ w: 1, act }];"],
  [
    "of what others call",
    "export const made = (act: (x: number) => number): Layer => ({ w: 1, act });",
  ],
])("not all are known: %s", (_, module) => {
  expect(codes(`${RUN}${module}\nexport const d = grad(f);`)).toEqual(["TSG1129"]);
});

test("the program puts none there", () => {
  expect(codes(`${RUN}export const d = grad(f);`)).toEqual(["TSG1112"]);
});

test("nothing is loaded for a derivative that was not loaded", () => {
  const main =
    'import type { Layer } from "./b.ts";\nconst cube = (x: number): number => x ** 3;\nexport const net: Layer[] = [{ w: 1, act: cube }];';
  expect(codes(`${RUN}export const d = grad(f);`, { "main.ts": main })).toEqual(["TSG1129"]);
  expect(
    codes(`import "./main.ts";\n${RUN}export const d = grad(f);`, { "main.ts": main }),
  ).toEqual([]);
});

test.each(["{ act }", "{ a: { act } }", "{ act = square }"])(
  "a variable of the pattern %s that is assigned later",
  (pattern) => {
    const module = `const cube = (x: number): number => x * x * x;
let ${pattern} = { act: square, a: { act: square } };
export const before = grad((x: number): number => act(x))(2);
act = cube;
export const got = [before, grad((x: number): number => act(x))(2)];`;
    // 2 x and 3 x² at 2
    expect(got(module, {}, false)).toEqual([4, 12]);
  },
);
