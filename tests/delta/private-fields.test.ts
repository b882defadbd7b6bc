// Instances of classes with `#x` that code outside of a derivative has made. In: small modules. Out: gradients, against differences of the function itself, called with objects of their own.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";
import { loader } from "../programs/modules.ts";

const CLASSES = `import { grad } from "tsgrad";
class Base { #b = 2; get base(): number { return this.#b; } grow(x: number): number { this.#b += x; return this.#b; } }
class Net extends Base {
  #ws: number[];
  #n = 0;
  #last?: number;
  constructor(ws: number[]) { super(); this.#ws = ws; }
  #dot(x: number): number { this.#n++; return this.#ws.reduce((s, w, i) => s + w * x ** i, 0); }
  get #scale(): number { return this.#ws[0]! * this.base; }
  set #scale(v: number) { this.#ws[0] = v; }
  get calls(): number { return this.#n; }
  static is(o: object): boolean { return #ws in o; }
  plain(x: number): number { return this.#ws[1]! * x * x; }
  run(x: number): number {
    this.#scale = this.#scale * 0.5 + x;
    this.#last ??= x * x;
    const g = this.#dot;
    return this.#dot(x) * this.#scale + g.call(this, 2 * x) + this.grow(x) + this.#last;
  }
}
const made = (): Net => new Net([0.3, 0.7, -0.2]);
`;

function got(module: string): unknown {
  const texts: Readonly<Record<string, string>> = { "a.ts": `${CLASSES}${module}\n` };
  const { edits, diagnostics } = analyse(programOf(texts));
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const edited = Object.entries(texts).map(([name, text]): [string, string] => [
    `/src/${name}`,
    applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
  ]);
  expect(typeErrors(programOf(Object.fromEntries(edited)))).toEqual([]);
  return loader(new Map(edited))("/src/a.ts")["got"];
}

test.each([
  ["reads", "const f = (n: Net, x: number): number => n.plain(x) * n.base;"],
  ["writes, methods and accessors", "const f = (n: Net, x: number): number => n.run(x);"],
  [
    "twice, and what stays between",
    "const f = (n: Net, x: number): number => n.run(x) * n.run(x * x) + n.calls;",
  ],
  [
    "beside instances of the derivative's own",
    "const f = (n: Net, x: number): number => { const own = new Net([x, x * x]); return own.plain(x) * n.plain(x) + own.run(x) * n.run(x); };",
  ],
  [
    "asked for their class",
    "const f = (n: Net, x: number): number => (Net.is(n) && Net.is(new Net([x])) && !Net.is({}) ? x ** 3 : x) * n.base;",
  ],
])("as arguments: %s", (_, f) => {
  const [gradient, difference] = got(
    `${f}\nconst d = grad(f, { argnums: 1 });\nexport const got = [d(made(), 0.6), (f(made(), 0.6 + 1e-5) - f(made(), 0.6 - 1e-5)) / 2e-5];`,
  ) as number[];
  // central differences of smooth functions: about 1e-10 of truncation and 1e-11 of rounding, of the gradient's size
  expect((gradient ?? NaN) / (difference ?? NaN)).toBeCloseTo(1, 8);
});

test("of a module, and of a function around", () => {
  const [outer, inner, difference] = got(
    "const net = made();\nconst f = (x: number): number => net.plain(x);\nfunction at(n: Net, x: number): number { return grad((y: number): number => n.plain(y))(x); }\n" +
      "export const got = [grad(f)(0.6), at(made(), 0.6), 2 * 0.7 * 0.6];",
  ) as number[];
  expect(outer).toBeCloseTo(difference ?? NaN, 12);
  expect(inner).toBeCloseTo(difference ?? NaN, 12);
});

test("of the class itself, whose value has a derivative while the function runs", () => {
  const [gradient, difference, count] = got(
    "class Store { static #k = 0.5; static #n = 0; static put(x: number): void { Store.#k = x * x; this.#n++; } static of(x: number): number { return Store.#k * x; } static get n(): number { return Store.#n; } }\n" +
      'const f = (x: number): number => { const before = Store.of(x); Store.put(x); return before + Store.of(x) * 2; };\nconst d = grad(f, { engine: "delta" });\nconst a = d(0.6);\nexport const got = [a, 0.5 + 6 * 0.36, Store.n];',
  ) as number[];
  expect(gradient).toBeCloseTo(difference ?? NaN, 12);
  expect(count).toBe(1);
});

test("what the derivative writes there is seen behind it, as what the function writes", () => {
  const [one, other, calls] = got(
    "const f = (n: Net, x: number): number => n.run(x);\nconst n = made(), m = made();\ngrad(f, { argnums: 1 })(n, 0.4);\nf(m, 0.4);\nexport const got = [n.run(0.5), m.run(0.5), n.calls - m.calls];",
  ) as number[];
  expect(one).toBe(other);
  expect(calls).toBe(0);
});
