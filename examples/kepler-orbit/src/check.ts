// The elements of Mars as tables have them (J2000), the derivatives against differences. The
// planets pull at Mars, so an ellipse is right to some ten-thousandths.

import assert from "node:assert/strict";
import { checkGrads } from "tsgrad/testing";
import { degrees, error, found, GAUSS, sightings } from "./main.js";

const close = (x: number, y: number, apart: number): void =>
  assert.ok(Math.abs(x - y) <= apart, `${x} is not ${y}`);

close(found.axis, 1.52366, 3e-4);
close(found.eccentricity, 0.09341, 3e-4);
close(degrees(found.tilt), 1.8497, 0.01);
close(degrees(found.node), 49.55, 0.3);
close(degrees(found.node + found.perihelion), 336.04, 0.5);
close((2 * Math.PI * found.axis ** 1.5) / GAUSS, 686.98, 0.2);
assert.ok(Math.sqrt(error(found, sightings)) < 1e-3);
const some = { axis: 1.4, eccentricity: 0.2, tilt: 0.3, node: 1, perihelion: 2, anomaly: 0.5 };
checkGrads(error, [some, sightings.slice(0, 3)], { argnums: 0 });
console.log("checked");
