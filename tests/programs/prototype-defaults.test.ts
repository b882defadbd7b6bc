// Fields whose values are in a prototype. In: a class with such a field, and how the prototype gets the value. Out: the derivative, by closed form, of either engine; never NaN.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

/** How `C.prototype.w` becomes 2. */
const WAYS: Readonly<Record<string, string>> = {
  "an assignment": "C.prototype.w = 2;",
  "a cast": "(C.prototype as { w: number }).w = 2;",
  "a name": 'C.prototype["w"] = 2;',
  "a computed name": 'const key = "w" as const; C.prototype[key] = 2;',
  "Object.assign": "Object.assign(C.prototype, { w: 2 });",
  "Object.defineProperty": 'Object.defineProperty(C.prototype, "w", { value: 2, writable: true });',
  "Reflect.set": 'Reflect.set(C.prototype, "w", 2);',
  "an alias": "const proto = C.prototype; proto.w = 2;",
  "a pattern": "const { prototype } = C; prototype.w = 2;",
  "a parameter": "const put = (o: { w: number }): void => { o.w = 2; }; put(C.prototype);",
  "a loop over classes": "for (const K of [C]) K.prototype.w = 2;",
  getPrototypeOf: "(Object.getPrototypeOf(new C()) as C).w = 2;",
  __proto__: "(new C() as unknown as { __proto__: C }).__proto__.w = 2;",
  "a static block":
    "class D extends C { static { C.prototype.w = 2; } }\nexport const made = new D();",
};
const CLASSES: Readonly<Record<string, string>> = {
  "a declared field":
    "class C { declare w: number; at(v: number): number { return this.w * v * v; } }",
  "a field of a base class":
    "class B { declare w: number; }\nclass C extends B { at(v: number): number { return this.w * v * v; } }",
  "a field that a constructor may set":
    "class C { declare w: number; constructor(k = 0) { if (k > 1) this.w = k; } at(v: number): number { return this.w * v * v; } }",
  "a class expression":
    "const C = class { declare w: number; at(v: number): number { return this.w * v * v; } };\ntype C = InstanceType<typeof C>;",
};
const READS = {
  "by a method": "new C().at(x)",
  directly: "((c: C) => c.w * x * x)(new C())",
  "by a pattern": "(({ w }: { w: number }) => w * x * x)(new C())",
} as const;
const reads = Object.keys(READS) as (keyof typeof READS)[];
const cases = Object.keys(WAYS).flatMap((way) =>
  Object.keys(CLASSES).map((of, i) => [way, of, reads[i % reads.length] ?? "directly"] as const),
);
const variants = variantsOf(
  Object.fromEntries(
    cases.map(([way, of, read]) => [
      `${way}, ${of}, ${read}`,
      `import { grad, jvp } from "tsgrad";\n${CLASSES[of]}\n${WAYS[way]}\nexport const f = (x: number): number => ${READS[read]};\nexport const g = grad(f), d = grad(f, { engine: "delta" }), j = jvp(f);`,
    ]),
  ),
);

describe("a default in the prototype", () => {
  it.each(cases)("%s, %s, %s", (...each) => {
    const { errors, exports } = variants(each.join(", "));
    expect(errors).toEqual([]);
    const { f, g, d, j } = exports() as Record<"f" | "g" | "d", (x: number) => number> & {
      j: (x: [number], dx: [number]) => unknown;
    };
    // of 2 x x
    expect([f(1.5), g(1.5), d(1.5), j([1.5], [1])]).toEqual([4.5, 6, 6, [4.5, 6]]);
  });
});

it("an own field hides the prototype, which is no reason to refuse", () => {
  const own = variantsOf({
    own: `import { hvp } from "tsgrad";\nclass C { w = 3; at(v: number): number { return this.w * v * v; } }\nC.prototype.w = 2;\nexport const h = hvp((x: number): number => new C().at(x));`,
  })("own");
  expect(own.errors).toEqual([]);
  expect((own.exports()["h"] as (x: [number], v: number) => number)([1.5], 1)).toBe(6);
});
