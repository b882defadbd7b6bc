// The rewrites of array programs. In: one expression, with what its operands are made by. Out: another one, an atom, or null where none applies.
// Invariant: primal code keeps every bit: what holds of real numbers only asks for `adjoint`. Each rewrite stands above its code as `before  ->  after`.
// Huot and Shaikhha, Figure 12, and the steps of their §A.6.

import {
  type ArrayExpr,
  type ArrayLet,
  freeVars,
  type Fresh,
  freshLambda,
  type Lambda,
  operatorOf,
  substitute,
} from "../../ir/array.ts";
import { num, NUM } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";

export interface Around {
  readonly types: Types;
  readonly names: Fresh;
  /** What a name is bound to, here or further out. */
  made(atom: Atom): ArrayExpr | null;
  /** How often a name is read. */
  uses(atom: Atom): number;
  readonly adjoint: boolean;
}

/** `lets`: what has to stand before it. */
export type Rewritten =
  | { readonly atom: Atom }
  | { readonly expr: ArrayExpr; readonly lets?: readonly Omit<ArrayLet, "origin">[] };

const to = (atom: Atom): Rewritten => ({ atom });

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

const isNum = (atom: Atom | undefined, value: number): boolean =>
  atom?.kind === "const" && atom.value === value;
const isNumber = (atom: Atom | undefined): atom is Atom & { kind: "const"; value: number } =>
  atom?.kind === "const" && typeof atom.value === "number";
const sameVar = (x: Atom, y: Atom): boolean =>
  x.kind === "var" && y.kind === "var" && x.name === y.name;
const isArithmetic = (op: string): boolean =>
  op === "add" || op === "sub" || op === "mul" || op === "div" || op === "neg";

/** Algebraic simplifications of cotangent code. */
function scalar(expr: ArrayExpr & { kind: "op" }, around: Around): Rewritten | null {
  const [x, y, z] = expr.args;
  if (x === undefined) return null;
  const op = (name: "sub" | "neg" | "mul" | "div", ...args: readonly Atom[]): Rewritten => ({
    expr: { kind: "op", op: name, args },
  });
  // -x * y  ->  -(x * y)        x * -y  ->  -(x * y)        and of quotients        (the negative is read here only)
  const outward = (
    p: Atom,
    q: Atom | undefined,
    make: (p: Atom, q: Atom) => Rewritten,
  ): Rewritten | null => {
    const once = (atom: Atom): Atom | null => (around.uses(atom) === 1 ? negative(atom) : null);
    const [left, right] = [once(p), q === undefined ? null : once(q)];
    if (q === undefined || (left === null) === (right === null))
      return left !== null && right !== null ? make(left, right) : null;
    const product: Var = { kind: "var", name: around.names.fresh("t"), type: NUM };
    const made = make(left ?? p, right ?? q);
    return "atom" in made
      ? null
      : {
          lets: [{ bind: product, expr: made.expr, adjoint: true }],
          expr: { kind: "op", op: "neg", args: [product] },
        };
  };
  const negative = (atom: Atom | undefined): Atom | null => {
    const made = atom === undefined ? null : around.made(atom);
    return made?.kind === "op" && made.op === "neg" ? (made.args[0] ?? null) : null;
  };
  // 2 * 3  ->  6
  if (isArithmetic(expr.op) && expr.args.every((arg) => isNumber(arg))) {
    const value = OPS[expr.op].eval(expr.args.map((arg) => (isNumber(arg) ? arg.value : NaN)));
    if (typeof value === "number" && Number.isFinite(value)) return to(num(value));
  }
  switch (expr.op) {
    case "mul":
      // 0 * e  ->  0
      if (isNum(x, 0) || isNum(y, 0)) return to(num(0));
      // 1 * e  ->  e
      if (isNum(x, 1) && y !== undefined) return to(y);
      if (isNum(y, 1)) return to(x);
      // -1 * e  ->  -e
      if (isNum(x, -1) && y !== undefined) return op("neg", y);
      if (isNum(y, -1)) return op("neg", x);
      return outward(x, y, (p, q) => op("mul", p, q));
    case "add": {
      // 0 + e  ->  e
      if (isNum(x, 0) && y !== undefined) return to(y);
      if (isNum(y, 0)) return to(x);
      // x + -y  ->  x - y
      const [p, q] = [negative(x), negative(y)];
      return q !== null ? op("sub", x, q) : p !== null && y !== undefined ? op("sub", y, p) : null;
    }
    case "sub": {
      // e - 0  ->  e        0 - e  ->  -e        x - -y  ->  x + y
      if (isNum(y, 0)) return to(x);
      if (isNum(x, 0) && y !== undefined) return op("neg", y);
      const q = negative(y);
      return q === null ? null : { expr: { kind: "op", op: "add", args: [x, q] } };
    }
    // e / 1  ->  e
    case "div":
      return isNum(y, 1) ? to(x) : outward(x, y, (p, q) => op("div", p, q));
    // -(-e)  ->  e
    case "neg": {
      const inner = negative(x);
      return inner === null ? null : to(inner);
    }
    // c ? e : e  ->  e
    case "select":
      return y !== undefined &&
        z !== undefined &&
        (sameVar(y, z) || (isNumber(y) && isNumber(z) && Object.is(y.value, z.value)))
        ? to(y)
        : null;
    default:
      return null;
  }
}

