// The ball is over the mark after it met ground and wall, and the gradient through the engine
// agrees with differences. The engine finds contacts to a tolerance, so that the way of the ball
// jumps by a millimetre here and there; differences say nothing across a jump.

import assert from "node:assert/strict";
import { axpy, norm } from "tsgrad/tree";
import { flight, found, landing, MARK, slope, type Throw } from "./main.js";

const way = flight(found);
assert.ok(Math.abs(way[way.length - 1].x - MARK) < 1e-4, "it misses the mark");
assert.ok(Math.max(...way.map(({ x }) => x)) > 7.5, "it does not meet the wall");
assert.ok(Math.min(...way.map(({ y }) => y)) < 0.3, "it does not meet the ground");

/** The slope in a direction, by three values that lie on one smooth piece. */
function difference(t: Throw, along: Throw): number {
  const at = landing(t);
  for (const h of [1e-5, 1e-6, 1e-7]) {
    const [left, right] = [landing(axpy(-h, along, t)), landing(axpy(h, along, t))];
    if (Math.abs(left - 2 * at + right) < 1e-8) return (right - left) / (2 * h);
  }
  throw new Error(`the engine jumps at ${JSON.stringify(t)}`);
}
for (const t of [
  { vx: 7.123, vy: 4.321 },
  { vx: 6.6543, vy: 2.7182 },
  { vx: 8.7654, vy: 3.1416 },
]) {
  const [value, own] = slope(t);
  assert.equal(value, landing(t));
  const byDifferences = {
    vx: difference(t, { vx: 1, vy: 0 }),
    vy: difference(t, { vx: 0, vy: 1 }),
  };
  const apart = norm(axpy(-1, byDifferences, own)) / norm(own);
  assert.ok(apart < 1e-4, `the gradient is off by ${apart}`);
}
console.log("checked");
