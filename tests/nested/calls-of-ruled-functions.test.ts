// Functions with a rule that takes functions: where they are called, and what the function captures.
// In: programs in which the rule is the true derivative. Out: gradients, tangents and second
// derivatives of the same program without the rule, and central differences of the plain function.

import { describe, expect, it } from "vitest";
import { type Variant, variantsOf } from "../programs/variants.ts";

const RULES = `import { addCotangents, customVjp, grad, hvp, jvp, scaleCotangent } from "tsgrad";
type F = (x: number) => number;
const sqPlain = (f: F, x: number): number => f(x) * f(x);
const twPlain = (f: F, x: number): number => f(x) + 3 * f(2 * x);
const appPlain = (f: F, x: number): number => f(x);
const mapPlain = (f: F, v: readonly number[]): number[] => v.map((x) => f(x));
`;
const WITHOUT =
  "const sq = sqPlain, tw = twPlain, app = appPlain, appLate = appPlain, map = mapPlain, mapAll = mapPlain;\n";
const WITH = `const sq: typeof sqPlain = customVjp(sqPlain, (f, x) => { const [y, p] = f.vjp(x); return [y * y, (b) => { const [dx, s] = p(2 * y * b); return [s, dx]; }]; });
const tw: typeof twPlain = customVjp(twPlain, (f, x) => { const [y, p] = f.vjp(x); const [z, q] = f.vjp(2 * x); return [y + 3 * z, (b) => { const [d1, s1] = p(b); const [d2, s2] = q(b); return [addCotangents(s1, scaleCotangent(3, s2)), d1 + 6 * d2]; }]; });
const app: typeof appPlain = customVjp(appPlain, (f, x) => { const [, p] = f.vjp(x); return [app(f, x), (b) => { const [dx, s] = p(b); return [s, dx]; }]; });
const appLate: typeof appPlain = customVjp(appPlain, (f, x) => [appLate(f, x), (b) => { const [, p] = f.vjp(x); const [dx, s] = p(b); return [s, dx]; }]);
const map: typeof mapPlain = customVjp(mapPlain, (f, v) => [map(f, v), (bar) => {
  const [, p] = f.vjp(v[0]!);
  const [d, first] = p(bar[0]!);
  let self = first;
  const ds = [d];
  for (let i = 1; i < v.length; i++) { const [, q] = f.vjp(v[i]!); const [di, s] = q(bar[i]!); ds.push(di); self = addCotangents(self, s); }
  return [self, ds];
}]);
const mapAll: typeof mapPlain = customVjp(mapPlain, (f, v) => {
  const u = v.map((x) => f.vjp(x));
  return [u.map((p) => p[0]), (bar) => {
    const ds = u.map((p, i) => p[1](bar[i]!));
    let self = ds[0]![1];
    for (let i = 1; i < ds.length; i++) self = addCotangents(self, ds[i]![1]);
    return [self, ds.map((d) => d[0])];
  }];
});
`;

