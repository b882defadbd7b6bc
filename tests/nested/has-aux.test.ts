// `hasAux` of every form: alone, within functions that are differentiated in each mode, and mapped.
// Oracle: the form of the function without what it returns besides, and that by a call.

import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

const HEAD = `import { grad, valueAndGrad, vjp, jvp, jacfwd, jacrev, hessian, hvp, linearize, vmap } from "tsgrad";
interface Aux { note: string; x: number; list: number[] }
const value = (x: number[], k: number): number => x[0] * x[1] ** 2 * k;
const point = (x: number[], k: number): number[] => [x[0] * x[1], x[1] ** 2 * k];
const besides = (x: number[], k: number): Aux => ({ note: "n", x: x[0] * 2, list: [k, x[1]] });
const valueAux = (x: number[], k: number): [number, Aux] => [value(x, k), besides(x, k)];
const pointAux = (x: number[], k: number): [number[], Aux] => [point(x, k), besides(x, k)];
`;

/** Bodies of `(x: number[])`: with `hasAux`, and without. They give numbers that depend on both. */
const FORMS: Readonly<Record<string, readonly [string, string]>> = {
  grad: [
    "const [g, a] = grad(valueAux, { hasAux: true })(x, 3);",
    "const g = grad(value)(x, 3), a = besides(x, 3);",
  ],
  valueAndGrad: [
    "const [[v, a], d] = valueAndGrad(valueAux, { hasAux: true })(x, 3); const g = [v * d[0], d[1]];",
    "const [v, d] = valueAndGrad(value)(x, 3), a = besides(x, 3); const g = [v * d[0], d[1]];",
  ],
  vjp: [
    "const [v, pull, a] = vjp(pointAux, { hasAux: true, argnums: 0 })(x, 3); const d = pull([1, x[0]]); const g = [d[0], d[1] * v[0]];",
    "const [v, pull] = vjp(point, { argnums: 0 })(x, 3), a = besides(x, 3); const d = pull([1, x[0]]); const g = [d[0], d[1] * v[0]];",
  ],
  jvp: [
    "const [v, d, a] = jvp(pointAux, { hasAux: true })([x, 3], [[1, x[0]], 0]); const g = [d[0], d[1] * v[0]];",
    "const [v, d] = jvp(point)([x, 3], [[1, x[0]], 0]), a = besides(x, 3); const g = [d[0], d[1] * v[0]];",
  ],
  linearize: [
    "const [v, map, a] = linearize(pointAux, { hasAux: true, argnums: 0 })(x, 3); const d = map.apply([1, x[0]]); const g = [d[0], d[1] * v[0]];",
    "const [v, map] = linearize(point, { argnums: 0 })(x, 3), a = besides(x, 3); const d = map.apply([1, x[0]]); const g = [d[0], d[1] * v[0]];",
  ],
  jacfwd: [
    "const [j, a] = jacfwd(pointAux, { hasAux: true })(x, 3); const g = [j[0][0], j[1][1] + j[0][1]];",
    "const j = jacfwd(point)(x, 3), a = besides(x, 3); const g = [j[0][0], j[1][1] + j[0][1]];",
  ],
  jacrev: [
    "const [j, a] = jacrev(pointAux, { hasAux: true })(x, 3); const g = [j[0][0], j[1][1] + j[0][1]];",
    "const j = jacrev(point)(x, 3), a = besides(x, 3); const g = [j[0][0], j[1][1] + j[0][1]];",
  ],
  hessian: [
    "const [h, a] = hessian(valueAux, { hasAux: true })(x, 3); const g = [h[0][1], h[1][1]];",
    "const h = hessian(value)(x, 3), a = besides(x, 3); const g = [h[0][1], h[1][1]];",
  ],
  hvp: [
    "const [g, a] = hvp(valueAux, { hasAux: true })([x, 3], [1, x[0]]);",
    "const g = hvp(value)([x, 3], [1, x[0]]), a = besides(x, 3);",
  ],
  "vmap of grad": [
    "const all = vmap(grad(valueAux, { hasAux: true }), { axes: [0, null] })([x, [x[1], 2]], 3); const [g, a] = [all[0][0], all[1][1]];",
    "const g = grad(value)(x, 3), a = besides([x[1], 2], 3);",
  ],
};

describe.each([
  ["static", ""],
  ["delta", ', { engine: "delta" }'],
])("%s", (name, engine) => {
  it.each(Object.entries(FORMS))("%s", (_, [withAux, without]) => {
    const plain = withAux
      .replaceAll("{ hasAux: true", '{ engine: "ENGINE", hasAux: true')
      .replaceAll("ENGINE", name);
    const tail = "return g[0] * g[1] + a.x * a.list[1] * g[0] + a.note.length;";
    const { exports } = built(`${HEAD}
export const alone = (x: number[]): unknown => { ${plain} return [g, a]; };
const f = (x: number[]): number => { ${withAux} ${tail} };
const w = (x: number[]): number => { ${without} ${tail} };
export const wantedAlone = (x: number[]): unknown => { ${without} return [g, a]; };
export const cells = [
  grad(f${engine}), valueAndGrad(f${engine}),
  (x: number[]) => jvp(f${engine})([x], [[1, -2]]),
  (x: number[]) => hvp(f${engine})([x], [1, -2]),
];
export const wanted = [grad(w), valueAndGrad(w), (x: number[]) => jvp(w)([x], [[1, -2]]), (x: number[]) => hvp(w)([x], [1, -2])];
`);
    type Cell = (x: number[]) => unknown;
    const [alone, wantedAlone] = [exports["alone"], exports["wantedAlone"]] as Cell[];
    expect(alone?.([2, 3])).toEqual(wantedAlone?.([2, 3]));
    const [cells, wanted] = [exports["cells"], exports["wanted"]] as (readonly Cell[])[];
    cells?.forEach((cell, k) => {
      expect(cell([2, 3])).toEqual(wanted?.[k]?.([2, 3]));
    });
  });
});
