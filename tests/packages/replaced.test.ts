// Classes of packages whose members other code replaces: in the module, in another one, in the program. In: ways to write
// it. Out: whether the static engine takes the class, and gradients against closed forms where the build accepts it.

import { build } from "esbuild";
import path from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { sandbox } from "../hosts/sandbox.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const AT = [2, 3];

const CLASS = `export class Vec {
  constructor(x, y) { this.x = x; this.y = y; }
  get long() { return this.x + this.y; }
  len() { return this.x + this.y; }
  static of(a) { return new Vec(a, a + a); }
}
`;
const DECLARED = `export class Vec { constructor(x: number, y: number); x: number; y: number; get long(): number; len(): number; static of(a: number): Vec; other(): number; }
`;
const LEN = "function () { return this.x * this.y * this.y; }";

interface Way {
  readonly what: string;
  readonly code: string;
  /** Absent for ways that replace nothing. */
  readonly member?: "len" | "long" | "of";
}

const way = (what: string, code: string, member: Way["member"] = "len"): Way => ({
  ...{ what, code, member },
});

const WAYS: readonly Way[] = [
  way("an assignment", `Vec.prototype.len = ${LEN};`),
  way("a key", `Vec.prototype["len"] = ${LEN};`),
  way("computed keys", `for (const k of ["len"]) Vec.prototype[k] = ${LEN};`),
  way("a function", `function install(C) { C.prototype.len = ${LEN}; }\ninstall(Vec);`),
  way("a function of two", `const put = (A, B) => { B.prototype.len = ${LEN}; };\nput(Map, Vec);`),
  way(
    "a parameter of its name",
    `class Two {}\nfunction put(Two) { Two.prototype.len = ${LEN}; }\nfor (const C of [Vec]) put(C);`,
  ),
  way("a name of the prototype", `const p = Vec.prototype;\np.len = ${LEN};`),
  way("another name", `const V = Vec;\nV.prototype.len = ${LEN};`),
  way("a list", `[Vec].forEach((C) => { C.prototype.len = ${LEN}; });`),
  way("a table", `const all = { Vec };\nall.Vec.prototype.len = ${LEN};`),
  way("a loop", `const all = [Vec];\nfor (const C of all) C.prototype.len = ${LEN};`),
  way("a Map", `const all = new Map([["v", Vec]]);\nall.get("v").prototype.len = ${LEN};`),
  way("a later name", `let V;\nV = Vec;\nV.prototype.len = ${LEN};`),
  way("a pattern", `const [V] = [Vec];\nV.prototype.len = ${LEN};`),
  way("a function's result", `const get = () => Vec;\nget().prototype.len = ${LEN};`),
  way(
    "a nested table",
    `const all = { in: { Vec } };\nconst p = all.in.Vec.prototype;\np.len = ${LEN};`,
  ),
  way("a field of a class", `class H { static V = Vec; }\nH.V.prototype.len = ${LEN};`),
  way("a closure", `const put = () => { Vec.prototype.len = ${LEN}; };\nput();`),
  way("a choice", `const V = Map && Vec;\nV.prototype.len = ${LEN};`),
  way("a chosen class", `(globalThis.none ? Map : Vec).prototype.len = ${LEN};`),
  way("an instance's name", `const v = new Vec(1, 1);\nObject.getPrototypeOf(v).len = ${LEN};`),
  way(
    "an instance's constructor",
    `const v = new Vec(1, 1);\nv.constructor.prototype.len = ${LEN};`,
  ),
  way("Object.assign", `Object.assign(Vec.prototype, { len: ${LEN} });`),
  way("a mixin", `const m = { len: ${LEN} };\nObject.assign(Vec.prototype, m);`),
  way("a passed prototype", `const mix = (p) => { p.len = ${LEN}; };\nmix(Vec.prototype);`),
  way("defineProperty", `Object.defineProperty(Vec.prototype, "len", { value: ${LEN} });`),
  way("a getter", `Object.defineProperty(Vec.prototype, "long", { get: ${LEN} });`, "long"),
  way("getPrototypeOf", `Object.getPrototypeOf(new Vec(1, 1)).len = ${LEN};`),
  way("__proto__", `new Vec(1, 1).__proto__.len = ${LEN};`),
  way("its constructor", `new Vec(1, 1).constructor.prototype.len = ${LEN};`),
  way("a static method", `Vec.of = (a) => new Vec(a, a * a);`, "of"),
  way("a static method by key", `Vec["of"] = (a) => new Vec(a, a * a);`, "of"),
  way("a static of a table", `const all = { Vec };\nall.Vec.of = (a) => new Vec(a, a * a);`, "of"),
  way("a static of a list", `for (const C of [Vec]) C.of = (a) => new Vec(a, a * a);`, "of"),
  way(
    "a static of a chosen class",
    `const C = globalThis.none ? Map : Vec;\nC.of = (a) => new Vec(a, a * a);`,
    "of",
  ),
  way("statics", `Object.assign(Vec, { of: (a) => new Vec(a, a * a) });`, "of"),
  way("a static of a parameter", `(function (C) { C.of = (a) => new Vec(a, a * a); })(Vec);`, "of"),
  { what: "another method", code: `Vec.prototype.other = ${LEN};` },
  { what: "another method of a parameter", code: `((C) => { C.prototype.other = ${LEN}; })(Vec);` },
  {
    what: "another class",
    code: `class Two { len() { return 1; } static of() {} }\nTwo.prototype.len = ${LEN};\nTwo.of = () => 1;`,
  },
  {
    what: "reads",
    code: `const all = Object.keys(Vec.prototype), had = Vec.prototype.len, p = [1]; p[0] = had;`,
  },
  {
    what: "another object",
    code: `const o = { len: 1, of: 2 };\no.len = ${LEN};\no.of = Vec.prototype.len;`,
  },
];

