// Calibrates the Heston model of heston.ts to the prices of options, by Levenberg-Marquardt.
// jacfwd gives a row for each option, as records; ravel makes a matrix of them.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { Matrix, solve } from "ml-matrix";
import { jacfwd, valueAndGrad } from "tsgrad";
import { axpy, map, ravel, unravel, zip } from "tsgrad/tree";
import { type Heston, type Option, prices } from "./heston.js";

export const truth: Heston = { now: 0.04, later: 0.07, speed: 1.8, wild: 0.5, rho: -0.65 };
const strikes = [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3];
export const options: Option[] = [0.25, 0.5, 1, 2].flatMap((years) =>
  strikes.map((strike) => ({ strike, years })),
);
/** Quotes, as a market rounds them: to a thousandth of a percent of the share. */
export const quotes = prices(truth, options).map((p) => Math.round(1e5 * p) / 1e5);

const slopes = jacfwd(prices);
const errorOf = (h: Heston): Matrix =>
  Matrix.columnVector(prices(h, options).map((p, i) => p - quotes[i]));

/** Keeps what an optimiser tries inside what the model can be. */
const least: Heston = { now: 1e-3, later: 1e-3, speed: 0.05, wild: 0.05, rho: -0.99 };
const most: Heston = { now: 1, later: 1, speed: 20, wild: 3, rho: 0.99 };
const inside = (h: Heston): Heston =>
  zip((x, low, high) => Math.min(high, Math.max(low, x)), [h, least, most]);

function calibrate(start: Heston): Heston {
  let best = start;
  let error = errorOf(best);
  let damping = 1e-3;
  for (let step = 1; step <= 100 && damping < 1e8; step++) {
    const jacobian = new Matrix(slopes(best, options).map((row) => [...ravel(row)]));
    const square = jacobian.transpose().mmul(jacobian);
    const damped = square.clone().add(Matrix.diag(square.diagonal().map((x) => damping * x)));
    const move = solve(damped, jacobian.transpose().mmul(error)).to1DArray();
    const next = inside(axpy(-1, unravel(move, best), best));
    const nextError = errorOf(next);
    const gain = error.norm() - nextError.norm();
    damping = gain > 0 ? damping / 5 : damping * 5;
    if (gain > 0) [best, error] = [next, nextError];
    process.stdout.write(`\rstep ${step}  error ${error.norm().toExponential(3)}   `);
    if (gain > 0 && gain < 1e-12) break;
  }
  process.stdout.write("\n");
  return best;
}

export const found = calibrate({ now: 0.1, later: 0.1, speed: 1, wild: 0.3, rho: 0 });
for (const [name, value] of Object.entries(map((x) => Number(x.toFixed(4)), found)))
  console.log(`${name.padEnd(6)} ${value}`);

// ------------------------------------------------------------------------------------- the plot

/** The normal distribution (Abramowitz and Stegun 7.1.26), good to seven digits. */
function normal(x: number): number {
  const t = 1 / (1 + 0.3275911 * (Math.abs(x) / Math.SQRT2));
  const poly =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (poly * Math.exp((-x * x) / 2)) / 2;
  return x > 0 ? 1 - tail : tail;
}

export function blackScholes(volatility: number, { strike, years }: Option): number {
  const width = volatility * Math.sqrt(years);
  const d = -Math.log(strike) / width + width / 2;
  return normal(d) - strike * normal(d - width);
}

/** The volatility at which Black and Scholes have that price: Newton's method, by valueAndGrad. */
const vega = valueAndGrad(blackScholes);
function impliedVolatility(quote: number, option: Option): number {
  let volatility = 0.25;
  for (let i = 0; i < 30; i++) {
    const [value, slope] = vega(volatility, option);
    volatility = Math.max(0.05, volatility - (value - quote) / Math.max(slope, 1e-3));
  }
  return volatility;
}

const marked = quotes.map((quote, i) => ({
  ...options[i],
  volatility: impliedVolatility(quote, options[i]),
}));
const fine = [0.25, 0.5, 1, 2].flatMap((years) =>
  Array.from({ length: 31 }, (_, i) => ({ strike: 0.7 + 0.02 * i, years })),
);
const curves = prices(found, fine).map((quote, i) => ({
  ...fine[i],
  volatility: impliedVolatility(quote, fine[i]),
}));
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  height: 400,
  style: { background: "white" },
  x: { label: "strike →", domain: [0.64, 1.3] },
  y: { label: "↑ implied volatility, %", grid: true, percent: true },
  color: { scheme: "viridis", type: "ordinal" },
  marks: [
    Plot.line(curves, { x: "strike", y: "volatility", stroke: "years" }),
    Plot.dot(marked, { x: "strike", y: "volatility", stroke: "years", fill: "white" }),
    Plot.text(
      curves,
      Plot.selectFirst({
        x: "strike",
        y: "volatility",
        z: "years",
        text: (c) => `${c.years} years`,
        dx: -6,
        textAnchor: "end",
      }),
    ),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
