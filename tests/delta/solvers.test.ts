// Solvers of `tsgrad/implicit` by the Delta engine. In: equations of numbers, arrays and systems, of
// which the unknowns depend on captured variables, on parameters, or on both. Out: gradients,
// tangents, and second and third derivatives as by the static engine.

import { describe, expect, it } from "vitest";
import { built } from "../nested/compiled.ts";

const EQUATIONS: Readonly<Record<string, string>> = {
  "a root": "rootFind((y) => y ** 3 - x[0]! ** 9, 1.5) * x[1]! + Math.sin(x[0]! * x[1]!)",
  "a root from an active start": "rootFind((y) => y * Math.exp(y) - x[0]! * x[1]!, x[0]!)",
  "a root of parameters": "rootFind((y: number, p: number[]) => y ** 3 + y * p[0]! - p[1]!, 1, x)",
  "a root of captured variables and parameters":
    "rootFind((y: number, p: number) => y ** 3 + y * p - x[1]!, 1, x[0]! ** 2)",
  "roots in a typed array":
    "rootFind((y: Float64Array) => Float64Array.of(y[0]! * x[0]! - y[1]! ** 2, y[1]! ** 3 - x[1]!), Float64Array.of(1, 1)).reduce((p, q) => p * q)",
  "a fixed point": "fixedPoint((y) => Math.cos(y * x[0]!) / 2 + x[1]! / 3, 1) ** 2",
  "fixed points":
    "fixedPoint((y: number[]) => [Math.cos(y[1]! * x[0]!) / 2, Math.sin(y[0]! + x[1]!) / 3], [0.1, 0.2]).reduce((p, q) => p * q)",
  "a root within a root":
    "rootFind((y) => y ** 3 + y - rootFind((z) => z ** 3 + z * y * y - x[0]!, 1) - x[1]!, 1)",
  "a minimum": "argmin((y) => (y - x[0]! ** 2) ** 2 + y ** 4 * x[1]!, 0.5) ** 2",
  "a minimum of parameters":
    "argmin((y: number, p: number[]) => (y - p[0]! ** 2) ** 2 + y ** 4 * p[1]!, 0.5, x)",
  "a minimum of captured variables and a number":
    "argmin((y: number, p: number) => (y - p) ** 2 + y ** 4 * x[1]!, 0.5, x[0]! * x[1]!)",
  "minima from an active start":
    "argmin((y: number[]) => (y[0]! - x[0]!) ** 2 + (y[1]! - y[0]! * x[1]!) ** 2 + y[1]! ** 4, x).reduce((p, q) => p * q)",
  "minima in a typed array":
    "argmin((y: Float64Array, p: number[]) => (y[0]! - p[0]!) ** 2 + (y[1]! - y[0]! * p[1]!) ** 2 + y[1]! ** 4, Float64Array.of(1, 1), x).reduce((p, q) => p * q)",
  "a minimum within a root":
    "rootFind((y) => y ** 3 + y - argmin((z) => (z - y) ** 2 + z ** 4 * x[0]!, 0.5) - x[1]!, 1)",
  "a root within a minimum":
    "argmin((y) => (y - rootFind((z) => z ** 3 + z - y * x[0]!, 1)) ** 2 + (y - x[1]!) ** 2, 0.5)",
  "solvers of a namespace":
    "implicit.rootFind((y) => y ** 3 - x[0]! ** 9, 1.5) * implicit.argmin((y) => (y - x[1]!) ** 2 + y ** 4, 0.5)",
  "a system":
    "solveLinear([[x[0]!, 1], [x[1]! ** 2, 3 + x[0]!]], [x[1]!, Math.sin(x[0]!)]).reduce((p, q) => p * q)",
  "a system with a constant matrix": "solveLinear([[2, 1], [1, 3]], x).reduce((p, q) => p * q)",
};
const FORMS: Readonly<Record<string, (options: string) => string>> = {
  grad: (options) => `grad(f, { ${options} })(x)`,
  jvp: (options) => `jvp(f, { ${options} })([x], [[1, 0.5]])[1]`,
  hessian: (options) => `hessian(f, { ${options} })(x)`,
  third: (options) =>
    `grad((z: number[]): number => { const h = hvp(f)([z], [1, 0.5]); return h[0]! * 2 + h[1]!; }, { ${options} })(x)`,
};
const text = (equation: string): string => `import { grad, hessian, hvp, jvp } from "tsgrad";
import { argmin, fixedPoint, rootFind, solveLinear } from "tsgrad/implicit";
import * as implicit from "tsgrad/implicit";
void [argmin, fixedPoint, rootFind, solveLinear, implicit];
const f = (x: number[]): number => ${equation};
${(["static", "delta"] as const)
  .map(
    (engine) =>
      `export const by_${engine} = (x: number[]): unknown[] => [${Object.values(FORMS)
        .map((form) => form(`engine: "${engine}"`))
        .join(", ")}];`,
  )
  .join("\n")}
`;

const numbersOf = (value: unknown): readonly number[] =>
  typeof value === "number" ? [value] : Object.values(value ?? {}).flatMap(numbersOf);

describe("as by the static engine", () => {
  it.each(Object.entries(EQUATIONS))("%s", (_, equation) => {
    const { exports } = built(text(equation));
    const [own, other] = ["by_delta", "by_static"].map((name) => {
      const run = exports[name];
      return typeof run === "function"
        ? numbersOf(Reflect.apply(run, undefined, [[1.1, 0.7]]))
        : [];
    });
    expect([own?.length, other?.length]).toEqual([9, 9]);
    // both solvers stop near 1e-12, and a third derivative has products of many slopes
    own?.forEach((x, i) => {
      expect(Math.abs(x - (other?.[i] ?? NaN))).toBeLessThan(1e-8 * Math.max(1, Math.abs(x)));
    });
  });
});
