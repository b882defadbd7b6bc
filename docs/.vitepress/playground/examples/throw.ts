import { valueAndGrad } from "tsgrad";

// A ball flies through air that slows it down. The derivative goes through
// the whole simulation, to the last step, in which the ball touches ground.
function distance(angle: number, speed: number): number {
  const dt = 0.02;
  let x = 0;
  let y = 1.5;
  let vx = speed * Math.cos(angle);
  let vy = speed * Math.sin(angle);
  while (y > 0) {
    const drag = 0.02 * Math.hypot(vx, vy);
    vx -= dt * drag * vx;
    vy -= dt * (9.81 + drag * vy);
    x += dt * vx;
    y += dt * vy;
  }
  return x - (y / vy) * vx; // back to where it was at height 0
}

// How far from the target, 20 m away.
export function miss(angle: number, speed: number): number {
  return (distance(angle, speed) - 20) ** 2;
}

const step = valueAndGrad(miss, { argnums: [0, 1] });

let angle = 0.4;
let speed = 12;
for (let i = 0; i <= 40; i++) {
  const [value, [byAngle, bySpeed]] = step(angle, speed);
  if (i % 8 === 0) console.log(`throw ${i}: ${distance(angle, speed).toFixed(3)} m`, value);
  angle -= 0.0008 * byAngle;
  speed -= 0.03 * bySpeed;
}
console.log(`angle ${((angle * 180) / Math.PI).toFixed(1)}°, speed ${speed.toFixed(2)} m/s`);

// @plot miss x=0.1..1.3 y=8..24 from=0.3,11
