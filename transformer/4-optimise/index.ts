// The optimiser: gives the code a person would write. In: an ssa function. Out: one with the same results and the same
// effects. Invariant: primal arithmetic keeps every bit and its order; only cotangent code is simplified as real numbers are.

import type { Types } from "../ir/shadow.ts";
import type { Func } from "../ir/types.ts";
import { asserted } from "./non-null-reads.ts";
import { cancelTape } from "./tapes/cancel-tape.ts";
import { carrySums } from "./loops/carry-sums.ts";
import { cleared } from "./memory/bulk-zeroing.ts";
import { copiesOut } from "./memory/return-in-place.ts";
import { cse } from "./cse.ts";
import { dce } from "./dce.ts";
import { direction } from "./loops/direction.ts";
import { factorCarried } from "./algebra/factor-carried.ts";
import { factors } from "./algebra/factors.ts";
import { firstWrites } from "./memory/first-writes.ts";
import { fuseElements } from "./fuse-elements/index.ts";
import { fuseLoops } from "./loops/fuse-loops.ts";
import { hoist } from "./loops/hoist.ts";
import { inFront } from "./algebra/constant-first.ts";
import { lastReads } from "./memory/dead-stores.ts";
import { lengths } from "./memory/lengths.ts";
import { literals } from "./records/literals.ts";
import { mergeIfs } from "./merge-ifs.ts";
import { oneTest } from "./algebra/boolean-branches.ts";
import { ownRounds } from "./loops/test-recomputation.ts";
import { namePlaces } from "./name-places.ts";
import { neverWritten } from "./memory/never-written.ts";
import { hasOccasion } from "./pass-triggers.ts";
import { products } from "./algebra/products.ts";
import { markPureCalls } from "./calls/pure-calls.ts";
import { reciprocals } from "./algebra/reciprocals.ts";
import { alike, same } from "./value-identity.ts";
import { repacked } from "./tapes/repacked.ts";
import { reserve } from "./tapes/reserve.ts";
import { scalarReplace } from "./records/scalar-replace.ts";
import { shifts } from "./loops/shifts.ts";
import { simplify } from "./simplify.ts";
import { sink } from "./sink.ts";
import { skipZeros } from "./loops/skip-zeros.ts";
import { sumWrites } from "./memory/local-accumulators.ts";
import { unroll } from "./loops/unroll.ts";
import { unswitch } from "./loops/unswitch.ts";
import { writeInto } from "./memory/write-into.ts";

export { pureFunctions } from "./calls/pure-calls.ts";

export interface OptimiserContext {
  readonly types: Types;
  /** Names of functions whose calls do nothing but give a value. */
  readonly pureCalls?: ReadonlySet<string>;
  /** Called after each pass that changed something, with its name. */
  readonly onPass?: (pass: string, func: Func) => void;
}

export type Pass = (func: Func, context: OptimiserContext) => Func;

/** Every pass by name, in order. */
export const PASSES: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ["simplify", (func, context) => simplify(func, context.types)],
  ["lengths", (func, context) => lengths(func, context.types)],
  ["cse", (func, context) => cse(func, context.types)],
  ["scalarReplace", (func, context) => scalarReplace(func, context.types)],
  ["neverWritten", (func, context) => neverWritten(func, context.types)],
  ["factors", (func, context) => factors(func, context.types)],
  ["dce", (func, context) => dce(func, context.types)],
  ["lastReads", (func, context) => lastReads(func, context.types)],
  ["hoist", (func, context) => hoist(func, context.types, "move")],
  ["firstWrites", (func, context) => firstWrites(func, context.types)],
  ["sumWrites", (func, context) => sumWrites(func, context.types)],
  ["carrySums", (func, context) => carrySums(func, context.types)],
  ["mergeIfs", (func, context) => mergeIfs(func, context.types)],
  ["direction", (func, context) => direction(func, context.types)],
  ["fuseLoops", (func, context) => fuseLoops(func, context.types)],
  ["cancelTape", (func) => cancelTape(func)],
  ["reciprocals", (func) => reciprocals(func)],
]);

