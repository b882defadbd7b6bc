// Solvers whose results are differentiated by what defines them. Oracles: closed forms, differences.

import { describe, expect, it } from "vitest";
import { fixedPoint, rootFind, solveLinear } from "../../runtime/implicit/index.ts";
import { slopeOf } from "../programs/differences.ts";
import { built, emittedErrors } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};
const IMPORT = `import { grad, vjp, jvp, hvp, hessian, valueAndGrad } from "tsgrad";\nimport { argmin, fixedPoint, rootFind, solveLinear } from "tsgrad/implicit";\n`;
const listOf = (value: unknown): readonly number[] =>
  Array.isArray(value) || value instanceof Float64Array ? Array.from(value, Number) : [];

function compiled(text: string): (name: string) => Call {
  const { exports, text: emitted } = built(`${IMPORT}${text}`);
  if (process.env["SHOW"] !== undefined) console.log(emitted);
  expect(emittedErrors(emitted)).toEqual([]);
  return (name) => callOf(exports[name]);
}

/** The slope of a function's value, or of an entry of it, in a direction of the arguments. */
const slope = (f: Call, at: (t: number) => readonly unknown[]): number =>
  slopeOf((t) => Number(f(...at(t))), 0).value;

function expectClose(found: unknown, wanted: readonly number[], digits: number): void {
  const list = listOf(found);
  expect(list.length).toBe(wanted.length);
  list.forEach((value, i) => {
    expect(value).toBeCloseTo(wanted[i] ?? NaN, digits);
  });
}

describe("numbers", () => {
  it("the square root as a root, to the third order", () => {
    const own = compiled(`
export const root = (a: number): number => rootFind((x) => x * x - a, 1);
export const d = grad(root), dd = grad(grad(root)), ddd = grad(grad(grad(root))), forward = jvp(root), h = hvp(root);
`);
    for (const a of [2, 3.7]) {
      expect(own("root")(a)).toBeCloseTo(Math.sqrt(a), 14);
      expect(own("d")(a)).toBeCloseTo(0.5 / Math.sqrt(a), 14);
      expect(own("dd")(a)).toBeCloseTo(-0.25 * a ** -1.5, 14);
      expect(own("ddd")(a)).toBeCloseTo(0.375 * a ** -2.5, 13);
    }
    expect(own("forward")([4], [3])).toEqual([2, 0.75]);
    expect(own("h")([4], 1)).toBeCloseTo(-1 / 32, 14);
  });

  it("Kepler's equation, from a start that is active and within more", () => {
    const own = compiled(`
export function height(e: number, m: number): number { const E = rootFind((x) => x - e * Math.sin(x) - m, m); return Math.sqrt(1 - e * e) * Math.sin(E); }
export const d = grad(height, { argnums: [0, 1] }), h = hessian(height, { argnums: [0, 1] }), v = valueAndGrad(height);
`);
    const [e, m] = [0.3, 1.1];
    expect(listOf(own("v")(e, m))[0]).toBe(own("height")(e, m));
    const moved =
      (i: number) =>
      (t: number): readonly number[] =>
        [e, m].map((x, k) => (k === i ? x + t : x));
    expectClose(
      own("d")(e, m),
      [0, 1].map((i) => slope(own("height"), moved(i))),
      9,
    );
    const h = JSON.parse(JSON.stringify(own("h")(e, m)));
    for (const i of [0, 1])
      for (const j of [0, 1])
        expect(h[i][j]).toBeCloseTo(
          slopeOf((t) => listOf(own("d")(...moved(j)(t)))[i] ?? NaN, 0).value,
          8,
        );
  });

  it("a fixed point, of parameters and of what the function sees, with options", () => {
    const own = compiled(`
interface P { a: number; b: number[] }
export function f(p: P, c: number): number { return fixedPoint((x, q) => q.a * Math.cos(q.b[0] * x) + c, 0.5, p, { tolerance: 1e-14, maxSteps: 500 }) ** 2; }
export const d = grad(f, { argnums: [0, 1] }), h = hvp(f, { argnums: [0, 1] });
`);
    const p = { a: 0.6, b: [0.8] };
    const c = 0.2;
    const [dp, dc] = JSON.parse(JSON.stringify(own("d")(p, c)));
    const value = (a: number, b: number, k: number): number => Number(own("f")({ a, b: [b] }, k));
    expect(dp.a).toBeCloseTo(slopeOf((t) => value(0.6 + t, 0.8, 0.2), 0).value, 9);
    expect(dp.b[0]).toBeCloseTo(slopeOf((t) => value(0.6, 0.8 + t, 0.2), 0).value, 9);
    expect(dc).toBeCloseTo(slopeOf((t) => value(0.6, 0.8, 0.2 + t), 0).value, 9);
    const direction = [{ a: 0.3, b: [-0.5] }, 0.7];
    const found = JSON.parse(JSON.stringify(own("h")([p, c], direction)));
    const gradAt = (t: number): readonly number[] => {
      const [g, k] = JSON.parse(
        JSON.stringify(own("d")({ a: 0.6 + 0.3 * t, b: [0.8 - 0.5 * t] }, 0.2 + 0.7 * t)),
      );
      return [g.a, g.b[0], k];
    };
    expectClose(
      [found[0].a, found[0].b[0], found[1]],
      [0, 1, 2].map((i) => slopeOf((t) => gradAt(t)[i] ?? NaN, 0).value),
      8,
    );
  });

  it("a minimum", () => {
    const own = compiled(`
export const low = (a: number, b: number): number => argmin((x) => Math.exp(x) - a * x + b * x * x, 0);
export const d = grad(low, { argnums: [0, 1] }), dd = grad(grad(low));
export const plain = grad((a: number): number => argmin((x) => Math.exp(x) - a * x, 0)), second = grad(plain);
`);
    const at = Number(own("low")(2, 0.5));
    const curvature = Math.exp(at) + 1;
    expectClose(own("d")(2, 0.5), [1 / curvature, (-2 * at) / curvature], 12);
    // x = log a
    expect(own("plain")(3)).toBeCloseTo(1 / 3, 11);
    expect(own("second")(3)).toBeCloseTo(-1 / 9, 11);
    expect(own("dd")(2, 0.5)).toBeCloseTo(
      slopeOf((t) => listOf(own("d")(2 + t, 0.5))[0] ?? NaN, 0).value,
      8,
    );
  });
});

