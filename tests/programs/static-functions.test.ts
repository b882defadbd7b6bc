// Functions that static fields and Maps hold. In: small modules. Out: derivatives against closed forms, and codes where another function may stand there.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const CLASS = `export class Act {
  static leak = 0.1;
  static relu = (x: number): number => (x > 0 ? x : x * this.leak);
  static readonly sine = Math.sin;
  static fold = function (xs: readonly number[], g: (x: number) => number): number { let s = 0; for (const x of xs) { if (s > 100) break; s += g(x); } return s; };
}
export class Own extends Act { static square = (x: number): number => x * x * Own.scale; static scale = 3; }
export const acts = new Map([["relu", (x: number): number => x * 2], ["cube", (x: number): number => x ** 3]]);
`;
const HEAD = `import { grad, hessian, jvp, vjp } from "tsgrad";\nimport { Act, acts, Own } from "./b.ts";\n`;

function compiled(
  module: string,
  others: Readonly<Record<string, string>> = {},
): { readonly codes: readonly string[]; readonly got: unknown } {
  const texts: Readonly<Record<string, string>> = {
    "a.ts": `${HEAD}${module}\n`,
    "b.ts": CLASS,
    ...others,
  };
  const { edits, diagnostics } = analyse(programOf(texts), { engine: "static" });
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const edited = new Map(
    Object.entries(texts).map(([name, text]): [string, string] => [
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  return { codes, got: codes.length > 0 ? null : loader(edited)("/src/a.ts")["got"] };
}

test("functions of static fields, in every mode", () => {
  const f =
    "const f = (x: number): number => { const g = Act.relu; return g(x) * Own.square(x) + Act.sine(0 * x) + Own.relu(-x); };\n";
  // 3 x³ - x / 10: 9 x² - 0.1, 18 x
  expect(
    compiled(
      `${f}export const got = [grad(f)(2), hessian(f)(2), jvp(f)([2], [4])[1], vjp(f)(2)[1](2)[0]];`,
    ),
  ).toEqual({ codes: [], got: [35.9, 36, 4 * 35.9, 2 * 35.9] });
});

test("handed on, in loops with an early exit, in callbacks", () => {
  // 3 (16 + 36) is more than 100: the last is left out; twice each x squared by three
  const f =
    "const f = (x: number): number => Act.fold([2 * x, 3 * x, x], Own.square) + [x, x].map((y) => Own.square(y)).reduce((a, b) => a + b);\n";
  expect(compiled(`${f}export const got = grad(f)(2);`)).toEqual({
    codes: [],
    got: 2 * 3 * (4 + 9) * 2 + 2 * 2 * 3 * 2,
  });
});

// 4 x⁴
test("private static fields and methods", () => {
  const made =
    "class Power { static readonly #scale = 4; #x: number; constructor(x: number) { this.#x = x; } static #square(x: number): number { return x * x; } fourth(): number { return Power.#scale * Power.#square(this.#x) ** 2; } }\n";
  expect(
    compiled(`${made}export const got = grad((x: number): number => new Power(x).fourth())(2);`),
  ).toEqual({ codes: [], got: 16 * 8 });
});

test("functions of a Map of another module", () => {
  const f =
    'const f = (x: number, name: string): number => { const g = acts.get(name); return g === undefined ? -x : g(x) + acts.get("cube")!(x); };\n';
  expect(
    compiled(
      `${f}export const got = [grad(f)(2, "relu"), grad(f)(2, "cube"), grad(f)(2, "none")];`,
    ),
  ).toEqual({ codes: [], got: [14, 24, -1] });
});

test.each([
  [
    "a static field",
    "TSG1012",
    "const f = (x: number): number => Act.relu(x);\nexport const d = grad(f);",
    'import { Act } from "./b.ts";\nAct.relu = Math.abs;',
  ],
  [
    "a Map",
    "TSG1124",
    'const f = (x: number): number => acts.get("cube")!(x);\nexport const d = grad(f);',
    'import { acts } from "./b.ts";\nacts.set("cube", Math.abs);',
  ],
  [
    "a Map that is handed on",
    "TSG1124",
    'const f = (x: number): number => acts.get("cube")!(x);\nexport const d = grad(f);',
    'import { acts } from "./b.ts";\nexport const all = [acts];',
  ],
])("another module may put another function into %s", (_, code, module, other) => {
  expect(compiled(module, { "c.ts": other }).codes).toEqual([code]);
  expect(compiled(module).codes).toEqual([]);
});
