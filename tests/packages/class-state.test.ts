// What functions of packages put on classes while they run: flags on a prototype, statics. In: ways to write it, and ways
// to read it. Out: gradients of copies against closed forms, before the package's own code has run and again after it.

import { beforeAll, expect, test } from "vitest";
import { type Built, built, programOf } from "./built.ts";

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
const fileOf = (i: number): string => `src/case${i}.ts`;
let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const programs = CASES.map((_, i) =>
    programOf(fileOf(i), `import { C${i} } from "marks";`, `new C${i}(x[0]!).value()`),
  );
  result = await built(
    {
      "marks/package.json": `{ "name": "marks", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
      "marks/index.js": PACKAGE,
      "marks/index.d.ts": DECLARED,
    },
    [programs],
  );
});

test("the build accepts them", () => {
  expect(result.errors).toEqual([]);
});

test.each(CASES.map((one, i) => [one.what, fileOf(i)] as const))("%s", (_, file) => {
  const { module } = result.made.get(file) ?? {};
  const [f, d] = [module?.f, module?.d];
  expect([d?.([3]), d?.([3]), f?.([3]), d?.([3])]).toEqual([[6], [6], 9, [6]]);
});
