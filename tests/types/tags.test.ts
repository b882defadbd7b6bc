// Types of fields that tell the members of a union apart by a number: they keep their value, in cotangents as in what derivatives give.

import { expectTypeOf, test } from "vitest";
import { grad, jacrev, type Cotangent, type Jacobian, type Tangent } from "../../runtime/index.ts";

type N = { kind: 1; x: number } | { readonly kind: 2; y: number; name: string };
type Many = { code: 0 | 1; x: number } | { code: 2; y: number[] };
type Colour = { readonly red: 0; readonly blue: 1 };
type Coloured = { colour: Colour["red"]; x: number } | { colour: Colour["blue"]; y: number };
declare enum Level {
  low,
  high,
}
type Levelled = { level: Level.low; x: number } | { level: Level.high; y: number };
/** Alone it says nothing. */
interface Alone {
  kind: 1;
  x: number;
}
interface Free {
  n: number;
  x: number;
}
type Loose = Free | { kind: 1; y: number };

declare const area: (s: N) => number;
declare const parts: (s: N) => N;

const types = (name: string, _: () => void): void => {
  test(name, () => {});
};

types("Cotangent and Tangent", () => {
  expectTypeOf<Cotangent<N>>().toEqualTypeOf<{ kind: 1; x: number } | { kind: 2; y: number }>();
  expectTypeOf<Tangent<N>>().toEqualTypeOf<Cotangent<N>>();
  expectTypeOf<Cotangent<Many>>().toEqualTypeOf<
    { code: 0 | 1; x: number } | { code: 2; y: number[] }
  >();
  expectTypeOf<Cotangent<Coloured>>().toEqualTypeOf<
    { colour: 0; x: number } | { colour: 1; y: number }
  >();
  expectTypeOf<Cotangent<Levelled>>().toEqualTypeOf<
    { level: Level.low; x: number } | { level: Level.high; y: number }
  >();
  expectTypeOf<Cotangent<N[]>>().toEqualTypeOf<Cotangent<N>[]>();
  expectTypeOf<Cotangent<N | undefined>>().toEqualTypeOf<Cotangent<N> | undefined>();
  expectTypeOf<Cotangent<Alone>>().toEqualTypeOf<{ kind: number; x: number }>();
  expectTypeOf<Cotangent<Loose>>().toEqualTypeOf<
    { n: number; x: number } | { kind: 1; y: number }
  >();
});

types("forms", () => {
  expectTypeOf(grad(area)).returns.toEqualTypeOf<Cotangent<N>>();
  expectTypeOf<Jacobian<N, number>>().toEqualTypeOf<
    { kind: 1; x: number } | { kind: 2; y: number }
  >();
  expectTypeOf(jacrev(parts)).returns.toEqualTypeOf<
    { kind: 1; x: Cotangent<N> } | { kind: 2; y: Cotangent<N> }
  >();
});
