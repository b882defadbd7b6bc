// Derivatives that are written into objects that are given (`into: true`). In: functions of flat arrays, rows, records and pairs, through both engines. Out: the same numbers
// as without `into`, in the object that was given. Adversarial: the object is an argument, shares its buffer, is used again, has another shape, holds NaN.

import ts from "typescript";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { ownDiagnostics, programOf } from "../program.ts";
import { loader } from "./modules.ts";

const FILE = "/src/into.ts";
const source = (engine: string): string =>
  `import { grad, hessian, jacfwd, jacrev, valueAndGrad } from "tsgrad";

type Model = { rows: number[][]; bias: number; pair: [number, number] };

// gathers in a loop, and reads what was written at another place before
function chain(xs: Float64Array, ys: number[]): number {
  let sum = 0;
  for (let i = 1; i < xs.length; i++) sum += xs[i]! * xs[i - 1]! * ys[i]! + ys[i]! * ys[0]!;
  return sum;
}
const own = (xs: number[]): number => { let sum = 0; for (const x of xs) sum += x * x * x; return sum; };
const masked = (xs: number[], weights: Float64Array): number => { let sum = 0; for (let i = 0; i < xs.length; i++) sum += weights[i]! * Math.sin(xs[i]!); return sum; };
const model = (m: Model, x: number): number => { let sum = m.bias * x; for (const row of m.rows) for (const w of row) sum += w * w * x; return sum * m.pair[0] * m.pair[1]; };
const withAux = (xs: number[]): [number, string] => [xs[0]! * xs[0]! * xs[1]!, \`\${xs.length} numbers\`];
// the camera may be longer than what is read
const project = (camera: number[], point: [number, number], w: number): [number, number] => [w * camera[0]! * point[0] + camera[2]!, w * camera[1]! * point[1] * camera[0]!];
const product = (a: number[], b: number[]): number => { let sum = 0; for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!; return sum; };
type Layers = { first: { w: number[]; b: number[] }; second: { w: number[] } };
const layers = (l: Layers, x: number): number => { let sum = 0; for (let i = 0; i < l.first.w.length; i++) sum += l.first.w[i]! * l.first.b[i]! * l.second.w[i]! * x; return sum; };
const squares = (xs: number[]): number[] => xs.map((x) => x * x);
const energy = (p: [number, number]): number => p[0] ** 3 * p[1];
const loose = (xs: number[]): number => { let sum = 0; for (let i = 0; i < xs.length; i++) sum += xs[i]! * xs[xs.length - 1 - i]! * (i + 1); return sum; };

export const plain = {
  chain: grad(chain${engine}), both: grad(chain, { argnums: [1, 0]OPTIONS }), own: grad(own${engine}), lists: grad(product, { argnums: [0, 1]OPTIONS }), masked: grad(masked${engine}), model: grad(model${engine}), layers: grad(layers${engine}), value: valueAndGrad(chain${engine}), aux: grad(withAux, { hasAux: trueOPTIONS }),
  project: jacrev(project, { argnums: [0, 1, 2]OPTIONS }), squares: jacrev(squares${engine}), columns: jacfwd(squares${engine}),
};
export const into = {
  chain: grad(chain, { into: trueOPTIONS }), both: grad(chain, { argnums: [1, 0], into: trueOPTIONS }), own: grad(own, { into: trueOPTIONS }), lists: grad(product, { argnums: [0, 1], into: trueOPTIONS }), masked: grad(masked, { into: trueOPTIONS }), model: grad(model, { into: trueOPTIONS }), layers: grad(layers, { into: trueOPTIONS }),
  value: valueAndGrad(chain, { into: trueOPTIONS }), aux: grad(withAux, { hasAux: true, into: trueOPTIONS }),
  project: jacrev(project, { argnums: [0, 1, 2], into: trueOPTIONS }), squares: jacrev(squares, { into: trueOPTIONS }), columns: jacfwd(squares, { into: trueOPTIONS }),
};
SECOND
`
    .replaceAll("OPTIONS", engine === "" ? "" : `, ${engine.slice(4, -2)}`)
    .replace(
      "SECOND",
      engine !== ""
        ? ""
        : "export const second = { energy: hessian(energy), loose: hessian(loose) };\nexport const secondInto = { energy: hessian(energy, { into: true }), loose: hessian(loose, { into: true }) };",
    );

