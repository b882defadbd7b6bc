// The Vite plugin with the stand-in core: build, dev server, Rolldown, vitest, and what their caches must not do.

import { rolldown } from "rolldown";
import { build, createServer, type InlineConfig, type ViteDevServer } from "vite";
import { afterEach, describe, expect, test } from "vitest";
import { sourceFileOf } from "../../transformer/hosts/program-service.ts";
import { vitePlugin } from "../../transformer/hosts/vite-plugin.ts";
import { fakeCore } from "./fake-core.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

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

const project = (files: Record<string, string> = {}): Sandbox =>
  sandbox({ "tsconfig.json": tsconfig, "src/a.ts": A, "src/b.ts": B, ...files });
const config = (box: Sandbox): InlineConfig => ({
  root: box.dir,
  configFile: false,
  logLevel: "silent",
  plugins: [vitePlugin(fakeCore, {})],
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
});

async function valueOf(code: string): Promise<unknown> {
  const module: { readonly value: unknown } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  return module.value;
}

async function textOf(box: Sandbox, entry: string, more: InlineConfig = {}): Promise<string> {
  const result = await build({
    ...config(box),
    ...more,
    build: {
      write: false,
      minify: false,
      sourcemap: true,
      lib: { entry: box.at(entry), formats: ["es"] },
    },
  });
  const output = Array.isArray(result)
    ? result.flatMap((r) => r.output)
    : "output" in result
      ? result.output
      : [];
  return output
    .map((o) => (o.type === "chunk" ? o.code : o.fileName.endsWith(".js") ? String(o.source) : ""))
    .join("\n");
}

const built = async (box: Sandbox, more: InlineConfig = {}): Promise<unknown> =>
  valueOf(await textOf(box, "src/a.ts", more));

test("build", async () => {
  expect(await built(project())).toBe(1009);
});

test("build fails on our error, at the user's place, and names the request", async () => {
  const error: unknown = await built(project({ "src/b.ts": BAD })).catch((e: unknown) => e);
  const text = error instanceof Error ? error.message : "";
  expect(text).toContain(
    "src/b.ts:2:3 - TSG1003: cannot differentiate 'square'\nWrite it otherwise.",
  );
  expect(text).toMatch(/requested by `grad\(square\)` \(.*src\/a\.ts:3:18\)/);
  // the place that the tool names, and no stack of ours
  expect(text).toMatch(/\[plugin tsgrad\] .*src\/a\.ts:3:17\n/);
  expect(text).not.toContain("vite-plugin.ts:");
});

test("all errors that a module leads to are said at once", async () => {
  const box = project({
    "src/b.ts": `${BAD}export function cube(x: number): number {\n  return /* bad */ x * x;\n}\n`,
    "src/a.ts": A.replace("square }", "square, cube }").replace(
      "export const value",
      "export const c = grad(cube);\nexport const value",
    ),
  });
  const error: unknown = await built(box).catch((e: unknown) => e);
  expect(error instanceof Error ? error.message.match(/TSG1003: [^\n]*/g) : null).toEqual([
    "TSG1003: cannot differentiate 'square'",
    "TSG1003: cannot differentiate 'cube'",
  ]);
});

test.each([
  ["by itself", {}],
  ["named there, too", { worker: { plugins: () => [[vitePlugin(fakeCore, {})]] } }],
])("workers are built with it: %s", async (_, more) => {
  const box = project({
    "src/main.ts": `export const worker = new Worker(new URL("./a.ts", import.meta.url), { type: "module" });\n`,
  });
  // a small one stands in the text of its starter
  const text = (await textOf(box, "src/main.ts", more)).replace(
    /data:text\/javascript;base64,([\w+/=]+)/g,
    (_whole, code: string) => Buffer.from(code, "base64").toString(),
  );
  expect(text).toMatch(/grad\(square, square\$grad\)/);
});

