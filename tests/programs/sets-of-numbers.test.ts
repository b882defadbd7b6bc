// Sets of numbers: what goes in only chooses, and nothing comes out. In: small modules. Out: derivatives against closed forms, and the codes where numbers would come out.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

function compiled(module: string): { readonly codes: readonly string[]; readonly got: unknown } {
  const text = `import { grad, hessian, jvp } from "tsgrad";\n${module}\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }), { engine: "static" });
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  return {
    codes,
    got:
      codes.length > 0
        ? null
        : loader(
            new Map([
              ["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text],
            ]),
          )("/src/a.ts")["got"],
  };
}

test("positions seen before are left out", () => {
  const f =
    "const f = (x: number): number => { const seen = new Set<number>(); let y = x; for (const k of [2, 3, 2, 5]) { if (seen.has(k)) continue; if (k > 4) break; seen.add(k); y *= k * x; } return y * seen.size; };\n";
  // 2 * 6 x³
  expect(
    compiled(`${f}export const got = [grad(f)(2), hessian(f)(2), jvp(f)([2], [3])[1]];`),
  ).toEqual({ codes: [], got: [144, 144, 432] });
});

test("whether a varying number is in a set chooses", () => {
  const f =
    "const f = (x: number): number => { const one = new Set([x, 3]); one.add(x * x); return one.has(4) ? x * x : x * one.size; };\n";
  expect(compiled(`${f}export const got = [grad(f)(2), grad(f)(5)];`)).toEqual({
    codes: [],
    got: [4, 3],
  });
});

test.each([
  [
    "a loop",
    "TSG1120",
    "const f = (x: number): number => { const s = new Set<number>(); s.add(x); let y = 0; for (const v of s) y += v * v; return y; };",
  ],
  [
    "a spread",
    "TSG1120",
    "const f = (x: number): number => [...new Set([x, 1])].reduce((a, b) => a + b, 0);",
  ],
  ["a copy", "TSG1120", "const f = (x: number): number => Array.from(new Set([x, 1]))[0]!;"],
  [
    "a callback",
    "TSG1124",
    "const f = (x: number): number => { let y = 0; new Set([x, 1]).forEach((v) => { y += v; }); return y; };",
  ],
  [
    "an iterator",
    "TSG1120",
    "const f = (x: number): number => { const all = new Set([x, 1]).values(); let y = 0; for (const v of all) y += v; return y; };",
  ],
  [
    "its iterator by hand",
    "TSG1112",
    "const f = (x: number): number => { const { value } = new Set([x, 1]).values().next(); return value ?? 0; };",
  ],
  [
    "another function",
    "TSG1120",
    "const total = (s: ReadonlySet<number>): number => { let y = 0; for (const v of s) y += v; return y; };\nconst f = (x: number): number => total(new Set([x, 1]));",
  ],
  [
    "another set",
    "TSG1120",
    "const f = (x: number): number => Math.max(...new Set(new Set([x, 1])));",
  ],
])("%s takes numbers out", (_, code, module) => {
  expect(compiled(`${module}\nexport const got = grad(f)(2);`).codes[0]).toBe(code);
});
