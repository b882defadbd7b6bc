// What a package does while it is loaded, by code whose own names nobody reads. In: the ways in
// which a statement may do it. Out: gradients of the Delta engine's copies against differences.

import { beforeAll, describe, expect, test } from "vitest";
import { type Built, built, engineOf, expectGradient, programOf } from "./built.ts";

/** `all[0]` is what the package's function calls; each text puts `sq` there. */
const HEAD = `const sq = (x) => x * x * 2;
const install = (f) => all.unshift(f);
const held = { add: (f) => all.unshift(f), get now() { return all; } };
class Installer { constructor(f) { all.unshift(f); } static of(f) { return new Installer(f); } }
function getAll() { return all; }
function later() { return install(sq); }
`;
const LIST = "export const all = [(x) => x];\n";

const HERE: readonly string[] = [
  "const one = all.unshift(sq);",
  "let one = install(sq);",
  "export const one = install(sq);",
  "install(sq);",
  "void install(sq);",
  "later();",
  "const one = later();",
  "const go = () => later();\nconst one = go();",
  "const { length } = [all.unshift(sq)];",
  "const [one] = [install(sq)];",
  "const { one = all.unshift(sq) } = {};",
  "const one = ((n = all.unshift(sq)) => n)();",
  "const one = (() => install(sq))();",
  "const one = ((f) => { const inner = () => all.unshift(f); return inner(); })(sq);",
  "const one = new Installer(sq);",
  "new Installer(sq);",
  "const one = Installer.of(sq);",
  "const one = held.add(sq);",
  "const { add } = held;\nconst one = add(sq);",
  "const one = all.unshift.bind(all)(sq);",
  "const one = [sq].map(install);",
  "const one = [sq].map((f) => all.unshift(f));",
  "const one = (all[0] = sq);",
  "const one = Reflect.set(all, 0, sq);",
  "const one = all.length > 9 ? 0 : install(sq);",
  "const one = getAll().unshift(sq);",
  "const two = all;\nconst one = two.unshift(sq);",
  "const tag = () => install(sq);\nconst one = tag`x`;",
  "class K { static one = all.unshift(sq); }",
  "class K { static { all.unshift(sq); } }",
  "class K { static #one = install(sq); }",
  "class K { static { later(); } }",
  "class K { [all.unshift(sq)] = 1; }",
  "class K { static [install(sq)]() {} }",
  "class K extends (install(sq), Installer) {}",
  "export default install(sq);",
  "export default class { static one = install(sq); }",
  "const K = class { static { install(sq); } };",
  "const kept = { one: [install(sq)] };",
  "const kept = Object.freeze({ one: [install(sq)] });",
  "const one = `${install(sq)}`;",
  "for (const f of [sq]) install(f);",
  "const put = (f) => { for (let all of []) void all; all.unshift(f); };\nput(sq);",
  "function* both() { yield install(sq); }\nconst [one] = both();",
  "const both = { *[Symbol.iterator]() { yield install(sq); } };\nconst [one] = both;",
  "const text = { toString() { return String(install(sq)); } };\nconst one = `${text}`;",
];

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
}

const USE = "export function f(x) { try { return all[0](x) * 3; } finally { void 0; } }\n";
const IMPORTED: readonly string[] = [
  "const one = install(sq);",
  "const one = later();",
  "const go = () => later();\nconst one = go();",
  "const one = new Installer(sq);",
  "const one = held.add(sq);",
  "const one = [sq].map(install);",
  "const one = (all[0] = sq);",
  "class K { static one = install(sq); }",
  "class K { static { later(); } }",
];
const REQUIRED: readonly string[] = [
  "const one = table.install(table.sq);",
  "exports.one = table.install(table.sq);",
  "exports.one = new table.Installer(table.sq);",
  "const go = () => table.later();\nexports.one = go();",
  "const K = class { static one = table.later(); };",
];
const NAMES = "all, sq, install, held, Installer, later";

const CASES: readonly Case[] = [
  ...HERE.map((text) => ({ what: text, files: { "index.js": LIST + HEAD + text + "\n" + USE } })),
  ...IMPORTED.map((text) => ({
    what: `elsewhere: ${text}`,
    files: {
      "table.js": `${LIST}${HEAD}export { sq, install, held, Installer, later };\n`,
      "more.js": `import { ${NAMES} } from "./table.js";\n${text}\nexport const other = 1;\n`,
      "index.js": `import { other } from "./more.js";\nimport { all } from "./table.js";\n${USE}`,
    },
  })),
];

const COMMON: readonly Case[] = REQUIRED.map((text) => ({
  what: `required: ${text}`,
  files: {
    "package.json": `{ "main": "./index.js", "types": "./index.d.ts" }`,
    "table.js": `const all = [(x) => x];\n${HEAD}Object.assign(exports, { all, sq, install, held, Installer, later });\n`,
    "more.js": `const table = require("./table.js");\n${text}\nexports.other = 1;\n`,
    "index.js": `const more = require("./more.js");\nconst { all } = require("./table.js");\n${USE.replace("export ", "")}exports.f = f;\n`,
  },
}));
const ALL = [...CASES, ...COMMON];

const packageOf = ({ files }: Case, name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      "package.json": `{ "name": "${name}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
      "index.d.ts": "export function f(x: number): number;\n",
      ...files,
    }).map(([file, text]) => [`${name}/${file}`, text]),
  );

const fileOf = (i: number): string => `src/case${i}.ts`;
let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = ALL.map((one, i) => packageOf(one, `pack${i}`));
  const programs = ALL.map((_, i) =>
    programOf(fileOf(i), `import { f as g } from "pack${i}";`, "g(x[0]!) * x[1]!"),
  );
  result = await built(Object.assign({}, ...packages), [programs]);
});

test("everything builds", () => {
  expect(result.errors).toEqual([]);
});

describe("what runs when a package is loaded", () => {
  test.each(ALL.map(({ what }, i) => [what, fileOf(i)] as const))("%s", (_, file) => {
    const { module, text } = result.made.get(file) ?? {};
    if (module === undefined || text === undefined) throw new Error("not built");
    expect(module.f([0.7, 1.9])).toBeCloseTo(6 * 0.49 * 1.9, 12);
    expectGradient(module, [0.7, 1.9]);
    expect(engineOf(text)).toBe("delta");
  });
});
