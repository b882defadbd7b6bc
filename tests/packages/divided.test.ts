// Packages of which one function is the static engine's and another the Delta engine's, in a host that does not load packages.
// In: a program with several. Out: which engine takes which function, and gradients against closed forms.

import { beforeAll, expect, test } from "vitest";
import { type Built, built, engineOf, programOf } from "./built.ts";

/** `square` is static; `odd` is not, since what it reads is chosen while it runs. */
const CODE = `
export const square = (x) => x * x;
export const odd = (x) => ({ a: x * x * x, b: x })[String.fromCharCode(97)];
`;
/** State that a copy for Delta would not share with the package that other code calls. */
const STATE = `${CODE}
export let by = Math.random;
export function noise(x) { return by() * x; }
export function setNoise(f) { by = f; }
`;
/** A class whose methods share an object of the module: those that the static engine cannot take, too. */
const CLASS = `
export class Vec {
  constructor(x, y) { this.x = x; this.y = y; }
  set(x, y) { this.x = x; this.y = y; return this; }
  dot(v) { return this.x * v.x + this.y * v.y; }
  turned(v) { return scratch.set(v.y, v.x).dot(this); }
}
const scratch = new Vec(0, 0);
export const square = (x) => x * x;
export const odd = square;
`;
const DECLARED_CLASS = `export declare class Vec { constructor(x: number, y: number); x: number; y: number; set(x: number, y: number): this; dot(v: Vec): number; turned(v: Vec): number; }
`;
const DECLARED = `export declare function square(x: number): number;\nexport declare function odd(x: number): number;\n`;

const PACKAGES = { plain: CODE, held: STATE, shared: CLASS, other: CODE } as const;

/** By what it calls: the body, and the engine that takes it. */
const CALLS = {
  "plain, square": ["plain.square(x[0]!)", "static"],
  "plain, odd": ["plain.odd(x[0]!)", "delta"],
  "held, square": ["held.square(x[0]!)", "static"],
  "held, odd": ["held.odd(x[0]!)", "delta"],
  "shared, square": ["new shared.Vec(x[0]!, 0).dot(new shared.Vec(x[0]!, 1))", "delta"],
  "shared, odd": ["27 * new shared.Vec(0, x[0]!).turned(new shared.Vec(1, 0))", "delta"],
  "other, square": ["other.square(x[0]!)", "static"],
} as const;

const fileOf = (name: string): string => `src/${name.replace(", ", "-")}.ts`;
let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = Object.entries(PACKAGES).flatMap(([name, code]) => [
    [
      `${name}/package.json`,
      `{ "name": "${name}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
    ],
    [`${name}/index.js`, `export * as v from "./v.js";\n`],
    [`${name}/index.d.ts`, `export * as v from "./v.js";\n`],
    [`${name}/v.js`, code],
    [`${name}/v.d.ts`, `${code === CLASS ? DECLARED_CLASS : ""}${DECLARED}`],
  ]);
  const programs = Object.entries(CALLS).map(([name, [body]]) => {
    const [from = ""] = name.split(", ");
    return programOf(fileOf(name), `import { v as ${from} } from "${from}";`, body);
  });
  result = await built(Object.fromEntries(packages), [programs]);
});

test("the build accepts the program", () => {
  expect(result.errors).toEqual([]);
});

test.each(Object.entries(CALLS))("%s", (name, [, engine]) => {
  const { module, text } = result.made.get(fileOf(name)) ?? {};
  expect(engineOf(text ?? "")).toBe(engine);
  expect(module?.d([3])).toEqual([name.includes("odd") ? 27 : 6]);
});
