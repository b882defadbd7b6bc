// Summarises the flow through a call: given one varying argument, whether the result varies and
// which arguments receive varying values. An over-approximation; recursion is solved by fixpoint
// iteration from below. Null means that the call may do anything.

import type { Expr, Func } from "../../ir/types.ts";
import { memoised, walkStmts } from "../../ir/visit.ts";
import type { Part } from "./flow.ts";
import type { Memory } from "./memory.ts";
import type { Region } from "./region.ts";

export interface Summary {
  /** Whether numbers in the result vary. */
  readonly result: boolean;
  /** Whether strings in the result are computed from varying values. */
  readonly texts: boolean;
  /** Positions of the arguments that varying numbers are written into. */
  readonly written: readonly number[];
  /** The same for keys of dicts. */
  readonly keyed: readonly number[];
  /** Whether another argument may hold the object after the call. */
  readonly linked: boolean;
}

type Call = Expr & { kind: "call" };
type Graphs = ReadonlyMap<string, Memory>;
/** An argument of a function, and which part of it varies. */
interface Request {
  readonly func: Func;
  readonly position: number;
  readonly part: Part;
}
/** Computes the summary of one argument from the function's body. */
export type Compute = (request: Request) => Summary;

export const NOTHING: Summary = {
  result: false,
  texts: false,
  written: [],
  keyed: [],
  linked: false,
};

/** Arguments are independent: their flows join but do not interact. */
export function summaryOf(
  call: Call,
  { position, part }: { readonly position: number; readonly part: Part },
  memory: Memory,
  graphs: Graphs,
  compute: Compute,
): Summary | null {
  const func = graphs.get(call.callee)?.func;
  return func === undefined || !isTransparent(func) || sharesWritten(call, memory)
    ? null
    : summariesOf(graphs).of({ func, position, part }, compute);
}

class Summaries {
  readonly #known = new Map<string, Summary>();
  #open: Map<string, { readonly request: Request; summary: Summary }> | null = null;

  of(request: Request, compute: Compute): Summary {
    const key = `${request.func.name} ${request.position} ${request.part}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#open !== null) {
      const open = this.#open.get(key) ?? { request, summary: NOTHING };
      this.#open.set(key, open);
      return open.summary;
    }
    const open = new Map([[key, { request, summary: NOTHING }]]);
    this.#open = open;
    // requests made on the way join the iteration
    for (let changed = true; changed;) {
      changed = false;
      for (const one of open.values()) {
        const next = compute(one.request);
        changed ||=
          next.result !== one.summary.result ||
          next.texts !== one.summary.texts ||
          next.written.length !== one.summary.written.length ||
          next.keyed.length !== one.summary.keyed.length;
        one.summary = next;
      }
    }
    this.#open = null;
    for (const [name, { summary }] of open) this.#known.set(name, summary);
    return this.#known.get(key) ?? NOTHING;
  }
}

const summariesOf = memoised((_: Graphs): Summaries => new Summaries());

/** Whether the body defines the derivative: no user rule, no shipped code, no lambda. */
const isTransparent = memoised((func: Func): boolean => {
  let found = func.shipped !== true && func.rule === undefined;
  if (found)
    walkStmts(func.body, (stmt) => {
      if (stmt.kind === "let" && stmt.expr.kind === "lambda") found = false;
    });
  return found;
});

/** Whether two arguments share written memory: the callee's graph assumes that they do not. */
function sharesWritten({ args }: Call, memory: Memory): boolean {
  const seen = new Map<Region, number>();
  return args.some((arg, i) => {
    const top = memory.region(arg);
    return [...(top === null ? [] : memory.reachable(top))].some((region) => {
      if (!region.written) return false;
      const other = seen.get(region);
      seen.set(region, i);
      return other !== undefined && other !== i;
    });
  });
}
