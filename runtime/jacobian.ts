// The forms `jacfwd`, `jacrev`, `hessian` and `hvp`: one call of the derivative per basis vector. A
// function that writes its arguments is an error, since each call would be at another point.

import { callOf, isDerived, type Call, type Derived } from "./added.ts";
import type {
  AnyFunction,
  Asked,
  CalledInto,
  Checked,
  CheckedBoth,
  Dense,
  Derivative,
  Given,
  GradOptions,
  HessianBy,
  IntoOptions,
  JacobianBy,
  Result,
  ResultAux,
  WithAux,
} from "./forms.ts";
import { written } from "./into.ts";
import { givenTangents, inTurn, later, push, unwritten, type Push } from "./pushforward.ts";
import { cotangentOf, rebuilt, tangentOf } from "./tree/build.ts";
import { numbersAlong, numbersOf } from "./tree/numbers.ts";
import type { Layout } from "./tree/parts.ts";

/**
 * The dense Jacobian in forward mode: `(...args) => jacobian`.
 *
 * It is taken by argument 0, or by the arguments that `argnums` names. It has the shape of the
 * result with the shape of the argument in place of each number (see {@link Jacobian}): `jac[i][j]`
 * for arrays. The forward derivative runs once per number of the arguments, which suits few
 * arguments and many results. An object that an argument holds twice counts once; its columns sum
 * the derivatives by both places. With `hasAux: true`, `f` returns `[value, aux]`, and the result
 * is `[jacobian, aux]`. A compile-time form: the build replaces the call, and options must be
 * literals. Follows Krawiec et al. Figures 3 and 4 (forward mode by dual numbers); ksc notes §2.5
 * (matrices of maps).
 *
 * @throws Error `TSG0001` if the build has not replaced the call; Error if `f` writes its
 * arguments.
 * @example
 * const polar = (r: number, t: number): [number, number] => [r * Math.cos(t), r * Math.sin(t)];
 * jacfwd(polar)(2, 0); // [1, 0]
 * jacfwd(polar, { argnums: [0, 1] })(2, 0); // [[1, 0], [-0, 2]]: by r, by t
 */
export function jacfwd<F extends AnyFunction, const O extends IntoOptions<F> | Derivative = {}>(
  f: CheckedBoth<F, O>,
  options?: O,
  derivative?: Derivative | Layout,
  layout?: Layout,
): CalledInto<F, O, JacobianBy<F, O, Result<F, O>>, Dense<F, O, JacobianBy<F, O, Result<F, O>>>>;
export function jacfwd(f: unknown, ...added: readonly unknown[]): unknown {
  const call = callOf("jacfwd", f, added, 1, jacfwd);
  if (call.layout.whole === true) return call.fwd;
  return answering(call, (args) =>
    later(
      columnsOf("jacfwd", call, args, ({ tangent }) => tangent),
      ({ first, columns, asked }) => {
        const by = asked.map((arg, a) =>
          rebuilt(
            first.tangent,
            (r) => rebuilt(arg, (c) => columns[a]?.[c]?.[r] ?? 0, call.layout),
            { ...call.layout, leaves: "all", keepViews: false },
          ),
        );
        return given(call, call.isList ? by : by[0], first.aux);
      },
    ),
  );
}

/**
 * The dense Jacobian in reverse mode: `(...args) => jacobian`.
 *
 * Arguments, options and result are those of {@link jacfwd}. The function runs once and its
 * pullback once per number of the result, which suits many arguments and few results. Follows ksc
 * notes §2.6 (rows by the transposed map).
 *
 * @throws Error `TSG0001` if the build has not replaced the call.
 * @example
 * type Stats = { mean: number; last: number };
 * const stats = (xs: number[]): Stats => ({ mean: (xs[0] + xs[1]) / 2, last: xs[1] });
 * jacrev(stats)([1, 3]); // { mean: [0.5, 0.5], last: [0, 1] }
 */
