// The types of all forms: what they give for each kind of argument and result, and that wrong use does not compile. The assertions are types: the type
// checker reads this file (`npm test` begins with it); at run time the functions are never called.

import { expectTypeOf, test } from "vitest";
import {
  type Differentiable,
  type Jacobian,
  type LinearMap,
  type Tangent,
  type Tangents,
  type Cotangent,
  differentiable,
  grad,
  hessian,
  hvp,
  jacfwd,
  jacrev,
  jvp,
  linearize,
  transpose,
  valueAndGrad,
  vjp,
} from "../../runtime/index.ts";
import { checkGrads, numericalGradient } from "../../runtime/testing.ts";

interface Model {
  w: number[];
  b: number;
}
interface Named {
  readonly name: string;
  readonly w: readonly number[];
  bias?: number;
  norm(): number;
}
type Shape = { kind: "circle"; r: number } | { kind: "rect"; w: number; h: number };
class Point {
  x = 0;
  y = 0;
  name = "p";
  norm(): number {
    return Math.hypot(this.x, this.y);
  }
}

declare const loss: (m: Model, x: number) => number;
declare const vector: (x: number) => number[];
declare const polar: (r: number, t: number) => [number, number];
declare const typed: (xs: Float64Array, scale: Float32Array) => Float64Array;
declare const typedLoss: (xs: Float64Array) => number;
declare const named: (m: Named, tag: string, x?: number) => { y: number; label: string };
declare const area: (s: Shape) => number;
declare const shaped: (x: number) => Shape;
declare const mapped: (m: Map<string, number>) => Map<string, number[]>;
declare const pointed: (p: Point) => number;
declare const pair: (x: number) => [value: number, aux: string];
declare const pairOfVectors: (m: Model) => [value: number[], aux: boolean];
declare const later: (x: number[]) => Promise<number>;
declare const word: (x: number) => string;
declare const tagged: (tag: string, x: number) => number;
declare const wordOnly: (tag: string) => number;
declare const gathered: (...xs: number[]) => number;

/** Nothing in here runs. */
const types = (name: string, _: () => void): void => {
  test(name, () => {});
};

types("into", () => {
  expectTypeOf(grad(loss, { into: true })).toEqualTypeOf<
    (into: Model, m: Model, x: number) => Model
  >();
  expectTypeOf(grad(loss, { into: true, argnums: [0, 1] })).toEqualTypeOf<
    (into: [Model, number], m: Model, x: number) => [Model, number]
  >();
  expectTypeOf(grad(loss, { into: false })).toEqualTypeOf<(m: Model, x: number) => Model>();
  expectTypeOf(valueAndGrad(loss, { into: true })).toEqualTypeOf<
    (into: Model, m: Model, x: number) => [value: number, cotangent: Model]
  >();
  expectTypeOf(grad(typedLoss, { into: true }))
    .parameter(0)
    .toEqualTypeOf<Float64Array>();
  expectTypeOf(jacrev(typed, { into: true }))
    .parameter(0)
    .toEqualTypeOf<Float64Array[]>();
  expectTypeOf(jacfwd(pairOfVectors, { into: true, hasAux: true })).toEqualTypeOf<
    (into: Model[], m: Model) => [jacobian: Model[], aux: boolean]
  >();
  expectTypeOf(hessian(later, { into: true })).toEqualTypeOf<
    (into: number[][], x: number[]) => Promise<number[][]>
  >();
  // @ts-expect-error: a pullback makes its cotangents
  vjp(loss, { into: true });
  // @ts-expect-error: and `hvp` its product
  hvp(loss, { into: true });
});

types("Tangent and Tangents", () => {
  expectTypeOf<Tangent<Named>>().toEqualTypeOf<Cotangent<Named>>();
  expectTypeOf<Tangents<[m: Named, tag: string, x?: number]>>().toEqualTypeOf<
    [m: { w: number[]; bias: number }, tag: undefined, x?: number]
  >();
});

