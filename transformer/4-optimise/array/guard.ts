// Guards a gradient by a test for an empty array. A gradient that drops the first element of a scan
// from the right does not need that element. The shift can come first, if the array is not empty;
// the gradient of an empty array is empty. Huot and Shaikhha §1.1: the gradient of `prod`.

import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  type ArrayProgram,
  freeVars,
  someExpr,
} from "../../ir/array.ts";
import { BOOL, NUM, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";

// shift1L(scanr(f, v, a))   ->   scanr(f, v, shift1L(a)), where a is not empty
export function guarded(program: ArrayProgram, types: Types, names: Names): ArrayBody {
  const { body } = program;
  const param = program.params.find(({ name }) => freeVars(body).has(name));
  const { result } = body;
  const last = body.lets.find(({ bind }) => result.kind === "var" && bind.name === result.name);
  if (
    param === undefined ||
    last === undefined ||
    !isNumbers(result.type, types) ||
    !isNumbers(param.type, types)
  )
    return body;
  const defs = new Map(body.lets.map(({ bind, expr }) => [bind.name, expr]));
  if (
    last.expr.kind !== "map" ||
    sourceOf(result, defs) !== param.name ||
    someExpr(body, ({ kind }) => kind === "check")
  )
    return body;
  const lets = body.lets.flatMap((each) => shiftFirst(each, param, defs, names));
  return lets.length === body.lets.length
    ? body
    : unlessEmpty(param, { lets, result }, last.origin, names);
}

/** The statement. A shifted scan over `param` becomes a shift of the array and a scan over that. */
function shiftFirst(
  each: ArrayLet,
  param: Var,
  defs: ReadonlyMap<string, ArrayExpr>,
  names: Names,
): readonly ArrayLet[] {
  const { expr, origin } = each;
  const scan =
    expr.kind === "shift" && expr.side === "left" ? definition(expr.array, defs) : undefined;
  if (scan?.kind !== "scan" || scan.from !== "right" || sourceOf(scan.array, defs) !== param.name)
    return [each];
  const shifted: Var = { kind: "var", name: names.fresh("t"), type: scan.array.type };
  return [
    {
      bind: shifted,
      expr: { kind: "shift", side: "left", array: scan.array },
      origin,
      adjoint: true,
    },
    { ...each, expr: { ...scan, array: shifted } },
  ];
}

// body   ->   size(param) === 0 ? zeros : body
function unlessEmpty(
  param: Var,
  body: ArrayBody,
  origin: ArrayLet["origin"],
  names: Names,
): ArrayBody {
  const bind = (hint: string, type: Var["type"]): Var => ({
    kind: "var",
    name: names.fresh(hint),
    type,
  });
  const { type } = body.result;
  const [size, isEmpty, zeros, whole] = [
    bind("n", NUM),
    bind("t", BOOL),
    bind("t", type),
    bind("t", type),
  ];
  const choice: ArrayExpr = {
    kind: "choose",
    cond: isEmpty,
    then: {
      lets: [
        { bind: zeros, expr: { kind: "fill", value: num(0), like: param }, origin, adjoint: true },
      ],
      result: zeros,
    },
    else: body,
  };
  return {
    lets: [
      { bind: size, expr: { kind: "size", of: param }, origin, adjoint: true },
      {
        bind: isEmpty,
        expr: { kind: "op", op: "eq", args: [size, num(0)] },
        origin,
        adjoint: true,
      },
      { bind: whole, expr: choice, origin, adjoint: true },
    ],
    result: whole,
  };
}

const isNumbers = (type: Var["type"], types: Types): boolean => {
  const shape = resolve(type, types);
  return shape.kind === "array" && shape.elem.kind === "num";
};
const definition = (atom: Atom, defs: ReadonlyMap<string, ArrayExpr>): ArrayExpr | undefined =>
  atom.kind === "var" ? defs.get(atom.name) : undefined;

/** The parameter that has the size of an array by construction, whether empty or not. */
function sourceOf(atom: Atom, defs: ReadonlyMap<string, ArrayExpr>): string | null {
  if (atom.kind !== "var") return null;
  const expr = defs.get(atom.name);
  if (expr === undefined) return atom.name;
  if (expr.kind === "map") return sourceOf(expr.arrays[0] ?? atom, defs);
  if (expr.kind === "fill") return sourceOf(expr.like, defs);
  if (expr.kind !== "shift") return null;
  const scan = definition(expr.array, defs);
  return scan?.kind === "scan" && scan.from !== (expr.side === "right" ? "right" : "left")
    ? sourceOf(scan.array, defs)
    : null;
}
