// Returns the tuple of a reverse sweep's results itself where it would be taken apart and built
// again.
//   b = f$revr(…); ~ t = [b[0], b[1]]; yield t   ->   b = f$revr(…); yield b
// Invariant: the two tuples have the same elements, and nothing else reads the first.

import { printType } from "../../ir/print.ts";
import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Body, Func, Let, Type, Var } from "../../ir/types.ts";
import { mapBodies } from "../../ir/visit.ts";
import { countReads } from "../atoms.ts";

export const repacked = (func: Func): Func =>
  withBody(func, inBody(func.body, countReads(func.body)));

function inBody(body: Body, reads: ReadonlyMap<string, number>): Body {
  /** The results of reverse sweeps that this body calls, and the names of their elements. */
  const given = new Map<string, Var>();
  const parts = new Map<string, { readonly of: string; readonly at: string }>();
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => {
      if (stmt.kind !== "let") return mapBodies(stmt, (inner) => inBody(inner, reads));
      const { bind, expr } = stmt;
      if (expr.kind === "call" && /\$revr/.test(expr.callee)) given.set(bind.name, bind);
      if (expr.kind === "load" && expr.object.kind === "var" && expr.key.kind === "field")
        parts.set(bind.name, { of: expr.object.name, at: expr.key.name });
      const whole = wholeOf(stmt, parts, given);
      // Each element is read once, and the tuple not otherwise.
      return whole !== null && reads.get(whole.name) === partsOf(bind.type)
        ? { ...stmt, expr: { kind: "copy", atom: whole } }
        : stmt;
    }),
  );
}

const partsOf = (type: Type): number => (type.kind === "tuple" ? type.elems.length : 0);

function wholeOf(
  { bind, expr }: Let,
  parts: ReadonlyMap<string, { readonly of: string; readonly at: string }>,
  given: ReadonlyMap<string, Var>,
): Var | null {
  if (expr.kind !== "tuple") return null;
  const found = expr.elems.map((elem) => (elem.kind === "var" ? parts.get(elem.name) : undefined));
  const whole = given.get(found[0]?.of ?? "");
  if (whole === undefined || elementsOf(whole.type) !== elementsOf(bind.type)) return null;
  return found.every((part, at) => part?.of === whole.name && part.at === String(at))
    ? whole
    : null;
}

const elementsOf = (type: Type): string | null =>
  type.kind === "tuple" ? type.elems.map(printType).join() : null;
