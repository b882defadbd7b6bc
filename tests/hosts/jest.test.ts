// The Jest transformer with the stand-in core, called as Jest calls it: what it hands on, its keys, maps and errors.

import path from "node:path";
import { TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
import typescript from "typescript";
import { expect, test } from "vitest";
import {
  jestTransformer,
  type Inner,
  type JestOptions,
  type Transformed,
  type Transformer,
  transformerNamed,
} from "../../transformer/hosts/jest-transformer.ts";
import jest from "../../transformer/hosts/jest.ts";
import { analyse } from "../../transformer/analyse.ts";
import { fakeCore } from "./fake-core.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b";\nexport const d = grad(square);\nexport const value = d(3);\n`;
const B = `interface Gone {}\n\nexport function square(x: number): number {\n  return x * x;\n}\n`;
const tsconfig = JSON.stringify({
  compilerOptions: {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    types: [],
  },
  include: ["src"],
});
const project = (files: Record<string, string> = {}): Sandbox =>
  sandbox({ "tsconfig.json": tsconfig, "src/a.ts": A, "src/b.ts": B, ...files });

/** What compiles TypeScript, as ts-jest does (the map in the text) and as others do. */
const compile =
  (mapIn: "text" | "result") =>
  (text: string, fileName: string): Transformed => {
    const { outputText, sourceMapText } = typescript.transpileModule(text, {
      fileName,
      compilerOptions: {
        module: typescript.ModuleKind.CommonJS,
        target: typescript.ScriptTarget.ES2022,
        removeComments: true,
        ...(mapIn === "text" ? { inlineSourceMap: true } : { sourceMap: true }),
      },
    });
    return mapIn === "text"
      ? { code: outputText }
      : { code: outputText.replace(/\/\/# sourceMappingURL.*\s*$/, ""), map: sourceMapText };
  };

const setting = { own: "/tsgrad/dist" };
const optionsOf = (box: Sandbox, more: Partial<JestOptions> = {}): JestOptions => ({
  config: { rootDir: box.dir },
  configString: "{}",
  instrument: false,
  supportsStaticESM: false,
  transformerConfig: {},
  ...more,
});

const named = (made: Transformer, options: unknown = {}, name = "stripping"): Inner => ({
  name,
  options,
  made,
});

/** The modules of a project, run as Jest runs them. */
function loaded(
  box: Sandbox,
  made: { process(text: string, file: string, options: JestOptions): Transformed },
  name: string,
): Record<string, unknown> {
  const file = box.at(`src/${name}.ts`);
  const { code } = made.process(box.read(`src/${name}.ts`), file, optionsOf(box));
  const module = { exports: {} };
  const stub = { grad: (_f: unknown, derivative: unknown): unknown => derivative };
  new Function("exports", "require", code)(module.exports, (id: string): unknown =>
    id === "tsgrad" ? stub : loaded(box, made, path.basename(id, ".js")),
  );
  return module.exports;
}

test.each(["text", "result"] as const)(
  "the gradient runs, and a trace leads to the user's line: the map in the %s",
  (mapIn) => {
    const box = project();
    const made = jestTransformer(fakeCore, setting, named({ process: compile(mapIn) }));
    expect(loaded(box, made, "a")).toMatchObject({ value: 1009 });
    const { code, map } = made.process(B, box.at("src/b.ts"), optionsOf(box));
    expect(code).not.toContain("sourceMappingURL");
    const lines = code.split("\n");
    const line = lines.findIndex((text) => text.includes("+ 1000"));
    const at = originalPositionFor(new TraceMap(map as ConstructorParameters<typeof TraceMap>[0]), {
      line: line + 1,
      column: lines[line]?.indexOf("x * x") ?? 0,
    });
    expect(at).toMatchObject({ line: 4 });
    expect(path.basename(at.source ?? "")).toBe("b.ts");
  },
);

test("a file that asks nothing and gives nothing goes on as it is, with its own map", () => {
  const box = project({ "src/c.ts": "export const c: number = 1;\n" });
  const inner = { process: compile("text") };
  const file = box.at("src/c.ts");
  const text = box.read("src/c.ts");
  expect(
    jestTransformer(fakeCore, setting, named(inner)).process(text, file, optionsOf(box)),
  ).toEqual(inner.process(text, file));
});

test("what the transformer is told is what it was given", async () => {
  const box = project();
  const told: unknown[] = [];
  const inner = {
    process: (text: string, _file: string, { transformerConfig }: JestOptions): Transformed => (
      told.push(transformerConfig),
      { code: text }
    ),
  };
  const made = jestTransformer(fakeCore, setting, named(inner, { isolated: true }));
  made.process(A, box.at("src/a.ts"), optionsOf(box));
  await made.processAsync(A, box.at("src/a.ts"), optionsOf(box));
  expect(told).toEqual([{ isolated: true }, { isolated: true }]);
});

test("the key of a file changes with what another one asks of it", () => {
  const box = project();
  const inner = { process: compile("text") };
  const key = (name: string): string =>
    jestTransformer(fakeCore, setting, named(inner)).getCacheKey(
      box.read(`src/${name}.ts`),
      box.at(`src/${name}.ts`),
      optionsOf(box),
    );
  const before = key("b");
  expect(key("b")).toBe(before);
  box.write({ "src/a.ts": A.replace("grad(square)", "square") });
  expect(key("b")).not.toBe(before);
});

test("the key of a file changes with the options of the transformer behind", () => {
  const box = project();
  const ways = [
    { process: compile("text") },
    { process: compile("text"), getCacheKey: () => "constant" },
  ];
  for (const inner of ways) {
    const keys = [{}, { isolated: true }, { isolated: false }, { target: "es2015" }].map(
      (options) =>
        jestTransformer(fakeCore, setting, named(inner, options)).getCacheKey(
          B,
          box.at("src/b.ts"),
          optionsOf(box),
        ),
    );
    expect(new Set(keys).size).toBe(keys.length);
  }
});

test("an error stops the file with its place and its request", () => {
  const box = project({ "src/b.ts": B.replace("x * x", "/* bad */ x") });
  const made = jestTransformer(fakeCore, setting, named({ process: compile("text") }));
  expect(() => made.process(A, box.at("src/a.ts"), optionsOf(box))).toThrow(
    /src\/b\.ts:4:3 - TSG1003: cannot differentiate 'square'\nWrite it otherwise\.\nmore: npx tsgrad explain TSG1003\n {2}requested by `grad\(square\)` \(.*src\/a\.ts:3:18\)/,
  );
});

test("ts-jest has to compile what it is given", () => {
  const isolated = tsconfig.replace(`"strict":true`, `"strict":true,"isolatedModules":true`);
  const made = (options: unknown, files = {}): (() => Transformed) => {
    const box = project(files);
    return () =>
      jestTransformer(
        fakeCore,
        setting,
        named({ process: compile("text") }, options, "ts-jest"),
      ).process(B, box.at("src/b.ts"), optionsOf(box));
  };
  expect(made({})).toThrow(`set "isolatedModules": true in the compilerOptions of tsconfig.json`);
  expect(made({ tsconfig: { strict: true } }, { "tsconfig.json": isolated })).toThrow(
    "compiles what is on disk",
  );
  for (const [options, files] of [
    [{ isolatedModules: true }, {}],
    [{ tsconfig: { isolatedModules: true } }, {}],
    [{}, { "tsconfig.json": isolated }],
    [{ tsconfig: "<rootDir>/other.json" }, { "other.json": isolated }],
  ] as const)
    expect(made(options, files)().code).toContain("+ 1000");
});

test("tsgrad's own modules are compiled where Jest has no ES modules", () => {
  const box = project();
  const made = jestTransformer(
    fakeCore,
    setting,
    named({
      process: () => {
        throw new Error("not asked");
      },
    }),
  );
  const of = (supportsStaticESM: boolean): string =>
    made.process(
      "export const a = 1;\n",
      "/tsgrad/dist/index.js",
      optionsOf(box, { supportsStaticESM }),
    ).code;
  expect(of(false)).toContain("exports.a = 1");
  expect(of(true)).toBe("export const a = 1;\n");
});

test("transformers of either kind of module are found, with their factories", async () => {
  const box = project({
    "node_modules/plain/index.js": "exports.process = (text) => ({ code: text + 1 });\n",
    "node_modules/plain/package.json": `{ "type": "commonjs" }`,
    "node_modules/made/index.js":
      "export default { createTransformer: (options) => ({ process: (text) => ({ code: text + options.of }) }) };\n",
    "node_modules/made/package.json": `{ "type": "module", "exports": "./index.js" }`,
  });
  const code = async (name: string, options?: unknown): Promise<string | undefined> =>
    (await transformerNamed(name, options, box.dir)).process?.("x", "x.ts", optionsOf(box)).code;
  expect(await code("plain")).toBe("x1");
  expect(await code("made", { of: 2 })).toBe("x2");
});

test("without the name of a transformer, the remedy is said", async () => {
  await expect(jest.createTransformer()).rejects.toThrow(
    `["tsgrad/jest", { transformer: "ts-jest" }]`,
  );
});

test.each([
  ["Jest transforms", [], true],
  ["Jest leaves as they are", ["/node_modules/"], false],
] as const)("modules of packages that %s", (_name, transformIgnorePatterns, isExtended) => {
  const main = `import { grad } from "tsgrad";\nimport { at } from "conf";\nexport const g = grad((x: number): number => at(x));\n`;
  const conf =
    "let k = 2;\nexports.at = function (x) { try { return x * k; } finally { void 0; } };\n";
  const box = sandbox({
    "tsconfig.json": `{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }`,
    "src/main.ts": main,
    "node_modules/conf/package.json": `{ "name": "conf", "main": "index.js", "types": "index.d.ts" }`,
    "node_modules/conf/index.d.ts": "export declare function at(x: number): number;",
    "node_modules/conf/index.js": conf,
  });
  const made = { process: (code: string): { code: string } => ({ code }) };
  const { process } = jestTransformer(
    analyse,
    { own: "/tsgrad" },
    { name: "strip", options: {}, made },
  );
  const given = {
    config: { rootDir: box.dir, transformIgnorePatterns },
    configString: "{}",
    instrument: false,
    supportsStaticESM: false,
    transformerConfig: {},
  };
  const answer = process(main, box.at("src/main.ts"), given);
  expect(answer.code.includes("$d.module(")).toBe(!isExtended);
  const { code } = process(conf, box.at("node_modules/conf/index.js"), given);
  expect(code.includes("$d.link(")).toBe(isExtended);
});
