// Packages that no derivative reaches. In: a program that imports one beside the package that it differentiates. Out: no module of it is
// read, and no function that it is given is rewritten; where packages have a third in common, functions reach the derivative through it.

import { build, type Plugin, type PluginBuild } from "esbuild";
import { expect, test } from "vitest";
import tsgrad from "../../transformer/hosts/esbuild.ts";
import { sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { aliasOf, RUNTIME } from "./runtime.ts";

const packageOf = (
  name: string,
  types: string,
  modules: Readonly<Record<string, string>>,
  dependencies: Readonly<Record<string, string>> = {},
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      "package.json": JSON.stringify({
        name,
        type: "module",
        types: "./index.d.ts",
        exports: { types: "./index.d.ts", default: "./index.js" },
        dependencies,
      }),
      "index.d.ts": types,
      ...modules,
    }).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
  );

const CALLBACK = "export declare function keep(f: (x: number) => number): void;";
const FILES: Readonly<Record<string, string>> = {
  ...RUNTIME,
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      ...{ target: "es2022", module: "esnext", moduleResolution: "bundler" },
      ...{ strict: true, types: [], noEmit: true },
    },
    include: ["src"],
  }),
  ...packageOf(
    "used",
    "export declare function square(x: number): number;\nexport declare function tried(x: number): number;\nexport declare class Scale { k: number; constructor(k: number); at(x: number): number; }",
    {
      "index.js": `import { half } from "./half.js";
export const square = (x) => half(2 * x * x);
export function tried(x) { try { return x * x; } finally { half(1); } }
export class Scale { constructor(k) { this.k = k; } at(x) { return this.k * x * x; } }
`,
      "half.js": "export const half = (x) => x / 2;\n",
    },
  ),
  ...packageOf("bystander", CALLBACK, {
    "index.js": `export { keep } from "./kept.js";\n`,
    "kept.js": `import { list } from "./list.js";\nexport function keep(f) { list.push(f); }\n`,
    "list.js": "export const list = [];\n",
  }),
  ...packageOf("shared", "", { "index.js": "export const kept = [];\n" }),
  ...packageOf(
    "giver",
    CALLBACK,
    {
      "index.js": `import { kept } from "shared";\nexport const keep = (f) => void kept.push(f);\n`,
    },
    { shared: "1" },
  ),
  ...packageOf(
    "taker",
    "export declare function all(x: number): number;",
    {
      "index.js": `import { kept } from "shared";\nexport function all(x) { let sum = 0; for (const f of kept) sum += f(x); return sum; }\n`,
    },
    { shared: "1" },
  ),
  "src/beside.ts": `import { keep } from "bystander";\nexport const cubed = (x: number): number => x * x * x;\nkeep(cubed);\nkeep((x) => 5 * x);\n`,
  "src/given.ts": `import { keep } from "giver";\nconst cubed = (x: number): number => x * x * x;\nkeep(cubed);\nkeep((x) => 5 * x);\n`,
};

/** `asked`: of the imports in which modules the plugin wants to know what they load. */
async function built(
  box: Sandbox,
): Promise<{ readonly text: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const plugin = tsgrad({ cwd: box.dir });
  const watched: Plugin = {
    name: "watched",
    setup: (tool) => {
      const resolve: PluginBuild["resolve"] = (name, options) => {
        asked.push(options?.importer ?? "");
        return tool.resolve(name, options);
      };
      return plugin.setup(Object.create(tool, { resolve: { value: resolve } }) as PluginBuild); // a copy of it
    },
  };
  const { outputFiles } = await build({
    entryPoints: [box.at("src/main.ts")],
    ...{ bundle: true, write: false, format: "esm", logLevel: "silent", absWorkingDir: box.dir },
    alias: aliasOf(box.at),
    plugins: [watched],
  });
  return { text: outputFiles[0]?.text ?? "", asked };
}

const run = async (text: string): Promise<{ readonly slope: unknown }> =>
  (await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)) as Awaited<
    ReturnType<typeof run>
  >;

test.each([
  ["a function, static engine", "square", "square(x)"],
  ["a function, Delta engine", "tried", "tried(x)"],
  ["a class", "Scale", "new Scale(1).at(x)"],
])("%s: nothing of another package is read", async (_, name, value) => {
  const main = `import { grad } from "tsgrad";\nimport "./beside.ts";\nimport { ${name} } from "used";\nexport const slope = grad((x: number): number => ${value})(3);\n`;
  const { text, asked } = await built(sandbox({ ...FILES, "src/main.ts": main }, { stubs: false }));
  expect((await run(text)).slope).toBe(6);
  expect(asked.filter((file) => file.includes("/bystander/"))).toEqual([]);
  // as they were written
  expect(text).toMatch(/\bcubed = \(x\) => x \* x \* x;\s+keep\d*\(cubed\);/);
  expect(text).toMatch(/\bkeep\d*\(\(x\) => 5 \* x\);/);
});

test("a function reaches one package through another that both depend on", async () => {
  const main = `import { grad } from "tsgrad";\nimport "./given.ts";\nimport { all } from "taker";\nexport const slope = grad((x: number): number => all(x))(3);\n`;
  const { text } = await built(sandbox({ ...FILES, "src/main.ts": main }, { stubs: false }));
  expect((await run(text)).slope).toBe(3 * 3 * 3 + 5);
});

test("a function that reaches a package on another way is an error of the run", async () => {
  const main = `import { grad } from "tsgrad";\nimport "./given.ts";\nimport { all } from "taker";\nexport const slope = () => grad((x: number): number => all(x))(3);\n`;
  const hidden = {
    ...packageOf("giver", CALLBACK, {
      "index.js": "export const keep = (f) => void (globalThis.keptByGiver ??= []).push(f);\n",
    }),
    ...packageOf("taker", "export declare function all(x: number): number;", {
      "index.js":
        "export const all = (x) => globalThis.keptByGiver.reduce((sum, f) => sum + f(x), 0);\n",
    }),
  };
  const { text } = await built(
    sandbox({ ...FILES, ...hidden, "src/main.ts": main }, { stubs: false }),
  );
  expect((await run(text)).slope).toThrow("TSG0010");
});
