// The program transformer under tspc: with references, incremental state and every flag that decides whether a build fails.
// What these tests cannot see: the real core's edits (tests/package runs those).

import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { programTransformer } from "../../transformer/hosts/ts-patch.ts";
import { tspc } from "./compilers.ts";
import { fakeCore } from "./fake-core.ts";
import { bundle, GLOBALS, repository, sandbox, type Sandbox } from "./sandbox.ts";
import { followsChanges } from "./watch.ts";

const A = `import { grad } from "tsgrad";\nimport { square } from "./b.js";\nexport const d = grad(square);\nconsole.log(d(3));\n`;
const A_WITHOUT = `import { square } from "./b.js";\nconsole.log(square(3));\n`;
const B = `export function square(x: number): number {\n  return x * x;\n}\n`;
const BAD = B.replace("x * x", "/* bad */ x");

const tsconfig = (options: Record<string, unknown> = {}): string =>
  JSON.stringify({
    compilerOptions: {
      target: "es2022",
      module: "nodenext",
      rootDir: "src",
      outDir: "dist",
      strict: true,
      lib: ["es2022"],
      skipLibCheck: true,
      types: [],
      plugins: [{ transform: "./transform.cjs", transformProgram: true }],
      ...options,
    },
    include: ["src"],
  });

const TSPC = "ts-patch/bin/tspc.js";

function project(options: Record<string, unknown>, files: Record<string, string>): Sandbox {
  const box = sandbox({
    "tsconfig.json": tsconfig(options),
    "src/globals.d.ts": GLOBALS,
    ...files,
  });
  bundle("fake-transform.ts", box.at("transform.cjs"), "cjs");
  return box;
}

const result = (box: Sandbox): string => box.run(box.at("dist/a.js")).out.trim();

