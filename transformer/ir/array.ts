// Array programs: single-assignment code of vector functions and scalar operators, without memory.
// A function of that form (2-analyse/array-program.ts) has array code as its gradient. Arrays are
// immutable values; the size of a map is that of its first array. Huot and Shaikhha, Figures 2 and
// 3.

import { NUM } from "./build.ts";
import type { Names } from "./names.ts";
import type { ScalarOp } from "./ops.ts";
import type { Atom, Origin, Type, Var } from "./types.ts";

/** A source of fresh names, such as `Names`. */
export interface Fresh {
  fresh(preferred: string): string;
}

export interface Lambda {
  readonly params: readonly Var[];
  readonly body: ArrayBody;
}

export type ArrayExpr =
  | { readonly kind: "op"; readonly op: ScalarOp; readonly args: readonly Atom[] }
  | { readonly kind: "field"; readonly of: Atom; readonly name: string }
  | {
      readonly kind: "record";
      readonly fields: readonly { readonly name: string; readonly value: Atom }[];
    }
  | { readonly kind: "tuple"; readonly elems: readonly Atom[] }
  | { readonly kind: "size"; readonly of: Atom }
  /** `map` of one array, `map2` of two. */
  | { readonly kind: "map"; readonly fn: Lambda; readonly arrays: readonly Atom[] }
  /** `foldl`, `reduce` */
  | { readonly kind: "fold"; readonly fn: Lambda; readonly first: Atom; readonly array: Atom }
  /** `scanl`, `scanr`: the result has one more element than the array. */
  | {
      readonly kind: "scan";
      readonly fn: Lambda;
      readonly first: Atom;
      readonly array: Atom;
      readonly from: "left" | "right";
    }
  | { readonly kind: "shift"; readonly array: Atom; readonly side: "left" | "right" }
  /** `like` with the value in place of each number. It may be an array of arrays. */
  | { readonly kind: "fill"; readonly value: Atom; readonly like: Atom }
  | {
      readonly kind: "choose";
      readonly cond: Atom;
      readonly then: ArrayBody;
      readonly else: ArrayBody;
    }
  /** A new deep copy. */
  | { readonly kind: "copy"; readonly of: Atom }
  /** Throws if two arrays have different sizes; binds nothing. */
  | { readonly kind: "check"; readonly a: Atom; readonly b: Atom };

export interface ArrayLet {
  readonly bind: Var;
  readonly expr: ArrayExpr;
  readonly origin: Origin;
  /** Cotangent code, which may be simplified as real numbers are. Primal code may not. */
  readonly adjoint?: true;
}

export interface ArrayBody {
  readonly lets: readonly ArrayLet[];
  readonly result: Atom;
}

/** A function of the IR as an array program with the same signature. */
export interface ArrayProgram {
  readonly name: string;
  readonly params: readonly Var[];
  readonly body: ArrayBody;
}

// ------------------------------------------------------------------------------------------- walks

/** Atoms of the expression itself, without those in its functions and branches. */
export function atomsOf(expr: ArrayExpr): readonly Atom[] {
  switch (expr.kind) {
    case "op":
      return expr.args;
    case "field":
    case "size":
    case "copy":
      return [expr.of];
    case "record":
      return expr.fields.map(({ value }) => value);
    case "tuple":
      return expr.elems;
    case "map":
      return expr.arrays;
    case "fold":
    case "scan":
      return [expr.first, expr.array];
    case "shift":
      return [expr.array];
    case "fill":
      return [expr.value, expr.like];
    case "choose":
      return [expr.cond];
    case "check":
      return [expr.a, expr.b];
  }
}

/** Functions and branches in an expression. */
export function bodiesOf(expr: ArrayExpr): readonly ArrayBody[] {
  switch (expr.kind) {
    case "map":
    case "fold":
    case "scan":
      return [expr.fn.body];
    case "choose":
      return [expr.then, expr.else];
    default:
      return [];
  }
}