type Derivative = (...args: unknown[]) => unknown;
type Forms = Record<
  | "chain"
  | "both"
  | "own"
  | "lists"
  | "masked"
  | "model"
  | "layers"
  | "value"
  | "aux"
  | "project"
  | "squares"
  | "columns",
  Derivative
>;

function built(engine: string): {
  readonly plain: Forms;
  readonly into: Forms;
  readonly second: Record<string, Derivative>;
  readonly secondInto: Record<string, Derivative>;
} {
  const text = source(engine);
  const options = { strict: true, noUncheckedIndexedAccess: true };
  const { edits, diagnostics } = analyse(programOf({ [FILE]: text }, options));
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const emitted = applyEdits(FILE, text, edits.get(FILE) ?? []).text;
  expect(
    ownDiagnostics(programOf({ [FILE]: emitted }, options).program).map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, "\n"),
    ),
  ).toEqual([]);
  // what a module exports is checked by the names above
  return loader(new Map([[FILE, emitted]]))(FILE) as ReturnType<typeof built>;
}

const xs = Float64Array.of(1, -2, 3);
const ys = [0.5, 2, -1];
const m = { rows: [[1, 2], [], [3]], bias: 4, pair: [2, 5] };
const ZERO = { rows: [[9, 9], [], [9]], bias: 9, pair: [9, 9] };
const rows = (n: number): number[][] => [
  new Array<number>(n).fill(9),
  new Array<number>(n).fill(9),
];

