// Arguments and outer objects that are, or hold, one object, though their types differ, and typed arrays that share bytes. In: a function that writes one of two places, and
// what it is called with. Out: TSG0004 of the static engine (TSG0020 for what a derivative is written into); where nothing is shared, the derivative by closed form.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

/** Parameters `a` and `b`, the write of `x` through `b`, the number read through `a`, and arguments that are one. */
const TYPES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  "a pair and an array": [
    "a: [number, number], b: number[]",
    "b[0] = x;",
    "a[0]",
    "const t: [number, number] = [1, 2]; return g(t, t, 3);",
  ],
  "an array and a pair": [
    "a: number[], b: [number, number]",
    "b[0] = x;",
    "a[0]!",
    "const t: [number, number] = [1, 2]; return g(t, t, 3);",
  ],
  "a readonly array": [
    "a: readonly number[], b: number[]",
    "b[0] = x;",
    "a[0]!",
    "const t = [1]; return g(t, t, 3);",
  ],
  "an array with undefined elements": [
    "a: number[], b: (number | undefined)[]",
    "b[0] = x;",
    "a[0]!",
    "const t = [1]; return g(t, t, 3);",
  ],
  "a record and a dictionary": [
    "a: { u: number }, b: Record<string, number>",
    'b["u"] = x;',
    "a.u",
    "const o = { u: 1 }; return g(o, o, 3);",
  ],
  "a dictionary and a record": [
    "a: Record<string, number>, b: { u: number }",
    "b.u = x;",
    'a["u"]!',
    "const o = { u: 1 }; return g(o, o, 3);",
  ],
  "a record of more fields": [
    "a: { u: number; v: number }, b: { u: number }",
    "b.u = x;",
    "a.u",
    "const o = { u: 1, v: 2 }; return g(o, o, 3);",
  ],
  "an optional field": [
    "a: { u: number }, b: { u?: number }",
    "b.u = x;",
    "a.u",
    "const o = { u: 1 }; return g(o, o, 3);",
  ],
  "fields of different types": [
    "a: { p: [number, number] }, b: { p: number[] }",
    "b.p[0] = x;",
    "a.p[0]",
    "const t: [number, number] = [1, 2]; return g({ p: t }, { p: t }, 3);",
  ],
  "an element and an argument": [
    "a: [number, number][], b: number[]",
    "b[0] = x;",
    "a[0]![0]",
    "const t: [number, number] = [1, 2]; return g([t], t, 3);",
  ],
  "Maps of different keys": [
    'a: Map<string, number>, b: Map<"u" | "v", number>',
    'b.set("u", x);',
    'a.get("u")!',
    'const m = new Map<"u" | "v", number>([["u", 1]]); return g(m as Map<string, number>, m, 3);',
  ],
  "an interface and a type literal": [
    "a: I, b: { u: number }",
    "b.u = x;",
    "a.u",
    "const o = { u: 1 }; return g(o, o, 3);",
  ],
  "a value that may be null": [
    "a: { u: number } | null, b: { u: number }",
    "b.u = x;",
    "(a?.u ?? 0)",
    "const o = { u: 1 }; return g(o, o, 3);",
  ],
};
const ENGINES = { static: "", delta: ', engine: "delta"' };
const typeCases = Object.keys(TYPES).flatMap((name) =>
  Object.keys(ENGINES).map((engine) => [name, engine] as const),
);
const named = (each: readonly string[]): string => each.join(", ");
const types = variantsOf(
  Object.fromEntries(
    typeCases.map(([name, engine]) => {
      const [params, write, read, shared] = TYPES[name] ?? ["", "", "", ""];
      return [
        named([name, engine]),
        `import { grad } from "tsgrad";
interface I { u: number }
export const f = (${params}, x: number): number => { ${write} return ${read} * ${read}; };
const g = grad(f, { argnums: 2${engine === "delta" ? ENGINES.delta : ""} });
export const got = (): number => { ${shared} };`,
      ];
    }),
  ),
);

describe("one object of two types", () => {
  it.each(typeCases)("%s, %s", (...each) => {
    const { errors, exports } = types(named(each));
    expect(errors).toEqual([]);
    const { got } = exports() as { got: () => number };
    // by closed form: the square of x at 3
    if (each[1] === "delta") expect(got()).toBe(6);
    else expect(got).toThrow(/^TSG0004: /);
  });
});

/** Parameters, the array that is written, and the one that is read, for a call with two views of b. */
const VIEWS: Readonly<
  Record<
    string,
    readonly [params: string, out: string, a: string, args: (out: string, a: string) => string]
  >