const BODIES = {
  len: ["new Vec(x[0]!, x[1]!).len()", [9, 12]],
  long: ["new Vec(x[0]!, x[1]!).long", [9, 12]],
  of: ["Vec.of(x[0]!).y * x[1]!", [12, 4]],
  none: ["new Vec(x[0]!, x[1]!).len() + Vec.of(x[0]!).long", [4, 1]],
} as const;

/** The static engine refuses these; the copies of the other one lack what is done there. */
const NOT_COPIED: string[] = [];

const PLACES = ["own", "other", "loaded", "namespace", "commonjs", "user"] as const;

interface Case extends Way {
  readonly place: (typeof PLACES)[number];
}

const CASES: readonly Case[] = WAYS.flatMap((one) =>
  PLACES.flatMap((place) =>
    NOT_COPIED.includes(`${one.what}, ${place}`) ? [] : [{ ...one, place }],
  ),
);

const results: { isStatic: boolean; errors: number; d?: (x: number[]) => number[] }[] = [];

const filesOf = ({ code, member, place }: Case, i: number): [string, string][] => {
  const name = place === "commonjs" ? "old" : "pt";
  const module = `node_modules/${name}/v${i}`;
  const files = {
    own: [[`${module}.js`, `${CLASS}${code}\n`]],
    other: [
      [`${module}-class.js`, CLASS],
      [`${module}.js`, `import { Vec } from "./v${i}-class.js";\n${code}\nexport { Vec };\n`],
    ],
    loaded: [
      [`${module}-class.js`, CLASS],
      [`${module}-more.js`, `import { Vec } from "./v${i}-class.js";\n${code}\n`],
      [`${module}.js`, `import "./v${i}-more.js";\nexport { Vec } from "./v${i}-class.js";\n`],
    ],
    namespace: [
      [`${module}-class.js`, CLASS],
      [
        `${module}.js`,
        `import * as lib from "./v${i}-class.js";\n${code.replaceAll(/(?<!\.)\bVec\b/g, "lib.Vec").replaceAll("{ lib.Vec }", "{ Vec: lib.Vec }")}\nexport const Vec = lib.Vec;\n`,
      ],
    ],
    commonjs: [[`${module}.js`, `"use strict";\n${CLASS.slice(7)}exports.Vec = Vec;\n${code}\n`]],
    user: [[`${module}.js`, CLASS]],
  } as const;
  const user = place === "user" ? `// @ts-nocheck\n${code}\n` : "";
  const text = `import { grad } from "tsgrad";\nimport { Vec } from "${name}/v${i}";\n${user}export const f = (x: number[]): number => ${BODIES[member ?? "none"][0]};\nexport const d = grad(f);\n`;
  return [
    [`src/c${i}.ts`, text],
    [`${module}.d.ts`, DECLARED],
    ...files[place].map(([n, t]): [string, string] => [n, t]),
  ];
};

