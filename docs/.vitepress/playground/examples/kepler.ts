import { grad } from "tsgrad";
import { rootFind } from "tsgrad/implicit";

// Kepler's equation M = E - e sin E says where a planet is, but there is no
// formula for E. A solver finds it. The derivative of what it finds comes from
// the equation, not from the steps of the solver.
export function radius(M: number): number {
  const E = rootFind((x) => x - 0.7 * Math.sin(x) - M, M + 0.7 * Math.sin(M));
  return 1 - 0.7 * Math.cos(E); // the distance from the sun
}

const speed = grad(radius);

console.log("radius(1) =", radius(1));
console.log("speed(1)  =", speed(1));
console.log("in steps: ", (radius(1 + 1e-6) - radius(1 - 1e-6)) / 2e-6);

// @plot radius x=0..12.566
