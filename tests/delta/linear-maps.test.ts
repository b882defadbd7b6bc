// Linear maps of `linearize` within what the Delta engine differentiates. In: maps of functions of
// arrays, numbers and records, by each operator of Figure 3. Out: gradients as by central
// differences, and gradients and Hessian-vector products as by the static engine where it knows
// the map. Results that hold one object at several places are generated, by shape and use.

import { describe, expect, it, test } from "vitest";
import { built } from "../nested/compiled.ts";
import { variantsOf } from "../programs/variants.ts";

const MAPS = `const f = (a: number[]): number => a[0]! ** 3 * a[1]!;
const h = (a: number[], k: number): number[] => [a[0]! ** 2 * k, a[1]! * a[0]! * k * k];
const cube = (x: number): number => x ** 3;
interface R { u: number; v: [number, number] }
type S = { kind: 1; r: number } | { kind: 2; w: number; h: number };
const r = (o: R): R => ({ u: o.u * o.v[0], v: [o.v[1] ** 2, o.u * o.v[1]] });
`;
const OUTSIDE = `const outside = linearize(h, { argnums: 0 })([0.3, 0.9], 2)[1];
const ofNumber = linearize(cube, { argnums: 0 })(0.4)[1];
const area = (s: S): S => s.kind === 1 ? s : { kind: 2, w: s.w * s.h, h: s.h ** 2 };
const outsideOfTags = linearize(area, { argnums: 0 })({ kind: 2, w: 0.5, h: 1.5 })[1];
`;
/** Of `x`, at [1.1, 0.7]. */
const BODIES: Readonly<Record<string, string>> = {
  "apply, to constants": "const [y, m] = linearize(f)(x); return y + m.apply([[1, 0.5]]);",
  "apply, to active numbers": "const [y, m] = linearize(f)(x); return y * m.apply([x]);",
  "apply, of two arguments":
    "const [y, m] = linearize(h)(x, x[1]!); const t = m.apply([[1, x[0]!], 0.3]); return y[0]! + t[0]! * t[1]!;",
  "apply, by one argument":
    "const [, m] = linearize(h, { argnums: 1 })(x, x[1]!); const t = m.apply(x[0]!); return t[0]! * t[1]!;",
  applyReverse:
    "const [, m] = linearize(h)(x, x[1]!); const [d, k] = m.applyReverse([x[1]!, 2]); return d[0]! * d[1]! + k;",
  "applyReverse, of a number":
    "const [, m] = linearize(cube)(x[0]!); return m.applyReverse(x[1]!)[0] * x[0]!;",
  transpose:
    "const [, m] = linearize(h)(x, x[1]!); const [d, k] = m.transpose().apply([x[1]!, 2]); return d[0]! * d[1]! + k;",
  records:
    "const [, m] = linearize(r, { argnums: 0 })({ u: x[0]!, v: [x[1]!, x[0]! * x[1]!] }); const t = m.apply({ u: 1, v: [x[0]!, 2] }); const b = m.applyReverse({ u: x[1]!, v: [1, x[0]!] }); return t.u * t.v[0] * t.v[1] + b.u * b.v[1];",
  "add and scale":
    "const [, m] = linearize(h)(x, x[1]!); const s = m.scale(x[0]!).add(m); const [d, k] = s.applyReverse([x[1]!, 2]); return d[0]! * d[1]! + k + s.apply([[1, x[0]!], 2])[0]!;",
  "add, of numbers":
    "const [, m] = linearize(f)(x); const s = m.add(m.scale(x[1]!)); return s.apply([x]) + s.applyReverse(x[0]!)[0][1]!;",
  compose:
    "const [, m] = linearize(h, { argnums: 0 })(x, x[1]!); const [, n] = linearize(f, { argnums: 0 })(x); return n.compose(m).apply([x[0]!, 1]) + n.compose(m).applyReverse(x[1]!)[0]!;",
  toMatrix:
    "const [, m] = linearize(h)(x, x[1]!); return m.toMatrix().flat().reduce((s, v) => s + Math.sin(v), 0) + m.transpose().toMatrix()[0]![1]!;",
  "a closure that captures":
    "const [, m] = linearize((v: number): number => v ** 2 * x[1]!)(x[0]!); return m.apply([x[1]!]) * m.applyReverse(x[0]!)[0];",
  "maps in a list":
    "const ms = [f, (a: number[]): number => a[0]! * a[1]! ** 2].map((g) => linearize(g)(x)[1]); return ms.reduce((s, m) => s + m.apply([x]), 0);",
  "maps from outside":
    "const [, m] = linearize(f, { argnums: 0 })(x); const t = outside.apply(x); return t[0]! * outside.applyReverse(x)[1]! * ofNumber.apply(x[0]!) + m.compose(outside).apply(x);",
  "a map after one from outside":
    "const [, m] = linearize(h, { argnums: 0 })(x, x[1]!); const c = m.compose(outside), d = outside.compose(m), e = m.add(outside); return [c, d, e, c.transpose()].flatMap((each) => each.toMatrix().flat()).reduce((s, v, i) => s + Math.sin(v + i), 0);",
  "a map from outside, of a union by number":
    "const t = outsideOfTags.apply({ kind: 2, w: x[0]!, h: x[1]! }), b = outsideOfTags.applyReverse({ kind: 2, w: x[1]!, h: x[0]! }); return t.kind === 2 && b.kind === 2 ? t.w * b.h + t.h ** 2 * b.w + t.kind : 0;",
  "a sum with a map from outside, of a union by number":
    "const [, m] = linearize(area, { argnums: 0 })({ kind: 2, w: x[0]!, h: x[1]! }); const s = m.add(outsideOfTags).scale(x[0]!); const t = s.apply({ kind: 2, w: x[0]!, h: 1 }), b = s.applyReverse({ kind: 2, w: 1, h: x[1]! }); return t.kind === 2 && b.kind === 2 ? t.w * b.h * t.kind + b.w * b.kind + s.toMatrix()[0]![1]! : 0;",
  "a map of given functions":
    "const m = new LinearMap<number[], number>({ apply: (s) => s[0]! * x[0]! + s[1]! * x[1]! ** 2, pull: (t) => [t * x[0]!, t * x[1]! ** 2], from: () => [0, 0], to: () => 0 }); return m.apply([x[1]!, 2]) * m.applyReverse(x[0]!)[1]! + m.compose(m.transpose()).toMatrix()[0]![0]!;",
  vertAll:
    "const [, m] = linearize(cube)(x[0]!); const [, n] = linearize((v: number): number => v * x[1]!)(x[0]!); const v = LinearMap.vertAll([m, n]); return v.apply([x[1]!])[0]! * v.applyReverse([1, x[0]!])[0]!;",
  horiAll:
    "const [, m] = linearize(f)(x); const v = LinearMap.horiAll([m, m.scale(x[0]!)]); return v.apply([[x], [[1, 2]]]) + v.applyReverse(x[1]!)[1]![0]![0]!;",
  "a sum that is written through an alias":
    "const [, m] = linearize((a: number[]): [number[], number[]] => { const t = [a[0]! * a[1]!, a[0]! ** 2]; return [t, t]; }, { argnums: 0 })(x); const t = m.add(m.scale(x[1]!)).apply(x); t[0][0]! += x[0]!; return t[1][0]! * t[0][1]!;",
  "the matrix of a Map":
    'const [, m] = linearize((a: number[]): Map<string, number> => new Map([["a", a[0]! ** 2 * a[1]!]]), { argnums: 0 })(x); return m.toMatrix()[0]![1]! * x[1]!;',
  "the matrix of a union":
    "const [, m] = linearize((a: number[]): S => a[0]! > 0 ? { kind: 2, w: a[0]! ** 2 * a[1]!, h: a[1]! } : { kind: 1, r: a[0]! }, { argnums: 0 })(x); return m.toMatrix()[0]![1]! * m.scale(x[1]!).toMatrix()[1]![1]!;",
  "the matrix of a map from a union":
    "const [, m] = linearize((s: S): number => s.kind === 2 ? s.w ** 2 * s.h : s.r, { argnums: 0 })({ kind: 2, w: x[0]!, h: x[1]! }); return m.toMatrix()[0]![0]! * m.toMatrix()[0]![1]!;",
  "the matrix of an optional field":
    "const [, m] = linearize((a: number[]): { u: number; v?: number } => a[0]! > 0 ? { u: a[0]! ** 2 * a[1]! } : { u: a[0]!, v: 1 }, { argnums: 0 })(x); return m.toMatrix()[0]![0]! * m.add(m).toMatrix()[0]![1]!;",
  "the matrix of a map beside itself":
    "const [, m] = linearize(f)(x); return LinearMap.vert(m, m).toMatrix().flat().concat(LinearMap.hori(m, m, m).toMatrix().flat()).reduce((s, v, i) => s + Math.sin(v * (i + 1)), 0);",
  "vert and hori":
    "const [, m] = linearize(f)(x); const v = LinearMap.vert(m, m), w = LinearMap.hori(m, m); return v.apply([x])[1] * w.apply([[x], [[1, 2]]]);",
  "identity, scale and zero":
    "const i = LinearMap.identity(x), s = LinearMap.scale(x[0]!, x), z = LinearMap.zero(x, x); const t = s.add(i).add(z).compose(s).apply(x); return t[0]! * t[1]!;",
};
/** Results that hold an object `t` at several places: type, value, and its numbers as a list. */
const SHAPES: Readonly<Record<string, readonly [type: string, of: string, numbers: string]>> = {
  "two places": ["[number[], number[]]", "[t, t]", "[...v[0], ...v[1]]"],
  "three places": ["number[][]", "[t, t, t]", "v.flat()"],
  fields: ["{ a: number[]; b: number[] }", "({ b: t, a: t })", "[...v.b, ...v.a]"],
  "an object that holds it": [
    "[{ w: number[] }, { w: number[] }, number]",
    "((o) => [o, o, t[0]!])({ w: t })",
    "[...v[0].w, ...v[1].w, v[2]]",
  ],
  "beside another": ["[number[], number[], number[]]", "[t, [t[1]!], t]", "v.flat()"],
};
/** Of `g`, whose result has such a shape, with `numbers` and `of` for it. */
const USES: Readonly<Record<string, string>> = {
  "its matrix":
    "const [, m] = linearize(g, { argnums: 0 })(x); return weighed(m.toMatrix().flat());",
  "its matrix transposed":
    "const [, m] = linearize(g, { argnums: 0 })(x); return weighed(m.transpose().toMatrix().flat());",
  "the matrix of a multiple":
    "const [, m] = linearize(g, { argnums: 0 })(x); return weighed(m.add(m.scale(x[0]!)).toMatrix().flat());",
  "the matrix of one column":
    "const [, m] = linearize((k: number) => g([k, k * x[1]!]), { argnums: 0 })(x[0]!); return weighed(m.toMatrix().flat());",
  apply:
    "const [, m] = linearize(g, { argnums: 0 })(x); return weighed(numbers(m.apply([x[1]!, 2])));",
  "applyReverse, shared":
    "const [, m] = linearize(g, { argnums: 0 })(x); return weighed(m.applyReverse(of([x[1]!, 2])));",
  "from outside":
    "return weighed([...numbers(outsideOfShared.apply(x)), ...outsideOfShared.applyReverse(of([x[1]!, x[0]! ** 2]))]);",
  "its square, from outside":
    "const m = outsideOfShared; return weighed(m.transpose().apply(m.apply(x)));",
};
/** Which map it is, the static engine does not know, or not where its numbers are. */
const UNKNOWN = new Set([
  "maps in a list",
  "maps from outside",
  "a map after one from outside",
  "a map from outside, of a union by number",
  "a sum with a map from outside, of a union by number",
  "a map of given functions",
  "the matrix of a Map",
  "the matrix of a union",
  "the matrix of a map from a union",
  "the matrix of an optional field",
  "the matrix of a map beside itself",
  "vertAll",
  "horiAll",
  "vert and hori",
  "identity, scale and zero",
]);

