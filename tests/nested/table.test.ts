// Every form over every kind of argument in every kind of code, of order 1 and 2. Oracles: finite differences of the function itself, for second
// derivatives of its gradient; and what forms say about each other. Blind for what all forms and the primal share: the primal's own tests see that.

import { describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { at, changed, mapNumbers, numberPaths } from "../programs/numbers.ts";
import { built, emittedErrors } from "./compiled.ts";

/** A kind of argument: its type, a value, and two numbers that code gets from it. */
interface Argument {
  readonly types?: string;
  readonly type: string;
  readonly value: unknown;
  readonly before?: string;
  readonly a: string;
  readonly b: string;
}

const ARGUMENTS: Readonly<Record<string, Argument>> = {
  scalars: { type: "number", value: 0.7, a: "p", b: "(p * k)" },
  arrays: { type: "number[]", value: [0.7, -0.4, 1.2], a: "p[0]!", b: "(p[1]! + p[2]!)" },
  records: {
    types: "interface Rec { name: string; a: number; b: { c: number; d: readonly number[] } }",
    type: "Rec",
    value: { name: "r", a: 0.7, b: { c: 1.1, d: [0.3] } },
    a: "p.a",
    b: "(p.b.c * p.b.d[0]!)",
  },
  unions: {
    types: `type Un = { kind: "one"; u: number } | { kind: "two"; u: number; v: number[] };`,
    type: "Un",
    value: { kind: "two", u: 0.7, v: [1.4, 0.2] },
    a: "p.u",
    b: `(p.kind === "two" ? p.v[0]! - p.v[1]! : p.u * 2)`,
  },
  closures: {
    type: "number",
    value: 0.7,
    before:
      "const twice = (g: (t: number) => number): ((t: number) => number) => (t) => g(g(t) * p); const h = (t: number): number => Math.sin(t * k) + p;",
    a: "h(0.3)",
    b: "twice(h)(k)",
  },
};

/** A kind of code, from two numbers: the statements before its end, and what its value is. `{}` stands for a return. */
const CODE: Readonly<Record<string, (a: string, b: string, rec: string) => string>> = {
  loop: (a, b) =>
    `let s = k; for (let i = 0; i < 3; i++) s = s * Math.sin(${a} + i) + ${b} * k; return {s};`,
  mutation: (a, b) =>
    `const w = [${a}, ${b}, k], acc = { sum: ${b} }; for (let i = 1; i < w.length; i++) { w[i] = w[i]! * w[i - 1]! + Math.cos(w[i]!); acc.sum *= w[i]!; } w[0] = w[2]! * ${a}; return {w[0]! * acc.sum};`,
  recursion: (a, b, rec) => `return {${rec}(p, k, 3) + ${a} * ${b}};`,
  "early exit": (a, b) =>
    `let s = k; for (let i = 0; i < 10; i++) { s = s * 1.3 + ${a} * ${a}; if (s > 3) return {s * ${b}}; } return {s};`,
};

const K = 0.9;
const names = Object.keys(CODE).flatMap((code) =>
  ["f", "v"].map((kind) => `${kind}${code.replace(" ", "")}`),
);

function moduleOf({ types = "", type, before = "", a, b }: Argument): string {
  const functions = Object.entries(CODE).flatMap(([code, text]) =>
    (["f", "v"] as const).map((kind) => {
      const body = text(a, b, "rec").replace(
        /return \{([^}]*)\}/g,
        kind === "f" ? "return $1" : "return [$1, Math.exp(-k) * ($1)]",
      );
      return `export function ${kind}${code.replace(" ", "")}(p: ${type}, k: number): ${kind === "f" ? "number" : "number[]"} { ${before} ${body} }`;
    }),
  );
  const forms = names.map((name) =>
    name.startsWith("f")
      ? ["grad", "valueAndGrad", "hessian", "hvp"]
          .map((form) => `export const ${form}_${name} = ${form}(${name}, { argnums: [0, 1] });`)
          .join("\n") +
        `\nexport const only_${name} = grad(${name}, { argnums: 1 }), first_${name} = hessian(${name});`
      : `export const vjp_${name} = vjp(${name}), jvp_${name} = jvp(${name}), linearize_${name} = linearize(${name}), jacfwd_${name} = jacfwd(${name}, { argnums: [0, 1] }), jacrev_${name} = jacrev(${name}, { argnums: [0, 1] });`,
  );
  return (
    `import { grad, valueAndGrad, hessian, hvp, vjp, jvp, linearize, jacfwd, jacrev } from "tsgrad";\n${types}\n` +
    `function rec(p: ${type}, k: number, n: number): number { ${before} return n <= 0 ? ${a} * k : Math.sin(${b} + n) * rec(p, k * 0.5, n - 1) + ${a}; }\n${functions.join("\n")}\n${forms.join("\n")}\n`
  );
}

type Vector = readonly number[];
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const product = (x: Vector, z: Vector): number =>
  x.reduce((sum, value, i) => sum + value * (z[i] ?? 0), 0);

/** Differences are good to about 1e-9 of the values' size, and these are of size 1 to 20. */
const NEAR = 1e-6;
/** Sums of products in another order. */
const ROUNDING = 1e-12;

function expectNear(found: Vector, expected: Vector, tolerance: number): void {
  expect(found.length).toBe(expected.length);
  found.forEach((value, i) => {
    expect(
      Math.abs(value - (expected[i] ?? NaN)) / Math.max(1, Math.abs(value)),
      `number ${i}: ${value} and ${expected[i]}`,
    ).toBeLessThan(tolerance);
  });
}

