// JavaScript of the program by the static engine: types from JSDoc, from calls, and what is left to the other engine where types are
// not true. In: a module in JavaScript and an expression of `x`. Out: the engine, and the gradient. Oracle: central differences of the
// same function in the same module, whose text has no derivatives.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

type Files = Readonly<Record<string, string>>;

interface Loaded {
  readonly f: (x: number) => number;
  readonly d: (x: number) => number;
  readonly engine: "static" | "delta";
  readonly lib: string;
}

function loaded(files: Files, strict: boolean): Loaded {
  const host = programOf(files, { allowJs: true, strict });
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const texts = Object.entries(files).map(([name, text]): [string, string] => [
    name,
    applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
  ]);
  for (const [name, text] of texts)
    if (name.endsWith(".js")) {
      const { program } = programOf({ "a.js": text }, { allowJs: true });
      expect(program.getSyntacticDiagnostics(program.getSourceFile("/src/a.js"))).toEqual([]);
      // types that were put in are taken out again
      expect(text.match(/@(?:type|returns) /g) ?? []).toEqual(
        files[name]?.match(/@(?:type|returns) /g) ?? [],
      );
    }
  const main = texts.find(([name]) => name.startsWith("main"))?.[1] ?? "";
  const load = loader(
    new Map(texts.map(([name, text]) => [`/src/${name.replace(/\.js$/, ".ts")}`, text])),
  );
  return {
    ...(load("/src/main.ts") as unknown as Pick<Loaded, "f" | "d">), // its exports
    engine: main.includes("f$delta") ? "delta" : "static",
    lib: texts.find(([name]) => name === "lib.js")?.[1] ?? "",
  };
}

/** What is given, the module, what `main` imports of it, and what it computes. */
type Row = readonly [what: string, lib: string, imported: string, body: string];

const TYPED: readonly Row[] = [
  [
    "types in JSDoc",
    "/** @param {number} a @param {number[]} ws @returns {number} */\nexport function sum(a, ws) { return ws.reduce((s, w) => s + w * a * a, 0); }",
    "sum",
    "sum(x, [1, 2, x])",
  ],
  [
    "a type that JSDoc names",
    "/** @typedef {{ a: number, b?: number }} Pair */\n/** @param {Pair} p */\nexport const of = (p) => p.a * p.a * (p.b ?? 3);",
    "of",
    "of({ a: x }) + of({ a: 2, b: x })",
  ],
  [
    "numbers of calls, functions that call each other",
    "const square = v => v * v;\nfunction both(a, b) { return square(a) * b + rest(b, 2); }\nfunction rest(a, n) { return n > 0 ? a * rest(a, n - 1) : a; }\nexport { both };",
    "both",
    "both(x, x + 1)",
  ],
  [
    "functions for parameters, handed on",
    "const twice = (fn, v) => fn(fn(v));\nconst apply = (fn, a) => twice(fn, a) + twice((t) => t * a, 3);\nexport const run = (x) => apply((v) => v * x, x);",
    "run",
    "run(x)",
  ],
  [
    "lists that are filled",
    "export function table(x, n) { const all = new Array(n); const seen = []; for (let i = 0; i < n; i++) all[i] = x * i + (i > 0 ? all[i - 1] : 0); all.forEach((v) => { seen.push(v * v); }); return seen.reduce((s, v) => s + v, 0); }",
    "table",
    "table(x, 4)",
  ],
  [
    "rest and left out arguments, defaults",
    "export const norm = (scale = 2, ...xs) => Math.hypot(...xs) * scale;\nexport function shift(x, by) { return by === undefined ? x : x * by; }",
    "norm, shift",
    "norm(x, x, 3) + shift(x) * shift(x, 3)",
  ],
  [
    "a class, its getters, static members and subclass",
    "export class Point { static of(a) { return new Point(a, 2); } constructor(a, b) { this.a = a; this.b = b; } get norm() { return Math.sqrt(this.a * this.a + this.b * this.b); } scaled(k) { return new Point(this.a * k, this.b * k); } }\nexport class Deep extends Point { constructor(a, b, c) { super(a, b); this.c = c; } get norm() { return super.norm * this.c; } }",
    "Point, Deep",
    "Point.of(x).scaled(x).norm + new Deep(x, 1, x).norm",
  ],
  [
    "objects and lists of them",
    "export function energy(ps, k) { let e = 0; for (const { at, m } of ps) e += m * at * at * k; return e; }",
    "energy",
    "energy([{ at: x, m: 1 }, { at: 2, m: x }], x)",
  ],
  [
    "variables that begin as null, and var",
    "export function best(xs) { var top = null; for (var i = 0; i < xs.length; i++) if (top === null || xs[i] > top) top = xs[i]; return top === null ? 0 : top * top; }",
    "best",
    "best([1, x * x, -x])",
  ],
  [
    "a variable and a buffer of the module",
    "let scale = 1;\nexport const setScale = (to) => { scale = to; };\nconst buffer = new Float64Array(2);\nexport function run(x) { buffer[0] = x * scale; buffer[1] = buffer[0] * x; return buffer[1]; }\nsetScale(3);",
    "run",
    "run(x)",
  ],
];

