// One program for every host. In: tiny packages with state, of both kinds of module. Out: what the
// program prints: for each case the value, the gradient, and what they have to be.

import path from "node:path";
import { place } from "../package/install.ts";
import { repository, sandbox, type Sandbox } from "../hosts/sandbox.ts";
import { symlinkSync } from "node:fs";

const packageOf = (
  name: string,
  files: Readonly<Record<string, string>>,
  more: object = {},
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      "package.json": JSON.stringify({ name, version: "1.0.0", ...more }),
      ...files,
    }).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
  );

const numbers = (names: string): string =>
  names
    .split(" ")
    .map((name) => `export declare function ${name}(x: number): number;`)
    .join("\n");

/** ES modules with state of every kind, of which one imports another package. */
const CONF = packageOf(
  "conf",
  {
    "index.d.ts": `${numbers("scaled counted withSetting twice effect")}\nexport declare const options: { scale: number };\nexport declare function set(v: number): void;\nexport declare let loads: number;\nexport declare class Conv { static factor: number; run(x: number): number; }\nexport declare function tabled(seed: number): (x: number) => number;\nexport declare class Noise { setK(v: number): this; at(x: number): number; }`,
    "index.js": `import { base } from "inner";
import { counter } from "./counter.js";
import "./effect.js";
export const effect = (x) => globalThis.effectOfConf(x);
export const options = { scale: 2 };
export function scaled(x) { return x * x * options.scale; }
let setting = 2;
export function set(v) { setting = v; }
export const withSetting = (x) => x * setting;
export class Conv { static factor = 2; run(x) { return x * x * Conv.factor; } }
export class Noise { #k = 1; setK(v) { this.#k = v; return this; } at(x) { return this.#k * x * x; } }
export const counted = (x) => x * x * counter.of();
export function tabled(seed) { const table = new Uint8Array(8).map((_, i) => seed * i); return (x) => table[Math.floor(x) & 7] * x * x; }
export function twice(x) { try { return base(x) * 2; } finally { void 0; } }
globalThis.loadsOfConf = (globalThis.loadsOfConf ?? 0) + 1;
`,
    "effect.js": "globalThis.effectOfConf = (x) => 3 * x * x;\n",
    "counter.js": `let made = 0; class Counter { constructor() { this.k = ++made; } of() { return this.k; } } export const counter = new Counter();\n`,
  },
  {
    type: "module",
    types: "./index.d.ts",
    exports: { types: "./index.d.ts", default: "./index.js" },
  },
);

/** CommonJS that another package requires, in sloppy code. */
const INNER = packageOf(
  "inner",
  {
    "index.d.ts": `${numbers("base mapped thisless made hoisted")}\nexport declare function line(a: number, b: number): (x: number) => number;\nexport declare function register(name: string, f: (x: number) => number): void;\nexport declare function apply(name: string, x: number): number;`,
    "index.js": `var registry = require("./registry.js"), scale = require("./scale.js")(3);
exports.base = function (x) { return x * x * x; };
exports.register = function (name, f) { registry[name] = f; };
exports.apply = function (name, x) { return registry[name](x); };
exports.mapped = function (x) { arguments[0] = x * x; return x; };
exports.thisless = function (x) { return (function () { return this === undefined ? 0 : x * x; })(); };
exports.hoisted = function (x) { if (x > 0) { function times(y) { return y * 3; } } return times(x); };
exports.made = function (x) { return scale(x); };
exports.line = function (a, b) { var t = new Float64Array([a, b]); return function (x) { return t[0] * x * x + t[1]; }; };
`,
    "registry.js": "module.exports = {};\n",
    "scale.js": `var made = 0; module.exports = function (k) { var n = ++made; return function (x) { return k * n * x * x; }; };\n`,
  },
  { types: "./index.d.ts", main: "index.js" },
);

const dual = (k: number): string => `export function h(x) { return x * x * ${k}; }\n`;

/** Which file of it runs depends on the host. */
const DUAL = packageOf(
  "dual",
  {
    "index.d.ts": numbers("h"),
    "node.js": dual(2),
    "browser.js": dual(3),
    "dev.js": dual(5),
    "index.ts": "export function h(x: number): number { return x; }\n",
  },
  {
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
  },
);

