// Arguments whose numbers stand among other values. In: small modules. Out: a code where only such an argument's tangent or cotangent would say what varies, derivatives against
// closed forms where it is not asked.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const TYPES = 'type Token = number | "x";\n';
const pick = (type: string, part: string): string =>
  `${TYPES}export const f = (x: number, p: ${type}): number => { const t = ${part}; return t === "x" ? x * x : typeof t === "number" ? t : 0; };\n`;

function compiled(text: string): { readonly codes: readonly string[]; readonly got: unknown } {
  const module = `import { grad, jvp, linearize, vjp } from "tsgrad";\n${text}`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": module }), { engine: "static" });
  const codes = diagnostics.map(({ code }) => code);
  return {
    codes,
    got:
      codes.length > 0
        ? null
        : loader(
            new Map([
              ["/src/a.ts", applyEdits("/src/a.ts", module, edits.get("/src/a.ts") ?? []).text],
            ]),
          )("/src/a.ts")["got"],
  };
}

test.each([
  ["alone", "Token", "p"],
  ["in a list", "Token[]", "p[0]"],
  ["in a tuple", "[Token, string]", "p[0]"],
  ["in a record", "{ t: Token }", "p.t"],
  ["by key", "Record<string, Token>", 'p["t"]'],
  ["in a Map", "Map<string, Token>", 'p.get("t")'],
  ["deep inside", "{ a: { b: { c: { d: Token[] }[] }[] } }", "p.a.b[0].c[0].d[0]"],
])("%s", (_, type, part) => {
  for (const form of ["vjp", "jvp", "linearize"])
    expect([form, compiled(`${pick(type, part)}export const d = ${form}(f);`).codes]).toEqual([
      form,
      ["TSG2007"],
    ]);
  expect(
    compiled(`${pick(type, part)}export const d = grad(f), e = vjp(f, { argnums: 0 });`).codes,
  ).toEqual([]);
});

// d/dx x²
test("what is not asked may hold any", () => {
  expect(
    compiled(`${pick("Token[]", "p[0]")}export const got = [grad(f)(3, ["x"]), grad(f)(3, [3])];`)
      .got,
  ).toEqual([6, 0]);
});

test("texts and sizes are no numbers", () => {
  expect(
    compiled(
      'export const f = (x: number, p: { a: Set<string>; b: string[]; c: "l" | "m" }): number => (p.c === "l" ? x * x : x);\nexport const d = vjp(f), e = jvp(f);',
    ).codes,
  ).toEqual([]);
});

test("what TypeScript takes for a number is said to be kept among other values", () => {
  const module =
    'import { grad } from "tsgrad";\nconst f = (x: number, list: (number | string)[]): number => { const t = list[0]; return typeof t === "number" ? t * x : 0; };\nexport const d = grad(f);';
  const said = analyse(programOf({ "a.ts": module }), { engine: "static" }).diagnostics.map(
    ({ code, message }) => `${code} ${message}`,
  );
  expect(said).toEqual(["TSG2002 cannot differentiate `f`: `t` has type `string | number`"]);
});
