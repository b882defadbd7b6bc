// Rules for functions of packages, of which the build sees declarations alone. Oracles: closed forms, differences, counts of calls.

import { describe, expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { slopeOf } from "../programs/differences.ts";
import { loader, type Exports } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};

const SPECIAL = "/src/node_modules/special";
const PACKAGE = {
  [`${SPECIAL}/package.json`]: `{ "name": "special", "version": "1.0.0", "main": "index.js", "types": "index.d.ts" }`,
  [`${SPECIAL}/index.d.ts`]: `export function erf(x: number): number;
export function softmax(xs: number[], sharpness?: number): number[];
export declare const tools: { scale(p: { k: number; xs: number[] }, unit: string): { k: number; xs: number[] }; count(): number };
export function twice<T>(x: T): T;
export function integrate(f: (x: number) => number, to: number): number;
export default function cube(x: number): number;
`,
  // what it computes is nothing that tsgrad could follow
  [`${SPECIAL}/index.js`]: `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
let calls = 0;
const run = (code) => new Function("x", code);
exports.erf = (x) => { calls++; return run("let s = x, t = x; for (let k = 1; k < 80; k++) { t = -t * x * x / k; s += t / (2 * k + 1); } return 2 / Math.sqrt(Math.PI) * s;")(x); };
exports.softmax = (xs, sharpness = 1) => { const es = xs.map((x) => Math.exp(sharpness * x)); const s = es.reduce((a, b) => a + b); return es.map((e) => e / s); };
exports.tools = { scale: (p, unit) => ({ k: p.k * p.k, xs: p.xs.map((x) => x * p.k * unit.length) }), count: () => calls };
exports.twice = (x) => x;
exports.default = (x) => x * x * x;
`,
};

interface Compiled {
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  readonly exports: (file: string) => Exports;
  readonly text: (file: string) => string;
  readonly errors: readonly string[];
}

function compiled(files: Readonly<Record<string, string>>): Compiled {
  const host = programOf({ ...PACKAGE, ...files });
  expect(typeErrors(host)).toEqual([]);
  const { edits, diagnostics, dependencies } = analyse(host);
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code} ${message}`);
  const texts = new Map<string, string>([[`${SPECIAL}/index.js`, PACKAGE[`${SPECIAL}/index.js`]]]);
  for (const [name, text] of Object.entries(files))
    texts.set(
      `/src/${name}`,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    );
  if (process.env["SHOW"] !== undefined)
    texts.forEach((text) => {
      console.log(text);
    });
  if (errors.length === 0)
    expect(typeErrors(programOf({ ...PACKAGE, ...Object.fromEntries(texts) }))).toEqual([]);
  const load = loader(texts);
  return {
    dependencies,
    exports: (file) => load(`/src/${file}`),
    text: (file) => texts.get(`/src/${file}`) ?? "",
    errors,
  };
}

const ERF = `import { defineDerivative } from "tsgrad";
import { erf } from "special";
const FACTOR = 2 / Math.sqrt(Math.PI);
defineDerivative(erf, { vjp: (x) => [erf(x), (bar) => [bar * FACTOR * Math.exp(-x * x)]] });
`;

describe("a function of a package", () => {
  it("has its rule in a file whose functions take their parameters apart", () => {
    const { exports, errors } = compiled({
      "model.ts": `${ERF.replace("{ defineDerivative }", "{ defineDerivative, grad }")}
function scaled({ by, at: [x] }: { by: number; at: readonly number[] }): number { return by * erf(x!); }
export const d = grad((x: number) => scaled({ by: 3, at: [x] }));
`,
    });
    expect(errors).toEqual([]);
    expect(callOf(exports("model.ts")["d"])(0.5)).toBeCloseTo(
      (6 / Math.sqrt(Math.PI)) * Math.exp(-0.25),
      12,
    ); // its closed form, to the last digits
  });

  it("has the rule wherever it is called, in every mode and order", () => {
    const { exports, errors } = compiled({
      "rules.ts": ERF,
      "model.ts": `import { grad, jvp, hvp, vjp } from "tsgrad";
import { erf as error } from "special";
import * as special from "special";
import "./rules.js";
export const f = (x: number): number => { let s = 0; for (let i = 1; i < 4; i++) s += error(x * i) * special.erf(x); return s; };
export const d = grad(f), dd = grad(grad(f)), own = grad(error), pushed = jvp(special.erf), h = hvp(error), pulled = vjp(error);
`,
    });
    expect(errors).toEqual([]);
    const own = exports("model.ts");
    const slope = (x: number): number => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
    for (const x of [0.3, 0.8]) {
      expect(callOf(own["own"])(x)).toBe(slope(x));
      expect(callOf(own["d"])(x)).toBeCloseTo(
        slopeOf((t) => Number(callOf(own["f"])(x + t)), 0).value,
        9,
      );
      expect(callOf(own["dd"])(x)).toBeCloseTo(
        slopeOf((t) => Number(callOf(own["d"])(x + t)), 0).value,
        8,
      );
      expect(callOf(own["h"])([x], 1)).toBeCloseTo(-2 * x * slope(x), 14);
    }
    expect(callOf(own["pushed"])([0.5], [2])).toEqual([expect.any(Number), 2 * slope(0.5)]);
  });

  it("has it with arrays, records, optional arguments, members of objects, defaults", () => {
    const { exports, errors } = compiled({
      "all.ts": `import { defineDerivative, grad, hessian, jvp } from "tsgrad";
