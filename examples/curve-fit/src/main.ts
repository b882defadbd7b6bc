// Fits a curve to measurements, with error bars from the Hessian.
// The optimiser is uncmin (BFGS) of the npm package numeric, which wants vectors. The data are
// Misra1a of the NIST reference datasets: how dental material takes up pressure.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import numeric from "numeric";
import { grad, hessian, valueAndGrad } from "tsgrad";
import { ravel, unravel } from "tsgrad/tree";

export interface Curve {
  /** What y tends to, in hundreds. */
  limit: number;
  /** How fast, in 1e-4 per unit of x. */
  rate: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const xs = [
  77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760,
];
const ys = [
  10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78,
];
export const data: Point[] = xs.map((x, i) => ({ x, y: ys[i] }));

const predict = (c: Curve, x: number): number => 100 * c.limit * (1 - Math.exp(-1e-4 * c.rate * x));

export function squares(c: Curve, points: readonly Point[]): number {
  let sum = 0;
  for (const { x, y } of points) sum += (y - predict(c, x)) ** 2;
  return sum;
}

const slope = grad(squares);
const curvature = hessian(squares);

/** The best curve: the optimiser sees vectors, the model sees records. */
function fit(start: Curve): Curve {
  const valueAt = (x: number[]): number => squares(unravel(x, start), data);
  const slopeAt = (x: number[]): number[] => [...ravel(slope(unravel(x, start), data), start)];
  const tell = (step: number, x: number[], value: number): void => {
    process.stdout.write(`\rstep ${step}  sum of squares ${value.toPrecision(6)}   `);
  };
  const { solution } = numeric.uncmin(valueAt, [...ravel(start)], 1e-12, slopeAt, 500, tell);
  process.stdout.write("\n");
  return unravel(solution, start);
}

/** The covariance of the parameters is 2 s² H⁻¹, where s² is the variance of the residuals. */
function covarianceOf(c: Curve): number[][] {
  const { limit, rate } = curvature(c, data);
  const variance = squares(c, data) / (data.length - 2);
  return numeric.mul(numeric.inv([[...ravel(limit)], [...ravel(rate)]]), 2 * variance);
}

export const best = fit({ limit: 5, rate: 1 });
const covariance = covarianceOf(best);
export const errors = unravel(numeric.getDiag(covariance).map(Math.sqrt), best);
console.log(`limit ${(100 * best.limit).toFixed(3)} ± ${(100 * errors.limit).toFixed(3)}`);
console.log(
  `rate  ${(1e-4 * best.rate).toExponential(5)} ± ${(1e-4 * errors.rate).toExponential(3)}`,
);

/** The standard error of a prediction: the gradient of the curve, through the covariance. */
const atPoint = valueAndGrad(predict);
function bandAt(x: number): { x: number; y: number; error: number } {
  const [y, own] = atPoint(best, x);
  const g = [...ravel(own)];
  return { x, y, error: Math.sqrt(numeric.dotVV(g, numeric.dotMV(covariance, g))) };
}

const band = Array.from({ length: 81 }, (_, i) => bandAt(20 * i));
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  height: 400,
  style: { background: "white" },
  x: { label: "pressure →" },
  y: { label: "↑ volume; the band is 50 standard errors wide", grid: true },
  marks: [
    Plot.areaY(band, {
      x: "x",
      y1: (p) => p.y - 25 * p.error,
      y2: (p) => p.y + 25 * p.error,
      fill: "steelblue",
      fillOpacity: 0.25,
    }),
    Plot.line(band, { x: "x", y: "y", stroke: "steelblue" }),
    Plot.dot(data, { x: "x", y: "y", fill: "black", r: 3 }),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
