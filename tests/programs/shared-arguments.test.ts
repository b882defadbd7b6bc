// Arguments that are, or hold, one object. In: functions, called with such. Out: the derivative where what is written in one of them is of no use in the other, else TSG0004.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const HEAD = `import { grad } from "tsgrad";
interface Layer { w: number; calls: number; last: number }
const layer: Layer = { w: 2, calls: 0, last: 0 };
`;

function ran(module: string): unknown {
  const text = `${HEAD}${module}\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }), { engine: "static" });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return loader(
    new Map([["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text]]),
  )("/src/a.ts")["got"];
}

// the derivative of w (w x) by each w at w = 2, x = 3 is w x
test.each([
  ["a counter", "l.calls++;"],
  ["a number that is not read again", "l.last = l.w * h;"],
  ["a counter that a callee counts", "count(l);"],
])("a layer that stands in a list twice, and is written: %s", (_, written) => {
  expect(
    ran(`const count = (l: Layer): void => { for (let k = 0; k < 3; k++) l.calls += k; };
function f(layers: Layer[], x: number): number { let h = x; for (const l of layers) { ${written} h *= l.w; } return h; }
export const got = grad(f)([layer, layer], 3).map((l) => l.w);`),
  ).toEqual([6, 6]);
});

test.each<[string, string, number]>([
  ["a number of one that is of no use in the other", "a.last = x; return a.last * b.w;", 2],
  ["a number that does not vary", "const y = b.calls * x; a.calls = 5; return y + a.calls * x;", 5],
])("two arguments that are one: %s", (_, body, expected) => {
  expect(
    ran(
      `function f(a: Layer, b: Layer, x: number): number { ${body} }\nexport const got = grad(f, { argnums: 2 })(layer, layer, 3);`,
    ),
  ).toBe(expected);
});

test.each<[string, string]>([
  ["read in the other", "a.last = x * x; return b.last;"],
  ["written in the other, too", "a.last = x * x; b.last = 1; return a.last;"],
  ["written in a callee, and read in another", "put(a, x); return take(b);"],
])("what is written in one of them must not be %s", (_, body) => {
  const text = `const put = (l: Layer, x: number): void => { for (let k = 0; k < 3; k++) l.last += k * x; }, take = (l: Layer): number => { let s = 0; for (let k = 0; k < 3; k++) s += l.last * k; return s; };
function f(a: Layer, b: Layer, x: number): number { ${body} }\nexport const got = grad(f, { argnums: 2 })(layer, layer, 3);`;
  expect(() => ran(text)).toThrow(/^TSG0004: .* are the same object, and the function writes it/);
});

test("a list that two arguments are, where each step writes copies alone", () => {
  expect(
    ran(`function f(x0: number[], v0: number[]): number {
  let x = x0, v = v0;
  for (let s = 0; s < 2; s++) {
    const nextX = x.slice(), nextV = [...v];
    for (let i = 0; i < x.length; i++) { nextX[i] += 0.5 * v[i]; nextV[i] -= 0.5 * x[i]; }
    x = nextX; v = nextV;
  }
  return x[0] * v[0];
}
const both = [3];
export const got = grad(f, { argnums: [0, 1] })(both, both);`),
  ).toEqual([[0.75 * 3 * (0.75 - 1) - 3 * (0.75 + 1)], [0.75 * 3 * (0.75 + 1) + 3 * (0.75 - 1)]]);
});
