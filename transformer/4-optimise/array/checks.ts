// A check of sizes is left out where the code that stays makes it anyway: `map2` of two arrays throws where they are of different sizes. In: a body.
// Out: the same with fewer checks. Invariant: the program throws on the same inputs as before.

import { type ArrayBody, type ArrayLet } from "../../ir/array.ts";
import type { Atom, Var } from "../../ir/types.ts";
import { mapExpr } from "../../ir/array.ts";

/** Arrays that are of one size, by name. */
class Sizes {
  readonly #same = new Map<string, string>();

  of(name: string): string {
    const next = this.#same.get(name);
    return next === undefined ? name : this.of(next);
  }

  join(x: Atom, y: Atom): void {
    if (x.kind !== "var" || y.kind !== "var") return;
    const [p, q] = [this.of(x.name), this.of(y.name)];
    if (p !== q) this.#same.set(p, q);
  }
}

// check(a, b); … map2(f, a, b)  ->  … map2(f, a, b)
export function dropChecks(body: ArrayBody, _params: readonly Var[] = []): ArrayBody {
  const lets = body.lets.map((each): ArrayLet => ({ ...each, expr: mapExpr(each.expr, (atom) => atom, (inner) => dropChecks(inner)) }));
  const sizes = new Sizes();
  for (const { bind, expr } of lets) {
    if (expr.kind === "map" && expr.arrays[0] !== undefined) {
      sizes.join(bind, expr.arrays[0]);
      if (expr.arrays[1] !== undefined) sizes.join(expr.arrays[0], expr.arrays[1]);
    }
    if (expr.kind === "fill" && expr.value.type.kind === "num") sizes.join(bind, expr.like);
    if (expr.kind === "copy") sizes.join(bind, expr.of);
  }
  const kept: ArrayLet[] = [];
  for (const each of lets) {
    const { expr } = each;
    if (expr.kind === "check") {
      const [p, q] = [expr.a, expr.b].map((atom) => (atom.kind === "var" ? sizes.of(atom.name) : ""));
      if (p === q) continue;
      sizes.join(expr.a, expr.b);
    }
    kept.push(each);
  }
  return { lets: kept, result: body.result };
}
