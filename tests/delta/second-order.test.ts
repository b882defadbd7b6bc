// Derivatives of derivatives by the Delta engine. In: one function, x₀³ x₁ + sin(x₀ x₁), written in many ways, and forms of second and third order of each; every operator.
// Out: the derivatives by hand, and those of the static engine. What is refused has its reason in the table.

import { beforeAll, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

const D = `{ engine: "delta" }`;

/** Statements before `f`, and its body. */
const WAYS: readonly (readonly [way: string, before: string, body: string])[] = [
  ["plain", "", `return x[0]! ** 3 * x[1]! + Math.sin(x[0]! * x[1]!);`],
  ["try", "", `try { return x[0]! ** 3 * x[1]! + Math.sin(x[0]! * x[1]!); } finally { void 0; }`],
  [
    "generator",
    `function* cubes(a: number): Generator<number> { let p = 1; for (let k = 0; k < 3; k++) { p *= a; yield p; } }`,
    `let last = 0; for (const p of cubes(x[0]!)) last = p; return last * x[1]! + Math.sin(x[0]! * x[1]!);`,
  ],
  [
    "instance",
    `class Point { #a: number; b: number; constructor(a: number, b: number) { this.#a = a; this.b = b; } get a(): number { return this.#a; } product(): number { return this.#a * this.b; } }`,
    `const p = new Point(x[0]!, x[1]!); return p.a ** 3 * p.b + Math.sin(p.product());`,
  ],
  [
    "map of instances",
    `class Box { v: number; constructor(v: number) { this.v = v; } }`,
    `const m = new Map<string, Box>(); m.set("a", new Box(x[0]!)); m.set("b", new Box(x[1]!)); let s = 1; for (const { v } of m.values()) s *= v; return m.get("a")!.v ** 3 * m.get("b")!.v + Math.sin(s);`,
  ],
  [
    "union",
    `type S = { kind: "a"; r: number } | { kind: "b"; q: number };`,
    `const parts: S[] = [{ kind: "a", r: x[0]! }, { kind: "b", q: x[1]! }]; let s = 1; for (const p of parts) s *= p.kind === "a" ? p.r : p.q; return s * x[0]! * x[0]! + Math.sin(s);`,
  ],
  [
    "closure returned",
    `const power = (n: number) => (a: number): number => (n === 0 ? 1 : a * power(n - 1)(a));`,
    `return power(3)(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);`,
  ],
  [
    "function from outside",
    `const chosen: readonly ((a: number) => number)[] = [Math.sin, Math.cos];`,
    `return x[0]! ** 3 * x[1]! + chosen[0]!(x[0]! * x[1]!);`,
  ],
  [
    "array methods",
    "",
    `return x.map((v, k) => (k === 0 ? v ** 3 : v)).reduce((a, b) => a * b, 1) + Math.sin(x.reduce((a, b) => a * b));`,
  ],
  [
    "typed array",
    "",
    `const own = Float64Array.from(x); own[0] = own[0]! * own[0]! * own[0]!; return own[0]! * own[1]! + Math.sin(x[0]! * x[1]!);`,
  ],
  [
    "missing optional field",
    `interface Options { readonly scale?: number; readonly shift?: number }\nconst scaled = (a: number, o: Options): number => a * (o.scale ?? 1) + (o.shift ?? 0);`,
    `return scaled(x[0]! ** 3, { scale: x[1]! }) + Math.sin(scaled(x[0]!, { scale: x[1]! }));`,
  ],
  [
    "customVjp",
    `const cube = customVjp((a: number): number => a * a * a, (a) => [a * a * a, (bar) => [3 * a * a * bar]]);`,
    `return cube(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);`,
  ],
  [
    "customVjp of an array",
    `const both = customVjp((a: number[]): number[] => [a[0]! ** 3 * a[1]!, a[0]! * a[1]!], (a) => [[a[0]! ** 3 * a[1]!, a[0]! * a[1]!], (bar) => [[3 * a[0]! ** 2 * a[1]! * bar[0]! + a[1]! * bar[1]!, a[0]! ** 3 * bar[0]! + a[0]! * bar[1]!]]]);`,
    `const [p, q] = both(x); return p! + Math.sin(q!);`,
  ],
  [
    "customJvp",
    `const cube = customJvp((a: number): number => a * a * a, ([a], [da]) => [a * a * a, 3 * a * a * da]);`,
    `return cube(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);`,
  ],
  [
    "checkpoint",
    `const cube = checkpoint((a: number): number => a * a * a);`,
    `return cube(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);`,
  ],
  [
    "a derivative inside",
    "",
    `return (grad((a: number): number => a ** 4 * x[1]!)(x[0]!) / 4) + Math.sin(x[0]! * x[1]!);`,
  ],
];

const [A, B] = [1.1, 0.7];
const [S, C] = [Math.sin(A * B), Math.cos(A * B)];
const MIXED = 3 * A * A + C - A * B * S;
const HESSIAN = [
  [6 * A * B - B * B * S, MIXED],
  [MIXED, -A * A * S],
];
/** ∂ of the first row's first entry. */
const THIRD = [6 * B - B ** 3 * C, 6 * A - 2 * B * S - A * B * B * C];
const ALONG = HESSIAN.map(([a = 0, b = 0]) => a + b / 2);

const FORMS: readonly (readonly [form: string, expression: string, expected: unknown])[] = [
  ["hessian", `hessian(f, ${D})(x)`, HESSIAN],
  ["hvp", `hvp(f, ${D})([x], [1, 0.5])`, ALONG],
  ["jvp of grad", `jvp((z: number[]) => grad(f)(z), ${D})([x], [[1, 0.5]])[1]`, ALONG],
  ["jacrev of grad", `jacrev((z: number[]) => grad(f)(z), ${D})(x)`, HESSIAN],
  ["jacfwd of grad", `jacfwd((z: number[]) => grad(f)(z), ${D})(x)`, HESSIAN],
  [
    "linearize of grad",
    `linearize((z: number[]) => grad(f)(z), ${D})(x)[1].apply([[1, 0.5]])`,
    ALONG,
  ],
  ["vjp of grad", `vjp((z: number[]) => grad(f)(z), ${D})(x)[1]([1, 0.5])[0]`, ALONG],
  ["grad of jvp", `grad((z: number[]) => jvp(f)([z], [[1, 0.5]])[1], ${D})(x)`, ALONG],
  [
    "grad of vjp",
    `grad((z: number[]) => vjp(f)(z)[1](1)[0]![0]! + vjp(f)(z)[1](0.5)[0]![1]!, ${D})(x)`,
    ALONG,
  ],
  [
    "grad of grad",
    `grad((z: number[]) => grad(f)(z)[0]! + valueAndGrad(f)(z)[1][1]! / 2, ${D})(x)`,
    ALONG,
  ],
  ["third order", `grad((z: number[]) => hessian(f)(z)[0]![0]!, ${D})(x)`, THIRD],
  ["third order by hvp", `grad((z: number[]) => hvp(f)([z], [1, 0])[0]!, ${D})(x)`, THIRD],
];

const NAMES =
  "checkpoint, customJvp, customVjp, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, valueAndGrad, vjp";

/** One module for each way; only what it uses is imported. */
const text = ([, before, body]: (typeof WAYS)[number]): string => {
  const code = `${before}\nfunction f(x: number[]): number { ${body} }\nconst x = [${A}, ${B}];\n${FORMS.map(([, expression], k) => `export const form${k} = (): unknown => ${expression};`).join("\n")}\n`;
  const used = NAMES.split(", ").filter((name) => new RegExp(`\\b${name}\\(`).test(code));
  return `import { ${used.join(", ")} } from "tsgrad";\n${code}`;
};

const OPERATORS = `import { grad, hessian } from "tsgrad";
const f = (x: number, y: number): number => {
  const a = Math.tan(x) + Math.asin(x / 3) * Math.acos(y / 4) + Math.atan(x * y) + Math.sinh(x) * Math.cosh(y) + Math.tanh(x - y);
  const b = Math.sqrt(x * x + y) + Math.cbrt(x + y) + Math.log(x * y) + Math.log10(x + 2) * Math.log2(y + 3) + Math.log1p(x * y) + Math.expm1(x / y);
  const c = Math.asinh(x * y) + Math.acosh(1 + x * x + y) + Math.atanh(x / (y + 5)) + Math.atan2(x, y) * Math.hypot(x, y, 2);
  const d = x ** 3 * y ** 2 + x ** y - -x / y + (x + 7) % y + Math.max(x, y) * Math.min(x, y, 9) + Math.abs(x - y) ** 3 + Math.fround(x) * y;
  return a * b - c * d + Math.exp(x * y) * Math.cos(x);
};
export const second = [hessian(f, { argnums: [0, 1] })(1.1, 1.7), hessian(f, { argnums: [0, 1], engine: "delta" })(1.1, 1.7)];
export const third = [grad((x: number) => hessian(f)(x, 1.7))(1.1), grad((x: number) => hessian(f)(x, 1.7), ${D})(1.1)];
export const fourth = [
  grad((y: number) => grad((x: number) => grad((z: number) => f(z * x, y * x))(y * x))(1.1))(1.2),
  grad((y: number) => grad((x: number) => grad((z: number) => f(z * x, y * x))(y * x))(1.1), ${D})(1.2),
];
`;

type Exports = Readonly<Record<string, unknown>>;
let load: (file: string) => Exports = () => ({});
let codes: readonly string[] = [];
beforeAll(() => {
  const files: Record<string, string> = { "operators.ts": OPERATORS };
  WAYS.forEach((way, k) => (files[`way${k}.ts`] = text(way)));
  const host = programOf(files);
  expect(typeErrors(host)).toEqual([]);
  const { edits, diagnostics } = analyse(host);
  codes = diagnostics.map(({ code, message, span }) => `${span.file} ${code} ${message}`);
  const emitted = Object.fromEntries(
    Object.entries(files).map(([name, own]) => [
      name,
      applyEdits(`/src/${name}`, own, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  expect(typeErrors(programOf(emitted))).toEqual([]);
  load = loader(new Map(Object.entries(emitted).map(([name, own]) => [`/src/${name}`, own])));
}, 120_000);

/** Rounding of some hundred operations near 1: a wrong term would be off by its own size. */
const CLOSE = 1e-9;

function numbersIn(value: unknown): number[] {
  return Array.isArray(value) ? value.flatMap(numbersIn) : [Number(value)];
}

function close(found: unknown, expected: unknown): void {
  const [own, other] = [numbersIn(found), numbersIn(expected)];
  expect(own.length).toBe(other.length);
  own.forEach((one, k) => {
    const to = other[k] ?? NaN;
    expect(Math.abs(one - to)).toBeLessThanOrEqual(CLOSE * Math.max(1, Math.abs(to)));
  });
}

test("nothing is refused", () => {
  expect(codes).toEqual([]);
});

test.each(WAYS.map(([way], k) => [way, k] as const))("%s", (_, k) => {
  const made = load(`/src/way${k}.ts`);
  const wrong = FORMS.flatMap(([form, , expected], at) => {
    const run = made[`form${at}`];
    try {
      close(typeof run === "function" ? run() : undefined, expected);
      return [];
    } catch (error) {
      return [`${form}: ${String(error).slice(0, 200)}`];
    }
  });
  expect(wrong).toEqual([]);
});

test.each(["second", "third", "fourth"])("all operators, order: %s", (order) => {
  const [byStatic, byDelta] = Object(load("/src/operators.ts")[order]) as [unknown, unknown];
  close(byDelta, byStatic);
});
