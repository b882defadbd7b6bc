// Refusals in the user's names, and code beside them that is accepted. In: modules. Out: codes with
// their messages.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { REGISTRY } from "../../transformer/diagnostics/registry.ts";
import { programOf } from "../program.ts";
import { built } from "../nested/compiled.ts";

const IMPORT = `import { grad, hessian, valueAndGrad } from "tsgrad";\n`;
const errorsOf = (text: string, name = "a.ts", options = {}): readonly (readonly string[])[] =>
  analyse(programOf({ [name]: text }, options))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, message, help }) => [code, message, help]);

describe("`into` of what holds a Map is found by the build", () => {
  const HELD: Readonly<Record<string, string>> = {
    "a Map": "Map<string, number>",
    "a ReadonlyMap": "ReadonlyMap<string, number>",
    "a Map of lists": "Map<number, number[]>",
    "a list of Maps": "Map<string, number>[]",
    "a record": "{ k: number; m: Map<string, number> }",
    "a record in a list": "{ m: Map<string, number> }[]",
    "a tuple": "[number, Map<string, number>]",
    "what may be missing": "Map<string, number> | undefined",
    "an optional field": "{ m?: Map<string, number> }",
    "a record of records": "{ in: { m: Map<string, number> } }",
  };
  const BODIES: Readonly<Record<string, (type: string) => string>> = {
    static: (type) =>
      `export function f(m: ${type}, x: number[]): number { return x[0]! * x[1]!; }`,
    try: (type) =>
      `export function f(m: ${type}, x: number[]): number { try { return x[0]! * x[1]!; } catch { return 0; } }`,
  };
  const FORMS = [
    "grad(f, { argnums: [0, 1], into: true })",
    "valueAndGrad(f, { argnums: [0, 1], into: true })",
    `grad(f, { argnums: [0, 1], into: true, engine: "delta" })`,
  ];
  const cases = Object.entries(HELD).flatMap(([held, type]) =>
    Object.entries(BODIES).flatMap(([body, of]) =>
      FORMS.map((form) => ({
        held,
        body,
        form,
        type,
        text: `${of(type)}\nexport const d = ${form};`,
      })),
    ),
  );
  test.each(cases)("$held, $body, $form", ({ text }) => {
    const found = errorsOf(IMPORT + text);
    // without `into`, the Delta engine takes what the static one refuses
    const [message] = found.flatMap(([code, text]) => (code === "TSG1022" ? [text] : []));
    expect(found.every(([code = ""]) => ["TSG1022", "TSG1110"].includes(code))).toBe(true);
    expect(message).toMatch(/^cannot write `\w+\(f\)` into an object that is given: entries of/);
    expect(message).not.toMatch(/leaf|num\b/);
  });
  test("of another argument it may", () => {
    for (const of of Object.values(BODIES))
      expect(
        errorsOf(
          `${IMPORT}${of("Map<string, number>")}\nexport const d = grad(f, { argnums: 1, into: true });`,
        ),
      ).toEqual([]);
  });
});

