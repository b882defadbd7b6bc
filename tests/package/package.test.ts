// The packed tarball in an empty project: tspc, `tsgrad build`, esbuild, webpack, Jest. The expected gradient is
// written out by hand below and shares nothing with tsgrad.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import type { Factory } from "../../transformer/hosts/jest.ts";
import type { Transformer } from "../../transformer/hosts/jest-transformer.ts";
import { GLOBALS, repository, type Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "./install.ts";

const FIT = `import { valueAndGrad } from "tsgrad";

interface Model { w: number[]; b: number }

function predict(m: Model, x: number[]): number {
  let z = m.b;
  for (let i = 0; i < x.length; i++) z += m.w[i] * x[i];
  return 1 / (1 + Math.exp(-z));
}

function loss(m: Model, xs: number[][], ys: number[]): number {
  let total = 0;
  for (const [i, x] of xs.entries()) {
    const p = predict(m, x);
    total -= ys[i] > 0.5 ? Math.log(p) : Math.log(1 - p);
  }
  return total / xs.length;
}

const step = valueAndGrad(loss);
const model: Model = { w: [0.3, -0.2], b: 0.1 };
const [value, dModel] = step(model, [[1, 2], [-0.5, 0.25], [3, -1]], [1, 0, 1]);
console.log(JSON.stringify([value, dModel, loss(model, [[1, 2], [-0.5, 0.25], [3, -1]], [1, 0, 1])]));
`;

const BAD = `import { grad } from "tsgrad";
declare const f: any;
export const d = grad(f);
`;

/** Without the DOM's types, which take most of the time of a small project's check; one build has them. */
const tsconfig = (
  options: Record<string, unknown> = {},
  roots: Record<string, readonly string[]> = { include: ["src"] },
): string =>
  JSON.stringify({
    compilerOptions: {
      target: "es2022",
      module: "nodenext",
      rootDir: "src",
      outDir: "dist",
      strict: true,
      sourceMap: true,
      lib: ["es2022"],
      types: [],
      ...options,
    },
    ...roots,
  });
const plugins = [{ transform: "tsgrad/transform", transformProgram: true }];

/** The mean of the log-losses' derivatives: (p - y) for the bias, (p - y) x for the weights. */
function byHand(): { b: number; w: number[] } {
  const xs = [
    [1, 2],
    [-0.5, 0.25],
    [3, -1],
  ];
  const ys = [1, 0, 1];
  const sum = { b: 0, w: [0, 0] };
  xs.forEach(([u = 0, v = 0], i) => {
    const p = 1 / (1 + Math.exp(-(0.1 + 0.3 * u - 0.2 * v)));
    const d = (p - (ys[i] ?? 0)) / xs.length;
    sum.b += d;
    sum.w = [(sum.w[0] ?? 0) + d * u, (sum.w[1] ?? 0) + d * v];
  });
  return sum;
}

function check(out: string): void {
  const [value, model, primal]: [number, { b: number; w: number[] }, number] = JSON.parse(out);
  expect(value).toBe(primal);
  const wanted = byHand();
  // 1e-14: a dozen roundings of values near 1; it cannot see an error in the last bits
  for (const [got, want] of [
    [model.b, wanted.b],
    [model.w[0], wanted.w[0]],
    [model.w[1], wanted.w[1]],
  ])
    expect(Math.abs((got ?? NaN) - (want ?? NaN))).toBeLessThan(1e-14);
  expect(model.w).toHaveLength(2);
}

let tarball = "";
beforeAll(() => {
  tarball = pack();
});

describe("in an empty project", () => {
  let box: Sandbox;
  beforeAll(() => {
    box = install(tarball, ["typescript@6.0.3", "ts-patch@3.3.0"], {
      "src/fit.ts": FIT,
      "src/globals.d.ts": GLOBALS,
      "tsconfig.json": tsconfig(),
      "tspc.json": tsconfig({ plugins, lib: ["es2022", "dom"] }, { files: ["src/fit.ts"] }),
    });
  });
  const own = (script: string): string => box.at(`node_modules/${script}`);
  const fit = (dir = "dist"): { code: number | null; out: string } =>
    box.run(box.at(`${dir}/fit.js`));

  test("npx tspc -p .", () => {
    expect(box.run(own("ts-patch/bin/tspc.js"), "-p", "tspc.json")).toEqual({ code: 0, out: "" });
    check(fit().out);
  });

  test("npx tsgrad build -p .", () => {
    expect(box.run(own(".bin/tsgrad"), "build", "-p", ".", "--outDir", "cli")).toEqual({
      code: 0,
      out: "",
    });
    check(fit("cli").out);
    expect(box.read("cli/fit.js")).toBe(box.read("dist/fit.js"));
    expect(box.read("cli/fit.js.map")).toBe(box.read("dist/fit.js.map"));
  });

  test("the columns of the Delta engine's tape are constants for V8, and what is assigned are variables", async () => {
    const entry = readFileSync(own("tsgrad/dist/delta.js"), "utf8");
    const parts = [...entry.matchAll(/from "\.\/(runtime-\w+\.js)"/g)];
    const text = [
      entry,
      ...parts.map(([, part]) => readFileSync(own(`tsgrad/dist/${part}`), "utf8")),
    ].join("\n");
    for (const name of ["W0", "W1", "P0", "P1", "WT", "PT", "COLUMNS"])
      expect(text).toContain(`\nconst ${name} = `);
    for (const name of ["top", "terms", "run", "live"]) expect(text).toContain(`\nvar ${name} = `);
    const { node2 }: { node2(p: number, u: number, q: number, v: number): number } = await import(
      pathToFileURL(own("tsgrad/dist/delta.js")).href
    );
    const first = node2(0, 1, 0, 1);
    expect(node2(0, 1, 0, 1)).toBe(first + 1);
  });

  test("a project keeps no code that a later build would execute, and the next build is the same", () => {
    const kept = (): string[] => readdirSync(box.at("node_modules/.cache/tsgrad"));
    expect(box.run(own(".bin/tsgrad"), "build", "-p", ".", "--outDir", "cached")).toEqual({
      code: 0,
      out: "",
    });
    expect(box.read("cached/fit.js")).toBe(box.read("dist/fit.js"));
    expect(kept().length).toBeGreaterThan(0);
    expect(kept().filter((name) => !name.startsWith("analysis-"))).toEqual([]);
  });

  test("an esbuild bundle", async () => {
    const entry: { readonly default: (options?: object) => Plugin } = await import(
      pathToFileURL(own("tsgrad/dist/esbuild.cjs")).href
    );
    await build({
      absWorkingDir: box.dir,
      entryPoints: ["src/fit.ts"],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: "bundle/fit.js",
      logLevel: "silent",
      plugins: [entry.default()],
    });
    check(fit("bundle").out);
  });

  test("a webpack bundle, configured in CommonJS", () => {
    const of = (name: string): string =>
      JSON.stringify(path.join(repository, "node_modules", name));
    box.write({
      "strip.cjs": `const { transformSync } = require(${of("esbuild")});\nmodule.exports = (text) => transformSync(text, { loader: "ts" }).code;\n`,
      "webpack.cjs": `const webpack = require(${of("webpack")}), tsgrad = require("tsgrad/webpack");
webpack({
  entry: { fit: "./src/fit.ts" }, mode: "production", target: "node", output: { path: __dirname + "/packed", filename: "[name].cjs" },
  module: { rules: [{ test: /\\.ts$/, loader: "./strip.cjs" }] }, plugins: [tsgrad()],
}, (error, stats) => { if (error || stats.hasErrors()) throw error ?? new Error(stats.toString()); });\n`,
    });
    expect(box.run(box.at("webpack.cjs"))).toEqual({ code: 0, out: "" });
    check(box.run(box.at("packed/fit.cjs")).out);
  });

  test("a file as Jest compiles it, tsgrad's own modules among them", async () => {
    const of = JSON.stringify(path.join(repository, "node_modules/esbuild"));
    box.write({
      "strip-jest.cjs": `const { transformSync } = require(${of});\nexports.process = (text) => ({ code: transformSync(text, { loader: "ts", format: "cjs" }).code });\n`,
    });
    const entry: { readonly default: Factory } = await import(
      pathToFileURL(own("tsgrad/dist/jest.cjs")).href
    );
    const made: Transformer = await entry.default.createTransformer({
      transformer: "./strip-jest.cjs",
      cwd: box.dir,
    });
    const options = {
      config: { rootDir: box.dir },
      configString: "",
      instrument: false,
      supportsStaticESM: false,
      transformerConfig: {},
    };
    const compiled = (file: string): string =>
      made.process?.(readFileSync(file, "utf8"), file, options).code ?? "";
    box.write({
      "jested/package.json": `{ "type": "commonjs" }`,
      "jested/fit.js": compiled(box.at("src/fit.ts")),
    });
    expect(box.read("jested/fit.js")).toContain("loss$vag");
    check(box.run(box.at("jested/fit.js")).out);
    expect(compiled(own("tsgrad/dist/index.js"))).toMatch(/exports\.valueAndGrad = /);
  });

  test("tsgrad/implicit with tspc, the command and esbuild", async () => {
    box.write({
      "implicit/src/line.ts": `import { grad } from "tsgrad";
import { rootFind } from "tsgrad/implicit";
const where = (r: number, k: number): number => rootFind((x) => [x[0] * x[0] + x[1] * x[1] - r * r, x[1] - k * x[0]], [1, 1])[0];
console.log(JSON.stringify(grad(where, { argnums: [0, 1] })(2, 0.75)));
`,
      "implicit/src/globals.d.ts": GLOBALS,
      "implicit/tsconfig.json": tsconfig({ plugins }),
    });
    expect(box.run(own("ts-patch/bin/tspc.js"), "-p", "implicit")).toEqual({ code: 0, out: "" });
    expect(
      box.run(own(".bin/tsgrad"), "build", "-p", "implicit", "--outDir", "implicit/cli"),
    ).toEqual({ code: 0, out: "" });
    const entry: { readonly default: (options?: object) => Plugin } = await import(
      pathToFileURL(own("tsgrad/dist/esbuild.cjs")).href
    );
    await build({
      absWorkingDir: box.dir,
      entryPoints: ["implicit/src/line.ts"],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: "implicit/bundle/line.js",
      logLevel: "silent",
      plugins: [entry.default({ tsconfig: "implicit/tsconfig.json" })],
    });
    for (const dir of ["dist", "cli", "bundle"]) {
      const [dr, dk]: readonly [number, number] = JSON.parse(
        box.run(box.at(`implicit/${dir}/line.js`)).out,
      );
      // x = r / sqrt(1 + k²): 4/5 and -r k / (25/16)^(3/2)
      expect(dr).toBeCloseTo(0.8, 12);
      expect(dk).toBeCloseTo(-0.768, 12);
    }
  });

  test("npx tsgrad emit", () => {
    const done = box.run(own(".bin/tsgrad"), "emit", "src/fit.ts#loss", "-p", ".");
    expect(done.out).toContain("function loss$vag(");
    expect(done.code).toBe(0);
  });

  test.each([
    ["explain", "src/fit.ts#loss", 0, /loss\$vag[^]*arguments/],
    ["explain", "src/fit.ts#none", 1, /none/],
    ["emit", "src/fit.ts", 0, /function loss\$vag\(/],
    ["emit", "src/fit.ts#none", 1, /[Tt]here is no function 'none'/],
  ])("npx tsgrad %s %s", (command, target, code, out) => {
    const done = box.run(own(".bin/tsgrad"), command, target, "-p", ".");
    expect(done.out).toMatch(out);
    expect(done.code).toBe(code);
  });

  test("a vitest project: a snapshot of derivativeSource, and gradients in tests", () => {
    for (const name of ["vitest", "vite"])
      symlinkSync(path.join(repository, "node_modules", name), own(name));
    box.write({
      "vite.config.js": `import tsgrad from "tsgrad/vite";\nexport default { plugins: [tsgrad({ tsconfig: "vitest.json" })] };\n`,
      "vitest.json": tsconfig({ rootDir: "." }, { include: ["src", "tests"] }),
      "src/cube.ts": `export function cube(x: number): number {\n  return x * x * x;\n}\n`,
      "tests/cube.test.ts": `import { grad } from "tsgrad";\nimport { derivativeSource } from "tsgrad/testing";\nimport { expect, test } from "vitest";\nimport { cube } from "../src/cube.js";\n
test("cube", () => {\n  expect(grad(cube)(2)).toBe(12);\n  expect(derivativeSource(cube)).toMatchSnapshot();\n});\n`,
    });
    const vitest = (...flags: string[]) =>
      box.run(own("vitest/vitest.mjs"), "run", "--root", box.dir, ...flags);
    // in CI vitest writes no snapshot unless it is told to
    const first = vitest("--update");
    expect(first.out).toContain("1 passed");
    expect(box.read("tests/__snapshots__/cube.test.ts.snap")).toContain("cube$grad");
    box.write({ "src/cube.ts": box.read("src/cube.ts").replace("x * x * x", "x * x * x * x") }); // the test's own text does not change
    const second = vitest();
    expect(second.out).toContain("expected 32 to be 12");
    expect(second.code).toBe(1);
  });

  test("an error fails tspc, the command and esbuild", async () => {
    box.write({ "bad/src/bad.ts": BAD, "bad/tsconfig.json": tsconfig({ plugins }) });
    for (const done of [
      box.run(own("ts-patch/bin/tspc.js"), "-p", "bad", "--noEmit"),
      box.run(own(".bin/tsgrad"), "build", "-p", "bad", "--noEmit"),
    ]) {
      expect(done.out).toMatch(/bad\/src\/bad\.ts\(3,2\d\): error TSG\d{4}: /);
      expect(done.code).toBe(2);
    }
    const entry: { readonly default: (options?: object) => Plugin } = await import(
      pathToFileURL(own("tsgrad/dist/esbuild.cjs")).href
    );
    await expect(
      build({
        absWorkingDir: box.dir,
        entryPoints: ["bad/src/bad.ts"],
        bundle: true,
        write: false,
        logLevel: "silent",
        plugins: [entry.default({ tsconfig: "bad/tsconfig.json" })],
      }),
    ).rejects.toThrow(/TSG\d{4}/);
  });

  test("a file that no build step has seen throws TSG0001", () => {
    const js = FIT.replace(/^interface.*$/m, "").replace(
      /: (?:Model|number\[\]\[\]|number\[\]|number)(?=[,)= ])/g,
      "",
    );
    box.write({ "plain.mjs": js });
    const done = box.run(box.at("plain.mjs"));
    expect(done.out).toContain("TSG0001");
    expect(done.code).toBe(1);
  });

  test.each([
    [["--version"], 0, /^tsgrad \d+\.\d+\.\d+ \(TypeScript 6\.0\.3\)/],
    [["--help"], 0, /tsgrad build \[-p <tsconfig>\]/],
    [[], 1, /no command given[^]*tsgrad build /],
    [["bild"], 1, /unknown command 'bild'; did you mean 'build'\?[^]*tsgrad build /],
    [["explain", "src/fit.ts"], 1, /names no function: write src\/fit.ts#fn/],
    [["emit", "src/none.ts"], 1, /there is no file src\/none\.ts/],
    [["emit", "src/none.ts", "-p"], 1, /-p needs the name of a tsconfig/],
    [["emit", "src/none.ts", "-p", "nowhere"], 1, /no tsconfig\.json found at 'nowhere'/],
    [["build", "--help"], 0, /tsgrad build \[-p <tsconfig>\][^]*Exit codes:[^]*Examples:/],
    [["explain", "TSG1103"], 0, /^## TSG1103 eval\n[^]*What to do:/],
    [["explain", "TSG110"], 1, /there is no diagnostic TSG110; did you mean 'TSG\d{4}'\?/],
    [["emit", "src/fit.ts", "--jsn"], 1, /unknown flag '--jsn' of emit; did you mean '--json'\?/],
  ])("tsgrad %j", (args, code, out) => {
    const done = box.run(own(".bin/tsgrad"), ...args);
    expect(done.out).toMatch(out);
    expect(done.code).toBe(code);
  });

  test("a reader that closes the pipe is no error", () => {
    const line = `node ${own(".bin/tsgrad")} explain TSG1103 | true`;
    const { stderr } = spawnSync("sh", ["-c", line], { cwd: box.dir, encoding: "utf8" });
    expect(stderr).toBe("");
  });

  test.each([
    "index.d.ts",
    "testing.d.ts",
    "implicit.d.ts",
    "esbuild.d.cts",
    "vite.d.cts",
    "webpack.d.cts",
    "jest.d.cts",
  ])("declarations of %s stand on their own", (name) => {
    const text = readFileSync(own(`tsgrad/dist/${name}`), "utf8");
    expect(text).not.toMatch(/from "[^"]*\.ts"/);
    expect(text).not.toContain("transformer/");
  });

  test("the declarations type-check without skipLibCheck", () => {
    box.write({
      "types/src/use.ts": `import { grad } from "tsgrad";\nimport { derivativeSource } from "tsgrad/testing";\nimport transform from "tsgrad/transform";\nexport const all = [grad, derivativeSource, transform];\n`,
      "types/tsconfig.json": tsconfig({
        skipLibCheck: false,
        noEmit: true,
        types: ["node"],
        typeRoots: [path.join(repository, "node_modules/@types")],
      }),
    });
    expect(box.run(own("typescript/bin/tsc"), "-p", "types")).toEqual({ code: 0, out: "" });
  });
});

test("the runtime that users import is small and has no dependency", () => {
  const manifest: {
    dependencies: Record<string, string>;
    exports: Record<string, Record<string, string>>;
  } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8"));
  expect(Object.keys(manifest.dependencies)).toEqual(["typescript"]);
  for (const [name, entry] of Object.entries(manifest.exports))
    if (typeof entry === "object") expect(Object.keys(entry)[0], name).toBe("types");
});