import cube, { softmax, tools } from "special";
const factor = (p: { k: number }, unit: string): number => p.k * unit.length;
defineDerivative(softmax, { vjp(xs, sharpness) {
  const c = sharpness ?? 1;
  const y = softmax(xs, c);
  return [y, (bar) => {
    let s = 0, dc = 0;
    for (let i = 0; i < y.length; i++) s += bar[i] * y[i];
    for (let i = 0; i < y.length; i++) dc += y[i] * (bar[i] - s) * xs[i];
    return [y.map((v, i) => c * v * (bar[i] - s)), dc];
  }];
} });
defineDerivative(tools.scale, { jvp: ([p, unit], [dp]) => [tools.scale(p, unit), { k: 2 * p.k * dp.k, xs: p.xs.map((x, i) => x * dp.k * unit.length + dp.xs[i] * factor(p, unit)) }] });
const rule = (x: number): [number, (bar: number) => [number]] => [cube(x), (bar) => [3 * x * x * bar]];
defineDerivative(cube, { vjp: rule });
export const f = (xs: number[], k: number): number => { const y = softmax(xs); const { k: k2, xs: zs } = tools.scale({ k, xs: y }, "ab"); let s = cube(k2); for (let i = 0; i < zs.length; i++) s += (i + 1) * zs[i] * zs[i]; return s; };
export const sharp = (c: number): number => softmax([1, 2], c)[0];
export const d = grad(f, { argnums: [0, 1] }), h = hessian(f, { argnums: 1 }), pushed = jvp(f), ds = grad(sharp);
`,
    });
    expect(errors).toEqual([]);
    const own = exports("all.ts");
    const f = (xs: readonly number[], k: number): number => Number(callOf(own["f"])(xs, k));
    const [xs, k] = [[0.3, -0.4, 0.9], 0.7];
    const [dxs, dk] = JSON.parse(JSON.stringify(callOf(own["d"])(xs, k)));
    xs.forEach((_, i) => {
      expect(dxs[i]).toBeCloseTo(
        slopeOf(
          (t) =>
            f(
              xs.map((x, j) => (i === j ? x + t : x)),
              k,
            ),
          0,
        ).value,
        9,
      );
    });
    expect(dk).toBeCloseTo(slopeOf((t) => f(xs, k + t), 0).value, 9);
    expect(callOf(own["h"])(xs, k)).toBeCloseTo(
      slopeOf((t) => JSON.parse(JSON.stringify(callOf(own["d"])(xs, k + t)))[1], 0).value,
      7,
    );
    const [value, tangent] = JSON.parse(
      JSON.stringify(callOf(own["pushed"])([xs, k], [[1, 0, -1], 2])),
    );
    expect(value).toBe(f(xs, k));
    expect(tangent).toBeCloseTo(dxs[0] - dxs[2] + 2 * dk, 12);
    // 1 / (1 + e^c)
    expect(callOf(own["ds"])(0.5)).toBeCloseTo(-Math.exp(0.5) / (1 + Math.exp(0.5)) ** 2, 14);
  });

  it("has it in modules that know nothing of each other, as a callback, and through a module of the program", () => {
    const { exports, errors, text, dependencies } = compiled({
      "rules.ts": ERF,
      "special.ts": `import "./rules.js";\nexport { erf } from "special";\n`,
      "a.ts": `import { grad } from "tsgrad";\nimport { erf } from "./special.js";\nexport const d = grad((xs: number[]): number => { let s = 0; for (const y of xs.map(erf)) s += y * y; return s; });\n`,
      "b.ts": `import { grad } from "tsgrad";\nimport { erf } from "special";\nconst twice = (x: number): number => erf(2 * x);\nexport const d = grad(twice), dd = grad(grad(twice));\n`,
    });
    expect(errors).toEqual([]);
    expect(dependencies.get("/src/b.ts")).toContain("/src/rules.ts");
    // one copy for all files, or none where it is inlined
    expect((text("rules.ts").match(/function erf\$custom\(/g) ?? []).length).toBeLessThan(2);
    const slope = (x: number): number => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
    const { erf } = exports("node_modules/special/index.js");
    const [x, y] = [0.3, -0.6];
    const found = JSON.parse(JSON.stringify(callOf(exports("a.ts")["d"])([x, y])));
    expect(found).toHaveLength(2);
    [x, y].forEach((each, i) => {
      expect(found[i]).toBeCloseTo(2 * Number(callOf(erf)(each)) * slope(each), 14);
    });
    expect(callOf(exports("b.ts")["d"])(x)).toBeCloseTo(2 * slope(2 * x), 14);
    expect(callOf(exports("b.ts")["dd"])(x)).toBeCloseTo(-16 * x * slope(2 * x), 13);
  });

  it("has it where the module calls `defineDerivative` by another name", () => {
    const { exports, errors } = compiled({
      "tools.ts": `export { defineDerivative as define } from "tsgrad";\n`,
      "rules.ts": ERF.replace(
        `import { defineDerivative } from "tsgrad"`,
        `import { define } from "./tools.ts"`,
      ).replace("defineDerivative(erf", "define(erf"),
      "main.ts": `import { grad } from "tsgrad";\nimport { erf } from "special";\nimport "./rules.ts";\nexport const df = grad((x: number): number => erf(x) * x);\n`,
    });
    expect(errors).toEqual([]);
    const { df } = exports("main.ts");
    const x = 0.7;
    const slope = (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x);
    // erf(0.7) by its series: a few units in the last place
    expect(callOf(df)(x)).toBeCloseTo(0.6778011938374184 + slope * x, 12);
  });

  it("runs where no derivative passes, too", () => {
    const { exports, errors } = compiled({
      "a.ts": `${ERF}import { grad } from "tsgrad";\nexport const d = grad((x: number, y: number): number => { const scale = erf(y); return x > 0 ? scale * x * x : x; });`,
    });
    expect(errors).toEqual([]);
    const own = exports("a.ts");
    expect(callOf(own["d"])(2, 0.3)).toBe(
      4 * Number(callOf(exports("node_modules/special/index.js")["erf"])(0.3)),
    );
  });

  it("has it in the Delta engine", () => {
    const { exports, errors } = compiled({
      "a.ts": `${ERF}import { tools } from "special";
