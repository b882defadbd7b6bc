// Arguments that are one object. In: a function and its facts. Out: statements that stand before everything else in its derivatives.
// Invariant: only what would be wrong is refused.

import { Builder } from "../ir/build.ts";
import type { FunctionFacts } from "../ir/facts.ts";
import type { Names } from "../ir/names.ts";
import type { Func, Stmt, Var } from "../ir/types.ts";

/** Arguments that are one object and are written have one shadow; which of them its cotangent belongs to is not defined. */
export function refuseAliases({ func, facts }: { readonly func: Func; readonly facts: FunctionFacts }, names: Names): readonly Stmt[] {
  const b = new Builder(names, func.origin, false);
  for (const [x, z] of facts.aliasHazards()) {
    const isSame = b.op("eq", x, z);
    const then = b.nested();
    const position = (param: Var): number => func.params.findIndex(({ name }) => name === param.name);
    const text = `TSG0004: argument ${position(x)} and argument ${position(z)} are the same object, and the function writes it; pass a copy`;
    const error = then.let("t", { kind: "leaf", text: "Error" }, { kind: "extern", text: [`new Error(${JSON.stringify(text)})`], args: [], effect: "pure" });
    then.emit({ kind: "throw", value: error });
    b.emit({ kind: "if", cond: isSame, then: then.body(), else: b.nested().body(), binds: [] });
  }
  return b.stmts;
}
