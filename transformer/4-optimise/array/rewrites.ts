// The rewrites of array programs. The result is another expression, an atom, or null where none
// applies. Invariant: primal code keeps every bit; rewrites that hold only for real numbers require
// `adjoint`. Huot and Shaikhha, Figure 12, and the steps of their §A.6.

import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  freeVars,
  freshBody,
  freshLambda,
  type Lambda,
  operatorOf,
  substitute,
} from "../../ir/array.ts";
import { num, NUM } from "../../ir/build.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import {
  type Around,
  isNum,
  type Rewritten,
  sameValue,
  sameVar,
  scalar,
  to,
} from "./scalar-rewrites.ts";

export function rewrite(expr: ArrayExpr, type: Type, around: Around): Rewritten | null {
  switch (expr.kind) {
    case "op":
      return around.adjoint ? scalar(expr, around) : null;
    case "field":
      return ofRecord(expr, around);
    case "size":
      return sizeOf(expr, around);
    case "map":
      return map(expr, type, around);
    case "fold":
      return fold(expr, around);
    case "shift":
      return shift(expr, around);
    case "fill":
      return fill(expr, around);
    case "choose":
      return choose(expr);
    case "record":
      return ofFields(expr, around);
    case "check":
      return compared(expr, around);
    case "scan":
    case "tuple":
    case "copy":
      return null;
  }
}

// { f: e }.f   ->   e
function ofRecord({ of, name }: ArrayExpr & { kind: "field" }, around: Around): Rewritten | null {
  const def = around.definition(of);
  const value =
    def?.kind === "record" ? def.fields.find((field) => field.name === name)?.value : undefined;
  return value === undefined ? null : to(value);
}

// { f: r.f, g: r.g }   ->   r, where r has no other fields
function ofFields({ fields }: ArrayExpr & { kind: "record" }, around: Around): Rewritten | null {
  const sources = fields.map(({ name, value }) => {
    const def = around.definition(value);
    return def?.kind === "field" && def.name === name ? def.of : null;
  });
  const [first] = sources;
  if (
    first === undefined ||
    first === null ||
    !sources.every((source) => source !== null && sameVar(source, first))
  )
    return null;
  const shape = resolve(first.type, around.types);
  return shape.kind === "record" && shape.fields.length === fields.length ? to(first) : null;
}

/** The array that has the size of an array by construction. */
function source(array: Atom, around: Around): Atom {
  const def = around.definition(array);
  switch (def?.kind) {
    case "map":
      return def.arrays[0] === undefined ? array : source(def.arrays[0], around);
    // A scan has one element more than its array, and its shift has not.
    case "shift": {
      const scan = shiftedScan(def, around);
      return scan === null ? array : source(scan.array, around);
    }
    case "fill":
      return source(def.like, around);
    case "copy":
      return source(def.of, around);
    default:
      return array;
  }
}

/** The scan whose last result a shift removes. */
function shiftedScan(
  { array, side }: ArrayExpr & { kind: "shift" },
  around: Around,
): (ArrayExpr & { kind: "scan" }) | null {
  const scan = around.definition(array);
  return scan?.kind === "scan" && scan.from === (side === "left" ? "right" : "left") ? scan : null;
}

// size(map(f, a))   ->   size(a)
function sizeOf({ of }: ArrayExpr & { kind: "size" }, around: Around): Rewritten | null {
  const from = source(of, around);
  return sameVar(from, of) ? null : { expr: { kind: "size", of: from } };
}

// check(map(f, a), b)   ->   check(a, b)
function compared({ a, b }: ArrayExpr & { kind: "check" }, around: Around): Rewritten | null {
  const [x, y] = [source(a, around), source(b, around)];
  return sameVar(x, a) && sameVar(y, b) ? null : { expr: { kind: "check", a: x, b: y } };
}

const storeOf = (type: Type, types: Types): string | null => {
  const shape = resolve(type, types);
  return shape.kind === "array" ? shape.store : null;
};
const elemOf = (type: Type, types: Types): Type => {
  const shape = resolve(type, types);
  return shape.kind === "array" ? shape.elem : NUM;
};

// fill(c, map(f, a))   ->   fill(c, a), where a is of the same kind
function fill({ value, like }: ArrayExpr & { kind: "fill" }, around: Around): Rewritten | null {
  const { types } = around;
  const from = source(like, around);
  if (
    sameVar(from, like) ||
    storeOf(from.type, types) !== storeOf(like.type, types) ||
    elemOf(from.type, types).kind !== "num" ||
    elemOf(like.type, types).kind !== "num"
  )
    return null;
  return { expr: { kind: "fill", value, like: from } };
}

function map(expr: ArrayExpr & { kind: "map" }, type: Type, around: Around): Rewritten | null {
  return (
    mapOfFill(expr, around) ??
    mapOfOne(expr) ??
    unread(expr, type, around) ??
    identity(expr, type, around) ??
    invariant(expr) ??
    constant(expr, type, around) ??
    fused(expr, type, around)
  );
}

