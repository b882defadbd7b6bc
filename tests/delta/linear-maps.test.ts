// Linear maps of `linearize` within what the Delta engine differentiates. In: maps of functions of
// arrays, numbers and records, by each operator of Figure 3. Out: gradients as by central
// differences, and gradients and Hessian-vector products as by the static engine where it knows
// the map.

import { describe, expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const MAPS = `const f = (a: number[]): number => a[0]! ** 3 * a[1]!;
const h = (a: number[], k: number): number[] => [a[0]! ** 2 * k, a[1]! * a[0]! * k * k];
const cube = (x: number): number => x ** 3;
interface R { u: number; v: [number, number] }
const r = (o: R): R => ({ u: o.u * o.v[0], v: [o.v[1] ** 2, o.u * o.v[1]] });
`;
const OUTSIDE = `const outside = linearize(h, { argnums: 0 })([0.3, 0.9], 2)[1];
const ofNumber = linearize(cube, { argnums: 0 })(0.4)[1];
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
  vertAll:
    "const [, m] = linearize(cube)(x[0]!); const [, n] = linearize((v: number): number => v * x[1]!)(x[0]!); const v = LinearMap.vertAll([m, n]); return v.apply([x[1]!])[0]! * v.applyReverse([1, x[0]!])[0]!;",
  horiAll:
    "const [, m] = linearize(f)(x); const v = LinearMap.horiAll([m, m.scale(x[0]!)]); return v.apply([[x], [[1, 2]]]) + v.applyReverse(x[1]!)[1]![0]![0]!;",
  "vert and hori":
    "const [, m] = linearize(f)(x); const v = LinearMap.vert(m, m), w = LinearMap.hori(m, m); return v.apply([x])[1] * w.apply([[x], [[1, 2]]]);",
  "identity, scale and zero":
    "const i = LinearMap.identity(x), s = LinearMap.scale(x[0]!, x), z = LinearMap.zero(x, x); const t = s.add(i).add(z).compose(s).apply(x); return t[0]! * t[1]!;",
};
/** Which map it is, the static engine does not know. */
const UNKNOWN = new Set([
  "maps in a list",
  "maps from outside",
  "vertAll",
  "horiAll",
  "vert and hori",
  "identity, scale and zero",
]);

const text = (body: string, isKnown: boolean): string => `import { grad, hvp${[
  "linearize",
  "LinearMap",
]
  .filter((name) => body.includes(name))
  .map((name) => `, ${name}`)
  .join("")} } from "tsgrad";
${MAPS}${body.includes("outside") ? OUTSIDE : ""}void [f, h, cube, r];
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
  Object.fromEntries(
    Object.entries(BODIES).map(([name, body]) => [name, text(body, !UNKNOWN.has(name))]),
  ),
);
const POINT = [1.1, 0.7];
const STEP = 1e-5;

describe("as by differences, and as by the static engine", () => {
  it.each(Object.keys(BODIES))("%s", (name) => {
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
    if (UNKNOWN.has(name)) return;
    close(numbersOf("grad_static", POINT), numbersOf("grad_delta", POINT), 1e-13);
    close(numbersOf("hvp_static", [POINT], [1, 0]), numbersOf("hvp_delta", [POINT], [1, 0]), 1e-13);
  });
});
