// Branches at equality (TSG8006), and the comment that answers a warning. Oracle of the cases:
// whether the slope at the point is that of the function around it.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { Kept } from "../../transformer/incremental/incremental.ts";
import { programOf, type TestHost } from "../program.ts";

/** Bodies of `(x: number, xs: number[], n: number) => number`, of which x and xs are active. */
const WARNED: readonly (readonly [string, string])[] = [
  ["x === 0", "if (x === 0) return 1; return Math.expm1(x) / x;"],
  ["x !== 0", "if (x !== 0) return Math.expm1(x) / x; return 1;"],
  ["0 == x", "return 0 == x ? 0 : x * Math.log(Math.abs(x));"],
  ["x - n === 0", "return x - n === 0 ? 1 : Math.sin(x - n) / (x - n);"],
  ["d === 0", "const d = x - n; return d === 0 ? 0 : x * x;"],
  ["x === xs[0]", "return x === xs[0] ? x : x * x + xs[0];"],
  [
    "y === 0",
    "let s = 0; for (const y of xs) { if (y === 0) continue; s += y * Math.log(y); } return s;",
  ],
  ["y === 0", "let p = 1; for (const y of xs) { if (y === 0) return 0; p *= y; } return p;"],
  ["x === 0", "if (n > 1 && x === 0) return 1; return Math.expm1(x) / x;"],
  ["!(x === 0)", "if (!(x === 0)) return Math.expm1(x) / x; return 1;"],
  [
    "y === x",
    "const ys = [...xs]; for (const [i, y] of xs.entries()) if (y === x) ys[i] = 1; return ys[0] * ys[1] * x;",
  ],
  ["switch (x)", "switch (x) { case 0: return 1; default: return Math.expm1(x) / x; }"],
  [
    "a === 0",
    "const sinc = (a: number): number => (a === 0 ? 1 : Math.sin(a) / a); return sinc(x) * sinc(x * 2);",
  ],
  [
    "a === 0",
    "const pow = (a: number, k: number): number => (a === 0 ? 0 : k < 1 ? a : a * pow(a, k - 1)); return pow(x, n);",
  ],
];

const QUIET: Readonly<Record<string, string>> = {
  "a guard throws": 'if (x === 0) throw new Error("no"); return 1 / x;',
  "no active number": "return n === 0 ? x : x * x;",
  "a length": "return xs.length === 0 ? 0 : xs[0] * x;",
  "the same for both": "let k = 0; if (x === 0) k = 1; return k * 0 + x;",
  "an integer": "return Math.floor(x) === 2 ? x : x * x;",
  "iterates that do not change":
    "let z = x; for (;;) { const next = Math.cos(z); if (next === z) break; z = next; } return z;",
  "iterates that are returned":
    "let z = x; for (;;) { const next = Math.cos(z); if (next === z) return next; z = next; }",
  "iterates that are returned, at most ten times":
    "let z = x; for (let k = 0; k < 10; k++) { const next = Math.cos(z); if (next === z) return next * 2; z = next; } return z;",
  "nothing left to do":
    "let z = x, r = x; for (let k = 0; k < 10; k++) { if (r === 0) break; r *= 0.5; z += r; } return z;",
  "a loop's end": "let z = x; while (z !== 0) z = z > 1 ? z / 2 : 0; return z + x;",
  "a test for NaN": "return x !== x ? 0 : x * x;",
  "an inequality": "return x <= 0 ? 0 : x * Math.log(x);",
  "a method": "return xs[Math.max(0, xs.indexOf(x))];",
};

const program = (body: string): TestHost =>
  programOf({
    "a.ts": `import { vjp } from "tsgrad";
function f(x: number, xs: number[], n: number): number {
  ${body}
}
export const d = vjp(f, { argnums: [0, 1] });
export const again = vjp(f, { argnums: [0, 1] });
`,
  });

