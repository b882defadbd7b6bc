// Derivatives that users write, functions that are computed again, values taken for constants. Oracles: closed forms, differences, counts of evaluations.

import { describe, expect, it } from "vitest";
import { slopeOf } from "../programs/differences.ts";
import { built, emittedErrors } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};
const IMPORT = `import { grad, vjp, jvp, hvp, hessian, customVjp, customJvp, checkpoint, stopGradient, addCotangents, scaleCotangent } from "tsgrad";\n`;

function compiled(text: string): (name: string) => Call {
  const { exports, text: emitted } = built(`${IMPORT}${text}`);
  expect(emittedErrors(emitted)).toEqual([]);
  return (name) => callOf(exports[name]);
}

describe("the programs of Estep", () => {
  it("log1pexp has no NaN at 1000", () => {
    const own = compiled(`
const log1pexp = customVjp((x: number): number => Math.log(1 + Math.exp(x)), (x) => [Math.log(1 + Math.exp(x)), (bar) => [bar * (1 - 1 / (1 + Math.exp(x)))]]);
const plain = (x: number): number => Math.log(1 + Math.exp(x));
export const d = grad(log1pexp), without = grad(plain), dd = grad(grad(log1pexp)), inside = grad((x: number): number => log1pexp(x * x) * x), forward = jvp(log1pexp);
export const inner = (x: number): number => log1pexp(x * x) * x;
`);
    expect(own("without")(1000)).toBeNaN();
    expect(own("d")(1000)).toBe(1);
    expect(own("d")(0)).toBe(0.5);
    expect(own("dd")(0)).toBe(0.25);
    expect(own("forward")([0], [3])).toEqual([Math.log(2), 1.5]);
    expect(Number(own("inside")(1.3))).toBeCloseTo(
      slopeOf((t) => Number(own("inner")(1.3 + t)), 0).value,
      7,
    );
  });

  it("an approximated sine whose derivative is an approximated cosine", () => {
    const own = compiled(`
function series(x: number, start: number): number { let term = start === 1 ? x : 1, sum = term; for (let k = start; k < 16; k += 2) { term = -term * x * x / ((k + 1) * (k + 2)); sum += term; } return sum; }
export const sine = customJvp((x: number): number => series(x, 1), ([x], [dx]) => [series(x, 1), cosine(x) * dx]);
export const cosine = customJvp((x: number): number => series(x, 0), ([x], [dx]) => [series(x, 0), -series(x, 1) * dx]);
export const d = grad(sine), dd = grad(grad(sine)), pushed = jvp(sine);
`);
    expect(own("d")(0.7)).toBe(own("cosine")(0.7));
    expect(own("dd")(0.7)).toBe(-Number(own("sine")(0.7)));
    expect(own("pushed")([0.7], [2])).toEqual([own("sine")(0.7), 2 * Number(own("cosine")(0.7))]);
  });

  it("a one-sided derivative at 0", () => {
    const own = compiled(`
const ramp = customVjp((x: number): number => Math.max(x, 0), (x) => [Math.max(x, 0), (bar) => [x >= 0 ? bar : 0]]);
export const d = grad(ramp);
`);
    expect([-1, 0, 1].map((x) => own("d")(x))).toEqual([0, 1, 1]);
  });
});

