// `tsgrad doctor` without an installation: what it says of call sites, of scripts, and of JavaScript
// that compilers have written.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { command } from "./command.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const dir = (files: Record<string, string>): Sandbox => sandbox(files, { stubs: true });
const manifest = (json: object): Record<string, string> => ({
  "package.json": JSON.stringify(json),
});

const CALLS = {
  "src/a.ts": `import { grad } from "tsgrad";\nconst square = (x: number): number => x * x;\nexport const d = grad(square);\n`,
  "other/b.ts": `import { grad } from "tsgrad";\nexport const e = grad((x: number) => x);\n`,
  "tsconfig.json": `{ "compilerOptions": { "target": "es2022", "module": "nodenext", "strict": true, "types": [] }, "include": ["src"] }`,
};

test("the doctor finds fault with a project that is not set up, and with what is left out", async () => {
  const box = dir({ ...CALLS, ...manifest({ type: "module", scripts: { build: "tsc -p ." } }) });
  const { code, out } = await command("doctor", box.dir);
  expect(code).toBe(1);
  expect(out).toContain("tsc is NOT set up");
  expect(out).toMatch(/BAD src\/a\.ts:3 {2}grad\(square\) {2}static engine\n +no build step/);
  expect(out).toMatch(/BAD other\/b\.ts .*not checked\n +it is not in `include`/);
  expect(out).toContain("npx tsgrad build -p .");
});

test("the doctor is content with one that is", async () => {
  const { "other/b.ts": _, ...inside } = CALLS;
  const box = dir({
    ...inside,
    ...manifest({ type: "module", scripts: { build: "tsgrad build -p ." } }),
  });
  const { code, out } = await command("doctor", "-p", box.dir);
  expect(out).toContain("ok  src/a.ts:3  grad(square)  static engine, by tsc");
  expect(out).toContain("All is well.");
  expect(code).toBe(0);
});

test("as JSON", async () => {
  const box = dir({ ...CALLS, ...manifest({ type: "module" }) });
  const { out } = await command("doctor", box.dir, "--json");
  expect(JSON.parse(out)).toMatchObject({
    isFine: false,
    steps: [{ host: "tsc", isReady: false }],
    sites: [{ file: "src/a.ts", line: 3, engine: "static" }, { file: "other/b.ts" }],
  });
});

/** Ways to write a call, none of which the output of plain `tsc` may hide. */
const STYLES: Readonly<Record<string, string>> = {
  named: `import { grad } from "tsgrad";\nconst f = (x: number): number => x * x;\nexport const d = grad(f);\n`,
  alias: `import { grad as g } from "tsgrad";\nexport const d = g((x: number): number => x * x);\n`,
  namespace: `import * as t from "tsgrad";\nconst f = (x: number): number => x * x;\nexport const d = t.grad(f);\n`,
  "two, one by Delta": `import { grad } from "tsgrad";\nconst f = (x: number): number => x * x;\nfunction h(x: number): number { try { return x * x; } finally { f(x); } }\nexport const d = [grad(f), grad(h)(2)];\n`,
};
const MODULES = { nodenext: "module", commonjs: "commonjs" } as const;
const PLACES = { "a folder": { outDir: "lib" }, "beside the source": {} };

const VARIANTS = Object.keys(STYLES).flatMap((style) =>
  Object.entries(MODULES).flatMap(([module, type]) =>
    Object.entries(PLACES).map(([place, options]) => ({ style, module, type, place, options })),
  ),
);

describe("what plain tsc has written", () => {
  test.each(VARIANTS)("$style, $module, $place", async ({ style, module, type, options }) => {
    const box = dir({
      "src/a.ts": STYLES[style] ?? "",
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          ...{ target: "es2022", module, rootDir: "src", strict: true, types: [] },
          ...(module === "commonjs"
            ? { moduleResolution: "node10", ignoreDeprecations: "6.0" }
            : {}),
          ...options,
        },
        include: ["src"],
      }),
      ...manifest({ type, scripts: { build: "tsgrad build" } }),
    });
    const output = "outDir" in options ? "lib/a.js" : "src/a.js";
    const written = {
      module: module === "commonjs" ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext,
    };
    const { outputText } = ts.transpileModule(box.read("src/a.ts"), { compilerOptions: written });
    box.write({ [output]: outputText });
    const plain = await command("doctor", box.dir);
    expect(plain.out).toContain(`error: ${output} has calls without derivatives`);
    expect(plain.out).toContain("run `npx tsgrad build -p .`");
    expect(plain.out).not.toMatch(/BAD/);
    expect(plain.code).toBe(1);

    // the stubs have no types for the Delta engine, so there may be errors; files are written
    await command("build", "-p", box.at("tsconfig.json"));
    expect(await command("doctor", box.dir)).toMatchObject({
      out: expect.stringContaining("All is well."),
      code: 0,
    });
  });
});

