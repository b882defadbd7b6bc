// A package of a workspace whose `exports` name TypeScript source, linked into node_modules. Bundlers compile it like the program's own
// files, so that it gets its derivatives there; tsc does not emit it, and the Delta engine records a copy. d/dx 3x² + x = 13 at 2.

import { symlinkSync } from "node:fs";
import { build as bundle, type Plugin } from "esbuild";
import ts from "typescript";
import { build as buildVite, createServer, type InlineConfig } from "vite";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { build } from "../../transformer/hosts/build.ts";
import { esbuildPlugin } from "../../transformer/hosts/esbuild-plugin.ts";
import { vitePlugin } from "../../transformer/hosts/vite-plugin.ts";
import { repository, sandbox, type Sandbox } from "./sandbox.ts";

interface Source {
  readonly files: Readonly<Record<string, string>>;
  /** What the program imports, and differentiates. */
  readonly imported: string;
  readonly called: string;
}

const BODY = "{ return half(6 * x * x) + x; }";
const HALF = `import { half } from "./half.ts";\n`;
const half = { "half.ts": "export const half = (x: number): number => 0.5 * x;\n" };

const plain: Source = {
  files: { ...half, "index.ts": `${HALF}export function f(x: number): number ${BODY}\n` },
  imported: "{ f }",
  called: "f",
};

/** How a package may offer a function. */
const SOURCES: Readonly<Record<string, Source>> = {
  function: plain,
  arrow: {
    files: { ...half, "index.ts": `${HALF}export const f = (x: number): number => ${BODY};\n` },
    imported: "{ f as g }",
    called: "g",
  },
  "of another file": {
    files: {
      ...half,
      "index.ts": `export * from "./deep/f.ts";\n`,
      "deep/f.ts": `${HALF.replace("./", "../")}export function f(x: number): number ${BODY}\n`,
    },
    imported: "* as all",
    called: "all.f",
  },
  default: {
    files: { ...half, "index.ts": `${HALF}export default function f(x: number): number ${BODY}\n` },
    imported: "f",
    called: "f",
  },
  "called by the program": { ...plain, called: "(x: number): number => f(x)" },
  "method of an instance": {
    files: {
      ...half,
      "index.ts": `${HALF}export class F { constructor(readonly k: number) {} at(x: number): number { return half(this.k * x * x) + x; } }\n`,
    },
    imported: "{ F }",
    called: "(x: number): number => new F(6).at(x)",
  },
};

/** `noEmit` as it is with a bundler. */
function workspace({ files, imported, called }: Source, noEmit: boolean): Sandbox {
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    types: [],
    lib: ["es2022"],
    skipLibCheck: true,
    ...(noEmit
      ? { noEmit, allowImportingTsExtensions: true }
      : { rewriteRelativeImportExtensions: true, rootDir: "src", outDir: "dist" }),
  };
  const box = sandbox({
    "packages/f/package.json": `{ "name": "@acme/f", "type": "module", "exports": { ".": "./src/index.ts" } }`,
    ...Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`packages/f/src/${name}`, text]),
    ),
    "node_modules/@acme/readme.md": "",
    "app/tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    "app/src/engine.d.ts": `declare module "tsgrad/delta";\n`,
    "app/src/main.ts": `import { grad } from "tsgrad";\nimport ${imported} from "@acme/f";\nexport const value = grad(${called})(2);\n`,
  });
  symlinkSync("../../packages/f", box.at("node_modules/@acme/f"));
  return box;
}

async function bundled(box: Sandbox, entry: string, plugins: Plugin[]): Promise<string> {
  const result = await bundle({
    absWorkingDir: box.at("app"),
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
    alias: { "tsgrad/delta": `${repository}/runtime/delta/index.ts` },
    plugins,
  });
  return result.outputFiles[0]?.text ?? "";
}

const vite = (box: Sandbox): InlineConfig => ({
  root: box.at("app"),
  configFile: false,
  logLevel: "silent",
  plugins: [vitePlugin(analyse, { tsconfig: box.at("app/tsconfig.json") })],
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
});

async function valueOf(code: string): Promise<unknown> {
  const module: { readonly value: unknown } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  return module.value;
}

const usesTape = (code: string): boolean => /\$d\.|_d\d*\.|\.grad\(function/.test(code);

describe.each(Object.entries(SOURCES))("%s", (_, source) => {
  test("esbuild and Vite: a static derivative, beside the function", async () => {
    const box = workspace(source, true);
    const esbuild = await bundled(box, "src/main.ts", [
      esbuildPlugin(analyse, { tsconfig: box.at("app/tsconfig.json") }),
    ]);
    expect([usesTape(esbuild), await valueOf(esbuild)]).toEqual([false, 13]);
    const result = await buildVite({
      ...vite(box),
      build: {
        write: false,
        minify: false,
        lib: { entry: box.at("app/src/main.ts"), formats: ["es"] },
      },
    });
    const [{ output }] = Array.isArray(result) ? result : [{ output: [] }];
    const code = output?.[0]?.code ?? "";
    expect([usesTape(code), await valueOf(code)]).toEqual([false, 13]);
  });

  test("Vite's server, also after an edit of the package", async () => {
    const box = workspace(source, true);
    const server = await createServer(vite(box));
    const value = async (): Promise<unknown> =>
      (await server.ssrLoadModule("/src/main.ts"))["value"];
    expect(await value()).toBe(13);
    const file = "packages/f/src/half.ts";
    box.write({ [file]: box.read(file).replace("0.5", "0.25") });
    server.watcher.emit("change", box.at(file));
    await expect.poll(value).toBe(7);
    await server.close();
  });

  test("tsc: right, by the Delta engine", async () => {
    const box = workspace(source, false);
    expect(build(ts, analyse, ["-p", box.at("app")])).toBe(0);
    expect(await valueOf(await bundled(box, "dist/main.js", []))).toBe(13);
  });
});

test("tsc, where only the static engine is wanted: which package it is", () => {
  const box = workspace({ ...plain, called: `f, { engine: "static" }` }, false);
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    JSON.parse(box.read("app/tsconfig.json")),
    ts.sys,
    box.at("app"),
  );
  const { diagnostics } = analyse({
    ts,
    program: ts.createProgram(fileNames, options),
    system: ts.sys,
  });
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "TSG1014 cannot differentiate `f`: it is declared in the package `@acme/f`",
  ]);
});