describe("rules of functions that take functions", () => {
  const FIX = `
function solve(f: (x: number) => number, x0: number): number { let x = x0; for (let i = 0; i < 200; i++) { const y = f(x); if (Math.abs(y - x) < 1e-15) return y; x = y; } return x; }
const fix = customVjp(solve, (f, x0) => {
  const x = solve(f, x0);
  return [x, (bar) => {
    const [, pull] = f.vjp(x);
    let w = bar;
    for (let i = 0; i < 200; i++) { const [dx] = pull(w); w = bar + dx; }
    const [, self] = pull(w);
    return [self, 0];
  }];
});
export const root = (a: number): number => fix((x) => 0.5 * (x + a / x), 1) * a;
export const d = grad(root), plain = grad((a: number): number => solve((x) => 0.5 * (x + a / x), 1) * a), dd = grad(grad(root));
`;

  it("fix with implicit differentiation", () => {
    const own = compiled(FIX);
    for (const a of [2, 3]) {
      expect(Number(own("d")(a))).toBeCloseTo(1.5 * Math.sqrt(a), 12);
      expect(Number(own("dd")(a))).toBeCloseTo(0.75 / Math.sqrt(a), 10);
    }
  });

  it("map that iterates forward, with the cotangent of the function summed", () => {
    const own = compiled(`
function mapped(f: (x: number) => number, xs: number[]): number[] { const ys: number[] = []; for (const x of xs) ys.push(f(x)); return ys; }
const map = customVjp(mapped, (f, xs) => [mapped(f, xs), (bars) => {
  const out: number[] = [];
  const [, first] = f.vjp(xs[0]);
  const [dx0, self0] = first(bars[0]);
  out.push(dx0);
  let self = self0;
  for (let i = 1; i < xs.length; i++) { const [, pull] = f.vjp(xs[i]); const [dx, own] = pull(bars[i]); out.push(dx); self = addCotangents(self, own); }
  return [self, out];
}]);
export const total = (k: number, w: number[], xs: number[]): number => { const ys = map((x) => Math.sin(k * x) + w[0] * x * w[1], xs); let s = 0; for (const y of ys) s += y * y; return s; };
export const d = grad(total, { argnums: [0, 1, 2] });
export const half = grad((k: number): number => { const scaled = customVjp((f: (x: number) => number, x: number): number => f(x), (f, x) => { const [y, pull] = f.vjp(x); return [y, (bar) => { const [dx, self] = pull(bar); return [scaleCotangent(0.5, self), dx]; }]; }); return scaled((x) => k * x, 3); });
`);
    const [k, w, xs] = [0.7, [1.1, -0.4], [0.3, 0.9, -1.2]];
    const found = JSON.parse(JSON.stringify(own("d")(k, w, xs)));
    const slope = (move: (t: number) => readonly unknown[]): number =>
      slopeOf((t) => Number(own("total")(...move(t))), 0).value;
    expect(found[0]).toBeCloseTo(
      slope((t) => [k + t, w, xs]),
      8,
    );
    w.forEach((_, i) => {
      expect(found[1][i]).toBeCloseTo(
        slope((t) => [k, w.map((v, j) => (i === j ? v + t : v)), xs]),
        8,
      );
    });
    xs.forEach((_, i) => {
      expect(found[2][i]).toBeCloseTo(
        slope((t) => [k, w, xs.map((v, j) => (i === j ? v + t : v))]),
        8,
      );
    });
    expect(own("half")(2)).toBe(1.5);
  });

  it("fix keeps nothing of its iterations", () => {
    // what the backward pass of the plain one pushes on a tape, and that of the rule does not
    const { text } = built(`${IMPORT}${FIX}`);
    const gradientOf = (name: string): string =>
      new RegExp(`function ${name}\\$grad\\([^]*?\\n}`).exec(text)?.[0] ?? "";
    expect(gradientOf("plain")).toMatch(/tape\[/);
    expect(gradientOf("root")).toContain("return");
    expect(gradientOf("root")).not.toMatch(/tape/);
  });
});

describe("rules", () => {
  it("of arrays and records, with arguments that hold no numbers", () => {
    const own = compiled(`
interface P { w: number[]; b: number }
const f = customVjp((p: P, name: string, x: number): number[] => p.w.map((w) => w * x + p.b + name.length), (p, name, x) => [
  p.w.map((w) => w * x + p.b + name.length),
  (bar) => { const w = p.w.map((_, i) => bar[i] * x); let b = 0, dx = 0; for (let i = 0; i < bar.length; i++) { b += bar[i]; dx += bar[i] * p.w[i]; } return [{ w, b }, undefined, dx]; },
]);
export const total = (p: P, x: number): number => { const y = f(p, "ab", x * x); let s = 0; for (const v of y) s += v * v; return s; };
export const d = grad(total, { argnums: [0, 1] }), h = hvp(total, { argnums: 1 }), pushed = jvp(total);
`);
    const p = { w: [1, -2], b: 0.5 };
    const x = 0.7;
    const y = p.w.map((w) => w * x * x + p.b + 2);
    const [y0 = 0, y1 = 0] = y;
    const [dp, dx] = JSON.parse(JSON.stringify(own("d")(p, x)));
    expect(dp.w[0]).toBeCloseTo(2 * y0 * x * x, 12);
    expect(dp.w[1]).toBeCloseTo(2 * y1 * x * x, 12);
    expect(dp.b).toBeCloseTo(2 * (y0 + y1), 12);
    expect(dx).toBeCloseTo(2 * (y0 * 1 + y1 * -2) * 2 * x, 12);
    const slope = slopeOf((t) => JSON.parse(JSON.stringify(own("d")(p, x + t)))[1], 0).value;
    expect(Number(own("h")([p, x], 1))).toBeCloseTo(slope, 6);
    expect(
      Number(JSON.parse(JSON.stringify(own("pushed")([p, x], [{ w: [0, 0], b: 0 }, 1])))[1]),
    ).toBeCloseTo(dx, 12);
  });

  it("straight through what has no derivative", () => {
    const own = compiled(`
const rounded = customVjp((x: number): number => Math.round(x), (x) => [Math.round(x), (bar) => [bar]]);
export const d = grad((x: number): number => rounded(x * 3) * x);
`);
    expect(own("d")(1.1)).toBeCloseTo(3 + 1.1 * 3, 12);
  });

  it("in loops, branches and recursion", () => {
    const own = compiled(`
const cube = customVjp((x: number): number => x * x * x, (x) => [x * x * x, (bar) => [3 * x * x * bar]]);
function rec(x: number, n: number): number { return n === 0 ? x : cube(rec(x, n - 1)) * 0.5 + x; }
export function f(x: number): number { let s = x; for (let i = 0; i < 3; i++) { if (i === 1) s = cube(s) * 0.3; else s = s + cube(x); } return s + rec(x, 2); }
export const d = grad(f), dd = grad(grad(f));
`);
    for (const x of [0.4, 0.9]) {
      expect(Number(own("d")(x))).toBeCloseTo(slopeOf((t) => Number(own("f")(x + t)), 0).value, 7);
      expect(Number(own("dd")(x))).toBeCloseTo(slopeOf((t) => Number(own("d")(x + t)), 0).value, 6);
    }
  });

  it("that call what they are rules of", () => {
    const own = compiled(`
const power: (x: number) => number = customVjp((x: number): number => Math.exp(x), (x) => [power(x), (bar) => [bar * power(x)]]);
export const d = grad(power), dd = grad(grad(power)), ddd = grad(grad(grad(power)));
`);
    for (const form of ["d", "dd", "ddd"]) expect(own(form)(0.5)).toBe(Math.exp(0.5));
  });

  it("do not lose a derivative with respect to the surroundings", () => {
    expect(() =>
      compiled(
        `export const d = grad((k: number): number => { const f = customVjp((x: number): number => k * x, (x) => [k * x, (bar) => [k * bar]]); return f(2); });`,
      ),
    ).toThrow(/TSG3003/);
  });

  it("that are none are refused", () => {
    expect(() =>
      compiled(
        `type Rule = (x: number) => [number, (b: number) => [number]];\nconst once: Rule = (x) => [x, (b) => [b]], twice: Rule = (x) => [x, (b) => [2 * b]];\nconst rules = { once, twice };\nexport const k = { name: "once" as "once" | "twice" };\nconst f = customVjp((x: number): number => x, (x) => rules[k.name](x));\nexport const d = grad(f);`,
      ),
    ).toThrow(/TSG1019/);
  });
});

describe("checkpoint", () => {
  it("gives the same gradient", () => {
    const own = compiled(`
function layer(x: number[]): number[] { const y = x.slice(); for (let k = 0; k < 3; k++) for (let i = 0; i < y.length; i++) y[i] = Math.tanh(y[i] * 1.5 + x[0]); return y; }
const again = checkpoint(layer);
const sum = (xs: number[]): number => { let s = 0; for (const x of xs) s += x * x; return s; };
export const d = grad((x: number[]): number => sum(again(again(x)))), plain = grad((x: number[]): number => sum(layer(layer(x))));
export const h = hvp((x: number[]): number => sum(again(again(x)))), hplain = hvp((x: number[]): number => sum(layer(layer(x))));
`);
    const x = [0.3, -0.2, 0.9];
    expect(own("d")(x)).toEqual(own("plain")(x));
    const [a, b] = [own("h")([x], [1, 2, 3]), own("hplain")([x], [1, 2, 3])].map((list) =>
      Array.isArray(list) ? list.map(Number) : [],
    );
    expect(a?.length).toBe(3);
    a?.forEach((value, i) => {
      expect(value).toBeCloseTo(b?.[i] ?? NaN, 12);
    });
  });
});

describe("stopGradient", () => {
  it("is a constant in every mode and order", () => {
    const own = compiled(`
export const d = grad((x: number): number => x * stopGradient(x)), dd = grad(grad((x: number): number => x * x * stopGradient(x))), pushed = jvp((x: number): number => x * stopGradient(x));
export const ofArray = grad((xs: number[]): number => xs[0] * stopGradient(xs)[0]);
`);
    expect(own("d")(3)).toBe(3);
    expect(own("dd")(3)).toBe(6);
    expect(own("pushed")([3], [1])).toEqual([9, 3]);
    expect(own("ofArray")([3])).toEqual([3]);
  });
});
