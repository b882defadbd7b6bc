// Array-level code for `map` and sums. Input: functions of elements, and arrays. Output: atoms.
// Invariant: a `map` has at most two arrays; a third one is paired with the second.

import {
  type ArrayBody,
  type ArrayBuilder,
  type ArrayLet,
  freeVars,
  type Lambda,
  lambda,
  operator,
} from "../../ir/array.ts";
import { NUM, num } from "../../ir/build.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { cotangentType, sumOf, NotExpressible, zeroOf } from "./vector-space.ts";

/** Where array code is written. */
export interface ArrayCode {
  readonly b: ArrayBuilder;
  readonly types: Types;
}

/** An array, and the parameter for its elements. */
interface Element {
  readonly array: Atom;
  readonly param: Var;
}

const storeOf = ({ type }: Atom, types: Types): string | null => {
  const shape = resolve(type, types);
  return shape.kind === "array" ? shape.store : null;
};

/** `map` of `fn` over the arrays that it reads; the result has the kind of `like`. */
export function mapOver(fn: Lambda, arrays: readonly Atom[], like: Type, code: ArrayCode): Atom {
  const { b, types } = code;
  const free = freeVars(fn.body);
  const shape = resolve(like, types);
  const isLike = ({ array }: Element): boolean =>
    shape.kind === "array" && storeOf(array, types) === shape.store;
  const all = arrays
    .map((array, i) => ({ array, param: fn.params[i] }))
    .filter((each): each is Element => each.param !== undefined);
  const read = all.filter(({ param }) => free.has(param.name));
  const head = read.find(isLike) ?? all.find(isLike);
  if (head === undefined) throw new NotExpressible("arrays of two kinds");
  const others = read.filter((each) => each !== head);
  const paired =
    others.length < 2 ? { each: [head, ...others], lets: [] } : pairedWith(head, others, code);
  const body: ArrayBody = { lets: [...paired.lets, ...fn.body.lets], result: fn.body.result };
  return b.let("t", cotangentType(like, types), {
    kind: "map",
    fn: { params: paired.each.map(({ param }) => param), body },
    arrays: paired.each.map(({ array }) => array),
  });
}

// map3(f, a, b, c)  ->  map2((x, r) => f(x, r.x, r.y), a, map2((x, y) => ({ x, y }), b, c))
function pairedWith(
  first: Element,
  others: readonly Element[],
  { b: { names, origin }, b, types }: ArrayCode,
): { readonly each: readonly Element[]; readonly lets: readonly ArrayLet[] } {
  const isPlain = ({ array }: Element): boolean => storeOf(array, types) === "Array";
  const [p, q, ...more] = others.toSorted((x, y) => Number(isPlain(y)) - Number(isPlain(x)));
  if (p === undefined || q === undefined || more.length > 0 || !isPlain(p))
    throw new NotExpressible("a map of three arrays");
  const type: Type = {
    kind: "record",
    fields: [
      { name: "x", type: p.param.type },
      { name: "y", type: q.param.type },
    ],
  };
  const params = [["x", p.param.type] as const, ["y", q.param.type] as const];
  const pair = lambda(names, origin, params, (inner, x, y) => {
    const fields = [
      { name: "x", value: x },
      { name: "y", value: y },
    ];
    return inner.let("t", type, { kind: "record", fields });
  });
  const array = b.let(
    "pairs",
    { kind: "array", store: "Array", elem: type },
    { kind: "map", fn: pair, arrays: [p.array, q.array] },
  );
  const r: Var = { kind: "var", name: names.fresh("r"), type };
  const read = (bind: Var, name: string): ArrayLet => ({
    bind,
    expr: { kind: "field", of: r, name },
    origin,
    adjoint: true,
  });
  return { each: [first, { array, param: r }], lets: [read(p.param, "x"), read(q.param, "y")] };
}

/** The sum of an array of numbers. */
export const sumItems = (items: Atom, { b }: ArrayCode): Atom =>
  b.let("t", NUM, {
    kind: "fold",
    fn: operator(b.names, b.origin, "add"),
    first: num(0),
    array: items,
  });

/** The sum of an array of cotangents of `of`. */
export function totalOf(of: Var, items: Atom, code: ArrayCode): Atom {
  const { b, types } = code;
  if (resolve(of.type, types).kind === "num") return sumItems(items, code);
  const type = cotangentType(of.type, types);
  const params = [["x", type] as const, ["y", type] as const];
  const fn = lambda(b.names, b.origin, params, (inner, x, y) =>
    sumOf([x, y], of.type, "t", { b: inner, types }),
  );
  return b.let("t", type, { kind: "fold", fn, first: zeroOf(b, of, types), array: items });
}
