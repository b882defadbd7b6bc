// `f$fwd`: value and tangent in one pass. Input: an ssa function, its facts, the arguments that
// have tangents. Output: one function, `(...args, ...tangents) => [value, tangent]`.
// Invariant: the value is computed by the primal's own statements, in their order.

import { Builder } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { dot } from "../../ir/names.ts";
import { isScalarType, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { refuseAliases } from "../aliases.ts";
import { signatureText } from "../fragments.ts";
import type { Nested } from "../nested.ts";
import type { Problem } from "../unsupported.ts";
import { Pushforward } from "./pushforward.ts";
import type { ForwardSignature } from "./signature.ts";
import { bodyForward } from "./statements.ts";

export interface ForwardRequest {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly name: string;
  /** Positions of the arguments that have tangents, in the order of those. */
  readonly active: readonly number[];
  /** Whether users call it: their arguments may alias. */
  readonly isEntry: boolean;
  readonly signatureOf: (callee: string, active: readonly number[]) => ForwardSignature;
  readonly signature: ForwardSignature;
  readonly nested: Nested;
}

export interface Forward {
  readonly func: Func;
  readonly problems: readonly Problem[];
}

const NOTHING = { kind: "leaf", text: "undefined" } as const;

export function forwardOf(request: ForwardRequest): Forward {
  const { func, facts, types, signature } = request;
  const names = namesOf(func);
  const push = new Pushforward({
    func,
    facts,
    types,
    names,
    signature: request.signatureOf,
    nested: request.nested,
    bodyForward,
  });
  const tangents = request.active.map((position): Var =>
    tangentParam(func.params[position], position, push),
  );
  const b = new Builder(names, func.origin, true);
  const stmts = bodyForward(func.body, push, b);
  const result = func.body.result[0];
  const returned: readonly Atom[] =
    result === undefined ? [] : [signature.isPair ? pair(result, signature, push, b) : result];
  return {
    func: {
      name: request.name,
      home: func.home,
      params: [...func.params, ...tangents],
      result: signature.result,
      origin: func.origin,
      body: {
        stmts: [
          ...(request.isEntry ? refuseAliases(request, names) : []),
          ...push.entry.stmts,
          ...stmts,
          ...b.stmts,
        ],
        result: returned,
      },
      ...(func.isSweep === true ? { isSweep: true } : {}),
      ...signatureText(func, tangents.length),
    },
    problems: push.shadows.problems,
  };
}

/** The parameter for an argument's tangent; unused if the argument has no numbers. */
function tangentParam(param: Var | undefined, position: number, push: Pushforward): Var {
  const type = param === undefined ? null : shadowType(param.type, push.types);
  if (param === undefined || type === null)
    return {
      kind: "var",
      name: push.names.fresh(`_${dot(param?.name ?? `x${position}`)}`),
      type: NOTHING,
    };
  if (isScalarType(param.type)) return push.freshDot(param);
  return push.shadows.fresh(param);
}

function pair(result: Atom, signature: ForwardSignature, push: Pushforward, b: Builder): Var {
  const tangent =
    isScalarType(result.type) || isScalarType(signature.callee.result)
      ? push.dotOrZero(result)
      : push.shadows.orZeros(b, result);
  return b.let("t", signature.result, { kind: "tuple", elems: [result, tangent] });
}
