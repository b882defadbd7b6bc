// The types of tsgrad/tree: a result has the type of the first tree, a gradient may stand beside
// it, also in generic code, and what cannot fit is an error. The assertions are types.

import { expectTypeOf, test } from "vitest";
import type { Cotangent } from "../../runtime/index.ts";
import { axpy, dot, map, norm, ravel, reduce, unravel, zip } from "../../runtime/tree/index.ts";

interface Layer {
  readonly name: string;
  readonly w: readonly number[];
  readonly bias?: number;
}
class Net {
  readonly #seen: number = 0;
  readonly layers: readonly Layer[] = [];
  seen(): number {
    return this.#seen;
  }
}
declare const layer: Layer;
declare const net: Net;
declare const ofLayer: Cotangent<Layer>;
declare const ofNet: Cotangent<Net>;
declare const view: Float32Array;

/** An optimiser that knows nothing of its parameters. */
function momentum<P>(parameters: P, gradient: Cotangent<P>, speed: P): { p: P; speed: P } {
  const next = zip((v, g) => 0.9 * v - 0.1 * g, [speed, gradient]);
  const flat = ravel(gradient, parameters);
  return {
    p: axpy(1, next, parameters),
    speed: unravel(
      flat,
      zip((v) => v, [speed]),
    ),
  };
}

test("results have the type of the first tree", () => {
  const never = (): void => {
    expectTypeOf(map(Math.sin, layer)).toEqualTypeOf<Layer>();
    expectTypeOf(map(Math.sin, ofLayer)).toEqualTypeOf<Cotangent<Layer>>();
    expectTypeOf(map(Math.sin, 3)).toEqualTypeOf<number>();
    expectTypeOf(map(Math.sin, view)).toEqualTypeOf<Float32Array>();
    expectTypeOf(axpy(-0.1, ofLayer, layer)).toEqualTypeOf<Layer>();
    expectTypeOf(axpy(-0.1, ofNet, net)).toEqualTypeOf<Net>();
    expectTypeOf(axpy(-0.1, 1, 2)).toEqualTypeOf<number>();
    expectTypeOf(zip((x, y, z) => x + y + z, [net, ofNet, net])).toEqualTypeOf<Net>();
    expectTypeOf(zip((x, y) => x + y, [1, 2])).toEqualTypeOf<number>();
    expectTypeOf(unravel([1], net)).toEqualTypeOf<Net>();
    expectTypeOf(ravel(ofNet, net)).toEqualTypeOf<Float64Array<ArrayBuffer>>();
    expectTypeOf(dot(net, ofNet)).toEqualTypeOf<number>();
    expectTypeOf(dot(ofNet, net)).toEqualTypeOf<number>();
    expectTypeOf(norm(net)).toEqualTypeOf<number>();
    expectTypeOf(reduce((so, x) => so + String(x), "", net)).toEqualTypeOf<string>();
    expectTypeOf(momentum(net, ofNet, net)).toEqualTypeOf<{ p: Net; speed: Net }>();
  };
  void never;
});

test("errors", () => {
  const never = (): void => {
    // @ts-expect-error -- another type
    axpy(1, { w: ["a"] }, layer);
    // @ts-expect-error -- another type
    dot(layer, { w: "a" });
    // @ts-expect-error -- another type
    zip((x, y) => x + y, [layer, { v: [1] }]);
    // @ts-expect-error -- more numbers than trees
    zip((x, y, z) => x + y + z, [layer, ofLayer]);
    // @ts-expect-error -- another type
    ravel({ w: 1 }, layer);
    // @ts-expect-error -- not a number
    map((x) => String(x), layer);
    // @ts-expect-error -- a misspelt option
    map(Math.sin, layer, { tag: ["kind"] });
  };
  void never;
});