describe.each(Object.entries(ARGUMENTS))("%s", (_, argument) => {
  const { exports, text } = built(moduleOf(argument));
  const call = (name: string, ...args: readonly unknown[]): unknown => {
    const callee = exports[name];
    if (typeof callee !== "function") throw new Error(`no ${name}`);
    return Reflect.apply(callee, undefined, args);
  };
  const point: readonly unknown[] = [argument.value, K];
  const paths = numberPaths(point);
  const gathered = (value: unknown): Vector => paths.map((path) => Number(at(value, path)));
  const along = (direction: Vector): readonly unknown[] =>
    listOf(mapNumbers(point, (__, i) => direction[i] ?? 0));
  const v = paths.map((__, i) => Math.cos(i + 0.4));
  const w = [0.6, -1.7];
  const slopes = (value: (args: readonly unknown[]) => number): Vector =>
    paths.map((path) => slopeOf((t) => value(changed(point, path, (x) => x + t)), 0).value);
  const joined = (...parts: readonly (string | number | undefined)[]): string =>
    parts.filter((part) => part !== undefined && part !== "").join(".");
  const split = (path: string): readonly [string, string] => [
    path.split(".")[0] ?? "",
    path.split(".").slice(1).join("."),
  ];

  it("compiles to code that type-checks, by the static engine", () => {
    expect(emittedErrors(text)).toEqual([]);
    expect(text).not.toContain("tsgrad/delta");
  });

  it.each(Object.keys(CODE))("gradients and Hessians: %s", (code) => {
    const name = `f${code.replace(" ", "")}`;
    const value = call(name, ...point);
    const gradient = gathered(call(`grad_${name}`, ...point));
    expectNear(
      gradient,
      slopes((args) => Number(call(name, ...args))),
      NEAR,
    );
    expect(call(`valueAndGrad_${name}`, ...point)).toEqual([value, call(`grad_${name}`, ...point)]);
    expectNear([Number(call(`only_${name}`, ...point))], gradient.slice(-1), ROUNDING);
    const hessian = call(`hessian_${name}`, ...point);
    const entry = (p: string, q: string): number => {
      const [[i, row], [j, column]] = [split(p), split(q)];
      return Number(at(hessian, joined(i, j, row, column)));
    };
    const rows = paths.map((p) => paths.map((q) => entry(p, q)));
    rows.forEach((row, r) => {
      expectNear(
        row,
        slopes((args) => Number(at(call(`grad_${name}`, ...args), paths[r] ?? ""))),
        NEAR,
      );
      expectNear(
        row,
        rows.map((other) => other[r] ?? NaN),
        ROUNDING,
      );
    });
    expectNear(
      gathered(call(`hvp_${name}`, point, along(v))),
      rows.map((row) => product(row, v)),
      ROUNDING,
    );
    // what the other argument needs, too, is shared, so products are associated otherwise
    const first = [call(`first_${name}`, ...point)];
    const block = [at(hessian, "0.0")];
    const places = numberPaths(first);
    expect(numberPaths(block)).toEqual(places);
    expectNear(
      places.map((path) => Number(at(first, path))),
      places.map((path) => Number(at(block, path))),
      ROUNDING,
    );
    expect(call(`hessian_${name}`, ...point)).toEqual(hessian);
    expect(gathered(call(`grad_${name}`, ...point))).toEqual(gradient);
  });

  it.each(Object.keys(CODE))("Jacobians and linear maps: %s", (code) => {
    const name = `v${code.replace(" ", "")}`;
    const value = call(name, ...point);
    const rows = [0, 1].map((r) => slopes((args) => Number(listOf(call(name, ...args))[r])));
    const dense = (form: string): Vector[] =>
      [0, 1].map((r) =>
        paths.map((path) => {
          const [j, column] = split(path);
          return Number(at(call(`${form}_${name}`, ...point), joined(j, r, column)));
        }),
      );
    const forward = dense("jacfwd");
    const reverse = dense("jacrev");
    forward.forEach((row, r) => {
      expectNear(row, rows[r] ?? [], NEAR);
      expectNear(row, reverse[r] ?? [], ROUNDING);
    });
    const pushed = listOf(call(`jvp_${name}`, point, along(v)));
    expect(pushed[0]).toEqual(value);
    expectNear(
      listOf(pushed[1]).map(Number),
      forward.map((row) => product(row, v)),
      ROUNDING,
    );
    const [primal, pullback] = listOf(call(`vjp_${name}`, ...point));
    const [linear, map] = listOf(call(`linearize_${name}`, ...point));
    if (typeof pullback !== "function" || !isMap(map)) throw new Error("no pullback or no map");
    expect([primal, linear]).toEqual([value, value]);
    const pulled: unknown = pullback(w);
    expectNear(
      gathered(pulled),
      paths.map((__, c) =>
        product(
          w,
          forward.map((row) => row[c] ?? NaN),
        ),
      ),
      ROUNDING,
    );
    expect(map.transpose().apply(w)).toEqual(pulled);
    expect(pullback(w)).toEqual(pulled);
    expect(map.apply(along(v))).toEqual(pushed[1]);
    expect(map.toMatrix()).toEqual(forward.length < paths.length ? reverse : forward);
    expect(dense("jacfwd")).toEqual(forward);
  });
});

interface Map {
  apply(tangent: unknown): unknown;
  transpose(): Map;
  toMatrix(): number[][];
}
const isMap = (value: unknown): value is Map =>
  typeof value === "object" && value !== null && "toMatrix" in value;