types("Jacobian", () => {
  expectTypeOf<Jacobian<number, Model>>().toEqualTypeOf<Model>();
  expectTypeOf<Jacobian<number[], number[]>>().toEqualTypeOf<number[][]>();
  expectTypeOf<Jacobian<Float64Array, Float32Array>>().toEqualTypeOf<Float32Array[]>();
  expectTypeOf<Jacobian<Model, number[]>>().toEqualTypeOf<{ w: number[][]; b: number[] }>();
  expectTypeOf<Jacobian<[number, string, number[]], number>>().toEqualTypeOf<
    [number, string, number[]]
  >();
  expectTypeOf<Jacobian<Named, number>>().toEqualTypeOf<{
    w: number[];
    bias?: number | undefined;
  }>();
  expectTypeOf<Jacobian<Map<string, number>, Model>>().toEqualTypeOf<Map<string, Model>>();
  expectTypeOf<Jacobian<Shape, number[]>>().toEqualTypeOf<
    { kind: "circle"; r: number[] } | { kind: "rect"; w: number[]; h: number[] }
  >();
  expectTypeOf<Jacobian<Point, number>>().toEqualTypeOf<{ x: number; y: number }>();
  expectTypeOf<Jacobian<number | undefined, Model>>().toEqualTypeOf<Model | undefined>();
  expectTypeOf<Jacobian<string, Model>>().toBeNever();
});

types("grad, valueAndGrad, vjp", () => {
  expectTypeOf(grad(area)).returns.toEqualTypeOf<Cotangent<Shape>>();
  expectTypeOf(grad(pointed)).returns.toEqualTypeOf<{ x: number; y: number }>();
  expectTypeOf(grad(loss, { argnums: [1, 0] })).returns.toEqualTypeOf<[number, Model]>();
  expectTypeOf(grad(pair, { hasAux: true })).returns.toEqualTypeOf<
    [cotangent: number, aux: string]
  >();
  expectTypeOf(valueAndGrad(later)).returns.toEqualTypeOf<
    Promise<[value: number, cotangent: number[]]>
  >();
  expectTypeOf(vjp(named)).returns.toEqualTypeOf<
    [
      value: { y: number; label: string },
      pullback: (cotangent: {
        y: number;
      }) => [m: { w: number[]; bias: number }, tag: undefined, x: number],
    ]
  >();
  expectTypeOf(vjp(mapped)).returns.toEqualTypeOf<
    [
      value: Map<string, number[]>,
      pullback: (cotangent: Map<string, number[]>) => [m: Map<string, number>],
    ]
  >();
  // @ts-expect-error a vector has no gradient
  grad(vector);
  // @ts-expect-error argument 0 is text
  grad(tagged);
  // @ts-expect-error there is no argument 2
  valueAndGrad(loss, { argnums: 2 });
  // @ts-expect-error a text has no cotangent
  vjp(word);
});

types("a form of a form, in place", () => {
  const product = (x: number, y: number): number => x * y;
  expectTypeOf(grad(grad(product), { argnums: [0, 1] })).toEqualTypeOf<
    (x: number, y: number) => [number, number]
  >();
  expectTypeOf(grad(grad(product, { argnums: 1 }), { argnums: 0 })).toEqualTypeOf<
    (x: number, y: number) => number
  >();
  expectTypeOf(valueAndGrad(grad(product), { argnums: 1 })).returns.toEqualTypeOf<
    [value: number, cotangent: number]
  >();
  expectTypeOf(jacfwd(grad(product, { argnums: [0, 1] }), { argnums: [1, 0] })).returns.toExtend<
    [[number, number], [number, number]]
  >();
  expectTypeOf(jacrev(jacfwd(polar), { argnums: 1 })).returns.toExtend<[number, number]>();
  expectTypeOf(hvp(grad(product), { argnums: 1 })).parameters.toExtend<
    [primals: readonly [x: number, y: number], tangent: number]
  >();
  // @ts-expect-error there is no argument 2
  grad(grad(product), { argnums: [0, 2] });
  const generic = <A extends number[]>(f: (a: A, x: number) => number, a: A): number =>
    grad(f, { argnums: 1 })(a, 2);
  expectTypeOf(generic((a: [number, number], x: number) => a[0] * x, [1, 2])).toBeNumber();
});