describe("tspc", () => {
  let box: Sandbox;
  beforeAll(() => {
    box = project({}, { "src/a.ts": A, "src/b.ts": B });
  });

  test("builds a derivative in the callee's module", () => {
    expect(box.run(TSPC, "-p", ".")).toEqual({ code: 0, out: "" });
    expect(result(box)).toBe("1009");
  });

  const user = { "src/c.ts": `export const first = 1; export const wrong: string = first;\n` };

  test.each([
    [[], 2],
    [["--noEmit"], 2],
    [["--noEmitOnError"], 1],
    [["--incremental", "--noEmit"], 2],
    [["--noCheck"], 2],
    [["--noCheck", "--incremental"], 2],
  ])("fails on our error with %j", (flags, code) => {
    box.write({ "src/b.ts": BAD });
    const done = tspc(box.dir, "-p", ".", "--pretty", "false", ...flags);
    expect(done.out).toContain(
      "src/b.ts(2,3): error TSG1003: cannot differentiate 'square'\n  Write it otherwise.\n  requested by `grad(square)` at src/a.ts(3,18)",
    );
    expect(done.code).toBe(code);
  });

  test("an error's code throws TSG0001 if it is run all the same", () => {
    box.write({ "src/b.ts": BAD });
    tspc(box.dir, "-p", ".");
    expect(result(box)).toContain("TSG0001");
  });

  test("prints the request chain", () => {
    box.write({ "src/b.ts": BAD });
    const done = tspc(box.dir, "-p", ".", "--pretty", "true");
    expect(done.out).toMatch(/src\/a\.ts.*3.*:.*18/);
    expect(done.out).toContain("requested by `grad(square)`");
  });

  test("a warning is printed and fails nothing", () => {
    box.write({ "src/b.ts": B.replace("x * x", "/* odd */ x * x") });
    const done = tspc(box.dir, "-p", ".");
    expect(done.out).toContain("src/b.ts(2,3): warning TSG8001: 'square' is odd");
    expect(done.out.match(/TSG8001/g)).toHaveLength(2); // with the line that names its page
    expect(done.code).toBe(0);
  });

  test("a user's error keeps its place in edited files", () => {
    box.write({
      "src/b.ts": B,
      "src/a.ts": `${A.trimEnd()} const wrong: string = grad(square)(1);\n`,
      ...user,
    });
    const done = tspc(box.dir, "-p", ".", "--pretty", "false", "--noEmit");
    expect(done.out.trim().split("\n")).toEqual([
      "src/a.ts(4,26): error TS2322: Type 'number' is not assignable to type 'string'.",
      "src/c.ts(1,38): error TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
    box.write({ "src/a.ts": A, "src/c.ts": "export {};\n" });
  });

  test("a complaint about generated code is an internal error, on the user's function", () => {
    box.write({ "src/b.ts": B.replace("x * x", "/* broken */ x") });
    const done = tspc(box.dir, "-p", ".", "--pretty", "false", "--noEmit");
    expect(done.out).toContain(
      "src/b.ts(2,3): error TSG9002: the code that tsgrad emitted for `square` does not type-check: TS2322",
    );
    expect(done.out.match(/error TS/g)).toHaveLength(1);
    expect(done.code).toBe(2);
  });

  test("a user's own error hides what its copy in generated code repeats", () => {
    box.write({ "src/b.ts": B.replace("x * x", "x.nothing") });
    const done = tspc(box.dir, "-p", ".", "--pretty", "false", "--noEmit");
    expect(done.out.trim().split("\n")).toEqual([
      "src/b.ts(2,12): error TS2339: Property 'nothing' does not exist on type 'number'.",
    ]);
  });
});

describe.each([
  ["--incremental", ["-p", ".", "--incremental"], {}],
  ["-b", ["-b"], { composite: true }],
])("tspc %s never leaves a stale derivative", (_, flags, options) => {
  let box: Sandbox;
  const run = () => tspc(box.dir, ...flags, "--pretty", "false");
  beforeAll(() => {
    box = project(options, { "src/a.ts": A_WITHOUT, "src/b.ts": B });
  });

  test("step by step", () => {
    expect(run()).toEqual({ code: 0, out: "" });
    expect(result(box)).toBe("9");
    box.write({ "src/a.ts": A }); // b.ts does not change, but its output must
    expect(run()).toEqual({ code: 0, out: "" });
    expect(result(box)).toBe("1009");
    box.write({ "src/b.ts": B.replace("x * x", "x * x * x") });
    expect(run()).toEqual({ code: 0, out: "" });
    expect(result(box)).toBe("1027");
    box.write({ "src/b.ts": BAD });
    for (const again of [1, 2]) {
      const failed = run();
      expect(failed.out, `run ${again}`).toContain("src/b.ts(2,3): error TSG1003");
      expect(failed.code).not.toBe(0);
    }
    box.write({ "src/a.ts": A_WITHOUT }); // the error goes with the request, although b.ts does not change
    expect(run()).toEqual({ code: 0, out: "" });
    box.write({ "src/a.ts": A }); // and comes back with it
    expect(run().out).toContain("src/b.ts(2,3): error TSG1003");
    box.write({ "src/b.ts": B });
    expect(run()).toEqual({ code: 0, out: "" });
    expect(result(box)).toBe("1009");
    box.write({ "src/a.ts": A_WITHOUT });
    expect(run()).toEqual({ code: 0, out: "" });
    expect(box.read("dist/b.js")).not.toContain("$grad");
  });

  test("a stored error of the user's is printed at its own place again", () => {
    box.write({ "src/b.ts": B, "src/a.ts": `${A.trimEnd()} const wrong: string = d(1);\n` });
    const place = "src/a.ts(4,26): error TS2322";
    expect(run().out).toContain(place);
    expect(run().out).toContain(place);
  });
});

test("named without transformProgram it fails the build, and says what is missing", () => {
  const box = project(
    { plugins: [{ transform: "./transform.cjs" }] },
    { "src/a.ts": A, "src/b.ts": B },
  );
  const { code, out } = box.run(TSPC, "-p", ".", "--pretty", "false");
  expect(out).toContain(
    'error TSG0005: `tsgrad/transform` is named in tsconfig.json as a transformer of single files, which cannot add derivatives\n  write `{ "transform": "tsgrad/transform", "transformProgram": true }`',
  );
  expect(out).not.toContain("    at ");
  expect(code).toBe(2);
});

test("tspc --watch follows a callee's body and an error that comes and goes", async () => {
  const box = project({}, { "src/a.ts": A, "src/b.ts": B });
  await followsChanges(box, path.join(repository, "node_modules", TSPC));
});

test("an editor's program keeps the user's text and gets our diagnostics", () => {
  const box = project({}, { "src/a.ts": A, "src/b.ts": BAD });
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getCancellationToken: () => ({
      isCancellationRequested: () => false,
      throwIfCancellationRequested: () => undefined,
    }),
  };
  const first = ts.createProgram(
    [box.at("src/a.ts")],
    { module: ts.ModuleKind.NodeNext, noLib: true, types: [] },
    host,
  );
  const made = programTransformer(fakeCore)(first, host, {}, { ts });
  expect(made.getSourceFile(box.at("src/b.ts"))?.text).toBe(BAD);
  expect(
    made.getSemanticDiagnostics(made.getSourceFile(box.at("src/b.ts"))).map((d) => d.code),
  ).toContain(1003);
});

test("a project that another refers to keeps its references", () => {
  const box = project({ composite: true }, { "src/b.ts": B });
  box.write({
    "app/tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "nodenext",
        rootDir: "src",
        outDir: "dist",
        composite: true,
        strict: true,
        lib: ["es2022"],
        skipLibCheck: true,
        types: [],
        plugins: [{ transform: "../transform.cjs", transformProgram: true }],
      },
      include: ["src"],
      references: [{ path: ".." }],
    }),
    "app/src/globals.d.ts": GLOBALS,
    "app/src/main.ts": `import { grad } from "tsgrad";\nimport { square } from "../../src/b.js";\nfunction cube(x: number): number { return x * x * x; }\nconsole.log(grad(cube)(2) + square(0));\n`,
  });
  const done = tspc(box.dir, "-b", "app");
  expect(done).toEqual({ code: 0, out: "" });
  expect(box.read("app/dist/main.js")).toContain("cube$grad");
});

test("a TypeScript 5.9 program gets the same overlay", () => {
  const box = project({}, { "src/a.ts": A, "src/b.ts": B });
  const script = `
    const ts = require(${JSON.stringify(`${repository}/node_modules/ts59`)});
    const parsed = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error });
    const program = require("./transform.cjs")(ts.createProgram(parsed.fileNames, parsed.options), undefined, {}, { ts });
    const found = ts.getPreEmitDiagnostics(program);
    console.log(ts.version, found.map((d) => d.messageText), program.emit().emitSkipped);`;
  box.write({ "old.cjs": script });
  expect(box.run(box.at("old.cjs")).out.trim()).toBe("5.9.3 [] false");
  expect(result(box)).toBe("1009");
});
