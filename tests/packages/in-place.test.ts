// Packages whose own modules a bundler extends. In: tiny packages and settings of the tool. Out: the file that it loads is the one that is
// differentiated, by either engine; lines stay where they are; what the tool does not load has a copy.

import { readFileSync } from "node:fs";
import { build, type BuildOptions } from "esbuild";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import tsgrad from "../../transformer/hosts/esbuild.ts";
import { ProgramService } from "../../transformer/hosts/program-service.ts";
import { aliasOf, RUNTIME } from "./runtime.ts";
import vite from "../../transformer/hosts/vite.ts";
import { sandbox, type Sandbox } from "../hosts/sandbox.ts";

const dual = (k: number, more: string): string =>
  `export function h(x) { ${more} return x * x * ${k}; }`;

/** `more`: a statement that the static engine has no code for. */
function project(more: string): Sandbox {
  return sandbox({
    ...RUNTIME,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "esnext",
        moduleResolution: "bundler",
        strict: true,
        types: [],
        noEmit: true,
      },
      include: ["src/main.ts"],
    }),
    "node_modules/dual/package.json": JSON.stringify({
      name: "dual",
      type: "module",
      exports: {
        ".": {
          types: "./index.d.ts",
          browser: "./browser.js",
          development: "./dev.js",
          node: "./node.js",
          default: "./browser.js",
        },
      },
    }),
    "node_modules/dual/index.d.ts": "export declare function h(x: number): number;",
    "node_modules/dual/node.js": dual(2, more),
    "node_modules/dual/browser.js": dual(3, more),
    "node_modules/dual/dev.js": dual(5, more),
    "node_modules/other/package.json": `{ "name": "other", "type": "module", "main": "index.js" }`,
    "node_modules/other/index.js": dual(7, more),
    "own/dual.js": dual(11, more),
    "src/main.ts": `import { valueAndGrad } from "tsgrad";\nimport { h } from "dual";\nexport const f = (x: number): number => h(x);\nexport const g = valueAndGrad(f);\n`,
  });
}

async function bundled(
  box: Sandbox,
  { alias = {}, ...options }: BuildOptions,
): Promise<{ f(x: number): number; g(x: number): readonly [number, number] }> {
  const { outputFiles } = await build({
    entryPoints: [box.at("src/main.ts")],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    absWorkingDir: box.dir,
    ...options,
    alias: {
      ...aliasOf(box.at),
      ...Object.fromEntries(
        Object.entries(alias).map(([from, to]) => [from, to.startsWith(".") ? box.at(to) : to]),
      ),
    },
    plugins: [tsgrad({ cwd: box.dir })],
  });
  const text = outputFiles?.[0]?.text ?? "";
  return (await import(
    `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`
  )) as Awaited<ReturnType<typeof bundled>>;
}

const SETTINGS: readonly (readonly [string, BuildOptions, number])[] = [
  ["for Node", { platform: "node" }, 2],
  ["for browsers", { platform: "browser" }, 3],
  ["with conditions", { platform: "neutral", conditions: ["development"] }, 5],
  ["with an alias for another package", { alias: { dual: "other" } }, 7],
  ["with an alias for a file of the project", { alias: { dual: "./own/dual.js" } }, 11],
];
const ENGINES = [
  ["static", ""],
  ["delta", "try { x; } finally { x; }"],
] as const;

test.each(SETTINGS.flatMap((one) => ENGINES.map((engine) => [...one, ...engine] as const)))(
  "%s: %o the derivative is of the file with factor %i, engine %s",
  async (_name, options, factor, _engine, more) => {
    const { f, g } = await bundled(project(more), options);
    expect(f(3)).toBe(9 * factor);
    expect(g(3)).toEqual([9 * factor, 6 * factor]);
  },
);

