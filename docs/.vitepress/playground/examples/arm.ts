import { grad } from "tsgrad";

// A robot arm with two joints. Which angles put its hand on the target?
interface Angles {
  shoulder: number;
  elbow: number;
}

const TARGET = { x: 1.1, y: 0.6 };

function hand(a: Angles): { x: number; y: number } {
  const upper = a.shoulder;
  const lower = upper + a.elbow;
  return {
    x: Math.cos(upper) + 0.8 * Math.cos(lower),
    y: Math.sin(upper) + 0.8 * Math.sin(lower),
  };
}

export function miss(a: Angles): number {
  const at = hand(a);
  return (at.x - TARGET.x) ** 2 + (at.y - TARGET.y) ** 2;
}

const slope = grad(miss);

const angles: Angles = { shoulder: 1.5, elbow: -0.5 };
for (let i = 0; i < 200; i++) {
  const { shoulder, elbow } = slope(angles);
  angles.shoulder -= 0.1 * shoulder;
  angles.elbow -= 0.1 * elbow;
}
console.log("angles:", angles);
console.log("hand:", hand(angles), " target:", TARGET);

// Two valleys: the elbow can bend both ways.
// @plot miss x=-3..3 y=-3..3 from=2,1
