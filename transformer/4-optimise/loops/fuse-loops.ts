// Fuses two loops over the same range, above all a forward sweep and its reverse sweep where the
// reverse of an iteration needs nothing from later ones. A residual is then a name, and its tape is
// gone.
//   for i = 0 < n { p; push t v }; for j = n - 1 >= 0 step -1 { w = pop t; q }
//     ->   for i = 0 < n { p; q[j := i, w := v] }
// Invariant: no iteration of the second loop reads or writes what a later iteration of the first
// one writes, or writes what it reads.

import { flatMapList, mapList, rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import { privateTapesOf } from "../../ir/tapes.ts";
import type { Atom, Body, For, Func, Stmt } from "../../ir/types.ts";
import {
  mapAtoms,
  mapBodies,
  memoised,
  stmtBinds,
  stmtBodies,
  stmtFreeVars,
  walkStmts,
} from "../../ir/visit.ts";
import { interfere, type Access } from "../memory/access.ts";
import { sameAtom } from "../atoms.ts";
import { moveBetween } from "../memory/move-between.ts";
import { Memory } from "../memory/memory.ts";
import {
  commutes,
  orderedAccesses,
  isOwn,
  isOwnPlace,
  isReorderableBody,
  knowledgeOf,
  namesIn,
  upwards,
  type OrderedAccess,
  type Knowledge,
} from "./iterations.ts";
import { TapeShapes, writesIn } from "../tapes/tape-shape.ts";

/** Facts that survive a fusion, which only moves statements and renames an index. */
interface Lasting {
  readonly memory: Memory;
  readonly plainTapes: ReadonlySet<string>;
  readonly bare: (body: Body) => Body;
  readonly allocated: (body: Body) => ReadonlySet<string>;
  readonly touched: (body: Body) => Touched;
  /** By first loop: the loops that cannot be fused with it, wherever they stand. */
  readonly apart: WeakMap<For, WeakSet<For>>;
}

interface State extends Lasting {
  readonly known: Knowledge;
  /** Makes the state of one comparison. */
  readonly shapes: () => TapeShapes;
  /** Whether a statement leaves every tape as it was. */
  readonly isBalanced: (stmt: Stmt) => boolean;
}

/** Fuses pair after pair. The facts about the fused loop are computed again after each. */
export function fuseLoops(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  const plainTapes = privateTapesOf(func);
  const lasting: Lasting = {
    memory,
    plainTapes,
    bare: withoutTapes(plainTapes),
    allocated: allocatedIn(memory),
    touched: touchedIn(memory),
    apart: new WeakMap(),
  };
  for (let current = func; ;) {
    const next = fusedOnce(current, types, lasting);
    if (next === current) return current;
    Memory.hand(current, next);
    current = next;
  }
}

function fusedOnce(func: Func, types: Types, lasting: Lasting): Func {
  const known = knowledgeOf(func, types);
  let writes: readonly Access[] | null = null;
  const shapes = (): TapeShapes =>
    new TapeShapes((writes ??= writesIn(func)), known, lasting.plainTapes);
  return withBody(
    func,
    fuseBody(func.body, {
      ...lasting,
      known,
      shapes,
      isBalanced: memoised((stmt: Stmt) => !actsOnTape(stmt) || shapes().isBalanced([stmt])),
    }),
  );
}

/** Fuses at most one pair per body. */
function fuseBody(body: Body, state: State): Body {
  const loops = body.stmts.flatMap((stmt, at) => (stmt.kind === "for" ? [at] : []));
  for (const [k, at] of loops.entries()) {
    for (const until of loops.slice(k + 1)) {
      const fused = fuseAt(body.stmts, at, until, state);
      if (fused !== null) return { ...body, stmts: fused };
    }
  }
  return withStmts(
    body,
    mapList(body.stmts, (stmt) => mapBodies(stmt, (nested) => fuseBody(nested, state))),
  );
}

function fuseAt(
  stmts: readonly Stmt[],
  at: number,
  until: number,
  state: State,
): readonly Stmt[] | null {
  const [first, second] = [stmts[at], stmts[until]];
  if (first?.kind !== "for" || second?.kind !== "for") return null;
  const between = stmts.slice(at + 1, until);
  const same = aligned(first, second, state.known);
  if (same === null) return null;
  const needed = stmtFreeVars(same);
  if (
    first.binds.some(({ name }) => needed.has(name)) ||
    !isInStep(first, second, same, between, state) ||
    isApart(first, second, same, state)
  )
    return null;
  const moved = moveBetween(first, between, same, state.known.memory);
  if (moved === null || moved.after.flatMap(stmtBinds).some(({ name }) => needed.has(name)))
    return null;
  return [
    ...stmts.slice(0, at),
    ...moved.before,
    fused(first, same),
    ...moved.after,
    ...stmts.slice(until + 1),
  ];
}

/** Whether the iterations of the two cannot be fused, whatever stands in between. */
function isApart(first: For, second: For, same: For, state: State): boolean {
  const others = state.apart.get(first) ?? new WeakSet();
  if (others.has(second)) return true;
  const own = ownSites(first, second, state);
  const isTurned = same !== second;
  if (
    (!isTurned || commutes(rebuilt(second, { body: state.bare(second.body) }), state.known, own)) &&
    areFusible(first, same, own, state)
  )
    return false;
  state.apart.set(first, others.add(second));
  return true;
}

/** The second loop with the bounds and direction of the first, or null. */
function aligned(first: For, second: For, known: Knowledge): For | null {
  const isSame = (loop: For): boolean =>
    sameAtom(loop.from, first.from) &&
    sameAtom(loop.to, first.to) &&
    loop.test === first.test &&
    loop.step === first.step;
  if (isSame(second)) return second;
  const turned = upwards(second, known);
  return turned !== null && isSame(turned) ? turned : null;
}

/** Whether the second loop, run as `same`, pops what the first one pushes. */
function isInStep(
  first: For,
  second: For,
  same: For,
  between: readonly Stmt[],
  { shapes, isBalanced }: State,
): boolean {
  const isUndone =
    same !== second && actsOnTape(second)
      ? shapes().mirrors(first, second)
      : isBalanced(first) && isBalanced(second);
  return isUndone && (between.every(isBalanced) || shapes().isBalanced(between));
}

function areFusible(
  first: For,
  second: For,
  own: ReadonlySet<string>,
  { known, bare, touched }: State,
): boolean {
  const [p, q] = [bare(first.body), bare(second.body)];
  if (!isReorderableBody(q)) return false;
  const shared = ({ access }: OrderedAccess): boolean => !isOwn(access, own, known);
  const after = orderedAccesses(q).filter(shared);
  // If the first loop throws, no outside code may see that the second one has begun.
  const isSeen = after.some(
    ({ access }) =>
      access.write &&
      (access.object === null ||
        [...known.memory.sites(access.object)].some((site) => known.memory.escapes(site))),
  );
  if (isSeen && !isReorderableBody(p)) return false;
  if (areDisjoint(touched(p), touched(q))) return true;
  const inside = new Set([...namesIn(first), ...namesIn(second)]);
  return orderedAccesses(p)
    .filter(shared)
    .every((x) =>
      after.every(
        (z) =>
          (x.sums && z.sums) ||
          !interfere(x.access, z.access, known.memory) ||
          isOwnPlace(x.access, first.index, z.access, second.index, inside),
      ),
    );
}

/** The sites that a body reads, writes and adds cotangents to. */
interface Touched {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  readonly sums: ReadonlySet<string>;
  /** Whether it may touch all that outside code may reach. */
  readonly isAny: boolean;
}

const touchedIn = (memory: Memory): ((body: Body) => Touched) =>
  memoised((body) => {
    const reads = new Set<string>();
    const writes = new Set<string>();
    const sums = new Set<string>();
    let isAny = false;
    for (const done of orderedAccesses(body)) {
      const { object, part, write } = done.access;
      if (object === null) isAny = true;
      else {
        const into = done.sums ? sums : write ? writes : reads;
        const sites = memory.sites(object);
        for (const site of part.kind === "deep" ? memory.reach(sites) : sites) into.add(site);
      }
    }
    return { reads, writes, sums, isAny };
  });

/** Whether no access of one can interfere with one of the other. A fast, conservative test. */
const areDisjoint = (p: Touched, q: Touched): boolean =>
  !p.isAny &&
  !q.isAny &&
  [q.reads, q.writes, q.sums].every((sites) => !meet(p.writes, sites)) &&
  !meet(p.reads, q.writes) &&
  !meet(p.reads, q.sums) &&
  !meet(p.sums, q.reads) &&
  !meet(p.sums, q.writes);

function meet(xs: ReadonlySet<string>, zs: ReadonlySet<string>): boolean {
  for (const x of xs) if (zs.has(x)) return true;
  return false;
}

/** Sites that the statements of a body allocate. */
const allocatedIn = (memory: Memory): ((body: Body) => ReadonlySet<string>) =>
  memoised((body) => {
    const allocated = new Set<string>();
    walkStmts(body, (stmt) => {
      const sites = stmt.kind === "let" ? memory.sites(stmt.bind) : null;
      if (stmt.kind !== "let" || sites === null || sites.size === 0) return;
      const { name } = stmt.bind;
      const reached = memory.reach(sites);
      for (const site of [name, `${name}/`]) if (reached.has(site)) allocated.add(site);
    });
    return allocated;
  });

/**
 * Sites of objects that an iteration allocates and that no other iteration can reach. No carried
 * value and nothing older holds them, except tapes, which return them to the same iteration of the
 * second loop.
 */
function ownSites(
  first: For,
  second: For,
  { memory, plainTapes, allocated }: State,
): ReadonlySet<string> {
  const own = new Set([...allocated(first.body), ...allocated(second.body)]);
  if (own.size === 0) return own;
  for (const loop of [first, second])
    for (const one of [...loop.carried.map(({ param }) => param), ...loop.binds])
      for (const site of memory.reach(memory.sites(one))) own.delete(site);
  for (let size = -1; size !== own.size;) {
    size = own.size;
    for (const site of own) {
      const isHeld = memory
        .holders(site)
        .some((holder) => !own.has(holder) && !plainTapes.has(holder));
      if (memory.outlives(site) || isHeld) own.delete(site);
    }
  }
  return own;
}

function fused(first: For, second: For): For {
  const renamed = mapAtoms(second.body, (atom) =>
    sameAtom(atom, second.index) ? first.index : atom,
  );
  return {
    ...first,
    carried: [...first.carried, ...second.carried],
    binds: [...first.binds, ...second.binds],
    body: {
      stmts: [...first.body.stmts, ...renamed.stmts],
      result: [...first.body.result, ...renamed.result],
    },
  };
}

// tapes -------------------------------------------------------------------------------------------

const isPop = (stmt: Stmt): boolean => stmt.kind === "let" && stmt.expr.kind === "pop";
const actsOnTape = (stmt: Stmt): boolean =>
  stmt.kind === "push" || isPop(stmt) || stmtBodies(stmt).some(holdsTapes);
const holdsTapes = memoised((body: Body): boolean => body.stmts.some(actsOnTape));

/** A body without its uses of plain tapes, whose order TapeShapes has checked. */
function withoutTapes(plainTapes: ReadonlySet<string>): (body: Body) => Body {
  const isPlain = (tape: Atom): boolean => tape.kind === "var" && plainTapes.has(tape.name);
  const drop = memoised((body: Body): Body =>
    withStmts(
      body,
      flatMapList(body.stmts, (stmt): readonly Stmt[] => {
        if (stmt.kind === "push" && isPlain(stmt.tape)) return [];
        if (stmt.kind === "let" && stmt.expr.kind === "pop" && isPlain(stmt.expr.tape)) return [];
        return [mapBodies(stmt, drop)];
      }),
    ),
  );
  return drop;
}
