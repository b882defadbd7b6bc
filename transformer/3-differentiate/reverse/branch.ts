// Branches. Only the side that ran is differentiated.
//
// FWD{ z = if c then p else q }  =  z = if c then FWD{p} else FWD{q}     saves c
// REV{ z = if c then p else q }  =  x$bar += if c then REV{p} else REV{q}    for each x that p or q uses

import { BOOL, Builder, num } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import type { Atom, Body, If, Stmt, Var } from "../../ir/types.ts";
import { Cotangents } from "./cotangents.ts";
import { Frame } from "./frame.ts";
import { BodySweep, type Step } from "./sweep.ts";

interface Side {
  readonly sweep: BodySweep;
  /** What the side's own values are joined with on the other side, when they are hoisted. */
  readonly hoisted: { readonly value: Var; readonly bind: Var }[];
}

export function branchStep(stmt: If, body: BodySweep): Step {
  const { sweep } = body;
  for (const bind of stmt.binds) body.frame.define(bind);
  const sides = [sideOf(stmt, stmt.then, body), sideOf(stmt, stmt.else, body)] as const;
  const shadows = stmt.binds.flatMap((bind, i) =>
    sweep.facts.shadowed(bind) ? [{ i, shadow: shadowBind(bind, body) }] : [],
  );
  const rank = body.rank;
  return {
    forward: () => {
      const [then, other] = sides.map((side, which) => {
        const from = which === 0 ? stmt.then : stmt.else;
        const results = [
          ...from.result,
          ...shadows.map(({ i }) => sweep.shadow(from.result[i] ?? num(0))),
        ];
        for (const [at, { hoisted }] of sides.entries())
          results.push(...hoisted.map(({ value, bind }) => (at === which ? value : neutral(bind))));
        return side.sweep.forwardBody(results);
      });
      const binds = [
        ...stmt.binds,
        ...shadows.map(({ shadow }) => shadow),
        ...sides.flatMap(({ hoisted }) => hoisted.map(({ bind }) => bind)),
      ];
      if (then === undefined || other === undefined) return [];
      const joined: If = { ...stmt, then, else: other, binds };
      return [joined];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seeds = stmt.binds.map((bind) =>
        sweep.facts.active(bind) ? env.take(rev, bind.name) : null,
      );
      const written = [stmt.then, stmt.else].map((from, which) =>
        reverseSide(from, sides[which === 0 ? 0 : 1].sweep, seeds, rev),
      );
      const [then, other] = written;
      if (then === undefined || other === undefined) return;
      join(
        stmt,
        () => whichRan(stmt, sides, rev, body),
        then,
        other,
        rev,
        (name, bind) => env.add({ ...bind, name }, rank, () => bind),
      );
    },
  };
}

function sideOf(stmt: If, from: Body, body: BodySweep): Side {
  const { frame, sweep } = body;
  const hoisted: Side["hoisted"] = [];
  const hoist = (value: Var): Var => {
    // where this side ran, what it yields is what the `if` binds
    const yielded = from.result.findIndex(
      (atom) => atom.kind === "var" && atom.name === value.name,
    );
    const joined = stmt.binds[yielded];
    if (
      joined !== undefined &&
      joined.type.kind === value.type.kind &&
      (value.type.kind === "num" || value.type.kind === "bool")
    )
      return joined;
    const bind: Var = { ...value, name: sweep.names.fresh(value.name) };
    hoisted.push({ value, bind });
    frame.define(bind);
    return bind;
  };
  const prelude = new Builder(frame.prelude.names, sweep.func.origin, true);
  const inner = new Frame(
    frame,
    frame.inLoop ? "tape" : "hoist",
    prelude,
    sweep.residuals,
    sweep.earlier,
    frame.inLoop ? null : hoist,
  );
  return { sweep: new BodySweep(sweep, from, inner), hoisted };
}

/** What the reverse code asks. */
interface Test {
  readonly cond: Atom;
  /** Whether it says that the other side ran. */
  readonly swapped: boolean;
}

/** The condition; or, where that would have to be stored, whether the BOG is there of a call that one side makes. */
function whichRan(stmt: If, sides: readonly Side[], rev: Builder, body: BodySweep): Test {
  if (body.frame.wouldRecord(stmt.cond)) {
    for (const [at, { hoisted }] of sides.entries()) {
      const bog = hoisted.find(({ value }) => body.sweep.bogs.has(value.name));
      if (bog !== undefined)
        return {
          cond: rev.let("t~ran", BOOL, { kind: "present", value: body.value(bog.bind) }),
          swapped: at === 1,
        };
    }
  }
  return { cond: body.value(stmt.cond), swapped: false };
}