describe.each([
  ["static", ""],
  ["Delta", ', { engine: "delta" }'],
])("%s", (_, engine) => {
  const { plain, into, second, secondInto } = built(engine);
  const cases: readonly (readonly [name: keyof Forms, given: () => unknown, args: unknown[]])[] = [
    ["chain", () => Float64Array.of(9, 9, 9), [xs, ys]],
    ["chain", () => new Float64Array(0), [new Float64Array(0), []]],
    ["chain", () => Float64Array.of(9, 9), [Float64Array.of(NaN, Infinity), [1, 2]]],
    ["both", () => [[9, 9, 9], Float64Array.of(9, 9, 9)], [xs, ys]],
    ["own", () => [9, 9, 9], [ys]],
    [
      "lists",
      () => [
        [9, 9, 9],
        [9, 9, 9],
      ],
      [ys, [1, 2, 3]],
    ],
    ["masked", () => [9, 9, 9], [ys, xs]],
    ["model", () => structuredClone(ZERO), [m, 3]],
    [
      "layers",
      () => ({ first: { w: [9], b: [9] }, second: { w: [9] } }),
      [{ first: { w: [2], b: [3] }, second: { w: [5] } }, 7],
    ],
    ["project", () => [rows(3), rows(2), [9, 9]], [[1, 2, 3], [4, 5], 6]],
    ["project", () => [rows(5), rows(2), [9, 9]], [[1, 2, 3, 7, 8], [4, 5], 6]],
    [
      "squares",
      () => [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
      [ys],
    ],
    [
      "columns",
      () => [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
      [ys],
    ],
    ["squares", () => [], [[]]],
  ];
  test.each(cases)(
    "%s: the numbers of the derivative, at each call, in the object that is given",
    (name, given, args) => {
      const kept = given();
      const expected = plain[name](...args);
      for (let call = 0; call < 2; call++) {
        expect(into[name](kept, ...args)).toBe(kept);
        expect(kept).toEqual(expected);
      }
    },
  );

  test("value and aux stay beside it", () => {
    const kept = Float64Array.of(9, 9, 9);
    const result = into.value(kept, xs, ys);
    expect(result).toEqual(plain.value(xs, ys));
    expect(Array.isArray(result) && result[1]).toBe(kept);
    const list = [9, 9];
    const pair = into.aux(list, [2, 3]);
    expect(pair).toEqual([[12, 4], "2 numbers"]);
    expect(Array.isArray(pair) && pair[0]).toBe(list);
  });

  test("the object may be an argument, or share memory with one", () => {
    const expected = plain.chain(xs, ys);
    const itself = xs.slice();
    into.chain(itself, itself, ys);
    expect(itself).toEqual(expected);
    const buffer = Float64Array.of(...xs, 0, 0);
    into.chain(buffer.subarray(1, 4), buffer.subarray(0, 3), ys);
    expect(buffer.slice(1, 4)).toEqual(expected);
    const list = ys.slice();
    into.own(list, list);
    expect(list).toEqual(plain.own(ys));
    const [byYs, byXs] = [ys.slice(), xs.slice()];
    into.both([byYs, byXs], byXs, byYs);
    expect([byYs, byXs]).toEqual(plain.both(xs, ys));
    const camera = [1, 2, 3];
    into.project([[camera, [0, 0, 0]], rows(2), [0, 0]], camera, [4, 5], 6);
    expect(camera).toEqual([24, 0, 1]);
    const same = structuredClone(m);
    into.model(same, same, 3);
    expect(same).toEqual(plain.model(m, 3));
  });

  test.each<[keyof Forms, unknown, unknown[]]>([
    ["chain", new Float64Array(2), [xs, ys]],
    ["chain", new Float64Array(4), [xs, ys]],
    ["own", [9], [ys]],
    ["both", [[9, 9, 9], new Float64Array(1)], [xs, ys]],
    ["project", [[[9, 9, 9], [9]], rows(2), [9, 9]], [[1, 2, 3], [4, 5], 6]],
    [
      "squares",
      [
        [9, 9, 9],
        [9, 9, 9],
      ],
      [ys],
    ],
  ])("%s: another shape is TSG0020, and the object stays as it was", (name, kept, args) => {
    const before = structuredClone(kept);
    expect(() => into[name](kept, ...args)).toThrow(
      /^TSG0020: what the derivative is to be written into /,
    );
    expect(kept).toEqual(before);
  });

  test.each<[keyof Forms, (row: number[]) => unknown, unknown[]]>([
    ["project", (row) => [[row, row], rows(2), [9, 9]], [[1, 2, 3], [4, 5], 6]],
    ["squares", (row) => [row, row, row], [ys]],
    [
      "lists",
      (row) => [row, row],
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    [
      "layers",
      (row) => ({ first: { w: row, b: [9, 9, 9] }, second: { w: row } }),
      [{ first: { w: [1, 2, 3], b: [1, 2, 3] }, second: { w: [1, 2, 3] } }, 7],
    ],
    [
      "model",
      (row) => ({ ...ZERO, rows: [row, row] }),
      [
        {
          ...m,
          rows: [
            [1, 2, 3],
            [4, 5, 6],
          ],
        },
        3,
      ],
    ],
  ])("%s: one array at two places is TSG0020", (name, given, args) => {
    const row = [9, 9, 9];
    expect(() => into[name](given(row), ...args)).toThrow(
      /^TSG0020: .* one (array|object) at two places/,
    );
    if (name !== "model" || engine !== "") expect(row).toEqual([9, 9, 9]);
  });

  if (engine === "")
    test("Hessians", () => {
      const kept = [
        [9, 9],
        [9, 9],
      ];
      expect(secondInto.energy?.(kept, [2, 3])).toBe(kept);
      expect(kept).toEqual(second.energy?.([2, 3]));
      expect(
        secondInto.loose?.(
          [
            [9, 9],
            [9, 9],
          ],
          [2, 3],
        ),
      ).toEqual([
        [0, 3],
        [3, 0],
      ]);
    });
});
