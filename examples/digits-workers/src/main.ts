// Trains a network on handwritten digits, data-parallel: each worker thread of a pool has the
// gradient of its share of a batch, and axpy of tsgrad/tree adds the shares. Gradients are plain
// records of arrays, so they pass between threads as they are.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { Tinypool } from "tinypool";
import type { Cotangent } from "tsgrad";
import { axpy, map, zip } from "tsgrad/tree";
import { type Network, scores, test, training } from "./model.js";
import type { Share } from "./worker.js";

const WORKERS = 2;
const BATCH = 250;
const pool = new Tinypool({
  filename: new URL("./worker.js", import.meta.url).href,
  runtime: "worker_threads",
  minThreads: WORKERS,
  maxThreads: WORKERS,
});

type Slope = [value: number, gradient: Cotangent<Network>];

/** The mean loss of a batch and its gradient. */
export async function slope(net: Network, first: number): Promise<Slope> {
  const shares: Share[] = Array.from({ length: WORKERS }, (_, i) => ({
    net,
    from: first + (BATCH / WORKERS) * i,
    to: first + (BATCH / WORKERS) * (i + 1),
  }));
  const parts: Slope[] = await Promise.all(shares.map((share): Promise<Slope> => pool.run(share)));
  const [value, gradient] = parts.reduce((so, part) => [so[0] + part[0], axpy(1, part[1], so[1])]);
  return [value / BATCH, map((x) => x / BATCH, gradient)];
}

/** Numbers in [-1, 1) that are the same in each run. */
let seed = 7;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2147483648 - 1;
}
const layer = (inputs: number, units: number): Network["hidden"] => ({
  weights: Array.from({ length: units }, () =>
    new Float64Array(inputs).map(() => random() / Math.sqrt(inputs)),
  ),
  bias: new Float64Array(units),
});
export const initial: Network = { hidden: layer(784, 24), output: layer(24, 10) };

const best = (values: Float64Array): number => values.indexOf(Math.max(...values));
export const accuracy = (net: Network): number =>
  test.filter(({ pixels, digit }) => best(scores(net, pixels)) === digit).length / test.length;

const curve: { step: number; loss: number; accuracy?: number }[] = [];

/** Adam over batches that follow each other through the training set. */
async function train(start: Network, steps: number): Promise<Network> {
  let net = start;
  let first = map(() => 0, net);
  let second = first;
  for (let t = 1; t <= steps; t++) {
    const [value, gradient] = await slope(net, ((t - 1) * BATCH) % training.length);
    first = zip((m, g) => 0.9 * m + 0.1 * g, [first, gradient]);
    second = zip((s, g) => 0.999 * s + 0.001 * g * g, [second, gradient]);
    const [a, b] = [1 / (1 - 0.9 ** t), 1 / (1 - 0.999 ** t)];
    net = zip((w, m, s) => w - (0.005 * a * m) / (Math.sqrt(b * s) + 1e-8), [net, first, second]);
    curve.push({ step: t, loss: value, ...(t % 12 === 0 ? { accuracy: accuracy(net) } : {}) });
    process.stdout.write(`\rstep ${t}/${steps}  loss ${value.toFixed(4)}   `);
  }
  process.stdout.write("\n");
  return net;
}

export const trained = await train(initial, 120);
console.log(`right on ${(100 * accuracy(trained)).toFixed(1)} % of ${test.length} other digits`);
/** One batch once more, for the check. */
export const [, shared] = await slope(trained, 0);
await pool.destroy();

const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  height: 400,
  style: { background: "white" },
  x: { label: "step →" },
  y: { label: "↑ loss; black: share of other digits that are right", grid: true },
  marks: [
    Plot.line(curve, { x: "step", y: "loss", stroke: "steelblue" }),
    Plot.line(
      curve.filter((c) => c.accuracy),
      { x: "step", y: "accuracy", stroke: "black", marker: "dot" },
    ),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
