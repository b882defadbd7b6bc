// Classes of packages that others derive from: a copy of the base must not stand for what overrides
// it. In: packages that derive and override in many ways, and programs that use them. Out: gradients
// against central differences of the packages' own functions, and which engine takes a new instance.
// The tolerance is that of central differences with steps of 1e-5.

import { build } from "esbuild";
import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { sandbox } from "../hosts/sandbox.ts";
import { FAMILIES, packageOf } from "./fixtures/families.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const AT = [0.7, 1.9];

/** Programs with a derived class that they make themselves, or that the package makes. */
const USES: readonly { readonly what: string; readonly before?: string; readonly body: string }[] =
  [
    { what: "made", body: "made(x[0]!).twice() * x[1]!" },
    {
      what: "held",
      before: "const held: Base = made(2), list: readonly Base[] = [made(3), new Base(4)];",
      body: "list.reduce((s, b) => s + b.area() * x[0]! + b.twice() * x[1]!, held.twice() * x[0]!)",
    },
    {
      what: "the program's own",
      before: "class Mine extends Base { area(): number { return this.k ** 3; } }",
      body: "(x[0]! > 0 ? new Mine(x[0]!) : new Base(x[1]!)).twice()",
    },
    {
      what: "new",
      body: "[new Square(x[0]!), new Base(x[1]!)].reduce((s, b: Base) => s + (b instanceof Square ? 3 : x[1]!) * b.twice(), 0)",
    },
  ];

const CASES = FAMILIES.flatMap((family, i) =>
  USES.filter(
    ({ body }) => !body.includes("Square") || family.exports?.includes("Square") !== false,
  ).map((use, j) => ({ ...{ family, use, from: `family${i}`, file: `src/case${i}-${j}.ts` } })),
);

interface Made {
  readonly f: (x: number[]) => number;
  readonly d: (x: number[]) => number[];
}

const codeOf = ({ use: { before = "", body }, from }: (typeof CASES)[number]): string => {
  const names = ["Base", "Square", "made"].filter((each) => `${before} ${body}`.includes(each));
  return `import { grad } from "tsgrad";\nimport { ${names.join(", ")} } from "${from}";\n${before}\nexport const f = (x: number[]): number => ${body};\nexport const d = grad(f);\n`;
};

let errors: readonly string[] = [];
const made = new Map<string, { readonly text: string; readonly module: Made }>();

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  ...{ strict: true, lib: ["lib.es2022.d.ts"], types: [], noEmit: true },
};

beforeAll(async () => {
  const box = sandbox(
    Object.fromEntries([
      ["node_modules/tsgrad/package.json", `{ "name": "tsgrad", "types": "./index.d.ts" }`],
      [
        "node_modules/tsgrad/index.d.ts",
        "export declare function grad(f: (x: number[]) => number, derivative?: (x: number[]) => number[]): (x: number[]) => number[];\n",
      ],
      ...FAMILIES.flatMap((family, i) =>
        Object.entries(packageOf(family, `family${i}`)).map(([name, text]) => [
          `node_modules/family${i}/${name}`,
          text,
        ]),
      ),
      ...CASES.map((one) => [one.file, codeOf(one)]),
    ]),
    { stubs: false },
  );
  const host = ts.createCompilerHost(OPTIONS);
  const known = new Map<string, ts.SourceFile | undefined>();
  const getSourceFile: typeof host.getSourceFile = (name, target) => {
    if (!known.has(name)) known.set(name, host.getSourceFile(name, target));
    return known.get(name);
  };
  // one program each: where a site is refused, a whole program does without copies
  for (const family of FAMILIES) {
    const files = CASES.filter((one) => one.family === family).map(({ file }) => box.at(file));
    const program = ts.createProgram(files, OPTIONS, { ...host, getSourceFile });
    const result = analyse({ ts, program, system: ts.sys });
    errors = [
      ...errors,
      ...program.getSemanticDiagnostics().map(({ messageText }) => JSON.stringify(messageText)),
      ...result.diagnostics.map(({ code, message }) => `${code} ${message}`),
    ];
    for (const file of files) {
      const { text } = program.getSourceFile(file) ?? {};
      const edits = result.edits.get(file) ?? [];
      box.write({ [path.relative(box.dir, file)]: applyEdits(file, text ?? "", edits).text });
    }
  }
  const { outputFiles } = await build({
    entryPoints: CASES.map(({ file }) => box.at(file)),
    ...{ bundle: true, write: false, format: "esm", outdir: box.dir, logLevel: "silent" },
    alias: { tsgrad: `${ROOT}/runtime/index.ts`, "tsgrad/delta": `${ROOT}/runtime/delta/index.ts` },
  });
  for (const [i, { file }] of CASES.entries()) {
    const code = Buffer.from(outputFiles[i]?.text ?? "").toString("base64");
    const module: Made = await import(`data:text/javascript;base64,${code}`);
    made.set(file, { module, text: box.read(file) });
  }
});

test("everything builds", () => {
  expect(errors).toEqual([]);
});

describe.each(CASES.map((one) => [`${one.family.what}: ${one.use.what}`, one] as const))(
  "%s",
  (_, one) => {
    test("the gradient", () => {
      const { module, text } = made.get(one.file) ?? {};
      if (module === undefined || text === undefined) throw new Error("not built");
      const STEP = 1e-5;
      const moved = (i: number, by: number): number =>
        module.f(AT.map((x, k) => (k === i ? x + by : x)));
      const gradient = module.d([...AT]);
      for (const i of AT.keys()) {
        const expected = (moved(i, STEP) - moved(i, -STEP)) / (2 * STEP);
        expect(Math.abs((gradient[i] ?? NaN) - expected)).toBeLessThanOrEqual(
          1e-7 * Math.max(1, Math.abs(expected)),
        );
      }
      if (one.use.what === "new")
        expect(text.includes("tsgrad/delta") ? "delta" : "static").toBe(one.family.engine);
    });
  },
);
