// JavaScript sources, JSON and packages without types, through the esbuild plugin with the real core. In: small projects. Out: their values.

import path from "node:path";
import { build, type BuildOptions, type Message } from "esbuild";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { esbuildPlugin } from "../../transformer/hosts/esbuild-plugin.ts";
import type { ServiceOptions } from "../../transformer/hosts/program-service.ts";
import { repository, sandbox } from "./sandbox.ts";

const runtime = {
  tsgrad: path.join(repository, "runtime/index.ts"),
  "tsgrad/delta": path.join(repository, "runtime/delta/index.ts"),
};

function project(
  files: Record<string, string>,
  settings: object,
  entry: string,
  options: ServiceOptions = {},
  plugins: readonly object[] = [],
): BuildOptions {
  const paths = Object.fromEntries(Object.entries(runtime).map(([name, file]) => [name, [file]]));
  const compilerOptions = {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    types: [],
    paths,
    allowImportingTsExtensions: true,
    noEmit: true,
    ...settings,
    plugins,
  };
  const box = sandbox({
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    ...files,
  });
  return {
    absWorkingDir: box.dir,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
    alias: runtime,
    plugins: [esbuildPlugin(analyse, options)],
  };
}

async function value(options: BuildOptions): Promise<unknown> {
  const result = await build(options);
  const module: { readonly value: unknown } = await import(
    `data:text/javascript,${encodeURIComponent(result.outputFiles?.[0]?.text ?? "")}`
  );
  return module.value;
}

const failure = async (options: BuildOptions): Promise<readonly Message[]> =>
  build(options).then(
    () => [],
    (error: unknown) =>
      error instanceof Error && "errors" in error && Array.isArray(error.errors)
        ? error.errors
        : [error],
  );

const MODEL =
  "/** @param {number} x */\nexport function wave(x) { return Math.sin(x) * x; }\nexport const untyped = (a, b) => a.map((v) => v * b).reduce((s, v) => s + v, 0);\n";
const MAIN = `import { grad } from "tsgrad";\nimport { wave, untyped } from "./model.js";\nexport const value = [grad(wave)(2), grad((x: number) => untyped([x, 1], x))(3)];\n`;

describe("JavaScript of the program", () => {
  test("called by TypeScript", async () => {
    expect(
      await value(
        project({ "src/model.js": MODEL, "src/main.ts": MAIN }, { allowJs: true }, "src/main.ts"),
      ),
    ).toEqual([Math.sin(2) + 2 * Math.cos(2), 7]);
  });

  test("asking itself", async () => {
    const text = `import { grad } from "tsgrad";\nconst cube = (x) => x ** 3;\nexport const value = grad(cube)(2);\n`;
    expect(await value(project({ "src/main.js": text }, { allowJs: true }, "src/main.js"))).toBe(
      12,
    );
  });

  test.each([
    ["static", "f$grad("],
    ["delta", "f$delta("],
  ])("is checked as it stands, not for types that %s derivatives lack", (engine, derivative) => {
    const text =
      `import { grad } from "tsgrad";\n/** @param {number[]} xs @param {{ k?: number }} o @returns {number} */\nfunction f(xs, o) { let s = 0; for (const x of xs) s += x * x * (o.k ?? 2); return s; }\n` +
      `export const value = grad(f, { engine: "${engine}" })([1, 2], {});\n/** @type {string} */\nexport const wrong = 1;\n`;
    const box = sandbox({ "src/main.js": text });
    const paths = Object.fromEntries(Object.entries(runtime).map(([name, file]) => [name, [file]]));
    const options: ts.CompilerOptions = {
      allowJs: true,
      checkJs: true,
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      paths,
      rewriteRelativeImportExtensions: true,
      outDir: box.at("out"),
      declaration: true,
    };
    const { program } = overlay(
      ts,
      analyse,
      ts.createProgram([box.at("src/main.js")], options),
      undefined,
    );
    const written: string[] = [];
    program.emit(program.getSourceFile(box.at("src/main.js")), (_file, text) => {
      written.push(text);
    });
    expect(written).toHaveLength(2);
    expect(written.filter((text) => text.includes(derivative))).toHaveLength(1);
    expect(
      ts
        .getPreEmitDiagnostics(program)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")),
    ).toEqual(["Type 'number' is not assignable to type 'string'."]);
  });

  test("that is CommonJS: nothing more is exported", async () => {
    const files = {
      "src/k.cjs":
        "/** @param {number} x @returns {number} */\nfunction k(x) { return x * x; }\nmodule.exports = { k };\n",
      "src/main.ts": `import { grad } from "tsgrad";\nimport lib from "./k.cjs";\nexport const value = [grad((x: number): number => lib.k(x) + x)(3), ...Object.keys(lib)];\n`,
    };
    expect(await value(project(files, { allowJs: true }, "src/main.ts"))).toEqual([7, "k"]);
  });

  test("is left alone without allowJs", async () => {
    const text = "export const value = [1, 2].map((x) => x * 2);\n";
    expect(
      await value(
        project(
          {
            "src/main.js": text,
            "src/other.ts": `import { grad } from "tsgrad";\nexport const d = grad((x: number) => x);\n`,
          },
          {},
          "src/main.js",
        ),
      ),
    ).toEqual([2, 4]);
  });
});

