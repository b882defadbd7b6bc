// Packages of which one function is the static engine's and another the Delta engine's, in a host that does not load packages.
// In: a program with several. Out: which engine takes which function, and gradients against closed forms.

import { build } from "esbuild";
import path from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { sandbox } from "../hosts/sandbox.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** `square` is static; `odd` is not, since what it reads is chosen while it runs. */
const CODE = `
export const square = (x) => x * x;
export const odd = (x) => ({ a: x * x * x, b: x })[String.fromCharCode(97)];
`;
/** State that a copy for Delta would not share with the package that other code calls. */
const STATE = `${CODE}
export let by = Math.random;
export function noise(x) { return by() * x; }
export function setNoise(f) { by = f; }
`;
/** A class whose methods share an object of the module: those that the static engine cannot take, too. */
const CLASS = `
export class Vec {
  constructor(x, y) { this.x = x; this.y = y; }
  set(x, y) { this.x = x; this.y = y; return this; }
  dot(v) { return this.x * v.x + this.y * v.y; }
  turned(v) { return scratch.set(v.y, v.x).dot(this); }
}
const scratch = new Vec(0, 0);
export const square = (x) => x * x;
export const odd = square;
`;
const DECLARED_CLASS = `export declare class Vec { constructor(x: number, y: number); x: number; y: number; set(x: number, y: number): this; dot(v: Vec): number; turned(v: Vec): number; }
`;
const DECLARED = `export declare function square(x: number): number;\nexport declare function odd(x: number): number;\n`;

const PACKAGES = { plain: CODE, held: STATE, shared: CLASS, other: CODE } as const;

const PROGRAM = `import { grad } from "tsgrad";
import { v as plain } from "plain";
import { v as held } from "held";
import { v as shared } from "shared";
import { v as other } from "other";
export const made = {
  "plain, square": grad((x: number): number => plain.square(x)),
  "plain, odd": grad((x: number): number => plain.odd(x)),
  "held, square": grad((x: number): number => held.square(x)),
  "held, odd": grad((x: number): number => held.odd(x)),
  "shared, square": grad((x: number): number => new shared.Vec(x, 0).dot(new shared.Vec(x, 1))),
  "shared, odd": grad((x: number): number => 27 * new shared.Vec(0, x).turned(new shared.Vec(1, 0))),
  "other, square": grad((x: number): number => other.square(x)),
};
`;

let made: Readonly<Record<string, (x: number) => number>> = {};
let errors: readonly string[] = [];
let text = "";

beforeAll(async () => {
  const box = sandbox(
    {
      "node_modules/tsgrad/package.json": `{ "name": "tsgrad", "types": "./index.d.ts" }`,
      "node_modules/tsgrad/index.d.ts":
        "export declare function grad(f: (x: number) => number, derivative?: (x: number) => number): (x: number) => number;\n",
      ...Object.fromEntries(
        Object.entries(PACKAGES).flatMap(([name, code]) => [
          [
            `node_modules/${name}/package.json`,
            `{ "name": "${name}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
          ],
          [`node_modules/${name}/index.js`, `export * as v from "./v.js";\n`],
          [`node_modules/${name}/index.d.ts`, `export * as v from "./v.js";\n`],
          [`node_modules/${name}/v.js`, code],
          [`node_modules/${name}/v.d.ts`, `${code === CLASS ? DECLARED_CLASS : ""}${DECLARED}`],
        ]),
      ),
      "src/main.ts": PROGRAM,
    },
    { stubs: false },
  );
  const file = box.at("src/main.ts");
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    ...{ strict: true, types: [], lib: ["lib.es2022.d.ts"], skipLibCheck: true, noEmit: true },
  });
  const { edits, diagnostics } = analyse({ ts, program, system: ts.sys });
  errors = diagnostics.map(({ code, message }) => `${code} ${message}`);
  ({ text } = applyEdits(file, PROGRAM, edits.get(file) ?? []));
  box.write({ "src/main.ts": text });
  const { outputFiles } = await build({
    entryPoints: [file],
    ...{ bundle: true, write: false, format: "esm", outdir: box.dir, logLevel: "silent" },
    alias: { tsgrad: `${ROOT}/runtime/index.ts`, "tsgrad/delta": `${ROOT}/runtime/delta/index.ts` },
  });
  const code = Buffer.from(outputFiles[0]?.text ?? "").toString("base64");
  ({ made } = await import(`data:text/javascript;base64,${code}`));
});

test("a package is left to Delta where two engines would have its state twice, and no other", () => {
  expect(errors).toEqual([]);
  const engines = [...text.matchAll(/^ {2}"(.*?)": grad\(.*$/gm)].map(([line, name]) => [
    name,
    line.includes("$d.grad") ? "delta" : "static",
  ]);
  expect(Object.fromEntries(engines)).toEqual({
    "plain, square": "static",
    "plain, odd": "delta",
    "held, square": "static",
    "held, odd": "delta",
    "shared, square": "delta",
    "shared, odd": "delta",
    "other, square": "static",
  });
});

test.each(
  ["plain", "held", "shared"]
    .flatMap((name) => [`${name}, square`, `${name}, odd`])
    .concat("other, square"),
)("%s", (name) => {
  expect(made[name]?.(3)).toBe(name.includes("odd") ? 27 : 6);
});
