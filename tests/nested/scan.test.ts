// `scan` inside of derivatives, by both engines. Oracle: the loop written out.

import { describe, expect, it } from "vitest";
import { isLong } from "../breadth.ts";
import { built, emittedErrors } from "./compiled.ts";

const HEAD = `import { grad, valueAndGrad, vjp, jvp, jacrev, hessian, hvp, scan } from "tsgrad";
interface State { x: number; v: number[] }
interface Model { w: number[]; k: number }
const m: Model = { w: [1, 2, -1], k: 0.5 };
const along: Model = { w: [1, -1, 2], k: 3 };
`;

/** A step's parameters and body, the start, what is gone through, and a result of carry and ys. */
const BODIES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  numbers: [
    "(c: number, x: number): [number, number] => [c * m.k + x, c * x]",
    "m.k",
    "m.w",
    "carry * ys[1] + ys[2]",
  ],
  "what TypeScript infers": [
    "(c: number, x: number) => [Math.sin(c * x), c]",
    "1",
    "m.w",
    "carry * ys[1] * ys[2]",
  ],
  records: [
    "(s: State, x: number): [State, number[]] => [{ x: s.x + s.v[0] * m.k, v: [s.v[0] - s.x * m.k, x] }, [s.x, s.v[1] * x]]",
    "{ x: m.w[0], v: [m.w[1], 1] } as State",
    "m.w",
    "carry.x * carry.v[0] + ys[1][0] * ys[2][1]",
  ],
  "a typed array": [
    "(c: number, x: number): [number, number] => [c + x * m.k, c * c]",
    "m.w[0]",
    "Float64Array.of(1, 2, 3)",
    "carry * ys[2]",
  ],
  "rows that are arrays": [
    "(c: number[], row: number[]): [number[], number] => [c.map((e, i) => e * m.k + row[i]), c[0] * row[1]]",
    "[m.w[0], m.w[1]]",
    "[[m.k, 2], [1, m.w[2]]]",
    "carry[0] * carry[1] + ys[0] * ys[1]",
  ],
  "a length": [
    "(c: number): [number, number] => [c * m.k + m.w[0], c * c]",
    "m.w[1]",
    "{ length: 4 }",
    "carry * ys[3] + ys[0]",
  ],
  nothing: [
    "(c: number, x: number): [number, number] => [c + x, c]",
    "m.k",
    "[] as number[]",
    "carry * carry + ys.length",
  ],
};

const loopOf = (step: string, init: string, xs: string): string =>
  xs.startsWith("{ length")
    ? `let carry = ${init}; const step = ${step}; const ys = []; for (let i = 0; i < 4; i++) { const [c, y] = step(carry); carry = c; ys.push(y); }`
    : `let carry = ${init}; const step = ${step}; const ys = []; for (const x of ${xs}) { const [c, y] = step(carry, x); carry = c; ys.push(y); }`;

describe.each([
  ["static", ""],
  ["delta", ', { engine: "delta" }'],
])("%s", (name, engine) => {
  it.each(Object.entries(BODIES))("%s", (_, [step, init, xs, result]) => {
    // outside of `scan` TypeScript would infer an array
    const typed = step.includes("): [") ? step : step.replace(") =>", "): [number, number] =>");
    const { exports, text } = built(`${HEAD}
const f = (m: Model): number => { const [carry, ys] = scan(${step}, ${init}, ${xs}); return ${result}; };
const g = (m: Model): number => { ${loopOf(typed, init, xs)} return ${result}; };
export const got = [f(m), grad(f${engine})(m), valueAndGrad(f${engine})(m), vjp(f${engine})(m)[1](2), jvp(f${engine})([m], [along]), hvp(f${engine})([m], along)];
export const wanted = [g(m), grad(g)(m), valueAndGrad(g)(m), vjp(g)(m)[1](2), jvp(g)([m], [along]), hvp(g)([m], along)];
`);
    const numbers = (value: unknown): number[] =>
      JSON.stringify(value)
        .match(/-?\d[\d.e+-]*/g)
        ?.map(Number) ?? [];
    const [got, wanted] = [numbers(exports["got"]), numbers(exports["wanted"])];
    expect(got).toHaveLength(wanted.length);
    // the loops may be reversed in another order of sums
    got.forEach((x, i) => expect(x).toBeCloseTo(wanted[i] ?? NaN, 10));
    if (isLong && name === "static") expect(emittedErrors(text)).toEqual([]);
  });
});

it("is one loop in emitted code, which keeps nothing for a linear step", () => {
  const { text } = built(`${HEAD}
const total = (m: Model): number => scan((c: number, x: number): [number, number] => [c + x * m.k, 0], 0, m.w)[0];
export const g = grad(total);
`);
  const own = text.slice(text.indexOf("function total$grad"));
  expect(own.match(/\bfor \(/g)).toHaveLength(1);
});

it("runs without a build", async () => {
  const { scan } = await import("../../runtime/index.ts");
  expect(scan((c: number, x: number) => [c + x, c * x], 1, [2, 3])).toEqual([6, [2, 9]]);
  expect(scan((c: number) => [c * 2, c], 1, { length: 3 })).toEqual([8, [1, 2, 4]]);
  expect(scan((c: number, x: number) => [c + x, c], 0, Float64Array.of(1, 2))).toEqual([3, [0, 1]]);
});
