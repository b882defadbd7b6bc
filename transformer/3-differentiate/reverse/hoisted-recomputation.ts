// Reads that give the same in every round of a loop. Where reverse code asks for such a number and could not read it again, it is read once more in front of the loop,
// and recorded there, once. In: a read. Out: what its frame restores it from.
//
// FWD{ s = loop (s0) z = a[k] ; p }  =  z' = a[k] ; s = loop (s0) z = a[k] ; FWD{p}       where a and k are from in front of the loop, and no round writes a[k]
// REV{p} reads z'; the optimiser makes one of the two reads
//
// Invariant: a loop without rounds reads nothing that could throw.

import type { Let, Var } from "../../ir/types.ts";
import { exprAtoms } from "../../ir/visit.ts";
import type { Frame } from "./frame.ts";
import type { Sweep } from "./sweep.ts";

/** `home`: the frame of the body that the read stands in. */
export function readAhead(stmt: Let, { facts, names }: Sweep, home: Frame): void {
  const { bind, expr } = stmt;
  if (
    (expr.kind !== "load" && expr.kind !== "length") ||
    bind.type.kind !== "num" ||
    facts.rereadable(bind.name)
  )
    return;
  const isKnown = (frame: Frame): boolean =>
    exprAtoms(expr).every((atom) => atom.kind !== "var" || frame.knows(atom.name));
  let inner: Frame | null = null;
  let around: Frame | null = null;
  for (
    let frame: Frame = home;
    frame.parent !== null && isKnown(frame.parent);
    frame = frame.parent
  ) {
    if (frame.loop === null) continue;
    if (!facts.steadyIn(bind.name, frame.loop)) break;
    [inner, around] = [frame, frame.parent];
  }
  if (inner === null || around === null) return;
  const ahead: Var = { ...bind, name: names.fresh(bind.name) };
  const [{ ahead: reads }, outer] = [inner, around];
  outer.define(ahead);
  home.restoreLazily(bind, () => {
    reads.push({ ...stmt, bind: ahead, adjoint: true });
    return outer.value(ahead);
  });
}
