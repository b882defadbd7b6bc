// The example of `tsgrad init --example`: a function, its gradient, and a line that prints it.

/** The file, relative to the project. */
export const EXAMPLE_FILE = "src/tsgrad-example.ts";

export const EXAMPLE = `// A first gradient. The build writes the function that \`gradient\` is: see it by
//   npx tsgrad emit src/tsgrad-example.ts
import { grad } from "tsgrad";

export function energy(x: number, k: number): number {
  return 0.5 * k * x * x + Math.sin(x);
}

export const gradient = grad(energy);

// by hand: k x + cos x
console.log("d energy / d x at 2:", gradient(2, 3)); // 5.583853163452858
`;
