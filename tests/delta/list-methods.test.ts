// `map`, `reduce` and `forEach` with an arrow function in the call (transformer/delta/list-methods.ts, runtime/delta/lists.ts). In: lists with holes, of other classes, with methods of
// their own, changed meanwhile. Out: what the same code gives without tsgrad, and its differences.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

interface Loaded {
  readonly f: (x: number) => number;
  readonly d: (x: number) => readonly [number, number];
}

function loaded(body: string): Loaded {
  const source = `import { valueAndGrad } from "tsgrad";\nclass Twice<T> extends Array<T> { override reduce(...args: any[]): any { return 2 * (super.reduce as any)(...args); } }
export function f(x: number): number { ${body} }\nexport const d = valueAndGrad(f, { engine: "delta" });\n`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const text = applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text;
  expect(text).toMatch(/\$d\.(?:reduced|visited|mapped)\(/);
  const { f, d } = loader(new Map([["/src/input.ts", text]]))("/src/input.ts");
  if (typeof f !== "function" || typeof d !== "function") throw new Error("no functions");
  return { f: (x) => Number(f(x)), d: (x) => d(x) };
}

const BODIES: readonly (readonly [string, string])[] = [
  [
    "holes are left out",
    "const xs = [x, x * x, 3]; delete xs[1]; return xs.reduce((s, y) => s + y * y, x);",
  ],
  [
    "holes at the beginning, without a start",
    "const xs = new Array<number>(4); xs[2] = x; xs[3] = x * x; return xs.reduce((s, y) => s * y);",
  ],
  [
    "undefined is an element",
    "const xs: (number | undefined)[] = [x, undefined, x * x]; return xs.reduce<number>((s, y) => s + (y ?? 2) * x, 0);",
  ],
  [
    "a method of a class of its own",
    "const xs = Twice.from([x, x * x]) as number[]; return xs.reduce((s, y) => s + y * y, 0);",
  ],
  [
    "a method of the list's own",
    "const xs = [x, x * x]; (xs as any).reduce = (f: (s: number, y: number, at: number) => number, s: number): number => f(s, xs[1]!, 1); return xs.reduce((s, y) => s + y * y, x);",
  ],
  [
    "what is added meanwhile is not met",
    "const xs = [x, 2]; let n = 0; xs.forEach((y) => { xs.push(y * x); n++; }); return xs.reduce((s, y) => s + y * n, 0);",
  ],
  [
    "what is changed meanwhile is",
    "const xs = [x, 2, 3]; xs.forEach((y, i) => { if (i < 2) xs[i + 1] = y * x; }); return xs.reduce((s, y, i, all) => { all[2] = x; return s + y * y; }, 0);",
  ],
  [
    "an error inside is caught outside",
    "let s = x; try { [1, 2, 3].forEach((y) => { if (y > 2) throw new Error(); s *= x * y; }); } catch { s += x; } return s;",
  ],
  [
    "sums in sums",
    "const rows = [[x, 2], [3, x * x]]; return rows.reduce((s, row) => s + row.reduce((p, y) => p * y, x), 0) * rows.map((row) => row.reduce((p, y) => p + y * x, 0)).reduce((s, y) => s + y, 0);",
  ],
  [
    "a sum that begins with what it adds",
    "const xs = [x, 2 * x]; return xs.reduce((s, y) => s + y * s, x) + xs.reduce((s, y) => s + x * y, x);",
  ],
  [
    "comparisons and choices",
    "const xs = [x, -x, 3 * x, 0.1]; return xs.reduce((s, y) => y > 1 || !(y > 0) ? s + y * y : s * 0.5, x) + xs.map((y) => y >= x && y < 3 ? y * x : -y).reduce((s, y) => s + y, 0);",
  ],
  [
    "a name of the outer function, written between",
    "let k = x; const xs = [1, 2, 3]; xs.forEach((y) => { k = k * y + 1; }); return k + xs.reduce((s, y) => s + y * k, 0);",
  ],
];

describe("list methods of the Delta engine", () => {
  test.each(BODIES)("%s", (_what, body) => {
    const { f, d } = loaded(body);
    for (const x of [1.3, 0.7, -2.1]) {
      const h = 1e-4;
      const [value, slope] = d(x);
      const wanted = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
      expect(value).toBe(f(x));
      // differences of the fourth order of polynomials of a low degree: rounding alone, about 1e-16 / h
      expect(Math.abs(slope - wanted)).toBeLessThan(1e-8 * (1 + Math.abs(wanted)));
    }
  });

  test("an empty list without a start throws what arrays throw", () => {
    const { f, d } = loaded(
      "const xs: number[] = []; if (x > 0) xs.push(x); return xs.reduce((s, y) => s * y);",
    );
    expect(() => f(-1)).toThrow(TypeError);
    expect(() => d(-1)).toThrow(/Reduce of empty array with no initial value/);
    expect(d(3)).toEqual([3, 1]);
  });
});
