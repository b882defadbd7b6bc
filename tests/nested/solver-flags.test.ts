// What is emitted for solvers, those that a program writes for itself among them, and for rules of packages type-checks under every strictness flag. Oracle: TypeScript.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";

const FLAGS = {
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
};
const SPECIAL = {
  "/src/node_modules/special/index.d.ts":
    "export function erf(x: number): number;\nexport function softmax(xs: readonly number[], k?: number): number[];",
};
const TEXT = `import { grad, hessian, hvp, jvp, defineDerivative } from "tsgrad";
import { erf, softmax } from "special";
import { rootFind, argmin, fixedPoint, solveLinear } from "tsgrad/implicit";
defineDerivative(erf, { vjp: (x) => [erf(x), (bar) => [bar * Math.exp(-x * x)]] });
defineDerivative(softmax, { jvp: ([xs], [dxs]) => [softmax(xs), dxs.map((d) => d * 2)] });
interface O { readonly w: readonly number[]; k?: number }
const where = (r: number, o: O): number => rootFind((x) => [x[0]! * x[0]! + x[1]! * x[1]! - r * r, x[1]! - (o.k ?? 1) * x[0]! + o.w[0]!], [1, 1], undefined, { tolerance: 1e-9 })[0]!;
const low = (a: number): number => argmin((x, p) => (x - p.a) ** 2 + erf(x), 0, { a }) + fixedPoint((x) => 0.2 * Math.cos(x), a);
const lin = (k: number, xs: Float64Array): number => solveLinear([[k, 1], [2, k]], xs)[0]! * softmax([k, 2])[0]!;
const bowl = (p: [number, number], k: number): number => (1 - p[0]) ** 2 + k * (p[1] - p[0] ** 2) ** 2;
function newton(k: number): number {
  let p: [number, number] = [0.5, 0.4];
  for (let i = 0; i < 3; i++) {
    const g = grad(bowl)(p, k), h = hessian(bowl)(p, k), det = h[0][0] * h[1][1] - h[0][1] * h[1][0];
    p = [p[0] - (h[1][1] * g[0] - h[0][1] * g[1]) / det, p[1] - (h[0][0] * g[1] - h[1][0] * g[0]) / det];
  }
  return p[0] * p[1];
}
export const n = grad(newton);
export const a = grad(where, { argnums: [0, 1] }), b = hvp(where), c = grad(grad(low)), d = jvp(low), e = grad(lin, { argnums: [0, 1] }), g = grad(grad(lin));
`;

it("type-checks", () => {
  const host = programOf({ "a.ts": TEXT, ...SPECIAL }, FLAGS);
  expect(typeErrors(host)).toEqual([]);
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const emitted = applyEdits("/src/a.ts", TEXT, edits.get("/src/a.ts") ?? []).text;
  expect(emitted).toContain("solveLinear$fwd");
  expect(typeErrors(programOf({ "a.ts": emitted, ...SPECIAL }, FLAGS))).toEqual([]);
});