> = {
  "two arguments": ["out: Float64Array, a: Float64Array", "out", "a", (out, a) => `${out}, ${a}`],
  "an array in a record": [
    "o: { out: Float64Array }, a: Float64Array",
    "o.out",
    "a",
    (out, a) => `{ out: ${out} }, ${a}`,
  ],
  "an array in a tuple": [
    "o: [Float64Array], a: Float64Array",
    "o[0]",
    "a",
    (out, a) => `[${out}], ${a}`,
  ],
  "an array that may be missing": [
    "o: Float64Array | undefined, a: Float64Array",
    "(o ?? a)",
    "a",
    (out, a) => `${out}, ${a}`,
  ],
};
const FORMS: Readonly<Record<string, (call: string, params: string) => string>> = {
  grad: (args) => `grad(f, { argnums: 1 })(${args})`,
  valueAndGrad: (args) => `valueAndGrad(f, { argnums: 1 })(${args})[1]`,
  vjp: (args) => `vjp(f)(${args})[1](1)[1]`,
};
const LAYOUTS = {
  overlapping: ["b.subarray(1, 4)", "b.subarray(0, 3)"],
  "of one buffer": ["new Float64Array(b.buffer, 8, 2)", "new Float64Array(b.buffer, 0, 2)"],
  apart: ["b.subarray(2, 4)", "b.subarray(0, 2)"],
  "of other buffers": ["new Float64Array(2)", "b.subarray(0, 2)"],
} as const;
const viewCases = Object.keys(VIEWS).flatMap((view) =>
  Object.keys(FORMS).flatMap((form) =>
    Object.keys(LAYOUTS).map((layout) => [view, form, layout] as const),
  ),
);
const views = variantsOf(
  Object.fromEntries(
    viewCases.map(([view, form, layout]) => {
      const [params, out, a, args] = VIEWS[view] ?? ["", "", "", () => ""];
      const [first, second] = LAYOUTS[layout as keyof typeof LAYOUTS];
      return [
        named([view, form, layout]),
        `import { grad, valueAndGrad, vjp } from "tsgrad";
export const f = (${params}): number => { for (let i = 0; i < a.length; i++) ${out}[i] = ${a}[i]! * 2; let s = 0; for (let i = 0; i < a.length; i++) s += ${a}[i]! * ${out}[i]!; return s; };
const b = new Float64Array([1, 2, 3, 4]);
export const got = (): unknown => ${FORMS[form]?.(args(first, second), params) ?? ""};`,
      ];
    }),
  ),
);

describe("views of one buffer", () => {
  it.each(viewCases)("%s, %s, %s", (...each) => {
    const { errors, exports } = views(named(each));
    expect(errors).toEqual([]);
    const { got } = exports() as { got: () => Float64Array };
    const isShared = each[2] === "overlapping" || each[2] === "of one buffer";
    if (isShared) expect(got).toThrow(/^TSG0004: .* share memory, and the function writes it/);
    // of 2 a a
    else expect([...got()]).toEqual([4, 8]);
  });
});

const OTHERS: Readonly<Record<string, readonly [body: string, error: RegExp]>> = {
  "a view of a module's array": [
    "const W = new Float64Array([1, 2, 3, 4]); const g = grad((a: Float64Array): number => { for (let i = 0; i < a.length; i++) W[i] = a[i]! * 2; return W[0]! * a[0]!; }); export const got = (): unknown => g(new Float64Array(W.buffer, 8, 3));",
    /^TSG0004: /,
  ],
  "a view of another kind": [
    "const g = grad((out: Float32Array, a: Float64Array): number => { for (let i = 0; i < a.length; i++) out[i] = a[i]! * 2; return out[0]! * a[0]!; }, { argnums: 1 }); export const got = (): unknown => { const b = new ArrayBuffer(32); return g(new Float32Array(b), new Float64Array(b)); };",
    /^TSG0004: /,
  ],
  "two cotangents": [
    "const g = grad((a: Float64Array, b: Float64Array): number => a[0]! * b[0]! + a[1]! * b[1]!, { argnums: [0, 1], into: true }); export const got = (): unknown => { const o = new Float64Array(3); return g([o.subarray(0, 2), o.subarray(1, 3)], new Float64Array(2), new Float64Array(2)); };",
    /^TSG0020: /,
  ],
  "two cotangents by Delta": [
    'const g = grad((a: Float64Array, b: Float64Array): number => a[0]! * b[0]! + a[1]! * b[1]!, { argnums: [0, 1], into: true, engine: "delta" }); export const got = (): unknown => { const o = new Float64Array(3); return g([o.subarray(0, 2), o.subarray(1, 3)], new Float64Array(2), new Float64Array(2)); };',
    /^TSG0020: /,
  ],
};
const others = variantsOf(
  Object.fromEntries(
    Object.entries(OTHERS).map(([name, [body]]) => [
      name,
      `import { grad } from "tsgrad";\n${body}`,
    ]),
  ),
);

it.each(Object.keys(OTHERS))("what shares memory is refused: %s", (name) => {
  const { errors, exports } = others(name);
  expect(errors).toEqual([]);
  const { got } = exports() as { got: () => unknown };
  expect(got).toThrow(OTHERS[name]?.[1]);
});