/** Passes for code that is not differentiated yet. */
export const FIRST: ReadonlyMap<string, Pass> = new Map<string, Pass>([
  ["lengths", (func, { types }) => lengths(func, types)],
  ["oneTest", (func) => oneTest(func)],
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
  ["asserted", (func, { types }) => tidied(asserted(func, types), func, types)],
  ["repacked", (func, { types }) => tidied(repacked(func), func, types)],
  ["cleared", (func, { types }) => cleared(func, types)],
  ["shifts", (func, { types }) => tidied(shifts(func), func, types)],
  ["copiesOut", (func, { types }) => tidied(copiesOut(func, types), func, types)],
  ["sink", (func, { types }) => tidied(sink(func), func, types)],
  ["unswitch", (func, { types }) => tidied(unswitch(func), func, types)],
  ["factorCarried", (func, { types }) => tidied(factorCarried(func), func, types)],
  ["products", (func, { types }) => products(func, types)],
  ["inFront", (func, { types }) => inFront(func, types)],
  // behind the others: what is appended hides a length from them
  ["literals", (func, { types }) => literals(func, types)],
  // a cotangent that is 0 may have a tangent
  ["skipZeros", (func) => skipZeros(func)],
  ["reserve", (func) => reserve(func)],
]);

/** What a pass of `LAST` has written, without what is dead in it. */
const tidied = (next: Func, before: Func, types: Types): Func =>
  next === before ? next : dce(simplify(next, types), types);

/** Rounds of all passes; each round opens the way for the next one, and fuses one pair of loops in each body. */
const MOST_ROUNDS = 16;

/** Passes that join once nothing else changes: after them loops are harder to fuse (sums of cotangents commute, stores do not), and quotients to simplify. */
export const LATE: ReadonlySet<string> = new Set(["firstWrites", "carrySums", "reciprocals"]);

/**
 * By pass: those whose changes leave it nothing new to do, itself among them where one run of it is enough. Half of the runs of passes would only confirm what the
 * rounds before have found. What stands here wrongly leaves code as it was, and changes no meaning.
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

/** Before differentiation: what is read or computed twice in one body is read or computed once, and so recorded once; what has a name to be called by has it there. */
export function prepare(func: Func, types: Types): Func {
  const shared = cse(simplify(func, types), types, true);
  const hoisted = hoist(shared, types, "stay");
  let current = hoisted === shared ? shared : cse(hoisted, types, true);
  for (const [name, pass] of FIRST)
    if (hasOccasion(name, current)) current = pass(current, { types });
  return ownRounds(namePlaces(dce(simplify(scalarReplace(current, types), types), types)));
}

/** A derivative that is differentiated once more: what is left of its shadows says whether it can be swept. */
export const prepareAgain = (func: Func, context: OptimiserContext): Func =>
  ownRounds(optimise(func, context));

export function optimise(func: Func, context: OptimiserContext): Func {
  const marked = markPureCalls(func, context.pureCalls ?? new Set());
  const history: History = { changes: [], seen: new Map() };
  return settle(settle(marked, context, LATE, history), context, new Set(), history);
}

/** What is emitted and not differentiated any more. In: a function that `optimise` has settled. */
export function finish(func: Func, context: OptimiserContext): Func {
  let current = func;
  for (const pass of LAST.values()) current = pass(current, context);
  return writeInto(current, context.types);
}

/** What passes have changed, by their names, and how many of these changes each pass has seen when it ran last. */
interface History {
  readonly changes: string[];
  readonly seen: Map<string, number>;
}

/** Rounds of passes until nothing changes. A pass that has seen the function is asked again where something has happened to it that matters. */
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
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = current;
    for (const [name, pass] of PASSES) {
      if (without.has(name) || isDone(name) || !hasOccasion(name, current)) continue;
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