/** Bodies of `f(v: number[], m: M): number`; `M` is below. */
const BODIES: Readonly<Record<string, string>> = {
  "in each other": "return sq((x) => sq((y) => y * x * m.a, x + v[0]!), v[1]!);",
  "in each other, three times":
    "return sq((x) => sq((y) => Math.sin(sq((z) => z * m.b + y, x)), x), v[0]!);",
  "two in each other": "return tw((x) => sq((y) => y * m.a + x, x * v[0]!), v[1]!);",
  "a double integral":
    "const area = (g: F): number => { let s = 0; for (let i = 0; i < 3; i++) s += app(g, i / 3); return s / 3; }; return area((x) => area((y) => Math.exp(x * y * m.a) + v[0]!));",
  "in its own rule": "return app((x) => x * m.a + v[0]! * v[0]!, v[1]!);",
  "in its own rule, and in each other":
    "return app((x) => app((y) => y * x * m.a, x + v[0]!), v[1]!);",
  "in its own rule, as the paper writes it":
    "return appLate((x) => x * m.a + v[0]! * v[0]!, v[1]!) + appLate((x) => appLate((y) => y * x * m.a, x), v[0]!);",
  "a map in its own rule":
    "let s = 0; for (const y of map((x) => x * x * m.a, v)) s += y * y; return s;",
  "in map": "let s = 0; for (const y of v.map((x) => sq((y) => y * m.a, x))) s += y; return s;",
  "in forEach": "let s = 0; v.forEach((x) => { s += sq((y) => y * m.a, x); }); return s;",
  "in reduce": "return v.reduce((s, x) => s + tw((y) => y * y * m.a + s, x), m.b);",
  "in reduceRight": "return v.reduceRight((s, x) => s * sq((y) => y * m.a, x), m.b);",
  "in flatMap":
    "let s = 0; for (const y of v.flatMap((x) => [sq((y) => y * m.a, x), x])) s += y * y; return s;",
  "in filter":
    "let s = 0; for (const x of v.filter((x) => sq((y) => y * m.a, x) > 0.1)) s += x * x * m.a; return s;",
  "in some and every":
    "return v.some((x) => sq((y) => y * m.a, x) > 9) || v.every((x) => sq((y) => y * m.a, x) > 0) ? v[0]! * m.a : v[1]!;",
  "in find and findIndex":
    "return (v.find((x) => sq((y) => y * m.a, x) > 0.2) ?? 1) * m.a + v.findIndex((x) => sq((y) => y, x) > 0.2) * v[0]!;",
  "in Array.from":
    "let s = 0; for (const y of Array.from({ length: 3 }, (_, i) => sq((y) => y * m.a + v[0]!, i))) s += y * y; return s;",
  "in a for … of": "let s = 0; for (const x of v) s += sq((y) => y * m.a, x); return s;",
  "in a while loop":
    "let s = m.b; let k = 0; while (k < 3) { s = sq((y) => Math.sin(y * m.a), s + v[k % 2]!); k++; } return s;",
  "in a branch": "return v[0]! > 0.1 ? sq((y) => y * m.a, v[1]!) : tw((y) => y * m.a, v[0]!);",
  "in a method":
    "const o = { g(x: number): number { return sq((y) => y * m.a, x); } }; return o.g(v[0]!) * o.g(v[1]!);",
  "in a function declaration":
    "function g(x: number): number { return sq((y) => y * m.a, x); } return v.map(g).reduce((s, y) => s + y, 0);",
  "captures a record": "return tw((x) => x * m.a + m.b, v[0]!);",
  "captures a tuple":
    "const t: [number, number] = [v[0]!, m.a]; return tw((x) => x * t[0] + t[1], v[1]!);",
  "captures a matrix": "return tw((x) => x * m.w[0]![1]! + m.w[1]![0]! * m.w[0]![0]!, v[0]!);",
  "captures a record of records": "return tw((x) => x * m.in.c * m.in.d[0]! + m.in.d[1]!, v[0]!);",
  "captures a typed array":
    "const t = Float64Array.from(v); return tw((x) => x * t[0]! + t[1]!, m.a);",
  "captures a list of records":
    "const l = [{ p: v[0]! }, { p: m.a }]; return tw((x) => x * l[0]!.p + l[1]!.p, v[1]!);",
  "captures another function":
    "const g: F = (x) => x * m.a + v[0]!; return tw((x) => g(x) * g(2 * x), v[1]!);",
  "captures nothing": "return tw(Math.sin, v[0]! * m.a) + sq((x) => x, v[1]!);",
};

