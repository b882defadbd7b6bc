// The posterior is known: with flat priors on the parameters and on log noise, offset and slope
// have t distributions about least squares. The gradient agrees with differences.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { accepted, logPosterior, petals, summary } from "./main.js";

const n = petals.length;
const sum = (of: (p: (typeof petals)[number]) => number): number =>
  petals.reduce((so, p) => so + of(p), 0);
const xx = sum((p) => p.length ** 2);
const slope = sum((p) => p.length * p.width) / xx;
const offset = sum((p) => p.width) / n;
const squares = sum((p) => (p.width - offset - slope * p.length) ** 2);
const variance = squares / (n - 4); // of a t distribution with n - 2 degrees of freedom

const close = (name: string, x: number, y: number, apart: number): void =>
  assert.ok(Math.abs(x - y) <= apart, `${name}: ${x} is not ${y}`);
const own = { offset: summary((p) => p.offset), slope: summary((p) => p.slope) };
close("slope", own.slope.mean, slope, 0.05 * own.slope.deviation);
close("offset", own.offset.mean, offset, 0.05 * own.offset.deviation);
close(
  "deviation of the slope",
  own.slope.deviation,
  Math.sqrt(variance / xx),
  0.05 * own.slope.deviation,
);
close(
  "deviation of the offset",
  own.offset.deviation,
  Math.sqrt(variance / n),
  0.05 * own.offset.deviation,
);
const noise = summary((p) => Math.exp(2 * p.logNoise));
close("mean of the variance", noise.mean, variance, 0.01 * variance);
assert.ok(accepted > 0.6, "few draws are accepted");
checkGrads(logPosterior, [{ offset: 1, slope: 0.4, logNoise: -1 }, petals.slice(0, 9)], {
  argnums: 0,
  order: 2,
});
console.log("checked");
