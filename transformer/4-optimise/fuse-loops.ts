// Makes one loop of two over the same range, above all of a forward sweep and its reverse one where the reverse of a round
// needs nothing of later rounds; a residual is then a name and its tape is gone. In: an ssa function. Out: the same meaning.
//   for i = 0 < n { p; push t v } ; for j = n - 1 >= 0 step -1 { w = pop t; q }   ->   for i = 0 < n { p; q[j := i, w := v] }
// Invariant: no round of the second loop reads or writes what a later round of the first one writes, or writes what it reads.

import { flatMapList, mapList, rebuilt, withBody, withStmts } from "../ir/rebuilt.ts";
import type { Types } from "../ir/shadow.ts";
import type { Atom, Body, For, Func, Stmt } from "../ir/types.ts";
import { mapAtoms, mapBodies, stmtBinds, stmtBodies, stmtFreeVars, walkAtoms, walkStmts } from "../ir/visit.ts";
import { interfere } from "./access.ts";
import type { Access } from "./access.ts";
import { sameAtom } from "./atoms.ts";
import { part } from "./between.ts";
import { commutes, doneIn, isOwn, isOwnPlace, isTameBody, knowledgeOf, namesIn, upwards } from "./rounds.ts";
import type { Knowledge } from "./rounds.ts";
import { TapeShapes, writesIn } from "./tape-shape.ts";

interface State {
  readonly known: Knowledge;
  readonly plainTapes: ReadonlySet<string>;
  /** For one comparison. */
  readonly shapes: () => TapeShapes;
}

/** Pair after pair: what is known of the function holds no longer for the loop that comes out, and is found out again. */
export function fuseLoops(func: Func, types: Types): Func {
  for (let current = func;;) {
    const next = fusedOnce(current, types);
    if (next === current) return current;
    current = next;
  }
}

function fusedOnce(func: Func, types: Types): Func {
  const known = knowledgeOf(func, types), plainTapes = plainTapesOf(func);
  let writes: readonly Access[] | null = null;
  return withBody(func, fuseBody(func.body, { known, plainTapes, shapes: () => new TapeShapes(writes ??= writesIn(func), known, plainTapes) }));
}

/** One pair per body and call: what is known of the function holds no longer for the loop that comes out. */
function fuseBody(body: Body, state: State): Body {
  const loops = body.stmts.flatMap((stmt, at) => (stmt.kind === "for" ? [at] : []));
  for (const [k, at] of loops.entries()) {
    for (const until of loops.slice(k + 1)) {
      const fused = fuseAt(body.stmts, at, until, state);
      if (fused !== null) return { ...body, stmts: fused };
    }
  }
  return withStmts(body, mapList(body.stmts, (stmt) => mapBodies(stmt, (nested) => fuseBody(nested, state))));
}

function fuseAt(stmts: readonly Stmt[], at: number, until: number, state: State): readonly Stmt[] | null {
  const [first, second] = [stmts[at], stmts[until]];
  if (first?.kind !== "for" || second?.kind !== "for") return null;
  const between = stmts.slice(at + 1, until);
  const same = aligned(first, second, state.known);
  if (same === null) return null;
  const needed = stmtFreeVars(same);
  if (first.binds.some(({ name }) => needed.has(name)) || !isInStep(first, second, same, between, state) || !areFusible(first, same, state)) return null;
  const moved = part(first, between, same, state.known.memory);
  if (moved === null || moved.behind.flatMap(stmtBinds).some(({ name }) => needed.has(name))) return null;
  return [...stmts.slice(0, at), ...moved.before, fused(first, same), ...moved.behind, ...stmts.slice(until + 1)];
}

/** The second loop with the bounds and the direction of the first one; null where it runs over something else. */
function aligned(first: For, second: For, known: Knowledge): For | null {
  const isSame = (loop: For): boolean =>
    sameAtom(loop.from, first.from) && sameAtom(loop.to, first.to) && loop.test === first.test && loop.step === first.step;
  if (isSame(second)) return second;
  const turned = upwards(second, known);
  return turned !== null && isSame(turned) ? turned : null;
}

/** Whether the second loop may run as `same`, and what it pops is what the first one pushed. */
function isInStep(first: For, second: For, same: For, between: readonly Stmt[], state: State): boolean {
  const { shapes } = state;
  if (same !== second && !commutes(withoutTapes(second, state), state.known, ownSites(first, second, state))) return false;
  if (![first, ...between, second].some(actsOnTape)) return true;
  if (same === second) return [[first], between, [second]].every((part) => shapes().isBalanced(part));
  const isUndone = actsOnTape(second) ? shapes().mirrors(first, second) : shapes().isBalanced([first]);
  return isUndone && shapes().isBalanced(between);
}

