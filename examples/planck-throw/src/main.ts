// Aims a throw: after bounces off the ground and a wall, the ball is to be over a mark.
// The simulation is planck as npm gives it (a port of Box2D). tsgrad differentiates through the
// engine: through its contacts, its solver and its integrator.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { type Body, Circle, Edge, Vec2, World } from "planck";
import { valueAndGrad } from "tsgrad";
import { axpy, dot } from "tsgrad/tree";

export interface Throw {
  readonly vx: number;
  readonly vy: number;
}

const STEPS = 180;
export const MARK = 3;
const WALL = 8;

/** A ball at 0, 1 with a velocity, a ground and a wall. */
function thrown({ vx, vy }: Throw): { world: World; ball: Body } {
  const world = new World({ gravity: new Vec2(0, -10) });
  const ground = world.createBody();
  const surface = { friction: 0.2, restitution: 0.75 };
  ground.createFixture({ shape: new Edge(new Vec2(-2, 0), new Vec2(WALL, 0)), ...surface });
  ground.createFixture({ shape: new Edge(new Vec2(WALL, 0), new Vec2(WALL, 8)), ...surface });
  const ball = world.createBody({ type: "dynamic", position: new Vec2(0, 1) });
  ball.createFixture({ shape: new Circle(0.25), density: 1, ...surface });
  ball.setLinearVelocity(new Vec2(vx, vy));
  return { world, ball };
}

/** Where over the ground the ball is after three seconds. */
export function landing(t: Throw): number {
  const { world, ball } = thrown(t);
  for (let i = 0; i < STEPS; i++) world.step(1 / 60);
  return ball.getPosition().x;
}

export const slope = valueAndGrad(landing);

/** Gradient descent with the step that would be right if the engine were linear. */
function aim(start: Throw, seen: Throw[]): Throw {
  let t = start;
  for (let step = 1; step <= 30; step++) {
    seen.push(t);
    const [x, gradient] = slope(t);
    const miss = x - MARK;
    process.stdout.write(`\rthrow ${step}  misses by ${miss.toFixed(6)} m   `);
    if (Math.abs(miss) < 1e-4) break;
    t = axpy(-miss / dot(gradient, gradient), gradient, t);
  }
  process.stdout.write("\n");
  return t;
}

const tried: Throw[] = [];
export const start: Throw = { vx: 8, vy: 3 };
export const found = aim(start, tried);
console.log(`throw with ${found.vx.toFixed(4)}, ${found.vy.toFixed(4)} m/s`);

/** The way of the ball. */
export function flight(t: Throw): { x: number; y: number }[] {
  const { world, ball } = thrown(t);
  const points = [{ x: 0, y: 1 }];
  for (let i = 0; i < STEPS; i++) {
    world.step(1 / 60);
    const { x, y } = ball.getPosition();
    points.push({ x, y });
  }
  return points;
}

const ways = tried.slice(0, 6).flatMap((t, step) => flight(t).map((point) => ({ ...point, step })));
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 720,
  aspectRatio: 1,
  style: { background: "white" },
  x: { label: "metres →", domain: [-1, WALL + 0.5] },
  y: { label: null, domain: [0, 4], grid: true },
  marks: [
    Plot.ruleY([0], { strokeWidth: 3 }),
    Plot.ruleX([WALL], { strokeWidth: 3 }),
    Plot.line(ways, { x: "x", y: "y", z: "step", stroke: "steelblue", strokeOpacity: 0.3 }),
    Plot.line(flight(found), { x: "x", y: "y", stroke: "crimson", strokeWidth: 2 }),
    Plot.dot([[MARK, 0]], { symbol: "triangle", fill: "black", r: 8, dy: 8 }),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
