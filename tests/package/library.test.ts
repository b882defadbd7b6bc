// Separate compilation: a package that ships derivatives, packed, installed, and differentiated through by a program that sees its declarations
// only; the same by project references. Every gradient is compared with central differences of the primal, which share nothing with tsgrad.

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { repository, type Sandbox } from "../hosts/sandbox.ts";
import { install, pack } from "./install.ts";

const fixture = path.join(repository, "fixtures/projects/library-vector");
const text = (name: string): string => readFileSync(path.join(fixture, name), "utf8");
const withPlugin = (tsconfig: string): string =>
  tsconfig.replace(
    `"types": []`,
    `"types": [], "plugins": [{ "transform": "tsgrad/transform", "transformProgram": true }]`,
  );

interface Result {
  readonly gradient: readonly number[];
  readonly reference: readonly number[];
  readonly value?: readonly [number, number];
}

function check(out: string): void {
  const results: Record<string, Result> = JSON.parse(out);
  expect(Object.keys(results)).toHaveLength(15);
  for (const [name, { gradient, reference, value }] of Object.entries(results)) {
    if (value !== undefined) expect(value[0]).toBe(value[1]);
    else
      expect(
        gradient.some((v) => v !== 0),
        name,
      ).toBe(true);
    expect(gradient).toHaveLength(reference.length);
    // central differences with step 1e-5 of functions whose third derivatives are below 1000: 1e-7; it cannot see smaller errors
    gradient.forEach((v, i) => {
      expect(Math.abs(v - (reference[i] ?? NaN)), `${name} ${i}`).toBeLessThan(
        1e-7 * (1 + Math.abs(v)),
      );
    });
  }
}

let tsgrad = "";
let library: Sandbox;
beforeAll(() => {
  tsgrad = pack();
  library = install(tsgrad, ["typescript@6.0.3", "ts-patch@3.3.0"], {});
  cpSync(path.join(fixture, "library"), library.dir, { recursive: true });
  expect(library.run(library.at("node_modules/.bin/tsgrad"), "build", "-p", ".")).toEqual({
    code: 0,
    out: "",
  });
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], {
    cwd: library.dir,
    stdio: "pipe",
  });
});

