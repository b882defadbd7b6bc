// Solvers of `tsgrad/implicit` in rewritten code. The solver runs on constants. The solution x of
// F(x) = 0 then depends on what F reads as x - J⁻¹ F(x) does, with the Jacobian J as a constant:
// each recorded step of this kind makes one more order of derivatives exact.

import { solved } from "../implicit/linear.ts";
import { entriesOf, stateLike, type State } from "../implicit/state.ts";
import { copied } from "./copy.ts";
import { applied, deltaOf, link } from "./dispatch.ts";
import { givenFunction } from "./given-functions.ts";
import { higher2, higherN } from "./higher/nodes.ts";
import { idAt, setIds } from "./natives/elements.ts";
import { id, ret } from "./register.ts";
import { begin, end } from "./runs.ts";
import { run } from "./store.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

type Numbers = readonly [values: readonly number[], ids: readonly Id[]];

/** The numbers of a state; the id of one that is a number is in the register. */
const numbersOf = (state: State): Numbers =>
  typeof state === "number"
    ? [[state], [id]]
    : [entriesOf(state), entriesOf(state).map((value, k) => idAt(state, k, value))];

function given(state: State, ids: readonly Id[]): State {
  if (typeof state === "number") return ret(state, ids[0] ?? 0);
  setIds(state, ids);
  return ret(state, 0);
}

/** Of each solver: the solution by constants, and the function whose root it is. */
interface Equation {
  readonly solution: () => State;
  readonly residual: DeltaFunction;
}

export type Solver = (f: Value, args: Value[], ids: readonly Id[]) => Equation;

/** `residual`: what vanishes at the solution, of the function as rewritten code calls it. */
export const ofFunction =
  (residual: (called: DeltaFunction) => DeltaFunction): Solver =>
  (solver, [f, start, params, options], [, , paramsId]) => {
    const called = ([xId, own]: Id[], x: Value): State =>
      applied(f, undefined, params === undefined ? [x] : [x, params], [xId ?? 0, own ?? 0]);
    const plain = (x: Value): State => copied([called([0, 0], x)])[0];
    return {
      solution: () => solver(plain, copied([start])[0], undefined, options),
      residual: ([xId], x) => residual(called)([xId ?? 0, paramsId ?? 0], x),
    };
  };

const ofFixedPoint = /* @__PURE__ */ ofFunction((called) => (ids, x: Value) => {
  const y: State = called(ids, x);
  return difference(y, numbersOf(y), numbersOf(ret(x, ids[0] ?? 0)));
});

function difference(like: State, [y, yIds]: Numbers, [x, xIds]: Numbers): State {
  return given(
    stateLike(
      like,
      y.map((value, k) => value - (x[k] ?? NaN)),
    ),
    y.map((_, k) => higher2(yIds[k] ?? 0, 1, 0, xIds[k] ?? 0, -1, 0)),
  );
}

const ofSystem: Solver = (solver, [a, b]) => ({
  solution: () => solver(a, b),
  residual: (_ids, x: Value): Value => {
    const [values, ids] = numbersOf(x);
    const products = a.map((row: Value): readonly [number, Id] => {
      let [sum, sumId] = [0, 0];
      values.forEach((value, j) => {
        const own = higher2(
          idAt(row, j, row[j]),
          value,
          ids[j] ?? 0,
          ids[j] ?? 0,
          row[j],
          idAt(row, j, row[j]),
        );
        sum += row[j] * value;
        sumId = higher2(sumId, 1, 0, own, 1, 0);
      });
      return [sum, sumId];
    });
    const left: Numbers = [
      products.map(([sum]: [number]) => sum),
      products.map(([, own]: [number, Id]) => own),
    ];
    return difference(x, left, numbersOf(b));
  },
});

export const SOLVERS: Readonly<Record<string, Solver>> = {
  fixedPoint: ofFixedPoint,
  rootFind: /* @__PURE__ */ ofFunction((called) => called),
  solveLinear: ofSystem,
};

/** The solver, linked with its derivative. */
export function solver<F>(f: F, name: string, solvers: typeof SOLVERS = SOLVERS): F {
  const of = solvers[name];
  if (of === undefined || deltaOf(f) !== undefined) return f;
  return link(f as Value, (ids: Id[], ...args: Value[]) => {
    const { solution, residual } = of(f, args, ids);
    const root = quietly(solution);
    const values = entriesOf(root);
    const inverse = inverseOf(root, residual);
    let own: readonly Id[] = values.map(() => 0);
    for (let order = 0; order <= run.depth; order++) {
      const x = given(copied([root])[0], own);
      const [, errors] = numbersOf(residual([typeof x === "number" ? (own[0] ?? 0) : 0], x));
      own = own.map((before, i) =>
        higherN([before, ...errors], [1, ...(inverse[i] ?? []).map((entry) => -entry)], []),
      );
    }
    return given(root, own);
  }) as F;
}

/** Runs the solver unrecorded, as far as it is not within another derivative. */
function quietly(solution: () => State): State {
  if (run.depth > 0 || run.isInner) return copied([solution()])[0];
  const own = begin();
  try {
    return copied([solution()])[0];
  } finally {
    end(own);
  }
}

/** The rows of J⁻¹ at the root. */
function inverseOf(root: State, residual: DeltaFunction): readonly (readonly number[])[] {
  const plain: Value = link((x: Value): Value => residual([0], x), residual);
  const [y, pull]: Value = givenFunction(plain, () => undefined).vjp(copied([root])[0]);
  const units = entriesOf(y).map((_, i) => entriesOf(y).map((_, j) => (i === j ? 1 : 0)));
  const rows = units.map((unit) => entriesOf(pull(stateLike(y, unit))[0]));
  const columns = units.map((unit) => solved(rows, unit, SINGULAR));
  return rows.map((_, i) => columns.map((column) => column[i] ?? NaN));
}

const SINGULAR =
  "the Jacobian at a solution is singular, so the solution is not a function of the parameters there";
