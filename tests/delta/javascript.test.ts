// JavaScript of the program: how its modules are written, what they keep, and what they do at load.
// In: modules and a function that calls them. Out: the gradient. Oracle: central differences of the
// same function in the same modules, whose text has no derivatives; they see slopes to 1e-6 alone.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

type Files = Readonly<Record<string, string>>;

interface Loaded {
  readonly f: (x: number) => number;
  readonly d: (x: number) => number;
}

function loaded(files: Files): Loaded {
  const host = programOf(files, { allowJs: true, lib: ["lib.es2023.d.ts"], esModuleInterop: true });
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const texts = Object.entries(files).map(([name, text]): [string, string] => {
    const { text: edited } = applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []);
    if (name.endsWith(".js")) expect(notJavaScript(edited)).toEqual([]);
    return [`/src/${name.replace(/\.js$/, ".ts")}`, edited];
  });
  return loader(new Map(texts), undefined, { esModuleInterop: true })(
    "/src/main.ts",
  ) as unknown as Loaded; // its exports
}

/** What TypeScript's parser does not take in a JavaScript file: types, and mistakes. */
function notJavaScript(text: string): readonly unknown[] {
  const { program } = programOf({ "a.js": text }, { allowJs: true });
  return program
    .getSyntacticDiagnostics(program.getSourceFile("/src/a.js"))
    .map(({ messageText }) => messageText);
}

const MAIN = (imported: string, body: string, isJavaScript: boolean): string =>
  `import { grad } from "tsgrad";\n${isJavaScript ? "" : "// @ts-ignore\n"}import ${imported} from "./lib.js";\n` +
  (isJavaScript
    ? `export function f(x) { return ${body}; }\n`
    : `// @ts-ignore\nexport function f(x: number): number { return ${body}; }\n`) +
  `export const d = grad(f);\n`;

/** What a module is, what `main` imports of it, and what it computes of `x`. */
type Row = readonly [what: string, lib: string, imported: string, body: string];

const POINT =
  "function P(x, y) { if (!(this instanceof P)) return new P(x, y); this.x = x; this.y = y; }";