/** Bodies that only Delta takes, or whose rule only Delta takes. */
const ONLY_DELTA: Readonly<Record<string, string>> = {
  "in sort":
    "return v.slice().sort((p, q) => sq((y) => y * m.a, p) - sq((y) => y * m.a, q))[0]! * m.a;",
  "in a local class":
    "class L { constructor(private k: number) {} g(x: number): number { return sq((y) => y * this.k, x); } } return new L(m.a).g(v[0]!);",
  "of a class": "return new C(m.a).g(v[0]!);",
  "in a generator":
    "function* g(): Generator<number> { for (const x of v) yield sq((y) => y * m.a, x); } let s = 0; for (const y of g()) s += y * y; return s;",
  "in a try block": "try { return tw((y) => y * m.a, v[0]!); } finally { m.b += 0; }",
  "with pullbacks in a list":
    "let s = 0; for (const y of mapAll((x) => x * x * m.a, v)) s += y * y; return s;",
  "captures an instance": "const n = new N(m.a, v[1]!); return sq((x) => n.at(x), v[0]!);",
  "captures a Map":
    'const n = new Map([["a", m.a], ["b", v[1]!]]); return tw((x) => n.get("a")! * x + n.get("b")!, v[0]!);',
  "captures a variable that is assigned":
    "let k = m.a; k *= v[0]!; const y = tw((x) => x * k, v[1]!); k = 0; return y + k;",
  "captures a Map's function":
    "const fs = new Map<string, F>([['f', (x) => x * m.a]]); return tw(fs.get('f')!, v[0]!);",
};

const HEAD =
  "class C { constructor(private k: number) {} g(x: number): number { return sq((y) => y * this.k, x); } }\nclass N { constructor(public w: number, public b: number) {} at(x: number): number { return Math.tanh(this.w * x + this.b); } }\nexport interface M { a: number; b: number; w: number[][]; in: { c: number; d: number[] } }\n";
const FORMS = `
export const value = f;
export const first = grad(f, { argnums: [0, 1] });
export const pushed = (v: number[], m: M, dv: number[], dm: M): [number, number] => jvp(f)([v, m], [dv, dm]);
export const byDelta = grad(f, { argnums: [0, 1], engine: "delta" });
export const pushedByDelta = (v: number[], m: M, dv: number[], dm: M): [number, number] => jvp(f, { engine: "delta" })([v, m], [dv, dm]);
export const second = (v: number[], m: M, dv: number[]): unknown => hvp(f)([v, m], dv);
`;
const textOf = (rules: string, body: string): string =>
  `${RULES}${rules}${HEAD}const f = (v: number[], m: M): number => { ${body} };\n${FORMS}`;
const textOfFirst = (rules: string, body: string): string =>
  `${RULES}${rules}${HEAD}const f = (v: number[], m: M): number => { ${body} };
export const value = f;
export const byDelta = grad(f, { argnums: [0, 1] });
`;
const variants = variantsOf(
  Object.fromEntries([
    ...Object.entries(BODIES).flatMap(([name, body]) => [
      [name, textOf(WITH, body)],
      [`${name}, plain`, textOf(WITHOUT, body)],
    ]),
    ...Object.entries(ONLY_DELTA).flatMap(([name, body]) => [
      [name, textOfFirst(WITH, body)],
      [`${name}, plain`, textOfFirst(WITHOUT, body)],
    ]),
  ]),
);

interface M {
  a: number;
  b: number;
  w: number[][];
  in: { c: number; d: number[] };
}
interface Module {
  readonly value: (v: number[], m: M) => number;
  readonly first: (v: number[], m: M) => [number[], M];
  readonly pushed: (v: number[], m: M, dv: number[], dm: M) => [number, number];
  readonly byDelta: (v: number[], m: M) => [number[], M];
  readonly pushedByDelta: (v: number[], m: M, dv: number[], dm: M) => [number, number];
  readonly second: (v: number[], m: M, dv: number[]) => number[];
}
const moduleOf = (name: string): Module => {
  const { errors, exports }: Variant = variants(name);
  expect(errors).toEqual([]);
  return exports() as unknown as Module;
};
const V = [0.7, -0.4];
const at = (a: number): M => ({
  a,
  b: 0.3,
  w: [
    [0.9, 1.1],
    [0.2, 0.5],
  ],
  in: { c: 1.2, d: [0.8, -0.6] },
});
const DM: M = {
  a: 1,
  b: 0,
  w: [
    [0, 0],
    [0, 0],
  ],
  in: { c: 0, d: [0, 0] },
};

