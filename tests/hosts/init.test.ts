// `tsgrad init` without an installation: texts of configs, and what is found in a project. The
// edited configs are read again by the compiler.

import { existsSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { withInsertion } from "../../transformer/hosts/init/config-text.ts";
import { buildSteps } from "../../transformer/hosts/doctor/set-up.ts";
import { hostsOf } from "../../transformer/hosts/init/hosts.ts";
import { patchFor, planFor } from "../../transformer/hosts/init/plan.ts";
import { ProjectFiles } from "../../transformer/hosts/init/project-files.ts";
import { command } from "./command.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const VITE = {
  from: "tsgrad/vite",
  property: "plugins",
  value: "tsgrad()",
  kind: "element",
} as const;

describe("a plugin is added to", () => {
  test.each<[string, string, string | null]>([
    [
      "a config of defineConfig",
      `import { defineConfig } from 'vite'\nimport vue from '@vitejs/plugin-vue'\n\n// https://vite.dev/config/\nexport default defineConfig({\n  plugins: [vue()],\n})\n`,
      `import { defineConfig } from 'vite'\nimport vue from '@vitejs/plugin-vue'\nimport tsgrad from 'tsgrad/vite'\n\n// https://vite.dev/config/\nexport default defineConfig({\n  plugins: [tsgrad(), vue()],\n})\n`,
    ],
    [
      "elements on lines of their own",
      `export default {\n  plugins: [\n    a(),\n    b(), // kept\n  ],\n};\n`,
      `import tsgrad from "tsgrad/vite";\n\nexport default {\n  plugins: [\n    tsgrad(),\n    a(),\n    b(), // kept\n  ],\n};\n`,
    ],
    [
      "a function of the mode",
      `export default defineConfig(({ mode }) => {\n  const x = 1;\n  return { base: mode };\n});\n`,
      `import tsgrad from "tsgrad/vite";\n\nexport default defineConfig(({ mode }) => {\n  const x = 1;\n  return { plugins: [tsgrad()], base: mode };\n});\n`,
    ],
    [
      "CommonJS",
      `const path = require("path");\n\nmodule.exports = {\n  entry: "./a.ts",\n};\n`,
      `const path = require("path");\nconst tsgrad = require("tsgrad/vite");\n\nmodule.exports = {\n  plugins: [tsgrad()],\n  entry: "./a.ts",\n};\n`,
    ],
    [
      "a variable with a type",
      `const config = { plugins: [] } satisfies Config;\nexport default config;\n`,
      `import tsgrad from "tsgrad/vite";\n\nconst config = { plugins: [tsgrad()] } satisfies Config;\nexport default config;\n`,
    ],
    [
      "several configs",
      `export default [{ input: "a" }, { input: "b", plugins: [x] }];\n`,
      `import tsgrad from "tsgrad/vite";\n\nexport default [{ plugins: [tsgrad()], input: "a" }, { input: "b", plugins: [tsgrad(), x] }];\n`,
    ],
    ["no list", `export default { plugins: pluginsOf("x") };\n`, null],
    ["no object", `export default await load();\n`, null],
  ])("%s", (_, before, after) => {
    const made = withInsertion(ts, "vite.config.ts", before, [VITE]);
    expect(made).toBe(after);
    if (made === null) return;
    const { diagnostics = [] } = ts.transpileModule(made, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
  });

  test("calls of esbuild", () => {
    const text = `import { build, context } from "esbuild";\nawait build({ entryPoints: ["a.ts"] });\nconst c = await context({ plugins: [x()] });\n`;
    const insertion = { ...VITE, from: "tsgrad/esbuild", calls: ["build", "context"] };
    const made = withInsertion(ts, "build.mjs", text, [insertion]);
    expect(made).toContain(`build({ plugins: [tsgrad()], entryPoints: ["a.ts"] })`);
    expect(made).toContain("context({ plugins: [tsgrad(), x()] })");
  });
});

const projectOf = (files: Record<string, string>): ProjectFiles =>
  new ProjectFiles(sandbox(files, { stubs: false }).dir);

const manifest = (value: object): Record<string, string> => ({
  "package.json": JSON.stringify(value, null, 2),
});

describe("hosts are found", () => {
  test.each<[string[], Record<string, string>]>([
    [["tsc"], manifest({})],
    [["vite"], { ...manifest({ devDependencies: { vite: "8" } }) }],
    [
      ["vite"],
      { ...manifest({ devDependencies: { vite: "8", vitest: "4" } }), "vite.config.ts": "" },
    ],
    [["tsc", "vitest"], manifest({ devDependencies: { vitest: "4" } })],
    [["webpack", "jest"], { ...manifest({ jest: {} }), "webpack.config.cjs": "" }],
    [["esbuild"], { ...manifest({}), "build.mjs": `import { build } from "esbuild";` }],
    [["next"], manifest({ dependencies: { next: "16" } })],
    [["rollup"], { ...manifest({}), "rollup.config.mjs": "" }],
    [["bun"], { ...manifest({}), "bunfig.toml": "" }],
    [["bun"], { ...manifest({}), "bun.lock": "" }],
    [["bun"], { ...manifest({}), "build.ts": `await Bun.build({ entrypoints: ["src/a.ts"] });` }],
    [["vite"], { ...manifest({ devDependencies: { vite: "8" } }), "bun.lock": "" }],
    [["tsc"], { ...manifest({ scripts: { build: "tsc -p ." } }), "bun.lock": "" }],
    [["bun"], { ...manifest({ scripts: { check: "tsc --noEmit" } }), "bun.lock": "" }],
    [["node"], manifest({ scripts: { start: "node --import tsgrad/register src/main.ts" } })],
    [["node"], manifest({ scripts: { start: "node src/main.ts", check: "tsc --noEmit" } })],
    [["node"], manifest({ scripts: { start: "tsx src/main.ts" } })],
    [["tsc"], manifest({ scripts: { start: "node dist/main.js" } })],
  ])("%j", (hosts, files) => {
    expect(hostsOf(projectOf(files))).toEqual(hosts);
  });

  test.each([
    ["5.9.3", "24.1.0", 3],
    ["6.0.3", "24.1.0", 4],
    ["6.0.3", "22.14.0", 3],
    ["7.0.2", "24.1.0", null],
  ])("TypeScript %s on Node %s takes ts-patch@%s", (version, node, patch) => {
    const project = projectOf({
      ...manifest({ devDependencies: { typescript: version } }),
      "node_modules/typescript/package.json": JSON.stringify({ version }),
    });
    expect(patchFor(project, node)).toBe(patch);
  });
});

describe("a plan", () => {
  const changesOf = (files: Record<string, string>): Record<string, string> => {
    const project = projectOf(files);
    const { changes } = planFor(ts, project, hostsOf(project), false);
    return Object.fromEntries(changes.map(({ file, after }) => [file, after]));
  };

  test("mends what `tsc --init` and `npm init` leave, with its comments", () => {
    const made = changesOf({
      ...manifest({ name: "x", type: "commonjs" }),
      "tsconfig.json": `{\n  // Visit https://aka.ms/tsconfig\n  "compilerOptions": {\n    // "rootDir": "./src",\n    "module": "nodenext",\n    "noUncheckedIndexedAccess": true,\n    "verbatimModuleSyntax": true,\n  }\n}\n`,
    });
    const { config, error } = ts.parseConfigFileTextToJson(
      "tsconfig.json",
      made["tsconfig.json"] ?? "",
    );
    expect(error).toBeUndefined();
    expect(config).toMatchObject({
      compilerOptions: {
        rootDir: "src",
        outDir: "dist",
        rewriteRelativeImportExtensions: true,
        noUncheckedIndexedAccess: false,
      },
      include: ["src"],
    });
    expect(made["tsconfig.json"]).toContain(`// "rootDir": "./src",`);
    expect(JSON.parse(made["package.json"] ?? "")).toEqual({
      name: "x",
      type: "module",
      scripts: { build: "tsgrad build -p ." },
    });
  });

  test("leaves CommonJS alone where there is code of it, and options that somebody chose", () => {
    const made = changesOf({
      ...manifest({ type: "commonjs", scripts: { build: "tsc -p . && echo done" } }),
      "lib/old.js": "module.exports = 1;",
      "tsconfig.json": `{ "compilerOptions": { "noUncheckedIndexedAccess": true } }`,
    });
    expect(made["tsconfig.json"]).toBeUndefined();
    expect(JSON.parse(made["package.json"] ?? "")).toEqual({
      type: "commonjs",
      scripts: { build: "tsgrad build -p . && echo done" },
    });
  });

  test.each([
    ["tsc", {}, "rewriteRelativeImportExtensions"],
    ["vite", { devDependencies: { vite: "8" } }, "allowImportingTsExtensions"],
  ])("a new tsconfig.json for %s takes `./model.ts`", (_host, more, option) => {
    const project = projectOf(manifest(more));
    const { changes } = planFor(ts, project, hostsOf(project), true);
    const text = changes.find(({ file }) => file === "tsconfig.json")?.after ?? "";
    expect(JSON.parse(text)).toMatchObject({ compilerOptions: { [option]: true } });
  });

  test.each([
    [{}, "src/main.ts"],
    [{ "src/index.ts": "" }, "src/index.ts"],
    [{ "app.tsx": "" }, "app.tsx"],
  ])("esbuild without a build gets one: %j", (files, entry) => {
    const made = changesOf({ ...manifest({ devDependencies: { esbuild: "1" } }), ...files });
    expect(made["build.mjs"]).toContain(`entryPoints: ["${entry}"]`);
    expect(made["build.mjs"]).toContain("plugins: [tsgrad()]");
    expect(JSON.parse(made["package.json"] ?? "").scripts).toEqual({ build: "node build.mjs" });
  });

  test("esbuild on a command line is left as it is, and nothing is promised", () => {
    const scripts = { build: "esbuild src/main.ts --bundle --outfile=dist/main.js" };
    const project = projectOf(manifest({ scripts, devDependencies: { esbuild: "1" } }));
    const { changes, notes } = planFor(ts, project, hostsOf(project), false);
    expect(changes).toEqual([]);
    expect(notes.join()).toContain(`"build": "node build.mjs"`);
    expect(notes.join()).toContain("once the lines above are there");
  });

  test("for Bun that builds, and for Bun that runs", () => {
    const script = `await Bun.build({ entrypoints: ["src/a.ts"], outdir: "dist" });\n`;
    expect(changesOf({ ...manifest({}), "build.ts": script })["build.ts"]).toBe(
      `import tsgrad from "tsgrad/bun";\n\n${script.replace("{", "{ plugins: [tsgrad()],")}`,
    );
    expect(changesOf({ ...manifest({}), "bun.lock": "" })).toMatchObject({
      "bunfig.toml": expect.stringContaining(`preload = ["./preload.ts"]`),
      "preload.ts": expect.stringContaining("Bun.plugin(tsgrad())"),
    });
  });

  test.each([
    [
      "16.4.6",
      "next build",
      `turbopack: { rules: { "*.{ts,tsx}": { loaders: ["tsgrad/loader"] } } }`,
    ],
    ["^16.0.0", "next build --webpack", "config.plugins.push(tsgrad())"],
    ["^15.1.0", "next build", "config.plugins.push(tsgrad())"],
    ["9", "next build", "config.plugins.push(tsgrad())"],
    ["latest", "next build", "tsgrad/loader"],
  ])("for Next %s by `%s`", (next, build, text) => {
    const files = {
      ...manifest({ dependencies: { next }, scripts: { build } }),
      "next.config.mjs": "export default {};\n",
    };
    const made = changesOf(files)["next.config.mjs"] ?? "";
    expect(made).toContain(text);
    const { diagnostics = [] } = ts.transpileModule(made, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    // what the plan makes, the doctor finds
    expect(buildSteps(projectOf(files))).toEqual([{ host: "next", isReady: false }]);
    expect(buildSteps(projectOf({ ...files, "next.config.mjs": made }))).toEqual([
      { host: "next", isReady: true },
    ]);
  });

  test.each<[string, Record<string, string>, boolean]>([
    [
      "bun",
      {
        ...manifest({}),
        "bunfig.toml": `preload = ["./a.ts", './b.ts']\n`,
        "b.ts": `import t from "tsgrad/bun";`,
      },
      true,
    ],
    [
      "bun",
      {
        ...manifest({}),
        "bunfig.toml": `[test]\npreload = "./b.ts"\n`,
        "b.ts": `import t from "tsgrad/bun";`,
      },
      true,
    ],
    ["bun", { ...manifest({}), "bunfig.toml": `preload = ["./a.ts"]\n`, "a.ts": "" }, false],
    ["bun", { ...manifest({}), "bun.lock": "" }, false],
    [
      "bun",
      {
        ...manifest({}),
        "build.ts": `import t from "tsgrad/bun";\nawait Bun.build({ plugins: [t()] });`,
      },
      true,
    ],
    ["node", manifest({ scripts: { start: "node --import tsgrad/register src/main.ts" } }), true],
    ["node", manifest({ scripts: { start: "node src/main.ts" } }), false],
  ])("whether %s is set up: %j", (host, files, isReady) => {
    expect(buildSteps(projectOf(files))).toEqual([{ host, isReady }]);
  });

  test("for Node, what to run", () => {
    const project = projectOf(manifest({ scripts: { start: "tsx src/main.ts" } }));
    const { notes } = planFor(ts, project, hostsOf(project), false);
    expect(notes[0]).toContain("node --import tsgrad/register");
  });

  test("is empty where everything is set up", () => {
    expect(
      changesOf({
        ...manifest({ type: "module", devDependencies: { vite: "8" } }),
        "vite.config.js": `import tsgrad from "tsgrad/vite";\nexport default { plugins: [tsgrad()] };\n`,
      }),
    ).toEqual({});
  });
});

describe("the command", () => {
  const dir = (files: Record<string, string>): Sandbox => sandbox(files, { stubs: true });

  test("asks nobody who is not there, and changes nothing then", async () => {
    const box = dir(manifest({ name: "x" }));
    const { code, out } = await command("init", box.dir, "--host", "tsc");
    expect([code, existsSync(box.at("tsconfig.json"))]).toEqual([1, false]);
    expect(out).toContain("Add --yes");
    expect(out).toContain(`+    "rootDir": "src",`);
  });

  test.each([
    [["init", "--hots", "x"], "unknown flag '--hots' of init; did you mean '--host'?"],
    [["init", ".", "--host", "vit"], "there is no host 'vit'; did you mean 'vite'?"],
    [["init", "/nowhere"], "there is no package.json in /nowhere"],
    [["doctor", "/nowhere"], "there is no '/nowhere'"],
    [["docter"], "unknown command 'docter'; did you mean 'doctor'?"],
  ])("%j is refused", async (words, message) => {
    const { code, out } = await command(...words);
    expect(out).toContain(message);
    expect(code).toBe(1);
  });

  test.each(["init", "doctor", "build", "emit", "explain", "lsp"])("%s --help", async (name) => {
    const { code, out } = await command(name, "--help");
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^tsgrad ${name}[^]*Flags[^]*Exit codes:[^]*Examples:`));
  });
});
