// `derivativeSource` of any form. Oracle: the code that the build writes for a call of that form.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { built } from "../nested/compiled.ts";
import { programOf } from "../program.ts";

const FUNCTIONS = `export const rosen = (x: number, y: number): number => (1 - x) ** 2 + 100 * (y - x * x) ** 2;
export const cube = (x: number): number => x ** 3;
export const polar = (r: number, t: number): [number, number] => [r * Math.cos(t), r * Math.sin(t)];
export const turned = (x: number[], k: number): number[] => [k * x[1], -k * x[0]];
export const withAux = (x: number[], k: number): [number, string] => [x[0] * x[1] * k, "aux"];
`;

/** A function, what is asked of its source, and the call whose derivative that is. */
const CASES: readonly (readonly [string, string, string])[] = [
  ["rosen", "", "grad(rosen)"],
  ["polar", "", "vjp(polar)"],
  ["rosen", "{ argnums: [0, 1] }", "grad(rosen, { argnums: [0, 1] })"],
  ["rosen", "{ argnums: 1, order: 1 }", "grad(rosen, { argnums: 1 })"],
  ["rosen", '{ form: "grad" }', "grad(rosen)"],
  ["rosen", '{ form: "valueAndGrad", argnums: 1 }', "valueAndGrad(rosen, { argnums: 1 })"],
  ["polar", '{ form: "vjp", argnums: 1 }', "vjp(polar, { argnums: 1 })"],
  ["turned", '{ form: "transpose", argnums: 0 }', "transpose(turned, { argnums: 0 })"],
  ["polar", '{ form: "jvp" }', "jvp(polar)"],
  ["polar", '{ form: "linearize" }', "linearize(polar)"],
  ["polar", '{ form: "jacfwd", argnums: 1 }', "jacfwd(polar, { argnums: 1 })"],
  ["polar", '{ form: "jacrev" }', "jacrev(polar)"],
  ["rosen", '{ form: "hessian", argnums: [0, 1] }', "hessian(rosen, { argnums: [0, 1] })"],
  ["rosen", '{ form: "hvp" }', "hvp(rosen)"],
  ["rosen", "{ order: 2 }", "hvp(rosen)"],
  ["rosen", "{ order: 2, argnums: 1 }", "hvp(rosen, { argnums: 1 })"],
  ["withAux", "{ hasAux: true }", "grad(withAux, { hasAux: true })"],
  ["withAux", '{ form: "vjp", hasAux: true }', "vjp(withAux, { hasAux: true })"],
  ["cube", '{ form: "jvp", engine: "delta" }', 'jvp(cube, { engine: "delta" })'],
];

const functionsOf = (text: string): string[] =>
  [...text.matchAll(/^function [^\n]*\{\n[^]*?^\}/gm)].map(([found]) => found).sort();

it.each(CASES)("%s, %s: that of %s", (name, options, call) => {
  const form = call.slice(0, call.indexOf("("));
  const { exports } = built(
    `import { derivativeSource } from "tsgrad/testing";\n${FUNCTIONS}export const shown = derivativeSource(${name}${options === "" ? "" : `, ${options}`});\n`,
  );
  const { text } = built(
    `import { ${form} } from "tsgrad";\n${FUNCTIONS}export const d = ${call};\n`,
  );
  const shown = functionsOf(String(exports["shown"]));
  expect(shown.length).toBeGreaterThan(0);
  expect(shown).toEqual(functionsOf(text));
});

it("writes no derivative beside the text", () => {
  const { text } = built(
    `import { derivativeSource } from "tsgrad/testing";\n${FUNCTIONS}export const shown = derivativeSource(rosen, { form: "jvp" });\n`,
  );
  expect(functionsOf(text)).toEqual([]);
});

it.each([
  ["TSG1006", 'rosen, { form: "gradient" }', "the forms are `grad`"],
  ["TSG1006", "rosen, { order: 3 }", "the orders are 1, and 2 for `grad`"],
  ["TSG1006", 'rosen, { form: "jvp", order: 2 }', "the orders are 1, and 2 for `grad`"],
  ["TSG1006", 'rosen, { form: "jvp", argnums: 1 }', "the options are"],
  ["TSG1004", "rosen, { argnums: 2 }", "the last one is 1"],
  ["TSG2003", "polar, { argnums: 1 }", ""],
  ["TSG1003", "rosen, { argnums: places }", ""],
])("refuses with %s: derivativeSource(%s)", (code, args, help) => {
  const text = `import { derivativeSource } from "tsgrad/testing";\n${FUNCTIONS}const places = [0];\nexport const shown = derivativeSource(${args});\n`;
  const { diagnostics, edits } = analyse(programOf({ "a.ts": text }));
  expect(diagnostics.map((one) => one.code)).toEqual([code]);
  expect(diagnostics[0]?.help).toContain(help);
  expect(applyEdits("a.ts", text, edits.get("/src/a.ts") ?? []).text).toBe(text);
});
