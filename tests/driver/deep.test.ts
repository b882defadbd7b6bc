// Deep, large and growing inputs: what `tsc` takes has a derivative or a refusal that names the function. None takes time that
// doubles with its size. The oracle is a difference quotient of the function; of growing types, that an answer comes at all.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { isLong } from "../breadth.ts";
import { programOf } from "../program.ts";
import { loader } from "../programs/modules.ts";

const times = (n: number, text: (i: number) => string): string[] =>
  Array.from({ length: n }, (_, i) => text(i));

const STATIC = "";
const DELTA = `, { engine: "delta" }`;
const ofX = (expression: string): string =>
  `export const f = (x: number): number => ${expression};`;
const chain = (n: number, body: (i: number) => string): string =>
  [
    "function h0(x: number): number { return x * x; }",
    ...times(n, (i) => `function h${i + 1}(x: number): number { ${body(i)} }`),
    `export const f = h${n};`,
  ].join("\n");
const classes = (n: number): string =>
  [
    ...times(
      n,
      (i) =>
        `class N${i} { x = ${i}; ${times(n, (j) => (j === i ? "" : `n${j}?: N${j};`)).join(" ")} at(v: number): number { return v * this.x${i + 1 < n ? ` + (this.n${i + 1}?.at(v) ?? 0)` : ""}; } }`,
    ),
    "export function f(v: number): number { const a = new N0(); a.x = v; a.n1 = new N1(); return a.at(v); }",
  ].join("\n");

/** Chains of `?.` of an object that holds itself, or of one that ends. */
const optional = (n: number, isRing: boolean): string =>
  `interface L { next?: L; v: number }\nexport const f = (x: number): number => { const l: L = { v: x }; ${isRing ? "l.next = l;" : ""} return x * (l${"?.next".repeat(n)}?.v ?? x); };`;
const SELECT = (n: number, kind: "return" | "=" | "+="): string =>
  `export const f = (x: number): number => { let y = x; switch (Math.floor(x * 600 + 0.5)) { ${times(n, (i) => `case ${i}: ${kind === "return" ? `return x * x * ${i};` : `y ${kind} x * ${i}; ${kind === "=" ? "break;" : ""}`}`).join(" ")} } return y; };`;
const sumOf = (values: string): string =>
  `let s = 0; for (const v of ${values}) s += v * v; return s;`;

