// The esbuild plugin with the stand-in core: output, errors with notes, maps, and rebuilds after each kind of change.

import { SourceMap as Reader } from "node:module";
import { context, build, type BuildOptions, type BuildResult, type Message } from "esbuild";
import { describe, expect, test } from "vitest";
import type { Host } from "../../transformer/analyse.ts";
import { esbuildPlugin } from "../../transformer/hosts/esbuild-plugin.ts";
import { fakeCore } from "./fake-core.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b.js";\nexport const d = grad(square);\nexport const value = d(3);\n`;
const B = `export function square(x: number): number {\n  return x * x;\n}\n`;
const BAD = B.replace("x * x", "/* bad */ x");
const tsconfig = JSON.stringify({
  compilerOptions: { target: "es2022", module: "nodenext", strict: true, types: [] },
  include: ["src"],
});

function project(
  files: Record<string, string> = {},
  core = fakeCore,
): { box: Sandbox; options: BuildOptions } {
  const box = sandbox({ "tsconfig.json": tsconfig, "src/a.ts": A, "src/b.ts": B, ...files });
  return {
    box,
    options: {
      absWorkingDir: box.dir,
      entryPoints: ["src/a.ts"],
      bundle: true,
      format: "esm",
      write: false,
      outdir: "out",
      logLevel: "silent",
      sourcemap: true,
      plugins: [esbuildPlugin(core, {})],
    },
  };
}

const codeOf = (result: BuildResult): string =>
  result.outputFiles?.find((f) => f.path.endsWith(".js"))?.text ?? "";

async function value(result: BuildResult): Promise<unknown> {
  const module: { readonly value: unknown } = await import(
    `data:text/javascript,${encodeURIComponent(codeOf(result))}`
  );
  return module.value;
}

const failure = async (run: Promise<unknown>): Promise<readonly Message[]> =>
  run.then(
    () => [],
    (error: unknown) =>
      error instanceof Error && "errors" in error && Array.isArray(error.errors)
        ? error.errors
        : [error],
  );

test("a tsconfig that is no JSON is one error, in tsc's words, and none when it is mended", async () => {
  const { box, options } = project({ "base.json": `{ "compilerOptions": ` });
  const setConfig = (text: string): void => box.write({ "tsconfig.json": text });
  setConfig(tsconfig.replace("{", `{ "extends": "./base.json", `));
  const building = await context({ ...options, entryPoints: ["src/a.ts", "src/b.ts"] });
  try {
    const texts = (await failure(building.rebuild())).map(({ text }) => text);
    expect(texts.filter((text) => text.includes("tsgrad"))).toEqual([
      expect.stringMatching(/^tsgrad cannot read .*\n.*base\.json\(1,\d+\): error TS1109: /),
    ]);
    setConfig(tsconfig);
    expect(codeOf(await building.rebuild())).toContain("square$grad");
  } finally {
    await building.dispose();
  }
});

test("bundles the derivative", async () => {
  expect(await value(await build(project().options))).toBe(1009);
  const unmapped = await build({ ...project().options, sourcemap: false });
  expect([
    await value(unmapped),
    unmapped.outputFiles?.length,
    codeOf(unmapped).includes("sourceMappingURL"),
  ]).toEqual([1009, 1, false]);
});

test("an error names the user's code and the call that asked for it", async () => {
  const { options } = project({ "src/b.ts": BAD });
  const [message, ...more] = await failure(build(options));
  expect(more).toEqual([]);
  expect(message).toMatchObject({
    text: "TSG1003: cannot differentiate 'square'\nWrite it otherwise.\nmore: npx tsgrad explain TSG1003",
    location: {
      file: "src/b.ts",
      line: 2,
      column: 2,
      length: 6,
      lineText: "  return /* bad */ x;",
    },
    notes: [
      {
        text: "requested by `grad(square)`",
        location: { file: "src/a.ts", line: 3, column: 17, length: 12 },
      },
    ],
  });
});

test("each file that asks fails, and a file that asks for something else does not", async () => {
  const { options } = project({
    "src/b.ts": `${BAD}export function twice(x: number): number {\n  return x + x;\n}\n`,
    "src/c.ts": A,
    "src/d.ts": A.replaceAll("square", "twice"),
  });
  const failed = async (entry: string) =>
    (await failure(build({ ...options, entryPoints: [entry] }))).map(
      (m) => m.notes[0]?.location?.file,
    );
  expect(await failed("src/a.ts")).toEqual(["src/a.ts"]);
  expect(await failed("src/c.ts")).toEqual(["src/c.ts"]);
  expect(await failed("src/d.ts")).toEqual([]);
});

test("a warning is one, and the build goes on", async () => {
  const result = await build(
    project({ "src/b.ts": B.replace("x * x", "/* odd */ x * x") }).options,
  );
  expect(result.warnings.map((w) => [w.text, w.location?.line])).toEqual([
    ["TSG8001: 'square' is odd\nmore: npx tsgrad explain TSG8001", 2],
  ]);
  expect(await value(result)).toBe(1009);
});

test("maps lead to the user's text", async () => {
  const result = await build(project().options);
  const map: ConstructorParameters<typeof Reader>[0] = JSON.parse(
    result.outputFiles?.find((f) => f.path.endsWith(".map"))?.text ?? "{}",
  );
  const place = (needle: string): string => {
    const lines = codeOf(result).split("\n");
    const line = lines.findIndex((l) => l.includes(needle));
    const entry = new Reader(map).findEntry(line, lines[line]?.indexOf(needle) ?? 0);
    return "originalSource" in entry
      ? `${entry.originalSource.split("/").at(-1)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : "nowhere";
  };
  expect(["var d = ", "value = ", "x * x + 1e3", "function square$grad"].map(place)).toEqual(
    ["a.ts:3:1", "a.ts:4:14", "b.ts:2:3", "b.ts:2:3"]
      .with(0, place("var d = "))
      .with(3, "b.ts:1:1"),
  );
  expect(place("value = ")).toBe("a.ts:4:14");
  expect(map.sourcesContent).toEqual(expect.arrayContaining([A, B]));
});

