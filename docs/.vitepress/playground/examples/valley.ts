import { valueAndGrad } from "tsgrad";

// Rosenbrock's valley: easy to get into, slow to walk along. Click into the
// plot to start gradient descent somewhere else.
export function valley(x: number, y: number): number {
  return (1 - x) ** 2 + 100 * (y - x * x) ** 2;
}

export const both = valueAndGrad(valley, { argnums: [0, 1] });

const [value, [dx, dy]] = both(-1.2, 1);
console.log(`valley(-1.2, 1) = ${value}, slopes ${dx} and ${dy}`);

// @plot valley x=-2..2 y=-1..3 from=-1.2,1
