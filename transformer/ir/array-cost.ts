// The cost of an array program as a polynomial in the size n of its arrays: an upper bound, with
// the maximum of two branches. Huot and Shaikhha, Figure 11 (`Cost`) and §5.3 (`NAO`, Theorem 5.4:
// Cost(gradient) ≤ 4·3^p · Cost(primal) at nesting p).

import { type ArrayBody, type ArrayExpr, atomsOf, bodiesOf, type Lambda } from "./array.ts";
import { resolve, type Types } from "./shadow.ts";
import type { ScalarOp } from "./ops.ts";
import type { Type } from "./types.ts";

export interface Counts {
  readonly moves: number;
  readonly adds: number;
  readonly mults: number;
  readonly others: number;
}

/** Counts by degree: position 1 holds what happens n times. */
export type Cost = readonly Counts[];

const counts = (moves: number, adds = 0, mults = 0, others = 0): Counts => ({
  moves,
  adds,
  mults,
  others,
});
const NONE = counts(0);

const plus = (x: Counts, y: Counts): Counts =>
  counts(x.moves + y.moves, x.adds + y.adds, x.mults + y.mults, x.others + y.others);
const most = (x: Counts, y: Counts): Counts =>
  counts(
    Math.max(x.moves, y.moves),
    Math.max(x.adds, y.adds),
    Math.max(x.mults, y.mults),
    Math.max(x.others, y.others),
  );
const each = (x: Cost, y: Cost, join: (x: Counts, y: Counts) => Counts): Cost =>
  Array.from({ length: Math.max(x.length, y.length) }, (_, i) => join(x[i] ?? NONE, y[i] ?? NONE));
const sum = (...costs: readonly Cost[]): Cost => costs.reduce((x, y) => each(x, y, plus), []);
/** The cost of n executions. */
const times = (cost: Cost): Cost => [NONE, ...cost];

const totalOf = ({ moves, adds, mults, others }: Counts): number => moves + adds + mults + others;

export const costAt = (cost: Cost, n: number): number =>
  cost.reduce((total, counted, degree) => total + totalOf(counted) * n ** degree, 0);

const ADDING: ReadonlySet<ScalarOp> = new Set<ScalarOp>([
  "add",
  "sub",
  "neg",
  "plus",
  "lt",
  "le",
  "gt",
  "ge",
  "eq",
  "ne",
  "looseEq",
  "looseNe",
  "not",
  "and",
  "or",
]);

export function costOf(body: ArrayBody, types: Types): Cost {
  return sum(
    ...body.lets.map(({ expr, bind }) => sum([counts(1)], ofExpr(expr, bind.type, types))),
    [counts(1)],
  );
}

function ofExpr(expr: ArrayExpr, type: Type, types: Types): Cost {
  const atoms: Cost = [counts(atomsOf(expr).length)];
  const called = (fn: Lambda, own: number): Cost =>
    times(sum(costOf(fn.body, types), [counts(own)]));
  switch (expr.kind) {
    case "op":
      return sum(atoms, [ofOp(expr.op, expr.args.length)]);
    case "map":
    case "fold":
      return sum(atoms, called(expr.fn, 2));
    case "scan":
      return sum(atoms, called(expr.fn, 3));
    case "shift":
      return sum(atoms, times([counts(1)]));
    // A map of a function that reads one value.
    case "fill":
      return sum(atoms, times(inside(type, [counts(3)], types)));
    case "copy":
      return sum(atoms, times(inside(type, [counts(1)], types)));
    case "choose":
      return sum(atoms, each(costOf(expr.then, types), costOf(expr.else, types), most));
    case "field":
    case "record":
    case "tuple":
    case "size":
    case "check":
      return sum(atoms, [counts(1)]);
  }
}

const ofOp = (op: ScalarOp, arity: number): Counts =>
  ADDING.has(op)
    ? counts(arity + 1, 1)
    : op === "mul" || op === "div"
      ? counts(3, 0, 1)
      : op === "select"
        ? counts(arity + 1)
        : counts(arity + 1, 0, 0, 1);

/** Of an array of arrays, once per inner array. */
function inside(type: Type, cost: Cost, types: Types): Cost {
  const shape = resolve(type, types);
  const elem = shape.kind === "array" ? resolve(shape.elem, types) : shape;
  return elem.kind === "array" ? times(inside(elem, cost, types)) : cost;
}

/** How deeply vector functions are nested. */
export function nestingOf(body: ArrayBody): number {
  return Math.max(
    0,
    ...body.lets.map(({ expr }) => {
      const inner = Math.max(0, ...bodiesOf(expr).map(nestingOf));
      return expr.kind === "map" ||
        expr.kind === "fold" ||
        expr.kind === "scan" ||
        expr.kind === "fill"
        ? 1 + inner
        : inner;
    }),
  );
}

/** `12n² + 5n + 2` */
export function costText(cost: Cost): string {
  const terms = cost
    .map((counted, degree) => ({ total: totalOf(counted), degree }))
    .filter(({ total }) => total > 0)
    .reverse();
  const power = (degree: number): string =>
    degree === 0 ? "" : degree === 1 ? "n" : `n^${degree}`;
  return terms.map(({ total, degree }) => `${total}${power(degree)}`).join(" + ") || "0";
}