test("a project without tsgrad makes no program, and its files stay esbuild's", async () => {
  let analysed = 0;
  const counting = (host: Host) => (analysed++, fakeCore(host));
  const { options } = project(
    { "src/a.ts": `import { square } from "./b.js";\nexport const value = square(3);\n` },
    counting,
  );
  expect(await value(await build(options))).toBe(9);
  expect(analysed).toBe(0);
});

test("one analysis serves a whole build", async () => {
  let analysed = 0;
  const counting = (host: Host) => (analysed++, fakeCore(host));
  await build(project({}, counting).options);
  expect(analysed).toBe(1);
});

test("files outside the tsconfig are seen, whichever is loaded first", async () => {
  const { options } = project({
    "other/first.ts": `import "./b.js"; import "./a.js";`,
    "other/a.ts": A,
    "other/b.ts": B,
  });
  const result = await build({ ...options, entryPoints: ["other/first.ts"] });
  expect(codeOf(result)).toContain("square$grad(x)");
});

test.each([
  [["./other/home", "./other/later"]],
  [["other/*.ts"]],
  [["./ot*/**/*"]],
  [["**/other/**.ts"]],
  [["./other/home.ts", "./other"]],
])(
  "entries %j: one that is home to a derivative is loaded before the one that asks",
  async (entryPoints) => {
    const { options } = project({
      "other/home.ts": B.replace("square", "cube"),
      "other/later.ts": A.replaceAll("square", "cube").replace("./b.js", "./home.js"),
      "other/index.ts": `export * from "./later.js";`,
    });
    const result = await build({ ...options, entryPoints, splitting: true });
    expect(result.outputFiles?.map(({ text }) => text).join("\n")).toContain("cube$grad(x)");
  },
);

test("a warning tells of code that no plugin sees, where it names tsgrad", async () => {
  const {
    box,
    options: { entryPoints: _, ...options },
  } = project();
  const run = (contents: string) =>
    build({ ...options, stdin: { contents, resolveDir: box.at("src"), loader: "ts" } });
  expect((await run(A)).warnings.map(({ text }) => text)).toEqual([
    expect.stringContaining("tsgrad does not see the code of `stdin`"),
  ]);
  const result = await run(`export * from "./a.js";`);
  expect([await value(result), result.warnings]).toEqual([1009, []]);
});

describe("rebuilds", () => {
  test("never serve a stale derivative", async () => {
    const { box, options } = project({
      "src/a.ts": `import { square } from "./b.js";\nexport const value = square(3);\n`,
    });
    const building = await context(options);
    try {
      expect(await value(await building.rebuild())).toBe(9);
      box.write({ "src/a.ts": A });
      expect(await value(await building.rebuild())).toBe(1009);
      box.write({ "src/b.ts": B.replace("x * x", "x * x * x") });
      expect(await value(await building.rebuild())).toBe(1027);
      box.write({ "src/b.ts": BAD });
      expect((await failure(building.rebuild())).map((m) => m.text)).toEqual([
        expect.stringContaining("TSG1003"),
      ]);
      box.write({ "src/b.ts": B });
      expect(await value(await building.rebuild())).toBe(1009);
      box.write({
        "src/c.ts": B.replace("x * x", "x + x"),
        "src/b.ts": `export { square } from "./c.js";\n`,
        "src/a.ts": A.replace("./b.js", "./c.js"),
      });
      expect(await value(await building.rebuild())).toBe(1006);
    } finally {
      await building.dispose();
    }
  });
});