/** Programs of `f(x: number): number`, and the engines that take them in a moment. */
const PROGRAMS: Record<string, readonly [text: string, ...engines: string[]]> = {
  "a sum of 3,000 terms": [ofX(times(3000, () => "x").join(" + ")), STATIC, DELTA],
  "a sum of 3,000 terms under try": [
    `export function f(x: number): number { try { return ${times(3000, (i) => (i % 3 === 0 ? "x * x" : "x")).join(" + ")}; } finally { void 0; } }`,
    STATIC,
  ],
  "700 products and assignments under try": [
    `export function f(x: number): number { let y = x; try { return ${times(700, (i) => (i % 50 === 49 ? "(y *= x)" : "y * x")).join(" - ")}; } finally { void 0; } }`,
    STATIC,
  ],
  "a sum of 400 terms": [ofX(times(400, () => "x").join(" + ")), STATIC, DELTA],
  "a sum of 1,500 constants": [ofX(`x * (${times(1500, (i) => `${i}.5`).join(" + ")})`), STATIC],
  "a difference of 2,000 products": [ofX(times(2000, (i) => `x * ${i % 7}`).join(" - ")), STATIC],
  "a product of 300 factors": [ofX(times(300, () => "x").join(" * ")), STATIC],
  "a sum of 200 calls": [
    ofX(times(200, (i) => `Math.sin(x * ${i % 5})`).join(" + ")),
    STATIC,
    DELTA,
  ],
  "text of 1,500 pieces": [
    ofX(`x * x * (${times(1500, (i) => `"${i % 10}"`).join(" + ")}).length`),
    STATIC,
  ],
  "40 functions with two calls each": [
    chain(40, (i) => `return x > 0.5 ? h${i}(x * 0.9) : h${i}(x) * 2;`),
    STATIC,
  ],
  "40 functions with two calls of arrays each": [
    [
      "function h0(x: number[]): number { return x[0]! * x[0]!; }",
      ...times(
        40,
        (i) =>
          `function h${i + 1}(x: number[]): number { return x[0]! > 0.5 ? h${i}(x) : h${i}(x) * 2; }`,
      ),
      "export const f = (x: number): number => h40([x]);",
    ].join("\n"),
    STATIC,
  ],
  "30 functions that call each other": [
    `${times(30, (i) => `function h${i}(x: number, k: number): number { return k <= 0 ? x * x : h${(i + 1) % 30}(x * 0.9, k - 1) + h${(i + 2) % 30}(x, k - 1); }`).join("\n")}\nexport const f = (x: number): number => h0(x, 6);`,
    STATIC,
  ],
  "8 classes that refer to each other": [classes(8), STATIC],
  "20 types that refer to each other": [
    `${times(20, (i) => `interface N${i} { x: number; ${times(20, (j) => (j === i ? "" : `n${j}?: N${j};`)).join(" ")} }`).join("\n")}\nfunction of(a: N0): number { return a.x * a.x + (a.n1?.x ?? 0); }\nexport const f = (x: number): number => of({ x, n1: { x } });`,
    STATIC,
  ],
  "a chain of 800 members": [
    `interface L { next: L; v: number }\nexport const f = (x: number): number => { const l = { v: x } as L; l.next = l; return l${".next".repeat(800)}.v ** 2; };`,
    STATIC,
    DELTA,
  ],
  "a chain of 800 optional members": [
    `interface L { next?: L; v: number }\nexport const f = (x: number): number => { const l: L | undefined = x > 0 ? { v: x } : undefined; if (l !== undefined) l.next = l; return (l${"?.next".repeat(800)}?.v ?? 1) ** 2; };`,
    STATIC,
  ],
  "a chain of 800 optional members that ends": [
    `interface L { next?: L; v: number }\nexport const f = (x: number): number => { const l: L = { v: x }; return x * x + (l${"?.next".repeat(800)}?.v ?? x); };`,
    DELTA,
  ],
  ...Object.fromEntries(
    [150, 300, 800].map((n) => [
      `a chain of ${n} optional members`,
      [optional(n, n === 300), STATIC, DELTA] as const,
    ]),
  ),
  "800 numbers joined by &&": [
    ofX(`(${times(800, (i) => `(x * ${1 + (i % 3)})`).join(" && ")}) * x`),
    DELTA,
  ],
  "800 tests joined by &&": [
    ofX(`${times(800, (i) => `x > -${i}`).join(" && ")} ? x * x : x`),
    STATIC,
    DELTA,
  ],
  "400 numbers joined by ||": [
    ofX(`(${times(400, (i) => `(x - 1) * ${1 + (i % 3)}`).join(" || ")} || x) * x * 0 + x * x`),
    DELTA,
  ],
  "a choice among 400": [
    ofX(`${times(400, (i) => `x > ${10 + i} ? x * ${i}`).join(" : ")} : x * x`),
    STATIC,
    DELTA,
  ],
  "an object of 1,000 numbers": [
    `export const f = (x: number): number => { const a = { ${times(1000, (i) => `k${i}: x * ${i % 9}.5`).join(", ")} }; return a.k7 * x + a.k999; };`,
    STATIC,
    DELTA,
  ],
  "a table of 3,000 numbers": [
    `const a: Record<string, number> = { ${times(3000, (i) => `k${i}: ${i % 9}.5`).join(", ")} };\nexport const f = (x: number): number => { let s = 0; for (const v of Object.values(a)) s += v * x * x; return s; };`,
    STATIC,
    DELTA,
  ],
  "an array of 3,000 numbers": [
    `const a = [${times(3000, (i) => `${i % 9}.5`).join(", ")}];\nexport const f = (x: number): number => { let s = 0; for (const v of a) s += v * x; return s; };`,
    STATIC,
  ],
  "an if of 300 branches": [
    `export const f = (x: number): number => { ${times(300, (i) => `if (x > ${1000 - i}) return x * ${i};`).join(" else ")} else return x * x; };`,
    STATIC,
  ],
  ...(isLong
    ? {
        "a sum of 1,500 products": [
          ofX(times(1500, (i) => `x * 0.${1 + (i % 9)}`).join(" + ")),
          DELTA,
        ] as const,
        "a switch of 1,000 cases": [
          `export const f = (x: number): number => { let y = x; switch (Math.floor(x * 600 + 0.5)) { ${times(1000, (i) => `case ${i}: y = x * x * ${i}; break;`).join(" ")} } return y; };`,
          STATIC,
        ] as const,
        "a switch of 1,000 cases that return": [SELECT(1000, "return"), STATIC, DELTA] as const,
        "a switch of 500 cases that fall through": [SELECT(500, "+="), STATIC, DELTA] as const,
        "a switch of 1,000 assignments": [SELECT(1000, "="), DELTA] as const,
        "an array of 1,000 active numbers": [
          `export const f = (x: number): number => { const a = [${times(1000, (i) => `x * ${i % 9}.5`).join(", ")}]; ${sumOf("a")} };`,
          STATIC,
          DELTA,
        ] as const,
        "an array of 600 active objects": [
          `export const f = (x: number): number => { const a = [${times(600, (i) => `{ v: x * ${i % 9}.5, w: [x, ${i}] }`).join(", ")}]; let s = 0; for (const o of a) s += o.v * o.w[0]!; return s; };`,
          STATIC,
          DELTA,
        ] as const,
        "a union of 200 members": [
          `type S = ${times(200, (i) => `{ kind: "k${i}"; v${i % 20}: number; w: number }`).join(" | ")};\nfunction area(s: S): number { switch (s.kind) { ${times(200, (i) => `case "k${i}": return s.v${i % 20} * s.w * ${i};`).join(" ")} } }\nexport const f = (x: number): number => area({ kind: "k7", v7: x, w: x });`,
          STATIC,
          DELTA,
        ] as const,
        "3,000 statements": [
          `export const f = (x: number): number => { let y = x;\n${times(3000, (i) => `y = y * 0.${1 + (i % 9)} + x;`).join("\n")}\n return y; };`,
          DELTA,
        ] as const,
      }
    : {}),
};

