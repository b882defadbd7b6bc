// Functions of straight-line code by the Delta engine. In: small programs. Out: closed forms and central differences, and what a pullback says of the same function.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { type Exports, loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad, valueAndGrad, vjp } from "tsgrad";\n`;
const DELTA = `engine: "delta"`;

function built(
  source: string,
  others: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const files: Record<string, string> = { "input.ts": HEAD + source, ...others };
  const { edits, diagnostics } = analyse(programOf(files));
  expect(diagnostics).toEqual([]);
  return new Map(
    Object.entries(files).map(([name, text]) => [
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
}

const run = (files: ReadonlyMap<string, string>): Exports => loader(files)("/src/input.ts");

const valueOf = (source: string, others?: Readonly<Record<string, string>>): unknown =>
  run(built(source, others))["value"];

const CLOSED: readonly (readonly [string, string, unknown])[] = [
  [
    "one argument",
    `function f(x: number): number { return x * x * 3; }\nexport const value = grad(f, { ${DELTA} })(2);`,
    12,
  ],
  [
    "an arrow function",
    `const f = (x: number, k: number): number => x * x * k;\nexport const value = grad(f, { ${DELTA}, argnums: 1 })(2, 5);`,
    4,
  ],
  [
    "a list of positions, in their order, and the value",
    `function f(x: number, z: number, w: number): number { const a = x * z; return a * a + w; }\nexport const value = valueAndGrad(f, { argnums: [2, 0], ${DELTA} })(2, 3, 5);`,
    [41, [1, 36]],
  ],
  [
    "a list of one",
    `function f(x: number): number { return x * x; }\nexport const value = valueAndGrad(f, { argnums: [0], ${DELTA} })(3);`,
    [9, [6]],
  ],
  [
    "an argument that nothing reads",
    `function f(x: number, z: number): number { return x * x; }\nexport const value = grad(f, { argnums: [0, 1], ${DELTA} })(3, 4);`,
    [6, 0],
  ],
  [
    "nothing that varies",
    `function f(x: number): number { return 4; }\nexport const value = grad(f, { ${DELTA} })(3);`,
    0,
  ],
  [
    "the argument itself",
    `function f(x: number): number { return x; }\nexport const value = valueAndGrad(f, { ${DELTA} })(3);`,
    [3, 1],
  ],
  [
    "locals and an argument that are assigned",
    `function f(x: number): number { let y = x; y *= x; x = y + x; y = x * y; return y; }\nexport const value = grad(f, { ${DELTA} })(2);`,
    4 * 8 + 3 * 4,
  ],
  [
    "functions written out",
    `const square = (a: number): number => a * a;\nfunction f(x: number, z: number): number { return square(x * z) - square(z); }\nexport const value = grad(f, { argnums: [0, 1], ${DELTA} })(2, 3);`,
    [36, 18],
  ],
  [
    "a constant of the module",
    `const k = 7;\nfunction f(x: number): number { return Math.sin(k * x); }\nexport const value = grad(f, { ${DELTA} })(0);`,
    7,
  ],
  [
    "names that emitted code has, too",
    `function f(t$1: number, bar: number, i: number): number { return t$1 * bar * i; }\nexport const value = grad(f, { argnums: [0, 1, 2], ${DELTA} })(2, 3, 5);`,
    [15, 10, 6],
  ],
  [
    "an infinite slope, and one that an adjoint of 0 hides",
    `function f(x: number, k: number): number { return k * Math.sqrt(x); }\nconst d = grad(f, { ${DELTA} });\nexport const value = [d(0, 1), d(0, 0), d(-1, 1)];`,
    [Infinity, 0, NaN],
  ],
  [
    "a choice, of which one side has no slope",
    `function f(x: number, k: number): number { return k * (x > 0 ? Math.sqrt(x) : x ** 2); }\nconst d = grad(f, { ${DELTA} });\nexport const value = [d(4, 3), d(-4, 3), d(0, 3)];`,
    [0.75, -24, 0],
  ],
  [
    "infinite slopes, and those that an adjoint of 0 hides",
    `function f(x: number, k: number): number { return k * (Math.cbrt(x) + Math.acos(1 - x)); }\nconst d = grad(f, { ${DELTA} });\nexport const value = [d(0, 1), d(0, 0)];`,
    [Infinity, 0],
  ],
  [
    "a power at 0, and an angle that has none",
    `function f(x: number, z: number): number { return x ** z + x * Math.hypot(x, x * z); }\nfunction g(x: number, z: number): number { return z * Math.atan2(x, x); }\nexport const value = [grad(f, { argnums: [0, 1], ${DELTA} })(0, 2), grad(g, { ${DELTA} })(0, 1), grad(g, { ${DELTA} })(0, 0)];`,
    [[0, 0], NaN, 0],
  ],
  [
    "called again and again",
    `function f(x: number): number { return x * x; }\nconst d = grad(f, { ${DELTA} });\nexport const value = [d(3), d(3), d(-1), d(NaN)];`,
    [6, 6, -2, NaN],
  ],
  [
    "two sites that ask for the same",
    `function f(x: number, k: number): number { return x * x * k; }\nexport const value = [grad(f, { ${DELTA} })(3, 2), valueAndGrad(f, { ${DELTA} })(4, 2)];`,
    [12, [32, 16]],
  ],
];

test.each(CLOSED)("%s", (_what, source, expected) => {
  expect(valueOf(source)).toEqual(expected);
});

test("a function of another file", () => {
  const source = `import { f } from "./model.js";\nexport const value = valueAndGrad(f, { ${DELTA} })(3);`;
  expect(
    valueOf(source, {
      "model.ts": "export function f(x: number): number { const y = x * x; return y * x; }",
    }),
  ).toEqual([27, 27]);
});

/** Functions of x and z, and where their slopes are looked at. */
const SMOOTH: readonly string[] = [
  "x / z + z / x",
  "x ** 3 * z",
  "Math.exp(x * z) / (1 + Math.exp(x * z))",
  "Math.log(x) * Math.log1p(z)",
  "Math.sin(x) * Math.cos(z) - Math.tan(x * z)",
  "Math.sinh(x) * Math.cosh(z) + Math.tanh(x - z)",
  "Math.sqrt(x) * Math.sqrt(z + 1)",
  "Math.max(x, z) * Math.min(x, z * 3) + Math.abs(x - z)",
  "Math.hypot(x, z) * Math.atan2(x, z)",
  "x ** z + z % x",
  "x > 1 ? Math.cbrt(x) * z : z ** 3 * x",
  "(x && z) * (z || x)",
  "-x * -z - (z - x) * (x + z)",
];

describe("central differences", () => {
  test.each(SMOOTH)("%s", (text) => {
    const files = built(
      `export function f(x: number, z: number): number { return ${text}; }\nexport const d = valueAndGrad(f, { argnums: [0, 1], ${DELTA} });`,
    );
    const { f, d } = run(files) as {
      f: (x: number, z: number) => number;
      d: (x: number, z: number) => [number, number[]];
    }; // as it says above
    for (const [x, z] of [
      [0.7, 1.3],
      [1.9, 0.4],
    ] as const) {
      const [value, bars] = d(x, z);
      const h = 1e-3;
      // of the fourth order: h^4 and rounding by h come to some 1e-11
      const slope = (by: (h: number) => number): number =>
        (8 * (by(h) - by(-h)) - (by(2 * h) - by(-2 * h))) / (12 * h);
      expect(value).toBe(f(x, z));
      expect(bars[0]).toBeCloseTo(
        slope((h) => f(x + h, z)),
        8,
      );
      expect(bars[1]).toBeCloseTo(
        slope((h) => f(x, z + h)),
        8,
      );
    }
  });
});

/** Ties, zeros, and what is no number. */
const PLACES: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 1],
  [-1, 1],
  [0, 2],
  [2, 0],
  [Infinity, 1],
  [1, -Infinity],
  [NaN, 1],
  [1, NaN],
  [-2, 0.5],
  [1e300, 1e300],
];

test.each(SMOOTH)("a pullback says the same where it is not smooth: %s", (text) => {
  const f = `(x: number, z: number): number { return ${text}; }`;
  const files = built(
    `function f${f}\nfunction g${f}\nexport const d = valueAndGrad(f, { argnums: [0, 1], ${DELTA} });\nexport const pull = vjp(g, { ${DELTA} });`,
  );
  const { d, pull } = run(files) as {
    d: (x: number, z: number) => [number, number[]];
    pull: (x: number, z: number) => [number, (seed: number) => number[]];
  }; // as it says above
  for (const [x, z] of PLACES) {
    const [value, bars] = d(x, z);
    const [same, back] = pull(x, z);
    expect(value).toBe(same);
    // a sum that begins with 0 has no -0
    expect(bars.map((bar) => bar + 0)).toEqual(back(1).map((bar) => bar + 0));
  }
});

describe("code around it", () => {
  test.each([
    [
      "sites that ask for different positions",
      `function f(x: number, z: number): number { return x * z; }\nexport const value = [grad(f, { ${DELTA} })(2, 3), grad(f, { argnums: 1, ${DELTA} })(2, 3)];`,
      [3, 2],
    ],
    [
      "another function hands it on",
      `function f(x: number): number { return x * x * x; }\nfunction g(x: number): number { return [x, 2 * x].map(f).reduce((a, b) => a + b, 0); }\nexport const value = [grad(f, { ${DELTA} })(2), grad(g, { ${DELTA} })(2)];`,
      [12, 108],
    ],
    [
      "a pullback of it is kept",
      `function f(x: number): number { return x * x; }\nexport const value = [grad(f, { ${DELTA} })(2), vjp(f, { ${DELTA} })(3)[1](1)];`,
      [4, [6]],
    ],
    [
      "a loop",
      `function f(x: number, n: number): number { let y = x; for (let i = 0; i < n; i++) y = y * x; return y; }\nexport const value = grad(f, { ${DELTA} })(2, 2);`,
      12,
    ],
    [
      "a default",
      `function f(x: number, k = 5): number { return x * x * k; }\nexport const value = grad(f, { ${DELTA} })(3);`,
      30,
    ],
    [
      "code in front of it",
      `let calls = 0;\nfunction f(x: number): number { calls++; return x * x; }\nexport const value = [grad(f, { ${DELTA} })(3), calls];`,
      [6, 1],
    ],
    [
      "a branch that leaves",
      `function f(x: number): number { if (x < 0) return -x; return x * x; }\nexport const value = [grad(f, { ${DELTA} })(3), grad(f, { ${DELTA} })(-3)];`,
      [6, -1],
    ],
  ])("%s", (_what, source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });
});

describe("what types do not say", () => {
  const SQUARE = `function f(x: number): number { return x * x; }\nexport const d = grad(f, { ${DELTA} });`;
  const derivative = (): ((x: unknown) => unknown) => {
    const files = built(SQUARE);
    return run(files)["d"] as (x: unknown) => unknown; // a function, by the line above
  };

  test("an object as an argument throws", () => {
    expect(() => derivative()([2])).toThrow(/^TSG0021/);
  });
  test("a bigint throws", () => {
    expect(() => derivative()(2n)).toThrow(TypeError);
  });
  test("after an error, the next call is right", () => {
    const d = derivative();
    expect(() => d({})).toThrow(/^TSG0021/);
    expect(d(3)).toBe(6);
  });
});
