// Groups that are compiled apart from their program. In: programs of several groups; as the other thread, copies of the jobs. Out: the analysis is what it is without; what there is more to say of
// than edits and warnings is compiled with the program.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { analyse, type Analysis, type Beside, Kept, type Outcome, outcomeOf } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

interface Taken {
  readonly jobs: number;
  readonly edited: ReadonlySet<string>;
}

const plain = ({ edits, diagnostics, dependencies }: Analysis): unknown => ({ edits: Object.fromEntries([...edits].sort()), diagnostics, dependencies: Object.fromEntries([...dependencies].sort()) });

/** With groups compiled from copies, as from another thread; `answer` stands between. */
function apart(files: Readonly<Record<string, string>>, answer: (outcome: Outcome | null, job: number) => Outcome | null = (outcome) => outcome): { readonly found: Analysis; readonly taken: readonly Taken[] } {
  const taken: Taken[] = [];
  const beside: Beside = {
    take: (jobs, edited) => {
      taken.push({ jobs: jobs.length, edited });
      return structuredClone(jobs).map((job, at) => answer(structuredClone(attempted(() => outcomeOf(job))), at));
    },
  };
  return { found: analyse({ ...programOf(files), kept: new Kept(), beside }), taken };
}

function attempted(compile: () => Outcome | null): Outcome | null {
  try {
    return compile();
  } catch {
    return null;
  }
}

const alone = (files: Readonly<Record<string, string>>): unknown => plain(analyse({ ...programOf(files), kept: new Kept() }));

const site = (body: string, more = ""): string => `import { grad } from "tsgrad";\n${more}export function f(x: number): number { ${body} }\nexport const g = grad(f);\n`;

/** Four groups and more. */
const SIMPLE = { "a.ts": site("return x * x;"), "b.ts": site("return Math.sin(x);"), "c.ts": site("let s = 0; for (let i = 0; i < 3; i++) s += x ** i; return s;"), "d.ts": site("return Math.exp(x) / x;") };

/** Programs of the corpus that the static engine answers: classes, records, recursion, loops, closures, lists. */
const CORPUS = [
  "attention-head", "class-bank-account", "class-network-argument", "dynamic-programming-knapsack-memo", "expression-trees-with-a-table", "function-object-of-closures", "helper-writes-argument",
  "linked-list-built", "optional-config-merged", "recursion-linear-writes-argument", "tree-binary-search", "union-expression-evaluator",
];

test("programs of the corpus", () => {
  const files = Object.fromEntries(CORPUS.map((name) => [`${name}.ts`, `import { grad } from "tsgrad";\n${readFileSync(path.join(import.meta.dirname, "../../fixtures/programs", `${name}.ts`), "utf8")}\nexport const gradient = grad(f);\n`]));
  const { found, taken } = apart(files);
  expect(taken.map(({ jobs }) => jobs)).toEqual([CORPUS.length]);
  expect([...found.edits.keys()].length).toBe(CORPUS.length);
  expect(plain(found)).toEqual(alone(files));
});

test("functions of other files, types of theirs, written module variables, array code, warnings", () => {
  const files = {
    ...SIMPLE,
    "lib/norm.ts": `export interface Point { x: number; y: number }\nexport function norm(p: Point): number { return Math.hypot(p.x, p.y) * scale.k; }\nexport const scale = { k: 2 };\n`,
    "e.ts": `import { grad } from "tsgrad";\nimport { norm, type Point } from "./lib/norm.ts";\nexport const g = grad((p: Point) => norm(p) * p.x);\n`,
    "lib/poly.ts": `export const poly = (cs: number[], x: number): number => cs.reduceRight((s, c) => s * x + c, 0);\n`,
    "h.ts": `import { valueAndGrad, vjp } from "tsgrad";\nimport { poly as p } from "./lib/poly.ts";\nexport const g = valueAndGrad(p, { argnums: [0, 1] });\nexport const b = vjp(p);\n`,
    "i.ts": `import { grad } from "tsgrad";\nimport { sum, map } from "tsgrad/vector";\nexport const g = grad((xs: number[]) => sum(map((x: number) => x * x, xs)));\n`,
    // a warning
    "j.ts": `import { grad } from "tsgrad";\nexport const g = grad((x: number, k: number) => 2 * k);\n`,
  };
  const { found, taken } = apart(files);
  expect(taken.length).toBe(1);
  expect(taken[0]?.jobs).toBeGreaterThanOrEqual(8);
  expect(found.diagnostics.map(({ code }) => code)).toEqual(["TSG8002"]);
  expect(plain(found)).toEqual(alone(files));
  // nobody else's text becomes another
  expect([...found.edits.keys()].filter((file) => taken[0]?.edited.has(file) !== true)).toEqual([]);
});

test.each<[string, Record<string, string>]>([
  ["an error of lowering", { "e.ts": `import { grad } from "tsgrad";\nexport function f(x: string): number { return x.length; }\nexport const g = grad(f);\n` }],
  ["a call of the Delta engine", { "e.ts": `import { grad } from "tsgrad";\nexport const g = grad((x: number) => x * x, { engine: "delta" });\n` }],
  ["a derivative of its own", { "e.ts": `import { defineDerivative, grad } from "tsgrad";\nexport function f(x: number): number { return x; }\ndefineDerivative(f, { vjp: (x: number) => [x, (dy: number) => [dy]] });\nexport const g = grad(f);\n` }],
])("%s is compiled with the program, and nothing is handed over", (_what, more) => {
  const { found, taken } = apart({ ...SIMPLE, ...more });
  expect(taken).toEqual([]);
  expect(plain(found)).toEqual(alone({ ...SIMPLE, ...more }));
});

test("an error that is found behind lowering, and a group that nobody answers for, are compiled with the program", () => {
  const kept = { ...SIMPLE, "e.ts": `import { grad } from "tsgrad";\nconst state = { last: 0 };\nexport function f(x: number): number { const v = state.last; state.last = x * x; return v + x; }\nexport const g = grad(f);\n` };
  const refused = apart(kept);
  expect(refused.taken.length).toBe(1);
  expect(refused.found.diagnostics.map(({ code }) => code)).toEqual(["TSG3016"]);
  expect(plain(refused.found)).toEqual(alone(kept));
  const lost = apart(SIMPLE, (outcome, job) => (job === 2 ? null : outcome));
  expect(plain(lost.found)).toEqual(alone(SIMPLE));
});

test("few groups are not handed over, and neither is a program that another one was before", () => {
  const { "d.ts": _, ...few } = SIMPLE;
  expect(apart(few).taken).toEqual([]);
  const kept = new Kept(), beside: Beside = { take: () => { throw new Error("handed over"); } };
  analyse({ ...programOf(SIMPLE), kept });
  const changed = { ...SIMPLE, "a.ts": site("return x * x * x;"), "b.ts": site("return Math.cos(x);") };
  expect(plain(analyse({ ...programOf(changed), kept, beside }))).toEqual(alone(changed));
});
