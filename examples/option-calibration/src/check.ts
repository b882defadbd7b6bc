// The parameters behind the quotes are found again; the model tends to that of Black and Scholes
// where its variance does not vary; its derivatives agree with differences.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { norm, zip } from "tsgrad/tree";
import { type Heston, price, prices } from "./heston.js";
import { blackScholes, found, options, truth } from "./main.js";

const off = zip((x, y) => (x - y) / y, [found, truth]);
assert.ok(norm(off) < 0.02, `parameters are off by ${JSON.stringify(off)}`);
for (const option of options) {
  const calm: Heston = { now: 0.05, later: 0.05, speed: 2, wild: 1e-3, rho: 0 };
  const known = blackScholes(Math.sqrt(0.05), option);
  assert.ok(Math.abs(price(calm, option) - known) < 1e-6, JSON.stringify(option));
}
checkGrads(prices, [truth, options.slice(2, 6)], { argnums: 0 });
console.log("checked");