describe("a deep or large function has its derivative", () => {
  const rows = Object.entries(PROGRAMS).flatMap(([name, [text, ...engines]]) =>
    engines.map((engine) => ({ name, text, engine })),
  );
  test.each(rows)("$name $engine", { timeout: 60_000 }, ({ text, engine }) => {
    const input = `import { grad } from "tsgrad";\n${text}\nexport const g = grad(f${engine});`;
    const { edits, diagnostics } = analyse(programOf({ "/src/input.ts": input }));
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const { text: code } = applyEdits("/src/input.ts", input, edits.get("/src/input.ts") ?? []);
    const module = loader(new Map([["/src/input.ts", code]]), undefined, {
      module: ts.ModuleKind.CommonJS,
    })("/src/input.ts");
    const { f, g } = module as Record<"f" | "g", (x: number) => number>;
    const slope = (f(1.00001) - f(0.99999)) / 0.00002;
    expect(Math.abs(g(1) - slope)).toBeLessThan(1e-5 * (1 + Math.abs(slope)));
  });
});

/** What a generic type refers to: larger instances of itself. */
const LARGER = ["T[]", "[T, T]", "{ a: T; b: T }", "Map<string, T>", "(x: T) => T", "T[][]"];
const KEPT = ["Box<·> | null", "Box<·>[]", "{ inner?: Box<·> }"];

describe("a type that grows is answered", () => {
  const rows = LARGER.flatMap((larger) =>
    KEPT.flatMap((kept) => ["number", "T"].map((value) => ({ larger, kept, value }))),
  );
  test.each(rows)("next: $kept of $larger, v: $value", ({ larger, kept, value }) => {
    const next = kept.replace("·", larger);
    const read = kept.includes("null") ? "(b.next === null ? 1 : 2)" : "1";
    const text = `import { grad } from "tsgrad";
interface Box<T> { v: ${value}; next: ${next} }
export function f(b: Box<number>): number { return b.v * b.v * ${read}; }
export const g = grad(f);`;
    const { diagnostics } = analyse(programOf({ "/src/input.ts": text }));
    expect(diagnostics.filter(({ code }) => code.startsWith("TSG9"))).toEqual([]);
  });
});
