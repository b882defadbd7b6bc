import { grad, hessian } from "tsgrad";

// Newton's method needs second derivatives: hessian(f) gives all of them.
export function bowl(p: [number, number]): number {
  const [x, y] = p;
  return Math.exp(x + 3 * y - 0.1) + Math.exp(x - 3 * y - 0.1) + Math.exp(-x - 0.1);
}

const slopes = grad(bowl);
const curvature = hessian(bowl);

let p: [number, number] = [-1, 0.7];
for (let i = 0; i < 8; i++) {
  const [gx, gy] = slopes(p);
  const [[a, b], [c, d]] = curvature(p);
  console.log(
    `step ${i}: bowl = ${bowl(p).toFixed(12)}, slope ${Math.hypot(gx, gy).toExponential(1)}`,
  );
  const det = a * d - b * c;
  p = [p[0] - (d * gx - b * gy) / det, p[1] - (a * gy - c * gx) / det];
}
console.log("minimum at", p, "exact:", [-Math.log(2) / 2, 0]);

// @plot bowl x=-2..1 y=-1..1 from=-1,0.7
