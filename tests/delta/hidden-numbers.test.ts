// Numbers of an argument that a getter or a method hands out. In: kinds of classes and objects,
// forms, engines. Oracle: the derivative of x² by hand; where a cotangent has no place for the
// number, an error of the run in its stead.

import { describe, expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

/** The argument's class, how `made(x)` makes one, and the gradient's field; null: an error. */
interface Kind {
  readonly type: string;
  readonly code: string;
  readonly made: string;
  readonly field: string | null;
}

const READ = "get x(): number";
const PRIVATE = "#v: number; constructor(v: number) { this.#v = v; }";
const SEEN = "private v: number; constructor(v: number) { this.v = v; }";
const HAS_X = "interface HasX { readonly x: number }";

const KINDS: Readonly<Record<string, Kind>> = {
  "getter of #v": {
    type: "A",
    code: `class A { ${PRIVATE} ${READ} { return this.#v; } }`,
    made: "new A(x)",
    field: null,
  },
  "getter and setter of #v": {
    type: "A",
    code: `class A { ${PRIVATE} ${READ} { return this.#v; } set x(v: number) { this.#v = v; } }`,
    made: "new A(x)",
    field: null,
  },
  "inherited getter of #v": {
    type: "B",
    code: `class A { ${PRIVATE} ${READ} { return this.#v; } } class B extends A { y(): number { return 1; } }`,
    made: "new B(x)",
    field: null,
  },
  "list in #v": {
    type: "A",
    code: `class A { #v: number[]; constructor(v: number) { this.#v = [v]; } ${READ} { return this.#v[0]!; } }`,
    made: "new A(x)",
    field: null,
  },
  "method that reads #v": {
    type: "A",
    code: `class A { ${PRIVATE} of(): number { return this.#v; } ${READ} { return this.of(); } }`,
    made: "new A(x)",
    field: null,
  },
  "getter of a private field": {
    type: "A",
    code: `class A { ${SEEN} ${READ} { return this.v; } }`,
    made: "new A(x)",
    field: "v",
  },
  "inherited getter of a private field": {
    type: "B",
    code: `class A { ${SEEN} ${READ} { return this.v; } } class B extends A { y(): number { return 1; } }`,
    made: "new B(x)",
    field: "v",
  },
  "getter in an object literal": {
    type: "HasX",
    code: HAS_X,
    made: "({ get x() { return x; } })",
    field: "x",
  },
  "getter by defineProperty": {
    type: "HasX",
    code: HAS_X,
    made: `(Object.defineProperty({}, "x", { get: () => x }) as HasX)`,
    field: "x",
  },
  "value by defineProperty": {
    type: "HasX",
    code: HAS_X,
    made: `(Object.defineProperty({}, "x", { value: x }) as HasX)`,
    field: "x",
  },
};

const calledWith = (form: unknown, ...args: readonly unknown[]): unknown =>
  typeof form === "function" ? Reflect.apply(form, undefined, args) : "no function";

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);
const second = (value: unknown): unknown => (Array.isArray(value) ? value[1] : null);

const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : value;

describe.each(["", `, { engine: "delta" }`])("%s", (options) => {
  test.each(Object.entries(KINDS))("%s", (_, { type, code, made, field }) => {
    const { exports } = built(`import { grad, valueAndGrad, vjp } from "tsgrad";
${code}
const f = (o: ${type}): number => o.x * o.x;
const held = (o: { readonly in: ${type} }): number => o.in.x * o.in.x;
const made = (x: number): ${type} => ${made};
export const g = (x: number) => grad(f${options})(made(x));
export const both = (x: number) => valueAndGrad(f${options})(made(x))[1];
export const pulled = (x: number) => vjp(f${options})(made(x));
export const inner = (x: number) => grad(held${options})({ in: made(x) }).in;`);
    const got: Readonly<Record<string, () => unknown>> = {
      g: () => calledWith(exports["g"], 3),
      both: () => calledWith(exports["both"], 3),
      pulled: () => first(calledWith(second(calledWith(exports["pulled"], 3)), 1)),
      inner: () => calledWith(exports["inner"], 3),
    };
    for (const [name, run] of Object.entries(got))
      if (field === null) expect(run, name).toThrow(/TSG0024/);
      else expect(plain(run()), name).toEqual({ [field]: 6 });
  });
});
