// Dispatches each statement to the file that differentiates its construct forwards. Input: a body.
// Output: its statements with tangents. Invariant: exhaustive; primal statements keep their order.

import type { Builder } from "../../ir/build.ts";
import { InvariantError } from "../../ir/invariant.ts";
import type { Body, Let, Stmt } from "../../ir/types.ts";
import { allocForward } from "./allocate.ts";
import { callForward } from "./call.ts";
import { branchForward, loopForward } from "./control.ts";
import {
  accumForward,
  appendForward,
  fillForward,
  loadForward,
  removeLastForward,
  storeForward,
} from "./memory.ts";
import type { Pushforward } from "./pushforward.ts";
import { copyForward, externForward, opForward } from "./scalar.ts";
import { newTapeForward, popForward, pushForward, rewindForward } from "./tape.ts";

export function bodyForward(body: Body, push: Pushforward, outer: Builder): readonly Stmt[] {
  const b = outer.nested();
  for (const stmt of body.stmts) {
    b.origin = stmt.origin;
    push.shadows.at = stmt.origin;
    statementForward(stmt, push, b);
  }
  return b.stmts;
}

// eslint-disable-next-line complexity -- flat exhaustive switch over statement kinds
function statementForward(stmt: Stmt, push: Pushforward, b: Builder): void {
  switch (stmt.kind) {
    case "let":
      return letForward(stmt, push, b);
    case "store":
      return storeForward(stmt, push, b);
    case "accum":
      return accumForward(stmt, push, b);
    case "append":
      return appendForward(stmt, push, b);
    case "fill":
      return fillForward(stmt, push, b);
    case "push":
      return pushForward(stmt, push, b);
    case "if":
      return branchForward(stmt, push, b);
    case "for":
    case "while":
      return loopForward(stmt, push, b);
    // FWD{ throw e }  =  throw e
    case "throw":
      return void b.stmts.push(stmt);
    case "reserve":
      throw new InvariantError("capacities are reserved after differentiation");
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
function letForward(stmt: Let, push: Pushforward, b: Builder): void {
  const { expr } = stmt;
  switch (expr.kind) {
    case "op":
      return opForward(stmt, expr, push, b);
    case "copy":
      return copyForward(stmt, expr.atom, push, b);
    case "unwrap":
      return copyForward(stmt, expr.value, push, b);
    case "load":
      return loadForward(stmt, expr, push, b);
    case "removeLast":
      return removeLastForward(stmt, expr.object, push, b);
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "zeros":
    case "clone":
      return allocForward(stmt, expr, push, b);
    case "call":
      return callForward(stmt, expr, push, b);
    case "extern":
      return externForward(stmt, expr, push, b);
    // FWD{ z = length a }  =  z = length a
    case "length":
    case "present":
      return void b.stmts.push(stmt);
    case "newTape":
      return newTapeForward(stmt, push, b);
    case "rewind":
      return rewindForward(stmt, expr.tape, push, b);
    case "pop":
      return popForward(stmt, expr.tape, push, b);
    case "lambda":
      throw new InvariantError("a pullback is not differentiated forwards");
  }
}