interface Case {
  /** What stands in front of the function. */
  readonly before: string;
  readonly body: string;
  readonly isKnown: boolean;
}

const sharing = Object.entries(SHAPES).flatMap(([shape, [type, of, numbers]]) =>
  Object.entries(USES).map(([use, body]): [string, Case] => {
    const isKnown = !body.includes("outside");
    const before = `const of = (t: number[]): ${type} => ${of};
const numbers = (v: ${type}): number[] => ${numbers};
const weighed = (all: number[]): number => all.reduce((s, v, i) => s + Math.sin(v / 2 + i), 0);
const g = (a: number[]): ${type} => of([a[0]! ** 2 * a[1]!, a[1]! ** 3]);
void [numbers, weighed];
${isKnown ? "" : "const outsideOfShared = linearize(g, { argnums: 0 })([0.3, 0.9])[1];"}`;
    return [`${shape}: ${use}`, { before, body, isKnown }];
  }),
);

const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    Object.entries(BODIES).map(([name, body]): [string, Case] => [
      name,
      {
        before: `${MAPS}${body.includes("outside") ? OUTSIDE : ""}void [f, h, cube, r];`,
        body,
        isKnown: !UNKNOWN.has(name),
      },
    ]),
  ),
  ...Object.fromEntries(sharing),
};

