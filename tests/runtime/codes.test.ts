// Errors that derivatives throw have their code as `code`. In: programs that throw, with their code.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as runtime from "../../runtime/index.ts";
import { root } from "../golden.ts";
import { built } from "../nested/compiled.ts";

const IMPORT = `import { customVjp, grad, hessian, jvp, linearize, transpose, valueAndGrad, vjp } from "tsgrad";
import { argmin, fixedPoint, rootFind, solveLinear } from "tsgrad/implicit";\n`;
const DELTA = `{ engine: "delta" }`;

/** Code, declarations and the call that throws, with its name. */
const THROWS: readonly (readonly [code: string, program: string, call: string])[] = [
  ...["", `, ${DELTA}`].flatMap((option): [string, string, string][] => [
    [
      "TSG0004",
      `const d = grad((out: number[], a: number[]) => { out[0] = a[0]! * 2; return out[0] * a[0]!; }${option});\nconst xs = [1, 2];`,
      "d(xs, xs)",
    ],
    [
      "TSG0020",
      `const d = grad((x: number[]) => x[0]! * x[1]!, { into: true${option === "" ? "" : `, engine: "delta"`} });`,
      "d([0], [1, 2])",
    ],
    [
      "TSG0004",
      `const xs = [1, 2];\nconst d = vjp((out: number[], a: number[]) => { out[0] = a[0]! * 2; return out[0] * a[0]!; }${option});`,
      "d(xs, xs)",
    ],
  ]),
  [
    "TSG0010",
    `const twice = new Function("x", "return 2 * x") as (x: number) => number;\nconst d = grad((x: number): number => twice(x), ${DELTA});`,
    "d(3)",
  ],
  [
    "TSG0011",
    `const outer = new Function("f", "x", "return f(x)") as (f: (x: number) => number, x: number) => number;\nconst d = grad((x: number): number => outer((y) => y * x, 3), ${DELTA});`,
    "d(3)",
  ],
  ["TSG0012", `const d = grad((x: number): number => Number(x.toFixed(2)) * x, ${DELTA});`, "d(3)"],
  [
    "TSG0013",
    `const d = grad((x: number): number => (x > 0 ? (undefined as never) : x), ${DELTA});`,
    "d(3)",
  ],
  [
    "TSG0014",
    `const call: any = new Function("m", "return m.apply(1)");\nconst d = grad((x: number): number => call(linearize((y: number) => x * y * y, { argnums: 0 })(x)[1]), ${DELTA});`,
    "d(3)",
  ],
  [
    "TSG0015",
    `let last = 0;\nconst f = (x: number): number => { const y = last * x; last = x * x; return y + x; };\nconst d = grad(f, ${DELTA});\nd(1);`,
    "d(1)",
  ],
  [
    "TSG0016",
    `const s = (a: number): number => fixedPoint((x: number, p: number) => x + p, 0, a);`,
    "s(1)",
  ],
  [
    "TSG0016",
    `const s = (a: number): number => rootFind((x: number, p: number) => x * x + p, 1, a);`,
    "s(1)",
  ],
  [
    "TSG0017",
    `const d = grad((a: number): number => fixedPoint((x: number, p: number) => x + 0 * p, 1, a));`,
    "d(1)",
  ],
  ["TSG0017", `const s = (): number[] => solveLinear([[1, 1], [1, 1]], [1, 2]);`, "s()"],
  [
    "TSG0018",
    `const s = (a: number): number => fixedPoint((x: number, p: number) => x / p, 1, a);`,
    "s(NaN)",
  ],
  [
    "TSG0018",
    `const s = (a: number): number => argmin((x: number, p: number) => (x - p) ** 2, NaN, a);`,
    "s(1)",
  ],
  ["TSG0019", `const s = (): number[] => solveLinear([[1, 1]], [1]);`, "s()"],
  [
    "TSG0022",
    `interface Layer { w: number; act: (x: number) => number }
const net: Layer[] = [{ w: 2, act: Math.tanh }];
const given = new Function("return { w: 1, act: (x) => x }")() as Layer;
const d = grad((l: Layer) => l.act(l.w));
d(net[0]!);`,
    "d(given)",
  ],
  ["TSG0026", `const t = transpose((x: number): number => x * x, ${DELTA});`, "t(0)(1)"],
  ...["grad", "valueAndGrad"].map((form): [string, string, string] => [
    "TSG0024",
    `class P { #x: number; constructor(x: number) { this.#x = x; } get x(): number { return this.#x; } }\nconst d = ${form}((p: P): number => p.x * p.x);`,
    "d(new P(3))",
  ]),
  ...["", "hessian", "vjp"].map((form): [string, string, string] => [
    "TSG0023",
    `const d = ${form === "" ? "grad" : form}((x: number, k: number): number => { const pair: [number, number] = [x, 1]; pair[k] = x * x; return pair[0] * pair[1]; });`,
    "d(3, 2)",
  ]),
];

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test.each(THROWS)("%s of `%s`, %s", (code, program, call) => {
  const { run } = built(`${IMPORT}${program}\nexport const run = (): unknown => ${call};\n`)
    .exports as { readonly run: () => unknown };
  const error = errorOf(run);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ code, message: expect.stringMatching(`^${code}: `) as string });
});

const FORMS = [
  "grad",
  "valueAndGrad",
  "vjp",
  "transpose",
  "jvp",
  "jacfwd",
  "jacrev",
  "hessian",
  "hvp",
  "linearize",
  "delta",
] as const;

test.each(FORMS)("TSG0001 of a call of %s that no build has replaced", (form) => {
  const call: (f: unknown) => unknown = runtime[form] as never; // the stub alone
  const error = errorOf(() => {
    const made = call((x: number) => x);
    return typeof made === "function" ? (made as (x: number) => unknown)(1) : made;
  });
  expect(error).toMatchObject({ code: "TSG0001" });
});

test("no other place makes an error with a code in its message", () => {
  const texts = readdirSync(path.join(root, "runtime"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== "coded-error.ts")
    .map((name) => [name, readFileSync(path.join(root, "runtime", name), "utf8")] as const);
  expect(texts.length).toBeGreaterThan(20);
  expect(
    texts.filter(([, text]) => /new \w*Error\(\s*[`"']TSG\d/.test(text)).map(([name]) => name),
  ).toEqual([]);
});
