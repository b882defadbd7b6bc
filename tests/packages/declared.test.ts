// Types that a package declares and that say less than its functions give. In: a project with such a package, bundled. Out: gradients against closed forms where the program says that
// it has numbers, errors where it does not.

import { build } from "esbuild";
import path from "node:path";
import { expect, test } from "vitest";
import tsgrad from "../../transformer/hosts/esbuild.ts";
import { sandbox } from "../hosts/sandbox.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
// as the types of packages that also take matrices have it: `spread([1, 2])` is a number
const DECLARED =
  "export declare function spread(xs: number[], axis?: number): number[];\nexport declare const kit: { spread(xs: number[], axis?: number): number[] };\n";
const CODE =
  "export function spread(xs, axis) { const s = xs.reduce((a, x) => a + x * x, 0); return axis === undefined ? s : [s]; }\nexport const kit = { spread };\n";

/** The gradient of a body at [1, 2, 3]; of the sum of squares: [2, 4, 6]. */
async function gradientOf(body: string): Promise<unknown> {
  const box = sandbox({
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "esnext",
        moduleResolution: "bundler",
        strict: true,
        types: [],
        skipLibCheck: true,
        noEmit: true,
        paths: {
          tsgrad: [`${ROOT}/runtime/index.ts`],
          "tsgrad/delta": [`${ROOT}/runtime/delta/index.ts`],
        },
        allowImportingTsExtensions: true,
      },
      include: ["src"],
    }),
    "node_modules/spreads/package.json": `{ "name": "spreads", "type": "module", "exports": { "types": "./index.d.ts", "default": "./index.js" } }`,
    "node_modules/spreads/index.d.ts": DECLARED,
    "node_modules/spreads/index.js": CODE,
    "src/main.ts": `import { grad } from "tsgrad";\nimport { kit, spread } from "spreads";\nfunction f(x: number[]): number { ${body} }\nexport const got = (() => { try { return grad(f)([1, 2, 3]); } catch (error) { return String(error); } })();\n`,
  });
  const alias = {
    tsgrad: `${ROOT}/runtime/index.ts`,
    "tsgrad/delta": `${ROOT}/runtime/delta/index.ts`,
  };
  const { outputFiles } = await build({
    entryPoints: [box.at("src/main.ts")],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    absWorkingDir: box.dir,
    alias,
    plugins: [tsgrad({ cwd: box.dir })],
  });
  const module: unknown = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.text ?? "").toString("base64")}`
  );
  return typeof module === "object" && module !== null && "got" in module ? module.got : undefined;
}

test.each([
  ["cast", "return (spread(x) as unknown as number) * 2;", [4, 8, 12]],
  ["cast in brackets", "return ((kit.spread(x)!) as unknown as number);", [2, 4, 6]],
  ["handed to a function", "return Number(spread(x));", [2, 4, 6]],
  ["what is declared", "return spread(x, 0)[0]!;", [2, 4, 6]],
])("a number, %s", async (_, body, expected) => {
  expect(await gradientOf(body)).toEqual(expected);
});

test.each([
  ["kept", "const s = spread(x); return Number(s);"],
  ["returned", "const of = (xs: number[]) => spread(xs); return Number(of(x));"],
  ["kept in a field", "const o = { s: kit.spread(x) }; return Number(o.s);"],
])("a number that nothing says is one, %s", async (_, body) => {
  expect(await gradientOf(body)).toMatch(
    /TSG0021: a number from `spread` is met where types say there is none/,
  );
});
