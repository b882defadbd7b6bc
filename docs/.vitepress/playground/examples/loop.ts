import { grad } from "tsgrad";

// A loop that computes a square root by Heron's rule. Its derivative is a
// loop as well: it runs the steps backwards.
export function root(a: number): number {
  let x = 1;
  for (let i = 0; i < 8; i++) x = (x + a / x) / 2;
  return x;
}

const slope = grad(root);

console.log("root(2)  =", root(2), "   Math.sqrt(2)       =", Math.sqrt(2));
console.log("slope(2) =", slope(2), "  1 / (2 * sqrt(2)) =", 1 / (2 * Math.sqrt(2)));

// @plot root x=0.05..6
