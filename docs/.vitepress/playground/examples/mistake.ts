import { grad } from "tsgrad";

// This one does not compile. Read what is underlined: each finding says what
// is wrong and what to do. Then mend it: `return x * x;`
export function area(x: number): number {
  const side = eval("x") as number;
  return side * side;
}

export const slope = grad(area);

console.log(slope(3));
