// Classes of packages of which there are no instances: they need no copies, and their code stands
// for nothing. In: a package with a class that it does not export, and the ways in which code may
// make instances of it. Out: gradients against central differences, and which engine takes a call.

import { beforeAll, describe, expect, test } from "vitest";
import { type Built, built, engineOf, expectGradient, programOf } from "./built.ts";

interface Case {
  readonly what: string;
  /** What follows the classes; `made` makes an instance. */
  readonly after?: string;
  /** What `Base` has besides. */
  readonly base?: string;
  /** What `Base` declares besides. */
  readonly declared?: string;
  /** What the program computes besides. */
  readonly body?: string;
  /** What it declares. */
  readonly before?: string;
  readonly engine: "static" | "delta";
}

const BODY = "made(x[0]!).twice() * x[1]!";
const unmade = (what: string, more: Partial<Case>): Case => ({ what, engine: "static", ...more });
const made = (what: string, after: string, more: Partial<Case> = {}): Case => ({
  ...{ what, after, body: BODY, engine: "delta" },
  ...more,
});

/** What the program's own code makes, derivatives get as it is: the names of the maker say nothing. */
const kept = (one: Case): Case => ({
  ...one,
  what: `${one.what}, kept by the program`,
  body: "given.twice() * x[1]!",
  before: "const given = made(3);",
});

const WAYS: readonly Case[] = [
  unmade("nothing names it", {}),
  unmade("a function that nothing calls", { after: "const spare = (k) => new Other(k);" }),
  unmade("a method that nothing names", { base: "spare() { return new Other(this.k); }" }),
  unmade("a static method that nothing names", {
    base: "static spare(k) { return new Other(k); }",
  }),
  unmade("another class that nothing names", { after: "class Third extends Other {}" }),
  unmade("a test for it", { after: "const isOther = (b) => b instanceof Other;" }),
  unmade("a member of its prototype", {
    after: "const area = Other.prototype.area; area.call({ k: 1 });",
  }),
  unmade("a name of it", { after: "const A = Other;" }),
  made("a function", "const made = (k) => new Other(k);"),
  made("another name", "const A = Other;\nconst made = (k) => new A(k);"),
  made("its own static method", "const made = (k) => Other.of(k);"),
  made("a class that derives", "class Third extends Other {}\nconst made = (k) => new Third(k);"),
  made("a default value", "const made = (k, C = Other) => new C(k);"),
  made("an argument", "const make = (C, k) => new C(k);\nconst made = (k) => make(Other, k);"),
  made("a list", "const made = (k) => new ([Base, Other][1])(k);"),
  made("an object", "const all = { Other };\nconst made = (k) => new all.Other(k);"),
  made("a choice", "const made = (k) => new (k > 0 ? Other : Base)(k);"),
  made("a prototype", "const made = (k) => Object.assign(Object.create(Other.prototype), { k });"),
  made("a constructor of a prototype", "const made = (k) => new Other.prototype.constructor(k);"),
  made("a call of Reflect", "const made = (k) => Reflect.construct(Other, [k]);"),
  made(
    "another prototype",
    "const made = (k) => Object.setPrototypeOf(new Base(k), Other.prototype);",
  ),
  made(
    "code that runs at once",
    "const all = [];\nall.push(new Other(2));\nconst made = (k) => { const b = all[0]; b.k = k; return b; };",
  ),
  ...[
    ["a variable", "const one = all.push(new Other(2));"],
    ["a static field", "class Keeper { static one = all.push(new Other(2)); }"],
    ["a static block", "class Keeper { static { all.push(new Other(2)); } }"],
    ["what a class extends", "class Keeper extends (all.push(new Other(2)), Object) {}"],
    ["a key of a member", "class Keeper { [all.push(new Other(2))]() {} }"],
    ["what is exported by default", "export default all.push(new Other(2));"],
  ].map(([what = "", text = ""]) =>
    made(
      what,
      `const all = [];\n${text}\nconst made = (k) => { const b = all[0]; b.k = k; return b; };`,
    ),
  ),
  made("a method", "const made = (k) => new Base(k).other();", {
    base: "other() { return new Other(this.k); }",
  }),
  ...[
    ["a call by a name that code makes", `const made = (k) => new Base(k)["oth" + "er"]();`],
    [
      "a name of it",
      `const key = ["oth", "er"].join("");\nconst made = (k) => new Base(k)[key]();`,
    ],
    [
      "a template",
      `const made = (k) => { const m = new Base(k)[\`oth\${"er"}\`]; return m.call({ k }); };`,
    ],
  ].map(([what = "", text = ""]) =>
    made(what, text, { base: "other() { return new Other(this.k); }" }),
  ),
  ...[
    [
      "an iterator",
      "const made = (k) => { for (const b of new Base(k)) return b; };",
      "[Symbol.iterator]() { return this; } next() { return { done: false, value: new Other(this.k) }; }",
    ],
    [
      "arithmetic",
      "let last;\nconst made = (k) => { void +new Base(k); return last; };",
      "valueOf() { last = new Other(this.k); return 1; }",
    ],
    [
      "a template of an instance",
      "let last;\nconst made = (k) => { void `${new Base(k)}`; return last; };",
      'toString() { last = new Other(this.k); return ""; }',
    ],
  ].map(([what = "", text = "", base = ""]) => made(what, text, { base })),
  made("JSON", "let last;\nconst made = (k) => { JSON.stringify(new Base(k)); return last; };", {
    base: "toJSON() { last = new Other(this.k); return 1; }",
  }),
  made("a method of the program's", "", {
    ...{ base: "other() { return new Other(this.k); }", declared: "other(): Base;" },
    body: "new Base(x[0]!).other().twice() * x[1]!",
  }),
  made("a method by a text", "", {
    ...{ base: "other() { return new Other(this.k); }", declared: "other(): Base;" },
    body: `new Base(x[0]!)["other"]().twice() * x[1]!`,
  }),
  made("a module that is loaded while the program runs", "const made = (k) => new Other(k);", {
    body: "given.twice() * x[1]!",
    before: 'const lib = await import("PACKAGE");\nconst given = lib.made(3);',
  }),
  made("a getter", "const made = (k) => new Base(k).other;", {
    base: "get other() { return new Other(this.k); }",
  }),
];

