// `tsgrad build` without ts-patch, with the stand-in core: tsc's exit codes, incremental state, -b and --watch.

import { beforeAll, describe, expect, test } from "vitest";
import { build } from "../../transformer/hosts/build.ts";
import { calledHere, newTypeScript } from "./compilers.ts";
import { fakeCore } from "./fake-core.ts";
import { bundle, GLOBALS, sandbox, type Sandbox } from "./sandbox.ts";
import { followsChanges } from "./watch.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b.js";\nconsole.log(grad(square)(3));\n`;
const A_WITHOUT = `import { square } from "./b.js";\nconsole.log(square(3));\n`;
const B = `export function square(x: number): number {\n  return x * x;\n}\n`;
const BAD = B.replace("x * x", "/* bad */ x");

function project(options: Record<string, unknown> = {}): Sandbox {
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    rootDir: "src",
    outDir: "dist",
    strict: true,
    lib: ["es2022"],
    skipLibCheck: true,
    types: [],
    ...options,
  };
  const box = sandbox({
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    "src/globals.d.ts": GLOBALS,
    "src/a.ts": A,
    "src/b.ts": B,
  });
  bundle("fake-build.ts", box.at("build.mjs"), "esm");
  return box;
}

const run = (box: Sandbox, ...args: string[]) =>
  calledHere(box.dir, args, () => build(newTypeScript(), fakeCore, args));
const result = (box: Sandbox): string => box.run(box.at("dist/a.js")).out.trim();

describe("one build", () => {
  let box: Sandbox;
  beforeAll(() => {
    box = project();
  });

  test("emits derivatives", () => {
    expect(box.run(box.at("build.mjs"), "-p", ".")).toEqual({ code: 0, out: "" });
    expect(result(box)).toBe("1009");
  });

  test.each([
    [[], 2],
    [["--noEmit"], 2],
    [["--noEmitOnError"], 1],
    [["--incremental", "--noEmit"], 2],
  ])("fails on our error with %j as tsc does", (flags, code) => {
    box.write({ "src/b.ts": BAD });
    const done = run(box, "-p", "tsconfig.json", ...flags);
    expect(done.out).toBe(
      "src/b.ts(2,3): error TSG1003: cannot differentiate 'square'\n  Write it otherwise.\n  requested by `grad(square)` at src/a.ts(3,13)\n  more: npx tsgrad explain TSG1003\n",
    );
    expect(done.code).toBe(code);
  });

  test("prints frames, the request and a sum where the output is pretty", () => {
    box.write({ "src/b.ts": BAD });
    const { out } = run(box, "-p", ".", "--pretty");
    for (const part of ["return /* bad */ x", "requested by `grad(square)`", "Found 1 error."])
      expect(out).toContain(part);
  });

  test("a warning fails nothing", () => {
    box.write({ "src/b.ts": B.replace("x * x", "/* odd */ x * x") });
    expect(run(box, "-p", ".")).toEqual({
      code: 0,
      out: "src/b.ts(2,3): warning TSG8001: 'square' is odd\n  requested by `grad(square)` at src/a.ts(3,13)\n  more: npx tsgrad explain TSG8001\n",
    });
  });

  test("takes tsc's flags", () => {
    box.write({ "src/b.ts": B });
    expect(run(box, "-p", ".", "--outDir", "other")).toEqual({ code: 0, out: "" });
    expect(box.read("other/b.js")).toContain("square$grad");
    expect(run(box, "-p", ".", "--listEmittedFiles").out.split("\n").sort()).toEqual([
      "",
      `TSFILE: ${box.at("dist/a.js")}`,
      `TSFILE: ${box.at("dist/b.js")}`,
    ]);
  });

  test.each([
    [["-p", "nowhere"], "no tsconfig.json found at 'nowhere'"],
    [
      ["--showConfig"],
      "build does not take --showConfig, which builds nothing: npx tsc --showConfig",
    ],
    [["--listFilesOnly"], "build does not take --listFilesOnly"],
    [["-v"], "build does not take --version"],
    [["src/a.ts"], "build takes projects, not files such as src/a.ts."],
    [["--noSuchFlag"], "error TS5023: Unknown compiler option '--noSuchFlag'."],
  ])("%j is refused", (args, message) => {
    const done = run(box, ...args);
    expect(done.out).toContain(message);
    expect(done.code).toBe(1);
  });

  test("a tsconfig that does not parse fails", () => {
    box.write({ "broken/tsconfig.json": "{ nonsense" });
    expect(run(box, "-p", "broken").code).not.toBe(0);
  });

  test.each<[string, Record<string, string>]>([
    ["the config", { "tsconfig.json": `{ "include": ["src"` }],
    ["the config, a comma", { "tsconfig.json": `{ "include": ["src"] "files": [] }` }],
    ["the config, quotes", { "tsconfig.json": `{ 'include': ["src"] }` }],
    [
      "what it extends",
      { "tsconfig.json": `{ "extends": "./base.json" }`, "base.json": `{ "a": ` },
    ],
    [
      "one of several that it extends",
      { "tsconfig.json": `{ "extends": ["./base.json"], "include": ["src"] }`, "base.json": `[` },
    ],
  ])("says what tsc says about the JSON of %s, with its exit code", (_, files) => {
    const box = project();
    box.write(files);
    const flags = ["--noEmit", "--types", "", "--lib", "es2022"];
    const plain = box.run("typescript/bin/tsc", "-p", ".", ...flags);
    expect(plain.code).not.toBe(0);
    expect(run(box, "-p", ".", ...flags)).toEqual(plain);
  });
});

test.each([
  ["--incremental", ["-p", ".", "--incremental"], {}],
  ["-b", ["-b"], { composite: true }],
])("%s never leaves a stale derivative", (_, flags, options) => {
  const box = project(options);
  box.write({ "src/a.ts": A_WITHOUT });
  expect(run(box, ...flags)).toEqual({ code: 0, out: "" });
  box.write({ "src/a.ts": A });
  expect(run(box, ...flags)).toEqual({ code: 0, out: "" });
  expect(result(box)).toBe("1009");
  box.write({ "src/b.ts": B.replace("x * x", "x + x") });
  expect(run(box, ...flags)).toEqual({ code: 0, out: "" });
  expect(result(box)).toBe("1006");
  box.write({ "src/b.ts": BAD });
  for (const again of [1, 2]) {
    const failed = run(box, ...flags);
    expect(failed.out, `run ${again}`).toContain("src/b.ts(2,3): error TSG1003");
    expect(failed.code).not.toBe(0);
  }
});

test("--watch follows a callee's body and an error that comes and goes", async () => {
  const box = project();
  await followsChanges(box, box.at("build.mjs"));
});
