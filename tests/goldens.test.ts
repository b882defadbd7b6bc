// The emitted code of well-chosen programs, to be read: `fixtures/emitted/<name>.expect.ts` is the file as the build compiles it, user code included.
// Its source is `fixtures/emitted/<name>.ts`, or the program of that name in the corpus with a call behind it.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { analyse } from "../transformer/analyse.ts";
import { applyEdits } from "../transformer/hosts/apply.ts";
import { expectFile, root } from "./golden.ts";
import { problemsOf } from "./5-emit/type-check.ts";
import { programOf } from "./program.ts";

/** Programs of the corpus, with the form that is called on their `f`. */
const CORPUS: readonly (readonly [name: string, call: string])[] = [
  ["array-dynamic-programming", "grad(f)"],
  ["array-heat-in-place", "grad(f)"],
  ["array-of-rows-in-place", "grad(f)"],
  ["array-push-and-pop", "grad(f)"],
  ["array-result", "vjp(f)"],
  ["array-spread", "grad(f)"],
  ["array-swap-elements", "grad(f)"],
  ["array-writes-argument", "grad(f)"],
  ["early-return-chain", "valueAndGrad(f, { argnums: [0, 1] })"],
  ["horner-polynomial", "valueAndGrad(f)"],
  ["loop-break-continue", "grad(f)"],
  ["loop-early-exit-with-mutation", "grad(f)"],
  ["loop-nested-break-inner", "grad(f)"],
  ["loop-return-from-nested", "grad(f)"],
  ["loop-running-maximum", "grad(f)"],
  ["loop-triple-nested-matmul", "grad(f)"],
  ["loop-while-newton", "grad(f)"],
  ["math-unary-all", "grad(f)"],
  ["operators-power", "valueAndGrad(f)"],
  ["switch-on-string", "grad(f)"],
  ["ternary-nested", "grad(f)"],
  ["throws-on-same-inputs", "grad(f)"],
];

const FOLDER = "fixtures/emitted";
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

/** A program without what only the harness reads, and with a call behind it. */
function corpusProgram(name: string, call: string): string {
  const text = read(`fixtures/programs/${name}.ts`);
  const end = text.search(/^export const (?:args|argnums|expected|tolerance|integers)\b/m);
  const form = /^\w+/.exec(call)?.[0] ?? "";
  return `import { ${form} } from "tsgrad";\n\n${text.slice(0, end < 0 ? text.length : end).trimEnd()}\n\nexport const derivative = ${call};\n`;
}

const own = readdirSync(path.join(root, FOLDER))
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".expect.ts"))
  .map((name) => name.slice(0, -3));
const sources = new Map<string, string>([
  ...own.map((name) => [name, read(`${FOLDER}/${name}.ts`)] as const),
  ...CORPUS.map(([name, call]) => [name, corpusProgram(name, call)] as const),
  [
    "gmm",
    `import { valueAndGrad } from "tsgrad";\n${read("fixtures/projects/gmm/src/model.ts")}\nexport const fit = valueAndGrad(logPosterior);\n`,
  ],
]);

const host = programOf(
  Object.fromEntries([...sources].map(([name, text]) => [`${name}.ts`, text])),
);
const analysis = analyse(host);
const emitted = new Map(
  [...sources].map(([name, text]) => [
    name,
    applyEdits(`/src/${name}.ts`, text, analysis.edits.get(`/src/${name}.ts`) ?? []).text,
  ]),
);

describe("emitted code", () => {
  test("there are no errors", () => {
    expect(
      analysis.diagnostics
        .filter(({ severity }) => severity === "error")
        .map(({ code, message, span }) => `${span.file} ${code} ${message}`),
    ).toEqual([]);
  });

  test.each([...emitted])("%s", (name, text) => {
    expect(text).not.toBe(sources.get(name));
    expectFile(`${FOLDER}/${name}.expect.ts`, text);
  });

  test("no golden without a program", () => {
    const goldens = readdirSync(path.join(root, FOLDER))
      .filter((name) => name.endsWith(".expect.ts"))
      .map((name) => name.slice(0, -".expect.ts".length));
    expect(goldens.sort()).toEqual([...sources.keys()].sort());
  });

  test("type-checks, strictly", () => {
    // user code exports what it infers, indexes as strict mode alone allows, and falls through
    const files = Object.fromEntries([...emitted].map(([name, text]) => [`${name}.ts`, text]));
    expect(
      problemsOf(files, {
        isolatedDeclarations: false,
        declaration: false,
        noUncheckedIndexedAccess: false,
        noFallthroughCasesInSwitch: false,
      }),
    ).toEqual([]);
  });
});
