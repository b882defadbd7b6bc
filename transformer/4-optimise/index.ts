// The optimiser: the passes, their order and the fixpoint iteration. Input and output are functions
// in SSA form with the same results and effects. Invariant: primal arithmetic keeps every bit and
// its order; only cotangent code is simplified as real numbers are.

import type { Types } from "../ir/shadow.ts";
import type { Func } from "../ir/types.ts";
import { nonNullReads } from "./non-null-reads.ts";
import { cancelTape } from "./tapes/cancel-tape.ts";
import { carrySums } from "./loops/carry-sums.ts";
import { bulkZeroing } from "./memory/bulk-zeroing.ts";
import { returnInPlace } from "./memory/return-in-place.ts";
import { countedWhiles } from "./loops/counted-whiles.ts";
import { cse } from "./cse.ts";
import { dce } from "./dce.ts";
import { direction } from "./loops/direction.ts";
import { factorCarried } from "./algebra/factor-carried.ts";
import { factors } from "./algebra/factors.ts";
import { firstWrites } from "./memory/first-writes.ts";
import { fuseElements } from "./fuse-elements/index.ts";
import { fuseLoops } from "./loops/fuse-loops.ts";
import { hoist } from "./loops/hoist.ts";
import { constantFirst } from "./algebra/constant-first.ts";
import { deadStores } from "./memory/dead-stores.ts";
import { lengths } from "./memory/lengths.ts";
import { literals } from "./records/literals.ts";
import { mergeIfs } from "./merge-ifs.ts";
import { booleanBranches } from "./algebra/boolean-branches.ts";
import { recomputeTests } from "./loops/test-recomputation.ts";
import { namePlaces } from "./name-places.ts";
import { neverWritten } from "./memory/never-written.ts";
import { isTriggered } from "./pass-triggers.ts";
import { products } from "./algebra/products.ts";
import { markPureCalls, type WithoutEffects } from "./calls/pure-calls.ts";
import { reciprocals } from "./algebra/reciprocals.ts";
import { alike, same } from "./value-identity.ts";
import { reserve } from "./tapes/reserve.ts";
import { scalarReplace } from "./records/scalar-replace.ts";
import { shifts } from "./loops/shifts.ts";
import { simplify } from "./simplify.ts";
import { sink } from "./sink.ts";
import { skipZeros } from "./loops/skip-zeros.ts";
import { speltOut } from "./algebra/spelt-out.ts";
import { localAccumulators } from "./memory/local-accumulators.ts";
import { unroll } from "./loops/unroll.ts";
import { writeInto } from "./memory/write-into.ts";

export { withoutEffects } from "./calls/pure-calls.ts";

export interface OptimiserContext {
  readonly types: Types;
  /** Functions whose calls have no effects; absent: none is known. */
  readonly calls?: WithoutEffects;
  /** Called after each pass, with its name. */
  readonly onPass?: (pass: string, func: Func) => void;
}

type Pass = (func: Func, context: OptimiserContext) => Func;

/** The passes that run until nothing changes, in order. */
export const PASSES: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ["simplify", (func, context) => simplify(func, context.types)],
  ["lengths", (func, context) => lengths(func, context.types)],
  ["cse", (func, context) => cse(func, context.types)],
  ["scalarReplace", (func, context) => scalarReplace(func, context.types)],
  ["neverWritten", (func, context) => neverWritten(func, context.types)],
  ["factors", (func, context) => factors(func, context.types)],
  ["dce", (func, context) => dce(func, context.types)],
  ["lastReads", (func, context) => deadStores(func, context.types)],
  ["hoist", (func, context) => hoist(func, context.types, "move")],
  ["firstWrites", (func, context) => firstWrites(func, context.types)],
  ["sumWrites", (func, context) => localAccumulators(func, context.types)],
  ["carrySums", (func, context) => carrySums(func, context.types)],
  ["mergeIfs", (func, context) => mergeIfs(func, context.types)],
  ["countedWhiles", (func) => countedWhiles(func)],
  ["direction", (func, context) => direction(func, context.types)],
  ["fuseLoops", (func, context) => fuseLoops(func, context.types)],
  ["cancelTape", (func) => cancelTape(func)],
  ["reciprocals", (func) => reciprocals(func)],
]);

/** Passes for code that is not differentiated yet. */
export const FIRST: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ["lengths", (func, { types }) => lengths(func, types)],
  ["oneTest", (func) => booleanBranches(func)],
  ["mergeIfs", (func, { types }) => mergeIfs(func, types)],
  [
    "unroll",
    (func, { types }) => {
      const written = unroll(func);
      return written === func
        ? func
        : cse(simplify(scalarReplace(written, types), types), types, true);
    },
  ],
  [
    "fuseElements",
    (func, { types }) => {
      const fused = fuseElements(func, types);
      return fused === func ? func : cse(fused, types, true);
    },
  ],
]);

