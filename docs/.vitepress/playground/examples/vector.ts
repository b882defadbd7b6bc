import { grad } from "tsgrad";
import { map, map2, sum } from "tsgrad/vector";

// Programs of whole arrays: the gradient is a program of whole arrays, too.
function loss(w: readonly number[], target: readonly number[]): number {
  const errors = map2((a: number, b: number) => a - b, w, target);
  return sum(map((e: number) => Math.sqrt(1 + e * e) - 1, errors));
}

const slope = grad(loss);
const target = [3, -1, 4, -1, 5];
let w: readonly number[] = [0, 0, 0, 0, 0];

for (let i = 0; i <= 60; i++) {
  if (i % 15 === 0) console.log(`step ${i}: loss ${loss(w, target).toFixed(6)}`);
  const step = slope(w, target);
  w = w.map((each, k) => each - 0.5 * step[k]);
}
console.log("w:", w);