import { grad } from "tsgrad";
defineDerivative(tools.scale, { vjp: (p, unit) => [tools.scale(p, unit), (bar) => {
  let k = 2 * p.k * bar.k;
  p.xs.forEach((x, i) => { k += x * bar.xs[i] * unit.length; });
  return [{ k, xs: bar.xs.map((b) => b * p.k * unit.length) }, undefined];
}] });
export const f = (x: number, y: number): number => { try { return erf(x) * erf(x * y) * y; } catch { return 0; } };
export const g = (x: number): number => { try { const { k, xs } = tools.scale({ k: x, xs: [x, 2] }, "ab"); return k * xs[0] + xs[1]; } catch { return 0; } };
export const d = grad(f, { argnums: [0, 1] }), dg = grad(g);
`,
    });
    expect(errors).toEqual([]);
    const own = exports("a.ts");
    const f = (x: number, y: number): number => Number(callOf(own["f"])(x, y));
    const [dx, dy] = JSON.parse(JSON.stringify(callOf(own["d"])(0.4, 0.7)));
    expect(dx).toBeCloseTo(slopeOf((t) => f(0.4 + t, 0.7), 0).value, 9);
    expect(dy).toBeCloseTo(slopeOf((t) => f(0.4, 0.7 + t), 0).value, 9);
    // k = x², xs = [2x², 4x]
    expect(callOf(own["dg"])(0.5)).toBeCloseTo(8 * 0.5 ** 3 + 4, 12);
  });

  it("is refused by the Delta engine where it would have to be transposed", () => {
    const { errors } = compiled({
      "a.ts": `import { defineDerivative, grad } from "tsgrad";\nimport { erf } from "special";\ndefineDerivative(erf, { jvp: ([x], [dx]) => [erf(x), dx] });\nexport const d = grad((x: number): number => erf(x), { engine: "delta" });`,
    });
    expect(errors.join()).toMatch(/TSG1301[^]*`jvp`/);
  });

  it.each([
    [
      "a function of the program",
      `import { defineDerivative } from "tsgrad";\nconst f = (x: number): number => x;\ndefineDerivative(f, { vjp: (x) => [x, (bar) => [bar]] });`,
      "TSG1020",
    ],
    [
      "one that is generic",
      `import { defineDerivative } from "tsgrad";\nimport { twice } from "special";\ndefineDerivative(twice, { vjp: (x) => [x, () => [undefined as never]] });`,
      "TSG1020",
    ],
    [
      "one that takes functions",
      `import { defineDerivative } from "tsgrad";\nimport { integrate } from "special";\ndefineDerivative(integrate, { vjp: () => [0, () => [undefined as never, 0]] });`,
      "TSG1020",
    ],
    [
      "no statement",
      `import { defineDerivative } from "tsgrad";\nimport { erf } from "special";\nexport function later(): void { defineDerivative(erf, { vjp: (x) => [x, (bar) => [bar]] }); }`,
      "TSG1020",
    ],
    [
      "a rule from elsewhere",
      `import { defineDerivative, type DerivativeRule } from "tsgrad";\nimport { erf } from "special";\ndeclare const rules: DerivativeRule<typeof erf>;\ndefineDerivative(erf, rules);`,
      "TSG1020",
    ],
    ["two rules", `${ERF}defineDerivative(erf, { jvp: ([x], [dx]) => [erf(x), dx] });`, "TSG1021"],
  ])("%s is refused", (_, text, code) => {
    expect(compiled({ "a.ts": text }).errors.join()).toContain(code);
  });
});