types("jvp", () => {
  expectTypeOf(jvp(loss)).parameters.toExtend<
    [primals: readonly [m: Model, x: number], tangents: readonly [m: Model, x: number]]
  >();
  expectTypeOf(jvp(loss)).returns.toEqualTypeOf<[value: number, tangent: number]>();
  expectTypeOf(jvp(typed)).returns.toExtend<[value: Float64Array, tangent: Float64Array]>();
  expectTypeOf(jvp(shaped)).returns.toEqualTypeOf<[value: Shape, tangent: Cotangent<Shape>]>();
  expectTypeOf(jvp(pair, { hasAux: true })).returns.toEqualTypeOf<
    [value: number, tangent: number, aux: string]
  >();
  expectTypeOf(jvp(later)).returns.toEqualTypeOf<Promise<[value: number, tangent: number]>>();
  const forward = jvp(named);
  forward([{ name: "a", w: [1], norm: () => 1 }, "t"], [{ w: [1], bias: 0 }, undefined]);
  forward([{ name: "a", w: [1], norm: () => 1 }, "t", 2], [{ w: [1], bias: 0 }, undefined, 1]);
  // @ts-expect-error a text has no tangent
  forward([{ name: "a", w: [1], norm: () => 1 }, "t"], [{ w: [1], bias: 0 }, "t"]);
  // @ts-expect-error the tangent lacks the number that may be absent
  forward([{ name: "a", w: [1], norm: () => 1 }, "t"], [{ w: [1] }, undefined]);
  // @ts-expect-error arguments come as one list
  jvp(loss)({ w: [1], b: 2 }, 3);
  // @ts-expect-error one tangent per argument
  jvp(loss)([{ w: [1], b: 2 }, 3], [{ w: [1], b: 2 }]);
  // @ts-expect-error jvp takes no argnums
  jvp(loss, { argnums: 0 });
  // @ts-expect-error the result is a text
  jvp(word);
  // @ts-expect-error no argument holds a number
  jvp(wordOnly);
  // @ts-expect-error the result is no pair
  jvp(loss, { hasAux: true });
});

types("jacfwd and jacrev", () => {
  for (const form of [jacfwd, jacrev]) {
    expectTypeOf(form(loss)).toEqualTypeOf<(m: Model, x: number) => Model>();
    expectTypeOf(form(polar, { argnums: [0, 1] })).returns.toEqualTypeOf<
      [[number, number], [number, number]]
    >();
    expectTypeOf(form(typed)).returns.toEqualTypeOf<Float64Array[]>();
    expectTypeOf(form(typed, { argnums: 1 })).returns.toEqualTypeOf<Float32Array[]>();
    expectTypeOf(form(named)).returns.toEqualTypeOf<{ y: { w: number[]; bias: number } }>();
    expectTypeOf(form(mapped)).returns.toEqualTypeOf<Map<string, Map<string, number>[]>>();
    expectTypeOf(form(shaped)).returns.toEqualTypeOf<
      { kind: "circle"; r: number } | { kind: "rect"; w: number; h: number }
    >();
    expectTypeOf(form(pairOfVectors, { hasAux: true })).returns.toEqualTypeOf<
      [jacobian: Model[], aux: boolean]
    >();
    expectTypeOf(form(later)).returns.toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(form(gathered, { argnums: 3 })).returns.toEqualTypeOf<number>();
    // @ts-expect-error argument 0 is text
    form(tagged);
    // @ts-expect-error there is no argument 2
    form(loss, { argnums: 2 });
    // @ts-expect-error the result is a text
    form(word);
    // @ts-expect-error a misspelt option
    form(loss, { argnum: 1 });
  }
});

types("hessian and hvp", () => {
  expectTypeOf(hessian(gathered)).returns.toEqualTypeOf<number>();
  expectTypeOf(hessian(loss)).returns.toEqualTypeOf<{ w: Model[]; b: Model }>();
  expectTypeOf(hessian(loss, { argnums: 1 })).returns.toEqualTypeOf<number>();
  expectTypeOf(hessian(loss, { argnums: [0, 1] })).returns.toEqualTypeOf<
    [[{ w: Model[]; b: Model }, { w: number[]; b: number }], [Model, number]]
  >();
  expectTypeOf(hessian(pair, { hasAux: true })).returns.toEqualTypeOf<
    [hessian: number, aux: string]
  >();
  expectTypeOf(hessian(later)).returns.toEqualTypeOf<Promise<number[][]>>();
  expectTypeOf(hvp(loss)).toEqualTypeOf<
    (primals: readonly [m: Model, x: number], tangent: Model) => Model
  >();
  expectTypeOf(hvp(loss, { argnums: [0, 1] })).toEqualTypeOf<
    (primals: readonly [m: Model, x: number], tangent: [Model, number]) => [Model, number]
  >();
  expectTypeOf(hvp(pair, { hasAux: true })).returns.toEqualTypeOf<[product: number, aux: string]>();
  // @ts-expect-error a vector has no Hessian
  hessian(vector);
  // @ts-expect-error a vector has no Hessian
  hvp(vector);
  // @ts-expect-error the tangent has the shape of the argument
  hvp(loss)([{ w: [1], b: 2 }, 3], 1);
  // @ts-expect-error argument 0 is text
  hessian(tagged);
});