const MAIN = `import { valueAndGrad } from "tsgrad";
import { Conv, Noise, counted, effect, options, scaled, set, tabled, twice, withSetting } from "conf";
import { apply, hoisted, line, made, mapped, register, thisless } from "inner";
import { h } from "dual";
options.scale = 10;
Conv.factor = 10;
set(5);
register("sq", (x: number): number => x * x);
const noise = new Noise().setK(4);
const table = tabled(3);
const lined = line(3, 4);
const cases: Record<string, readonly [(x: number) => number, (x: number) => readonly [number, number]]> = {
  options: [(x: number): number => scaled(x), valueAndGrad((x: number): number => scaled(x))],
  static: [(x: number): number => new Conv().run(x), valueAndGrad((x: number): number => new Conv().run(x))],
  setting: [(x: number): number => withSetting(x), valueAndGrad((x: number): number => withSetting(x))],
  instance: [(x: number): number => noise.at(x), valueAndGrad((x: number): number => noise.at(x))],
  counted: [(x: number): number => counted(x), valueAndGrad((x: number): number => counted(x))],
  effect: [(x: number): number => effect(x), valueAndGrad((x: number): number => effect(x))],
  table: [(x: number): number => table(x + 0.5), valueAndGrad((x: number): number => table(x + 0.5))],
  line: [(x: number): number => lined(x), valueAndGrad((x: number): number => lined(x))],
  imported: [(x: number): number => twice(x), valueAndGrad((x: number): number => twice(x))],
  registry: [(x: number): number => apply("sq", x), valueAndGrad((x: number): number => apply("sq", x))],
  made: [(x: number): number => made(x), valueAndGrad((x: number): number => made(x))],
  hoisted: [(x: number): number => hoisted(x), valueAndGrad((x: number): number => hoisted(x))],
  thisless: [(x: number): number => thisless(x), valueAndGrad((x: number): number => thisless(x))],
  mapped: [(x: number): number => mapped(x), valueAndGrad((x: number): number => mapped(x))],
  conditions: [(x: number): number => h(x), valueAndGrad((x: number): number => h(x))],
};
/** At 3, with the central difference. */
export const lines: string[] = Object.entries(cases).map(([name, [f, g]]) => {
  let found: readonly number[] | string;
  try {
    found = g(3);
  } catch (error) {
    found = /TSG\\d+/.exec(String(error))?.[0] ?? String(error);
  }
  try {
    return JSON.stringify([name, f(3), (f(3 + 1e-5) - f(3 - 1e-5)) / 2e-5, found]);
  } catch {
    return JSON.stringify([name, null, null, found]);
  }
});
lines.push(JSON.stringify(["loads", (globalThis as { loadsOfConf?: number }).loadsOfConf]));
`;

/** Sloppy code without a twin: an error when it runs. */
const REFUSED: Readonly<Record<string, string>> = {
  hoisted: "TSG0010",
  mapped: "TSG0010",
};

/** `more`: what the host needs. */
export function hostedProject(
  more: Record<string, string>,
  links: readonly string[] = [],
): Sandbox {
  const box = sandbox(
    {
      ...CONF,
      ...INNER,
      ...DUAL,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "es2022",
          module: "esnext",
          moduleResolution: "bundler",
          strict: true,
          types: [],
        },
        include: ["src"],
      }),
      "src/cases.ts": MAIN,
      "src/main.ts": `import { lines } from "./cases.ts";\ndeclare const console: { log(text: string): void };\nfor (const line of lines) console.log(line);\n`,
      ...more,
    },
    { stubs: false },
  );
  place(box);
  for (const name of ["typescript", ...links])
    symlinkSync(path.join(repository, "node_modules", name), box.at(`node_modules/${name}`));
  return box;
}

/** What is wrong in what the program printed; nothing where all is right. */
export function wrongIn(printed: string): readonly string[] {
  const lines = printed.split("\n").filter((line) => line.startsWith('["'));
  const seen = new Set<unknown>();
  const wrong = lines.filter((line) => {
    const [name, value, slope, found] = JSON.parse(line) as readonly [
      string,
      number,
      number,
      unknown,
    ]; // as written above
    seen.add(name);
    if (name === "loads") return value !== 1;
    // a tool that makes ES modules of sloppy code may have broken it
    if (found === REFUSED[name] || value === null) return typeof found !== "string";
    if (!Array.isArray(found)) return true;
    const [same, gradient]: readonly unknown[] = found;
    // the error of a central difference of cubics at 3 with this step is about 1e-9
    return same !== value || !(Math.abs(Number(gradient) - slope) < 1e-6);
  });
  const missing = NAMES.filter((name) => !seen.has(name)).map((name) => `no ${name}`);
  return [...wrong, ...missing];
}

const NAMES = [...MAIN.matchAll(/^ {2}(\w+): \[/gm)].map(([, name = ""]) => name);