describe("a list with holes that stays in its function", () => {
  const OTHERS: Readonly<Record<string, string>> = {
    "filled through a permutation": `const rank = new Array<number>(x.length); order.forEach((i, k) => { rank[i] = k; }); return x.reduce((s, v, i) => s + v ** 2 * rank[i]!, 0);`,
    "filled from the end": `const rank = new Array<number>(x.length); for (let i = x.length - 1; i >= 0; i--) rank[order[i]!] = i; return x.reduce((s, v, i) => s + v ** 2 * rank[i]!, 0);`,
    "of an empty literal": `const rank: number[] = []; order.forEach((i, k) => { rank[i] = k; }); return x.reduce((s, v, i) => s + v ** 2 * rank[i]!, 0);`,
    "whose length is read": `const rank = new Array<number>(x.length); order.forEach((i, k) => { rank[i] = k; }); let s = 0; for (let i = 0; i < rank.length; i++) s += x[i]! ** 2 * rank[i]!; return s;`,
  };
  const ORDERS: Readonly<Record<string, string>> = {
    sort: `const order = x.map((_, i) => i).sort((a, b) => x[a]! - x[b]!);`,
    toSorted: `const order = x.map((_, i) => i).toSorted((a, b) => x[a]! - x[b]!);`,
    "sort of a copy": `const order = [...x.keys()].slice().sort((a, b) => x[a]! - x[b]!);`,
  };
  const cases = Object.entries(OTHERS).flatMap(([other, code]) =>
    Object.entries(ORDERS).map(([order, sorted]) => ({ other, order, text: sorted + code })),
  );
  // the sum of k x_k² in ascending order
  test.each(cases)("$other, $order", ({ text }) => {
    const { h } = built(
      `${IMPORT}export const h = hessian((x: number[]): number => { ${text} })([3, 1, 2]);\n`,
    ).exports;
    expect(h).toEqual([
      [4, 0, 0],
      [0, 0, 0],
      [0, 0, 2],
    ]);
  });
  test("one that is passed on may reach others, and the message names what has holes", () => {
    const found =
      errorsOf(`${IMPORT}export const made = (n: number): number[] => { const a = new Array<number>(n); a[n - 1] = 1; return a; };
export const h = hessian((x: number[]): number => x.slice().sort((a, b) => a - b)[0]! ** 2, { engine: "static" });`);
    expect(found.map(([code]) => code)).toEqual(["TSG1210"]);
    expect(found[0]?.[1]).toContain("`new Array(n)`");
  });
});

describe("`require` in JavaScript is not followed, and reported once", () => {
  test.each([
    `const { grad } = require("tsgrad");\nexports.g = grad((x) => x * x);`,
    `const { grad: d } = require("tsgrad");\nexports.g = d((x) => x * x);`,
    `const t = require("tsgrad");\nexports.g = t.grad((x) => x * x);`,
    `var { grad, vjp } = require("tsgrad");\nexports.g = [grad((x) => x * x), vjp((x) => x)];`,
  ])("%s", (text) => {
    const host = programOf(
      { "a.js": `// @ts-check\n${text}\n` },
      { module: ts.ModuleKind.CommonJS, allowJs: true },
    );
    const { edits, diagnostics } = analyse(host);
    expect(diagnostics.map(({ code }) => code)).toEqual(["TSG0003"]);
    expect([...edits.keys()]).toEqual([]);
  });
});

describe("a mark of what programs follow by its JavaScript", () => {
  test.each([
    "export function of(f: (x: number) => number, n: number): number { return f(n); }",
    "export function of(n: number, g: { (x: number): number }): number { return g(n); }",
    "export const of = customVjp((x: number): number => x * x, (x) => [x * x, (b) => [2 * x * b]]);",
    "export const of = customJvp((x: number): number => x * x, ([x], [d]) => [x * x, 2 * x * d]);",
  ])("%s", (text) => {
    expect(errorsOf(`/** @differentiable */\n${text}\n`)).toEqual([]);
  });

  test.each([
    "function of(f: (x: number) => number, n: number): number { return f(n); }\nvoid of;",
    "export const of = (x: number): number => x * x;",
    "export default function of(f: (x: number) => number): number { return f(1); }",
  ])("not of others: %s", (text) => {
    const found = errorsOf(`/** @differentiable */\n${text}\n`);
    expect(found.map(([code]) => code)).toEqual(["TSG1016"]);
  });
});

test("no remedy says only to write something else", () => {
  const vague = /^TSG\d+ write (?:it|this)(?: (?:out|otherwise|with other code|in the program))?$/;
  for (const [code, { help }] of Object.entries(REGISTRY))
    expect(`${code} ${help}`).not.toMatch(vague);
  for (const text of [
    `export const d = grad((x: number): number => Number(eval("x")) * x, { engine: "delta" });`,
    `export const d = grad((x: number): number => { try { return Number(eval("x")); } catch { return 0; } });`,
  ])
    for (const [, message = "", help = ""] of errorsOf(IMPORT + text)) {
      const [, quoted] = /^cannot differentiate `(.*?)` with[^:]*: (.*)$/.exec(message) ?? [];
      expect(message).not.toBe(
        `cannot differentiate \`${quoted}\` with the Delta engine: \`${quoted}\``,
      );
      expect(help).not.toBe("");
    }
});