const text = ({ before, body, isKnown }: Case): string => `import { grad, hvp${[
  "linearize",
  "LinearMap",
]
  .filter((name) => `${before}${body}`.includes(name))
  .map((name) => `, ${name}`)
  .join("")} } from "tsgrad";
${before}
export const value = (x: number[]): number => { ${body} };
${(isKnown ? ["static", "delta"] : ["delta"])
  .map(
    (engine) => `export const grad_${engine} = grad(value, { engine: "${engine}" });
export const hvp_${engine} = hvp(value, { engine: "${engine}" });`,
  )
  .join("\n")}
export const either = grad(value);
`;

const variants = variantsOf(
  Object.fromEntries(Object.entries(CASES).map(([name, each]) => [name, text(each)])),
);
const POINT = [1.1, 0.7];
const STEP = 1e-5;

describe("as by differences, and as by the static engine", () => {
  it.each(Object.keys(CASES))("%s", (name) => {
    const { errors, exports } = variants(name);
    expect(errors).toEqual([]);
    const all = exports();
    const call = (of: string, ...args: unknown[]): unknown => {
      const f = all[of];
      if (typeof f !== "function") throw new Error(`no ${of}`);
      return Reflect.apply(f, undefined, args) as unknown;
    };
    const numbersOf = (of: string, ...args: unknown[]): number[] => {
      const found = call(of, ...args);
      return Array.isArray(found) ? found.map(Number) : [];
    };
    const moved = (k: number, by: number): number[] => POINT.map((x, i) => (i === k ? x + by : x));
    const close = (found: number[], wanted: number[], tolerance: number): void => {
      expect(found.length).toBe(2);
      found.forEach((x, k) => {
        const to = wanted[k] ?? NaN;
        expect(Math.abs(x - to)).toBeLessThan(tolerance * Math.max(1, Math.abs(to)));
      });
    };
    const slopes = POINT.map(
      (_, k) =>
        (Number(call("value", moved(k, STEP))) - Number(call("value", moved(k, -STEP)))) /
        (2 * STEP),
    );
    const curved = numbersOf("grad_delta", moved(0, STEP)).map(
      (x, k) => (x - (numbersOf("grad_delta", moved(0, -STEP))[k] ?? NaN)) / (2 * STEP),
    );
    close(numbersOf("grad_delta", POINT), slopes, 1e-7);
    close(numbersOf("either", POINT), slopes, 1e-7);
    close(numbersOf("hvp_delta", [POINT], [1, 0]), curved, 1e-7);
    if (CASES[name]?.isKnown !== true) return;
    close(numbersOf("grad_static", POINT), numbersOf("grad_delta", POINT), 1e-13);
    close(numbersOf("hvp_static", [POINT], [1, 0]), numbersOf("hvp_delta", [POINT], [1, 0]), 1e-13);
  });
});