// map2(f, a, fill(c, b))   ->   map(x => f(x, c), a)
// In the paper: map2(*, A, OnesLike(B)) -> A and map2(+, A, ZerosLike(B)) -> A.
function mapOfFill({ fn, arrays }: ArrayExpr & { kind: "map" }, around: Around): Rewritten | null {
  for (const [i, array] of arrays.entries()) {
    const def = around.definition(array);
    const param = fn.params[i];
    if (
      def?.kind !== "fill" ||
      param === undefined ||
      resolve(param.type, around.types).kind !== "num" ||
      !freeVars(fn.body).has(param.name)
    )
      continue;
    return {
      expr: {
        kind: "map",
        fn: { params: fn.params, body: substitute(fn.body, new Map([[param.name, def.value]])) },
        arrays,
      },
    };
  }
  return null;
}

// map2(f, a, a)   ->   map(x => f(x, x), a)
function mapOfOne({ fn, arrays }: ArrayExpr & { kind: "map" }): Rewritten | null {
  const [a, b] = arrays;
  const [x, y] = fn.params;
  if (a === undefined || b === undefined || x === undefined || y === undefined || !sameVar(a, b))
    return null;
  return {
    expr: {
      kind: "map",
      fn: { params: [x], body: substitute(fn.body, new Map([[y.name, x]])) },
      arrays: [a],
    },
  };
}

// map2((x, y) => e, a, b)   ->   map(x => e, a), where e does not read y
function unread(
  { fn, arrays }: ArrayExpr & { kind: "map" },
  type: Type,
  around: Around,
): Rewritten | null {
  if (arrays.length < 2) return null;
  const free = freeVars(fn.body);
  const read = arrays.flatMap((array, i) => {
    const param = fn.params[i];
    return param !== undefined && free.has(param.name) ? [{ array, param }] : [];
  });
  const fits = (array: Atom): boolean =>
    storeOf(array.type, around.types) === storeOf(type, around.types);
  const [head] = read;
  const chosen =
    read.length === 0
      ? arrays
          .flatMap((array, i) => {
            const param = fn.params[i];
            return fits(array) && param !== undefined ? [{ array, param }] : [];
          })
          .slice(0, 1)
      : read;
  if (
    chosen.length === 0 ||
    chosen.length === arrays.length ||
    (head !== undefined && !fits(head.array))
  )
    return null;
  return {
    expr: {
      kind: "map",
      fn: { params: chosen.map(({ param }) => param), body: fn.body },
      arrays: chosen.map(({ array }) => array),
    },
  };
}

// map(x => x, a)   ->   a
function identity(
  { fn, arrays }: ArrayExpr & { kind: "map" },
  type: Type,
  around: Around,
): Rewritten | null {
  const { lets, result } = fn.body;
  const at = fn.params.findIndex((param) => sameVar(param, result));
  const array = arrays[at];
  return lets.length > 0 ||
    array === undefined ||
    storeOf(array.type, around.types) !== storeOf(type, around.types)
    ? null
    : to(array);
}

// map(x => { const t = e; … }, a)   ->   const t = e; map(x => …, a), where e does not read x
function invariant(expr: ArrayExpr & { kind: "map" | "fold" | "scan" }): Rewritten | null {
  const split = hoisted(expr.fn);
  return split === null ? null : { expr: { ...expr, fn: split.fn }, lets: split.lets };
}

/** The loop-invariant part of a function's body, and the rest. */
export function hoisted(
  fn: Lambda,
): { readonly fn: Lambda; readonly lets: readonly ArrayLet[] } | null {
  const own = new Set(fn.params.map(({ name }) => name));
  const lets: ArrayLet[] = [];
  const rest: ArrayLet[] = [];
  for (const each of fn.body.lets) {
    const free = freeVars({ lets: [each], result: num(0) });
    const isFixed =
      (each.expr.kind === "op" || each.expr.kind === "field" || each.expr.kind === "size") &&
      ![...free.keys()].some((name) => own.has(name));
    if (isFixed) lets.push(each);
    else {
      own.add(each.bind.name);
      rest.push(each);
    }
  }
  return lets.length === 0
    ? null
    : { lets, fn: { params: fn.params, body: { lets: rest, result: fn.body.result } } };
}

// map(x => c, a)   ->   fill(c, a)
function constant(
  { fn, arrays }: ArrayExpr & { kind: "map" },
  type: Type,
  around: Around,
): Rewritten | null {
  const [array] = arrays;
  const { lets, result } = fn.body;
  if (
    array === undefined ||
    lets.length > 0 ||
    result.type.kind !== "num" ||
    fn.params.some((param) => sameVar(param, result))
  )
    return null;
  if (
    elemOf(array.type, around.types).kind !== "num" ||
    storeOf(array.type, around.types) !== storeOf(type, around.types)
  )
    return null;
  return { expr: { kind: "fill", value: result, like: array } };
}

