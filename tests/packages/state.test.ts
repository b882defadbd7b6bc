// State of packages that the program sets. In: tiny packages, each in ES and CommonJS form where the form matters, and what a program
// does with them in plain code. Out: the derivative is that of the function that runs (oracle: its central difference); where the
// package is copied it may be an error at the name of the function.

import { readFileSync } from "node:fs";
import { build, type BuildFailure, type Plugin } from "esbuild";
import path from "node:path";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import tsgrad from "../../transformer/hosts/esbuild.ts";
import { ProgramService } from "../../transformer/hosts/program-service.ts";
import { aliasOf, RUNTIME } from "./runtime.ts";
import { sandbox } from "../hosts/sandbox.ts";

interface Case {
  /** The package's module, and further modules of it. */
  readonly js: string;
  readonly more?: Readonly<Record<string, string>>;
  /** Of CommonJS. */
  readonly isCjs?: true;
  /** Declarations; `any` for each name where they are left out. */
  readonly names: readonly string[];
  /** Plain code, and the body of `f`. */
  readonly plain: string;
  readonly body: string;
}

const es = (names: string, js: string, plain: string, body: string): Case => ({
  names: names.split(" "),
  js,
  plain,
  body,
});
const cjs = (names: string, js: string, plain: string, body: string): Case => ({
  ...es(names, js, plain, body),
  isCjs: true,
});