// { f: e }.f  ->  e
function ofRecord({ of, name }: ArrayExpr & { kind: "field" }, around: Around): Rewritten | null {
  const made = around.made(of);
  const value =
    made?.kind === "record" ? made.fields.find((field) => field.name === name)?.value : undefined;
  return value === undefined ? null : to(value);
}

// { f: r.f, g: r.g }  ->  r        (r has no other fields)
function ofFields({ fields }: ArrayExpr & { kind: "record" }, around: Around): Rewritten | null {
  const sources = fields.map(({ name, value }) => {
    const made = around.made(value);
    return made?.kind === "field" && made.name === name ? made.of : null;
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

/** The array whose size an array has, as far as it is known by how it is made. */
function source(array: Atom, around: Around): Atom {
  const made = around.made(array);
  if (made?.kind === "map" && made.arrays[0] !== undefined) return source(made.arrays[0], around);
  // a scan has one element more, its shift has not
  const scan = made?.kind === "shift" ? around.made(made.array) : null;
  if (
    made?.kind === "shift" &&
    scan?.kind === "scan" &&
    scan.from === (made.side === "left" ? "right" : "left")
  )
    return source(scan.array, around);
  return made?.kind === "fill"
    ? source(made.like, around)
    : made?.kind === "copy"
      ? source(made.of, around)
      : array;
}

// size(map(f, a))  ->  size(a)
function sizeOf({ of }: ArrayExpr & { kind: "size" }, around: Around): Rewritten | null {
  const from = source(of, around);
  return sameVar(from, of) ? null : { expr: { kind: "size", of: from } };
}

// check(map(f, a), b)  ->  check(a, b)
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

// fill(c, map(f, a))  ->  fill(c, a)        (a of the same kind)
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

// map2(f, a, fill(c, b))  ->  map(x => f(x, c), a)        (of which map2(*, A, OnesLike(B)) -> A and map2(+, A, ZerosLike(B)) -> A are cases)
function mapOfFill({ fn, arrays }: ArrayExpr & { kind: "map" }, around: Around): Rewritten | null {
  for (const [i, array] of arrays.entries()) {
    const made = around.made(array);
    const param = fn.params[i];
    if (
      made?.kind !== "fill" ||
      param === undefined ||
      resolve(param.type, around.types).kind !== "num" ||
      !freeVars(fn.body).has(param.name)
    )
      continue;
    return {
      expr: {
        kind: "map",
        fn: { params: fn.params, body: substitute(fn.body, new Map([[param.name, made.value]])) },
        arrays,
      },
    };
  }
  return null;
}

// map2(f, a, a)  ->  map(x => f(x, x), a)
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

// map2((x, y) => e, a, b)  ->  map(x => e, a)        (y not in e)
function unread(
  { fn, arrays }: ArrayExpr & { kind: "map" },
  type: Type,
  around: Around,
): Rewritten | null {
  if (arrays.length < 2) return null;
  const free = freeVars(fn.body);
  const kept = arrays.flatMap((array, i) => {
    const param = fn.params[i];
    return param !== undefined && free.has(param.name) ? [{ array, param }] : [];
  });
  const fits = (array: Atom): boolean =>
    storeOf(array.type, around.types) === storeOf(type, around.types);
  const [head] = kept;
  const chosen =
    kept.length === 0
      ? arrays
          .flatMap((array, i) => {
            const param = fn.params[i];
            return fits(array) && param !== undefined ? [{ array, param }] : [];
          })
          .slice(0, 1)
      : kept;
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

// map(x => x, a)  ->  a
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

// map(x => { const t = e; … }, a)  ->  const t = e; map(x => …, a)        (x not in e)
function invariant(expr: ArrayExpr & { kind: "map" | "fold" | "scan" }): Rewritten | null {
  const split = hoisted(expr.fn);
  return split === null ? null : { expr: { ...expr, fn: split.fn }, lets: split.lets };
}

/** The part of a function's body that is the same in all rounds, and the rest. */
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

// map(x => c, a)  ->  fill(c, a)
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

// map(f, map2(g, a, b))  ->  map2((x, y) => f(g(x, y)), a, b)        (the inner array is read here only; at most two arrays)
function fused(
  { fn, arrays }: ArrayExpr & { kind: "map" },
  type: Type,
  around: Around,
): Rewritten | null {
  for (const [i, array] of arrays.entries()) {
    const made = around.made(array);
    const param = fn.params[i];
    if (made?.kind !== "map" || param === undefined || around.uses(array) !== 1) continue;
    const inner = freshLambda(made.fn, around.names);
    const pairs = [
      ...arrays.flatMap((other, j) => {
        const own = fn.params[j];
        return j === i || own === undefined ? [] : [{ array: other, param: own }];
      }),
      ...made.arrays.flatMap((other, j) => {
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

/** An array of the result's kind in front; null where there is none. */
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
  const made = around.made(array);
  if (made?.kind === "fill" && (op === "add" || op === "mul")) {
    // reduce(+, v, ZerosLike(a))  ->  v        reduce(*, v, OnesLike(a))  ->  v
    if (isNum(made.value, op === "add" ? 0 : 1) && (around.adjoint || op === "mul"))
      return to(first);
    // sum(fill(c, a))  ->  c * size(a)        (also of what is empty)
    if (op === "add" && around.adjoint && isNum(first, 0)) {
      const size: Var = { kind: "var", name: around.names.fresh("n"), type: NUM };
      return {
        lets: [{ bind: size, expr: { kind: "size", of: made.like }, adjoint: true }],
        expr: { kind: "op", op: "mul", args: [made.value, size] },
      };
    }
  }
  return invariant(expr);
}

// shift1L(scanr(*, v, OnesLike(a)))  ->  fill(v, a)        shift1R(scanl(*, v, OnesLike(a)))  ->  fill(v, a)
function shift({ array, side }: ArrayExpr & { kind: "shift" }, around: Around): Rewritten | null {
  const scan = around.made(array);
  if (
    scan?.kind !== "scan" ||
    scan.from !== (side === "left" ? "right" : "left") ||
    operatorOf(scan.fn) !== "mul"
  )
    return null;
  const items = around.made(scan.array);
  return items?.kind === "fill" && isNum(items.value, 1)
    ? { expr: { kind: "fill", value: scan.first, like: items.like } }
    : null;
}

// c ? e : e  ->  e
function choose({ cond, then, else: otherwise }: ArrayExpr & { kind: "choose" }): Rewritten | null {
  // true ? e : d  ->  e
  if (cond.kind === "const" && then.lets.length === 0 && otherwise.lets.length === 0)
    return to(cond.value === true ? then.result : otherwise.result);
  if (then.lets.length > 0 || otherwise.lets.length > 0) return null;
  const [p, q] = [then.result, otherwise.result];
  return sameVar(p, q) || (isNumber(p) && isNumber(q) && Object.is(p.value, q.value))
    ? to(p)
    : null;
}
