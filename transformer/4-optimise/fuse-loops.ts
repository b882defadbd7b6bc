// Makes one loop of two over the same range, above all of a forward sweep and its reverse one where the reverse of a round
// needs nothing of later rounds; a residual is then a name and its tape is gone. In: an ssa function. Out: the same meaning.
//   for i = 0 < n { p; push t v } ; for j = n - 1 >= 0 step -1 { w = pop t; q }   ->   for i = 0 < n { p; q[j := i, w := v] }
// Invariant: no round of the second loop reads or writes what a later round of the first one writes, or writes what it reads.

import type { Types } from "../ir/shadow.ts";
import type { Atom, Body, For, Func, Let, Push, Stmt } from "../ir/types.ts";
import { mapAtoms, mapBodies, stmtFreeVars, walkAtoms, walkStmts } from "../ir/visit.ts";
import { interfere } from "./access.ts";
import { sameAtom } from "./atoms.ts";
import { isMovable, part } from "./between.ts";
import { commutes, doneIn, isOwnPlace, isTameBody, knowledgeOf, namesIn, upwards } from "./rounds.ts";
import type { Knowledge } from "./rounds.ts";

interface State {
  readonly known: Knowledge;
  readonly plainTapes: ReadonlySet<string>;
}

export function fuseLoops(func: Func, types: Types, pureCalls: ReadonlySet<string>): Func {
  return { ...func, body: fuseBody(func.body, { known: knowledgeOf(func, types, pureCalls), plainTapes: plainTapesOf(func) }) };
}

/** One pair per body and call: what is known of the function holds no longer for the loop that comes out. */
function fuseBody(body: Body, state: State): Body {
  for (let at = 0; at < body.stmts.length; at++) {
    const fused = fuseAt(body.stmts, at, state);
    if (fused !== null) return { ...body, stmts: fused };
  }
  return { ...body, stmts: body.stmts.map((stmt) => mapBodies(stmt, (nested) => fuseBody(nested, state))) };
}

function fuseAt(stmts: readonly Stmt[], at: number, state: State): readonly Stmt[] | null {
  const first = stmts[at];
  if (first?.kind !== "for") return null;
  const distance = stmts.slice(at + 1).findIndex((stmt) => !isMovable(stmt));
  const second = distance < 0 ? undefined : stmts[at + 1 + distance];
  if (second?.kind !== "for") return null;
  const popless = withoutPops(first, second, state);
  const same = popless === null ? null : inStep(first, popless.second, state.known);
  if (popless === null || same === null || !areFusible(popless.first, same, state.known)) return null;
  const moved = part(popless.first, stmts.slice(at + 1, at + 1 + distance).filter(isMovable), same, state.known.memory);
  if (moved === null) return null;
  const bound = new Set([...popless.first.binds.map((bind) => bind.name), ...moved.behind.map((stmt) => stmt.bind.name)]);
  if ([...stmtFreeVars(same).keys()].some((name) => bound.has(name))) return null;
  return [...stmts.slice(0, at), ...moved.before, fused(popless.first, same), ...moved.behind, ...stmts.slice(at + 2 + distance)];
}

/** The second loop with the bounds and the direction of the first one, if it may have them. */
function inStep(first: For, second: For, known: Knowledge): For | null {
  const isSame = (loop: For): boolean =>
    sameAtom(loop.from, first.from) && sameAtom(loop.to, first.to) && loop.test === first.test && loop.step === first.step;
  if (isSame(second)) return second;
  const turned = upwards(second, known);
  return turned !== null && isSame(turned) && commutes(second, known) ? turned : null;
}

function areFusible(first: For, second: For, known: Knowledge): boolean {
  if (!isTameBody(second.body, known)) return false;
  const [before, after] = [doneIn(first.body), doneIn(second.body)];
  // if the first loop is left by an exception, nobody may see that the second one has begun
  const isSeen = after.some(({ access }) => access.write && (access.object === null || [...known.memory.sites(access.object)].some((site) => known.memory.escapes(site))));
  if (isSeen && !isTameBody(first.body, known)) return false;
  const inside = new Set([...namesIn(first), ...namesIn(second)]);
  return before.every((x) => after.every((z) =>
    (x.sums && z.sums) || !interfere(x.access, z.access, known.memory) || isOwnPlace(x.access, first.index, z.access, second.index, inside)));
}

