// The forms `jvp` and `linearize`, which call the generated derivatives. A linear map is only valid
// for its arguments: writing them in between is an error.

import { callOf, isDerived, type Call, type Derived } from "./added.ts";
import type {
  AnyFunction,
  CalledAs,
  CheckedAny,
  Derivative,
  Given,
  GradOptions,
  Linearized,
  PushOptions,
  Pushed,
} from "./forms.ts";
import { LinearMap } from "./linear-map.ts";
import { givenTangents, isPromise, later, push, unwritten } from "./pushforward.ts";
import { cotangentOf, rebuilt, tangentOf } from "./tree/build.ts";
import { numbersOf } from "./tree/numbers.ts";
import type { Layout } from "./tree/parts.ts";
import { dot, zeroOf } from "./tree/space.ts";
import type { Tangents } from "./tangent.ts";

/**
 * The value of a function, and its derivative in a direction.
 *
 * The result is `(primals, tangents) => [value, tangent]`. `primals` are the arguments of `f`,
 * whose result may have any type. `tangents` has one entry per argument, of the argument's shape
 * (see {@link Tangent}); `undefined` for an argument without numbers. An object that an argument
 * holds twice must also be one object in the tangent. The tangent of the result has the result's
 * shape. If `f` writes an argument, so does the call; the tangents are not written. With
 * `hasAux: true`, `f` returns `[value, aux]`, and the result is `[value, tangent, aux]`. A
 * compile-time form: the build replaces the call, and options must be literals. Follows Krawiec et
 * al. Figures 3 and 4 (forward mode by dual numbers).
 *
 * @throws Error `TSG0001` if the build has not replaced the call; Error if a tangent does not have
 * the shape of its argument.
 * @example
 * const area = (width: number, height: number): number => width * height;
 * jvp(area)([2, 3], [1, 0]); // [6, 3]
 *
 * const norm = (m: { name: string; w: number[] }): number => Math.hypot(...m.w);
 * jvp(norm)([{ name: "a", w: [3, 4] }], [{ w: [1, 0] }]); // [5, 0.6]
 */
export function jvp<F extends AnyFunction, const O extends PushOptions | Derivative = {}>(
  f: CheckedAny<F, O>,
  options?: O,
  derivative?: Derivative | Layout,
  layout?: Layout,
): (
  primals: Readonly<Parameters<F>>,
  tangents: Readonly<Tangents<Parameters<F>>>,
) => Given<F, Pushed<F, O>>;
export function jvp(f: unknown, ...added: readonly unknown[]): unknown {
  const { fwd, hasAux, layout } = callOf("jvp", f, added, 1, jvp);
  return (primals: readonly unknown[], tangents: readonly unknown[]) => {
    const whole = givenTangents(primals, tangents, layout, (i) => `tangents[${i}]`);
    return later(push(fwd, primals, whole, "all", hasAux), ({ value, tangent, aux }) =>
      hasAux ? [value, tangent, aux] : [value, tangent],
    );
  };
}

/**
 * The value of a function, and its derivative there as a linear map: `(...args) => [value, map]`.
 *
 * The map takes a tuple of all arguments' tangents, `undefined` for an argument without numbers.
 * With `argnums` it takes the tangent of the argument named, or a tuple of those listed.
 * `map.apply` runs the forward derivative; `map.transpose().apply` is the pullback of `vjp` (see
 * {@link LinearMap}). The map refers to the arguments, which must not be written while it is in
 * use. With `hasAux: true`, `f` returns `[value, aux]`, and the result is `[value, map, aux]`. For
 * an asynchronous function the result is a promise; its map is applied by the pullback, once per
 * number of the result. A compile-time form: the build replaces the call, and options must be
 * literals. Follows ksc notes §2 (`∂f : S → (S ⊸ T)`).
 *
 * @throws Error `TSG0001` if the build has not replaced the call; `map.apply` throws if the
 * arguments were written since.
 * @example
 * const polar = (r: number, t: number): [number, number] => [r * Math.cos(t), r * Math.sin(t)];
 * const [point, map] = linearize(polar)(2, 0);
 * point; // [2, 0]
 * map.apply([0, 1]); // [0, 2]
 * map.transpose().apply([0, 1]); // [0, 2]
 * map.toMatrix(); // [[1, 0], [0, 2]]
 */
export function linearize<F extends AnyFunction, const O extends GradOptions<F> | Derivative = {}>(
  f: CheckedAny<F, O>,
  options?: O,
  forward?: Derivative,
  reverse?: Derivative | Layout,
  layout?: Layout,
): CalledAs<F, Given<F, Linearized<F, O>>>;
export function linearize(f: unknown, ...added: readonly unknown[]): unknown {
  const call = callOf("linearize", f, added, 2, linearize);
  return (...args: readonly unknown[]) => {
    const check = unwritten(
      args,
      "a linear map belongs to the arguments it was made for; give `linearize` a copy",
    );
    const result = call.vjp(...args);
    return later(result, (pulled: unknown) => {
      const parts: readonly unknown[] = Array.isArray(pulled) ? pulled : [];
      const [value, pullback, aux] = parts;
      if (!isDerived(pullback)) throw new Error("linearize got no pullback");
      const map = isPromise(result)
        ? byPullback(value, pullback, call.layout)
        : byBoth(call, args, check, value, pullback);
      return call.hasAux ? [value, map, aux] : [value, map];
    });
  };
}

/** Applied by the forward derivative, transposed by the pullback. */
function byBoth(
  call: Call,
  args: readonly unknown[],
  check: () => void,
  value: unknown,
  pullback: Derived,
): LinearMap<unknown, unknown> {
  const from = (): unknown => pullback(tangentOf(value, () => 0, call.layout));
  const apply = (tangent: unknown): unknown => {
    check();
    const isSingle = call.argnums !== null && !call.isList;
    const tangents: readonly unknown[] = isSingle
      ? [tangent]
      : Array.isArray(tangent)
        ? tangent
        : [];
    const asked = (call.argnums ?? args.map((_, i) => i)).map((n) => args[n]);
    const name = (a: number): string => (isSingle ? "tangent" : `tangent[${a}]`);
    const pushed = push(
      call.fwd,
      args,
      givenTangents(asked, tangents, {}, name),
      call.argnums === null ? "all" : call.argnums.length,
      call.hasAux,
    );
    if (isPromise(pushed))
      throw new Error("the forward derivative gave a promise, and the function did not");
    return pushed.tangent;
  };
  return new LinearMap({ apply, pull: pullback, from, to: () => apply(from()) }, call.layout);
}

/** `(m ⊙ s)[i] = (e_i ⊙R m) • s` */
function byPullback(
  value: unknown,
  pullback: Derived,
  layout: Layout,
): LinearMap<unknown, unknown> {
  const from = (): unknown => pullback(tangentOf(value, () => 0, layout));
  const apply = (tangent: unknown): unknown => {
    const numbers = numbersOf(value, layout).map((_, r) =>
      dot(pullback(cotangentOf(value, (i) => (i === r ? 1 : 0), layout)), tangent, layout),
    );
    return rebuilt(value, (i) => numbers[i] ?? 0, layout);
  };
  return new LinearMap(
    {
      apply,
      pull: pullback,
      from,
      to: () =>
        zeroOf(
          rebuilt(value, () => 0, layout),
          layout,
        ),
    },
    layout,
  );
}
