// Random functions through lowering, structure and SSA, against JavaScript itself.

import { test } from "vitest";
import { isLong } from "../breadth.ts";
import { sameAsJs } from "./against-js.ts";
import { randomModule } from "./random-source.ts";

const CALLS = [
  [1.5, -2, [0.5, 3, -1]],
  [0, 4, [2, 2, 2, 1]],
  [-3, 0.25, [1, 0, 7]],
];

test.each(Array.from({ length: isLong ? 80 : 20 }, (_, seed) => seed + 1))(
  "random function %i",
  (seed) => void sameAsJs(randomModule(seed), CALLS),
);