// map(f, map2(g, a, b))   ->   map2((x, y) => f(g(x, y)), a, b)
// The inner array is read here only, and at most two arrays remain.
function fused(
  { fn, arrays }: ArrayExpr & { kind: "map" },
  type: Type,
  around: Around,
): Rewritten | null {
  for (const [i, array] of arrays.entries()) {
    const def = around.definition(array);
    const param = fn.params[i];
    if (def?.kind !== "map" || param === undefined || around.uses(array) !== 1) continue;
    const inner = freshLambda(def.fn, around.names);
    const pairs = [
      ...arrays.flatMap((other, j) => {
        const own = fn.params[j];
        return j === i || own === undefined ? [] : [{ array: other, param: own }];
      }),
      ...def.arrays.flatMap((other, j) => {
        const own = inner.params[j];
        return own === undefined ? [] : [{ array: other, param: own }];
      }),
    ];
    const distinct: { array: Atom; param: Var }[] = [];
    const renaming = new Map<string, Atom>();
    for (const pair of pairs) {
      const known = distinct.find((other) => sameVar(other.array, pair.array));
      if (known === undefined) distinct.push(pair);
      else renaming.set(pair.param.name, known.param);
    }
    const rest = substitute(fn.body, new Map([[param.name, inner.body.result]]));
    const body = substitute(
      { lets: [...inner.body.lets, ...rest.lets], result: rest.result },
      renaming,
    );
    const read = freeVars(body);
    const ordered =
      ofKindFirst(
        distinct.filter((pair) => read.has(pair.param.name)),
        type,
        around.types,
      ) ?? ofKindFirst(distinct, type, around.types);
    if (ordered === null || ordered.length > 2) continue;
    return {
      expr: {
        kind: "map",
        fn: { params: ordered.map((pair) => pair.param), body },
        arrays: ordered.map((pair) => pair.array),
      },
    };
  }
  return null;
}

/** The pairs, with an array of the result's kind first; null if there is none. */
function ofKindFirst(
  pairs: readonly { array: Atom; param: Var }[],
  type: Type,
  types: Types,
): readonly { array: Atom; param: Var }[] | null {
  const head = pairs.find(({ array }) => storeOf(array.type, types) === storeOf(type, types));
  return head === undefined ? null : [head, ...pairs.filter((pair) => pair !== head)];
}

function fold(expr: ArrayExpr & { kind: "fold" }, around: Around): Rewritten | null {
  const { fn, first, array } = expr;
  const op = operatorOf(fn);
  const def = around.definition(array);
  if (def?.kind === "fill" && (op === "add" || op === "mul")) {
    // reduce(+, v, ZerosLike(a))   ->   v;   reduce(*, v, OnesLike(a))   ->   v
    if (isNum(def.value, op === "add" ? 0 : 1) && (around.adjoint || op === "mul"))
      return to(first);
    // sum(fill(c, a))   ->   c * size(a), also for an empty a
    if (op === "add" && around.adjoint && isNum(first, 0)) {
      const size: Var = { kind: "var", name: around.names.fresh("n"), type: NUM };
      return {
        lets: [{ bind: size, expr: { kind: "size", of: def.like }, adjoint: true }],
        expr: { kind: "op", op: "mul", args: [def.value, size] },
      };
    }
  }
  return invariant(expr);
}

// shift1L(scanr(*, v, OnesLike(a)))   ->   fill(v, a)
// shift1R(scanl(*, v, OnesLike(a)))   ->   fill(v, a)
function shift(expr: ArrayExpr & { kind: "shift" }, around: Around): Rewritten | null {
  const scan = shiftedScan(expr, around);
  if (scan === null || operatorOf(scan.fn) !== "mul") return null;
  const items = around.definition(scan.array);
  return items?.kind === "fill" && isNum(items.value, 1)
    ? { expr: { kind: "fill", value: scan.first, like: items.like } }
    : null;
}

// c ? e : e   ->   e
function choose({ cond, then, else: otherwise }: ArrayExpr & { kind: "choose" }): Rewritten | null {
  // true ? e : d   ->   e
  if (cond.kind === "const" && then.lets.length === 0 && otherwise.lets.length === 0)
    return to(cond.value === true ? then.result : otherwise.result);
  if (sameValue(then.result, otherwise.result) && then.lets.length + otherwise.lets.length === 0)
    return to(then.result);
  // c ? { let x = d; e } : { let x = d; e }   ->   let x = d in e
  const last = then.lets.at(-1);
  return last !== undefined && sameVar(then.result, last.bind) && isAlike(then, otherwise)
    ? { lets: then.lets.slice(0, -1), expr: last.expr }
    : null;
}

/** Whether two bodies differ only in the names that they bind. */
function isAlike(one: ArrayBody, other: ArrayBody): boolean {
  const textOf = (body: ArrayBody): string => {
    let next = 0;
    return JSON.stringify(freshBody(body, { fresh: () => `#${next++}` }), (key, value: unknown) =>
      key === "origin" || key === "adjoint" ? undefined : value,
    );
  };
  return one.lets.length === other.lets.length && textOf(one) === textOf(other);
}
