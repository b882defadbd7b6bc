// The checker of array programs, run after each of their passes. On each path, every name is bound
// once and before its reads. Functions have as many parameters as arrays.

import { type ArrayBody, type ArrayExpr, type ArrayProgram, atomsOf } from "./array.ts";
import { invariant } from "./invariant.ts";
import type { Atom, Var } from "./types.ts";

export function checkArray(program: ArrayProgram): ArrayProgram {
  checkBody(program.body, program.params, new Set(), program.name);
  return program;
}

function checkBody(
  body: ArrayBody,
  params: readonly Var[],
  outer: ReadonlySet<string>,
  where: string,
): void {
  const bound = new Set(outer);
  const bind = ({ name }: Var): void => {
    invariant(!bound.has(name), () => `${where}: ${name} is bound twice`);
    bound.add(name);
  };
  const read = (atom: Atom): void =>
    invariant(
      atom.kind !== "var" || bound.has(atom.name),
      () => `${where}: ${atom.kind === "var" ? atom.name : ""} is read and not bound`,
    );
  params.forEach(bind);
  for (const { bind: own, expr } of body.lets) {
    atomsOf(expr).forEach(read);
    checkInside(expr, bound, where);
    bind(own);
  }
  read(body.result);
}

function checkInside(expr: ArrayExpr, bound: ReadonlySet<string>, where: string): void {
  switch (expr.kind) {
    case "map":
      invariant(
        expr.arrays.length === expr.fn.params.length &&
          expr.arrays.length >= 1 &&
          expr.arrays.length <= 2,
        () =>
          `${where}: a map of ${expr.arrays.length} arrays by ${expr.fn.params.length} parameters`,
      );
      return checkBody(expr.fn.body, expr.fn.params, bound, where);
    case "fold":
    case "scan":
      invariant(
        expr.fn.params.length === 2,
        () => `${where}: a ${expr.kind} by ${expr.fn.params.length} parameters`,
      );
      return checkBody(expr.fn.body, expr.fn.params, bound, where);
    case "choose":
      checkBody(expr.then, [], bound, where);
      return checkBody(expr.else, [], bound, where);
    default:
      return;
  }
}