const ROWS: readonly Row[] = [
  ["CommonJS", "exports.sq = function (x) { return x * x; };", "lib", "lib.sq(x) * x"],
  [
    "an object of CommonJS",
    "const k = 3;\nfunction sq(x) { return k * x * x; }\nmodule.exports = { sq, twice: (x) => sq(x) + sq(x) };",
    "lib",
    "lib.twice(x)",
  ],
  [
    "UMD",
    "(function (root, factory) { if (typeof module === 'object') module.exports = factory(); else root.lib = factory(); })(this, function () { 'use strict'; function sq(x) { return x * x; } return { sq: sq }; });",
    "lib",
    "lib.sq(x)",
  ],
  [
    "an IIFE that gets its exports",
    "(function (out) { function sq(x) { return x * x; } out.sq = sq; })(typeof module === 'undefined' ? this : module.exports);",
    "lib",
    "lib.sq(x)",
  ],
  [
    "an IIFE that returns",
    "var lib = (function (Math) { var k = Math.PI; return { area: function (r) { return k * r * r; } }; })(Math);\nmodule.exports = lib;",
    "lib",
    "lib.area(x)",
  ],
  [
    "prototypes",
    `${POINT}\nP.prototype.len = function () { return Math.sqrt(this.x * this.x + this.y * this.y); };\nmodule.exports = P;`,
    "P",
    "new P(x, 2).len()",
  ],
  [
    "a prototype in one piece",
    `${POINT}\nP.prototype = { constructor: P, add: function (o) { return P(this.x + o.x, this.y + o.y); }, get sum() { return this.x + this.y; } };\nmodule.exports = P;`,
    "P",
    "P(x, 2).add(new P(x * x, 1)).sum",
  ],
  [
    "inherited prototypes",
    `${POINT}\nP.prototype.len = function () { return this.x * this.y; };\nfunction Q(x) { P.call(this, x, 3); }\nQ.prototype = Object.create(P.prototype);\nQ.prototype.constructor = Q;\nmodule.exports = Q;`,
    "Q",
    "new Q(x * x).len()",
  ],
  [
    "classes that a tool has written as functions",
    "var _proto = function (C, all) { for (var i = 0; i < all.length; i++) Object.defineProperty(C.prototype, all[i].key, { value: all[i].value, configurable: true, writable: true }); return C; };\nvar K = (function () { function K(a) { this.a = a; } _proto(K, [{ key: 'step', value: function step(x) { this.a = this.a * x; return this.a; } }]); return K; })();\nexports.K = K;",
    "{ K }",
    "(() => { const k = new K(x); k.step(x); return k.step(2); })()",
  ],
  [
    "Object.assign",
    "const core = {};\nObject.assign(core, { sq(x) { return x * x; }, cube: (x) => core.sq(x) * x });\nmodule.exports = core;",
    "core",
    "core.cube(x)",
  ],
  [
    "an extension loop",
    "var lib = { extend: function (more) { for (var k in more) lib[k] = more[k]; return lib; } };\nlib.extend({ sq: function (x) { return x * x; } });\nmodule.exports = lib;",
    "lib",
    "lib.sq(x)",
  ],
  [
    "functions of a loop at load",
    "const lib = {};\n['sin', 'cos'].forEach((k) => { lib[k] = (x) => Math[k](x) * 2; });\nmodule.exports = lib;",
    "lib",
    "lib.sin(x) + lib.cos(x)",
  ],
  [
    "functions of a factory at load",
    "const scaled = (k) => function (x) { return k * x * x; };\nexport const twice = scaled(2), thrice = scaled(3);",
    "{ twice, thrice }",
    "twice(x) * thrice(x)",
  ],
  [
    "wrapped functions",
    "const wrap = (fn) => { const own = function (...args) { return fn(args); }; own.raw = fn; return own; };\nexport const f = wrap(([a, b]) => a * b);",
    "{ f as g }",
    "g(x, x) + g.raw([x, 3])",
  ],
  [
    "a function that calls itself by its own name",
    "export const ease = (function custom(k) { function ease(t) { return t ** k; } ease.with = function (k) { return custom(k); }; return ease; })(2);",
    "{ ease }",
    "ease.with(x)(x) + ease(x)",
  ],
  [
    "a default function without a name",
    "export default function (x) { return x * x; }",
    "sq",
    "sq(x) * 3",
  ],
  ["a default arrow function", "export default (x) => x * x;", "sq", "sq(x) * 3"],
  [
    "a function that is declared later",
    "module.exports = class { at(x) { return solve(x) * x; } };\nfunction solve(x) { return x * x; }",
    "C",
    "new C().at(x)",
  ],
  [
    "a class over a made one",
    "const over = (Base) => class extends Base { sq() { return this.x * this.x; } };\nclass A { constructor(x) { this.x = x; } }\nexport class B extends over(A) { twice() { return 2 * this.sq(); } }",
    "{ B }",
    "new B(x).twice()",
  ],
  [
    "assigned functions",
    "export function h(x) { return x * 2; }\nif (Math.PI > 3) h = function (x) { return x * x; };",
    "{ h }",
    "h(x)",
  ],
  [
    "two functions of one name",
    "export function g(x) { function h(x) { return x * 2; } function h(x) { return x * x * x; } return h(x); }\nexport function k(x) { var k = 3; function k() { return 1; } return x * k; }",
    "{ g, k }",
    "g(x) + k(x)",
  ],
  [
    "variables with functions, by var",
    "var put = (o, v) => { o.k = v; return o; };\nvar twice = (o, v) => put(o, 2 * v);\nexport function lib(x) { return twice({}, x).k * x; }",
    "{ lib }",
    "lib(x)",
  ],
  [
    "a variable of the module",
    "let last = 0;\nconst put = (x) => { last = x * x; };\nexport function f(x) { put(x); return last * x; }",
    "{ f as g }",
    "g(x)",
  ],
  [
    "a variable of a function that has run",
    "export const f = (() => { let last = 0; const put = (x) => { last = x * x; }; return (x) => { put(x); return last * x; }; })();",
    "{ f as g }",
    "g(x)",
  ],
  [
    "buffers of the module",
    "const out = new Float64Array(2);\nexport function f(x) { out[0] = x * x; out[1] = out[0] * x; return out[1]; }",
    "{ f as g }",
    "g(x)",
  ],
  [
    "code that cannot be followed, not called",
    "export const bad = (x) => eval('x');\nexport const sq = (x) => x * x;\nsq.bad = bad;",
    "{ sq }",
    "sq(x)",
  ],
];

