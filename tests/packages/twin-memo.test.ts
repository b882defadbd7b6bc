// Twins of packages after edits. In: a program, two modules of a package, and edits of either. Out: what an analysis from scratch finds.
// Oracle: the analysis from scratch.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import ts from "typescript";
import { expect, test } from "vitest";
import { type Analysis, analyse, Kept } from "../../transformer/analyse.ts";
import { id } from "../../transformer/code/code.ts";
import { loneChecker } from "../../transformer/delta/packages/module-uses.ts";
import { TwinMemo } from "../../transformer/delta/packages/twin-memo.ts";
import { sandbox } from "../hosts/sandbox.ts";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  ...{ strict: true, lib: ["lib.es2022.d.ts"], types: [], noEmit: true, skipLibCheck: true },
};

const main = (body: string, form = "grad"): string => `import { ${form} } from "tsgrad";
import * as pkg from "pkg";
export const d = ${form}((x: number): number => { try { return ${body}; } finally { void 0; } });
`;

const FIRST = {
  "src/main.ts": main("pkg.scaled(x)"),
  "node_modules/pkg/index.js": `import { k, times } from "./other.js";
export const scaled = (x) => { try { return times(x, x) * k; } finally { void 0; } };
export const other = (x) => { try { return scaled(x) + x; } finally { void 0; } };
`,
  "node_modules/pkg/other.js": `export let k = 2;
export function times(a, b) { try { return a * b; } finally { void 0; } }
export function never() { return 1; }
`,
};

const EDITS: Readonly<Record<string, Record<string, string>>> = {
  nothing: {},
  "the program's own code": { "src/main.ts": main("pkg.scaled(x) * 3") },
  "the function that it calls": { "src/main.ts": main("pkg.other(x)") },
  "the form": { "src/main.ts": main("pkg.scaled(x)", "hvp") },
  "a module": { "node_modules/pkg/index.js": `${FIRST["node_modules/pkg/index.js"]}// more\n` },
  "a variable that another module imports": {
    "node_modules/pkg/other.js": FIRST["node_modules/pkg/other.js"].replace(
      "return 1;",
      "k = 3; return 1;",
    ),
  },
};

test.each(Object.entries(EDITS))("after an edit of %s", (_, edit) => {
  const box = sandbox(
    {
      "node_modules/tsgrad/package.json": `{ "name": "tsgrad", "types": "./index.d.ts" }`,
      "node_modules/tsgrad/index.d.ts": ["grad", "hvp"]
        .map(
          (name) =>
            `export declare function ${name}(f: (x: number) => number, derivative?: unknown): (...all: unknown[]) => number;\n`,
        )
        .join(""),
      "node_modules/pkg/package.json": `{ "name": "pkg", "type": "module", "exports": { "types": "./index.d.ts", "default": "./index.js" } }`,
      "node_modules/pkg/index.d.ts":
        "export declare function scaled(x: number): number;\nexport declare function other(x: number): number;\n",
      ...FIRST,
    },
    { stubs: false },
  );
  const system = {
    ...ts.sys,
    loaded: (specifier: string) => ({
      file: box.at(`node_modules/pkg/${specifier === "pkg" ? "index.js" : "other.js"}`),
      inPlace: true,
    }),
  };
  const analysed = (kept?: Kept): Analysis => {
    const program = ts.createProgram([box.at("src/main.ts")], OPTIONS);
    return analyse({ ts, program, system, ...(kept === undefined ? {} : { kept }) });
  };
  const kept = new Kept();
  const before = analysed(kept);
  expect([...before.edits.keys()].map((file) => file.split("/").at(-1)).sort()).toEqual([
    "index.js",
    "main.ts",
    "other.js",
  ]);
  box.write(edit);
  const after = analysed(kept);
  expect([...after.edits]).toEqual([...analysed().edits]);
  expect(after.diagnostics).toEqual([]);
});

/** `seen`: gets the module, which nothing else holds. */
function made(
  memo: TwinMemo,
  text: string,
  cell: string | null,
  exported = "f",
  seen: (source: ts.SourceFile) => void = () => undefined,
): unknown {
  const source = ts.createSourceFile("/pkg/index.js", text, ts.ScriptTarget.ESNext, true);
  seen(source);
  return memo.twinsOf(ts, {
    source,
    checker: loneChecker(ts, source),
    isEsm: true,
    isHigher: false,
    hasNumberMethods: false,
    runTime: "needed",
    statements: source.statements,
    isExported: (name) => name === exported,
    importedCell: () => (cell === null ? null : id(cell)),
    isAssignedIn: () => false,
    exportedCell: () => null,
  });
}
const TEXT = `import { k } from "./other.js";\nexport function f(x) { return x * k; }\n`;

test("twins are made again where the text, or an answer that they were made from, is another one", () => {
  const memo = new TwinMemo();
  const first = made(memo, TEXT, null);
  expect(made(memo, TEXT, null)).toBe(first);
  for (const [other, cell, exported] of [
    [`${TEXT}f;\n`, null, "f"],
    [TEXT, "cell", "f"],
    [TEXT, null, "g"],
  ] as const) {
    const next = made(memo, other, cell, exported);
    expect(next).not.toBe(first);
    expect(next).toEqual(made(new TwinMemo(), other, cell, exported));
    made(memo, TEXT, null);
  }
});

test("twins that are kept do not keep the analysis that made them", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // a context has it with this flag
  const memo = new TwinMemo();
  const modules: WeakRef<ts.SourceFile>[] = [];
  const first = made(memo, TEXT, null, "f", (source) => modules.push(new WeakRef(source)));
  await new Promise((done) => setImmediate(done));
  collect();
  expect(modules.map((each) => each.deref())).toEqual([undefined]);
  expect(made(memo, TEXT, null)).toBe(first);
});
