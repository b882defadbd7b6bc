// Where emitted lines come from. A line that is one value, such as `return x * y`, comes from the
// code of that value, not from the statement around it.

import type { Atom, Func, Origin } from "../ir/types.ts";
import { walkStmts } from "../ir/visit.ts";
import { type Nested, valueAtoms } from "./code.ts";

/** The code that a value comes from, if the value is printed in place; else `otherwise`. */
export type OriginOf = (value: Atom | null, otherwise: Origin) => Origin;

export function originsIn({ body, origin: whole }: Func, nested: Nested): OriginOf {
  const origins = new Map<string, Origin>();
  const isWhole = ({ start, end }: Origin): boolean => start === whole.start && end === whole.end;
  walkStmts(body, (stmt) => {
    if (isWhole(stmt.origin)) return;
    if (stmt.kind === "let") origins.set(stmt.bind.name, stmt.origin);
    if (stmt.kind === "if") for (const { name } of stmt.binds) origins.set(name, stmt.origin);
  });
  const of = (value: Atom): Origin | undefined => {
    const inner = value.kind === "var" ? nested.get(value.name) : undefined;
    if (value.kind !== "var" || inner === undefined) return undefined;
    if (inner.kind !== "tuple" && inner.kind !== "record") return origins.get(value.name);
    // the value stands before its derivative
    return valueAtoms(inner).flatMap((one) => of(one) ?? [])[0] ?? origins.get(value.name);
  };
  return (value, otherwise) => (value === null ? otherwise : (of(value) ?? otherwise));
}