describe("lists", () => {
  const RIDGE = `
type Data = { xs: number[][]; ys: number[] };
export function fit(data: Data, lambda: number): number[] {
  return argmin((w) => { let s = 0; for (let i = 0; i < data.ys.length; i++) { const r = data.xs[i][0] * w[0] + data.xs[i][1] * w[1] - data.ys[i]; s += r * r; } return s + lambda * (w[0] * w[0] + w[1] * w[1]); }, [0, 0]);
}
export function loss(data: Data, lambda: number): number { const w = fit(data, lambda); return Math.sin(w[0]) + w[1] * w[1]; }
export const d = grad(loss, { argnums: [0, 1] }), by = grad(loss, { argnums: 1 }), pushed = jvp(fit), h = hvp(loss, { argnums: 1 });
`;
  /** (X'X + lambda) w = X'y, of two unknowns. */
  function ridge(
    xs: readonly (readonly number[])[],
    ys: readonly number[],
    lambda: number,
  ): readonly number[] {
    let [a, b, c, p, q] = [lambda, 0, lambda, 0, 0];
    xs.forEach(([u = 0, v = 0], i) => {
      const y = ys[i] ?? 0;
      a += u * u;
      b += u * v;
      c += v * v;
      p += u * y;
      q += v * y;
    });
    return [(c * p - b * q) / (a * c - b * b), (a * q - b * p) / (a * c - b * b)];
  }
  const data = {
    xs: [
      [1, 0.5],
      [0.3, -1],
      [-0.7, 2],
    ],
    ys: [1, -0.5, 0.4],
  };
  const closed = (
    xs: readonly (readonly number[])[],
    ys: readonly number[],
    lambda: number,
  ): number => {
    const [u = 0, v = 0] = ridge(xs, ys, lambda);
    return Math.sin(u) + v * v;
  };

  it("ridge regression", () => {
    const own = compiled(RIDGE);
    expectClose(own("fit")(data, 0.1), ridge(data.xs, data.ys, 0.1), 11);
    const [dData, dLambda] = JSON.parse(JSON.stringify(own("d")(data, 0.1)));
    expect(dLambda).toBeCloseTo(slopeOf((t) => closed(data.xs, data.ys, 0.1 + t), 0).value, 9);
    data.ys.forEach((_, i) => {
      expect(dData.ys[i]).toBeCloseTo(
        slopeOf(
          (t) =>
            closed(
              data.xs,
              data.ys.map((y, k) => (k === i ? y + t : y)),
              0.1,
            ),
          0,
        ).value,
        9,
      );
    });
    data.xs.forEach((_, i) =>
      [0, 1].forEach((j) => {
        expect(dData.xs[i][j]).toBeCloseTo(
          slopeOf(
            (t) =>
              closed(
                data.xs.map((row, k) => row.map((x, l) => (k === i && l === j ? x + t : x))),
                data.ys,
                0.1,
              ),
            0,
          ).value,
          9,
        );
      }),
    );
    expect(own("h")([data, 0.1], 1)).toBeCloseTo(
      slopeOf((t) => slopeOf((s) => closed(data.xs, data.ys, 0.1 + t + s), 0).value, 0).value,
      5,
    );
    const zero = { xs: data.xs.map((row) => row.map(() => 0)), ys: data.ys.map(() => 0) };
    expectClose(
      listOf(JSON.parse(JSON.stringify(own("pushed")([data, 0.1], [zero, 1])))[1]),
      [0, 1].map((i) => slopeOf((t) => ridge(data.xs, data.ys, 0.1 + t)[i] ?? NaN, 0).value),
      9,
    );
  });

  it("a contraction of a Float64Array", () => {
    const own = compiled(`
export function solve(a: Float64Array, b: number): Float64Array {
  const n = a.length;
  return fixedPoint((x) => { const y = new Float64Array(n); for (let i = 0; i < n; i++) y[i] = Math.tanh(0.4 * x[(i + 1) % n] * b + a[i]); return y; }, new Float64Array(n));
}
export function f(a: Float64Array, b: number): number { const x = solve(a, b); let s = 0; for (let i = 0; i < x.length; i++) s += (i + 1) * x[i] * x[i]; return s; }
export const d = grad(f, { argnums: [0, 1] }), h = hvp(f), pulled = vjp(solve);
`);
    const a = [0.3, -0.2, 0.8];
    const b = 0.9;
    const value = (xs: readonly number[], k: number): number =>
      Number(own("f")(Float64Array.from(xs), k));
    const gradient = (xs: readonly number[], k = b): readonly unknown[] => {
      const both = own("d")(Float64Array.from(xs), k);
      return Array.isArray(both) ? both : [];
    };
    const [da, db] = gradient(a);
    expectClose(
      da,
      a.map(
        (_, i) =>
          slopeOf(
            (t) =>
              value(
                a.map((x, k) => (k === i ? x + t : x)),
                b,
              ),
            0,
          ).value,
      ),
      9,
    );
    expect(db).toBeCloseTo(slopeOf((t) => value(a, b + t), 0).value, 9);
    const v = [0.5, -1, 0.25];
    expectClose(
      own("h")([Float64Array.from(a), b], Float64Array.from(v)),
      a.map(
        (_, i) =>
          slopeOf((t) => listOf(gradient(a.map((x, k) => x + t * (v[k] ?? 0)))[0])[i] ?? NaN, 0)
            .value,
      ),
      8,
    );
  });

  it("a system, as a root in a loop and in a function that is called", () => {
    const own = compiled(`
const circle = (x: number[], p: { r: number; k: number }): number[] => [x[0] * x[0] + x[1] * x[1] - p.r * p.r, x[1] - p.k * x[0]];
export const where = (r: number, k: number): number => rootFind(circle, [1, 1], { r, k })[0];
export function total(r: number, k: number): number { let s = 0; for (let i = 1; i < 4; i++) { const x = rootFind(circle, [1, 1], { r: r * i, k: k + s }); s += x[0] * 0.1 + x[1] * 0.02; } return s; }
export const d = grad(where, { argnums: [0, 1] }), dt = grad(total, { argnums: [0, 1] }), h = hessian(where, { argnums: [0, 1] });
`);
    const [r, k] = [2, 0.7];
    // x = r / sqrt(1 + k²)
    expectClose(own("d")(r, k), [(1 + k * k) ** -0.5, -r * k * (1 + k * k) ** -1.5], 12);
    const h = JSON.parse(JSON.stringify(own("h")(r, k)));
    const cross = -k * (1 + k * k) ** -1.5;
    const square = r * (2 * k * k - 1) * (1 + k * k) ** -2.5;
    expectClose([h[0][0], h[0][1], h[1][0], h[1][1]], [0, cross, cross, square], 11);
    expectClose(
      own("dt")(r, k),
      [slope(own("total"), (t) => [r + t, k]), slope(own("total"), (t) => [r, k + t])],
      8,
    );
  });
});