types("linearize and LinearMap", () => {
  expectTypeOf(linearize(loss)).returns.toEqualTypeOf<
    [value: number, map: LinearMap<[m: Model, x: number], number>]
  >();
  expectTypeOf(linearize(polar, { argnums: 1 })).returns.toEqualTypeOf<
    [value: [number, number], map: LinearMap<number, [number, number]>]
  >();
  expectTypeOf(linearize(loss, { argnums: [1, 0] })).returns.toEqualTypeOf<
    [value: number, map: LinearMap<[number, Model], number>]
  >();
  expectTypeOf(linearize(pair, { hasAux: true })).returns.toEqualTypeOf<
    [value: number, map: LinearMap<[x: number], number>, aux: string]
  >();
  const [, map] = linearize(polar, { argnums: 0 })(1, 2);
  expectTypeOf(map.transpose()).toEqualTypeOf<LinearMap<[number, number], number>>();
  expectTypeOf(map.transpose().compose(map)).toEqualTypeOf<LinearMap<number, number>>();
  expectTypeOf(map.toMatrix()).toEqualTypeOf<number[][]>();
  // @ts-expect-error the spaces do not meet
  map.compose(map);
  // @ts-expect-error a tangent of the argument is a number
  map.apply([1, 2]);
  // @ts-expect-error no argument holds a number
  linearize(wordOnly);
});

types("transpose", () => {
  expectTypeOf(transpose(polar)).returns.toEqualTypeOf<
    (cotangent: [number, number]) => [r: number, t: number]
  >();
  expectTypeOf(transpose(loss, { argnums: 0 })).returns.toEqualTypeOf<
    (cotangent: number) => Model
  >();
  expectTypeOf(transpose(loss, { argnums: [1, 0] })({ w: [1], b: 2 }, 1)(1)).toEqualTypeOf<
    [number, Model]
  >();
  expectTypeOf(transpose(later, { argnums: 0 })).returns.toEqualTypeOf<
    Promise<(cotangent: number) => number[]>
  >();
  // @ts-expect-error the example has the types of the arguments
  transpose(polar)(1);
  // @ts-expect-error a cotangent of the result is a pair
  transpose(polar)(1, 2)(3);
  // @ts-expect-error an auxiliary result has no transpose
  transpose(pair, { hasAux: true });
  // @ts-expect-error the result holds no number
  transpose(word);
});

types("Differentiable", () => {
  const minimise = (f: Differentiable<(x: number) => number>): number => f(1);
  expectTypeOf<Differentiable<typeof loss>>().toExtend<typeof loss>();
  expectTypeOf(grad<Differentiable<(x: number) => number>>).toBeFunction();
  // @ts-expect-error a function that carries no derivative
  minimise((x: number) => x * x);
  expectTypeOf(differentiable(loss)).toEqualTypeOf<Differentiable<typeof loss>>();
  expectTypeOf(differentiable((x: number) => x * x)).toExtend<(x: number) => number>();
  minimise(differentiable((x) => x * x));
  // @ts-expect-error of another type
  minimise(differentiable((x: string) => x.length));
  const plain: (x: number) => number = differentiable((x) => x * x);
  // @ts-expect-error the mark is lost where the type does not have it
  minimise(plain);
  expectTypeOf(
    new Map<string, (x: number) => number>([
      ["square", differentiable((x: number) => x * x)],
      ["sine", Math.sin],
    ]),
  ).toEqualTypeOf<Map<string, (x: number) => number>>();
  expectTypeOf(grad(differentiable(loss))).returns.toEqualTypeOf<Model>();
  expectTypeOf(differentiable(later)).returns.toEqualTypeOf<Promise<number>>();
});

types("checkGrads and numericalGradient", () => {
  checkGrads(loss, [{ w: [1], b: 2 }, 3], { order: 2, modes: ["forward"], argnums: [0] });
  expectTypeOf(numericalGradient(loss, [{ w: [1], b: 2 }, 3])).toEqualTypeOf<Model>();
  expectTypeOf(numericalGradient(loss, [{ w: [1], b: 2 }, 3], 1)).toEqualTypeOf<number>();
  // @ts-expect-error the arguments are a list
  checkGrads(loss, { w: [1], b: 2 }, 3);
  // @ts-expect-error there is order 1 and 2
  checkGrads(loss, [{ w: [1], b: 2 }, 3], { order: 3 });
  // @ts-expect-error the result is a text
  checkGrads(word, [1]);
  // @ts-expect-error a vector has no gradient
  numericalGradient(vector, [1]);
});