export function jacrev<F extends AnyFunction, const O extends IntoOptions<F> | Derivative = {}>(
  f: CheckedBoth<F, O>,
  options?: O,
  derivative?: Derivative | Layout,
  layout?: Layout,
): CalledInto<F, O, JacobianBy<F, O, Result<F, O>>, Dense<F, O, JacobianBy<F, O, Result<F, O>>>>;
export function jacrev(f: unknown, ...added: readonly unknown[]): unknown {
  const call = callOf("jacrev", f, added, 1, jacrev);
  if (call.layout.whole === true) return call.fwd;
  return answering(call, (args) =>
    later(call.fwd(...args), (result: unknown) => {
      const parts: readonly unknown[] = Array.isArray(result) ? result : [];
      const [value, pullback, aux] = parts;
      if (!isDerived(pullback)) throw new Error("jacrev got no pullback");
      // An array of numbers is its own layout.
      const isFlat = Array.isArray(value) && value.every((one) => typeof one === "number");
      const count = isFlat ? value.length : numbersOf(value, call.layout).length;
      const unit = (r: number): unknown =>
        isFlat
          ? value.map((_, i) => (i === r ? 1 : 0))
          : cotangentOf(value, (i) => (i === r ? 1 : 0), call.layout);
      const rows = Array.from({ length: count }, (_, r): unknown => pullback(unit(r)));
      const by = (pick: (row: unknown) => unknown): unknown =>
        isFlat
          ? rows.map(pick)
          : rebuilt(value, (r) => pick(rows[r]), { ...call.layout, keepViews: false });
      return given(
        call,
        call.isList
          ? (call.argnums ?? []).map((_, a) =>
              by((row) => (Array.isArray(row) ? row[a] : undefined)),
            )
          : by((row) => row),
        aux,
      );
    }),
  );
}

/**
 * The Hessian of a function that returns a number: `(...args) => hessian`.
 *
 * It is taken by argument 0, or by the arguments that `argnums` names. It has the shape of the
 * gradient with the shape of the argument in place of each number: `H[i][j]` for arrays, `H.w[i].b`
 * for records. An array of `argnums` gives a tuple of tuples: `H[i][j]` is the derivative of the
 * gradient by the i-th listed argument, by the j-th. Forward over reverse: the gradient's forward
 * derivative runs once per number. With `hasAux: true`, `f` returns `[value, aux]`, and the result
 * is `[hessian, aux]`. A compile-time form: the build replaces the call, and options must be
 * literals. Follows Krawiec et al. Figures 3 and 4 over the reverse derivative of ksc notes §6.
 *
 * @throws Error `TSG0001` if the build has not replaced the call; Error if `f` writes its
 * arguments.
 * @example
 * const rosenbrock = (x: number[]): number => (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2;
 * hessian(rosenbrock)([1, 1]); // [[802, -400], [-400, 200]]
 */
export function hessian<F extends AnyFunction, const O extends IntoOptions<F> | Derivative = {}>(
  f: Checked<F, O>,
  options?: O,
  derivative?: Derivative | Layout,
  layout?: Layout,
): CalledInto<
  F,
  O,
  HessianBy<F, O>,
  Given<F, O extends WithAux ? [hessian: HessianBy<F, O>, aux: ResultAux<F>] : HessianBy<F, O>>
>;
export function hessian(f: unknown, ...added: readonly unknown[]): unknown {
  const call = callOf("hessian", f, added, 1, hessian);
  if (call.layout.whole === true) return call.fwd;
  return answering(call, (args) =>
    later(
      columnsOf("hessian", call, args, ({ value }) => value),
      ({ first, columns, asked }) => {
        const gradients = call.isList && Array.isArray(first.value) ? first.value : [first.value];
        const firstRow = gradients.map((_, i) =>
          gradients
            .slice(0, i)
            .reduce((sum: number, gradient) => sum + numbersOf(gradient, call.layout).length, 0),
        );
        // The gradient determines the numbers; one that the argument lacks has column -1.
        const places = asked.map((arg, a) =>
          numbersAlong(
            gradients[a],
            rebuilt(arg, (c) => c, { ...call.layout, keepViews: false }),
            call.layout,
            -1,
          ),
        );
        const block = (i: number, j: number): unknown =>
          rebuilt(
            gradients[i],
            (r) =>
              rebuilt(
                gradients[j],
                (c) => columns[j]?.[places[j]?.[c] ?? -1]?.[(firstRow[i] ?? 0) + r] ?? 0,
                { ...call.layout, leaves: "all" },
              ),
            { ...call.layout, leaves: "all", keepViews: false },
          );
        return given(
          call,
          call.isList
            ? gradients.map((_, i) => gradients.map((__, j) => block(i, j)))
            : block(0, 0),
          first.aux,
        );
      },
    ),
  );
}

