// `stopGradient(a)` is `a`: what is written through it is written into `a`, what is read through it has no derivative. Oracles: worked out by hand.

import { describe, expect, it } from "vitest";
import { built } from "./compiled.ts";

/** Body of a function of `x` (and `xs`), and its derivative by `xs` at [3, 5]. */
const WRITES: Readonly<Record<string, readonly [string, readonly number[]]>> = {
  element: ["const b = stopGradient(xs); b[0] = xs[1] * 2; return xs[0] * xs[1];", [0, 20]],
  constant: ["const a = xs.slice(); stopGradient(a)[0] = 7; return a[0] * a[1];", [0, 7]],
  sum: ["const a = xs.slice(); stopGradient(a)[0] += xs[1]; return a[0] * xs[0];", [8, 3]],
  push: [
    "const a = xs.slice(); const b = stopGradient(a); b.push(xs[0]); return a[0] * a[2] * a.length;",
    [18, 0],
  ],
  pop: [
    "const a = xs.slice(); const t = stopGradient(a).pop()!; return a[0] * t * a.length;",
    [5, 0],
  ],
  fill: ["const a = xs.slice(); stopGradient(a).fill(xs[0]); return a[0] * a[1];", [6, 0]],
  field: [
    "const p = { q: xs.slice() }; const s = stopGradient(p); s.q[0] = xs[0] * 2; return p.q[0] * s.q[1];",
    [10, 0],
  ],
  loop: [
    "const a = xs.slice(); const b = stopGradient(a); let s = 0; for (let i = 0; i < 2; i++) { s += xs[0] * b[i]; b[0] = xs[1] * i; s += a[0]; } return s;",
    [8, 1],
  ],
  "read, then written": [
    "const a = xs.slice(); const b = stopGradient(a); const t = b[0]; a[0] = 50; return xs[0] * (t + b[0]);",
    [53, 0],
  ],
};
const { exports } = built(`import { grad, jvp, stopGradient } from "tsgrad";
export const forms = {
${Object.entries(WRITES)
  .map(
    ([name, [body]]) =>
      `  ${JSON.stringify(name)}: [grad((xs: number[]): number => { ${body} }), jvp((xs: number[]): number => { ${body} })],`,
  )
  .join("\n")}
};
`);
const { forms } = exports;
const formOf = (name: string, k: number): ((...args: readonly unknown[]) => unknown) => {
  const found: unknown = Object.entries(Object(forms)).find(([key]) => key === name)?.[1];
  const form: unknown = Array.isArray(found) ? found[k] : undefined;
  if (typeof form !== "function") throw new Error(`no ${name}`);
  return (...args) => Reflect.apply(form, undefined, args);
};

it.each(Object.keys(WRITES))("a write through it: %s", (name) => {
  const expected = WRITES[name]?.[1] ?? [];
  expect(formOf(name, 0)([3, 5])).toEqual(expected);
  expected.forEach((slope, i) => {
    const pushed = formOf(name, 1)([[3, 5]], [[0, 1].map((k) => (k === i ? 1 : 0))]);
    expect(Array.isArray(pushed) ? pushed[1] : pushed).toBe(slope);
  });
});

describe("a write that is not followed is an error", () => {
  const refused =
    (body: string): (() => unknown) =>
    () =>
      built(
        `import { grad, stopGradient } from "tsgrad";\nfunction put(v: number[], x: number, n = 3): void { if (n > 0) put(v, x, n - 1); v[0] = x; }\nexport const d = grad((x: number): number => { const a = [x * 3, x]; ${body} });`,
      );
  it.each([
    [
      "by a variable that is assigned",
      "let b = stopGradient(a); if (x > 1) b = stopGradient(a); b[0] = x; return a[0];",
    ],
    ["by a field", "const p = { q: stopGradient(a) }; p.q[0] = x; return a[0];"],
    ["by a function that is called", "put(stopGradient(a), x); return a[0];"],
  ])("%s", (_, body) => {
    expect(refused(body)).toThrow("TSG3005");
  });
});