describe("linear systems", () => {
  it("in user code", () => {
    const own = compiled(`
export const f = (k: number, b: Float64Array): number => { const x = solveLinear([[k, 1, 0], [1, 2 * k, 1], [0, 1, k * k]], b); let s = 0; for (let i = 0; i < 3; i++) s += (i + 1) * x[i] * x[i]; return s; };
export const d = grad(f, { argnums: [0, 1] }), dd = grad(grad(f)), pushed = jvp(f);
`);
    const [k, b] = [1.7, [1, -2, 0.5]];
    const f = (m: number, right: readonly number[]): number =>
      Number(own("f")(m, Float64Array.from(right)));
    const gradient = own("d")(k, Float64Array.from(b));
    const [dk, db] = Array.isArray(gradient) ? gradient : [];
    expect(dk).toBeCloseTo(slopeOf((t) => f(k + t, b), 0).value, 9);
    expectClose(
      db,
      b.map(
        (_, i) =>
          slopeOf(
            (t) =>
              f(
                k,
                b.map((x, j) => (i === j ? x + t : x)),
              ),
            0,
          ).value,
      ),
      9,
    );
    expect(own("dd")(k, Float64Array.from(b))).toBeCloseTo(
      slopeOf((t) => slopeOf((s) => f(k + t + s, b), 0).value, 0).value,
      5,
    );
    const [, tangent] = listOf(
      own("pushed")([k, Float64Array.from(b)], [1, Float64Array.from([0, 2, 0])]),
    );
    expect(tangent).toBeCloseTo(Number(dk) + 2 * (listOf(db)[1] ?? NaN), 12);
  });
});

