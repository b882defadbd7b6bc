// Derivatives of derivatives by the Delta engine. In: every operator, and forms within functions
// over unions. Out: the derivatives of the static engine. The ways of writing a function are in
// tests/nested/every-form.ts.

import { expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

const D = `{ engine: "delta" }`;

const OPERATORS = `import { grad, hessian } from "tsgrad";
const f = (x: number, y: number): number => {
  const a = Math.tan(x) + Math.asin(x / 3) * Math.acos(y / 4) + Math.atan(x * y) + Math.sinh(x) * Math.cosh(y) + Math.tanh(x - y);
  const b = Math.sqrt(x * x + y) + Math.cbrt(x + y) + Math.log(x * y) + Math.log10(x + 2) * Math.log2(y + 3) + Math.log1p(x * y) + Math.expm1(x / y);
  const c = Math.asinh(x * y) + Math.acosh(1 + x * x + y) + Math.atanh(x / (y + 5)) + Math.atan2(x, y) * Math.hypot(x, y, 2);
  const d = x ** 3 * y ** 2 + x ** y - -x / y + (x + 7) % y + Math.max(x, y) * Math.min(x, y, 9) + Math.abs(x - y) ** 3 + Math.fround(x) * y;
  return a * b - c * d + Math.exp(x * y) * Math.cos(x);
};
export const second = [hessian(f, { argnums: [0, 1] })(1.1, 1.7), hessian(f, { argnums: [0, 1], engine: "delta" })(1.1, 1.7)];
export const third = [grad((x: number) => hessian(f)(x, 1.7))(1.1), grad((x: number) => hessian(f)(x, 1.7), ${D})(1.1)];
export const fourth = [
  grad((y: number) => grad((x: number) => grad((z: number) => f(z * x, y * x))(y * x))(1.1))(1.2),
  grad((y: number) => grad((x: number) => grad((z: number) => f(z * x, y * x))(y * x))(1.1), ${D})(1.2),
];
`;

const UNIONS = `import { grad, hvp, jacfwd, jacrev, jvp, vjp } from "tsgrad";
interface A { tag: 1; a: number; b: number }
interface B { tag: 2; a: number; c: number[] }
type S = A | B;
interface P { name: "p"; p: number }
interface Q { name: "q"; q: number; r: number }
const at: S[] = [{ tag: 1, a: 0.7, b: 1.2 }, { tag: 2, a: 0.4, c: [0.3, 0.8] }];
const f = (s: S[]): number => s.reduce((t, x) => t + (x.tag === 1 ? x.a ** 3 * x.b : Math.sin(x.a * x.c[0]!) * x.c[1]!), 0);
const g = (x: number[]): P | Q => x[0]! > 0 ? { name: "q", q: x[0]! ** 3, r: x[0]! * x[1]! } : { name: "p", p: x[1]! };
const inner1 = (s: S[]): number => { const d = grad(f)(s); const x = d[0]!, y = d[1]!; return x.tag === 1 && y.tag === 2 ? x.a * x.b + y.a * y.c[1]! : 0; };
const inner2 = (s: S[]): number => { const h = hvp(f)([s], at); const x = h[0]!; return x.tag === 1 ? x.a * x.b : 0; };
const inner3 = (x: number[]): number => { const d = jvp(g)([x], [[1, 0.5]])[1]; return d.name === "q" ? d.q * d.r : 100; };
const inner4 = (x: number[]): number => { const [r, back] = vjp(g)(x); return r.name === "q" ? back({ name: "q", q: r.q, r: 2 })[0]![0]! : 0; };
export const ofGradient = [grad(inner1)(at), grad(inner1, ${D})(at)];
export const ofProduct = [grad(inner2)(at), grad(inner2, ${D})(at)];
export const ofTangent = [grad(inner3)([0.5, 0.9]), grad(inner3, ${D})([0.5, 0.9])];
// 3 x₀⁵ + 2 x₁, and 3 x₀³
export const ofPullback = [[15 * 0.5 ** 4, 2], grad(inner4, ${D})([0.5, 0.9])];
export const ofRows = [[9 * 0.5 ** 2, 0], grad((x: number[]): number => { const j = jacrev(g)(x); return j.name === "q" ? j.q[0]! * j.r[1]! : 0; }, ${D})([0.5, 0.9])];
export const ofColumns = [[9 * 0.5 ** 2, 0], grad((x: number[]): number => { const j = jacfwd(g)(x); return j.name === "q" ? j.q[0]! * j.r[1]! : 0; }, ${D})([0.5, 0.9])];
`;

type Exports = Readonly<Record<string, unknown>>;

/** Compiles a module once. */
function once(text: string): () => Exports {
  let exports: Exports | undefined;
  return () => (exports ??= built(text).exports);
}
const [operators, unions] = [once(OPERATORS), once(UNIONS)];

/** Rounding of some hundred operations near 1: a wrong term would be off by its own size. */
const CLOSE = 1e-9;

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function close(found: unknown, expected: unknown): void {
  const [own, other] = [numbersIn(found), numbersIn(expected)];
  expect(own.length).toBe(other.length);
  expect(own.length).toBeGreaterThan(0);
  own.forEach((one, k) => {
    const to = other[k] ?? NaN;
    expect(Math.abs(one - to)).toBeLessThanOrEqual(CLOSE * Math.max(1, Math.abs(to)));
  });
}

function agree(exported: unknown): void {
  const [expected, found] = Object(exported) as [unknown, unknown];
  close(found, expected);
}

test.each(["second", "third", "fourth"])("all operators, order: %s", (order) => {
  agree(operators()[order]);
});

test.each(["ofGradient", "ofProduct", "ofTangent", "ofPullback", "ofRows", "ofColumns"])(
  "forms over unions: %s",
  (name) => {
    agree(unions()[name]);
  },
);
