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
/** A class one of whose methods changes an object of the module that `odd` changes as well. */
const CLASS = `
export class Mat {
  constructor(a, b) { this.e = [a, b]; }
  det() { return this.e[0] * this.e[1]; }
  copy(m) { this.e[0] = m.e[0]; this.e[1] = m.e[1]; return this; }
  times(m) { scratch.copy(m); scratch.e[0] *= 2; return scratch.det() * this.det(); }
}
const scratch = new Mat(1, 1);
export const odd = (x) => { scratch.copy(new Mat(x * x, 1)); scratch.e[0] *= 1; return ({ a: scratch.e[0] * x, b: x })[String.fromCharCode(97)]; };
`;
const DECLARED_CLASS = `export declare class Mat { constructor(a: number, b: number); e: number[]; det(): number; times(m: Mat): number; }
export declare function odd(x: number): number;
`;
const DECLARED = `export declare function square(x: number): number;\nexport declare function odd(x: number): number;\n`;

const PACKAGES = { plain: CODE, held: STATE, shared: CLASS, other: CODE } as const;

/** By what it calls: the body, and the engine that takes it. */
const CALLS = {
  "plain, square": ["plain.square(x[0]!)", "static"],
  "plain, odd": ["plain.odd(x[0]!)", "delta"],
  "held, square": ["held.square(x[0]!)", "static"],
  "held, odd": ["held.odd(x[0]!)", "delta"],
  "shared, square": ["new Mat(x[0]!, x[0]!).det()", "delta"],
  "shared, odd": ["odd(x[0]!)", "delta"],
  "other, square": ["other.square(x[0]!)", "static"],
} as const;

const fileOf = (name: string): string => `src/${name.replace(", ", "-")}.ts`;
let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = Object.entries(PACKAGES).flatMap(([name, code]) => {
    const index = `export *${code === CLASS ? "" : " as v"} from "./v.js";\n`;
    return [
      [
        `${name}/package.json`,
        `{ "name": "${name}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
      ],
      [`${name}/index.js`, index],
      [`${name}/index.d.ts`, index],
      [`${name}/v.js`, code],
      [`${name}/v.d.ts`, code === CLASS ? DECLARED_CLASS : DECLARED],
    ];
  });
  const programs = Object.entries(CALLS).map(([name, [body]]) => {
    const [from = ""] = name.split(", ");
    const names = from === "shared" ? "Mat, odd" : `v as ${from}`;
    return programOf(fileOf(name), `import { ${names} } from "${from}";`, body);
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
