// Results of a reverse sweep that are handed on as they are. In: an ssa function that is emitted. Out: the same.
//   b = f$revr(…); ~ t = [b[0], b[1]]; yield t   ->   b = f$revr(…); yield b
// Invariant: only a tuple that nobody else has takes another's place, and one of the same elements.

import { printType } from "../../ir/print.ts";
import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Body, Func, Let, Type, Var } from "../../ir/types.ts";
import { mapBodies, walkAtoms } from "../../ir/visit.ts";

export function repacked(func: Func): Func {
  const reads = new Map<string, number>();
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "var") reads.set(atom.name, (reads.get(atom.name) ?? 0) + 1);
  });
  return withBody(func, inBody(func.body, reads));
}

function inBody(body: Body, reads: ReadonlyMap<string, number>): Body {
  /** What calls of this body have given, and which parts of it names are. */
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
      // every part is read once, and no more of the tuple than these
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
