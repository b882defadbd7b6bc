// `g$merged`: both sweeps of g in one function, which is called with the cotangent of its result
// (merged-call.ts). Input: an ssa function with its facts. Output: one function.
// Invariant: g writes no active memory, so it adds into shadows, and reads no later addition.

import { Builder, field, num } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import type { Atom, Func, Stmt, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { adjointLet, freshNumber, signatureText } from "../fragments.ts";
import type { Problem } from "../unsupported.ts";
import { stepOf } from "./constructs.ts";
import { Cotangents } from "./cotangents.ts";
import { mergedResult, numbersType } from "./merged-call.ts";
import type { EarlierPass, Residual } from "./residuals.ts";
import { scalarBars, type SplitRequest } from "./split.ts";
import { BodySweep, Sweep } from "./sweep.ts";
import { type Swept, sweptTwice } from "./two-pass-residuals.ts";

export interface MergedRequest extends Omit<SplitRequest, "repeats"> {
  readonly isRecursive: boolean;
}

interface Merged {
  readonly func: Func;
  readonly problems: readonly Problem[];
  readonly residuals: readonly Residual[];
}

export function mergedOf(request: MergedRequest): Merged {
  return sweptTwice((earlier) => sweepMerged(request, earlier));
}

function sweepMerged(request: MergedRequest, earlier: EarlierPass): Merged & Swept {
  const { func, facts, signature, isRecursive } = request;
  const names = namesOf(func);
  const sweep = new Sweep(request, {
    forwardNames: names,
    reverseNames: names,
    isSplit: false,
    seed: "caller",
    repeatable: false,
    merges: true,
    earlier,
    stepOf,
  });
  const shadows = sweep.shadowParams(signature);
  const seed = freshNumber(names, bar(func.name));
  const numbers: Var | null = isRecursive
    ? { kind: "var", name: names.fresh("numbers"), type: numbersType(signature) }
    : null;
  sweep.numbers = numbers;
  const body = new BodySweep(sweep, func.body, sweep.root);
  const rev = new Builder(names, func.origin, true);
  const env = new Cotangents();
  const result = func.body.result[0] ?? num(0);
  if (facts.active(result))
    env.add(result, { statement: func.body.stmts.length, within: 0 }, () => seed);
  body.reverse(rev, env);
  const forward = body.forwardBody([]);
  rev.origin = func.origin;
  const bars = scalarBars(request, rev, env);
  const first: readonly Stmt[] =
    numbers === null
      ? []
      : [adjointLet(seed, { kind: "load", object: numbers, key: field("0") }, func.origin)];
  const returned = yielded([result, ...bars], numbers, request, rev);
  return {
    func: {
      name: signature.merged,
      home: func.home,
      params: [...func.params, ...shadows, numbers ?? seed],
      result: numbers === null ? mergedResult(signature) : { kind: "void" },
      origin: func.origin,
      isSweep: true,
      body: {
        stmts: [...first, ...sweep.opening(), ...forward.stmts, ...rev.stmts],
        result: returned,
      },
      ...signatureText(func, shadows.length + 1),
    },
    problems: sweep.problems,
    residuals: sweep.residuals,
    stuck: sweep.stuck,
    chosen: sweep.chosen,
  };
}

/** What the function returns: nothing if it stores its results in `numbers`. */
function yielded(
  results: readonly [Atom, ...Atom[]],
  numbers: Var | null,
  { signature }: MergedRequest,
  rev: Builder,
): readonly Atom[] {
  if (numbers === null)
    return results.length === 1
      ? results
      : [rev.let("t", mergedResult(signature), { kind: "tuple", elems: results })];
  results.forEach((atom, i) => {
    rev.store(numbers, field(String(i)), atom);
  });
  return [];
}
