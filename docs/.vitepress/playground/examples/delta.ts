import { grad, delta } from "tsgrad";

// Code whose shape is only known when it runs, such as a generator, goes to a
// second engine: it records the run. Explain says which engine took a function.
function* powers(x: number, n: number): Generator<number> {
  let power = 1;
  for (let i = 0; i <= n; i++) {
    yield power;
    power *= x;
  }
}

export function series(x: number): number {
  let sum = 0;
  for (const power of powers(x, 10)) sum += power;
  return sum; // near 1 / (1 - x)
}

console.log("series′(0.3) =", grad(series)(0.3), "  near", 1 / 0.7 ** 2);

// The term that a run records.
console.log(String(delta((x: number, y: number): number => x * y + x)(3, 4).term));

// @plot series x=-0.9..0.9