describe("every form", () => {
  it("agrees with the others", () => {
    const own = compiled(`
import { jacfwd, jacrev } from "tsgrad";
import { checkGrads } from "tsgrad/testing";
export const where = (p: number[]): number[] => rootFind((x) => [x[0] * x[0] + p[0] * x[1] - 3, Math.exp(x[1] * 0.2) - x[0] * p[1]], [1, 1]);
const first = (p: number[]): number => where(p)[0];
export const forward = jacfwd(where), reverse = jacrev(where), second = hessian(first), check = (p: number[]) => checkGrads(where, [p]);
`);
    const p = [0.9, 0.7];
    const rows = (value: unknown): readonly (readonly number[])[] =>
      JSON.parse(JSON.stringify(value));
    const wanted = [0, 1].map((i) =>
      p.map(
        (_, j) =>
          slopeOf((t) => listOf(own("where")(p.map((x, k) => (k === j ? x + t : x))))[i] ?? NaN, 0)
            .value,
      ),
    );
    for (const form of ["forward", "reverse"])
      rows(own(form)(p)).forEach((row, i) => {
        expectClose(row, wanted[i] ?? [], 8);
      });
    const h = rows(own("second")(p));
    expect(h[0]?.[1]).toBeCloseTo(h[1]?.[0] ?? NaN, 12);
    expect(() => own("check")(p)).not.toThrow();
    h.forEach((row, i) => {
      expectClose(
        row,
        p.map(
          (_, j) =>
            slopeOf(
              (t) => rows(own("reverse")(p.map((x, k) => (k === j ? x + t : x))))[0]?.[i] ?? NaN,
              0,
            ).value,
        ),
        7,
      );
    });
  });
});