const HIDDEN = `let k = 2;
// a comment at the end of a block
export function set(v) {
  k = v; // without a semicolon behind it
}
export const at = (x) => {
  const inner = function (y) { return y * k }
  return inner(x) * Math.max(x, 0)
}
class Box { #v = 1
  of(x) { return x * this.#v } }
export const made = new Box()
`;

const hidden = (): Sandbox =>
  sandbox({
    ...RUNTIME,
    "tsconfig.json": project("").read("tsconfig.json"),
    "node_modules/kept/package.json": `{ "name": "kept", "type": "module", "exports": { "types": "./index.d.ts", "default": "./index.js" } }`,
    "node_modules/kept/index.d.ts":
      "export declare function set(v: number): void; export declare function at(x: number): number; export declare const made: { of(x: number): number };",
    "node_modules/kept/index.js": HIDDEN,
    "src/main.ts": `import { valueAndGrad } from "tsgrad";\nimport { at, made, set } from "kept";\nset(3);\nexport const f = (x: number): number => at(x) + made.of(x);\nexport const g = valueAndGrad(f);\n`,
  });

test("an extended module keeps its lines, and its code in its order", () => {
  const box = hidden();
  const service = new ProgramService(analyse, { cwd: box.dir, loadsPackages: true });
  const main = box.at("src/main.ts");
  service.answer(main, readFileSync(main, "utf8"));
  const made = service.extended(box.at("node_modules/kept/index.js"), HIDDEN)?.code ?? "";
  const [before, after] = [HIDDEN, made].map((text) => text.split("\n"));
  expect(after).toHaveLength(before?.length ?? 0);
  expect(made).toContain("at$delta");
  // what is inserted is taken out of each line again by what the line had
  before?.forEach((line, k) => {
    let at = 0;
    for (const word of line.match(/[^\s]+/g) ?? []) {
      const found = (after?.[k] ?? "").indexOf(word, at);
      expect(found, `${word} in line ${k + 1}`).toBeGreaterThanOrEqual(at);
      at = found + word.length;
    }
  });
});

test("private state and private fields are those of the package", async () => {
  const { f, g } = await bundled(hidden(), {});
  expect(f(2)).toBe(14);
  expect(g(2)).toEqual([14, 13]);
});

test("Rolldown extends the modules that it loads", async () => {
  const box = hidden();
  const bundle = await rolldown({
    input: box.at("src/main.ts"),
    cwd: box.dir,
    resolve: { alias: aliasOf(box.at) },
    plugins: [vite({ cwd: box.dir })],
  });
  const { output } = await bundle.generate({ format: "esm" });
  const [{ code }] = output;
  const { f, g } = (await import(
    `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
  )) as Awaited<ReturnType<typeof bundled>>;
  expect(f(2)).toBe(14);
  expect(g(2)).toEqual([14, 13]);
});

test("a package that the tool leaves outside of the bundle has a copy, which cannot share state", async () => {
  await expect(bundled(hidden(), { external: ["kept"] })).rejects.toThrow(/TSG1303/);
});

test("text that another plugin has changed is not extended", () => {
  const box = hidden();
  const service = new ProgramService(analyse, { cwd: box.dir, loadsPackages: true });
  const main = box.at("src/main.ts");
  service.answer(main, readFileSync(main, "utf8"));
  const found = service.extended(box.at("node_modules/kept/index.js"), HIDDEN.replace("2", "3"));
  expect(found).toEqual({ code: null, map: null, isOther: true });
});

test("a variable that is read through a namespace object is known, or refused", async () => {
  const box = project("");
  box.write({
    "node_modules/dual/state.js": "export let k = 1; export function set(v) { k = v; }",
    "node_modules/dual/node.js":
      'import * as state from "./state.js"; const pick = (all) => all.k; export function h(x) { try { state.set(x); } finally { void 0; } return pick(state) * x; }',
  });
  const { f, g } = await bundled(box, { platform: "node" });
  expect(f(3)).toBe(9);
  expect(() => g(3)).toThrow(/TSG0010/);
});
