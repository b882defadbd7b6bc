// Statements of ours between statements of the user's that no semicolon ends. In: declarations of
// functions whose values escape. Oracle: the derivative of x², which every program computes.

import { describe, expect, test } from "vitest";
import { call, compiled, problemsOf } from "./compiled.ts";

/** What follows a statement of the user's on the same line, or ends it. */
const ENDS: Readonly<Record<string, string>> = {
  "no semicolon": "",
  "a semicolon": ";",
  "a comment": " // a comment",
  "a comment in the line": " /* a comment */",
};

/** A function whose value escapes, and an expression that calls it. */
const DECLARED: Readonly<Record<string, readonly [declared: string, called: string]>> = {
  "a const": ["const sq = (x: number) => x * x@\nconst all = [sq]@", "all[0]!(x)"],
  "a Map": [
    'const sq = (x: number) => x * x@\nconst all = new Map([["k", sq]])@',
    'all.get("k")!(x)',
  ],
  "an object": ["const all = { sq: (x: number) => x * x }@", 'all[name as "sq"](x)'],
  "a list in parentheses": ["const all = ([(x: number) => x * x])@", "all[0]!(x)"],
  "a class": [
    "class Sq {\n  k = 1\n  at(x: number) { return this.k * x * x }\n}\nconst all = [new Sq()]@",
    "all[0]!.at(x)",
  ],
  "a class on one line": [
    "class Sq { #k = 1 @; at(x: number) { return this.#k * x * x } }\nconst all = [new Sq()]@",
    "all[0]!.at(x)",
  ],
  "a class that ends with a field": [
    "class Sq { at(x: number) { return this.#k * x * x } #k = 1 }\nconst all = [new Sq()]@",
    "all[0]!.at(x)",
  ],
  "a namespace": ["namespace Ops { export const sq = (x: number) => x * x@\n }", "Ops.sq(x)"],
  "an export": ["export const sq = (x: number) => x * x@\nexport const all = [sq]@", "all[0]!(x)"],
  "a function of functions": [
    "const made = (k: number) => {\n  const own = (x: number) => k * x * x@\n  return [own]@\n}\nconst all = made(1)@",
    "all[0]!(x)",
  ],
};

const programs = Object.entries(DECLARED).flatMap(([what, [declared, called]]) =>
  Object.entries(ENDS).map(([how, end]): readonly [string, string] => {
    const at = declared.includes("@;") ? end.replace(/^ \/\/.*/, "") : end;
    return [
      `${what}, then ${how}`,
      `import { grad } from "tsgrad"\n${declared.replaceAll("@", at)}
export const f = (x: number, name: string) => ${called}${end}
export const g = grad(f, { engine: "delta" })${end}\n`,
    ];
  }),
);

describe("statements after", () => {
  const all = compiled(Object.fromEntries(programs.map(([, text], i) => [`a${i}.ts`, text])));
  test.each(programs.map(([what], i) => [what, i] as const))("%s", (_, i) => {
    expect(problemsOf(all, `a${i}.`)).toEqual([]);
    expect(call(all.load(`/src/a${i}.ts`)["g"], 1.5, "sq")).toBeCloseTo(3, 12);
  });
});

/** Default exports, which have no name that a statement could mention. */
const DEFAULTS: readonly string[] = [
  "{ sq }",
  "{ sq: (x: number): number => x * x }",
  "{ sq(x: number): number { return x * x } }",
  "({ sq })",
  "{ sq } as const",
  "{ sq } satisfies object",
  "Object.freeze({ sq })",
  "{ inner: { sq } }",
  "[sq]",
  'new Map([["sq", sq]])',
];

const reached = (value: string): string =>
  value.startsWith("[")
    ? "[0]!"
    : value.startsWith("new")
      ? '.get("sq")!'
      : value.includes("inner")
        ? ".inner.sq"
        : ".sq";

const defaults = DEFAULTS.flatMap((value) =>
  ["", ";", " // default"].map((end) => [value, end] as const),
);

describe("the functions in a default export", () => {
  const all = compiled(
    Object.fromEntries(
      defaults.flatMap(([value, end], i) => [
        [
          `ops${i}.ts`,
          `export const sq = (x: number): number => x * x${end}\nexport default ${value}${end}`,
        ],
        [
          `a${i}.ts`,
          `import { grad } from "tsgrad"\nimport all from "./ops${i}.js"
export const f = (x: number): number => all${reached(value)}(x)
export const g = grad(f, { engine: "delta" })\n`,
        ],
      ]),
    ),
  );
  test.each(defaults.map(([value, end], i) => [value, end, i] as const))("%s%s", (_, _end, i) => {
    expect([...problemsOf(all, `a${i}.`), ...problemsOf(all, `ops${i}.`)]).toEqual([]);
    expect(call(all.load(`/src/a${i}.ts`)["g"], 1.5)).toBeCloseTo(3, 12);
  });
});

test.each(["", ";", " // again"])("exports again that end with `%s`", (end) => {
  const { diagnostics, problems, load } = compiled({
    "f.ts": `/** @differentiable */\nexport function f(x: number): number { return x * x }${end}`,
    "index.ts": `export { f } from "./f.js"${end}\nexport { f as again } from "./f.js"${end}`,
  });
  expect([...diagnostics, ...problems]).toEqual([]);
  expect(Object.keys(load("/src/index.ts"))).toContain("again$shipped");
});

test.each([
  "'use client'",
  '"use client"',
  "'use client' // here",
  '"use strict";',
  '"use strict" ;',
])("directives stay first: %s", (directive) => {
  const { texts, problems } = compiled({
    "a.ts": `${directive}\nimport { grad } from "tsgrad"\nexport const g = grad((x: number) => x * x, { engine: "delta" })\n`,
  });
  expect(problems).toEqual([]);
  expect(texts.get("/src/a.ts")?.startsWith(directive)).toBe(true);
});