test("numbers of a JSON file, here and in a function of another module", async () => {
  const files = {
    "src/config.json": `{ "k": 3, "w": [1, 2, 5] }`,
    "src/scaled.ts": `import settings from "./config.json";\nexport function scaled(x: number): number { return x * x * settings.k; }\n`,
    "src/main.ts":
      `import { grad } from "tsgrad";\nimport config from "./config.json";\nimport { scaled } from "./scaled.ts";\n` +
      `const sum = (v: number[]): number => v.reduce((s, x, i) => s + x * x * (config.w[i] ?? 0), 0);\nexport const value = [grad(sum)([1, 1, 2]), grad((x: number) => scaled(x) * config.k)(2), grad((c: typeof config) => c.k * c.k)(config).k];\n`,
  };
  expect(await value(project(files, {}, "src/main.ts"))).toEqual([[2, 4, 20], 36, 6]);
});

describe("a package without types", () => {
  const files = {
    "node_modules/plain/package.json": `{ "name": "plain", "version": "1.0.0", "main": "index.js" }`,
    "node_modules/plain/index.js":
      "exports.square = function (x) { return x * x; };\nexports.odd = function (x) { return eval('x'); };\n",
    "src/main.ts": `import { grad } from "tsgrad";\n// @ts-ignore: it has no types\nimport { square } from "plain";\nexport const value = grad((x: number): number => square(x) + x)(3);\n`,
  };

  test("is refused where nobody names it", async () => {
    const [message] = await failure(project(files, {}, "src/main.ts"));
    expect(message?.text).toMatch(
      /TSG1301: .*`plain`, which has no types \(the plugin's option `packages: \["plain"\]` has it followed all the same\)/,
    );
  });

  test("is followed by the option of the bundler's plugin", async () => {
    expect(await value(project(files, {}, "src/main.ts", { packages: ["plain"] }))).toBe(7);
  });

  test("a file of it is refused and followed by the name of the package", async () => {
    const deep = {
      ...files,
      "node_modules/plain/deep/part.js": files["node_modules/plain/index.js"],
      "src/main.ts": files["src/main.ts"].replace('"plain"', '"plain/deep/part.js"'),
    };
    const [message] = await failure(project(deep, {}, "src/main.ts"));
    expect(message?.text).toMatch(/`plain\/deep\/part\.js`, .* `packages: \["plain"\]`/);
    expect(await value(project(deep, {}, "src/main.ts", { packages: ["plain"] }))).toBe(7);
  });

  test("is followed by the option of the plugin in the tsconfig", async () => {
    expect(
      await value(
        project(files, {}, "src/main.ts", {}, [
          { transform: "tsgrad/transform", packages: ["plain"] },
        ]),
      ),
    ).toBe(7);
  });

  test("is refused at run time where it does what cannot be followed", async () => {
    const main = files["src/main.ts"].replace("square }", "odd }").replace("square(x)", "odd(x)");
    await expect(
      value(project({ ...files, "src/main.ts": main }, {}, "src/main.ts", { packages: ["plain"] })),
    ).rejects.toThrow(/plain\/index\.js contains `eval`, line 2, which is reached here/);
  });
});

describe("a module with `export =`", () => {
  const main = (body: string): string =>
    `import { grad } from "tsgrad";\nimport k = require("./k.cjs");\nfunction f(x: number): number { return ${body}; }\nexport const value = [grad(f)(3), k];\n`;
  const ends = "\nexport = k;\n";
  const told = (files: Record<string, string>, more: ts.CompilerOptions = {}): string[] => {
    const box = sandbox(files);
    const paths = Object.fromEntries(Object.entries(runtime).map(([name, file]) => [name, [file]]));
    const options: ts.CompilerOptions = {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Node20,
      types: [],
      paths,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      ...more,
    };
    const { program } = overlay(
      ts,
      analyse,
      ts.createProgram([box.at("src/main.cts")], options),
      undefined,
    );
    return program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(box.dir))
      .flatMap((file) => program.getSemanticDiagnostics(file))
      .map(
        ({ code, messageText }) =>
          `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n").split("\n", 1)[0] ?? ""}`,
      );
  };

  test("gives what becomes a part of its caller", () => {
    expect(
      told({
        "src/k.cts": `function k(x: number): number { return x * x; }${ends}`,
        "src/main.cts": main("k(x) + x"),
      }),
    ).toEqual([]);
  });

  test("exports nothing beside it, of the static engine", () => {
    const text =
      "function k(x: number, n: number): number { return n <= 0 ? 1 : k(x, n - 1) * x; }";
    expect(told({ "src/k.cts": `${text}${ends}`, "src/main.cts": main("k(x, 3) + x") })).toEqual([
      "TSG1015: cannot differentiate `k`: its derivative cannot be imported from `k.cts`, which exports one thing alone, by `export =`",
    ]);
    expect(
      told({
        "src/k.cts": `${text}${ends}`,
        "src/main.cts": main("x").replace("grad(f)(3)", "grad(k)(3, 2)"),
      }),
    ).toEqual([
      "TSG1015: cannot differentiate `k`: its derivative cannot be imported from `k.cts`, which exports one thing alone, by `export =`",
    ]);
  });

  test("nor of the Delta engine", () => {
    const text = "function k(x: number): number { try { return x * x; } finally { void 0; } }";
    expect(told({ "src/k.cts": `${text}${ends}`, "src/main.cts": main("k(x) + x") })).toEqual([
      expect.stringMatching(
        /^TSG1301: .*code of `k\.cts`, which exports one thing alone, by `export =`$/,
      ),
    ]);
  });

  test("imports the engine's run time as such files do", () => {
    const text = `import tsgrad = require("tsgrad");\nfunction f(x: number): number { try { return x * x; } finally { void 0; } }\nexport = tsgrad.grad(f);\n`;
    expect(told({ "src/main.cts": text }, { verbatimModuleSyntax: true })).toEqual([]);
  });
});
