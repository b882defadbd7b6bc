// Dense derivatives of unions that numbers discriminate, within what the Delta engine
// differentiates. In: functions that also compute with the discriminant of a derivative.
// Out: gradients as by central differences: a discriminant has no derivative.

import { expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

/** Of `x`; `num` is a product of the numbers and the discriminant. */
const BODIES: Readonly<Record<string, string>> = {
  "jacfwd by a union": "const j: any = jacfwd(pair)(at(x)); return num(j[0]) + num(j[1]);",
  "jacrev by a union": "const j: any = jacrev(pair)(at(x)); return num(j[0]) + num(j[1]);",
  "hessian by a union": "const j: any = hessian(area)(at(x)); return num(j.w) + num(j.h);",
  "jacfwd of a union": "const j: any = jacfwd(of)(x); return j[0].kind * j[0].w[0] * j[0].h[1];",
  "grad by a union": "return num(grad(area)(at(x)));",
  "hvp by a union": "return num(hvp(area)([at(x)], { kind: 2, w: x[1]!, h: 1 }));",
};

const names = Object.keys(BODIES);
const { exports } = built(`import { grad, hessian, hvp, jacfwd, jacrev } from "tsgrad";
type S = { kind: 1; r: number } | { kind: 2; w: number; h: number };
const at = (x: number[]): S => ({ kind: 2, w: x[0]!, h: x[1]! });
const area = (s: S): number => (s.kind === 2 ? s.w ** 2 * s.h : s.r ** 3);
const pair = (s: S): number[] => [area(s), area(s) ** 2];
const of = (a: number[]): S[] => [{ kind: 2, w: a[0]! ** 2 * a[1]!, h: a[1]! ** 2 }];
const num = (s: any): number => s.kind * s.w * s.h;
${names
  .map(
    (name, k) => `export const f${k} = (x: number[]): number => { ${BODIES[name] ?? ""} };
export const d${k} = grad(f${k}, { engine: "delta" });`,
  )
  .join("\n")}`);

const call = (name: string, x: readonly number[]): unknown => {
  const f = exports[name];
  return typeof f === "function" ? Reflect.apply(f, undefined, [[...x]]) : undefined;
};

test.each(names.map((name, k): [string, number] => [name, k]))("%s", (_, k) => {
  const point = [1.1, 0.7];
  const step = 1e-5;
  const found = call(`d${k}`, point);
  const slopes = point.map((_, i) => {
    const moved = (by: number): number =>
      Number(
        call(
          `f${k}`,
          point.map((x, j) => (i === j ? x + by : x)),
        ),
      );
    return (moved(step) - moved(-step)) / (2 * step);
  });
  slopes.forEach((slope, i) => {
    expect(Number(Array.isArray(found) ? found[i] : NaN)).toBeCloseTo(slope, 6);
  });
});
