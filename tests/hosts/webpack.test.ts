// The webpack plugin with the stand-in core: builds, watching, and what its caches must not do.

import { createRequire, SourceMap } from "node:module";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import webpack, { type Configuration, type Stats, type Watching } from "webpack";
import { webpackPlugin } from "../../transformer/hosts/webpack-plugin.ts";
import { fakeCore } from "./fake-core.ts";
import { repository, sandbox, type Sandbox } from "./sandbox.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b";\nexport const d = grad(square);\nexport const value = d(3);\n`;
const A_WITHOUT = `import { square } from "./b";\nexport const value = square(3);\n`;
const B = `export function square(x: number): number {\n  return x * x;\n}\n`;
const BAD = B.replace("x * x", "/* bad */ x");
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

/** What people use to strip types, in few lines. esbuild takes an earlier map from the text. */
const STRIP = `const { transformSync } = require(${JSON.stringify(path.join(repository, "node_modules/esbuild"))});
module.exports = function (text, before) {
  const known = before ? "\\n//# sourceMappingURL=data:application/json;base64," + Buffer.from(JSON.stringify(before)).toString("base64") : "";
  const { code, map } = transformSync(text + known, { loader: "ts", sourcemap: "external", sourcefile: this.resourcePath });
  this.callback(null, code, JSON.parse(map));
};
`;

const tool = sandbox({});
beforeAll(() => {
  buildSync({
    entryPoints: [path.join(repository, "transformer/hosts/webpack-loader.ts")],
    outfile: tool.at("webpack-loader.js"),
    format: "esm",
  });
});

const plugin = (core = fakeCore): ReturnType<typeof webpackPlugin> =>
  webpackPlugin(core, {}, tool.at("webpack-loader.js"));
const project = (files: Record<string, string> = {}): Sandbox =>
  sandbox({
    "tsconfig.json": tsconfig,
    "src/a.ts": A,
    "src/b.ts": B,
    "strip.cjs": STRIP,
    ...files,
  });
const config = (box: Sandbox, more: Configuration = {}): Configuration => ({
  context: box.dir,
  mode: "development",
  devtool: false,
  cache: false,
  entry: { main: "./src/a.ts" },
  target: "node",
  output: {
    path: box.at("out"),
    filename: "[name].cjs",
    chunkFilename: "[id].cjs",
    library: { type: "commonjs2" },
  },
  resolve: { extensions: [".ts", ".js"], extensionAlias: { ".js": [".ts", ".js"] } },
  module: { rules: [{ test: /\.ts$/, loader: box.at("strip.cjs") }] },
  plugins: [plugin()],
  ...more,
});

const run = (options: Configuration): Promise<Stats> =>
  new Promise((resolve, reject) => {
    const compiler = webpack(options);
    compiler.run((error, stats) =>
      compiler.close(() =>
        error !== null || stats === undefined
          ? reject(error ?? new Error("no stats"))
          : resolve(stats),
      ),
    );
  });
const require = createRequire(import.meta.url);
function valueOf(box: Sandbox, name = "main"): unknown {
  const file = box.at(`out/${name}.cjs`);
  delete require.cache[file];
  const loaded: { readonly value: unknown } = require(file);
  return loaded.value;
}
const messages = (stats: Stats, kind: "errors" | "warnings"): string[] =>
  stats.compilation[kind].map(({ message }) => message);

async function built(box: Sandbox, more: Configuration = {}): Promise<unknown> {
  const stats = await run(config(box, more));
  expect(messages(stats, "errors")).toEqual([]);
  return valueOf(box);
}

test("build", async () => {
  expect(await built(project())).toBe(1009);
});

test("a build fails on our error, at the user's place, and names the request", async () => {
  const [text = "", ...others] = messages(
    await run(config(project({ "src/b.ts": BAD }))),
    "errors",
  );
  expect(others).toEqual([]);
  expect(text).toContain(
    "src/b.ts:2:3 - TSG1003: cannot differentiate 'square'\nWrite it otherwise.",
  );
  expect(text).toMatch(/requested by `grad\(square\)` \(.*src\/a\.ts:3:18\)/);
  expect(text).not.toContain("at loader");
});

test("warnings do not fail it", async () => {
  const box = project({ "src/b.ts": B.replace("x * x", "/* odd */ x * x") });
  const stats = await run(config(box));
  expect(messages(stats, "errors")).toEqual([]);
  expect(messages(stats, "warnings").join()).toContain("TSG8001: 'square' is odd");
  expect(valueOf(box)).toBe(1009);
});

test("named twice, it works once", async () => {
  let asked = 0;
  const second: typeof fakeCore = (host, request) => {
    asked++;
    return fakeCore(host, request);
  };
  expect(await built(project(), { plugins: [plugin(), plugin(second)] })).toBe(1009);
  expect(asked).toBe(0);
});

test("what one entry asks of a module that another has loaded, and nothing of a module that is a file", async () => {
  // neither is in the tsconfig, nor named as an entry that can be read
  const box = project({
    "tsconfig.json": tsconfig.replace(`"src"`, `"none"`),
    "src/first.ts": A_WITHOUT,
    "src/late.ts": `export const value = import("./a").then(({ value }) => value);\nexport const raw = new URL("./b.ts", import.meta.url);\n`,
  });
  await built(box, {
    entry: () => ({ main: { import: ["./src/first.ts"] }, late: { import: ["./src/late.ts"] } }),
    optimization: { chunkIds: "named" },
  });
  expect(valueOf(box)).toBe(9);
  expect(await valueOf(box, "late")).toBe(1009);
});

test("workers are built with it", async () => {
  const box = project({
    "src/main.ts": `export const value = new Worker(new URL("./a.ts", import.meta.url));\n`,
  });
  const stats = await run(config(box, { entry: "./src/main.ts" }));
  expect(messages(stats, "errors")).toEqual([]);
  const worker = Object.keys(stats.compilation.assets)
    .map((name) => box.read(`out/${name}`))
    .filter((text) => text.includes("square$grad"));
  expect(worker).not.toEqual([]);
});

test("esbuild-loader, which hands on no map, finds it in the text", async () => {
  const box = project({
    "esbuild-loader/index.cjs": STRIP.replace("before ?", "false ?"),
    "src/b.ts": `interface Gone {}\n\n${B}`,
  });
  await built(box, {
    devtool: "source-map",
    module: { rules: [{ test: /\.ts$/, loader: box.at("esbuild-loader/index.cjs") }] },
  });
  const lines = box.read("out/main.cjs").split("\n");
  const line = lines.findIndex((text) => text.includes("x * x + 1e3"));
  const map = new SourceMap(JSON.parse(box.read("out/main.cjs.map")));
  expect(map.findEntry(line, lines[line]?.indexOf("x * x") ?? 0)).toMatchObject({
    originalSource: expect.stringContaining("src/b.ts"),
    originalLine: 3,
  });
});

test("maps lead to the user's text, also behind a loader that comes before", async () => {
  const box = project({
    "blank.cjs": `module.exports = function (text) { this.callback(null, "\\n\\n" + text, { version: 3, sources: [this.resourcePath], sourcesContent: [text], names: [], mappings: ";;" + text.split("\\n").map((_, i) => (i === 0 ? "AAAA" : "AACA")).join(";") }); };\n`,
  });
  const sourcesOf = async (
    more: Configuration,
  ): Promise<{
    readonly sources: readonly string[];
    readonly sourcesContent: readonly string[];
  }> => {
    await built(box, { devtool: "source-map", ...more });
    return JSON.parse(box.read("out/main.cjs.map"));
  };
  // of loaders of one kind the last runs first
  const lines = {
    apply: ({ options }: webpack.Compiler): void =>
      void options.module.rules.push({
        test: /\.ts$/,
        enforce: "pre",
        loader: box.at("blank.cjs"),
      }),
  };
  for (const more of [{}, { plugins: [plugin(), lines] }]) {
    const { sources, sourcesContent } = await sourcesOf(more);
    expect(box.read("out/main.cjs")).toContain("square$grad");
    expect(sourcesContent[sources.findIndex((name) => name.endsWith("src/b.ts"))]).toBe(B);
  }
});

test("webpack's cache on disk knows what other files ask", async () => {
  const box = project({ "src/a.ts": A_WITHOUT });
  const cache: Configuration = {
    cache: { type: "filesystem", cacheDirectory: box.at("cache"), name: "one" },
  };
  expect(await built(box, cache)).toBe(9);
  expect(await built(box, cache)).toBe(9);
  box.write({ "src/a.ts": A }); // b.ts does not change, but it is home to the derivative now
  expect(await built(box, cache)).toBe(1009);
  expect(await built(box, cache)).toBe(1009);
  box.write({ "src/b.ts": BAD });
  expect(messages(await run(config(box, cache)), "errors").join()).toContain("TSG1003");
  // what has failed is not kept as if it had not
  expect(messages(await run(config(box, cache)), "errors").join()).toContain("TSG1003");
  box.write({ "src/b.ts": B, "src/a.ts": A_WITHOUT });
  expect(await built(box, cache)).toBe(9);
  expect(box.read("out/main.cjs")).not.toContain("$grad");
});

let watching: Watching | undefined;
afterAll(
  () =>
    new Promise<void>((resolve) =>
      watching === undefined ? resolve() : watching.close(() => resolve()),
    ),
);

test("watching follows every kind of change", async () => {
  const box = project({ "src/a.ts": A_WITHOUT });
  let last: unknown = null;
  watching = webpack(config(box, { cache: { type: "memory" } })).watch(
    { aggregateTimeout: 20 },
    (error, stats) => {
      last =
        error ??
        (stats?.hasErrors() === true
          ? (messages(stats, "errors")
              .join()
              .match(/TSG\d+/)?.[0] ?? messages(stats, "errors"))
          : valueOf(box));
    },
  );
  let saved: Record<string, string> = {};
  const becomes = async (wanted: unknown, files: Record<string, string> = {}): Promise<void> => {
    saved = { ...saved, ...files };
    box.write(files);
    let tries = 0;
    await expect
      .poll(
        () => {
          // a loaded machine may lose a file event; the next save is seen
          if (++tries % 60 === 0) box.write(saved);
          return last;
        },
        { timeout: 30_000, interval: 50 },
      )
      .toEqual(wanted);
  };
  await becomes(9);
  await becomes(1009, { "src/a.ts": A });
  await becomes(1027, { "src/b.ts": B.replace("x * x", "x * x * x") });
  await becomes("TSG1003", { "src/b.ts": BAD });
  await becomes(1009, { "src/b.ts": B });
  await becomes(9, { "src/a.ts": A_WITHOUT });
  expect(box.read("out/main.cjs")).not.toContain("$grad");
});