test.each(["defineCacheKeyGenerator", "experimental_defineCacheKeyGenerator"])(
  "the key of vitest's module cache (%s) follows what other files determine",
  (name) => {
    const box = project();
    type Key = (module: { readonly id: string; readonly sourceCode: string }) => string | undefined;
    const keys: Key[] = [];
    const plugin = vitePlugin(fakeCore, { cwd: box.dir }) as unknown as {
      readonly configureVitest: (context: Record<string, (key: Key) => void>) => void;
    }; // both of vitest's names
    plugin.configureVitest({ [name]: (key) => void keys.push(key) });
    const keyOf = (file: string): string | undefined =>
      keys[0]?.({ id: box.at(file), sourceCode: box.read(file) });
    const before = [keyOf("src/a.ts"), keyOf("src/b.ts")];
    expect(before[0]).toMatch(/^tsgrad:\w/);
    expect(keyOf("src/a.ts")).toBe(before[0]);
    box.write({ "src/b.ts": BAD });
    expect(keyOf("src/b.ts")).not.toBe(before[1]);
    expect(keyOf("src/a.ts")).not.toBe(before[0]);
  },
);

test("a copy of it works as well", async () => {
  expect(
    await built(project(), { plugins: [{ ...vitePlugin(fakeCore, {}), apply: "build" }] }),
  ).toBe(1009);
});

test("a deep copy of it works, as Nuxt makes one", async () => {
  const plugin = vitePlugin(fakeCore, {});
  const { transform } = plugin;
  const copy = {
    ...plugin,
    ...(typeof transform === "object" ? { transform: { ...transform } } : {}),
  };
  expect(await built(project(), { plugins: [copy] })).toBe(1009);
});

test("JavaScript that is no part of the project is named", async () => {
  const box = project({
    "src/c.js": `import { grad } from "tsgrad";\nexport const value = typeof grad;\n`,
  });
  const said: string[] = [];
  await textOf(box, "src/c.js", {
    logLevel: "warn",
    customLogger: {
      info: () => undefined,
      warn: (text) => void said.push(text),
      warnOnce: (text) => void said.push(text),
      error: () => undefined,
      clearScreen: () => undefined,
      hasErrorLogged: () => false,
      hasWarned: false,
    },
  });
  expect(said.join("\n")).toContain("tsgrad does not see the calls in c.js");
});

test("named twice, it works once", async () => {
  const box = project();
  let asked = 0;
  const second: typeof fakeCore = (host, request) => {
    asked++;
    return fakeCore(host, request);
  };
  expect(await built(box, { plugins: [vitePlugin(fakeCore, {}), vitePlugin(second, {})] })).toBe(
    1009,
  );
  expect(asked).toBe(0);
});

