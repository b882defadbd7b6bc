// Functions that rewritten code meets as values, and does not name. In: small modules. Out: gradients, against closed forms; what no name leads to is refused when it is called.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";
import { loader } from "../programs/modules.ts";

const HEAD = "import { grad } from \"tsgrad\";\nimport { type Stage, square } from \"./b.ts\";\n"
  + "function run(stages: Stage[], x: number): number { let h = x; for (const s of stages) { try { h = s.g(s.w * h); } finally { void 0; } } return h; }\nconst d = grad(run);\n";
const STAGE = "export interface Stage { w: number; g: (x: number) => number }\nexport const square = (x: number): number => x * x;\nexport const table = { cube: (x: number): number => x ** 3 };\n";

function got(module: string): unknown {
  const texts: Readonly<Record<string, string>> = { "a.ts": `${HEAD}${module}\n`, "b.ts": STAGE }, { edits, diagnostics } = analyse(programOf(texts));
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const edited = Object.entries(texts).map(([name, text]): [string, string] => [`/src/${name}`, applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text]);
  expect(typeErrors(programOf(Object.fromEntries(edited)))).toEqual([]);
  return loader(new Map(edited))("/src/a.ts")["got"];
}

// the derivative of g(2 w) by w at 0.5 is 2 g'(1)
test.each([
  ["of another module", "export const got = d([{ w: 0.5, g: square }], 2);", 4],
  ["written in place in a constant's literal", "const net: Stage[] = [{ w: 0.5, g: (x) => x * x * x }];\nexport const got = d(net, 2);", 6],
  ["a method of a literal", "const net: Stage[] = [{ w: 0.5, g(x) { return x * x * this.w; } }];\nexport const got = d(net, 2);", 0.5 * 4 + 1],
  ["of a table of another module", "import { table } from \"./b.ts\";\nexport const got = d([{ w: 0.5, g: table.cube }], 2);", 6],
  ["of a function's own", "function made(k: number): Stage[] { const own = (x: number): number => k * x * x; return [{ w: 0.5, g: own }]; }\nexport const got = d(made(3), 2);", 12],
  ["in a literal of a function's own", "function made(k: number): Stage[] { const own: Stage[] = [{ w: 0.5, g: (x) => k * x * x }]; return own; }\nexport const got = d(made(3), 2);", 12],
])("are linked: %s", (_, module, expected) => {
  expect(got(module)).toEqual([{ w: expected }]);
});

test("what no name leads to is refused when it is called", () => {
  const made = "const power = (k: number) => (x: number): number => x ** k;\nexport const got = [power(2)].map((g) => { try { return d([{ w: 0.5, g }], 2); } catch (error) { return String(error); } });";
  expect(got(made)).toEqual([expect.stringContaining("TSG0010")]);
});
