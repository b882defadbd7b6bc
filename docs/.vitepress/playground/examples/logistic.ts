import { valueAndGrad } from "tsgrad";

interface Model {
  w: number[];
  b: number;
}

function predict(m: Model, x: number[]): number {
  let z = m.b;
  for (let i = 0; i < x.length; i++) z += m.w[i] * x[i];
  return 1 / (1 + Math.exp(-z));
}

function loss(m: Model, xs: number[][], ys: number[]): number {
  let total = 0;
  for (const [i, x] of xs.entries()) {
    const p = predict(m, x);
    total -= ys[i] > 0.5 ? Math.log(p) : Math.log(1 - p);
  }
  return total / xs.length;
}

// The gradient is a model, too: { w: number[], b: number }.
const step = valueAndGrad(loss);

// Hours of work and of sleep before an exam, and whether it was passed.
const xs = [[1, 4], [2, 8], [3, 5], [5, 6], [6, 8], [7, 4], [8, 7], [9, 6]];
const ys = [0, 0, 0, 1, 1, 0, 1, 1];

const model: Model = { w: [0, 0], b: 0 };
for (let i = 0; i <= 4000; i++) {
  const [value, slope] = step(model, xs, ys);
  if (i % 1000 === 0) console.log(`step ${i}: loss ${value.toFixed(4)}`);
  for (let j = 0; j < 2; j++) model.w[j] -= 0.1 * slope.w[j];
  model.b -= 0.1 * slope.b;
}

console.log("model:", model);
for (const [i, x] of xs.entries()) console.log(x, "→", predict(model, x).toFixed(2), "is", ys[i]);
