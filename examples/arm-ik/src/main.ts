// Inverse kinematics: which angles bring an arm's hand to a target, round an obstacle?
// The loss is the distance of the hand, plus what the arm would be inside the obstacle, plus a
// little for bent joints. L-BFGS of lbfgs.ts takes the gradient as the record that it is.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { valueAndGrad } from "tsgrad";
import { lbfgs } from "./lbfgs.js";

export interface Pose {
  /** The angle of the first link to the x-axis. */
  shoulder: number;
  /** The angle of each further link to the one before. */
  joints: number[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const LINK = 1;
export const target: Point = { x: 3.4, y: 0.4 };
export const obstacle = { x: 2, y: 0.6, r: 0.7 };

/** Where the arm is: the shoulder, each joint, and the hand at the end. */
export function pointsOf(pose: Pose): Point[] {
  let angle = pose.shoulder;
  let at: Point = { x: LINK * Math.cos(angle), y: LINK * Math.sin(angle) };
  const points = [{ x: 0, y: 0 }, at];
  for (const joint of pose.joints) {
    angle += joint;
    at = { x: at.x + LINK * Math.cos(angle), y: at.y + LINK * Math.sin(angle) };
    points.push(at);
  }
  return points;
}

/** How deep a point is inside the obstacle, squared; the arm keeps a small distance. */
function depth(x: number, y: number): number {
  const inside = obstacle.r + 0.1 - Math.hypot(x - obstacle.x, y - obstacle.y);
  return inside > 0 ? inside * inside : 0;
}

export function loss(pose: Pose): number {
  const points = pointsOf(pose);
  const hand = points[points.length - 1];
  let sum = (hand.x - target.x) ** 2 + (hand.y - target.y) ** 2;
  for (let i = 1; i < points.length; i++) {
    for (let part = 1; part <= 8; part++) {
      const t = part / 8;
      const x = points[i - 1].x + t * (points[i].x - points[i - 1].x);
      const y = points[i - 1].y + t * (points[i].y - points[i - 1].y);
      sum += 4 * depth(x, y);
    }
  }
  for (const joint of pose.joints) sum += 1e-6 * joint * joint;
  return sum;
}

export const slope = valueAndGrad(loss);

interface Frame extends Point {
  readonly step: number;
}
const frames: Frame[] = [];
const show = (step: number, pose: Pose): void => {
  for (const point of pointsOf(pose)) frames.push({ ...point, step });
};

const start: Pose = { shoulder: 1.4, joints: [-0.2, -0.2, -0.2, -0.2] };
let steps = 0;
export const found = lbfgs(slope, start, (step, value, pose) => {
  steps = step;
  process.stdout.write(`\rstep ${step}  loss ${value.toExponential(3)}   `);
  if (step % 3 === 0 && step < 24) show(step, pose);
});
console.log();
show(steps + 1, found);
const hand = pointsOf(found)[start.joints.length + 1];
console.log(`the hand is at ${hand.x.toFixed(4)}, ${hand.y.toFixed(4)} after ${steps + 1} steps`);
console.log(`angles: ${[found.shoulder, ...found.joints].map((a) => a.toFixed(3)).join("  ")}`);

const circle = Array.from({ length: 65 }, (_, i) => ({
  x: obstacle.x + obstacle.r * Math.cos((i * Math.PI) / 32),
  y: obstacle.y + obstacle.r * Math.sin((i * Math.PI) / 32),
}));
const last = frames.filter((frame) => frame.step > steps);
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  aspectRatio: 1,
  style: { background: "white" },
  x: { label: null },
  y: { label: null, grid: true },
  marks: [
    Plot.line(circle, { x: "x", y: "y", fill: "#ddd", stroke: "gray", curve: "linear-closed" }),
    Plot.line(frames, { x: "x", y: "y", z: "step", stroke: "steelblue", strokeOpacity: 0.3 }),
    Plot.line(last, { x: "x", y: "y", stroke: "black", strokeWidth: 3, marker: "dot" }),
    Plot.dot([target], { x: "x", y: "y", stroke: "crimson", r: 8, strokeWidth: 2 }),
    Plot.text([target], { x: "x", y: "y", text: () => "target", dx: 30, dy: -10, fill: "crimson" }),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
