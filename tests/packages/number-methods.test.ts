// Methods that one module of a package gives to numbers, called by another module of it, in copies
// and in place. Oracle: central differences of the package's own functions, in the same build.

import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import tsgrad from "../../transformer/hosts/esbuild.ts";
import { sandbox } from "../hosts/sandbox.ts";
import { built, expectGradient, type Made, programOf } from "./built.ts";
import { savedPrototypes } from "./prototypes.ts";
import { aliasOf, RUNTIME } from "./runtime.ts";

const PACKAGE: Readonly<Record<string, string>> = {
  "angles/package.json": `{ "name": "angles", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
  "angles/index.d.ts": `export declare class Angle { constructor(at: number); sine(): number; }
export declare function turned(x: number): number;
export declare function nested(x: number): number;`,
  "angles/methods.js": `Number.prototype.inHalves = function () { return this * Math.PI / 2; };
Number.prototype.by = function (k) { return this * k + this.inHalves(); };`,
  "angles/index.js": `import "./methods.js";
export class Angle { constructor(at) { this.at = at; } sine() { return Math.sin(this.at.inHalves()); } }
export function turned(x) { const y = (x * x).inHalves(); return y * x.by(y); }
export function nested(x) { return [x, 2 * x].map((each) => each.by(each)).reduce((s, each) => s + each.inHalves(), 0); }`,
};

const BODIES = [
  "new Angle(x[0]!).sine() * x[1]!",
  "turned(x[0]! * x[1]!)",
  "nested(x[0]!) * x[1]!",
];
const programs = BODIES.map((body, k) =>
  programOf(
    `src/case${k}.ts`,
    `import { Angle, nested, turned } from "angles"; void [Angle, nested, turned];`,
    body,
  ),
);

const made: Record<"in a copy" | "in place", (Made | undefined)[]> = {
  "in a copy": [],
  "in place": [],
};

const restore = savedPrototypes();
afterAll(restore);

beforeAll(async () => {
  const copies = await built(PACKAGE, [programs]);
  expect(copies.errors).toEqual([]);
  made["in a copy"] = programs.map(({ file }) => copies.made.get(file)?.module);
  const box = sandbox({
    ...RUNTIME,
    // both builds run in one process, whose numbers have one prototype
    ...Object.fromEntries(
      Object.entries(PACKAGE).map(([file, text]) => [
        `node_modules/${file}`,
        text.replaceAll("inHalves", "halved").replaceAll(".by", ".times"),
      ]),
    ),
    "tsconfig.json": `{ "compilerOptions": { "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true, "types": [], "noEmit": true, "skipLibCheck": true, "allowImportingTsExtensions": true }, "include": ["src"] }`,
    "src/main.ts": programs.map((_, k) => `export * as case${k} from "./case${k}.ts";`).join("\n"),
    ...Object.fromEntries(programs.map(({ file, text }) => [file, text])),
  });
  const { outputFiles } = await build({
    entryPoints: [box.at("src/main.ts")],
    ...{ bundle: true, write: false, format: "esm", logLevel: "silent" },
    absWorkingDir: box.dir,
    alias: aliasOf(box.at),
    plugins: [tsgrad({ cwd: box.dir })],
  });
  const text = outputFiles[0]?.text ?? "";
  // the exports of what was bundled
  const modules = (await import(
    `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`
  )) as Readonly<Record<string, Made>>;
  made["in place"] = programs.map((_, k) => modules[`case${k}`]);
}, 120_000);

describe.each(["in a copy", "in place"] as const)("%s", (where) => {
  test.each(BODIES.map((body, k) => [body, k] as const))("%s", (_, k) => {
    const module = made[where][k];
    if (module === undefined) throw new Error("not built");
    expectGradient(module, [0.7, 1.9]);
  });
});
