// The hand is at the target, the arm outside of the obstacle, and nothing nearby is better.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { norm } from "tsgrad/tree";
import { found, loss, obstacle, pointsOf, slope, target } from "./main.js";

const points = pointsOf(found);
const hand = points[points.length - 1];
assert.ok(Math.hypot(hand.x - target.x, hand.y - target.y) < 1e-3, "the hand is not there");
for (const [i, p] of points.slice(1).entries()) {
  for (let t = 0; t <= 1; t += 0.01) {
    const x = points[i].x + t * (p.x - points[i].x) - obstacle.x;
    const y = points[i].y + t * (p.y - points[i].y) - obstacle.y;
    assert.ok(Math.hypot(x, y) > obstacle.r, `link ${i} is in the obstacle`);
  }
}
assert.ok(norm(slope(found)[1]) < 1e-8, "the gradient is not zero");
checkGrads(loss, [{ shoulder: 0.9, joints: [-0.3, 0.2, -0.5, 0.1] }], { order: 2 });
console.log("checked");