describe("nested", () => {
  it("in each other, and with gradients inside", () => {
    const own = compiled(`
const energy = (x: number, a: number): number => Math.cosh(x) - a * x;
export const byRoot = (a: number): number => rootFind((x) => grad(energy)(x, a), 0);
export const inner = (a: number): number => rootFind((x) => fixedPoint((y) => Math.cos(y * a) * 0.5 + x * 0.3, 0) - 0.6, 0);
export const d = grad(byRoot), dd = grad(grad(byRoot)), di = grad(inner), ddi = grad(grad(inner));
`);
    // sinh x = a
    expect(own("d")(0.8)).toBeCloseTo((1 + 0.64) ** -0.5, 12);
    expect(own("dd")(0.8)).toBeCloseTo(-0.8 * (1 + 0.64) ** -1.5, 12);
    expect(own("di")(0.8)).toBeCloseTo(
      slope(own("inner"), (t) => [0.8 + t]),
      8,
    );
    expect(own("ddi")(0.8)).toBeCloseTo(
      slope(own("di"), (t) => [0.8 + t]),
      7,
    );
  });
});

describe("the function of a solver", () => {
  it("may be in a callback, see objects, and be called with what is written before and after", () => {
    const own = compiled(`
class Scaled { constructor(public k: number) {} at(x: number): number { return x * x - this.k; } }
export const many = (a: number): number => { const xs = [1, 2, 3].map((k) => rootFind((x) => x * x - a * k, 1)); let s = 0; for (const x of xs) s += x * x * x; return s; };
export const ofClass = (a: number): number => { const p = new Scaled(a * 2); return rootFind((x) => p.at(x), 1); };
export const written = (a: number): number => { const s = [1, a]; const z = rootFind((x) => [x[0] * x[0] - s[1], x[1] - x[0]], s); s[1] = 0; z[0] = z[0] * z[1]; return 3 * z[0] + z[1] + s[1]; };
export const dmany = grad(many), dclass = grad(ofClass), dwritten = grad(written), ddwritten = grad(grad(written));
`);
    // sum of (a k)^(3/2)
    expect(own("dmany")(2)).toBeCloseTo(1.5 * Math.SQRT2 * (1 + 2 ** 1.5 + 3 ** 1.5), 12);
    expect(own("dclass")(2)).toBeCloseTo(0.5, 14);
    // 3 a + sqrt a
    expect(own("dwritten")(4)).toBeCloseTo(3.25, 13);
    expect(own("ddwritten")(4)).toBeCloseTo(-1 / 32, 13);
  });

  it("must not write what it sees", () => {
    const calls = (writes: string): string =>
      `export function f(a: number[]): number { const out = [0]; const x = rootFind((x) => { const k = a[0]; ${writes}; return x * x - k; }, 1); return x + out[0] + a[1]; }\nexport const d = grad(f);`;
    expect(() => compiled(calls("out[0] = x * k"))).toThrow(/TSG3006/);
    expect(() => compiled(calls("a[1] = x * k"))).toThrow(/TSG3006/);
  });
});

