// Branches and loops. Each active value that they join or carry is joined by its tangent.
//
// FWD{ z = if c then p else q }  =  z, z$dot = if c then FWD{p} else FWD{q}
// FWD{ s = loop (s0) p }         =  s, s$dot = loop (s0, s0$dot) FWD{p}

import { type Builder, num } from "../../ir/build.ts";
import type { Atom, Body, For, If, Var, While } from "../../ir/types.ts";
import type { Pushforward } from "./pushforward.ts";

/** The tangent of an atom that is joined with others: a shadow if the join is an aggregate. */
const tangentOf = (atom: Atom | undefined, isShadow: boolean, push: Pushforward): Atom =>
  atom === undefined ? num(0) : isShadow ? push.shadows.of(atom) : push.dotOrZero(atom);

const freshTangent = (value: Var, isShadow: boolean, push: Pushforward): Var =>
  isShadow ? push.shadows.fresh(value) : push.freshDot(value);

export function branchForward(stmt: If, push: Pushforward, b: Builder): void {
  const sides = [stmt.then, stmt.else].map((side) => ({
    side,
    written: push.bodyForward(side, push, b),
  }));
  const active = stmt.binds.flatMap((bind, i) =>
    push.facts.shadowed(bind)
      ? [{ i, bind, isShadow: true }]
      : push.facts.active(bind)
        ? [{ i, bind, isShadow: false }]
        : [],
  );
  const [then, other] = sides.map(({ side, written }): Body => ({
    stmts: written,
    result: [
      ...side.result,
      ...active.map(({ i, isShadow }) => tangentOf(side.result[i], isShadow, push)),
    ],
  }));
  if (then === undefined || other === undefined) return;
  const binds = [
    ...stmt.binds,
    ...active.map(({ bind, isShadow }) => freshTangent(bind, isShadow, push)),
  ];
  b.stmts.push({ ...stmt, then, else: other, binds });
}

export function loopForward(stmt: For | While, push: Pushforward, b: Builder): void {
  const active = stmt.carried.flatMap(({ param, init }, i) => {
    // a value that is active only after the loop has a carried tangent, too
    const bind = stmt.binds[i] ?? param;
    const isShadow = push.facts.shadowed(param) || push.facts.shadowed(bind);
    return isShadow || push.facts.active(param) || push.facts.active(bind)
      ? [
          {
            i,
            bind,
            isShadow,
            carried: {
              init: tangentOf(init, isShadow, push),
              param: freshTangent(param, isShadow, push),
            },
          },
        ]
      : [];
  });
  const test =
    stmt.kind === "while" ? { ...stmt.test, stmts: push.bodyForward(stmt.test, push, b) } : null;
  const stmts = push.bodyForward(stmt.body, push, b);
  const body: Body = {
    stmts,
    result: [
      ...stmt.body.result,
      ...active.map(({ i, isShadow }) => tangentOf(stmt.body.result[i], isShadow, push)),
    ],
  };
  const carried = [...stmt.carried, ...active.map((one) => one.carried)];
  const binds = [
    ...stmt.binds,
    ...active.map(({ bind, isShadow }) => freshTangent(bind, isShadow, push)),
  ];
  if (stmt.kind === "for") b.stmts.push({ ...stmt, carried, binds, body });
  else b.stmts.push({ ...stmt, carried, binds, body, test: test ?? stmt.test });
}
