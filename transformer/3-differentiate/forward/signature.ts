// What callers know of a function's forward mode before it is written, so that recursive functions
// can call each other. Input: a function and its active arguments. Output: name, order of tangents,
// result. Invariant: the signature depends on nothing else.

import { labelsOf } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { shadowType, type Types } from "../../ir/shadow.ts";
import type { Func, Type } from "../../ir/types.ts";

export interface ForwardSignature {
  readonly callee: Func;
  /** Positions of the active arguments. Their tangents follow all arguments, in this order. */
  readonly active: readonly number[];
  readonly name: string;
  /** `[value, tangent]`, or the value alone if it has no numbers. */
  readonly result: Type;
  readonly isPair: boolean;
}

export function forwardSignatureOf(
  callee: Func,
  active: readonly number[],
  types: Types,
): ForwardSignature {
  const tangent = callee.result.kind === "void" ? null : shadowType(callee.result, types);
  const labels = [callee.name, names.dot(callee.name)];
  return {
    callee,
    active,
    name: names.fwd(callee.name, labelsOf(callee.params, active, types)),
    result:
      tangent === null ? callee.result : { kind: "tuple", elems: [callee.result, tangent], labels },
    isPair: tangent !== null,
  };
}