const LISTS = `import { grad, jvp, linearize, LinearMap, vjp } from "tsgrad";
interface N { v: number; next: N | null }
const COUNT = 20_000;
const list = (x: number): N | null => { let all: N | null = null; for (let i = 0; i < COUNT; i++) all = { v: x, next: all }; return all; };
const total = (all: N | null): number => { let s = 0; for (let at = all; at; at = at.next) s += at.v ** 2; return s; };
const outside = linearize(total, { argnums: 0 })(list(1))[1];
const again = (all: unknown): any => all;
export const apply = grad((x: number): number => linearize(total, { argnums: 0 })(list(x))[1].apply(again(list(x))), { engine: "delta" });
export const applyReverse = grad((x: number): number => total(again(linearize(total, { argnums: 0 })(list(x))[1].applyReverse(x))), { engine: "delta" });
export const fromOutside = grad((x: number): number => LinearMap.identity(x).apply(outside.apply(again(list(x)))), { engine: "delta" });
export const ofSums = grad((x: number): number => { const m = linearize(list)(x)[1]; return total(again(m.add(m.scale(x)).apply([x]))); }, { engine: "delta" });
export const pulled = grad((x: number): number => total(again(vjp(total, { argnums: 0 })(list(x))[1](x))), { engine: "delta" });
export const pushed = grad((x: number): number => jvp(total)([list(x)], [again(list(x))])[1], { engine: "delta" });
`;