/** The derivative sees what plain code did. */
const SEEN: Readonly<Record<string, Case>> = {
  "an exported object": es(
    "options scaled",
    "export const options = { scale: 2 }; export function scaled(x) { return x * x * options.scale; }",
    "options.scale = 10;",
    "return scaled(x);",
  ),
  "one whose name differs outside": es(
    "opts scaled",
    "const options = { scale: 2 }; export { options as opts }; export const scaled = (x) => x * x * options.scale;",
    "opts.scale = 10;",
    "return scaled(x);",
  ),
  "one of an inner module": {
    ...es(
      "options scaled",
      "export * from './conf.js'; import { options } from './conf.js'; export function scaled(x) { const o = { options }; return x * o.options.scale; }",
      "options.scale = 10;",
      "return scaled(x);",
    ),
    more: { "conf.js": "export const options = { scale: 2 };" },
  },
  "an exported table": es(
    "table lookup",
    "export const table = [1, 2, 3]; export function lookup(i, x) { return table[i] * x; }",
    "table.push(9); table[0] = 50;",
    "return lookup(3, x) + lookup(0, x);",
  ),
  "an exported registry of functions": es(
    "registry apply",
    "export const registry = new Map(); registry.set('id', (x) => x); export function apply(name, x) { return registry.get(name)(x); }",
    "registry.set('sq', (x: number) => x * x);",
    "return apply('id', x) * x;",
  ),
  "a variable that a function of the module sets": es(
    "setting set scaled",
    "export let setting = 2; export function set(v) { setting = v; } export const scaled = (x) => x * x * setting;",
    "set(5);",
    "return scaled(x);",
  ),
  "a static field": es(
    "Conv",
    "export class Conv { static factor = 2; run(x) { return x * x * Conv.factor; } }",
    "Conv.factor = 10;",
    "return new Conv().run(x);",
  ),
  "a field of a function": es(
    "conv",
    "export function conv(x) { return x * x * conv.factor; } conv.factor = 2;",
    "conv.factor = 10;",
    "return conv(x);",
  ),
  "a symbol": es(
    "UNIT scaled",
    "export const UNIT = Symbol('unit'); export const scaled = (o, x) => x * x * (o[UNIT] ?? 1);",
    "const o = { [UNIT]: 7 };",
    "return scaled(o, x);",
  ),
  "an object that is known by its identity": es(
    "KIND isKind",
    "export const KIND = {}; export const isKind = (k, x) => (k === KIND ? x * x : x);",
    "const kinds = [KIND];",
    "return isKind(kinds[0], x);",
  ),
  "an instance that plain code made": es(
    "Noise",
    "export class Noise { constructor() { this.k = 1; } setK(v) { this.k = v; } at(x) { return this.k * x * x; } }",
    "const noise = new Noise(); noise.setK(4);",
    "return noise.at(x);",
  ),
  "a function that a chain of calls made": es(
    "make",
    "export function make() { let k = 1; const s = (x) => k * x * x; s.factor = (v) => { k = v; return s; }; return s; }",
    "const s: (x: number) => number = make().factor(3);",
    "return s(x);",
  ),
  "a function made with a given source of chance": es(
    "make",
    "export function make(random = Math.random) { const k = random(); return (x) => k * x * x; }",
    "const s: (x: number) => number = make(() => 0.25);",
    "return s(x);",
  ),
  "scratch numbers": es(
    "norm",
    "const out = [0, 0]; const put = (o, x) => { o[0] = x; o[1] = 2 * x; }; export function norm(x) { put(out, x); return out[0] * out[1]; }",
    "norm(2);",
    "return norm(x);",
  ),
  "a scratch instance": es(
    "len",
    "class V { constructor() { this.x = 0; } set(x) { this.x = x; return this; } sq() { return this.x * this.x; } } const v = new V(); export function len(x) { return v.set(x).sq(); }",
    "len(2);",
    "return len(x);",
  ),
  "a scratch variable": es(
    "twice",
    "let t; export function twice(x) { t = x * x; return t + t; }",
    "twice(2);",
    "return twice(x);",
  ),
  "a cache": es(
    "cached",
    "const memo = new Map(); export function cached(x, k) { if (!memo.has(k)) memo.set(k, Math.sqrt(k)); return x * x * memo.get(k); }",
    "cached(1, 4);",
    "return cached(x, 4);",
  ),
  "a counter": es(
    "make",
    "let count = 0; export function make(x) { return { id: count++, sq: x * x }; }",
    "make(2);",
    "return make(x).sq;",
  ),
  "a setter that nothing calls": es(
    "scaled",
    "let k = 2; export function set(v) { k = v; } export const scaled = (x) => k * x * x;",
    "",
    "return scaled(x);",
  ),
  "a setter in the function": es(
    "set scaled",
    "let k = 2; export function set(v) { k = v; } export const scaled = (x) => k * x * x;",
    "",
    "set(3); return scaled(x);",
  ),
  "CommonJS: a variable that is exported": cjs(
    "options scaled",
    "const options = { scale: 2 }; function scaled(x) { return x * x * options.scale; } module.exports = { options, scaled };",
    "options.scale = 10;",
    "return scaled(x);",
  ),
  "CommonJS: fields of exports": cjs(
    "options scaled",
    "var options = { scale: 2 }; exports.options = options; exports.scaled = function (x) { return x * x * options.scale; };",
    "options.scale = 10;",
    "return scaled(x);",
  ),
  "a cache that a plain call has filled": es(
    "f0 at",
    "const cache = {}; export function at(x) { if (!cache.k) cache.k = 3; return cache.k * x * x; } export const f0 = (v) => at(v);",
    "f0(5);",
    "return at(x);",
  ),
  "scratch that each branch writes before it reads": es(
    "set at",
    "let scratch = 0; export function set(v) { scratch = v; } export function at(x) { if (x > 0) { scratch = x; return scratch * x; } return x; }",
    "set(5);",
    "return at(x);",
  ),
  "functions that stand behind those that call them": es(
    "at",
    "const table = { sq: (x) => second(x) }; export function at(x) { return table.sq(x) + third(x); } function second(x) { return x * x; } const third = (x) => second(x) * x;",
    "at(2);",
    "return at(x);",
  ),
  "a function with a cache under its own name": es(
    "at",
    "const memo = (f) => function own(x, k) { if (own.cache === undefined) own.cache = new Map(); if (!own.cache.has(k)) own.cache.set(k, f(k)); return x * x * own.cache.get(k); }; export const at = memo((k) => Math.sqrt(k));",
    "at(2, 9);",
    "return at(x, 9);",
  ),
  "a variable of a block that a function sees": es(
    "make",
    "export function make(f) { if (f) { var w = 2; } w += 1; return function (x) { return f(x) * w; }; }",
    "const s = make((x: number): number => x * x);",
    "return s(x);",
  ),
};

