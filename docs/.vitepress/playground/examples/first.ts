import { grad } from "tsgrad";

// Change this function. The derivative on the right changes with it.
export function wave(x: number): number {
  return x * Math.sin(x) + 0.3 * x ** 2;
}

export const slope = grad(wave);

console.log("wave(2)  =", wave(2));
console.log("slope(2) =", slope(2));

// @plot wave x=-8..8
