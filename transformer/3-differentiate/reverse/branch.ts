// Branches. Only the side that ran is differentiated.
//
// FWD{ z = if c then p else q }  =  z = if c then FWD{p} else FWD{q}         saves c
// REV{ z = if c then p else q }  =  x$bar += if c then REV{p} else REV{q}    for each x in p or q

import { BOOL, type Builder, num } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import type { Atom, Body, If, Var } from "../../ir/types.ts";
import { freshNumber } from "../fragments.ts";
import { Cotangents } from "./cotangents.ts";
import { BodySweep, type Reversing, type Step } from "./sweep.ts";

interface Side {
  readonly sweep: BodySweep;
  /** The side's values that reverse code needs, and their variables after the `if`. */
  readonly hoisted: { readonly value: Var; readonly bind: Var }[];
}

export function branchStep(stmt: If, body: BodySweep): Step {
  const { sweep, rank } = body;
  for (const bind of stmt.binds) body.frame.define(bind);
  const sides = [sideOf(stmt, stmt.then, body), sideOf(stmt, stmt.else, body)] as const;
  const shadows = stmt.binds.flatMap((bind, i) =>
    sweep.facts.shadowed(bind) ? [{ i, shadow: shadowBind(bind, body) }] : [],
  );
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
      return then === undefined || other === undefined
        ? []
        : [{ ...stmt, then, else: other, binds }];
    },
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seeds = seedsOf(stmt, { rev, env, rank, body });
      const then = reverseSide(stmt.then, sides[0].sweep, seeds, rev);
      const other = reverseSide(stmt.else, sides[1].sweep, seeds, rev);
      join(stmt, [then, other], () => whichRan(stmt, sides, rev, body), { rev, env, rank, body });
    },
  };
}

/** The cotangents of what the branch yields; null for inactive values. */
const seedsOf = ({ binds }: If, { rev, env, body }: Reversing): readonly (Atom | null)[] =>
  binds.map((bind) => (body.sweep.facts.active(bind) ? env.take(rev, bind.name) : null));

function sideOf(stmt: If, from: Body, body: BodySweep): Side {
  const { frame, sweep } = body;
  const hoisted: Side["hoisted"] = [];
  const hoist = (value: Var): Var => {
    // where this side ran, the `if` binds what it yields
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
  const inner = frame.nested(frame.inLoop ? { storage: "tape" } : { storage: "hoist", hoist });
  return { sweep: new BodySweep(sweep, from, inner), hoisted };
}

/** How reverse code finds out which side ran. */
interface Test {
  readonly cond: Atom;
  /** Whether a true condition means the other side. */
  readonly swapped: boolean;
}

/** The condition; to avoid recording it, whether the BOG of a call of one side is defined. */
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

/** The placeholder of a hoisted value on the other side; reverse code never reads it. */
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

// FWD;REV{ z = if c then p else q }  =  z, x$bar = if c then FWD{p}; REV{p} else FWD{q}; REV{q}
//                                       saves nothing
export function mergedBranchStep(stmt: If, body: BodySweep): Step {
  const { sweep, frame, rank } = body;
  for (const bind of stmt.binds) frame.define(bind);
  const side = (from: Body): BodySweep =>
    new BodySweep(sweep, from, frame.nested({ storage: "scope" }));
  const sides = [side(stmt.then), side(stmt.else)] as const;
  let written: readonly Written[] = [];
  let names: readonly string[] = [];
  let binds: readonly Var[] = [];
  return {
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seeds = seedsOf(stmt, { rev, env, rank, body });
      written = [
        reverseSide(stmt.then, sides[0], seeds, rev),
        reverseSide(stmt.else, sides[1], seeds, rev),
      ];
      names = [...new Set(written.flatMap(({ outer }) => [...outer.keys()]))];
      binds = names.map((name) => freshNumber(rev.names, bar(name)));
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
  /** Cotangents of outer names, in the order of their first contributions. */
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

/** Joins the reverse code of both sides, and the cotangents of outer names. */
function join(
  stmt: If,
  [then, other]: readonly [Written, Written],
  test: () => Test,
  { rev, env, rank }: Reversing,
): void {
  const names = [...new Set([...then.outer.keys(), ...other.outer.keys()])];
  const result = (side: Written): readonly Atom[] =>
    names.map((name) => side.outer.get(name) ?? num(0));
  const [p, q] = [then, other].map((side) => side.side.reverseBody(side.rev, result(side)));
  if (p === undefined || q === undefined) return;
  if (names.length === 0 && p.stmts.length === 0 && q.stmts.length === 0) return;
  rev.origin = stmt.origin;
  const { cond, swapped } = test();
  const binds = names.map((name) => freshNumber(rev.names, bar(name)));
  rev.emit({ kind: "if", cond, then: swapped ? q : p, else: swapped ? p : q, binds });
  names.forEach((name, i) => {
    const bind = binds[i];
    if (bind !== undefined) env.add({ ...bind, name }, rank, () => bind);
  });
}