/** Passes for code that is emitted and not differentiated any more. */
export const LAST: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ["speltOut", (func, { types }) => tidied(speltOut(func), func, types)],
  ["asserted", (func, { types }) => tidied(nonNullReads(func, types), func, types)],
  ["cleared", (func, { types }) => bulkZeroing(func, types)],
  ["shifts", (func, { types }) => tidied(shifts(func), func, types)],
  ["copiesOut", (func, { types }) => tidied(returnInPlace(func, types), func, types)],
  ["sink", (func, { types }) => tidied(sink(func), func, types)],
  ["factorCarried", (func, { types }) => tidied(factorCarried(func), func, types)],
  ["products", (func, { types }) => products(func, types)],
  ["inFront", (func, { types }) => constantFirst(func, types)],
  // After the others: the appends of a literal hide the array's length from them.
  ["literals", (func, { types }) => literals(func, types)],
  // A cotangent that is 0 may have a tangent, so this runs only on code that is not differentiated.
  ["skipZeros", (func) => skipZeros(func)],
  ["reserve", (func) => reserve(func)],
]);

/** The result of a pass, without the dead code that it has left. */
const tidied = (next: Func, before: Func, types: Types): Func =>
  next === before ? next : dce(simplify(next, types), types);

/** Limit on iterations of all passes. One iteration fuses at most one pair of loops per body. */
const MAX_ITERATIONS = 16;

/**
 * Passes that wait until the others have settled. They make loops harder to fuse (sums commute,
 * stores do not) and quotients harder to simplify.
 */
export const LATE: ReadonlySet<string> = new Set(["firstWrites", "carrySums", "reciprocals"]);

/**
 * By pass: the passes whose changes give it nothing new to do; itself, where one run suffices.
 * Saves half of all runs. A wrong entry leaves code unoptimised and changes no meaning.
 */
const SETTLED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    simplify: ["simplify", "hoist", "firstWrites", "reciprocals"],
    lengths: ["cse", "firstWrites", "factors"],
    cse: ["cse", "dce"],
    scalarReplace: ["scalarReplace", "hoist", "firstWrites", "mergeIfs", "reciprocals", "factors"],
    neverWritten: ["dce", "hoist", "sumWrites", "factors"],
    factors: ["factors", "firstWrites", "direction", "lengths", "neverWritten"],
    dce: ["dce", "hoist", "firstWrites", "sumWrites", "reciprocals", "factors"],
    lastReads: ["lastReads", "hoist", "firstWrites", "sumWrites", "reciprocals", "factors"],
    hoist: ["hoist", "cse", "firstWrites", "sumWrites"],
    firstWrites: ["firstWrites", "factors"],
    sumWrites: ["firstWrites", "factors"],
    direction: ["direction", "dce", "simplify", "firstWrites", "factors"],
    fuseLoops: ["fuseLoops", "dce", "simplify", "firstWrites", "factors"],
    reciprocals: ["reciprocals"],
  }).map(([name, others]) => [name, new Set(others)]),
);

/**
 * Prepares a function for differentiation: shares loads and operators within a body, so that each
 * is recorded once, and gives temporaries their names.
 */
export function prepare(func: Func, types: Types): Func {
  const shared = cse(simplify(func, types), types, true);
  const hoisted = hoist(shared, types, "stay");
  let current = hoisted === shared ? shared : cse(hoisted, types, true);
  for (const [name, pass] of FIRST)
    if (isTriggered(name, current)) current = pass(current, { types });
  return recomputeTests(namePlaces(dce(simplify(scalarReplace(current, types), types), types)));
}

/** Prepares a derivative for another differentiation, which depends on its remaining shadows. */
export const prepareAgain = (func: Func, context: OptimiserContext): Func =>
  recomputeTests(optimise(func, context));

export function optimise(func: Func, context: OptimiserContext): Func {
  const marked = context.calls === undefined ? func : markPureCalls(func, context.calls);
  const history: History = { changes: [], seen: new Map() };
  return settle(settle(marked, context, LATE, history), context, new Set(), history);
}

/** The last passes on a function that is emitted. The input has been through `optimise`. */
export function finish(func: Func, context: OptimiserContext): Func {
  let current = func;
  for (const pass of LAST.values()) current = pass(current, context);
  return writeInto(current, context.types);
}

/** The passes that changed something, in order, and how many of them each pass has seen. */
interface History {
  readonly changes: string[];
  readonly seen: Map<string, number>;
}

/** Runs the passes until nothing changes. Skips a pass that no relevant change has affected. */
function settle(
  func: Func,
  context: OptimiserContext,
  without: ReadonlySet<string>,
  { changes, seen }: History,
): Func {
  const isDone = (name: string): boolean =>
    seen.has(name) &&
    changes.slice(seen.get(name)).every((other) => SETTLED.get(name)?.has(other) === true);
  let current = func;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const before = current;
    for (const [name, pass] of PASSES) {
      if (without.has(name) || isDone(name) || !isTriggered(name, current)) continue;
      const next = pass(current, context);
      seen.set(name, changes.length);
      if (!same(next, current)) {
        current = next;
        changes.push(name);
      }
      context.onPass?.(name, current);
    }
    if (alike(current.body, before.body)) break;
  }
  return current;
}
