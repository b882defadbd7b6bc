// Moves constants and signs to the front of products, where source code needs no parentheses for
// them.
//   ~ d = x * z; ~ y = 2 * d   ->   ~ d = 2 * x; ~ y = d * z
//   ~ d = x * z; ~ y = -d      ->   ~ n = -x; ~ y = n * z
//   ~ a[i] += -2 * x           ->   ~ a[i] += -(2 * x), printed as `a[i] -= 2 * x`
// Invariant: no operation is added, except the sign of what is subtracted from a place.

import { num } from "../../ir/build.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Accum, Atom, Func } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { isNumber } from "../atoms.ts";
import { type Edited, type Computation, computed, negatedProduct } from "./product.ts";
import { type Operation, type Scope, rewriteCotangents } from "./rewrite-cotangents.ts";

export function constantFirst(func: Func, types: Types): Func {
  const subtracted = new Set<string>();
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "accum" && stmt.value.kind === "var") subtracted.add(stmt.value.name);
  });
  return rewriteCotangents(func, types, {
    operation: (stmt, scope) =>
      stmt.expr.op === "neg" && subtracted.has(stmt.bind.name) ? null : moved(stmt, scope),
    sum: difference,
  });
}

function moved({ expr }: Operation, scope: Scope): Edited | null {
  const { op } = expr;
  const [x, z] = expr.args;
  if (x === undefined) return null;
  if (op === "neg") return sign(x, scope);
  return op === "mul" && z !== undefined ? (constant(x, z, scope) ?? constant(z, x, scope)) : null;
}

// 2 * (x * z)   ->   2 * x * z
function constant(c: Atom, product: Atom, scope: Scope): Edited | null {
  const [x, z] = factorsOf(product, scope, "mul");
  return isNumber(c) && x !== undefined && z !== undefined && !isNumber(x) && !isNumber(z)
    ? computed("mul", computed("mul", c, x), z)
    : null;
}

// -(x * z)   ->   -x * z;   -(1 / z)   ->   -1 / z
function sign(product: Atom, scope: Scope): Edited | null {
  const def = scope.definition(product);
  const [x, z] = factorsOf(product, scope, "mul", "div");
  return def === null || x === undefined || z === undefined
    ? null
    : computed(def.op, isNumber(x) ? num(-x.value) : computed("neg", x), z);
}

function factorsOf(
  product: Atom,
  scope: Scope,
  ...ops: readonly Computation["op"][]
): readonly Atom[] {
  const def = scope.definition(product);
  return def !== null && def.adjoint && ops.includes(def.op) && scope.isFreed(product)
    ? def.args
    : [];
}

function difference({ value }: Accum, scope: Scope): Edited | null {
  const plus =
    scope.definition(value)?.op === "neg" ? null : negatedProduct(value, scope, (c) => c < 0);
  return plus === null ? null : computed("neg", plus);
}
