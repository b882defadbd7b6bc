// Functions of options that are told of something, and set what the code reads that tells them: no derivative takes that for a constant. In: small modules. Out: the codes of
// diagnostics where the static engine alone is asked.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad } from "tsgrad";
interface Options { rate: number; readonly onStep?: (i: number, y: number) => void }
function run(x: number, options: Options): number {
  let y = x;
  for (let i = 0; i < 2; i++) { y *= x * options.rate; options.onStep?.(i, y); }
  return y;
}
`;

const codesOf = (module: string): readonly string[] => analyse(programOf({ "a.ts": `${HEAD}${module}` }), { engine: "static" }).diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);

test.each([
  ["an object of the module", "const seen = { sum: 0 };\nconst told: Options = { rate: 1, onStep(_i, y) { seen.sum += y; } };\nexport const g = grad((x: number) => run(x, told) + seen.sum);"],
  ["a list of the module", "const seen: number[] = [];\nconst told: Options = { rate: 1, onStep: (_i, y) => { seen.push(y); } };\nexport const g = grad((x: number) => run(x, { ...told }) + (seen[0] ?? 0));"],
  ["the options", "const o: Options = { rate: 1, onStep: () => { o.rate *= 0.5; } };\nexport const slope = grad(run)(2, o);"],
])("%s", (_what, module) => expect(codesOf(module)).toContain("TSG1115"));

test("what nobody reads may be set", () => {
  expect(codesOf("const seen: number[] = [];\nexport const slope = grad(run)(2, { rate: 1, onStep: (_i, y) => { seen.push(y); } });")).toEqual([]);
});

test("objects that others hold are not handed over", () => {
  const told = "function far(xs: number[], told?: (xs: number[]) => void): number { told?.(xs); return xs.reduce((s, x) => s + x * x, 0); }\n";
  expect(codesOf(`${told}export const g = grad(far);`)).toEqual(["TSG1124"]);
});
