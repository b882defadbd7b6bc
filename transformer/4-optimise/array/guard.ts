// A gradient of one array that needs a scan from the right less its first element does not compute that element: of arrays with elements the shift can come
// first, and an empty one has an empty gradient. In: a settled program. Out: the same, or the guard and the shorter code behind it.
// Huot and Shaikhha §1.1: the gradient of `prod`.

import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayProgram,
  freeVars,
  someExpr,
} from "../../ir/array.ts";
import { BOOL, NUM, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Var } from "../../ir/types.ts";

// shift1L(scanr(f, v, a))  ->  scanr(f, v, shift1L(a))        (a not empty)
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
  const made = new Map(body.lets.map(({ bind, expr }) => [bind.name, expr]));
  if (
    last.expr.kind !== "map" ||
    sourceOf(result, made) !== param.name ||
    someExpr(body, ({ kind }) => kind === "check")
  )
    return body;
  let changed = false;
  const lets = body.lets
    .map((each) => {
      const { expr, origin } = each;
      const scan =
        expr.kind === "shift" && expr.side === "left" ? definition(expr.array, made) : undefined;
      if (
        expr.kind !== "shift" ||
        scan?.kind !== "scan" ||
        scan.from !== "right" ||
        sourceOf(scan.array, made) !== param.name
      )
        return [each];
      changed = true;
      const shifted: Var = { kind: "var", name: names.fresh("t"), type: scan.array.type };
      return [
        {
          bind: shifted,
          expr: { kind: "shift" as const, side: "left" as const, array: scan.array },
          origin,
          adjoint: true as const,
        },
        { ...each, expr: { ...scan, array: shifted } },
      ];
    })
    .flat();
  if (!changed) return body;
  const { origin } = last;
  const bind = (wanted: string, type: Var["type"]): Var => ({
    kind: "var",
    name: names.fresh(wanted),
    type,
  });
  const [size, isEmpty, zeros, whole] = [
    bind("n", NUM),
    bind("t", BOOL),
    bind("t", result.type),
    bind("t", result.type),
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
    else: { lets, result },
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
const definition = (atom: Atom, made: ReadonlyMap<string, ArrayExpr>): ArrayExpr | undefined =>
  atom.kind === "var" ? made.get(atom.name) : undefined;

/** The parameter whose size an array has, by how it is made, whether empty or not. */
function sourceOf(atom: Atom, made: ReadonlyMap<string, ArrayExpr>): string | null {
  if (atom.kind !== "var") return null;
  const expr = made.get(atom.name);
  if (expr === undefined) return atom.name;
  if (expr.kind === "map") return sourceOf(expr.arrays[0] ?? atom, made);
  if (expr.kind === "fill") return sourceOf(expr.like, made);
  if (expr.kind !== "shift") return null;
  const scan = definition(expr.array, made);
  return scan?.kind === "scan" && scan.from !== (expr.side === "right" ? "right" : "left")
    ? sourceOf(scan.array, made)
    : null;
}