function fused(first: For, second: For): For {
  const renamed = mapAtoms(second.body, (atom) => (sameAtom(atom, second.index) ? first.index : atom));
  return {
    ...first, carried: [...first.carried, ...second.carried], binds: [...first.binds, ...second.binds],
    body: { stmts: [...first.body.stmts, ...renamed.stmts], result: [...first.body.result, ...renamed.result] },
  };
}

// tapes ----------------------------------------------------------------------------------------------------------

/** Both loops with the values pushed by a round of the first one in place of those popped by the same round of the second. */
function withoutPops(first: For, second: For, state: State): { readonly first: For; readonly second: For } | null {
  const pops = second.body.stmts.filter(isPop);
  if (pops.length === 0) return { first, second };
  const values = new Map<string, Atom>();
  const pushes = new Set<Stmt>();
  for (const tape of new Set(pops.map((stmt) => (stmt.expr.tape.kind === "var" ? stmt.expr.tape.name : "")))) {
    const isOn = (atom: Atom): boolean => atom.kind === "var" && atom.name === tape;
    const popped = pops.filter((stmt) => isOn(stmt.expr.tape));
    const pushed = first.body.stmts.filter((stmt): stmt is Push => stmt.kind === "push" && isOn(stmt.tape)).reverse();
    const isPaired = popped.length === pushed.length && countOf(tape, first.body) === pushed.length && countOf(tape, second.body) === popped.length;
    if (!isPaired || !state.plainTapes.has(tape) || !isMirrored(first, second, state.known)) return null;
    popped.forEach((stmt, k) => { const push = pushed[k]; if (push !== undefined) values.set(stmt.bind.name, push.value); });
    pushed.forEach((stmt) => pushes.add(stmt));
  }
  const replace = (atom: Atom): Atom => (atom.kind === "var" ? values.get(atom.name) ?? atom : atom);
  const rest = { ...second.body, stmts: second.body.stmts.filter((stmt) => !isPop(stmt)) };
  return {
    first: { ...first, body: { ...first.body, stmts: first.body.stmts.filter((stmt) => !pushes.has(stmt)) } },
    second: { ...second, body: mapAtoms(rest, replace) },
  };
}

/** How often a body reads a name. */
function countOf(name: string, body: Body): number {
  let count = 0;
  walkAtoms(body, (atom) => { if (atom.kind === "var" && atom.name === name) count++; });
  return count;
}

/** Tapes made here that are only pushed and popped, so that what two loops push and pop between them is seen by nobody else. */
function plainTapesOf(func: Func): ReadonlySet<string> {
  const made = new Set<string>();
  const used = new Map<string, number>();
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "newTape") made.add(stmt.bind.name);
    const tape = stmt.kind === "push" ? stmt.tape : stmt.kind === "let" && stmt.expr.kind === "pop" ? stmt.expr.tape : null;
    if (tape?.kind === "var") used.set(tape.name, (used.get(tape.name) ?? 0) + 1);
  });
  return new Set([...made].filter((name) => countOf(name, func.body) === (used.get(name) ?? 0)));
}

type Pop = Let & { readonly expr: { readonly kind: "pop"; readonly tape: Atom } };
const isPop = (stmt: Stmt): stmt is Pop => stmt.kind === "let" && stmt.expr.kind === "pop";

/** Whether the second loop runs the first one's rounds backwards. */
function isMirrored(first: For, second: For, known: Knowledge): boolean {
  const turned = upwards(second, known);
  return turned !== null && first.step === 1 && turned.test === first.test && sameAtom(turned.from, first.from) && sameAtom(turned.to, first.to);
}
