// Instances of classes with `#x`, in whose place emitted code keeps records. In: small modules. Out: derivatives against closed forms where nobody else sees an
// instance, and the code of the diagnostic where somebody does.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const CLASSES = `export class Vec {
  #x: number; #y: number; tag = "v";
  constructor(x: number, y: number) { this.#x = x; this.#y = y; }
  get x(): number { return this.#x; }
  dot(o: Vec): number { return this.#x * o.#x + this.#y * o.#y; }
  times(k: number): Vec { return new Vec(this.#x * k, this.#y * k); }
  #go(g: (x: number) => number, n: number): number { return n === 0 ? g(this.#x) : this.#go(g, n - 1) * this.#y; }
  run(g: (x: number) => number): number { return this.#go(g, 2); }
  swap(): void { [this.#x, this.#y] = [this.#y, this.#x]; this.#x += 1; this.#y ??= 5; }
}
class Hidden { #n = 0; static readonly #half = -0.5 * 2 / (1 + 1); add(x: number): this { this.#n += x; return this; } get value(): number { return this.#n * -Hidden.#half; } }
export function viaHidden(x: number): number { return new Hidden().add(x).add(x * x).value; }
export const ORIGIN = new Vec(0, 0);
export const seen: unknown[] = [];
`;
const HEAD = `import { checkpoint, grad, hessian, jvp, stopGradient, vjp } from "tsgrad";\nimport { ORIGIN, seen, Vec, viaHidden } from "./b.ts";\n`;

function compiled(module: string): { readonly codes: readonly string[]; readonly got: unknown } {
  const texts: Readonly<Record<string, string>> = { "a.ts": `${HEAD}${module}\n`, "b.ts": CLASSES };
  const { edits, diagnostics } = analyse(programOf(texts), { engine: "static" });
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const edited = new Map(
    Object.entries(texts).map(([name, text]): [string, string] => [
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  return { codes, got: codes.length > 0 ? null : loader(edited)("/src/a.ts")["got"] };
}

test("of another module, in every mode", () => {
  // (x² + 4 x²) x: 15 x², 30 x
  const f =
    "const f = (x: number): number => { const v = new Vec(x, 2 * x); return v.dot(v.times(x)); };\n";
  expect(
    compiled(
      `${f}export const got = [grad(f)(2), hessian(f)(2), jvp(f)([2], [3])[1], vjp(f)(2)[1](1)[0]];`,
    ),
  ).toEqual({ codes: [], got: [60, 60, 180, 60] });
});

test("a class that its module keeps to itself", () => {
  expect(compiled("export const got = grad((x: number) => viaHidden(x) * x)(3);")).toEqual({
    codes: [],
    got: (2 * 3 + 3 * 3 ** 2) / 2,
  });
});

test("private methods that call themselves and are handed functions", () => {
  // sin(x) y² with y = x
  expect(
    compiled(
      "const f = (x: number): number => new Vec(x, x).run(Math.sin);\nexport const got = grad(f)(0.5);",
    ).got,
  ).toBeCloseTo(Math.cos(0.5) * 0.25 + Math.sin(0.5), 12);
});

test("patterns and compound assignments write private fields", () => {
  // [x, 2 x] -> [2 x + 1, x]: (2 x + 1)² + x²
  expect(
    compiled(
      "const f = (x: number): number => { const v = new Vec(x, 2 * x); v.swap(); return v.dot(v); };\nexport const got = grad(f)(3);",
    ),
  ).toEqual({ codes: [], got: 4 * 7 + 6 });
});

test("in objects, lists, Maps and closures, by interfaces of the function's own", () => {
  const f = `interface Item { v: Vec; weight: number }
const total = (items: readonly Item[]): number => items.reduce((s, { v, weight }) => s + weight * v.dot(v), 0);
const f = (x: number): number => {
  const byName = new Map<string, Item>([["a", { v: new Vec(x, 1), weight: 2 }]]), items: Item[] = [...byName.values()];
  const push = (k: number): void => { const last = items.at(-1); if (last !== undefined) items.push({ ...last, v: last.v.times(k) }); };
  for (const k of [x, 2]) push(k);
  return total(items) + (byName.get("a") === items[0] ? 1 : 0);
};\n`;
  // 2 (x² + 1) (1 + x² + 4 x²)
  expect(compiled(`${f}export const got = grad(f)(3);`)).toEqual({
    codes: [],
    got: 2 * (2 * 3 * (1 + 5 * 9) + (9 + 1) * 10 * 3),
  });
});

test.each([
  ["an argument", "TSG1107", "const f = (x: number, v: Vec): number => x * v.x;"],
  [
    "an argument that holds one",
    "TSG1107",
    "const f = (x: number, o: { readonly v: Vec }): number => x * o.v.x;",
  ],
  [
    "a function that is differentiated and called",
    "TSG1107",
    "const f = (v: Vec, x: number): number => x * v.x;\nconst h = (x: number): number => f(new Vec(x, x), x);\nexport const d = grad(h);",
  ],
  ["a constant of the module", "TSG1107", "const f = (x: number): number => x * ORIGIN.x;"],
  [
    "a list of the module",
    "TSG1107",
    "const f = (x: number): number => { seen.push(new Vec(x, x)); return x * x; };",
  ],
  [
    "a list of the module, as something else",
    "TSG1107",
    "const f = (x: number): number => { const o: unknown = new Vec(x, x); seen.push(o); return x * x; };",
  ],
  [
    "a list of the module, in an object",
    "TSG1107",
    "const f = (x: number): number => { const o: { readonly inside: unknown } = { inside: new Vec(x, x) }; seen.push(o); return x * x; };",
  ],
  [
    "the console",
    "TSG1107",
    "const f = (x: number): number => { console.log(new Vec(x, x)); return x * x; };",
  ],
  [
    "a text",
    "TSG1107",
    "const f = (x: number): number => { const v = new Vec(x, x); return x * `${v}`.length; };",
  ],
  [
    "JSON",
    "TSG1107",
    "const f = (x: number): number => { const v = new Vec(x, x); return x * JSON.stringify({ v }).length; };",
  ],
  [
    "an exception",
    "TSG1107",
    "const f = (x: number): number => { if (x > 9) throw new Vec(x, x); return x * x; };",
  ],
  [
    "the names of its fields",
    "TSG1107",
    "const f = (x: number): number => { const v = new Vec(x, x); return x * Object.keys(v).length; };",
  ],
  [
    "whether it has a field",
    "TSG1107",
    'const f = (x: number): number => { const v = new Vec(x, x); return "tag" in v ? x : x * x; };',
  ],
  [
    "a copy of its fields",
    "TSG1107",
    "const f = (x: number): number => { const v = new Vec(x, x); return x * { ...v }.tag.length; };",
  ],
  [
    "the rest of its fields",
    "TSG1107",
    "const f = (x: number): number => { const { tag, ...rest } = new Vec(x, x); return x * tag.length * Object.keys(rest).length; };",
  ],
  [
    "fields that are given to it",
    "TSG1107",
    'const f = (x: number): number => { const v = Object.assign(new Vec(x, x), { tag: "w" }); return x * v.x; };',
  ],
  [
    "a field by a name that is no name of its",
    "TSG1107",
    'const f = (x: number): number => { const v = new Vec(x, x); return x * v["x"]; };',
  ],
  [
    "a copy",
    "TSG1203",
    "const f = (x: number): number => x * structuredClone(new Vec(x, x)).tag.length;",
  ],
  [
    "stopGradient",
    "TSG1107",
    "const f = (x: number): number => x * stopGradient(new Vec(x, x)).x;",
  ],
  [
    "a function that is handed over",
    "TSG1124",
    "const f = (x: number, use: (v: Vec) => number): number => x * use(new Vec(x, x));",
  ],
  [
    "something that is said to be one",
    "TSG1107",
    "const f = (x: number): number => x * (seen[0] as Vec).x;",
  ],
  [
    "a derivative",
    "TSG2002",
    "const f = (x: number): number => grad((v: Vec) => v.dot(v))(new Vec(x, x)).tag.length * x;",
  ],
])("%s sees an instance", (_, code, module) => {
  const { codes } = compiled(`${module}\nexport const got = grad(f);`);
  expect(codes[0]).toBe(code);
});
