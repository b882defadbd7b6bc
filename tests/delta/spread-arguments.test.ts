// Spread arguments in code of the Delta engine: lists that are pushed, copied and passed on.
// Oracle: closed forms.

import { expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

/** Fills `b` with numbers of `x`; the slopes of the sum of squares of `b` at [3, 5]. */
const FILLS: Readonly<Record<string, readonly [code: string, gradient: readonly number[]]>> = {
  push: ["b.push(...x);", [6, 10]],
  "push, one before": ["b.push(x[1]!, ...x);", [6, 20]],
  "push, one behind": ["b.push(...x, x[0]!);", [12, 10]],
  "push, a constant": ["b.push(2, ...x);", [6, 10]],
  "push, twice": ["b.push(...x, ...x);", [12, 20]],
  "push, two calls": ["b.push(...x); b.push(...x);", [12, 20]],
  "push of a copy": ["b.push(...x.slice(1));", [0, 10]],
  "push of a literal": ["b.push(...[x[0]! * 2, 1]);", [24, 0]],
  "push of mapped numbers": ["b.push(...x.map((v) => 3 * v));", [54, 90]],
  "push of what was pushed": ["b.push(x[0]!); b.push(...b);", [12, 0]],
  "push of data, then more": ["b.push(...[1, 2]); b.push(x[1]!);", [0, 10]],
  "push in a loop": ["for (let i = 0; i < 2; i++) b.push(...x);", [12, 20]],
  "push in a branch": ["if (x.length > 1) b.push(...x); else b.push(1);", [6, 10]],
  "push under another name": ["const c = b; c.push(...x);", [6, 10]],
  unshift: ["b.unshift(...x);", [6, 10]],
  splice: ["b.push(1); b.splice(0, 1, ...x);", [6, 10]],
  "a literal": ["b = [...x, ...b];", [6, 10]],
  concat: ["b = b.concat(...[x]);", [6, 10]],
  "Math.max": ["b.push(Math.max(...x));", [0, 10]],
  "Math.min of more": ["b.push(Math.min(...x, 9));", [6, 0]],
  "a function": ["b.push(...pair(...(x as [number, number])));", [6, 10]],
  "an array of": ["b = Array.of(...x);", [6, 10]],
};
const WAYS: Readonly<Record<string, (fill: string) => string>> = {
  "in a try": (fill) => `try { ${fill} } catch { return 0; }`,
  "asked for": (fill) => fill,
  "in a finally": (fill) => `let n = 0; try { n++; } finally { ${fill} }`,
};
const cases = Object.entries(FILLS).flatMap(([fill, [code, gradient]]) =>
  Object.entries(WAYS).map(([way, around]) => ({ fill, way, code: around(code), gradient })),
);

test.each(cases)("$fill, $way", ({ code, gradient }) => {
  const { slope } = built(`import { grad } from "tsgrad";
const pair = (p: number, q: number): number[] => [q, p];
const f = (x: number[]): number => {
  let b: number[] = [];
  ${code}
  let s = pair(0, 0)[0]!;
  for (const v of b) s += v * v;
  return s;
};
export const slope = grad(f, { engine: "delta" })([3, 5]);
`).exports;
  expect(slope).toEqual(gradient);
});