beforeAll(async () => {
  const box = sandbox(
    Object.fromEntries([
      ["node_modules/tsgrad/package.json", `{ "name": "tsgrad", "types": "./index.d.ts" }`],
      [
        "node_modules/tsgrad/index.d.ts",
        "export declare function grad(f: (x: number[]) => number, derivative?: (x: number[]) => number[]): (x: number[]) => number[];\n",
      ],
      ...["pt", "old"].map((name) => [
        `node_modules/${name}/package.json`,
        `{ "name": "${name}", "type": "${name === "pt" ? "module" : "commonjs"}", "exports": { "./*": { "types": "./*.d.ts", "default": "./*.js" } } }`,
      ]),
      ...CASES.flatMap(filesOf),
    ]),
    { stubs: false },
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    ...{ strict: true, types: [], lib: ["lib.es2022.d.ts"], skipLibCheck: true, noEmit: true },
  };
  const files = CASES.map((_, i) => box.at(`src/c${i}.ts`));
  // what a program does to a class is asked of the whole of it
  const isAlone = (_: string, i: number): boolean =>
    CASES[i]?.place === "user" || CASES[i]?.member === undefined;
  const groups = [
    files.filter((file, i) => !isAlone(file, i)),
    ...files.filter(isAlone).map((file) => [file]),
  ];
  let before: ts.Program | undefined;
  for (const group of groups) {
    // the library is parsed once
    const program: ts.Program = ts.createProgram(group, options, undefined, before);
    before = program;
    const made = analyse({ ts, program, system: ts.sys });
    for (const file of group) {
      const { text } = applyEdits(
        file,
        program.getSourceFile(file)?.text ?? "",
        made.edits.get(file) ?? [],
      );
      box.write({ [path.relative(box.dir, file)]: text });
      results[files.indexOf(file)] = {
        isStatic: !text.includes("tsgrad/delta"),
        errors: made.diagnostics.filter(({ span }) => span.file === file).length,
      };
    }
  }
  const { outputFiles } = await build({
    entryPoints: files.filter((_, i) => results[i]?.errors === 0),
    ...{ bundle: true, write: false, format: "esm", outdir: box.dir, logLevel: "silent" },
    alias: { tsgrad: `${ROOT}/runtime/index.ts`, "tsgrad/delta": `${ROOT}/runtime/delta/index.ts` },
  });
  for (const { path: name, text } of outputFiles) {
    const [, i = ""] = /c(\d+)\.js$/.exec(name) ?? [];
    const one = results[Number(i)];
    if (one !== undefined)
      Object.assign(
        one,
        await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`),
      );
  }
});

test.each(CASES.map((one, i) => [one.what, one.place, i, one] as const))(
  "%s, %s",
  (_, place, i, one) => {
    const { isStatic, errors, d } = results[i] ?? {};
    if (errors !== 0) return expect([one.member !== undefined, place]).toEqual([true, "user"]);
    expect(isStatic).toBe(one.member === undefined);
    expect(d?.([...AT])).toEqual(BODIES[one.member ?? "none"][1]);
  },
);
