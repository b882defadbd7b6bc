// Functions of options that are told of something, and set what the code reads that tells them: no derivative takes that for a constant. In: small modules. Out: the codes of
// diagnostics where the static engine alone is asked.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const HEAD = `import { grad } from "tsgrad";
interface Options { rate: number; readonly onStep?: (i: number, y: number) => void }
function run(x: number, options: Options): number {
  let y = x;
  for (let i = 0; i < 2; i++) { y *= x * options.rate; options.onStep?.(i, y); }
  return y;
}
`;

const codesOf = (module: string): readonly string[] =>
  analyse(programOf({ "a.ts": `${HEAD}${module}` }), { engine: "static" })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

test.each([
  [
    "an object of the module",
    "const seen = { sum: 0 };\nconst told: Options = { rate: 1, onStep(_i, y) { seen.sum += y; } };\nexport const g = grad((x: number) => run(x, told) + seen.sum);",
  ],
  [
    "a list of the module",
    "const seen: number[] = [];\nconst told: Options = { rate: 1, onStep: (_i, y) => { seen.push(y); } };\nexport const g = grad((x: number) => run(x, { ...told }) + (seen[0] ?? 0));",
  ],
  [
    "the options",
    "const o: Options = { rate: 1, onStep: () => { o.rate *= 0.5; } };\nexport const slope = grad(run)(2, o);",
  ],
])("%s", (_what, module) => expect(codesOf(module)).toContain("TSG1115"));

/** Listeners that set fields of what they belong to, or of what they know under names of their own. */
const BELONGING: readonly (readonly [string, string, number])[] = [
  [
    "a method of a class behind an interface",
    "interface Sink { push(v: number): void }\nclass Squares implements Sink { sum = 0; push(v: number): void { this.sum += v * v; } }\nfunction feed(x: number, sink: Sink): void { sink.push(x); sink.push(2 * x); }\nconst f = (x: number): number => { const s = new Squares(); feed(x, s); return s.sum; };\n",
    10 * 3,
  ],
  [
    "a method that knows its state by another name",
    "interface Sink { push(v: number): void }\nclass Squares implements Sink { readonly state = { sum: 0 }; push(v: number): void { const own = this.state; own.sum += v * v; } }\nfunction feed(x: number, sink: Sink): void { sink.push(x); sink.push(2 * x); }\nconst f = (x: number): number => { const s = new Squares(); feed(x, s); return s.state.sum; };\n",
    10 * 3,
  ],
  [
    "a method that keeps a list, also by another name",
    "interface Sink { push(v: number): void }\nclass List implements Sink { readonly all: number[] = []; push(v: number): void { const own = this.all; own.push(v * v); } }\nfunction feed(x: number, sink: Sink): void { sink.push(x); sink.push(2 * x); }\nconst f = (x: number): number => { const s = new List(); feed(x, s); return s.all[0]! + s.all[1]!; };\n",
    10 * 3,
  ],
  [
    "a helper that is handed what is written",
    "const state = { sum: 0 };\nconst add = (to: { sum: number }, v: number): void => { to.sum += v * v; };\nconst f = (x: number): number => { state.sum = 0; run(x, { rate: 1, onStep: (_i, y) => { add(state, y); } }); return state.sum; };\n",
    4 * 3 ** 3 + 6 * 3 ** 5,
  ],
];

test.each(BELONGING)("%s: right, or refused", (_what, module, slope) => {
  const text = `${HEAD}${module}export const slope = grad(f)(3);\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  // y = x² and x³ in the two rounds of the last one
  if (errors.length === 0)
    expect(
      loader(
        new Map([["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text]]),
      )("/src/a.ts")["slope"],
    ).toBeCloseTo(slope, 10);
  else expect(errors.map(({ code }) => code)).toEqual(["TSG1115"]);
});

test("they are called once, in order, with the numbers of the run, and the derivative is that of the run", () => {
  const text = `${HEAD}const told: number[] = [];\nexport const got = [grad(run)(2, { rate: 3, onStep: (_i, y) => { told.push(y); } }), told];`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }), { engine: "static" });
  expect(diagnostics).toEqual([]);
  // y = x (3 x)²
  expect(
    loader(
      new Map([["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text]]),
    )("/src/a.ts")["got"],
  ).toEqual([27 * 4, [12, 72]]);
});

test("what nobody reads may be set", () => {
  expect(
    codesOf(
      "const seen: number[] = [];\nexport const slope = grad(run)(2, { rate: 1, onStep: (_i, y) => { seen.push(y); } });",
    ),
  ).toEqual([]);
});

test("objects that others hold are not handed over", () => {
  const told =
    "function far(xs: number[], told?: (xs: number[]) => void): number { told?.(xs); return xs.reduce((s, x) => s + x * x, 0); }\n";
  expect(codesOf(`${told}export const g = grad(far);`)).toEqual(["TSG1124"]);
});
