// `Cotangent<T>` and the types of the compile-time forms. The assertions are types: `compile.test.ts` compiles this file.

import { expectTypeOf, test } from "vitest";
import { type Cotangent, grad, valueAndGrad, vjp } from "../../runtime/index.ts";

interface Model {
  w: number[];
  b: number;
}
interface Named {
  readonly name: string;
  readonly w: readonly number[];
  readonly on: boolean;
  scale(x: number): number;
  bias?: number;
  next?: Model;
}
interface Tree {
  value: number;
  label: string;
  children: Tree[];
}
interface Outer {
  meta?: Inner;
}
interface Inner {
  meta?: Inner;
  v: number;
}
type Shape =
  | { kind: "circle"; r: number; id: string }
  | { kind: "rect"; w: number; h: number; hollow: boolean }
  | { kind: "none" };
class Point {
  x = 0;
  readonly y = 1 as number;
  #hidden = 2;
  norm(): number {
    return Math.hypot(this.x, this.y, this.#hidden);
  }
}
interface Ring {
  x: number;
  next: Ring[];
}
class Secret {
  x = 0;
  #y = 0;
  static y(secret: Secret): number {
    return secret.#y;
  }
}
type Brand = number & { readonly unit: "m" };

test("numbers", () => {
  expectTypeOf<Cotangent<number>>().toEqualTypeOf<number>();
  expectTypeOf<Cotangent<1 | 2>>().toEqualTypeOf<number>();
  expectTypeOf<Cotangent<Brand>>().toEqualTypeOf<number>();
  expectTypeOf<Cotangent<number | undefined>>().toEqualTypeOf<number>();
  expectTypeOf<Cotangent<number | null>>().toEqualTypeOf<number>();
});

test("leaves", () => {
  expectTypeOf<Cotangent<string>>().toBeNever();
  expectTypeOf<Cotangent<boolean>>().toBeNever();
  expectTypeOf<Cotangent<bigint | symbol | null | undefined>>().toBeNever();
  expectTypeOf<Cotangent<(x: number) => number>>().toBeNever();
  expectTypeOf<Cotangent<string[]>>().toBeNever();
  expectTypeOf<Cotangent<{ name: string; on: boolean }>>().toBeNever();
  expectTypeOf<Cotangent<RegExp>>().toBeNever();
  expectTypeOf<Cotangent<Set<number>>>().toBeNever();
  expectTypeOf<Cotangent<ArrayBuffer>>().toBeNever();
  expectTypeOf<Cotangent<BigInt64Array>>().toBeNever();
  expectTypeOf<Cotangent<never>>().toBeNever();
});

test("tuples that hold lists of themselves", () => {
  type Node = readonly [value: number, children: readonly Node[]];
  type Op = ["add", number] | ["repeat", Op[]];
  expectTypeOf<Cotangent<Node>[0]>().toEqualTypeOf<number>();
  expectTypeOf<Cotangent<Node>[1][number][1][number][0]>().toEqualTypeOf<number>();
  expectTypeOf<Extract<Cotangent<Op>, ["repeat", unknown]>[1]>().toEqualTypeOf<Cotangent<Op>[]>();
  // lists with a head or a tail of another kind are none of one kind
  expectTypeOf<Cotangent<[number, ...number[][]]>>().toEqualTypeOf<[number, ...number[][]]>();
  expectTypeOf<Cotangent<readonly [...string[], number]>>().toEqualTypeOf<[...string[], number]>();
});

test("numbers beside what has no type", () => {
  expectTypeOf<Cotangent<{ x: number; meta: unknown }>>().toEqualTypeOf<{ x: number }>();
  expectTypeOf<Cotangent<{ x: number; meta: any; ys: readonly number[] }>>().toEqualTypeOf<{
    x: number;
    ys: number[];
  }>();
  expectTypeOf<Cotangent<{ inner: { x: number; meta: unknown } }[]>>().toEqualTypeOf<
    { inner: { x: number } }[]
  >();
  expectTypeOf<Cotangent<[number, unknown]>>().toEqualTypeOf<[number, unknown]>();
  expectTypeOf<Cotangent<{ meta: unknown; other: any }>>().toBeNever();
  expectTypeOf<Cotangent<{ rate?: number; [key: string]: unknown }>>().toEqualTypeOf<{
    rate: number;
  }>();
  expectTypeOf<Cotangent<{ inner: { a: number[] } } & Record<string, unknown>>>().toEqualTypeOf<{
    inner: { a: number[] };
  }>();
  expectTypeOf<Cotangent<{ name: string; [key: string]: unknown }>>().toBeNever();
  expectTypeOf<Cotangent<Record<string, unknown>>>().toBeNever();
});

test("arrays and tuples", () => {
  expectTypeOf<Cotangent<number[]>>().toEqualTypeOf<number[]>();
  expectTypeOf<Cotangent<readonly number[]>>().toEqualTypeOf<number[]>();
  expectTypeOf<Cotangent<readonly (readonly number[])[]>>().toEqualTypeOf<number[][]>();
  expectTypeOf<Cotangent<(number | undefined)[]>>().toEqualTypeOf<number[]>();
  expectTypeOf<Cotangent<[number, number]>>().toEqualTypeOf<[number, number]>();
  expectTypeOf<Cotangent<readonly [number, number[]]>>().toEqualTypeOf<[number, number[]]>();
  // what may be left out has a place
  expectTypeOf<Cotangent<[number, number?]>>().toEqualTypeOf<[number, number]>();
  expectTypeOf<Cotangent<readonly [number, (readonly number[])?, string?]>>().toEqualTypeOf<
    [number, number[] | undefined, string | undefined]
  >();
  // positions stay, so a leaf does
  expectTypeOf<Cotangent<[string, number]>>().toEqualTypeOf<[string, number]>();
  expectTypeOf<Cotangent<[x: number, y: number]>>().toEqualTypeOf<[x: number, y: number]>();
  expectTypeOf<Cotangent<Model[]>>().toEqualTypeOf<Model[]>();
});

test("typed arrays", () => {
  expectTypeOf<Cotangent<Float64Array>>().toEqualTypeOf<Float64Array>();
  expectTypeOf<Cotangent<Float32Array>>().toEqualTypeOf<Float32Array>();
  expectTypeOf<Cotangent<Int8Array>>().toEqualTypeOf<Int8Array>();
  expectTypeOf<Cotangent<Uint8Array>>().toEqualTypeOf<Uint8Array>();
  expectTypeOf<Cotangent<Uint8ClampedArray>>().toEqualTypeOf<Uint8ClampedArray>();
  expectTypeOf<Cotangent<Int16Array>>().toEqualTypeOf<Int16Array>();
  expectTypeOf<Cotangent<Uint16Array>>().toEqualTypeOf<Uint16Array>();
  expectTypeOf<Cotangent<Int32Array>>().toEqualTypeOf<Int32Array>();
  expectTypeOf<Cotangent<Uint32Array>>().toEqualTypeOf<Uint32Array>();
  expectTypeOf<Cotangent<Float64Array[]>>().toEqualTypeOf<Float64Array[]>();
  expectTypeOf<Cotangent<{ a: Float32Array; s: string }>>().toEqualTypeOf<{ a: Float32Array }>();
});

test("records", () => {
  expectTypeOf<Cotangent<Model>>().toEqualTypeOf<Model>();
  expectTypeOf<Cotangent<Named>>().toEqualTypeOf<{
    w: number[];
    bias: number;
    next?: Model | undefined;
  }>();
  expectTypeOf<Cotangent<{ a: { b: { c: number; d: string } } }>>().toEqualTypeOf<{
    a: { b: { c: number } };
  }>();
  expectTypeOf<Cotangent<Point>>().toEqualTypeOf<{ x: number; y: number }>();
  expectTypeOf<Cotangent<Model | undefined>>().toEqualTypeOf<Model | undefined>();
  expectTypeOf<Cotangent<Model | null>>().toEqualTypeOf<Model | undefined>();
  expectTypeOf<Cotangent<Record<string, number>>>().toEqualTypeOf<{ [name: string]: number }>();
  expectTypeOf<Cotangent<Map<string, number>>>().toEqualTypeOf<Map<string, number>>();
  // outside a union a literal discriminates nothing
  expectTypeOf<Cotangent<{ kind: "a"; x: number }>>().toEqualTypeOf<{ x: number }>();
});

test("recursive records", () => {
  expectTypeOf<Cotangent<Tree>["value"]>().toEqualTypeOf<number>();
  expectTypeOf<
    Cotangent<Tree>["children"][number]["children"][number]["value"]
  >().toEqualTypeOf<number>();
  expectTypeOf<keyof Cotangent<Tree>>().toEqualTypeOf<"value" | "children">();
  // Inner is assignable to Outer, yet is another type
  expectTypeOf<keyof Cotangent<Outer>>().toEqualTypeOf<"meta">();
  expectTypeOf<NonNullable<Cotangent<Outer>["meta"]>["v"]>().toEqualTypeOf<number>();
});

test("a record that is its own cotangent keeps its name", () => {
  expectTypeOf<Cotangent<Ring>["next"]>().toEqualTypeOf<Ring[]>();
  // these do not: a literal of the right fields is no Secret, and what is readonly could not be accumulated into
  expectTypeOf<Cotangent<Secret>>().toEqualTypeOf<{ x: number }>();
  expectTypeOf<Cotangent<{ readonly x: number }>>().toEqualTypeOf<{ x: number }>();
  expectTypeOf<Cotangent<{ w: readonly number[] }>>().toEqualTypeOf<{ w: number[] }>();
  expectTypeOf<Cotangent<{ x: 1 | 2 }>>().toEqualTypeOf<{ x: number }>();
});

test("discriminated unions", () => {
  expectTypeOf<Cotangent<Shape>>().toEqualTypeOf<
    { kind: "circle"; r: number } | { kind: "rect"; w: number; h: number } | { kind: "none" }
  >();
  expectTypeOf<Cotangent<{ s: Shape }>["s"]>().toEqualTypeOf<Cotangent<Shape>>();
  expectTypeOf<Cotangent<Shape | undefined>>().toEqualTypeOf<Cotangent<Shape> | undefined>();
  expectTypeOf<Cotangent<number | number[]>>().toEqualTypeOf<number | number[]>();
  type Result = { ok: true; value: number } | { ok: false; error: string };
  expectTypeOf<Cotangent<Result>>().toEqualTypeOf<{ ok: true; value: number } | { ok: false }>();
});

// ----------------------------------------------------------------------------------------------------- forms

const loss = (m: Model, xs: readonly number[][], ys: number[]): number =>
  m.b + xs.length + ys.length;
const tagged = (name: string, x: number, v: Float64Array): number => name.length + x + v.length;
const withDefault = (x: number, step = 1, m?: Named): number => x + step + (m?.bias ?? 0);
const withAux = (x: number, w: number[]): [number, { seen: string }] => [
  x + w.length,
  { seen: "" },
];
const vector = (x: number): number[] => [x];
const rest = (...xs: number[]): number => xs.length;
const words = (a: string): string => a;

/** What the build adds; its own type is nothing to the result. */
const derivative = (m: Model): Cotangent<Model> => m;

test("grad", () => {
  expectTypeOf(grad(loss, derivative)).toEqualTypeOf<
    (m: Model, xs: readonly number[][], ys: number[]) => Model
  >();
  expectTypeOf(grad(loss, { argnums: 1 }, derivative)).returns.toEqualTypeOf<number[][]>();
  expectTypeOf(grad(loss, { argnums: [2, 0] }, derivative)).returns.toEqualTypeOf<
    [number[], Model]
  >();
  expectTypeOf(grad(loss, { argnums: [1] }, derivative)).returns.toEqualTypeOf<[number[][]]>();
  expectTypeOf(grad(loss, {}, derivative)).returns.toEqualTypeOf<Model>();
  expectTypeOf(grad(loss, { hasAux: false }, derivative)).returns.toEqualTypeOf<Model>();
  expectTypeOf(grad(tagged, { argnums: 2 }, derivative)).returns.toEqualTypeOf<Float64Array>();
  expectTypeOf(grad(rest, derivative)).toEqualTypeOf<(...xs: number[]) => number>();
  expectTypeOf(grad((x: number, y: number) => x * y, { argnums: 1 }, derivative)).toEqualTypeOf<
    (x: number, y: number) => number
  >();
  expectTypeOf(
    grad(function g<T>(x: number, _y: T): number {
      return x;
    }, derivative),
  ).returns.toEqualTypeOf<number>();
});

test("optional and default parameters", () => {
  expectTypeOf(grad(withDefault, derivative)).parameters.toEqualTypeOf<
    [x: number, step?: number | undefined, m?: Named | undefined]
  >();
  expectTypeOf(grad(withDefault, { argnums: 1 }, derivative)).returns.toEqualTypeOf<number>();
  expectTypeOf(grad(withDefault, { argnums: 2 }, derivative)).returns.toEqualTypeOf<
    Cotangent<Named> | undefined
  >();
});

test("hasAux", () => {
  expectTypeOf(grad(withAux, { hasAux: true }, derivative)).toEqualTypeOf<
    (x: number, w: number[]) => [cotangent: number, aux: { seen: string }]
  >();
  expectTypeOf(grad(withAux, { hasAux: true, argnums: [0, 1] }, derivative)).returns.toEqualTypeOf<
    [cotangent: [number, number[]], aux: { seen: string }]
  >();
  expectTypeOf(
    valueAndGrad(withAux, { hasAux: true, argnums: 1 }, derivative),
  ).returns.toEqualTypeOf<[result: [value: number, aux: { seen: string }], cotangent: number[]]>();
});

test("valueAndGrad", () => {
  expectTypeOf(valueAndGrad(loss, derivative)).toEqualTypeOf<
    (m: Model, xs: readonly number[][], ys: number[]) => [value: number, cotangent: Model]
  >();
  expectTypeOf(valueAndGrad(loss, { argnums: [0, 2] }, derivative)).returns.toEqualTypeOf<
    [value: number, cotangent: [Model, number[]]]
  >();
});

test("vjp", () => {
  const polar = (r: number, name: string, m: Named): [number, number[]] => [
    r,
    [name.length, m.w.length],
  ];
  const f = vjp(polar, derivative);
  expectTypeOf(f).parameters.toEqualTypeOf<[r: number, name: string, m: Named]>();
  type Pullback = (
    cotangent: [number, number[]],
  ) => [r: number, name: undefined, m: Cotangent<Named>];
  expectTypeOf(f).returns.toEqualTypeOf<[value: [number, number[]], pullback: Pullback]>();
  expectTypeOf(vjp(withDefault, derivative)).returns.toEqualTypeOf<
    [
      value: number,
      pullback: (cotangent: number) => [x: number, step: number, m: Cotangent<Named> | undefined],
    ]
  >();
  expectTypeOf(vjp(vector, derivative)).returns.toEqualTypeOf<
    [value: number[], pullback: (cotangent: number[]) => [x: number]]
  >();
});

test("options of vjp", () => {
  const scaled = (x: number, m: Named, ys: readonly number[]): [number[], { seen: string }] => [
    ys.map((y) => x * y),
    { seen: `${m.w.length}` },
  ];
  type Value = [number[], { seen: string }];
  expectTypeOf(vjp(scaled, { argnums: 0 }, derivative)).returns.toEqualTypeOf<
    [value: Value, pullback: (cotangent: Cotangent<Value>) => number]
  >();
  expectTypeOf(vjp(scaled, { argnums: [2, 0], hasAux: true }, derivative)).returns.toEqualTypeOf<
    [value: number[], pullback: (cotangent: number[]) => [number[], number], aux: { seen: string }]
  >();
  expectTypeOf(vjp(scaled, { hasAux: true }, derivative)).returns.toEqualTypeOf<
    [
      value: number[],
      pullback: (cotangent: number[]) => [x: number, m: Cotangent<Named>, ys: number[]],
      aux: { seen: string },
    ]
  >();
});

/** As users write them, before the build. Never run: they would throw TSG0001. */
export function asWritten(): void {
  expectTypeOf(grad(loss)).returns.toEqualTypeOf<Model>();
  expectTypeOf(grad(loss, { argnums: [0, 1] })).returns.toEqualTypeOf<[Model, number[][]]>();
  expectTypeOf(valueAndGrad(loss)).returns.toEqualTypeOf<[value: number, cotangent: Model]>();
  const options = { argnums: 1 } as const;
  expectTypeOf(grad(loss, options)).returns.toEqualTypeOf<number[][]>();
  const [value, cotangent] = valueAndGrad((x: number, k: number) => x * k)(1, 2);
  expectTypeOf([value, cotangent]).toEqualTypeOf<number[]>();
}

export function rejected(): void {
  // @ts-expect-error the result is not a number
  grad(vector);
  // @ts-expect-error the result is not a number
  valueAndGrad(vector);
  // @ts-expect-error hasAux is not asked for
  grad(withAux);
  // @ts-expect-error the result is no pair
  grad(loss, { hasAux: true });
  // @ts-expect-error argument 0 is a string
  grad(tagged);
  // @ts-expect-error argument 0 is a string
  grad(tagged, { argnums: 0 });
  // @ts-expect-error argument 0 is a string
  grad(tagged, { argnums: [1, 0] });
  // @ts-expect-error there is no argument 3
  grad(loss, { argnums: 3 });
  // @ts-expect-error there is no argument 3
  valueAndGrad(loss, { argnums: [0, 3] });
  // @ts-expect-error not a function
  grad(3);
  // @ts-expect-error not a function
  vjp({});
  // @ts-expect-error a function without arguments
  grad(() => 1);
  // @ts-expect-error the result is a string
  vjp(words);
  // @ts-expect-error argument 0 is a string
  vjp(tagged, { argnums: 0 });
  // @ts-expect-error the result is no pair
  vjp(vector, { hasAux: true });
  // @ts-expect-error a misspelt option
  grad(loss, { argnum: 1 });
  // @ts-expect-error the gradient takes what the function takes
  grad(loss)({ w: [1] }, [], []);
  // @ts-expect-error the seed has the shape of the result
  vjp(vector)(1)[1](1);
}