function areFusible(first: For, second: For, state: State): boolean {
  const { known } = state;
  const [p, q] = [withoutTapes(first, state), withoutTapes(second, state)];
  if (!isTameBody(q.body)) return false;
  const own = ownSites(first, second, state);
  const [before, after] = [p, q].map((loop) => doneIn(loop.body).filter(({ access }) => !isOwn(access, own, known)));
  if (before === undefined || after === undefined) return false;
  // if the first loop is left by an exception, nobody may see that the second one has begun
  const isSeen = after.some(({ access }) => access.write && (access.object === null || [...known.memory.sites(access.object)].some((site) => known.memory.escapes(site))));
  if (isSeen && !isTameBody(p.body)) return false;
  const inside = new Set([...namesIn(first), ...namesIn(second)]);
  return before.every((x) => after.every((z) =>
    (x.sums && z.sums) || !interfere(x.access, z.access, known.memory) || isOwnPlace(x.access, first.index, z.access, second.index, inside)));
}

/**
 * Sites of objects that a round of one of the loops makes and that no other round can reach: they are in no carried value and in
 * nothing older than the round, but for tapes, which give them back to the same round of the second loop.
 */
function ownSites(first: For, second: For, { known: { memory }, plainTapes }: State): ReadonlySet<string> {
  const own = new Set<string>();
  for (const { body } of [first, second]) walkStmts(body, (stmt) => { if (stmt.kind === "let") for (const site of memory.reach(memory.sites(stmt.bind))) if (site === stmt.bind.name || site === `${stmt.bind.name}/`) own.add(site); });
  for (const loop of [first, second]) for (const one of [...loop.carried.map(({ param }) => param), ...loop.binds]) for (const site of memory.reach(memory.sites(one))) own.delete(site);
  for (let size = -1; size !== own.size;) {
    size = own.size;
    for (const site of own) {
      const isHeld = memory.holders(site).some((holder) => !own.has(holder) && !plainTapes.has(holder));
      if (memory.outlives(site) || isHeld) own.delete(site);
    }
  }
  return own;
}

function fused(first: For, second: For): For {
  const renamed = mapAtoms(second.body, (atom) => (sameAtom(atom, second.index) ? first.index : atom));
  return {
    ...first, carried: [...first.carried, ...second.carried], binds: [...first.binds, ...second.binds],
    body: { stmts: [...first.body.stmts, ...renamed.stmts], result: [...first.body.result, ...renamed.result] },
  };
}

// tapes ----------------------------------------------------------------------------------------------------------

const isPop = (stmt: Stmt): boolean => stmt.kind === "let" && stmt.expr.kind === "pop";
const actsOnTape = (stmt: Stmt): boolean => stmt.kind === "push" || isPop(stmt) || stmtBodies(stmt).some((body) => body.stmts.some(actsOnTape));

/** The loop without what it does to plain tapes, whose order TapeShapes has checked. */
function withoutTapes(loop: For, { plainTapes }: State): For {
  const isPlain = (tape: Atom): boolean => tape.kind === "var" && plainTapes.has(tape.name);
  const drop = (body: Body): Body => withStmts(body, flatMapList(body.stmts, (stmt): readonly Stmt[] => {
    if (stmt.kind === "push" && isPlain(stmt.tape)) return [];
    if (stmt.kind === "let" && stmt.expr.kind === "pop" && isPlain(stmt.expr.tape)) return [];
    return [mapBodies(stmt, drop)];
  }));
  return rebuilt(loop, { body: drop(loop.body) });
}

/** How often a body reads a name. */
function countOf(name: string, body: Body): number {
  let count = 0;
  walkAtoms(body, (atom) => { if (atom.kind === "var" && atom.name === name) count++; });
  return count;
}

/** Tapes made here that are only pushed and popped, so that what two loops push and pop between them is seen by nobody else. */
export function plainTapesOf(func: Func): ReadonlySet<string> {
  const made = new Set<string>();
  const used = new Map<string, number>();
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "newTape") made.add(stmt.bind.name);
    const tape = stmt.kind === "push" ? stmt.tape : stmt.kind === "let" && stmt.expr.kind === "pop" ? stmt.expr.tape : null;
    if (tape?.kind === "var") used.set(tape.name, (used.get(tape.name) ?? 0) + 1);
  });
  return new Set([...made].filter((name) => countOf(name, func.body) === (used.get(name) ?? 0)));
}
