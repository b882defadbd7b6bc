// Forms asked of members of classes, and instances that derivatives give back. In: small modules. Out: numbers, or codes.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const VEC = `
export class Vec {
  constructor(readonly x: number, readonly y: number) {}
  static energy(x: number, v: Vec): number { return Vec.half(x * x) * v.length(); }
  private static half(x: number): number { return x / 2; }
  length(): number { return Math.hypot(this.x, this.y); }
  scaled(k: number): Vec { return new Vec(this.x * k, this.y * k); }
}
`;

function run(module: string): Readonly<Record<string, unknown>> {
  const text = `import { grad, vjp } from "tsgrad";\n${VEC}${module}\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }));
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  return loader(
    new Map([["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text]]),
  )("/src/a.ts");
}

const codes = (module: string): readonly string[] =>
  analyse(programOf({ "a.ts": `import { grad } from "tsgrad";\n${module}\n` }), {
    engine: "static",
  }).diagnostics.map(({ code }) => code);

test("a static method", () => {
  expect(run("export const got = grad(Vec.energy)(3, new Vec(3, 4));")["got"]).toBe(15);
  expect(
    run("export const got = grad(Vec.energy, { argnums: 1 })(2, new Vec(3, 4));")["got"],
  ).toEqual({ x: 1.2, y: 1.6 });
});

test("an arrow function that calls a method", () => {
  expect(run("export const got = grad((v: Vec) => v.length())(new Vec(3, 4));")["got"]).toEqual({
    x: 0.6,
    y: 0.8,
  });
});

test("a result is a real instance, whose constructor has run", () => {
  const { got } = run(`
class Named extends Vec { readonly id: number; constructor(x: number) { super(x, 2 * x); this.id = 7; } }
const f = (x: number): Named => new Named(x);
const [value] = vjp(f)(3);
export const got = [value instanceof Named, value.scaled(2).length(), value.id];`);
  expect(got).toEqual([true, Math.hypot(6, 12), 7]);
});

test("an object that fits an interface without being of a class is refused while the program runs", () => {
  const { got } = run(`
interface Layer { run(x: number): number }
class Double implements Layer { k = 2; run(x: number): number { return this.k * x; } }
const f = (x: number, l: Layer): number => l.run(x);
const g = grad(f);
const tried = (l: Layer): unknown => { try { return g(3, l); } catch (error) { return error instanceof TypeError; } };
export const got = [tried(new Double()), tried({ run: (x) => x * x })];`);
  expect(got).toEqual([2, true]);
});

test.each([
  "{ k: 3, run: (x) => x * x }",
  "{ k: 3, run } ",
  "{ run: (x: number): number => x * x } as unknown as Scaled",
])("an object literal in place of an instance is refused while the program runs: %s", (literal) => {
  const { got } = run(`
class Scaled { k = 2; run(x: number): number { return this.k * x; } }
const run = (x: number): number => x ** 3;
const g = grad((x: number, l: Scaled): number => l.run(x));
const tried = (l: Scaled): unknown => { try { return g(3, l); } catch (error) { return error instanceof TypeError; } };
export const got = [tried(new Scaled()), tried(${literal})];`);
  expect(got).toEqual([2, true]);
});

test("a literal that only code outside can bring is refused while the program runs", () => {
  const { got } = run(`
export class Scaled { k = 2; run(x: number): number { return this.k * x; } }
export const own = { k: 3, run: (x: number): number => x ** 3 };
export const g = grad((x: number, l: Scaled): number => l.run(x));
const outside: Function = g;
const tried = (l: unknown): unknown => { try { return outside(3, l); } catch (error) { return error instanceof TypeError; } };
export const got = [tried(new Scaled()), tried(own)];`);
  expect(got).toEqual([2, true]);
});

const AREAS = `
interface HasArea { area: number }
class Square { constructor(public s: number) {} get area(): number { return this.s ** 2; } }
const twice = (h: HasArea): number => h.area * 2;
const fixed = new Square(3);
const made = (s: number): HasArea => new Square(s);
const pairs = (s: number): [HasArea, number][] => [[new Square(s), s]];
`;

// derivatives at 3, by hand
test.each<[string, number]>([
  ["twice(new Square(s))", 12],
  ["made(s).area * s", 27],
  ["pairs(s).reduce((sum, [h, k]) => sum + h.area * k, 0)", 27],
  ["{ let h: HasArea = { area: s }; h = new Square(s); return h.area; }", 6],
  [
    "{ const all: HasArea[] = [new Square(s), { area: s }, fixed]; return all.reduce((sum, { area }) => sum + area, 0) * s; }",
    42,
  ],
  [
    "{ const box: { h: HasArea } = { h: { area: 1 } }; box.h = new Square(s); return box.h.area; }",
    6,
  ],
  ["{ const h = new Square(s); return h.area; }", 6],
  ["{ const q: Square = { s, area: s ** 3 }; return q.area; }", 27],
  ["twice({ area: s * s })", 12],
])("a getter that another type takes for a field: %s", (body, derivative) => {
  expect(
    run(`${AREAS}const f = (s: number): number => ${body};\nexport const got = grad(f)(3);`)["got"],
  ).toBe(derivative);
});

test("an object literal is no instance, though its type says so", () => {
  const { got } = run(`
class Circle { r = 1; }
const h = (x: number): number => { const c: Circle = { r: x * x }; const d = new Circle(); d.r = x; return (c instanceof Circle ? c.r : 2 * x) + (d instanceof Circle ? 5 * d.r : 0); };
export const got = [grad(h)(3), vjp((x: number): Circle => ({ r: x }))(3)[0] instanceof Circle];`);
  expect(got).toEqual([7, false]);
});

test("a class that no file sees with another is none that its objects may be of", () => {
  const files = {
    "a.ts": `import { grad } from "tsgrad";\nexport class A { run(x: number): number { return x; } }\nexport const g = grad((x: number, a: A) => a.run(x));\n`,
    "b.ts": `export class B { run(x: number): number { return x * x; } }\nexport const literal = { run: (x: number): number => x };\n`,
  };
  const emitted = (more: Readonly<Record<string, string>>): string =>
    (analyse(programOf({ ...files, ...more })).edits.get("/src/a.ts") ?? [])
      .map(({ text }) => text)
      .join("");
  expect(emitted({})).not.toContain("instanceof");
  const main = `import { g } from "./a.ts";\nimport { B } from "./b.ts";\nexport const got = g(3, new B());\n`;
  expect(emitted({ "main.ts": main })).toContain("instanceof B");
});

test("where a getter that another type takes for a field is refused", () => {
  expect(codes(`${AREAS}export const g = grad((s: number) => twice(new Square(s)));`)).toEqual([
    "TSG1116",
  ]);
  expect(
    codes(`${AREAS}export const g = grad((s: number) => twice({ area: s }) + new Square(s).area);`),
  ).toEqual([]);
});

/** Ways by which an instance comes to a place of the type. */
const WAYS: Readonly<Record<string, string>> = {
  "a choice": "const t: Areal = s > 0 ? new Square(s) : { area: s };",
  "a choice of null":
    "const t: Areal | null = s > 0 ? new Square(s) : null; if (t === null) return s;",
  "an alternative": "const t: Areal = (s > 9 ? undefined : new Square(s)) ?? { area: s };",
  "an assertion": "const t = new Square(s) as Areal;",
  "an assignment": "let t: Areal = { area: s }; if (s > 0) t = new Square(s);",
  "a list": "const all: Areal[] = [new Square(s), { area: s }]; const t = all[0]!;",
  "a field": "const o: { t: Areal } = { t: s > 0 ? new Square(s) : { area: s } }; const { t } = o;",
  "a Map": `const m = new Map<string, Areal>(); m.set("a", new Square(s)); const t = m.get("a")!;`,
};

test.each(Object.entries(WAYS))("an accessor as a field, through %s", (_, way) => {
  const module = `interface Areal { readonly area: number }
class Square { constructor(readonly s: number) {} get area(): number { return this.s ** 2; } }
const f = (s: number): number => { ${way} return 3 * t.area; };
export const g = grad(f);`;
  const result = codes(module);
  expect(result.length === 0 ? run(module)["g"] : result).toEqual(["TSG1116"]);
});

test("a method without its object, fields that only the class can read", () => {
  expect(
    codes(
      "class C { k = 2; f(x: number) { return this.k * x; } }\nconst c = new C();\nexport const g = grad(c.f);",
    ),
  ).toEqual(["TSG1010"]);
  expect(
    codes(
      "class C { #k = 2; f(x: number) { return this.#k * x; } }\nexport const g = grad((c: C, x: number) => c.f(x), { argnums: 1 });",
    ),
  ).toEqual(["TSG1107"]);
  expect(
    codes(
      "class C<T> { v: T; constructor(v: T) { this.v = v; } }\nexport const g = grad((x: number) => new C(x).v);",
    ),
  ).toEqual([]);
});
