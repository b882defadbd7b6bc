// Finds the orbit of Mars from 40 positions in four years.
// A position needs Kepler's equation, which rootFind of tsgrad/implicit solves: its derivative
// comes from the equation, not from the iteration. The optimiser is uncmin (BFGS) of numeric.

import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { Body, HelioVector, MakeTime, RotateVector, Rotation_EQJ_ECL } from "astronomy-engine";
import { parseHTML } from "linkedom";
import numeric from "numeric";
import { grad } from "tsgrad";
import { rootFind } from "tsgrad/implicit";
import { ravel, unravel } from "tsgrad/tree";

export interface Orbit {
  /** Half of the longest diameter, in distances of the earth from the sun. */
  readonly axis: number;
  readonly eccentricity: number;
  /** The tilt of the orbit, where it rises through the earth's, and where it is nearest the sun. */
  readonly tilt: number;
  readonly node: number;
  readonly perihelion: number;
  /** The mean anomaly at the first day. */
  readonly anomaly: number;
}

type Point = readonly [x: number, y: number, z: number];
export interface Sighting {
  readonly day: number;
  readonly at: Point;
}

/** The mean motion at distance 1, in radians per day: Gauss's constant. */
export const GAUSS = 0.01720209895;

export function position(o: Orbit, day: number): Point {
  const e = o.eccentricity;
  const mean = o.anomaly + (GAUSS * day) / Math.pow(o.axis, 1.5);
  const E = rootFind((x) => x - e * Math.sin(x) - mean, mean);
  // In the plane of the orbit, the perihelion to the right.
  const u = o.axis * (Math.cos(E) - e);
  const v = o.axis * Math.sqrt(1 - e * e) * Math.sin(E);
  const [cw, sw] = [Math.cos(o.perihelion), Math.sin(o.perihelion)];
  const along = cw * u - sw * v;
  const across = sw * u + cw * v;
  const [cn, sn] = [Math.cos(o.node), Math.sin(o.node)];
  const [ct, st] = [Math.cos(o.tilt), Math.sin(o.tilt)];
  return [cn * along - sn * ct * across, sn * along + cn * ct * across, st * across];
}

export function error(o: Orbit, sightings: readonly Sighting[]): number {
  let sum = 0;
  for (const { day, at } of sightings) {
    const [x, y, z] = position(o, day);
    sum += (x - at[0]) ** 2 + (y - at[1]) ** 2 + (z - at[2]) ** 2;
  }
  return sum / sightings.length;
}

const slope = grad(error);
const toEcliptic = Rotation_EQJ_ECL();
const EPOCH = new Date("2020-01-01T00:00:00Z");

function seen(body: Body, day: number): Sighting {
  const time = MakeTime(new Date(EPOCH.getTime() + day * 86_400_000));
  const { x, y, z } = RotateVector(toEcliptic, HelioVector(body, time));
  return { day, at: [x, y, z] };
}
export const sightings = Array.from({ length: 40 }, (_, i) => seen(Body.Mars, 36.5 * i));

/** From a circle in the earth's plane, 1.5 times as far as the earth. */
function fit(start: Orbit): Orbit {
  const valueAt = (x: number[]): number => {
    const orbit = unravel(x, start);
    // An ellipse; the optimiser turns back elsewhere.
    const isOrbit = orbit.axis > 0 && orbit.eccentricity >= 0 && orbit.eccentricity < 1;
    return isOrbit ? error(orbit, sightings) : Infinity;
  };
  const slopeAt = (x: number[]): number[] => [...ravel(slope(unravel(x, start), sightings), start)];
  const tell = (step: number, x: number[], value: number): void => {
    process.stdout.write(`\rstep ${step}  error ${value.toExponential(3)}   `);
  };
  const { solution } = numeric.uncmin(valueAt, [...ravel(start)], 1e-12, slopeAt, 500, tell);
  process.stdout.write("\n");
  return unravel(solution, start);
}

const [x, y] = sightings[0].at;
const start: Orbit = {
  axis: 1.5,
  eccentricity: 0.05,
  tilt: 0.05,
  node: 0.5,
  perihelion: 0.5,
  anomaly: Math.atan2(y, x) - 1,
};
export const found = fit(start);
export const degrees = (radians: number): number =>
  ((((radians * 180) / Math.PI) % 360) + 360) % 360;
console.log(`axis ${found.axis.toFixed(5)}, eccentricity ${found.eccentricity.toFixed(5)}`);
console.log(`tilt ${degrees(found.tilt).toFixed(3)}°, node ${degrees(found.node).toFixed(2)}°`);
console.log(`year ${((2 * Math.PI * found.axis ** 1.5) / GAUSS).toFixed(2)} days`);

const path = (o: Orbit): Point[] => Array.from({ length: 181 }, (_, i) => position(o, 3.9 * i));
const earth = Array.from({ length: 74 }, (_, i) => seen(Body.Earth, 5 * i).at);
const { document } = parseHTML("<html></html>");
const svg = Plot.plot({
  document,
  width: 560,
  aspectRatio: 1,
  style: { background: "white" },
  x: { label: "distances of the earth →" },
  y: { label: null, grid: true },
  marks: [
    Plot.line(earth, { stroke: "#8bc", strokeWidth: 1 }),
    Plot.line(path(start), { stroke: "gray", strokeDasharray: "4 4" }),
    Plot.line(path(found), { stroke: "crimson" }),
    Plot.dot(sightings, { x: (s) => s.at[0], y: (s) => s.at[1], fill: "black", r: 2.5 }),
    Plot.dot([[0, 0]], { fill: "gold", stroke: "orange", r: 8 }),
  ],
});
svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
writeFileSync("plot.svg", svg.outerHTML);
