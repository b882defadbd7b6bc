// `vmap` around derivatives and inside of them, by both engines. Oracle: the loop written out.

import { describe, expect, it } from "vitest";
import { isLong } from "../breadth.ts";
import { built, emittedErrors } from "./compiled.ts";

const HEAD = `import { grad, valueAndGrad, vjp, jvp, jacfwd, jacrev, hessian, hvp, vmap } from "tsgrad";
interface Model { w: number[]; b: number }
interface Pair { p: number; q: number[] }
const loss = (m: Model, x: number[], y: number): number => {
  let z = m.b;
  for (let i = 0; i < x.length; i++) z += Math.tanh(m.w[i] * x[i]);
  return (z - y) ** 2;
};
const pair = (x: number, scale: number): Pair => ({ p: x * scale, q: [Math.sin(x), x * x] });
const m: Model = { w: [1, 2], b: 0.5 };
const xs = [[1, 0], [0, 1], [2, -1]], ys = [1, 2, 3];
`;

/** Bodies of functions, each with `vmap` and with the loop. */
const BODIES: readonly (readonly [string, string, string])[] = [
  [
    "(m: Model)",
    "vmap(loss, { axes: [null, 0, 0] })(m, xs, ys).reduce((s, x) => s + x, 0)",
    "xs.map((x, i) => loss(m, x, ys[i])).reduce((s, x) => s + x, 0)",
  ],
  [
    "(m: Model)",
    "vmap(pair, { axes: [0, null] })(m.w, m.b).reduce((s, r) => s + r.p * r.q[0] - r.q[1], 0)",
    "m.w.map((x) => pair(x, m.b)).reduce((s, r) => s + r.p * r.q[0] - r.q[1], 0)",
  ],
  [
    "(m: Model)",
    "vmap(vmap((x: number, y: number): number => x ** 2 * y))([m.w, m.w], [m.w, [m.b, 3]]).reduce((s, r) => s + r[0] * r[1], 0)",
    "[0, 1].map((k) => m.w.map((x, i) => x ** 2 * [m.w, [m.b, 3]][k][i])).reduce((s, r) => s + r[0] * r[1], 0)",
  ],
  [
    "(m: Model)",
    "vmap((x: number): number => x * m.b + m.w[0])(m.w).reduce((s, x) => s * x, 1)",
    "m.w.map((x) => x * m.b + m.w[0]).reduce((s, x) => s * x, 1)",
  ],
];
describe.each([
  ["static", ""],
  ["delta", ', { engine: "delta" }'],
])("%s", (name, engine) => {
  it.each(BODIES)("%s => %s", (head, mapped, loop) => {
    const { exports, text } = built(`${HEAD}
const f = ${head}: number => ${mapped};
const g = ${head}: number => ${loop};
export const got = [f(m), grad(f${engine})(m), valueAndGrad(f${engine})(m), jvp(f${engine})([m], [{ w: [1, -1], b: 2 }])];
export const wanted = [g(m), grad(g${engine})(m), valueAndGrad(g${engine})(m), jvp(g${engine})([m], [{ w: [1, -1], b: 2 }])];
${name === "static" ? "export const second = [hvp(f)([m], { w: [1, -1], b: 2 }), hessian(f)(m)];\nexport const wantedSecond = [hvp(g)([m], { w: [1, -1], b: 2 }), hessian(g)(m)];" : ""}
`);
    expect(exports["got"]).toEqual(exports["wanted"]);
    expect(exports["second"]).toEqual(exports["wantedSecond"]);
    if (isLong) expect(emittedErrors(text)).toEqual([]);
  });
});

it("maps derivatives, and what maps them has derivatives", () => {
  const { exports } = built(`${HEAD}
const penalty = (m: Model): number => vmap(grad(loss), { axes: [null, 0, 0] })(m, xs, ys).reduce((s, g) => s + g.b * g.w[0], 0);
const byLoop = (m: Model): number => xs.map((x, i) => grad(loss)(m, x, ys[i])).reduce((s, g) => s + g.b * g.w[0], 0);
const cube = (x: number): number => x ** 3;
export const got = [vmap(grad(loss), { axes: [null, 0, 0] })(m, xs, ys), grad(penalty)(m), hessian(penalty)(m), jacrev(vmap(cube))([1, 2]), jacfwd(vmap(cube))([1, 2])];
export const wanted = [xs.map((x, i) => grad(loss)(m, x, ys[i])), grad(byLoop)(m), hessian(byLoop)(m), [[3, 0], [0, 12]], [[3, 0], [0, 12]]];
`);
  expect(exports["got"]).toEqual(exports["wanted"]);
});

it.each(["", ', { engine: "delta" }'])("throws for arrays of different sizes%s", (engine) => {
  expect(() =>
    built(`${HEAD}
export const got = grad((a: number[], b: number[]): number => vmap((x: number, y: number): number => x * y)(a, b)[0]${engine})([1, 2], [3]);
`),
  ).toThrow("arrays of different sizes");
});

it.each([
  [
    "TSG1003",
    "const o = { axes: [0] } as const; export const d = grad((a: number[]): number => vmap((x: number): number => x, o)(a)[0]);",
  ],
  [
    "TSG1211",
    'export const d = grad((a: number): number => vmap((x: number): number => x, { axes: [null] })(a)[0], { engine: "static" });',
  ],
])("refuses with %s", (code, text) => {
  expect(() => built(HEAD + text)).toThrow(code);
});