/**
 * The product of the Hessian with a tangent: `(primals, tangent) => product`, without the Hessian.
 *
 * `primals` are the arguments of `f`. `tangent` and the product have the shape of argument 0, or of
 * the argument that `argnums` names; for an array of `argnums` they are tuples. Forward over
 * reverse: the cost is a small multiple of the cost of `f`, whatever the number of arguments. With
 * `hasAux: true`, `f` returns `[value, aux]`, and the result is `[product, aux]`. A compile-time
 * form: the build replaces the call, and options must be literals. Follows Krawiec et al. Figures 3
 * and 4 over the reverse derivative of ksc notes §6.
 *
 * @throws Error `TSG0001` if the build has not replaced the call; Error if the tangent does not
 * have the shape of its argument.
 * @example
 * const rosenbrock = (x: number[]): number => (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2;
 * hvp(rosenbrock)([[1, 1]], [1, 0]); // [802, -400]
 */
export function hvp<F extends AnyFunction, const O extends GradOptions<F> | Derivative = {}>(
  f: Checked<F, O>,
  options?: O,
  derivative?: Derivative | Layout,
  layout?: Layout,
): (
  primals: Readonly<Parameters<F>>,
  tangent: Asked<F, O>,
) => Given<F, O extends WithAux ? [product: Asked<F, O>, aux: ResultAux<F>] : Asked<F, O>>;
export function hvp(f: unknown, ...added: readonly unknown[]): unknown {
  const call = callOf("hvp", f, added, 1, hvp);
  const argnums = call.argnums ?? [0];
  return (primals: readonly unknown[], tangent: unknown) => {
    const tangents = call.isList && Array.isArray(tangent) ? tangent : [tangent];
    const asked = argnums.map((n) => primals[n]);
    const name = (a: number): string => (call.isList ? `tangent[${a}]` : "tangent");
    return later(
      push(
        call.fwd,
        primals,
        givenTangents(asked, tangents, call.layout, name),
        argnums.length,
        call.hasAux,
      ),
      (pushed) => given(call, pushed.tangent, pushed.aux),
    );
  };
}

/** The derivative as users call it. With `into: true` it takes the object to write first. */
function answering({ into, hasAux }: Call, derive: (args: readonly unknown[]) => unknown): Derived {
  return into
    ? (to, ...args) => written(to, derive(args), hasAux ? 0 : undefined)
    : (...args) => derive(args);
}

const given = (call: Call, derivative: unknown, aux: unknown): unknown =>
  call.hasAux ? [derivative, aux] : derivative;

/** `columns[a][c][r]`: result number r by number c of the a-th requested argument. */
interface Columns {
  readonly first: Push;
  readonly columns: readonly (readonly (readonly number[])[])[];
  readonly asked: readonly unknown[];
}

/** One run per number, or a single one for the result's shape. `along` orders a column. */
function columnsOf(
  form: string,
  call: Call,
  args: readonly unknown[],
  along: (first: Push) => unknown,
): Columns | PromiseLike<Columns> {
  const asked = (call.argnums ?? [0]).map((n) => args[n]);
  const counts = asked.map((arg) => numbersOf(arg, call.layout).length);
  const columns: number[][][] = asked.map(() => []);
  const check = unwritten(
    args,
    `${form} runs the function once per number of its arguments, and each run would start elsewhere; let the function copy what it writes`,
  );
  const runs: (readonly [a: number, c: number])[] = [];
  counts.forEach((count, a) => {
    for (let c = 0; c < count; c++) runs.push([a, c]);
  });
  let first: Push | undefined;
  const run = (at: number): unknown => {
    const [a, c] = runs[at] ?? [-1, -1];
    const tangents = asked.map((arg, k) =>
      tangentOf(arg, (i) => (k === a && i === c ? 1 : 0), call.layout),
    );
    return later(push(call.fwd, args, tangents, asked.length, call.hasAux), (pushed) => {
      if (first === undefined) check();
      first ??= pushed;
      columns[a]?.push(numbersAlong(along(first), pushed.tangent, call.layout));
    });
  };
  return later(inTurn(Math.max(runs.length, 1), run), () => {
    if (first === undefined) throw new Error(`${form} did not run`);
    return { first, columns, asked };
  });
}
