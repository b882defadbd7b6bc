// Second derivatives at work: Newton's method with `hessian` and with `hvp`, kinks by the documented policy, loop variables that inner derivatives capture,
// and options of all forms. Oracles: the minimum of Rosenbrock's function, closed forms.

import { describe, expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

const { exports, text } =
  built(`import { grad, valueAndGrad, vjp, jvp, linearize, jacfwd, jacrev, hessian, hvp } from "tsgrad";
export const rosenbrock = (x: number[]): number => {
  let s = 0;
  for (let i = 0; i + 1 < x.length; i++) s += 100 * (x[i + 1]! - x[i]! ** 2) ** 2 + (1 - x[i]!) ** 2;
  return s;
};
const dot = (a: number[], b: number[]): number => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!; return s; };
const plus = (a: number[], k: number, b: number[]): number[] => a.map((v, i) => v + k * b[i]!);

function solve(matrix: number[][], right: number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i]!]), n = a.length;
  for (let c = 0; c < n; c++) {
    let best = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r]![c]!) > Math.abs(a[best]![c]!)) best = r;
    [a[c], a[best]] = [a[best]!, a[c]!];
    for (let r = c + 1; r < n; r++) { const k = a[r]![c]! / a[c]![c]!; for (let j = c; j <= n; j++) a[r]![j] = a[r]![j]! - k * a[c]![j]!; }
  }
  const x = new Array<number>(n).fill(0);
  for (let r = n - 1; r >= 0; r--) { let s = a[r]![n]!; for (let j = r + 1; j < n; j++) s -= a[r]![j]! * x[j]!; x[r] = s / a[r]![r]!; }
  return x;
}

/** Conjugate gradients for H d = -g; where the curvature is negative, what there is. */
function conjugate(product: (v: number[]) => number[], g: number[]): number[] {
  let d = g.map(() => 0), r = g.map((v) => -v), p = r, rr = dot(r, r);
  const start = rr;
  for (let i = 0; i < 4 * g.length && rr > 1e-20 * start; i++) {
    const hp = product(p), curvature = dot(p, hp);
    if (curvature <= 0) return i === 0 ? p : d;
    const alpha = rr / curvature;
    d = plus(d, alpha, p);
    r = plus(r, -alpha, hp);
    const next = dot(r, r);
    p = plus(r, next / rr, p);
    rr = next;
  }
  return d;
}

/** Newton's method with steps that are halved until the value falls. */
export function newton(x: number[], direction: (x: number[], g: number[]) => number[]): { x: number[]; steps: number } {
  const vg = valueAndGrad(rosenbrock);
  for (let steps = 0; steps < 500; steps++) {
    const [value, g] = vg(x);
    if (Math.sqrt(dot(g, g)) < 1e-10) return { x, steps };
    let d = direction(x, g), t = 1;
    if (dot(d, g) > 0) d = d.map((v) => -v);
    while (t > 1e-12 && rosenbrock(plus(x, t, d)) > value) t /= 2;
    x = plus(x, t, d);
  }
  return { x, steps: 500 };
}
const h = hessian(rosenbrock), hv = hvp(rosenbrock);
export const byHessian = (n: number) => newton(Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1.02 : 0.97)), (x, g) => solve(h(x), g.map((v) => -v)));
export const byProducts = (n: number) => newton(Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1.02 : 0.97)), (x, g) => conjugate((v) => hv([x], v), g));

const abs = (x: number): number => Math.abs(x), relu = (x: number): number => Math.max(x, 0), branch = (x: number): number => (x > 0 ? x * x : 0), root = (x: number): number => Math.sqrt(x);
const larger = (x: number, y: number): number => Math.max(x * x, y), smaller = (x: number, y: number): number => Math.min(x * x, y), norm = (x: number, y: number): number => Math.hypot(x, y);
export const kinks = {
  abs: [grad(abs)(0), hessian(abs)(0), hvp(abs)([0], 1), grad(grad(abs))(0)],
  relu: [grad(relu)(0), hessian(relu)(0), hvp(relu)([0], 1), grad(grad(relu))(0)],
  branch: [grad(branch)(0), hessian(branch)(0), hvp(branch)([0], 1), grad(grad(branch))(0)],
  max: [grad(larger)(2, 4), hessian(larger)(2, 4), hvp(larger)([2, 4], 1)],
  min: [grad(smaller)(2, 4), hessian(smaller)(2, 4), hvp(smaller)([2, 4], 1)],
  sqrt: [grad(root)(0), hessian(root)(0), hvp(root)([0], 1), grad(grad(root))(0)],
  hypot: [grad(norm)(0, 0), hessian(norm)(0, 0), hvp(norm)([0, 0], 1)],
};

/** d/dx of Σ i (x + i)² x d/dy … at y = x: inner derivatives see x, i and the sum so far. */
function captured(x: number): number { let s = 0; for (let i = 1; i <= 3; i++) { const d = grad((y: number) => y * y * i * x); s += d(x + i); } return s; }
function carried(x: number): number { let s = x; for (let i = 1; i <= 3; i++) { s = grad((y: number) => y * y * s * i)(x); } return s; }
function twice(x: number): number { let s = 0; for (let i = 1; i <= 2; i++) { for (let j = 1; j <= 2; j++) { s += grad((y: number) => { return y * grad((z: number) => x * y * z * i * j)(y); })(x); } } return s; }
export const loops = [captured(2), grad(captured)(2), hessian(captured)(2), grad(carried)(2), hessian(carried)(2), twice(2), grad(twice)(2), hvp(twice)([2], 1)];

const aux = (x: number, name: string, y: number): [number, string] => [x * x * y, name + "!"], list = (x: number, name: string, y: number): [number[], string] => [[x * x * y, y], name + "!"];
export const options = {
  grad: grad(aux, { argnums: [2, 0], hasAux: true })(3, "a", 5), hessian: hessian(aux, { argnums: [2, 0], hasAux: true })(3, "a", 5), hvp: hvp(aux, { argnums: [2, 0], hasAux: true })([3, "a", 5], [1, 10]),
  jacfwd: jacfwd(list, { argnums: [2, 0], hasAux: true })(3, "a", 5), jacrev: jacrev(list, { argnums: [2, 0], hasAux: true })(3, "a", 5), jvp: jvp(list, { hasAux: true })([3, "a", 5], [1, undefined, 10]),
  vjp: vjp(list, { argnums: 2, hasAux: true })(3, "a", 5)[1]([1, 100]), matrix: linearize(list, { argnums: [2, 0], hasAux: true })(3, "a", 5)[1].toMatrix(), aux: linearize(list, { hasAux: true })(3, "a", 5)[2],
};
`);

const call = (name: string, ...args: readonly unknown[]): unknown => {
  const callee = exports[name];
  return typeof callee === "function" ? Reflect.apply(callee, undefined, args) : undefined;
};

it("compiles to code that type-checks", () => {
  expect(emittedErrors(text)).toEqual([]);
});

describe("Newton's method on Rosenbrock's function", () => {
  // from a start near enough: from (-1.2, 1, …) Newton's method ends in the other minimum that there is from n = 4 on
  it.each([
    ["byHessian", 2],
    ["byHessian", 10],
    ["byHessian", 100],
    ["byProducts", 2],
    ["byProducts", 10],
    ["byProducts", 100],
  ] as const)("%s, n = %i", (name, n) => {
    const found = call(name, n);
    if (
      typeof found !== "object" ||
      found === null ||
      !("x" in found) ||
      !("steps" in found) ||
      !Array.isArray(found.x)
    )
      throw new Error("no result");
    expect(found.steps).toBeLessThan(100);
    expect(found.x.length).toBe(n);
    // quadratic convergence: where the gradient is below 1e-10 the point is as near as the Hessian's smallest eigenvalue (about 0.4) lets it be
    for (const x of found.x) expect(Math.abs(Number(x) - 1)).toBeLessThan(1e-9);
  });
});

it("second derivatives at kinks follow the policy: of what the first derivative's rule says there", () => {
  expect(exports["kinks"]).toEqual({
    abs: [0, 0, 0, 0],
    branch: [0, 0, 0, 0],
    // a tie is shared, and so is its second derivative
    relu: [0.5, 0, 0, 0],
    max: [2, 1, 1],
    min: [2, 1, 1],
    sqrt: [Infinity, -Infinity, -Infinity, -Infinity],
    hypot: [0, 0, 0],
  });
});

it("inner derivatives capture loop variables", () => {
  // Σ 2 (x + i) i x = 12 x² + 28 x;  x ↦ 2 x i s three times: 48 x⁴;  Σ ij d/dy(y · x y) = 9 · 2 x²
  expect(exports["loops"]).toEqual([104, 76, 24, 1536, 2304, 72, 72, 36]);
});

it("argnums lists and hasAux", () => {
  expect(exports["options"]).toEqual({
    grad: [[9, 30], "a!"],
    hessian: [
      [
        [0, 6],
        [6, 10],
      ],
      "a!",
    ],
    hvp: [[60, 106], "a!"],
    jacfwd: [
      [
        [9, 1],
        [30, 0],
      ],
      "a!",
    ],
    jacrev: [
      [
        [9, 1],
        [30, 0],
      ],
      "a!",
    ],
    jvp: [[45, 5], [120, 10], "a!"],
    vjp: 109,
    matrix: [
      [9, 30],
      [1, 0],
    ],
    aux: "a!",
  });
});
