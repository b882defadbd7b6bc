// Derivatives of functions that read the `this` of the method around them. In: small classes. Out: results of their methods against the same by hand, and what is emitted.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "../programs/modules.ts";
import { errorsOf } from "../programs/strict.ts";

function compiled(module: string): {
  readonly codes: readonly string[];
  readonly got: unknown;
  readonly text: string;
} {
  const forms = ["grad", "hessian", "valueAndGrad"].filter((form) => module.includes(`${form}(`));
  const source = `import { ${forms.join(", ")} } from "tsgrad";\n${module}\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": source }), { engine: "static" });
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const { text } = applyEdits("/src/a.ts", source, edits.get("/src/a.ts") ?? []);
  if (codes.length > 0) return { codes, got: null, text };
  expect(
    errorsOf(
      programOf({ "a.ts": text }, { noUnusedLocals: true, noUnusedParameters: true }).program,
    ).map(({ message }) => message),
  ).toEqual([]);
  return { codes, got: loader(new Map([["/src/a.ts", text]]))("/src/a.ts")["got"], text };
}

test("a model that trains itself writes what its loss reads", () => {
  const { codes, got, text } = compiled(`
class Model {
  w = [1, 2];
  constructor(private xs: number[], protected b: number) {}
  predict(w: number[], x: number): number { return w[0] * x + w[1] * this.b; }
  fit(rate: number): number[] {
    const loss = (w: number[]): number => this.xs.reduce((s, x) => s + this.predict(w, x) ** 2, 0) + this.w[0] * w[1];
    const values: number[] = [];
    for (let n = 0; n < 2; n++) {
      const [value, g] = valueAndGrad(loss)(this.w);
      values.push(value);
      for (let i = 0; i < g.length; i++) this.w[i] -= rate * g[i];
      this.b *= 2;
    }
    return [...values, ...this.w];
  }
}
export const got = [new Model([3], 1).fit(0.25), new Model([1], 2).fit(0.25)];`);
  // (3 w0 + b w1)² + w0' w1, at w = (1, 2), b = 1: 25 + 2; g = (30, 10 + 1), w = (-6.5, -0.75), b = 2: (-19.5 - 1.5)² + 4.875; g = (-126, -84 - 6.5)
  // (w0 + b w1)² + w0' w1, b = 2: 25 + 2; g = (10, 20 + 1), w = (-1.5, -3.25), b = 4: (-1.5 - 13)² + 4.875; g = (-29, -116 - 1.5)
  expect({ codes, got }).toEqual({
    codes: [],
    got: [
      [27, 445.875, 25, 21.875],
      [27, 215.125, 5.75, 26.125],
    ],
  });
  expect(text.match(/this\$value = this/g)?.length).toBe(1);
});

test("directives stay in front of what is put into a method", () => {
  const { codes, got, text } = compiled(`
class A {
  k = 3;
  one(x: number): number { "use strict"; "own"; return grad((y: number) => y * y * this.k)(x); }
  two(x: number): number { 'use strict'
    return grad((y: number) => y * y * this.k)(x); }
}
export const got = [new A().one(2), new A().two(1)];`);
  expect({ codes, got }).toEqual({ codes: [], got: [12, 6] });
  expect(text.match(/(["'])use strict\1;( "own";)? const this\$value\d? = this;/g)?.length).toBe(2);
});

test("written in place, in accessors, in classes above, twice derived", () => {
  const { codes, got } = compiled(`
abstract class Base {
  constructor(public k: number) {}
  abstract f(x: number): number;
  get slope(): number { return grad((x: number) => this.f(x) * this.k)(2); }
  curve(x: number): number { return hessian((y: number) => { const inner = (z: number): number => this.f(z); return inner(y) + inner(2 * y); })(x); }
}
class Cube extends Base { f(x: number): number { return x ** 3 + this.k; } }
class Line extends Base { f(x: number): number { return this.k * x; } }
export const got = [new Cube(2).slope, new Line(3).slope, new Cube(1).curve(2), new Line(1).curve(2)];`);
  // 3 x² k; k²; 6 x + 4 · 6 · 2 x
  expect({ codes, got }).toEqual({ codes: [], got: [24, 9, 108, 0] });
});

test("another `this` is refused", () => {
  expect(
    compiled(
      "class A { k = 2; constructor() { grad((x: number) => this.k * x)(1); } }\nexport const got = new A();",
    ).codes,
  ).toEqual(["TSG1106"]);
  expect(
    compiled("class A { k = 2; f = grad((x: number) => this.k * x); }\nexport const got = new A();")
      .codes,
  ).toEqual(["TSG1106"]);
  expect(
    compiled("export const got = { k: 2, f() { return grad((x: number) => this.k * x)(1); } };")
      .codes,
  ).toEqual(["TSG1106"]);
});
