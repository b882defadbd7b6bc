// The loops of a function and their stacks. In: the function that was differentiated, its optimised derivatives. Out: rows of text.
// Invariant: bytes are counted in the code that is emitted, not in what differentiation asked for.

import type { Body, For, Func, Origin, Stmt, While } from "../ir/types.ts";
import { stmtBodies, walkStmts } from "../ir/visit.ts";
import type { Places } from "./places.ts";

/** What a number or a reference takes on a tape. */
const BYTES = 8;

interface Emitted {
  readonly loop: For | While;
  readonly pushes: Range;
}

/** Least and most values that one round pushes. */
interface Range {
  readonly least: number;
  readonly most: number;
}

const isLoop = (stmt: Stmt): stmt is For | While => stmt.kind === "for" || stmt.kind === "while";
const keyOf = (origin: Origin): string => `${origin.file}:${origin.start}:${origin.end}`;

function loopsOf(body: Body): readonly (For | While)[] {
  const loops: (For | While)[] = [];
  walkStmts(body, (stmt) => { if (isLoop(stmt)) loops.push(stmt); });
  return loops;
}

function emittedLoops(derived: readonly Func[]): ReadonlyMap<string, readonly Emitted[]> {
  const found = new Map<string, Emitted[]>();
  for (const func of derived) {
    for (const loop of loopsOf(func.body)) {
      const key = keyOf(loop.origin);
      found.set(key, [...(found.get(key) ?? []), { loop, pushes: pushesIn(loop.body) }]);
    }
  }
  return found;
}

/** Pushes of a round itself, without those of inner loops. */
function pushesIn(body: Body): Range {
  let [least, most] = [0, 0];
  for (const stmt of body.stmts) {
    if (stmt.kind === "push") { least++; most++; }
    if (stmt.kind !== "if") continue;
    const sides = stmtBodies(stmt).map(pushesIn);
    least += Math.min(...sides.map((side) => side.least));
    most += Math.max(...sides.map((side) => side.most));
  }
  return { least, most };
}

const isReverse = (loop: For | While): boolean => {
  let found = false;
  walkStmts(loop.body, (stmt) => { if (stmt.kind === "accum" || (stmt.adjoint === true && stmt.kind !== "push")) found = true; });
  return found;
};

/** One row a loop, in the order of the primal; `loop1` is its stack. */
export function loopRows(primal: Func, derived: readonly Func[], places: Places): readonly (readonly string[])[] {
  const emitted = emittedLoops(derived);
  const keys = new Map(loopsOf(primal.body).map((loop) => [keyOf(loop.origin), loop]));
  return [...keys].map(([key, loop], i) => [`loop${i + 1}`, places.line(loop.origin), places.head(loop.origin), stackText(emitted.get(key) ?? [])]);
}

function stackText(loops: readonly Emitted[]): string {
  const [least, most] = [loops.reduce((sum, one) => sum + one.pushes.least, 0), loops.reduce((sum, one) => sum + one.pushes.most, 0)];
  if (most > 0) return `stack: ${least === most ? "" : `${least * BYTES} to `}${most * BYTES} bytes per round`;
  const reverse = loops.filter(({ loop }) => isReverse(loop));
  if (loops.length === 0) return "not in the derivative: nothing reads what it computes";
  if (reverse.length === 0) return "runs forward only: no derivative passes through it";
  if (reverse.length === loops.length) return loops.length === 1 ? "fused: forward and reverse in one pass, no stack" : "fused: no stack";
  return "no stack: what its reverse reads is computed or read again";
}