/** What a copy does not know, and reports when it runs. */
const SEEN_IN_PLACE: Readonly<Record<string, Case>> = {
  "methods, accessors and a class without a name": es(
    "made",
    "const base = { k: 2, get twice() { return this.k * 2; }, at(x) { return x * this.twice; } }; const of = (B) => class extends B { #c = 3; put(c) { this.#c = c; return this; } at(x) { return super.at(x) * this.#c; } }; class P { at(x) { return x * base.at(x); } } export const made = new (of(P))().put(5);",
    "made.at(2);",
    "return made.at(x);",
  ),
};

/** The derivative would not see it: an error that names the variable. */
const MISSED: Readonly<Record<string, readonly [Case, RegExp]>> = {
  "a variable": [
    es(
      "set scaled",
      "let setting = 2; export function set(v) { setting = v; } export const scaled = (x) => x * setting;",
      "set(5);",
      "return scaled(x);",
    ),
    /`scaled`: .* what `set` does to `setting` of the module `pkg/,
  ],
  "a variable that is written under a condition on itself, in the function": [
    es(
      "set at",
      "let k = 0; export function set(v) { k = v; } export function at(x) { if (k === 0) k = 2; return k * x; }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "a variable that is written under another condition, in the function": [
    es(
      "set at",
      "let k = 1; export function set(v) { k = v; } export function at(x) { if (x > 100) k = 7; return k * x; }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "a variable that is written by the choice of an expression": [
    es(
      "set at",
      "let k = 1; export function set(v) { k = v; } export function at(x) { x > 100 && (k = 7); return k * x; }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "a variable that is written in one case of a switch": [
    es(
      "set at",
      "let k = 1; export function set(v) { k = v; } export function at(x) { switch (x > 100) { case true: k = 7; } return k * x; }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "a variable that is written with what comes first": [
    es(
      "set at",
      "let k = 0; export function at(x) { if (!k) k = x; return k * x; } export function set(v) { at(v); }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "a variable that is written by counting": [
    es(
      "set at",
      "let k = 1; export function set(v) { k++; } export function at(x) { return k * x; }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "a variable that is written by counting under a condition": [
    es(
      "set at",
      "let k = 1; export function at(x) { if (k < 100) k += 1; return k * x; } export function set(v) { at(v); }",
      "set(5);",
      "return at(x);",
    ),
    /to `k` of the module/,
  ],
  "an instance of another file's class that adds to itself": [
    {
      ...es(
        "set at",
        "import { V } from './v.js'; const acc = new V(0); export function set(v) { acc.set(v); } export function at(x) { acc.add(1); return acc.x * x; }",
        "set(5);",
        "return at(x);",
      ),
      more: {
        "v.js":
          "export class V { constructor(x) { this.x = x; } set(x) { this.x = x; return this; } add(y) { this.x += y; return this; } }",
      },
    },
    /to `acc` of the module/,
  ],
  "a table that is written by another name of it": [
    es(
      "set at",
      "const T = [1, 2]; const U = T; export function set(v) { U[0] = v; } export function at(x) { return x * T[0]; }",
      "set(5);",
      "return at(x);",
    ),
    /to `T` of the module/,
  ],
  "a table that is written in another object": [
    es(
      "set at",
      "const T = [1, 2]; const all = { T }; export function set(v) { all.T[0] = v; } export function at(x) { return x * T[0]; }",
      "set(5);",
      "return at(x);",
    ),
    /to `T` of the module/,
  ],
  "a table that is written out of a pattern": [
    es(
      "set at",
      "const T = [1, 2]; export function set(v) { const [a] = [T]; a[0] = v; } export function at(x) { return x * T[0]; }",
      "set(5);",
      "return at(x);",
    ),
    /to `T` of the module/,
  ],
  "a table that is written by the name of a part": [
    es(
      "set at",
      "const T = { t: [1, 2] }; export function set(v) { const { t } = T; t[0] = v; } export function at(x) { return x * T.t[0]; }",
      "set(5);",
      "return at(x);",
    ),
    /to `T` of the module/,
  ],
  "a table that is written by a choice": [
    es(
      "set at",
      "const T = [1, 2]; export function set(v) { const u = v > 0 ? T : [0]; u[0] = v; } export function at(x) { return x * T[0]; }",
      "set(5);",
      "return at(x);",
    ),
    /to `T` of the module/,
  ],
  "a Map": [
    es(
      "register apply",
      "const all = new Map(); export function register(n, f) { all.set(n, f); } export const apply = (n, x) => all.get(n)(x);",
      "register('sq', (x: number) => x * x);",
      "return apply('sq', x);",
    ),
    /what `register` does to `all`/,
  ],
  "a Map behind a condition": [
    es(
      "register apply",
      "const all = new Map(); export function register(n, f) { if (!all.has(n)) all.set(n, f); } export const apply = (n, x) => all.get(n)(x);",
      "register('sq', (x: number) => x * x);",
      "return apply('sq', x);",
    ),
    /what `register` does to `all`/,
  ],
  "a WeakMap": [
    es(
      "mark by",
      "const known = new WeakMap(); export const mark = (o, k) => { known.set(o, k); return o; }; export const by = (o, x) => x * known.get(o);",
      "const o = mark({}, 5);",
      "return by(o, x);",
    ),
    /what `mark` does to `known`/,
  ],
  defaults: [
    es(
      "configure pow",
      "export function configure(o) { Object.assign(defaults, o); } const defaults = { p: 2 }; export const pow = (x) => x ** defaults.p;",
      "configure({ p: 3 });",
      "return pow(x);",
    ),
    /what `configure` does to `defaults`/,
  ],
  "an object that is handed out": [
    es(
      "conf scaled",
      "const options = { k: 2 }; export const conf = () => options; export const scaled = (x) => x * options.k;",
      "conf().k = 9;",
      "return scaled(x);",
    ),
    /what `conf` does to `options`/,
  ],
  "an object that a helper changes": [
    es(
      "set scaled",
      "const put = (o, v) => { o.k = v; }; const options = { k: 2 }; export const set = (v) => put(options, v); export const scaled = (x) => x * options.k;",
      "set(9);",
      "return scaled(x);",
    ),
    /what `set` does to `options`/,
  ],
  "another module's object": [
    {
      ...es(
        "set scaled",
        "import { o } from './o.js'; export const set = (v) => { o.k = v; }; export const scaled = (x) => x * o.k;",
        "set(9);",
        "return scaled(x);",
      ),
      more: { "o.js": "export const o = { k: 2 };" },
    },
    /what `set` does to `o` of the module `pkg\d+\/o.js`/,
  ],
  "a static field of a class that is not exported": [
    es(
      "set scaled",
      "class C { static k = 2; } export const set = (v) => { C.k = v; }; export const scaled = (x) => x * C.k;",
      "set(9);",
      "return scaled(x);",
    ),
    /what `set` does to `C`/,
  ],
  "a symbol": [
    es(
      "mark scaled",
      "const UNIT = Symbol(); export const mark = (o) => { o[UNIT] = 2; return o; }; export const scaled = (o, x) => x * (o[UNIT] ?? 1);",
      "const o = mark({});",
      "return scaled(o, x);",
    ),
    /the same `UNIT`/,
  ],
  "a seed": [
    es(
      "noisy",
      "let seed = 1; function rnd() { seed = (seed * 16807) % 2147483647; return seed; } export const noisy = (x) => x * rnd();",
      "noisy(1);",
      "return noisy(x);",
    ),
    /what `rnd` does to `seed`/,
  ],
  "a value of chance": [
    es(
      "scaled show",
      "const k = Math.random(); export const show = () => k; export const scaled = (x) => x * k;",
      "show();",
      "return scaled(x);",
    ),
    /the same `k` of the module .*, which differs at each evaluation/,
  ],
  "a private field": [
    es(
      "Model",
      "export class Model { #w = 2; set(w) { this.#w = w; return this; } at(x) { return x * this.#w; } }",
      "const m = new Model().set(5);",
      "return m.at(x);",
    ),
    /private fields/,
  ],
  "a function that is changed later": [
    es(
      "make",
      "export function make() { let k = 1; const s = (x) => k * x; s.factor = (v) => { k = v; }; return s; }",
      "const s = make(); s.factor(3);",
      "return s(x);",
    ),
    /what `s.factor\(3\)` does/,
  ],
  "a function made with chance": [
    es(
      "make",
      "export function make(random = Math.random) { const k = random(); return (x) => k * x; }",
      "const s = make();",
      "return s(x);",
    ),
    /each evaluation of `make\(\)` may give another one/,
  ],
  "a function made with what counts": [
    es(
      "make",
      "export function make(next) { const k = next(); return (x) => k * x; }",
      "let n = 0; const next = () => ++n; const s = make(next);",
      "return s(x);",
    ),
    /each evaluation of `make\(next\)` may give another one/,
  ],
  "CommonJS: a field of exports": [
    cjs(
      "options scaled",
      "exports.options = { scale: 2 }; exports.scaled = function (x) { return x * exports.options.scale; };",
      "options.scale = 10;",
      "return scaled(x);",
    ),
    /what the program does to `options`/,
  ],
  "CommonJS: a variable": [
    cjs(
      "set scaled",
      "var k = 1; exports.set = function (v) { k = v; }; exports.scaled = function (x) { return x * k; };",
      "set(3);",
      "return scaled(x);",
    ),
    /what `exports.set = .*` does to `k`/,
  ],
  "UMD: a variable": [
    cjs(
      "set scaled",
      "(function (root, factory) { typeof exports === 'object' ? factory(exports) : factory(root.it = {}); })(this, function (exports) { var k = 1; exports.set = function (v) { k = v; }; exports.scaled = function (x) { return x * k; }; });",
      "set(3);",
      "return scaled(x);",
    ),
    /does to `k`/,
  ],
};

function project(cases: readonly Case[]): {
  readonly dir: string;
  readonly at: (name: string) => string;
} {
  const files = cases.flatMap(
    ({ js, more = {}, isCjs, names, plain, body }, i): [string, string][] => [
      [
        `node_modules/pkg${i}/package.json`,
        JSON.stringify({
          name: `pkg${i}`,
          ...(isCjs
            ? { main: "index.js" }
            : { type: "module", exports: { types: "./index.d.ts", default: "./index.js" } }),
          types: "index.d.ts",
        }),
      ],
      [
        `node_modules/pkg${i}/index.d.ts`,
        names
          .map((name) =>
            /^[A-Z][a-z]/.test(name)
              ? `export declare class ${name} { constructor(...a: any[]); [key: string]: any; static [key: string]: any; }`
              : /^[A-Z]+$/.test(name)
                ? `export declare const ${name}: any;`
                : name === "make"
                  ? `export interface Made { (x: number): any; factor(v: number): Made; sq: any } export declare const make: (...a: any[]) => Made;`
                  : `export declare ${name === "setting" ? "let" : "const"} ${name}: any;`,
          )
          .join("\n"),
      ],
      [`node_modules/pkg${i}/index.js`, js],
      ...Object.entries(more).map(([name, text]): [string, string] => [
        `node_modules/pkg${i}/${name}`,
        text,
      ]),
      [
        `src/case${i}.ts`,
        `import { grad } from "tsgrad";\nimport { ${names.join(", ")} } from "pkg${i}";\n${plain}\nexport function f(x: number): number { ${body} }\nexport const g = grad(f);\nvoid [${names.join(", ")}];\n`.replace(
          /void \[.*\];\n/,
          "",
        ),
      ],
    ],
  );
  return sandbox({
    ...RUNTIME,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "esnext",
        moduleResolution: "bundler",
        strict: true,
        types: [],
        skipLibCheck: true,
        noEmit: true,
      },
      include: ["src"],
    }),
    "src/all.ts": cases.map((_, i) => `export * as case${i} from "./case${i}";`).join("\n"),
    ...Object.fromEntries(files),
  });
}

interface Built {
  readonly text: string;
  readonly errors: readonly { readonly file: string; readonly text: string }[];
}

/** `inPlace`: by the plugin, which extends the packages' own modules; else as for a host that cannot. */
async function built(cases: readonly Case[], inPlace: boolean): Promise<Built> {
  const box = project(cases);
  const found = await build({
    entryPoints: [box.at("src/all.ts")],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    absWorkingDir: box.dir,
    alias: aliasOf(box.at),
    plugins: [inPlace ? tsgrad({ cwd: box.dir }) : withCopies(box.dir)],
  }).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return { outputFiles: [], errors: error.errors };
  });
  return {
    text: found.outputFiles[0]?.text ?? "",
    errors: found.errors.map(({ text, location }) => ({ file: location?.file ?? "", text })),
  };
}

function withCopies(cwd: string): Plugin {
  const service = new ProgramService(analyse, { cwd, maps: false, isFixed: true });
  return {
    name: "copies",
    setup({ onLoad }) {
      onLoad({ filter: /case\d+\.ts$/ }, ({ path: file }) => {
        const text = readFileSync(file, "utf8");
        const { code = null, findings = [] } = service.answer(file, text) ?? {};
        const errors = findings.map((one) => ({
          text: one.text,
          location: { file: path.relative(cwd, file) },
        }));
        return { contents: code ?? text, loader: "ts", errors };
      });
    },
  };
}

const isFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && "errors" in error;

type Module = Record<string, { f(x: number): number; g(x: number): number }>;

/** Two instances of all modules for the central difference, and one for the gradient. */
const instancesOf = (built: Promise<Built>): Promise<readonly Module[]> =>
  built.then(({ text }) =>
    Promise.all(
      [1, 2, 3].map(
        async (k) =>
          (await import(
            `data:text/javascript;base64,${Buffer.from(text).toString("base64")}#${k}`
          )) as Module,
      ),
    ),
  );

