// Each line of a derivative leads to the primal line that it differentiates. Lines are named by what stands on them.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { originOf } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";

const lineOf = (text: string, offset: number): string =>
  /.*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0].trim() ?? "";

/** By emitted line, without indentation: the lines of user code that it leads to. */
function tracedIn(files: Record<string, string>): Map<string, string[]> {
  const { edits, diagnostics } = analyse(programOf(files));
  expect(diagnostics).toEqual([]);
  const texts = new Map(Object.entries(files).map(([name, text]) => [`/src/${name}`, text]));
  const traced = new Map<string, string[]>();
  for (const [file, inFile] of edits)
    for (const edit of inFile)
      for (const { 0: whole, 1: code = "", index } of edit.text.matchAll(/^ *(\S.*)$/gm)) {
        const offset = index + whole.length - code.length;
        const edited = { file, original: "", text: "", chunks: [] };
        const origin = originOf(edited, edit, offset);
        const line = lineOf(texts.get(origin.file) ?? "", origin.start);
        traced.set(code, [...(traced.get(code) ?? []), line]);
      }
  return traced;
}

/** By program: emitted lines with the user's lines. */
const CASES: readonly (readonly [
  name: string,
  files: Record<string, string>,
  lines: Record<string, string>,
])[] = [
  [
    "arms of a choice, and a return",
    {
      "a.ts": `import { valueAndGrad } from "tsgrad";
export function price(x: number, y: number): number {
  const a = Math.exp(x * y);
  const b = a + Math.sin(x);
  const c = b > 0
    ? Math.log(b)
    : b * b;
  return c * a;
}
export const vg = valueAndGrad(price);
`,
    },
    {
      "const a = Math.exp(x * y);": "const a = Math.exp(x * y);",
      "c = Math.log(b);": "? Math.log(b)",
      "b$bar = a / b;": "? Math.log(b)",
      "c = b * b;": ": b * b;",
      "b$bar = 2 * a * b;": ": b * b;",
      "return [c * a, b$bar * Math.cos(x) + a$bar * a * y];": "return c * a;",
    },
  ],
  [
    "a branch, in forward mode",
    {
      "a.ts": `import { jvp } from "tsgrad";
export function f(x: number): number {
  if (x > 1) {
    return Math.log(x);
  }
  const y = Math.sin(x);
  return y
    * x;
}
export const d = jvp(f);
`,
    },
    {
      "if (x > 1) {": "if (x > 1) {",
      "const t = x$dot / x;": "return Math.log(x);",
      "return [Math.log(x), isNaN(t) && x$dot === 0 ? 0 : t];": "return Math.log(x);",
      "const y = Math.sin(x);": "const y = Math.sin(x);",
      "return [y * x, x$dot * Math.cos(x) * x + x$dot * y];": "return y",
    },
  ],
  [
    "a callee that is inlined from another file, and one that recurs",
    {
      "b.ts": `export function square(x: number): number {
  // twice
  return x * x;
}
export function power(x: number, n: number): number {
  if (n <= 0) return 1;
  return x * power(x, n - 1);
}
`,
      "a.ts": `import { grad } from "tsgrad";
import { power, square } from "./b.ts";
export function f(x: number, k: number): number {
  let s = 0;
  for (let i = 0; i < 3; i++) {
    if (s > k) {
      s += square(
        s,
      );
    } else {
      s -= Math.cos(s) * x;
    }
  }
  return s + power(x, 5);
}
export const d = grad(f);
`,
    },
    {
      "s$bar += 2 * s$bar * s;": "return x * x;",
      "tape[p++] = cos;": "s -= Math.cos(s) * x;",
    },
  ],
];

test.each(CASES)("%s", (_, files, lines) => {
  const traced = tracedIn(files);
  const found = Object.keys(lines).map((line) => [line, (traced.get(line) ?? ["no such line"])[0]]);
  expect(Object.fromEntries(found), [...traced.keys()].join("\n")).toEqual(lines);
});