describe("what a derivative keeps and calls", () => {
  it("keeps nothing of the iterations, and gives the value to the last bit", () => {
    const { exports, text } = built(`${IMPORT}
export const slow = (a: number): number => fixedPoint((x) => 0.999 * x + 0.001 * a * Math.cos(x), 1, undefined, { maxSteps: 100000 });
export const both = valueAndGrad(slow);`);
    // one step's derivative, not a loop's: no tape, and no loop in what is emitted for a number
    expect(text.slice(text.indexOf("function slow"))).not.toMatch(/tape|for \(|while \(/);
    const [value, slopeAt] = listOf(callOf(exports["both"])(0.8));
    expect(value).toBe(callOf(exports["slow"])(0.8));
    const { cos } = Math;
    let calls = 0;
    const count = (run: () => unknown): number => {
      calls = 0;
      Math.cos = (x) => {
        calls++;
        return cos(x);
      };
      try {
        run();
      } finally {
        Math.cos = cos;
      }
      return calls;
    };
    const plain = count(() => callOf(exports["slow"])(0.8));
    expect(plain).toBeGreaterThan(5000);
    // the solver runs once, and one derivative with respect to the state and one to the parameter read a cosine each, at most twice
    expect(count(() => callOf(exports["both"])(0.8)) - plain).toBeLessThanOrEqual(4);
    // x = a cos x
    expect(slopeAt).toBeCloseTo(Math.cos(value ?? 0) / (1 + 0.8 * Math.sin(value ?? 0)), 9);
  });
});

describe("the Delta engine", () => {
  it("takes a minimum", () => {
    const of = compiled(
      `export const f = (a: number): number => { try { return argmin((x) => x * x - a * x, 1); } catch { return 0; } };\nexport const d = grad(f);`,
    );
    expect(of("d")(3)).toBeCloseTo(0.5, 12);
  });
});

describe("what has no solution", () => {
  it("is an error, with derivatives and without", () => {
    const own = compiled(`
export const none = (a: number): number => rootFind((x) => x * x + a, 1);
export const wild = (a: number): number => fixedPoint((x) => a - 2 * x, 1);
export const slow = (a: number): number => fixedPoint((x) => 0.999 * x + a, 1, undefined, { maxSteps: 10 });
export const hole = (a: number): number => rootFind((x) => Math.log(x) - a, -1);
export const flat = (a: number): number => argmin((x) => a * x, 0);
export const dnone = grad(none), dwild = grad(wild), dslow = grad(slow), dhole = grad(hole), dflat = grad(flat);
`);
    expect(() => rootFind((x: number[]) => [x[0] ?? 0], [1, 2])).toThrow(/TSG0019/);
    expect(() => fixedPoint((x: number[]) => [...x, 1], [1])).toThrow(/TSG0019/);
    expect(() => solveLinear([[1, 2]], [1])).toThrow(/TSG0019/);
    expect(() =>
      solveLinear(
        [
          [1, 2],
          [2, 4],
        ],
        [1, 1],
      ),
    ).toThrow(/TSG0017/);
    for (const [name, code] of [
      ["none", /TSG0016/],
      ["wild", /TSG0018/],
      ["slow", /TSG0016/],
      ["hole", /TSG0018/],
      ["flat", /TSG0016/],
    ] as const) {
      expect(() => own(name)(1)).toThrow(code);
      expect(() => own(`d${name}`)(1)).toThrow(code);
    }
  });

  it("is an error where the solution is not unique", () => {
    const own = compiled(`
export const line = (a: number): number => argmin((x) => (x[0] + x[1] - a) ** 2, [0, 0]).reduce((s, v) => s + v);
export const still = (a: number): number => fixedPoint((x) => x + 0 * a, 1);
export const cubic = (a: number): number => rootFind((x) => (x - a) ** 3, 2);
export const dline = grad(line), dstill = grad(still), dcubic = grad(cubic), pushed = jvp(still);
`);
    expect(Number(own("line")(1))).toBeCloseTo(1, 9);
    expect(() => own("dline")(1)).toThrow(/TSG0017/);
    expect(own("still")(2)).toBe(1);
    expect(() => own("dstill")(2)).toThrow(/TSG0017/);
    expect(() => own("pushed")([2], [1])).toThrow(/TSG0017/);
    expect(own("cubic")(2)).toBe(2);
    expect(() => own("dcubic")(2)).toThrow(/TSG0017/);
  });
});