describe("a package", () => {
  let box: Sandbox;
  const tarball = (): string =>
    library.at(readdirSync(library.dir).find((name) => name.endsWith(".tgz")) ?? "");
  beforeAll(() => {
    box = install(
      tsgrad,
      ["typescript@6.0.3", "ts-patch@3.3.0"],
      {
        "src/main.ts": text("consumer/src/main.ts"),
        "tsconfig.json": text("consumer/tsconfig.json"),
        "tspc.json": withPlugin(text("consumer/tsconfig.json")),
      },
      [tarball()],
    );
  });

  test("has no sources", () =>
    expect(readdirSync(box.at("node_modules/library-vector")).sort()).toEqual([
      "dist",
      "package.json",
    ]));

  test("declares its derivatives beside their primals", () => {
    const declarations = box.read("node_modules/library-vector/dist/vector.d.ts");
    expect(declarations).toMatch(
      /export declare function wave\$revf\(x: number, k: number\): wave\$Bog;/,
    );
    expect(declarations).toMatch(/export declare const axpy\$shipped = "tsgrad 1 out";/);
    expect(box.read("node_modules/library-vector/dist/index.d.ts")).toContain(
      "dot$revf as inner$revf",
    );
  });

  test("npx tsgrad build", () => {
    expect(box.run(box.at("node_modules/.bin/tsgrad"), "build", "-p", ".")).toEqual({
      code: 0,
      out: "",
    });
    check(box.run(box.at("dist/main.js")).out);
  });

  test("npx tspc, for the package and for the program", () => {
    library.write({
      "tspc.json": withPlugin(text("library/tsconfig.json")).replace(`"dist"`, `"tspc"`),
    });
    expect(library.run(library.at("node_modules/ts-patch/bin/tspc.js"), "-p", "tspc.json")).toEqual(
      { code: 0, out: "" },
    );
    for (const name of ["vector.js", "vector.d.ts", "index.js", "index.d.ts"])
      expect(library.read(`tspc/${name}`), name).toBe(library.read(`dist/${name}`));
    expect(
      box.run(box.at("node_modules/ts-patch/bin/tspc.js"), "-p", "tspc.json", "--outDir", "tspc"),
    ).toEqual({ code: 0, out: "" });
    expect(box.read("tspc/main.js")).toBe(box.read("dist/main.js"));
  });

  test("an esbuild bundle", async () => {
    const entry: { readonly default: (options?: object) => Plugin } = await import(
      pathToFileURL(box.at("node_modules/tsgrad/dist/esbuild.cjs")).href
    );
    await build({
      absWorkingDir: box.dir,
      entryPoints: ["src/main.ts"],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: "bundle/main.js",
      logLevel: "silent",
      plugins: [entry.default()],
    });
    check(box.run(box.at("bundle/main.js")).out);
  });

  test("a package of another format, or without derivatives, is followed by its source, or refused without one", () => {
    const program = (
      dir: string,
      code: number,
      edit: (declarations: string) => string,
      name = "library-vector",
      without: readonly string[] = [],
    ): string => {
      box.write({
        [`${dir}/src/main.ts`]: `import { grad } from "tsgrad";\nimport { wave } from "${name}";\nexport const d = grad((x: number) => wave(x, 2));\n`,
        [`${dir}/tsconfig.json`]: text("consumer/tsconfig.json"),
      });
      cpSync(box.at("node_modules/library-vector"), box.at(`${dir}/node_modules/${name}`), {
        recursive: true,
      });
      for (const file of ["vector.d.ts", "index.d.ts"])
        box.write({
          [`${dir}/node_modules/${name}/dist/${file}`]: edit(
            box.read(`node_modules/library-vector/dist/${file}`),
          ),
        });
      for (const file of without) rmSync(box.at(`${dir}/node_modules/${name}/dist/${file}`));
      const done = box.run(box.at("node_modules/.bin/tsgrad"), "build", "-p", dir);
      expect(done.code, done.out).toBe(code);
      return done.out;
    };
    const stale = (declarations: string): string =>
      declarations.replace(`wave$shipped = "tsgrad 1"`, `wave$shipped = "tsgrad 0"`);
    const own = /^function d\$grad\(x\) \{[^]*Math\.cos\(t\)/m;
    expect(program("stale", 0, stale)).toBe("");
    expect(box.read("stale/dist/main.js")).toMatch(own);
    expect(
      program("sourceless", 2, stale, "library-sourceless", ["vector.js", "index.js"]),
    ).toMatch(/main\.ts\(3,\d+\): error TSG1017: .*`wave`.*`tsgrad 0`/);
    const plain = (declarations: string): string =>
      declarations.replace(/^(export |type ).*\$.*$/gm, "");
    expect(program("plain", 0, plain)).toBe("");
    expect(box.read("plain/dist/main.js")).toMatch(own);
    expect(program("bare", 2, plain, "library-bare", ["vector.js", "index.js"])).toMatch(
      /TSG1301: .*`library-bare`, which has no JavaScript source/,
    );
  });
});

test("project references", () => {
  const box = install(tsgrad, ["typescript@6.0.3", "ts-patch@3.3.0"], {
    "library/src/vector.ts": text("library/src/vector.ts"),
    "library/src/index.ts": text("library/src/index.ts"),
    "library/package.json": text("library/package.json"),
    "library/tsconfig.json": withPlugin(text("library/tsconfig.json")),
    "consumer/src/main.ts": text("consumer/src/main.ts").replaceAll(
      `"library-vector"`,
      `"../../library/dist/index.js"`,
    ),
    "consumer/tsconfig.json": withPlugin(text("consumer/tsconfig.json")).replace(
      `"include"`,
      `"references": [{ "path": "../library" }],\n  "include"`,
    ),
  });
  expect(box.run(box.at("node_modules/ts-patch/bin/tspc.js"), "-b", "consumer")).toEqual({
    code: 0,
    out: "",
  });
  check(box.run(box.at("consumer/dist/main.js")).out);
});