/** The expression with replaced atoms and nested bodies. */
export function mapExpr(
  expr: ArrayExpr,
  atom: (atom: Atom) => Atom,
  body: (body: ArrayBody) => ArrayBody,
): ArrayExpr {
  const inFn = (fn: Lambda): Lambda => ({ params: fn.params, body: body(fn.body) });
  switch (expr.kind) {
    case "op":
      return { ...expr, args: expr.args.map(atom) };
    case "field":
    case "size":
    case "copy":
      return { ...expr, of: atom(expr.of) };
    case "record":
      return {
        ...expr,
        fields: expr.fields.map((field) => ({ ...field, value: atom(field.value) })),
      };
    case "tuple":
      return { ...expr, elems: expr.elems.map(atom) };
    case "map":
      return { ...expr, fn: inFn(expr.fn), arrays: expr.arrays.map(atom) };
    case "fold":
    case "scan":
      return { ...expr, fn: inFn(expr.fn), first: atom(expr.first), array: atom(expr.array) };
    case "shift":
      return { ...expr, array: atom(expr.array) };
    case "fill":
      return { ...expr, value: atom(expr.value), like: atom(expr.like) };
    case "choose":
      return { ...expr, cond: atom(expr.cond), then: body(expr.then), else: body(expr.else) };
    case "check":
      return { ...expr, a: atom(expr.a), b: atom(expr.b) };
  }
}

export type Renaming = ReadonlyMap<string, Atom>;

/** Replaces free names by atoms. */
export function substitute(body: ArrayBody, renaming: Renaming): ArrayBody {
  if (renaming.size === 0) return body;
  const atom = (one: Atom): Atom => (one.kind === "var" ? (renaming.get(one.name) ?? one) : one);
  return {
    lets: body.lets.map((each) => ({
      ...each,
      expr: mapExpr(each.expr, atom, (inner) => substitute(inner, renaming)),
    })),
    result: atom(body.result),
  };
}

/** A copy with fresh names for all that it binds, so that both bodies can be in one program. */
export function freshBody(
  body: ArrayBody,
  names: Fresh,
  renaming: Renaming = new Map(),
): ArrayBody {
  const all = new Map(renaming);
  const atom = (one: Atom): Atom => (one.kind === "var" ? (all.get(one.name) ?? one) : one);
  const lets = body.lets.map((each): ArrayLet => {
    const expr = freshExpr(each.expr, atom, names, all);
    const bind: Var = { ...each.bind, name: names.fresh(each.bind.name) };
    all.set(each.bind.name, bind);
    return { ...each, bind, expr };
  });
  return { lets, result: atom(body.result) };
}

function freshExpr(
  expr: ArrayExpr,
  atom: (one: Atom) => Atom,
  names: Fresh,
  renaming: Renaming,
): ArrayExpr {
  const isCalled = expr.kind === "map" || expr.kind === "fold" || expr.kind === "scan";
  const mapped = mapExpr(expr, atom, (inner) =>
    isCalled ? inner : freshBody(inner, names, renaming),
  );
  return mapped.kind === "map" || mapped.kind === "fold" || mapped.kind === "scan"
    ? { ...mapped, fn: freshLambda(mapped.fn, names, renaming) }
    : mapped;
}

export function freshLambda(fn: Lambda, names: Fresh, renaming: Renaming = new Map()): Lambda {
  const params = fn.params.map((param): Var => ({ ...param, name: names.fresh(param.name) }));
  return {
    params,
    body: freshBody(
      fn.body,
      names,
      new Map([
        ...renaming,
        ...fn.params.map((param, i): [string, Atom] => [param.name, params[i] ?? param]),
      ]),
    ),
  };
}

