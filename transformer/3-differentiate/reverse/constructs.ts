// Dispatches each statement to the file that differentiates its construct. Input: a statement.
// Output: its two sweeps. Invariant: exhaustive; a statement kind without a case does not compile.

import { InvariantError } from "../../ir/invariant.ts";
import type { Let, Stmt } from "../../ir/types.ts";
import { noteStringReads, noteValueOf } from "../unsupported.ts";
import { allocStep, cloneStep, zerosStep } from "./allocate.ts";
import { branchStep, mergedBranchStep } from "./branch.ts";
import { callStep } from "./call.ts";
import { hoistRead } from "./hoisted-recomputation.ts";
import { loopStep, mergedLoopStep } from "./loop.ts";
import { appendStep, fillStep, loadStep, removeLastStep, storeStep } from "./memory.ts";
import { mergedCallStep } from "./merged-call.ts";
import { copyStep, externStep, opStep, plainStep } from "./scalar.ts";
import type { BodySweep, Step } from "./sweep.ts";

/** `merged`: the reverse sweep of the statement runs right after the statement. */
// eslint-disable-next-line complexity -- flat exhaustive switch over statement kinds
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

// eslint-disable-next-line complexity -- flat exhaustive switch over expression kinds
function letStep(stmt: Let, body: BodySweep, merged: boolean): Step {
  const { expr } = stmt;
  body.frame.defineLet(stmt, body.sweep.facts.rereadable(stmt.bind.name));
  hoistRead(stmt, body.sweep, body.frame);
  switch (expr.kind) {
    case "op":
      noteValueOf(stmt, expr, body.sweep.types, body.sweep.problems);
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
      return allocStep(stmt, expr, body);
    case "call":
      noteStringReads({ stmt, expr }, body.sweep.facts, body.sweep.problems);
      return merged ? mergedCallStep(stmt, expr, body) : callStep(stmt, expr, body);
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
