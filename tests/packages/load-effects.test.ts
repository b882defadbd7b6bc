// What a package does while it is loaded, by code whose own names nobody reads. In: the ways in
// which a statement may do it. Out: gradients of the Delta engine's copies against differences.

import { beforeAll, describe, expect, test } from "vitest";
import { type Built, built, engineOf, expectGradient, programOf } from "./built.ts";

/** `all[0]` is what the package's function calls; each text puts `sq` there. */
const HEAD = `const sq = (x) => x * x * 2;
const install = (f) => all.unshift(f);
const held = { add: (f) => all.unshift(f), get now() { return all; }, set at(f) { install(f); } };
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

/** What may run `put` without a call that names it; a case gets those whose names it has. */
const RUNNERS: Readonly<Record<string, string>> = {
  box: "const box = { set at(f) { all.unshift(f); }, get got() { return put(); } };",
  Box: "class Box { set at(f) { all.unshift(f); } static set of(f) { all.unshift(f); } }",
  made: "class Sub extends Box {}\nconst made = new Sub();",
  Kind: "class Kind { static [Symbol.hasInstance]() { return put() > 0; } }",
  each: "const each = { *[Symbol.iterator]() { yield put(); } };",
  prim: "const prim = { [Symbol.toPrimitive]() { return put(); } };",
  text: "const text = { toString() { return 'k' + put(); } };",
  num: "const num = { valueOf() { return put(); } };",
  seen: "const seen = new Proxy({}, { get: put, set: put, has: put, deleteProperty: put, ownKeys: () => (put(), []) });",
  defined: "const defined = Object.defineProperty({}, 'at', { set: (f) => install(f) });",
  plain: "const plain = { a: {} };",
  local: "let local = 0;",
};
const withRunners = (text: string): string =>
  Object.entries(RUNNERS)
    .filter(([name]) => new RegExp(`\\b(?:${name === "Box" ? "Box|made" : name})\\b`).test(text))
    .map(([, code]) => code)
    .join("\n");
const IMPLICIT: readonly string[] = [
  "box.at = sq;",
  "box['at'] = sq;",
  "const one = (box.at = sq);",
  "const one = { two: (made.at = sq) };",
  "made.at = sq;",
  "Box.of = sq;",
  "defined.at = sq;",
  "seen.any = sq;",
  "const one = (box.at ??= sq);",
  "[box.at] = [sq];",
  "const one = ([box.at] = [sq]);",
  "({ x: box.at } = { x: sq });",
  "const one = ({ x: box.at } = { x: sq });",
  "[, ...[box.at]] = [0, sq];",
  "({ x: [box.at = sq] } = { x: [] });",
  "for (box.at of [sq]);",
  "for (box.at in { a: 1 }) all[0] = sq;",
  "Object.assign(box, { at: sq });",
  "const one = Object.assign(made, { at: sq });",
  "for (const one of each);",
  "for (const one of each) void one;",
  "const one = [...each];",
  "const [one] = each;",
  "let one; [one] = each;",
  "const one = ([local] = each);",
  "const one = new Set(each);",
  "const one = Math.max(...each);",
  "const one = (() => { for (const two of each); })();",
  "const one = { ...box };",
  "const { got } = box;",
  "const { ...one } = box;",
  "let got; ({ got } = box);",
  "const one = ({ got: local } = box);",
  "const one = ({ ...local } = box);",
  "const one = box.got;",
  "box.got;",
  "plain.a[text] = 1;",
  "const one = (plain.a[text] = 1);",
  "plain[box.got] = 1;",
  "const one = { [text]: 1 };",
  "const one = { [text]() {} };",
  "class K { [text] = 1; }",
  "class K { static [text]() {} }",
  "const one = 1 instanceof Kind;",
  "1 instanceof Kind;",
  "const one = 'a' in seen;",
  "delete seen.a;",
  "const one = delete seen.a;",
  "for (const one in seen);",
  "const one = `${prim}`;",
  "`${prim}`;",
  "const one = prim + 1;",
  "const one = -num;",
  "const one = +num;",
  "const one = num < 1;",
  "const one = num == 1;",
  "local += num;",
  "const one = (local += num);",
  "const one = (local -= num);",
  "let one = num; one++;",
  "let one = num; const two = one++;",
  "const one = new (Reflect.construct(Object, []).constructor)(put());",
  "const one = Reflect.construct(Installer, [sq]);",
  "const tag = Installer.of;\nconst one = tag.call`x`, two = (() => put())`x`;",
  "const one = Number(num);",
  "const one = String(text);",
  "const one = JSON.stringify({ toJSON: put });",
  "const one = [text].join();",
  "class Late extends Installer {}\nconst one = new Late(sq);",
  "class Late extends Installer {}\nnew Late(sq);",
  "class Late { constructor() { put(); } }\nclass Later extends Late { static one = new this(); }",
  "function* give() { yield* each; }\nconst [one] = give();",
  "const one = (function* () { yield* each; })().next();",
  "label: for (const one of each) break label;",
  "switch (0) { case +num: }",
  "if (num > 0) void 0;",
  "throwing: try { void 0; } finally { box.at = sq; }",
  "{ box.at = sq; }",
  "var one = 1, two = (box.at = sq);",
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
  "class Late extends Installer {}\nconst one = new Late(sq);",
  "class Late extends Installer {}\nnew Late(sq);",
  "class Late extends Installer { static one = new this(sq); }",
  "held.at = sq;",
  "const one = (held.at = sq);",
  "const one = ([held.at] = [sq]);",
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
  ...IMPLICIT.map((text) => ({
    what: `implicit: ${text}`,
    files: {
      "index.js": `${LIST}${HEAD}const put = () => install(sq);\n${withRunners(text)}\n${text}\n${USE}`,
    },
  })),
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
