// Facts about the calls of one function: which arguments of a callee are active, and what the
// callee writes and returns. Looks at the callee's own graph where the caller's merges too much.

import type { FunctionFacts } from "../ir/facts.ts";
import type { Types } from "../ir/shadow.ts";
import type { Atom, Expr, Let } from "../ir/types.ts";
import { type Activity, callIsUseful, isIgnored, readsTexts } from "./activity/activity.ts";
import { writtenFrom } from "./memory/flow.ts";
import type { Memory } from "./memory/memory.ts";
import { writesArguments } from "./memory/alias-queries.ts";
import { ELEMENTS, isAggregate, type Region } from "./memory/region.ts";

interface CallContext {
  readonly activity: Activity;
  readonly memory: Memory;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
  readonly isActive: (region: Region) => boolean;
  readonly active: (atom: Atom) => boolean;
  readonly shadowed: (atom: Atom) => boolean;
}

/** Facts by the name that a call binds. */
export function callFacts(
  lets: ReadonlyMap<string, Let>,
  context: CallContext,
): Pick<
  FunctionFacts,
  "callActive" | "callParsesStrings" | "callWrites" | "callStores" | "callReturns"
> {
  const { activity, memory, graphs, isActive, active, shadowed } = context;
  const call = (name: string): (Expr & { kind: "call" }) | null => {
    const expr = lets.get(name)?.expr;
    return expr?.kind === "call" ? expr : null;
  };
  return {
    callActive: (name) => {
      const made = lets.get(name);
      const positions = callPositions(
        made,
        activity,
        context,
        (arg) => active(arg) || shadowed(arg),
      );
      return positions?.length === 0 &&
        !(made !== undefined && shadowed(made.bind) && sharesInResult(made.expr, graphs))
        ? null
        : positions;
    },
    callParsesStrings: (name) => {
      const expr = call(name);
      return (
        expr !== null &&
        expr.args.some((arg, i) => activity.textsVary(arg) && readsTexts(expr, i, context))
      );
    },
    callWrites: (name) => {
      const expr = call(name);
      return expr !== null && writesArguments(expr, graphs);
    },
    callStores: (name) => {
      const expr = call(name);
      return expr !== null && storedBy(expr, memory, graphs, isActive).length > 0;
    },
    callReturns: (name) => returnedOf(lets.get(name)?.expr, graphs),
  };
}

function callPositions(
  stmt: Let | undefined,
  activity: Activity,
  context: { memory: Memory; graphs: ReadonlyMap<string, Memory>; types: Types },
  isActive: (arg: Atom) => boolean,
): readonly number[] | null {
  if (stmt === undefined || stmt.expr.kind !== "call") return null;
  const useful = {
    reaches: (atom: Atom): boolean => {
      const region = context.memory.region(atom);
      if (region === null) return atom.kind === "var" && activity.usefulNames.has(atom.name);
      return [...context.memory.reachable(region)].some((inner) => activity.useful.has(inner));
    },
  };
  if (!callIsUseful(stmt.bind, stmt.expr, useful, context)) return null;
  const { expr } = stmt;
  return expr.args.flatMap((arg, i) => (isActive(arg) && !isIgnored(expr, i, context) ? [i] : []));
}

/**
 * Whether two places in the result may be one object: only the callee can allocate such shadows.
 */
function sharesInResult(expr: Expr, graphs: ReadonlyMap<string, Memory>): boolean {
  const graph = expr.kind === "call" ? graphs.get(expr.callee) : undefined;
  if (
    graph === undefined ||
    graph.result === null ||
    graph.func.derivation !== undefined ||
    graph.func.rule !== undefined ||
    graph.func.shipped === true
  )
    return false;
  if (graph.func.isSweep === true) return true;
  const named = new Set([...graph.regions()].map((region) => region.find()));
  const seen = new Set<Region>([graph.result.find()]);
  for (const region of seen) {
    for (const [key, place] of region.places) {
      const inner = place.find();
      if (seen.has(inner) || (key === ELEMENTS && (named.has(inner) || inner.places.size > 0)))
        return true;
      seen.add(inner);
    }
  }
  return false;
}

/** Arguments through which the callee may write active numbers. */
export function storedBy(
  expr: Expr & { kind: "call" },
  memory: Memory,
  graphs: ReadonlyMap<string, Memory>,
  isActive: (region: Region) => boolean,
): readonly Atom[] {
  const graph = graphs.get(expr.callee);
  return expr.args.filter((arg, i) => {
    const region = memory.region(arg);
    if (region === null) return false;
    const param = graph?.func.params[i];
    const isKnown = graph !== undefined && param !== undefined && graph.region(param) !== null;
    if (isKnown && !graph.reachesWritten(param)) return false;
    const written = graph === undefined ? memory.reachable(region) : writtenFrom(region, memory);
    return [...written].some(isActive);
  });
}

/** By the callee's graph: the caller's may merge a carried result with the argument. */
function returnedOf(
  expr: Expr | undefined,
  graphs: ReadonlyMap<string, Memory>,
): readonly number[] {
  const graph = expr?.kind === "call" ? graphs.get(expr.callee) : undefined;
  if (graph === undefined || graph.result === null) return [];
  const returned = graph.reachable(graph.result);
  return graph.func.params.flatMap((param, i) => {
    const region = isAggregate(param.type) ? graph.region(param) : null;
    return region !== null && [...graph.reachable(region)].some((inner) => returned.has(inner))
      ? [i]
      : [];
  });
}