/** Types are not what they seem, or nothing says them. */
const UNTRUE: readonly Row[] = [
  [
    "JSDoc that a call does not keep",
    "/** @param {number} a */\nconst of = (a) => Array.isArray(a) ? a[0] * a[0] * a[0] : a;\nexport const run = (x) => of([x, 2]);",
    "run",
    "run(x)",
  ],
  [
    "JSDoc that the function does not keep",
    "/** @returns {number} */\nconst pair = (x) => [x * x, x];\nexport const run = (x) => { const p = pair(x); return p[0] * p[1]; };",
    "run",
    "run(x)",
  ],
  [
    "a field that another function changes the kind of",
    "class Box { constructor(v) { this.v = v; } get half() { return typeof this.v === 'number' ? 0 : this.v[0] * this.v[0]; } }\nconst fill = (box, x) => { box.v = [x, 2]; };\nexport const run = (x) => { const box = new Box(3); fill(box, x); return box.half; };",
    "run",
    "run(x)",
  ],
  [
    "errors that the file silences",
    "// @ts-nocheck\n/** @param {number} a */\nconst of = (a) => typeof a === 'number' ? 0 : a.v * a.v;\nexport const run = (x) => of({ v: x });",
    "run",
    "run(x)",
  ],
  [
    "an argument that is left out, against JSDoc",
    "/** @param {number} a @param {number} k */\nconst of = (a, k) => k === undefined ? a * a * a : 1;\nexport const run = (x) => of(x);",
    "run",
    "run(x)",
  ],
  [
    "values that nothing types",
    "const parsed = JSON.parse('{\"k\": 3}');\nconst hidden = (v) => JSON.parse(JSON.stringify([1]))[0] * v * parsed.k;\nexport const run = (x) => hidden(x) * x;",
    "run",
    "run(x)",
  ],
  [
    "objects that pass through a list without a type",
    "const held = { last: null };\nconst put = (o) => { held.last = o; };\nexport const run = (x) => { put({ v: x * x }); return held.last.v * x; };",
    "run",
    "run(x)",
  ],
  [
    "a linked list whose variable begins as null",
    "export const run = (x) => { let list = null; for (const k of [1, 2, 3]) list = { head: k * x, tail: list }; let s = 0; for (let at = list; at; at = at.tail) s += at.head * at.head; return s; };",
    "run",
    "run(x)",
  ],
  [
    "a function that is assigned again",
    "export function step(x) { return x; }\nstep = (x) => x * x;\nexport const run = (x) => step(x);",
    "run",
    "run(x)",
  ],
];

const MAINS = {
  TypeScript: (imported: string, body: string): Files => ({
    "main.ts": `import { grad } from "tsgrad";\nimport { ${imported} } from "./lib.js";\nexport function f(x: number): number { return ${body}; }\nexport const d = grad(f);\n`,
  }),
  JavaScript: (imported: string, body: string): Files => ({
    "main.js": `import { grad } from "tsgrad";\nimport { ${imported} } from "./lib.js";\n/** @param {number} x */\nexport function f(x) { return ${body}; }\nexport const d = grad(f);\n`,
  }),
};

const right = ({ f, d }: Loaded): void => {
  for (const x of [0.7, 1.9]) {
    const h = 1e-5;
    // central differences see slopes near 1 to 1e-9
    expect(d(x)).toBeCloseTo((f(x + h) - f(x - h)) / (2 * h), 6);
  }
};

describe.each(Object.entries(MAINS))("asked from %s", (_, main) => {
  test.each(TYPED)("%s", (_what, lib, imported, body) => {
    const made = loaded({ "lib.js": lib, ...main(imported, body) }, true);
    right(made);
    expect(made.engine).toBe("static");
  });
  test.each(UNTRUE)("not where there are %s", (_what, lib, imported, body) => {
    const made = loaded({ "lib.js": lib, ...main(imported, body) }, true);
    right(made);
    expect(made.engine).toBe("delta");
  });
  test.each([...TYPED, ...UNTRUE])("%s, where types hide what is missing", (...row) => {
    const [, lib, imported, body] = row;
    right(loaded({ "lib.js": lib, ...main(imported, body) }, false));
  });
});