/** What stands for a hoisted value on the side that does not compute it; the reverse code never reads it. */
function neutral(value: Var): Atom {
  if (value.type.kind === "bool") return { kind: "const", type: value.type, value: false };
  return value.type.kind === "opt"
    ? { kind: "const", type: value.type, value: value.type.nil === "null" ? null : undefined }
    : num(0);
}

export function shadowBind(bind: Var, body: BodySweep): Var {
  const shadow = body.sweep.shadowVar(bind);
  body.frame.define(shadow);
  return shadow;
}

// FWD;REV{ z = if c then p else q }  =  z, x$bar = if c then FWD{p}; REV{p} else FWD{q}; REV{q}      saves nothing
export function mergedBranchStep(stmt: If, body: BodySweep): Step {
  const { sweep, frame } = body;
  for (const bind of stmt.binds) frame.define(bind);
  const side = (from: Body): BodySweep => {
    const inner = new Frame(
      frame,
      "scope",
      new Builder(frame.prelude.names, sweep.func.origin, true),
      sweep.residuals,
      sweep.earlier,
    );
    return new BodySweep(sweep, from, inner);
  };
  const sides = [side(stmt.then), side(stmt.else)] as const;
  const rank = body.rank;
  let written: readonly Written[] = [];
  let names: readonly string[] = [];
  let binds: readonly Var[] = [];
  return {
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seeds = stmt.binds.map((bind) =>
        sweep.facts.active(bind) ? env.take(rev, bind.name) : null,
      );
      written = [
        reverseSide(stmt.then, sides[0], seeds, rev),
        reverseSide(stmt.else, sides[1], seeds, rev),
      ];
      names = [...new Set(written.flatMap(({ outer }) => [...outer.keys()]))];
      binds = names.map((name): Var => ({
        kind: "var",
        name: rev.names.fresh(bar(name)),
        type: num(0).type,
      }));
      names.forEach((name, i) => {
        const bind = binds[i];
        if (bind !== undefined) env.add({ ...bind, name }, rank, () => bind);
      });
    },
    forward: () => {
      const [then, other] = [stmt.then, stmt.else].map((from, which): Body => {
        const { rev, outer } = written[which] ?? { rev: null, outer: new Map<string, Atom>() };
        const results = [...from.result, ...names.map((name) => outer.get(name) ?? num(0))];
        return sides[which === 0 ? 0 : 1].forwardBody(results, rev === null ? [] : rev.stmts);
      });
      return then === undefined || other === undefined
        ? []
        : [{ ...stmt, then, else: other, binds: [...stmt.binds, ...binds] }];
    },
  };
}

interface Written {
  readonly side: BodySweep;
  readonly rev: Builder;
  /** Cotangents of names from outside, in the order in which they came up. */
  readonly outer: ReadonlyMap<string, Atom>;
}

function reverseSide(
  from: Body,
  side: BodySweep,
  seeds: readonly (Atom | null)[],
  rev: Builder,
): Written {
  const env = new Cotangents();
  const inner = rev.nested();
  from.result.forEach((atom, i) => {
    const seed = seeds[i];
    if (seed !== null && seed !== undefined && side.sweep.facts.active(atom))
      env.add(atom, { statement: from.stmts.length, within: 0 }, () => seed);
  });
  side.reverse(inner, env);
  const outer = new Map<string, Atom>();
  for (const name of env.names()) {
    if (side.frame.owns(name)) continue;
    const sum = env.take(inner, name);
    if (sum !== null) outer.set(name, sum);
  }
  return { side, rev: inner, outer };
}

function join(
  stmt: If,
  test: () => Test,
  then: Written,
  other: Written,
  rev: Builder,
  add: (name: string, bind: Var) => void,
): void {
  const names = [...new Set([...then.outer.keys(), ...other.outer.keys()])];
  const result = (side: Written): readonly Atom[] =>
    names.map((name) => side.outer.get(name) ?? num(0));
  const [p, q] = [then, other].map((side) => side.side.reverseBody(side.rev, result(side)));
  if (p === undefined || q === undefined) return;
  if (names.length === 0 && p.stmts.length === 0 && q.stmts.length === 0) return;
  rev.origin = stmt.origin;
  const { cond, swapped } = test();
  const binds = names.map((name): Var => ({
    kind: "var",
    name: rev.names.fresh(bar(name)),
    type: num(0).type,
  }));
  const joined: Omit<Extract<Stmt, { kind: "if" }>, "origin" | "adjoint"> = {
    kind: "if",
    cond,
    then: swapped ? q : p,
    else: swapped ? p : q,
    binds,
  };
  rev.emit(joined);
  names.forEach((name, i) => {
    const bind = binds[i];
    if (bind !== undefined) add(name, bind);
  });
}