const CASES: readonly Case[] = [...WAYS, ...WAYS.filter(({ body }) => body === BODY).map(kept)];

const packageOf = ({ after = "", base = "", declared = "" }: Case, name: string) => {
  const hasMade = /\bmade = /.test(after);
  return {
    [`${name}/package.json`]: `{ "name": "${name}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
    [`${name}/index.js`]: `class Base {
  constructor(k) { this.k = k; }
  area() { return this.k; }
  twice() { return 2 * this.area(); }
  ${base}
}
class Other extends Base {
  area() { return this.k ** 2; }
  static of(k) { return new this(k); }
}
${after}
export { Base${hasMade ? ", made" : ""} };
`,
    [`${name}/index.d.ts`]: `export class Base { k: number; constructor(k: number); area(): number; twice(): number; ${declared} }\n${hasMade ? "export function made(k: number): Base;\n" : ""}`,
  };
};

const fileOf = (i: number): string => `src/case${i}.ts`;
let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = CASES.map((one, i) => packageOf(one, `pack${i}`));
  const programs = CASES.map(({ body = "0", before = "" }, i) => {
    const names = /(?<!\.)\bmade\b/.test(before + body) ? "Base, made" : "Base";
    const imports = `import { ${names} } from "pack${i}";`;
    const all = `new Base(x[0]!).twice() * x[1]! ** 2 + ${body}`;
    return [programOf(fileOf(i), imports, all, before.replace("PACKAGE", `pack${i}`))];
  });
  result = await built(Object.assign({}, ...packages), programs);
});

test("everything builds", () => {
  expect(result.errors).toEqual([]);
});

describe.each(CASES.map((one, i) => [one.what, one, fileOf(i)] as const))("%s", (_, one, file) => {
  test("the gradient", () => {
    const { module, text } = result.made.get(file) ?? {};
    if (module === undefined || text === undefined) throw new Error("not built");
    expectGradient(module, [0.7, 1.9]);
    expect(engineOf(text)).toBe(one.engine);
  });
});
