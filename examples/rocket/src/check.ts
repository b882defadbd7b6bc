// A soft landing in air. Without air the best thrust is known: the one of least energy that meets
// four linear conditions, and that is a linear function of time.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { air, cost, DT, flight, found, plan, start, STEPS } from "./main.js";

const end = flight(found, air)[STEPS];
assert.ok(Math.hypot(end.x, end.y) < 0.5, "it misses the place");
assert.ok(Math.hypot(end.vx, end.vy) < 0.5, "it crashes");

/** The least sum of squares that takes one coordinate to rest at 0, with a constant pull. */
function leastEnergy(x: number, v: number, pull: number): number[] {
  // After all steps: v + Σ DT (u + pull) = 0 and x + Σ DT (velocities) = 0.
  const ofV = Array.from({ length: STEPS }, () => DT);
  const ofX = ofV.map((_, i) => DT * DT * (STEPS - i));
  const sum = (a: number[], b: number[]): number => a.reduce((so, ai, i) => so + ai * b[i], 0);
  const ones = ofV.map(() => 1);
  const wanted = [-v - pull * sum(ofV, ones), -x - v * DT * STEPS - pull * sum(ofX, ones)];
  const [a, b, d] = [sum(ofV, ofV), sum(ofV, ofX), sum(ofX, ofX)];
  const det = a * d - b * b;
  const [p, q] = [(d * wanted[0] - b * wanted[1]) / det, (a * wanted[1] - b * wanted[0]) / det];
  return ofV.map((_, i) => p * ofV[i] + q * ofX[i]);
}

const vacuum = { gravity: 9.81, drag: 0 };
const own = plan(vacuum);
const best = {
  x: leastEnergy(start.x, start.vx, 0),
  y: leastEnergy(start.y, start.vy, -vacuum.gravity),
};
const size = Math.hypot(...best.x, ...best.y);
const apart = Math.hypot(
  ...own.x.map((u, i) => u - best.x[i]),
  ...own.y.map((u, i) => u - best.y[i]),
);
assert.ok(apart < 0.01 * size, `the thrust differs from the best by ${apart / size}`);

const some = { x: [1, -2, 3], y: [9, 10, 11] };
checkGrads(cost, [some, air], { order: 2, argnums: 0 });
console.log("checked");