const STEP = 1e-5;

function check(all: readonly Module[], i: number, isChance: boolean): void {
  const [first, second, third] = all.map((one) => one[`case${i}`]);
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("not built");
  // what counts is another one at each call, and a value of chance is another one in each instance
  const [up, down, one] = isChance ? [first, first, first] : [first, second, third];
  const expected = (up.f(1.5 + STEP) - down.f(1.5 - STEP)) / (2 * STEP);
  // The error of a central difference of these polynomials is below 1e-9 of their size.
  expect(one.g(1.5) / expected).toBeCloseTo(1, 7);
  // The gradient has changed the package's state as one call of the primal does.
  if (!isChance) expect(one.f(1.5)).toBe(up.f(1.5));
}

const SEEN_NAMES = Object.keys(SEEN);
const MISSED_NAMES = Object.keys(MISSED);
const IN_PLACE: Readonly<Record<string, Case>> = {
  ...SEEN,
  ...SEEN_IN_PLACE,
  ...Object.fromEntries(Object.entries(MISSED).map(([name, [one]]) => [`${name}, kept`, one])),
};
const inPlace = built(Object.values(IN_PLACE), true);
const seen = built(Object.values(SEEN), false);
const missed = built(
  Object.values(MISSED).map(([one]) => one),
  false,
);
const inPlaceModules = instancesOf(inPlace);
const seenModules = instancesOf(seen);

test("in place nothing is an error", async () => {
  const { errors } = await inPlace;
  expect(errors).toEqual([]);
});

test.each(Object.keys(IN_PLACE))("in place: %s", async (name) => {
  const i = Object.keys(IN_PLACE).indexOf(name);
  check(await inPlaceModules, i, name.includes("chance"));
});

test.each(SEEN_NAMES)("seen by a copy: %s", async (name) => {
  expect((await seen).errors).toEqual([]);
  check(await seenModules, SEEN_NAMES.indexOf(name), false);
});

test.each(MISSED_NAMES)("an error of a copy: %s", async (name) => {
  const { errors } = await missed;
  const i = MISSED_NAMES.indexOf(name);
  const own = errors.filter(({ file }) => file.endsWith(`case${i}.ts`)).map(({ text }) => text);
  expect(own).toHaveLength(1);
  expect(own[0]).toMatch(/TSG1303/);
  expect(own[0]).toMatch(MISSED[name]?.[1] ?? /never/);
});
