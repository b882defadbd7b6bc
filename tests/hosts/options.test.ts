// Options of the plugins, and of the plugin in tsconfig.json: what is unknown or wrong is said, and `engine: "static"` holds for a whole
// project. The function catches, which only the Delta engine takes.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { build } from "../../transformer/hosts/build.ts";
import esbuildPlugin from "../../transformer/hosts/esbuild.ts";
import { checkedOptions } from "../../transformer/hosts/options.ts";
import { ProgramService } from "../../transformer/hosts/program-service.ts";
import { standaloneLoader } from "../../transformer/hosts/standalone-loader.ts";
import { sandbox, type Sandbox } from "./sandbox.ts";

test.each([
  [{ engin: "static" }, "has no option 'engin'; did you mean 'engine'?"],
  [{ tsConfig: "x" }, "has no option 'tsConfig'; did you mean 'tsconfig'?"],
  [{ engine: "delta" }, `needs "static" as its option 'engine'`],
  [{ engine: true }, `needs "static" as its option 'engine'`],
  [{ packages: "three" }, "needs an array of package names as its option 'packages'"],
  [{ packages: ["three", 3] }, "needs an array of package names as its option 'packages'"],
  [{ cwd: 1 }, "needs a string as its option 'cwd'"],
  [{ tsconfig: null }, "needs a string as its option 'tsconfig'"],
])("%j %s", (options, message) => {
  expect(() => checkedOptions("tsgrad/vite", options)).toThrow(`tsgrad/vite ${message}`);
});

test("esbuild shows a wrong option as an error of the build, without a stack", () => {
  const errors: string[] = [];
  void esbuildPlugin({ engin: "static" } as object).setup({
    initialOptions: {},
    onStart: (start: () => { errors: { text: string }[] }) =>
      void errors.push(...start().errors.map(({ text }) => text)),
  } as { initialOptions: object });
  expect(errors).toEqual([expect.stringContaining("tsgrad/esbuild has no option 'engin'")]);
});

test("what is right", () => {
  const options = { tsconfig: "t.json", cwd: undefined, packages: ["three"], engine: "static" };
  expect(checkedOptions("tsgrad/vite", options)).toBe(options);
});

const MAIN = (options: string): string =>
  `import { grad } from "tsgrad";\nfunction f(x: number): number { try { return x * x; } catch { return 0; } }\nexport const g = grad(f${options});\n`;

function project(plugin: object | null, options = ""): Sandbox {
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    types: [],
    lib: ["es2022"],
    rootDir: "src",
    outDir: "dist",
    noEmitOnError: true,
    ...(plugin === null ? {} : { plugins: [{ transform: "tsgrad/transform", ...plugin }] }),
  };
  return sandbox({
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    "src/engine.d.ts": `declare module "tsgrad/delta";\n`,
    "src/main.ts": MAIN(options),
  });
}

const codes = (box: Sandbox, engine?: "static"): readonly string[] => {
  const service = new ProgramService(analyse, {
    cwd: box.dir,
    ...(engine === undefined ? {} : { engine }),
  });
  const { findings = [], code } =
    service.answer(box.at("src/main.ts"), box.read("src/main.ts")) ?? {};
  return findings.length === 0 && code?.includes("$d.") === true
    ? ["Delta"]
    : findings.map(({ text }) => text.slice(0, 7));
};

describe("the engine for a project", () => {
  test.each<[string, object | null, "static" | undefined, string]>([
    ["none", null, undefined, "Delta"],
    ["of a bundler's plugin", null, "static", "TSG1110"],
    ["of the plugin in tsconfig.json", { engine: "static" }, undefined, "TSG1110"],
    ["of both", { engine: "static" }, "static", "TSG1110"],
    ["none, in a plugin with another option", { packages: ["x"] }, undefined, "Delta"],
  ])("%s", (_, plugin, engine, outcome) => {
    expect(codes(project(plugin), engine)).toEqual([outcome]);
  });

  test("a call that asks for the Delta engine has it", () => {
    expect(codes(project(null, `, { engine: "delta" } as never`), "static")).toEqual(["Delta"]);
  });

  test.each([[null, 0] as const, [{ engine: "static" }, 1] as const])(
    "tsc, with %j",
    (plugin, code) => {
      expect(build(ts, analyse, ["-p", project(plugin).dir])).toBe(code);
    },
  );

  test("the loader without a plugin checks its options, and knows the engine", () => {
    const box = project(null);
    const load = standaloneLoader(analyse);
    const run = (options: object): string => {
      let outcome = "";
      load(
        {
          resourcePath: box.at("src/main.ts"),
          rootContext: box.dir,
          getOptions: () => options,
          addDependency: () => undefined,
          callback: (error, text) => {
            outcome = error?.message ?? text ?? "";
          },
        },
        box.read("src/main.ts"),
      );
      return outcome;
    };
    expect(run({})).toContain("$d.");
    expect(run({ engine: "static" })).toContain("TSG1110");
    expect(() => run({ engin: "static" })).toThrow("did you mean 'engine'?");
  });
});
