// Which file differentiates which construct. In: a statement. Out: its two sweeps. Invariant: exhaustive; a kind without a case does not compile.

import type { Stmt } from "../../ir/types.ts";
import { InvariantError } from "../../ir/invariant.ts";
import { asksForValue } from "../shadows.ts";
import { readAhead } from "./hoisted-recomputation.ts";
import { allocStep, cloneStep, zerosStep } from "./allocate.ts";
import { branchStep, mergedBranchStep } from "./branch.ts";
import { callStep } from "./call.ts";
import { loopStep, mergedLoopStep } from "./loop.ts";
import { appendStep, fillStep, loadStep, removeLastStep, storeStep } from "./memory.ts";
import { copyStep, externStep, opStep, plainStep } from "./scalar.ts";
import { mergedCallStep } from "./merged.ts";
import type { BodySweep, Step } from "./sweep.ts";

/** `merged`: forward and reverse sweep of the statement become one. */
export function stepOf(stmt: Stmt, body: BodySweep, merged: boolean): Step {
  switch (stmt.kind) {
    case "let":
      return letStep(stmt, body, merged);
    case "store":
      return storeStep(stmt, body);
    case "append":
      return appendStep(stmt, body);
    case "fill":
      return fillStep(stmt, body);
    case "if":
      return merged ? mergedBranchStep(stmt, body) : branchStep(stmt, body);
    case "for":
    case "while":
      return merged ? mergedLoopStep(stmt, body) : loopStep(stmt, body);
    case "throw":
      return plainStep(stmt);
    case "accum":
    case "push":
    case "reserve":
      throw new InvariantError(`${stmt.kind}: reverse code is called, not reversed`);
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      throw new InvariantError(`${stmt.kind} in an ssa program`);
  }
}

function letStep(stmt: Stmt & { kind: "let" }, body: BodySweep, merged: boolean): Step {
  const { expr } = stmt;
  body.frame.defineLet(stmt, body.sweep.facts.rereadable(stmt.bind.name));
  readAhead(stmt, body.sweep, body.frame);
  switch (expr.kind) {
    case "op":
      if (asksForValue(expr, body.sweep.types))
        body.sweep.problems.push({ kind: "opaque", origin: stmt.origin, text: expr.op });
      return opStep(stmt, expr, body);
    case "copy":
      return copyStep(stmt, expr.atom, body);
    case "unwrap":
      return copyStep(stmt, expr.value, body);
    case "load":
      return loadStep(stmt, expr, body);
    case "removeLast":
      return removeLastStep(stmt, expr.object, body);
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
      return allocStep(stmt, body);
    case "call": {
      const { facts, problems } = body.sweep;
      if (facts.callReadsTexts(stmt.bind.name))
        problems.push({
          kind: expr.args.some((arg) => facts.keysVary(arg)) ? "keys" : "opaque",
          origin: stmt.origin,
          text: expr.callee,
        });
      return merged ? mergedCallStep(stmt, expr, body) : callStep(stmt, expr, body);
    }
    case "extern":
      return externStep(stmt, expr, body);
    case "length":
    case "present":
      return plainStep(stmt);
    case "zeros":
      return zerosStep(stmt, body);
    case "clone":
      return cloneStep(stmt, expr.object, body);
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      throw new InvariantError(`${expr.kind}: reverse code is called, not reversed`);
  }
}