/** Names that a body reads and does not bind. */
export function freeVars(body: ArrayBody, bound: Iterable<string> = []): ReadonlyMap<string, Var> {
  const known = new Set(bound);
  const free = new Map<string, Var>();
  const read = (atom: Atom): void => {
    if (atom.kind === "var" && !known.has(atom.name)) free.set(atom.name, atom);
  };
  for (const { bind, expr } of body.lets) {
    atomsOf(expr).forEach(read);
    const params =
      expr.kind === "map" || expr.kind === "fold" || expr.kind === "scan" ? expr.fn.params : [];
    for (const inner of bodiesOf(expr))
      for (const one of freeVars(
        inner,
        params.map(({ name }) => name),
      ).values())
        read(one);
    known.add(bind.name);
  }
  read(body.result);
  return free;
}

export const freeOf = (fn: Lambda): ReadonlyMap<string, Var> =>
  freeVars(
    fn.body,
    fn.params.map(({ name }) => name),
  );

/** Names that a let reads, nested bodies included. */
export const readsOf = (each: ArrayLet): ReadonlyMap<string, Var> =>
  freeVars({ lets: [each], result: { kind: "const", type: NUM, value: 0 } });

/** Whether `is` holds for an expression of the body or of a nested one. */
export function someExpr(body: ArrayBody, is: (expr: ArrayExpr) => boolean): boolean {
  return body.lets.some(
    ({ expr }) => is(expr) || bodiesOf(expr).some((inner) => someExpr(inner, is)),
  );
}

/** Every bound name. */
export function boundNames(program: ArrayProgram): readonly string[] {
  const found = program.params.map(({ name }) => name);
  const visit = (body: ArrayBody): void => {
    for (const { bind, expr } of body.lets) {
      found.push(bind.name);
      if (expr.kind === "map" || expr.kind === "fold" || expr.kind === "scan")
        found.push(...expr.fn.params.map(({ name }) => name));
      bodiesOf(expr).forEach(visit);
    }
  };
  visit(program.body);
  return found;
}

// ------------------------------------------------------------------------------------------ making

/** A growing body. */
export class ArrayBuilder {
  readonly lets: ArrayLet[] = [];
  readonly names: Names;
  origin: Origin;

  constructor(names: Names, origin: Origin) {
    this.names = names;
    this.origin = origin;
  }

  /** Appends a let of cotangent code. */
  let(preferred: string, type: Type, expr: ArrayExpr): Var {
    const bind: Var = { kind: "var", name: this.names.fresh(preferred), type };
    this.lets.push({ bind, expr, origin: this.origin, adjoint: true });
    return bind;
  }

  op(op: ScalarOp, ...args: readonly Atom[]): Var {
    return this.let("t", NUM, { kind: "op", op, args });
  }
}

/** A function with these parameters and the body that `make` builds. */
export function lambda(
  names: Names,
  origin: Origin,
  params: readonly (readonly [preferred: string, type: Type])[],
  make: (b: ArrayBuilder, ...params: readonly Var[]) => Atom,
): Lambda {
  const vars = params.map(([preferred, type]): Var => ({
    kind: "var",
    name: names.fresh(preferred),
    type,
  }));
  const b = new ArrayBuilder(names, origin);
  const result = make(b, ...vars);
  return { params: vars, body: { lets: b.lets, result } };
}

/** `(x, y) => x * y`, and the like. */
export const operator = (names: Names, origin: Origin, op: "add" | "mul"): Lambda =>
  lambda(
    names,
    origin,
    [
      ["x", NUM],
      ["y", NUM],
    ],
    (b, x, y) => b.op(op, x, y),
  );

/** The operator of two numbers that a function computes; null for other functions. */
export function operatorOf({ params, body }: Lambda): ScalarOp | null {
  const [only] = body.lets;
  const [x, y] = params;
  if (params.length !== 2 || body.lets.length !== 1 || only?.expr.kind !== "op") return null;
  const { op, args } = only.expr;
  const [p, q] = args;
  if (args.length !== 2 || !isVar(body.result, only.bind)) return null;
  if (isVar(p, x) && isVar(q, y)) return op;
  const commutes = op === "mul" || op === "add";
  return commutes && isVar(p, y) && isVar(q, x) ? op : null;
}

const isVar = (atom: Atom | undefined, variable: Var | undefined): boolean =>
  atom?.kind === "var" && atom.name === variable?.name;