/** Names of generated code, as variables, parameters, functions, members and functions within functions. */
const NAMED: readonly Row[] = ["$d", "$e", "$", "x$id", "g$delta"].flatMap((name): Row[] => [
  [
    `a local variable \`${name}\``,
    `export function g(x) { let ${name} = 3; let y = x; while (${name}-- > 0) y = y * x; return y; }`,
    "{ g }",
    "g(x)",
  ],
  [
    `a parameter and a member \`${name}\``,
    `class A { constructor(${name}) { this.${name} = ${name}; } sq() { const { ${name} } = this; return ${name} * this.${name}; } }\nexport { A };`,
    "{ A }",
    "new A(x).sq()",
  ],
  [
    `a variable of the module \`${name}\``,
    `const ${name} = { k: 3, list: [2, 5] };\nexport const g = (x) => ${name}.list.map((e) => e * x * ${name}.k)[1] * x;`,
    "{ g }",
    "g(x)",
  ],
  [
    `a function \`${name}\` within another`,
    `export function g(x) { function ${name}(y) { return y * x; } const all = [${name}, (${name}) => ${name} * 2]; return all[0](x) + all[1](x); }`,
    "{ g }",
    "g(x)",
  ],
]);

const STEP = 1e-5;

/** The error of central differences with this step is far less. */
const NEAR = 1e-6;

for (const isJavaScript of [false, true])
  test.each([...ROWS, ...NAMED])(
    `%s, called from ${isJavaScript ? "JavaScript" : "TypeScript"}`,
    (_what, lib, imported, body) => {
      const main = MAIN(imported, body, isJavaScript);
      const { f, d } = loaded({ [isJavaScript ? "main.js" : "main.ts"]: main, "lib.js": lib });
      for (const x of [1.3, 0.7]) {
        const slope = (f(x + STEP) - f(x - STEP)) / (2 * STEP);
        expect(slope).not.toBe(0);
        expect(Math.abs(d(x) - slope)).toBeLessThan(NEAR * Math.max(1, Math.abs(slope)));
      }
    },
  );

test("a memo that plain code has filled is reported, not constant", () => {
  const memos = [
    "const s = { at: NaN, value: 0 };\nexport function slow(x) { if (s.at !== x) { s.at = x; s.value = x * x; } return s.value; }",
    "let at = NaN, value = 0;\nexport function slow(x) { if (at !== x) { at = x; value = x * x; } return value; }",
    "export const slow = (() => { let at = NaN, value = 0; return (x) => { if (at !== x) { at = x; value = x * x; } return value; }; })();",
  ];
  for (const lib of memos) {
    const { f, d } = loaded({ "main.ts": MAIN("{ slow }", "slow(x)", false), "lib.js": lib });
    expect(d(3)).toBe(6);
    expect(f(2)).toBe(4);
    expect(() => d(2)).toThrow(/TSG0015/);
    expect(d(5)).toBe(10);
  }
});

test("code that cannot be followed is refused when it runs with an active number", () => {
  const { d } = loaded({
    "main.ts": MAIN("{ bad }", "bad(x) * x", false),
    "lib.js": "export const bad = (x) => eval('x');",
  });
  expect(() => d(2)).toThrow(/TSG0010: .*contains `eval`, line 1/);
});

test("what is no JavaScript would be seen", () => {
  expect(notJavaScript("const f = (x: number) => x;")).not.toEqual([]);
  expect(notJavaScript("const f = (x) => x as unknown;")).not.toEqual([]);
});