test("lists of many nodes", () => {
  const { exports } = built(LISTS);
  const at = 1.5;
  // in units of the list's length
  const wanted = {
    apply: 4 * at,
    applyReverse: 16 * at ** 3,
    fromOutside: 2,
    ofSums: 2 * at * (1 + at) ** 2 + 2 * at ** 2 * (1 + at),
    pulled: 16 * at ** 3,
    pushed: 4 * at,
  };
  for (const [name, slope] of Object.entries(wanted)) {
    const f = exports[name];
    const found: unknown = typeof f === "function" ? Reflect.apply(f, undefined, [at]) : null;
    expect(Number(found) / 20_000, name).toBeCloseTo(slope, 6);
  }
});

const MISFITS: Readonly<Record<string, readonly [body: string, says: string]>> = {
  "no maps side by side": ["LinearMap.vertAll<number, number>([]).apply(x).length", "at least one"],
  "a sum of no maps": ["LinearMap.horiAll<number, number>([]).apply([])", "or a second argument"],
  "too few components": ["LinearMap.horiAll([m, m]).apply([x])", "1 components"],
  "too many components": ["LinearMap.vertAll([m]).applyReverse([x, x])", "2 components"],
  "too few elements": ["m.add(n).apply(x)[1]", "1 elements at the root, not 2"],
  "too many elements": ["n.add(m).apply(x)[0]", "2 elements at the root, not 1"],
};

test.each(Object.entries(MISFITS))("%s", (_, [result, says]) => {
  const { exports } = built(`import { grad, LinearMap, linearize } from "tsgrad";
void linearize((k: number) => k);
const cube = (k: number): number => k ** 3;
const one = (k: number): number[] => [k];
const two = (k: number): number[] => [k, k * k];
export const value = (x: number): number => {
  const m = linearize(${result.includes("n.") || result.includes("(n)") ? "two" : "cube"}, { argnums: 0 })(x)[1];
  const n = linearize(one, { argnums: 0 })(x)[1];
  void [n, two, cube];
  return ${result};
};
export const slope = grad(value, { engine: "delta" });
`);
  for (const name of ["value", "slope"]) {
    const f = exports[name];
    expect(() => (typeof f === "function" ? Reflect.apply(f, undefined, [2]) : null)).toThrow(says);
  }
});
