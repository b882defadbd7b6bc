// Derivatives of derivatives of functions that wait. In: forms within asynchronous functions, one
// after the other and at once. Out: the derivatives of the same functions without `async`, by the
// static engine.

import { expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

const F = "Math.sin(x[0]! * x[1]!) * x[0]! + x[1]! ** 3";
const G = "[x[0]! * x[1]!, Math.exp(x[0]!) - x[1]! ** 2]";
const HEAD = `import { grad, hessian, hvp, jacfwd, jacrev, jvp, valueAndGrad, vjp } from "tsgrad";
const x0 = [0.6, 1.2], v = [1, 0.5];
const pause = async (times: number): Promise<void> => { for (let k = 0; k < times; k++) await Promise.resolve(); };
const plain = (x: number[]): number => ${F};
const plains = (x: number[]): number[] => ${G};
const f = async (x: number[]): Promise<number> => { await pause(2); return ${F}; };
const late = async (x: number[]): Promise<number> => { const a = x[0]!; await pause(9); return ${F.replaceAll("x[0]!", "a")}; };
const fs = async (x: number[]): Promise<number[]> => { await pause(1); return ${G}; };
`;

/** What a function does, with `await` before each form; `f`, `late` and `fs` wait. */
const BODIES: Readonly<Record<string, string>> = {
  grad: "const g = await grad(f)(z); return g[0]! * g[1]!;",
  valueAndGrad: "const [y, g] = await valueAndGrad(f)(z); return y * g[0]! + g[1]! ** 2;",
  jvp: "const [y, d] = await jvp(f)([z], [v]); return y * d;",
  "a tangent that varies": "const [, d] = await jvp(f)([z], [[z[1]!, 2]]); return d;",
  vjp: "const [y, back] = await vjp(fs)(z); const [g] = back([y[0]!, 2]); return g[0]! * g[1]!;",
  jacfwd: "const j = await jacfwd(fs)(z); return j[0]![0]! * j[1]![1]! - j[0]![1]! * j[1]![0]!;",
  jacrev: "const j = await jacrev(fs)(z); return j[0]![0]! * j[1]![1]! - j[0]![1]! * j[1]![0]!;",
  hessian: "const h = await hessian(f)(z); return h[0]![0]! * h[1]![1]! - h[0]![1]! ** 2;",
  hvp: "const h = await hvp(f)([z], v); return h[0]! * h[1]!;",
  "two after each other":
    "const g = await grad(f)(z); const h = await grad(late)(z); return g[0]! * h[1]! + z[0]!;",
  "two at once":
    "const [g, h] = await Promise.all([grad(late)(z), grad(f)(z)]); return g[0]! * h[1]! + z[0]!;",
  "of one object, at once":
    "const [g, h, j] = await Promise.all([jacrev(fs)(z), grad(late)(z), hessian(f)(z)]); return g[0]![1]! * h[0]! + j[0]![1]!;",
  "work while it waits":
    "const later = grad(late)(z); let s = 0; for (const a of z) s += a * a; const g = await later; return g[0]! * s * z[1]!;",
  "in a loop":
    "let s = 1; for (let k = 0; k < 3; k++) { const g = await grad(f)([s * z[0]!, z[1]!]); s += g[1]! / 10; } return s;",
  "an error that is caught":
    "let s = z[0]!; try { await grad(async (y: number[]): Promise<number> => { await pause(1); if (y[0]! > 0) throw new Error('no'); return y[0]!; })(z); } catch { s *= z[1]!; } const g = await grad(f)(z); return s * g[0]!;",
};

const withoutWaiting = (body: string): string =>
  body
    .replaceAll(/await Promise\.all\((\[.*?\])\);/g, "$1;")
    .replaceAll(/async |await (pause\(1\); )?/g, "")
    .replaceAll("Promise<number>", "number")
    .replaceAll(/\b(f|late)\b(?=\))/g, "plain")
    .replaceAll("(fs)", "(plains)")
    .replaceAll("pause(1); ", "");

const numbersIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.flatMap(numbersIn) : [Number(value)];

test.each(Object.entries(BODIES))("%s", async (_, body) => {
  const { exports } = built(`${HEAD}
const outer = async (z: number[]): Promise<number> => { ${body} };
const inner = (z: number[]): number => { ${withoutWaiting(body)} };
export const run = async (): Promise<unknown> => [await grad(outer)(x0), (await jvp(outer)([x0], [v]))[1]];
export const wanted = (): unknown => [grad(inner)(x0), jvp(inner)([x0], [v])[1]];
`);
  const { run, wanted } = exports;
  if (typeof run !== "function" || typeof wanted !== "function") throw new Error("no exports");
  const [found, expected] = [numbersIn(await run()), numbersIn(wanted())];
  expect(found.length).toBe(expected.length);
  // rounding of some hundred operations
  found.forEach((one, k) => {
    expect(Math.abs(one - (expected[k] ?? NaN))).toBeLessThan(1e-9 * Math.max(1, Math.abs(one)));
  });
  expect(expected.every((one) => one !== 0)).toBe(true);
});
