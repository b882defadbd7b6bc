// Hoists loop-invariant reads. If reverse code needs the number and could not read it again, the
// read is repeated before the loop and recorded there, once. Input: a read. Output: a lazy value in
// its frame. Invariant: only reads that cannot throw are hoisted, as the loop may have no
// iteration.
//
// FWD{ s = loop (s0) z = a[k] ; p }  =  z' = a[k] ; s = loop (s0) z = a[k] ; FWD{p}     saves z'
// REV{p} reads z', if `a` and `k` are defined before the loop and no iteration writes a[k]

import type { Let, Var } from "../../ir/types.ts";
import { exprAtoms } from "../../ir/visit.ts";
import type { Frame } from "./frame.ts";
import type { Sweep } from "./sweep.ts";

/** `home`: the frame of the body that contains the read. */
export function hoistRead(stmt: Let, { facts, names }: Sweep, home: Frame): void {
  const { bind, expr } = stmt;
  if (
    (expr.kind !== "load" && expr.kind !== "length") ||
    bind.type.kind !== "num" ||
    facts.rereadable(bind.name)
  )
    return;
  const isKnown = (frame: Frame): boolean =>
    exprAtoms(expr).every((atom) => atom.kind !== "var" || frame.isInScope(atom.name));
  let inner: Frame | null = null;
  let around: Frame | null = null;
  for (
    let frame: Frame = home;
    frame.parent !== null && isKnown(frame.parent);
    frame = frame.parent
  ) {
    if (frame.loop === null) continue;
    if (!facts.isLoopInvariant(bind.name, frame.loop)) break;
    [inner, around] = [frame, frame.parent];
  }
  if (inner === null || around === null) return;
  const hoisted: Var = { ...bind, name: names.fresh(bind.name) };
  const [{ hoisted: reads }, outer] = [inner, around];
  outer.define(hoisted);
  home.restoreLazily(bind, () => {
    reads.push({ ...stmt, bind: hoisted, adjoint: true });
    return outer.value(hoisted);
  });
}
