// Lands a rocket with little thrust, by gradient descent through the simulation.
// The parameters are the thrust in each tenth of a second. Adam works on them as they are: two
// lists of numbers in a record.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { type Cotangent, valueAndGrad } from "tsgrad";
import { map, zip } from "tsgrad/tree";

export interface Thrust {
  readonly x: number[];
  readonly y: number[];
}

export interface World {
  readonly gravity: number;
  /** Resistance of the air for each m/s, squared. */
  readonly drag: number;
}

interface State {
  readonly x: number;
  readonly y: number;
  readonly vx: number;
  readonly vy: number;
}

export const STEPS = 80;
export const DT = 0.1;
export const start: State = { x: -60, y: 80, vx: 25, vy: 5 };

function step(s: State, ax: number, ay: number, world: World): State {
  const speed = Math.hypot(s.vx, s.vy);
  const vx = s.vx + DT * (ax - world.drag * speed * s.vx);
  const vy = s.vy + DT * (ay - world.gravity - world.drag * speed * s.vy);
  return { x: s.x + DT * vx, y: s.y + DT * vy, vx, vy };
}

/** The energy of the thrust, plus a penalty for what is missing to a soft landing at 0, 0. */
export function cost(thrust: Thrust, world: World): number {
  let s = start;
  let energy = 0;
  for (let i = 0; i < thrust.x.length; i++) {
    energy += DT * (thrust.x[i] ** 2 + thrust.y[i] ** 2);
    s = step(s, thrust.x[i], thrust.y[i], world);
  }
  return energy + 300 * (s.x ** 2 + s.y ** 2 + s.vx ** 2 + s.vy ** 2);
}

const slope = valueAndGrad(cost);

/** Adam (Kingma and Ba 2015) for parameters of any type, with a rate that falls to zero. */
function adam<P>(
  both: (p: P) => readonly [value: number, gradient: Cotangent<P>],
  from: P,
  steps: number,
  rate: number,
): P {
  let p = from;
  let mean = map(() => 0, from);
  let square = mean;
  for (let t = 1; t <= steps; t++) {
    const [value, gradient] = both(p);
    mean = zip((m, g) => 0.9 * m + 0.1 * g, [mean, gradient]);
    square = zip((s, g) => 0.99 * s + 0.01 * g * g, [square, gradient]);
    const length = (rate * (1 + Math.cos((Math.PI * t) / steps))) / 2 / (1 - 0.9 ** t);
    const unbiased = 1 / (1 - 0.99 ** t);
    p = zip((x, m, s) => x - (length * m) / (Math.sqrt(unbiased * s) + 1e-9), [p, mean, square]);
    if (t % 100 === 0) process.stdout.write(`\rstep ${t}  cost ${value.toFixed(2)}   `);
  }
  process.stdout.write("\n");
  return p;
}

const idle = (): number[] => new Array<number>(STEPS).fill(0);
export const plan = (world: World): Thrust =>
  adam((thrust) => slope(thrust, world), { x: idle(), y: idle() }, 6000, 1);

export function flight(thrust: Thrust, world: World): State[] {
  const states = [start];
  for (let i = 0; i < STEPS; i++) states.push(step(states[i], thrust.x[i], thrust.y[i], world));
  return states;
}

export const air: World = { gravity: 9.81, drag: 0.004 };
export const found = plan(air);
const states = flight(found, air);
const end = states[STEPS];
console.log(`lands at ${end.x.toFixed(3)}, ${end.y.toFixed(3)} m`);
console.log(`with ${Math.hypot(end.vx, end.vy).toFixed(3)} m/s`);

const arrows = states.slice(0, STEPS).flatMap((s, i) => {
  const tip = { x2: s.x - 0.9 * found.x[i], y2: s.y - 0.9 * found.y[i] };
  return i % 3 === 0 ? [{ x1: s.x, y1: s.y, ...tip }] : [];
});
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 640,
  aspectRatio: 1,
  style: { background: "white" },
  x: { label: "metres →" },
  y: { label: "↑ metres; orange: the jet", grid: true },
  marks: [
    Plot.ruleY([0]),
    Plot.link(arrows, { x1: "x1", y1: "y1", x2: "x2", y2: "y2", stroke: "orange", strokeWidth: 2 }),
    Plot.line(
      flight({ x: idle(), y: idle() }, air).filter((s) => s.y >= 0),
      { x: "x", y: "y", strokeDasharray: "4 4" },
    ),
    Plot.line(states, { x: "x", y: "y", stroke: "steelblue", strokeWidth: 2 }),
    Plot.dot([start, end], { x: "x", y: "y", fill: "steelblue", r: 5 }),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
