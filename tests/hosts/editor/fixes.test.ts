// Quick fixes: after each the diagnostic is gone, and the program still type-checks where it did before.

import ts from "typescript";
import { expect, test } from "vitest";
import { SiteReader } from "../../../transformer/explain/sites.ts";
import { FIXABLE, fixOf } from "../../../transformer/hosts/editor/fixes.ts";
import { programOf } from "../../program.ts";

/** By code: sources with the diagnostic, and what the fix makes of them. */
const CASES: readonly (readonly [code: string, before: string, after: string])[] = [
  [
    "TSG0003",
    `export async function load() {\n  const { grad: d } = await import("tsgrad");\n  return d((x: number) => x * x);\n}\n`,
    `import { grad as d } from "tsgrad";\nexport async function load() {\n  return d((x: number) => x * x);\n}\n`,
  ],
  [
    "TSG1003",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, 1);\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: 1 });\n`,
  ],
  [
    "TSG1003",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, [0, 1]);\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: [0, 1] });\n`,
  ],
  [
    "TSG1003",
    `import { grad } from "tsgrad";\nconst which = 1;\nconst f = (x: number, y: number): number => x * y;\nexport const g = [which, grad(f, { argnums: which })];\n`,
    `import { grad } from "tsgrad";\nconst which = 1;\nconst f = (x: number, y: number): number => x * y;\nexport const g = [which, grad(f, { argnums: 1 })];\n`,
  ],
  [
    "TSG1004",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: 2 });\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: 1 });\n`,
  ],
  [
    "TSG1005",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: [0, 1, 0] });\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: [0, 1] });\n`,
  ],
  [
    "TSG1006",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argNum: 1 });\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: 1 });\n`,
  ],
  [
    "TSG1006",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: 1, verbose: true });\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x * y;\nexport const g = grad(f, { argnums: 1 });\n`,
  ],
  [
    "TSG1008",
    `import { grad } from "tsgrad";\nexport const slope = (k: number) => grad((x: number) => k * x * x, { engine: "static" });\n`,
    `import { grad } from "tsgrad";\nexport const slope = (k: number) => {\n  return grad((x: number) => k * x * x, { engine: "static" });\n};\n`,
  ],
  [
    "TSG1010",
    `import { grad } from "tsgrad";\nclass Model {\n  f(x: number, ys: number[]) {\n    return x * ys[0]!;\n  }\n}\nconst model = new Model();\nexport const g = grad(model.f);\n`,
    `import { grad } from "tsgrad";\nclass Model {\n  f(x: number, ys: number[]) {\n    return x * ys[0]!;\n  }\n}\nconst model = new Model();\nexport const g = grad((x: number, ys: number[]) => model.f(x, ys));\n`,
  ],
  [
    "TSG1022",
    `import { grad } from "tsgrad";\nconst f = (x: number): number => x * x;\nexport const g = grad(f, { into: true });\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number): number => x * x;\nexport const g = grad(f);\n`,
  ],
  [
    "TSG2003",
    `import { grad } from "tsgrad";\nconst f = (x: number): number[] => [x, x];\nexport const g = grad(f);\n`,
    `import { grad, vjp } from "tsgrad";\nconst f = (x: number): number[] => [x, x];\nexport const g = vjp(f);\n`,
  ],
  [
    "TSG3012",
    `import { grad } from "tsgrad";\nfunction f(w: Float64Array, x: number): number {\n  const row = w.subarray(0, 2);\n  row[0] = x;\n  return w[0]! * row[1]!;\n}\nexport const g = grad(f, { engine: "static" });\n`,
    `import { grad } from "tsgrad";\nfunction f(w: Float64Array, x: number): number {\n  const row = w.slice(0, 2);\n  row[0] = x;\n  return w[0]! * row[1]!;\n}\nexport const g = grad(f, { engine: "static" });\n`,
  ],
  [
    "TSG8001",
    `import { grad } from "tsgrad";\nconst pick = (i: number, xs: number[]): number => xs[i]!;\nexport const g = grad(pick, { argnums: [0, 1] });\n`,
    `import { grad } from "tsgrad";\nconst pick = (i: number, xs: number[]): number => xs[i]!;\nexport const g = grad(pick, { argnums: [1] });\n`,
  ],
  [
    "TSG8002",
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number, z: number): number => x * z;\nexport const g = grad(f, { argnums: [0, 1, 2] });\n`,
    `import { grad } from "tsgrad";\nconst f = (x: number, y: number, z: number): number => x * z;\nexport const g = grad(f, { argnums: [0, 2] });\n`,
  ],
];

const diagnosticsOf = (text: string) => {
  const host = programOf({ "a.ts": text });
  const { diagnostics } = new SiteReader().read(host, "/src/a.ts");
  const source = host.program.getSourceFile("/src/a.ts");
  if (source === undefined) throw new Error("the program has no file");
  return { ...host, diagnostics, source };
};

test.each(CASES)("%s: %#", (code, before, after) => {
  const { program, source, diagnostics } = diagnosticsOf(before);
  const found = diagnostics.find((one) => one.code === code);
  const fix = found === undefined ? null : fixOf(ts, program, source, found);
  expect(fix, JSON.stringify(diagnostics)).not.toBeNull();
  let text = before;
  for (const edit of (fix?.edits ?? []).toSorted((x, z) => z.start - x.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  expect(text).toBe(after);
  expect(diagnosticsOf(text).diagnostics).toEqual([]);
});

test("each code with a fix is tested", () => {
  expect([...new Set(CASES.map(([code]) => code))]).toEqual(FIXABLE);
});

test("a fix that does not apply is not offered", () => {
  const text = `import { grad } from "tsgrad";\nconst f = (x: number, y: number): number => x;\nexport const g = grad(f, { argnums: 1 });\nexport const h = grad(f, { argnums: +"1" });\n`;
  const { program, source, diagnostics } = diagnosticsOf(text);
  expect(diagnostics.map(({ code }) => code).sort()).toEqual(["TSG1003", "TSG8002"]);
  for (const one of diagnostics) expect(fixOf(ts, program, source, one)).toBeNull();
});