/** The numbers of a value, in order. */
const numbersOf = (value: unknown): number[] =>
  typeof value === "number" ? [value] : Object.values(value as object).flatMap(numbersOf);
const expectClose = (found: unknown, wanted: unknown, digits: number): void => {
  const [x, z] = [numbersOf(found), numbersOf(wanted)];
  expect(x.length).toBe(z.length);
  for (const [i, each] of x.entries()) expect(each).toBeCloseTo(z[i] ?? NaN, digits);
};

/** The pullback calls `f.vjp`: not for Delta, which runs it when `f` may give other values. */
const IN_THE_PULLBACK = ["in its own rule, as the paper writes it", "a map in its own rule"];

describe("functions with a rule that takes functions", () => {
  it.each(Object.keys(BODIES))("%s", (name) => {
    const ruled = moduleOf(name);
    const plain = moduleOf(`${name}, plain`);
    expect(ruled.value(V, at(0.6))).toBe(plain.value(V, at(0.6)));
    // rounding of another order of the same operations
    expectClose(ruled.first(V, at(0.6)), plain.first(V, at(0.6)), 12);
    expectClose(ruled.pushed(V, at(0.6), [1, -2], DM), plain.pushed(V, at(0.6), [1, -2], DM), 12);
    if (IN_THE_PULLBACK.includes(name))
      expect(() => ruled.byDelta(V, at(0.6))).toThrow(/TSG0010.*in its pullback/);
    else {
      expectClose(ruled.byDelta(V, at(0.6)), plain.first(V, at(0.6)), 12);
      const [found, wanted] = [ruled.pushedByDelta, plain.pushed];
      expectClose(found(V, at(0.6), [1, -2], DM), wanted(V, at(0.6), [1, -2], DM), 12);
    }
    expectClose(ruled.second(V, at(0.6), [1, -2]), plain.second(V, at(0.6), [1, -2]), 11);
    // truncation of the differences: h to the fourth power
    const h = 1e-3;
    const d = (k: number): number =>
      ruled.value(V, at(0.6 + k * h)) - ruled.value(V, at(0.6 - k * h));
    expect(ruled.first(V, at(0.6))[1].a).toBeCloseTo((8 * d(1) - d(2)) / (12 * h), 8);
  });

  it.each(Object.keys(ONLY_DELTA))("%s, by Delta", (name) => {
    const ruled = moduleOf(name);
    const plain = moduleOf(`${name}, plain`);
    expect(ruled.value(V, at(0.6))).toBe(plain.value(V, at(0.6)));
    expectClose(ruled.byDelta(V, at(0.6)), plain.byDelta(V, at(0.6)), 12);
    const h = 1e-3;
    const d = (k: number): number =>
      ruled.value(V, at(0.6 + k * h)) - ruled.value(V, at(0.6 - k * h));
    expect(ruled.byDelta(V, at(0.6))[1].a).toBeCloseTo((8 * d(1) - d(2)) / (12 * h), 8);
  });
});

it("a function that returns a number has a cotangent", () => {
  const rule = (what: string): string =>
    `import { customVjp, grad } from "tsgrad";
const plain = (f: (x: number) => number, x: number): number => f(x);
const app = customVjp(plain, (f, x) => { const [y, p] = f.vjp(x); return [y, (b) => [undefined as never, p(b)[0]]]; });
export const g = grad((a: number): number => app((x) => x * a, 2), { engine: "${what}" });
`;
  const both = variantsOf({ static: rule("static"), delta: rule("delta") });
  expect(both("static").errors).toEqual(["TSG1019"]);
  const { g } = both("delta").exports() as { readonly g: (a: number) => number };
  expect(() => g(3)).toThrow(/TSG0010.*no cotangent of argument 0/);
});
