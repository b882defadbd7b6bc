// Random functions through lowering, structure and SSA, against JavaScript itself.

import { test } from "vitest";
import { sameAsJs } from "./against-js.ts";
import { randomModule } from "./random-source.ts";

const CALLS = [
  [1.5, -2, [0.5, 3, -1]],
  [0, 4, [2, 2, 2, 1]],
  [-3, 0.25, [1, 0, 7]],
];

test.each(Array.from({ length: 80 }, (_, seed) => seed + 1))(
  "random function %i",
  (seed) => void sameAsJs(randomModule(seed), CALLS),
);