test("the same object is a Rolldown and Rollup plugin", async () => {
  const box = project();
  const { cwd, ...plugin } = { ...vitePlugin(fakeCore, { cwd: box.dir }), cwd: 0 };
  const bundle = await rolldown({
    input: box.at("src/a.ts"),
    cwd: box.dir,
    plugins: [plugin],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm" });
  expect(await valueOf(output[0].code)).toBe(1009);
});

/** Code without the types of these projects. */
const stripped = (code: string): string => code.replaceAll(": number", "");

test("in Rollup it comes before what strips types, wherever it is named", async () => {
  const box = project();
  const bundle = await rolldown({
    input: box.at("src/a.ts"),
    cwd: box.dir,
    plugins: [
      { name: "strip", transform: stripped },
      { ...vitePlugin(fakeCore, { cwd: box.dir }) },
    ],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm" });
  expect(await valueOf(output[0].code)).toBe(1009);
});

test("a plugin that compiles files while they are loaded leaves nothing to differentiate", async () => {
  const box = project();
  const compiler = {
    name: "typescript",
    load: (id: string) =>
      id.endsWith(".ts")
        ? stripped(box.read(`src/${id.split("/").at(-1) ?? ""}`)) + "// compiled"
        : null,
  };
  const failed = rolldown({
    input: box.at("src/a.ts"),
    cwd: box.dir,
    plugins: [vitePlugin(fakeCore, { cwd: box.dir }), compiler],
    logLevel: "silent",
  }).then((bundle) => bundle.generate({ format: "esm" }));
  await expect(failed).rejects.toThrow(
    /@rollup\/plugin-typescript has compiled this file.*\n.*rollup-plugin-esbuild/,
  );
});

test.each([
  "a.ts?raw",
  "a.ts?url",
  "w.ts?worker&inline",
  "\0a.ts",
  "a.vue?vue&type=script&lang.ts",
  "/p/node_modules/x/a.ts",
  "a.d.ts",
  "a.css",
])("%j is no module of the program", (id) => {
  expect(sourceFileOf(id)).toBeNull();
});

test.each([
  "/p/a.ts",
  "/p/a.tsx?t=1",
  "/p/a.mts?v=abc",
  "/p/a.ts?worker_file&type=module",
  "/p/a.js",
  "/p/a.cjs?v=1",
])("%j is one", (id) => {
  expect(sourceFileOf(id)).toBe(id.split("?")[0]);
});

describe("dev", () => {
  let server: ViteDevServer | undefined;
  let saved: Record<string, string> = {};
  let resave = (): void => {};
  afterEach(async () => server?.close());

  const load = async (): Promise<unknown> => (await server?.ssrLoadModule("/src/a.ts"))?.["value"];
  /** Until the watcher has seen the change. */
  const eventually = async (wanted: unknown): Promise<void> => {
    let tries = 0;
    await expect
      .poll(
        () => {
          // a loaded machine may lose a file event; the next save is seen
          if (++tries % 60 === 0) resave();
          return load().catch((e: unknown) =>
            e instanceof Error && e.message.includes("TSG1003") ? "TSG1003" : String(e),
          );
        },
        { timeout: 30_000, interval: 50 },
      )
      .toBe(wanted);
  };

  test("follows every kind of change", async () => {
    const box = project({ "src/a.ts": A_WITHOUT });
    const save = (files: Record<string, string>): void => {
      saved = { ...saved, ...files };
      box.write(files);
    };
    resave = () => box.write(saved);
    server = await createServer({
      ...config(box),
      server: { middlewareMode: true, ws: false, watch: {} },
    });
    expect(await load()).toBe(9);
    save({ "src/a.ts": A }); // b.ts does not change, but it is home to the derivative now
    await eventually(1009);
    save({ "src/b.ts": B.replace("x * x", "x * x * x") });
    await eventually(1027);
    save({ "src/b.ts": BAD });
    await eventually("TSG1003");
    save({ "src/b.ts": B });
    await eventually(1009);
    save({ "src/a.ts": A_WITHOUT });
    await eventually(9);
    expect((await server.transformRequest("/src/b.ts", { ssr: true }))?.code).not.toContain(
      "$grad",
    );
  });

  test("says once that a module is old: it would be loaded twice, under two dates", async () => {
    const box = project();
    server = await createServer({
      ...config(box),
      server: { middlewareMode: true, ws: false, watch: null },
    });
    const { client } = server.environments;
    for (const url of ["/src/a.ts", "/src/b.ts"]) await client.transformRequest(url);
    box.write({ "src/a.ts": A_WITHOUT });
    await client.pluginContainer.watchChange(box.at("src/a.ts"), { event: "update" });
    const dates = () =>
      [...(client.moduleGraph.getModulesByFile(box.at("src/b.ts")) ?? [])].map(
        ({ lastHMRTimestamp }) => lastHMRTimestamp,
      );
    const before = dates();
    expect(Math.min(...before)).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    client.moduleGraph.onFileChange(box.at("src/a.ts"));
    await client.transformRequest("/src/a.ts");
    expect(dates()).toEqual(before);
  });

  test("carries a map to the user's text", async () => {
    const box = project();
    server = await createServer(config(box));
    const result = await server.transformRequest("/src/b.ts", { ssr: true });
    expect(result?.code).toContain("square$grad");
    expect(result?.map).toMatchObject({ sourcesContent: [B] });
  });
});
