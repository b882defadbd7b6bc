// Programs that use packages, compiled and bundled. In: files of packages, and groups of programs,
// each compiled on its own: where a site is refused, a whole program does without copies. Out: by
// file what a program exports, its emitted text, and the errors.

import { build } from "esbuild";
import path from "node:path";
import ts from "typescript";
import { expect } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { sandbox } from "../hosts/sandbox.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const STEP = 1e-5;

export interface Made {
  readonly f: (x: number[]) => number;
  readonly d: (x: number[]) => number[];
}

export interface Program {
  readonly file: string;
  readonly text: string;
}

export interface Built {
  readonly errors: readonly string[];
  readonly made: ReadonlyMap<string, { readonly text: string; readonly module: Made }>;
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  ...{ strict: true, lib: ["lib.es2022.d.ts"], types: [], noEmit: true },
};

/** The program of `f`, and of its gradient. */
export const programOf = (file: string, imports: string, body: string, before = ""): Program => ({
  file,
  text: `import { grad } from "tsgrad";\n${imports}\n${before}\nexport const f = (x: number[]): number => ${body};\nexport const d = grad(f);\n`,
});

export async function built(
  packages: Readonly<Record<string, string>>,
  groups: readonly (readonly Program[])[],
): Promise<Built> {
  const programs = groups.flat();
  const box = sandbox(
    Object.fromEntries([
      ["node_modules/tsgrad/package.json", `{ "name": "tsgrad", "types": "./index.d.ts" }`],
      [
        "node_modules/tsgrad/index.d.ts",
        "export declare function grad(f: (x: number[]) => number, derivative?: (x: number[]) => number[]): (x: number[]) => number[];\n",
      ],
      ...Object.entries(packages).map(([file, text]) => [`node_modules/${file}`, text] as const),
      ...programs.map(({ file, text }) => [file, text] as const),
    ]),
    { stubs: false },
  );
  const host = ts.createCompilerHost(OPTIONS);
  const known = new Map<string, ts.SourceFile | undefined>();
  const getSourceFile: typeof host.getSourceFile = (name, target) => {
    if (!known.has(name)) known.set(name, host.getSourceFile(name, target));
    return known.get(name);
  };
  const errors: string[] = [];
  for (const group of groups) {
    const files = group.map(({ file }) => box.at(file));
    const program = ts.createProgram(files, OPTIONS, { ...host, getSourceFile });
    const result = analyse({ ts, program, system: ts.sys });
    errors.push(
      ...program.getSemanticDiagnostics().map(({ messageText }) => JSON.stringify(messageText)),
      ...result.diagnostics.map(({ code, message }) => `${code} ${message}`),
    );
    for (const file of files) {
      const { text } = program.getSourceFile(file) ?? {};
      const edits = result.edits.get(file) ?? [];
      box.write({ [path.relative(box.dir, file)]: applyEdits(file, text ?? "", edits).text });
    }
  }
  const { outputFiles } = await build({
    entryPoints: programs.map(({ file }) => box.at(file)),
    ...{ bundle: true, write: false, format: "esm", outdir: box.dir, logLevel: "silent" },
    treeShaking: false, // it takes some operators for pure that may run code
    alias: { tsgrad: `${ROOT}/runtime/index.ts`, "tsgrad/delta": `${ROOT}/runtime/delta/index.ts` },
  });
  const made = new Map<string, { readonly text: string; readonly module: Made }>();
  for (const [i, { file }] of programs.entries()) {
    const code = Buffer.from(outputFiles[i]?.text ?? "").toString("base64");
    const module: Made = await import(`data:text/javascript;base64,${code}`);
    made.set(file, { module, text: box.read(file) });
  }
  return { errors, made };
}

/** Compares a gradient with central differences, which steps of 1e-5 make right to 1e-7. */
export function expectGradient({ f, d }: Made, at: readonly number[]): void {
  const moved = (i: number, by: number): number => f(at.map((x, k) => (k === i ? x + by : x)));
  const gradient = d([...at]);
  for (const i of at.keys()) {
    const expected = (moved(i, STEP) - moved(i, -STEP)) / (2 * STEP);
    expect(Math.abs((gradient[i] ?? NaN) - expected)).toBeLessThanOrEqual(
      1e-7 * Math.max(1, Math.abs(expected)),
    );
  }
}

export const engineOf = (text: string): "delta" | "static" =>
  text.includes("tsgrad/delta") ? "delta" : "static";