const warnings = (host: TestHost): readonly string[] =>
  analyse(host).diagnostics.map(({ code, span: { file, start, end } }) => {
    const text = host.program.getSourceFile(file)?.text.slice(start, end) ?? "";
    return `${code} ${text.split("\n")[0] ?? ""}`;
  });

it.each(WARNED)("warns once of %s: %s", (at, body) => {
  expect(warnings(program(body))).toEqual([expect.stringContaining(`TSG8006 ${at}`)]);
});

it.each(Object.entries(QUIET))("says nothing of %s", (_, body) => {
  expect(warnings(program(body))).toEqual([]);
});

/** What only the Delta engine takes. */
const underTry = (body: string): string => `try { ${body} } finally { void 0; }`;

it.each(WARNED)("warns once of what the Delta engine takes: %s: %s", (at, body) => {
  const inside = at.replace(/^!\((.*)\)$/, "$1");
  expect(warnings(program(underTry(body)))).toEqual([expect.stringContaining(`TSG8006 ${inside}`)]);
});

it.each(Object.entries(QUIET))("says nothing of what the Delta engine takes: %s", (_, body) => {
  expect(warnings(program(underTry(body)))).toEqual([]);
});

it.each([
  [
    "a counter",
    "let s = 0; for (let i = 0; i < 3; i++) { if (i === 1) continue; s += x; } return s;",
  ],
  ["text", 'let s = 0; for (const c of "ab") if (c === "a") s += x; return s;'],
  ["what is counted", "let k = 0; for (const y of xs) { if (y === 0) k++; } return k * x * 0 + x;"],
])("says nothing of %s by the Delta engine", (_, body) => {
  expect(warnings(program(underTry(body)))).toEqual([]);
});

it("says nothing of a parameter that no active number reaches", () => {
  const host = programOf({
    "a.ts": `import { grad } from "tsgrad";
function pow(x: number, n: number): number { try { return n === 0 ? 1 : x * pow(x, n - 1); } finally { void 0; } }
export const d = grad((x: number): number => pow(x, 3));
`,
  });
  expect(warnings(host)).toEqual([]);
});

it("warns of functions that both engines take once", () => {
  const host = programOf({
    "a.ts": `import { grad } from "tsgrad";
const sinc = (a: number): number => (a === 0 ? 1 : Math.sin(a) / a);
export const d = grad((x: number): number => sinc(x) * x);
export const e = grad((x: number): number => { try { return sinc(x) * x; } finally { void 0; } });
`,
  });
  expect(warnings(host)).toEqual(["TSG8006 a === 0"]);
});

const WARNING = "return x === 0 ? 1 : Math.expm1(x) / x;";
it.each([
  [`// tsgrad-ignore TSG8006\n  ${WARNING}`, 0],
  [`/* tsgrad-ignore TSG8001, TSG8006: the slope does not matter */\n  ${WARNING}`, 0],
  [`${WARNING} // tsgrad-ignore TSG8006`, 0],
  [`// tsgrad-ignore TSG8001\n  ${WARNING}`, 1],
  [`// tsgrad-ignore TSG8006\n\n  ${WARNING}`, 1],
  [`"tsgrad-ignore TSG8006";\n  ${WARNING}`, 1],
])("is answered by a comment in its line or before it: %s", (body, count) => {
  expect(warnings(program(body))).toHaveLength(count);
});

it("follows comments that come and go, though nothing is compiled again", () => {
  const kept = new Kept();
  const count = (body: string): number => analyse({ ...program(body), kept }).diagnostics.length;
  const comment = `// tsgrad-ignore TSG8006\n  ${WARNING}`;
  expect([WARNING, comment, WARNING, comment].map(count)).toEqual([1, 0, 1, 0]);
});

it("ignores no error", () => {
  expect(warnings(program("// tsgrad-ignore TSG1103\n  return eval(String(x));"))).not.toEqual([]);
});
