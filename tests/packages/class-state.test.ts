// What functions of packages put on classes while they run: flags on a prototype, statics. In: ways to write it, and ways
// to read it. Out: gradients of copies against closed forms, before the package's own code has run and again after it.

import { build } from "esbuild";
import path from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { sandbox } from "../hosts/sandbox.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** `C` is the class. */
const ON_PROTOTYPE = {
  "its name": "C.prototype.on = true;",
  "a key": `C.prototype["on"] = true;`,
  "its constructor": "this.constructor.prototype.on = true;",
  getPrototypeOf: "Object.getPrototypeOf(this).on = true;",
  "new.target": "new.target.prototype.on = true;",
  "Object.assign": "Object.assign(C.prototype, { on: true });",
  defineProperty: `Object.defineProperty(C.prototype, "on", { value: true, configurable: true });`,
  "a function": "mark(C.prototype);",
  "a constant": "const p = C.prototype; p.on = true;",
};
const ON_CLASS = {
  "its name": "C.on = true;",
  "its constructor": "this.constructor.on = true;",
  "new.target": "new.target.on = true;",
  "Object.assign": "Object.assign(C, { on: true });",
  "a function": "mark(C);",
};
const OF_INSTANCE = {
  "the instance": "this.on",
  "its prototype": "C.prototype.on",
  "the constructor's": "this.constructor.prototype.on",
};
const OF_CLASS = { "the class": "C.on", "the constructor": "this.constructor.on" };

interface Case {
  readonly what: string;
  readonly put: string;
  readonly read: string;
}

const crossed = (puts: Record<string, string>, reads: Record<string, string>): Case[] =>
  Object.entries(puts).flatMap(([by, put]) =>
    Object.entries(reads).map(([of, read]) => ({ what: `put by ${by}, read of ${of}`, put, read })),
  );
const CASES: readonly Case[] = [
  ...crossed(ON_PROTOTYPE, OF_INSTANCE).map((one) => ({ ...one, what: `prototype: ${one.what}` })),
  ...crossed(ON_CLASS, OF_CLASS).map((one) => ({ ...one, what: `static: ${one.what}` })),
];

const named = (text: string, i: number): string => text.replaceAll(/\bC\b/g, `C${i}`);
const PACKAGE = `const mark = (o) => { o.on = true; };
${CASES.map(({ put, read }, i) => named(`export class C { constructor(k) { this.k = k; ${put} } value() { return ${read} ? this.k ** 2 : 5 * this.k; } }`, i)).join("\n")}
`;
const DECLARED = CASES.map(
  (_, i) => `export class C${i} { k: number; constructor(k: number); value(): number; }`,
).join("\n");
const PROGRAM = `import { grad } from "tsgrad";
import * as all from "marks";
${CASES.map((_, i) => `const f${i} = (x: number): number => new all.C${i}(x).value();\nconst d${i} = grad(f${i});`).join("\n")}
export const made = [${CASES.map((_, i) => `{ f: f${i}, d: d${i} }`).join(", ")}];
`;

let made: readonly { f: (x: number) => number; d: (x: number) => number }[] = [];
let errors: readonly string[] = [];

beforeAll(async () => {
  const box = sandbox(
    {
      "node_modules/tsgrad/package.json": `{ "name": "tsgrad", "types": "./index.d.ts" }`,
      "node_modules/tsgrad/index.d.ts":
        "export declare function grad(f: (x: number) => number, derivative?: (x: number) => number): (x: number) => number;\n",
      "node_modules/marks/package.json": `{ "name": "marks", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
      "node_modules/marks/index.js": PACKAGE,
      "node_modules/marks/index.d.ts": DECLARED,
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
  box.write({ "src/main.ts": applyEdits(file, PROGRAM, edits.get(file) ?? []).text });
  const { outputFiles } = await build({
    entryPoints: [file],
    ...{ bundle: true, write: false, format: "esm", outdir: box.dir, logLevel: "silent" },
    alias: { tsgrad: `${ROOT}/runtime/index.ts`, "tsgrad/delta": `${ROOT}/runtime/delta/index.ts` },
  });
  const code = Buffer.from(outputFiles[0]?.text ?? "").toString("base64");
  ({ made } = await import(`data:text/javascript;base64,${code}`));
});

test("the build accepts them", () => {
  expect(errors).toEqual([]);
});

test.each(CASES.map((one, i) => [one.what, i] as const))("%s", (_, i) => {
  const { f, d } = made[i] ?? { f: () => NaN, d: () => NaN };
  expect([d(3), d(3), f(3), d(3)]).toEqual([6, 6, 9, 6]);
});
