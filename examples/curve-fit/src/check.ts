// The result against the values that NIST certifies, and the derivatives against differences.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { best, data, errors, squares } from "./main.js";

const close = (x: number, y: number, relative: number): void =>
  assert.ok(Math.abs(x - y) <= relative * Math.abs(y), `${x} is not ${y}`);

close(100 * best.limit, 238.94212918, 1e-5);
close(1e-4 * best.rate, 5.5015643181e-4, 1e-5);
close(squares(best, data), 0.12455138894, 1e-8);
// NIST leaves out the curvature of the residuals, which is small here.
close(100 * errors.limit, 2.7070075241, 1e-2);
close(1e-4 * errors.rate, 7.2668688436e-6, 1e-2);
checkGrads(squares, [{ limit: 2, rate: 6 }, data], { order: 2, argnums: 0 });
console.log("checked");