describe("scripts that run plain tsc", () => {
  const of = async (
    scripts: Record<string, string>,
    compilerOptions: object = {},
  ): Promise<string> => {
    const options = { target: "es2022", module: "nodenext", strict: true, types: [] };
    const { out } = await command(
      "doctor",
      dir({
        "src/a.ts": STYLES["named"] ?? "",
        "tools/b.ts": "export const b = 1;\n",
        "tsconfig.json": JSON.stringify({
          compilerOptions: { ...options, ...compilerOptions },
          include: ["src"],
        }),
        "tools.json": JSON.stringify({ compilerOptions: options, include: ["tools"] }),
        "all.json": `{ "files": [], "references": [{ "path": "./tsconfig.json" }] }`,
        ...manifest({ type: "module", scripts: { ...scripts, real: "tsgrad build" } }),
      }).dir,
    );
    return out;
  };

  test.each(["tsc", "tsc -w", "npx tsc -p .", "rm -rf lib && tsc --outDir lib", "tsc -b all.json"])(
    "%s",
    async (line) => {
      const out = await of({ watch: line });
      expect(out).toContain("warning: the script `watch` runs plain `tsc`");
      expect(out).toContain("No problem was found, 1 warning.");
    },
  );

  test.each(["tsc --noEmit", "tsc --emitDeclarationOnly -d", "tsc -p tools.json", "vue-tsc"])(
    "not %s",
    async (line) => {
      expect(await of({ watch: line })).toContain("All is well.");
    },
  );

  test("not where the config says so, or ts-patch has patched tsc", async () => {
    expect(await of({ check: "tsc" }, { noEmit: true })).toContain("All is well.");
    expect(await of({ prepare: "ts-patch install", build: "tsc" })).not.toContain(
      "runs plain `tsc`",
    );
  });
});

test("what is not read is neither well nor a problem", async () => {
  const box = dir({
    ...CALLS,
    "App.vue": `<script setup lang="ts">\nimport { grad } from "tsgrad";\n</script>\n`,
    "vite.config.js": `import tsgrad from "tsgrad/vite";\nexport default { plugins: [tsgrad()] };\n`,
    ...manifest({ type: "module", devDependencies: { vite: "8" } }),
  });
  const { code, out } = await command("doctor", box.dir);
  expect(out).toContain("ok  src/a.ts:3  grad(square)");
  expect(out).toMatch(/\? {3}App\.vue .*not checked\n/);
  expect(out).toMatch(/\? {3}other\/b\.ts .*not checked, by vite\n/);
  expect(out).toContain("No problem was found, 2 files not checked.");
  expect(code).toBe(0);
  const { out: json } = await command("doctor", box.dir, "--json");
  expect(JSON.parse(json)).toMatchObject({
    isFine: true,
    sites: [{ state: "ok" }, { state: "unchecked" }, { state: "unchecked" }],
  });
});

test("a solution tsconfig means the projects that it refers to", async () => {
  const box = dir({
    "src/a.ts": CALLS["src/a.ts"],
    "tsconfig.json": `{ "files": [], "references": [{ "path": "./app.json" }] }`,
    "app.json": CALLS["tsconfig.json"],
    ...manifest({ type: "module", scripts: { build: "tsgrad build -b" } }),
  });
  const { out } = await command("doctor", box.dir);
  expect(out).toContain("ok  src/a.ts:3  grad(square)  static engine, by tsc");
});

test("the warning of a call is told with the call", async () => {
  const of = async (comment: string): Promise<string> => {
    const box = dir({
      "src/a.ts": `import { grad } from "tsgrad";\n${comment}\nconst t = new Function("x", "return x") as (x: number) => number;\nfunction h(x: number): number { try { return t(x); } finally { h.name; } }\nexport const d = grad(h);\n`,
      "tsconfig.json": CALLS["tsconfig.json"],
      ...manifest({ type: "module", scripts: { build: "tsgrad build" } }),
    });
    return (await command("doctor", box.dir)).out;
  };
  const told = await of("");
  expect(told).toContain("the static engine does not take `h`: it contains `try`");
  expect(told).toMatch(/ok {2}src\/a\.ts:5 {2}grad\(h\)[^]*TSG8007/);
  expect(await of("// tsgrad-ignore TSG8007")).not.toContain("TSG8007");
});

test("many files of plain tsc are one problem", async () => {
  const names = ["a", "b", "c"];
  const box = dir({
    ...Object.fromEntries(names.map((name) => [`src/${name}.ts`, CALLS["src/a.ts"]])),
    ...Object.fromEntries(names.map((name) => [`src/${name}.js`, CALLS["src/a.ts"]])),
    "tsconfig.json": CALLS["tsconfig.json"],
    ...manifest({ type: "module", scripts: { build: "tsgrad build" } }),
  });
  const { out } = await command("doctor", box.dir);
  expect(out).toContain("error: src/a.js and 2 more files have calls without derivatives");
  expect(out).toContain("\n1 problem.");
});
