// Tapes in reverse code that is differentiated again. Beside each tape is one for the tangents of
// its values.
// Invariant: whether a slot has a tangent depends on its type alone, so pushes and pops agree.

import { dot } from "../../ir/names.ts";
import { type Builder, NUM } from "../../ir/build.ts";
import { isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Let, Push, Type } from "../../ir/types.ts";
import type { Pushforward } from "./pushforward.ts";

const hasTangent = (type: Type, push: Pushforward): boolean =>
  type.kind === "num" || shadowType(type, push.types) !== null;

// FWD{ tape = [] }  =  tape = [] ; tape$dot = []
export function newTapeForward(stmt: Let, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  if (push.facts.shadowed(stmt.bind)) push.emitShadow(b, stmt.bind, { kind: "newTape" });
}

// FWD{ reader = rewind tape }  =  reader = rewind tape ; reader$dot = rewind tape$dot
export function rewindForward(stmt: Let, tape: Atom, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  if (!push.facts.shadowed(stmt.bind)) return;
  const beside = push.shadows.of(tape);
  push.emitShadow(b, stmt.bind, { kind: "rewind", tape: beside });
}

// FWD{ push tape v }  =  push tape v ; push tape$dot v$dot
export function pushForward(stmt: Push, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(stmt.tape) || !hasTangent(stmt.value.type, push)) return;
  const value = push.tangent(b, stmt.value);
  b.emit({ kind: "push", tape: push.shadows.of(stmt.tape), value });
}

// FWD{ v = pop tape }  =  v = pop tape ; v$dot = pop tape$dot
export function popForward(stmt: Let, tape: Atom, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  b.origin = stmt.origin;
  if (!push.facts.shadowed(tape) || !hasTangent(stmt.bind.type, push)) return;
  const beside = push.shadows.of(tape);
  if (isScalarType(stmt.bind.type))
    push.setDot(stmt.bind, b.let(dot(stmt.bind.name), NUM, { kind: "pop", tape: beside }));
  else push.emitShadow(b, stmt.bind, { kind: "pop", tape: beside });
}
