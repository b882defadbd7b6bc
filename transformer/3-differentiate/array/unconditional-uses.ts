// Finds the values whose cotangent does not vanish by construction. Input: a body. Output: names.
// The cotangent of any other value may be exactly 0, so an unbounded slope must not meet it (0 *
// Infinity).
// Invariant: comparisons and conditions are no uses; nor are values that only one side of a choice
// reads, or only a function that may never be called.

import { type ArrayBody, atomsOf } from "../../ir/array.ts";
import { CHOICES, isFlat } from "../../ir/ops.ts";
import type { Atom } from "../../ir/types.ts";

export function certainNames(body: ArrayBody): ReadonlySet<string> {
  const certain = new Set<string>();
  const add = (atom: Atom): void => {
    if (atom.kind === "var") certain.add(atom.name);
  };
  add(body.result);
  for (const { bind, expr } of [...body.lets].reverse()) {
    if (
      !certain.has(bind.name) ||
      expr.kind === "size" ||
      expr.kind === "check" ||
      (expr.kind === "op" && (CHOICES.has(expr.op) || isFlat(expr.op)))
    )
      continue;
    if (expr.kind !== "choose") {
      atomsOf(expr).forEach(add);
      continue;
    }
    const [then, otherwise] = [certainNames(expr.then), certainNames(expr.else)];
    for (const name of then) if (otherwise.has(name)) certain.add(name);
  }
  return certain;
}
