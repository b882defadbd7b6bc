// Turns accumulation into one place of memory into a carried sum.
//   for i { …; a$bar[k] += v; … }   ->   for i carry (s = 0) { …; s' = s + v; … }; a$bar[k] += s
// Invariant: a and k do not change in the loop, and nothing in it reads the place or writes it
// except other sums. If the loop may have no iterations, the place may not exist, so the last sum
// is guarded by a test.

import { BOOL, Builder, num, NUM } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { flatMapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Accum, Atom, Body, For, Func, Key, Stmt, Var } from "../../ir/types.ts";
import { definedVars, keyAtoms, mapBodies, namesOf } from "../../ir/visit.ts";
import { interfere, ownAccesses } from "../memory/access.ts";
import { sameAtom } from "../atoms.ts";
import { Memory } from "../memory/memory.ts";
import { orderedAccesses, OPERATOR_OF } from "./iterations.ts";

interface State {
  readonly memory: Memory;
  readonly names: Names;
  /** The enclosing loops: one over the same bounds proves that an iteration runs. */
  readonly running: readonly For[];
}

export function carrySums(func: Func, types: Types): Func {
  const state: State = { memory: Memory.of(func, types), names: namesOf(func), running: [] };
  return withBody(func, carryBody(func.body, state));
}

function carryBody(body: Body, state: State): Body {
  return withStmts(
    body,
    flatMapList(body.stmts, (stmt) => {
      const within = stmt.kind === "for" ? { ...state, running: [...state.running, stmt] } : state;
      const inner = mapBodies(stmt, (nested) => carryBody(nested, within));
      return inner.kind === "for" ? carryIn(inner, body.stmts, state) : [inner];
    }),
  );
}

/** `around`: the statements beside the loop. */
function carryIn(loop: For, around: readonly Stmt[], state: State): readonly Stmt[] {
  const inside = new Set(
    [loop.index, ...loop.carried.map(({ param }) => param), ...definedVars(loop.body)].map(
      (bind) => bind.name,
    ),
  );
  const isOuter = (atom: Atom): boolean => atom.kind !== "var" || !inside.has(atom.name);
  const sums = loop.body.stmts.filter(
    (stmt): stmt is Accum =>
      stmt.kind === "accum" &&
      stmt.adjoint === true &&
      [stmt.object, ...keyAtoms(stmt.key)].every(isOuter),
  );
  if (sums.length === 0) return [loop];
  const done = orderedAccesses(loop.body);
  const carriable = sums.filter((sum) =>
    ownAccesses(sum).every((own) =>
      done.every((one) => one.sums || !interfere(own, one.access, state.memory)),
    ),
  );
  const hasIterations = state.running.some(
    (outer) =>
      outer.test === loop.test && sameAtom(outer.from, loop.from) && sameAtom(outer.to, loop.to),
  );
  return carriable.reduce<readonly Stmt[]>(
    (stmts, sum) => {
      const [first, ...rest] = stmts;
      return first?.kind === "for"
        ? [...carried(first, sum, hasIterations || isReached(sum, around), state), ...rest]
        : stmts;
    },
    [loop],
  );
}

function carried(loop: For, sum: Accum, isThere: boolean, { names }: State): readonly Stmt[] {
  const fresh = (): Var => ({ kind: "var", name: names.fresh("t$bar"), type: NUM });
  const [param, next, bind] = [fresh(), fresh(), fresh()];
  const stmts = loop.body.stmts.map((stmt): Stmt =>
    stmt !== sum
      ? stmt
      : {
          kind: "let",
          bind: next,
          expr: { kind: "op", op: "add", args: [param, sum.value] },
          origin: sum.origin,
          adjoint: true,
        },
  );
  const summed: For = {
    ...loop,
    carried: [...loop.carried, { param, init: num(0) }],
    binds: [...loop.binds, bind],
    body: { stmts, result: [...loop.body.result, next] },
  };
  const added: Accum = { ...sum, value: bind };
  if (isThere) return [summed, added];
  const b = new Builder(names, sum.origin, true);
  const runs = b.let("t", BOOL, {
    kind: "op",
    op: OPERATOR_OF[loop.test],
    args: [loop.from, loop.to],
  });
  b.emit({
    kind: "if",
    cond: runs,
    then: { stmts: [added], result: [] },
    else: { stmts: [], result: [] },
    binds: [],
  });
  return [summed, ...b.stmts];
}

/** Whether a write beside the loop proves that the place exists. A load may be out of bounds. */
const isReached = (sum: Accum, around: readonly Stmt[]): boolean =>
  around.some(
    (stmt) =>
      (stmt.kind === "store" || stmt.kind === "accum") &&
      sameAtom(stmt.object, sum.object) &&
      sameKey(stmt.key, sum.key),
  );

function sameKey(x: Key, z: Key): boolean {
  return x.kind === "field"
    ? z.kind === "field" && x.name === z.name
    : z.kind === "index" && sameAtom(x.at, z.at);
}
