// The gradient of an array program, as an array program. Input: the program and the requested
// arguments. Output: a program of the same parameters, or the reason why there is none.
// Invariant: the unchanged primal code comes first; cotangent code is marked.

import {
  type ArrayBody,
  ArrayBuilder,
  type ArrayProgram,
  bodiesOf,
  boundNames,
} from "../../ir/array.ts";
import { num } from "../../ir/build.ts";
import { Names } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Origin } from "../../ir/types.ts";
import { reverse } from "./reverse.ts";
import { cotangentType, NotExpressible, zeroOf } from "./vector-space.ts";

export interface ArrayGradientRequest {
  readonly program: ArrayProgram;
  readonly name: string;
  readonly asked: readonly number[];
  readonly tuple: boolean;
  readonly withValue: boolean;
  readonly types: Types;
  readonly origin: Origin;
}

/** The size above which array code is unreadable: it repeats each function per argument. */
const LONGEST = 4000;

const lengthOf = (body: ArrayBody): number =>
  body.lets.reduce(
    (sum, { expr }) => sum + 1 + bodiesOf(expr).reduce((inner, each) => inner + lengthOf(each), 0),
    0,
  );

/** A string with the reason where the derivative is no array program. */
export function arrayGradient({
  program,
  name,
  asked,
  tuple,
  withValue,
  types,
  origin,
}: ArrayGradientRequest): ArrayProgram | string {
  const b = new ArrayBuilder(new Names(boundNames(program)), origin);
  b.lets.push(...program.body.lets);
  const requested = asked.flatMap((i) => program.params[i] ?? []);
  try {
    const get = reverse(b, program.body, num(1), requested, { types });
    const bars = requested.map((param): Atom => get(param) ?? zeroOf(b, param, types));
    const [only] = bars;
    const elems = requested.map(({ type }) => cotangentType(type, types));
    const cotangents =
      tuple || only === undefined
        ? b.let("t", { kind: "tuple", elems }, { kind: "tuple", elems: bars })
        : only;
    const result = withValue
      ? b.let(
          "t",
          { kind: "tuple", elems: [program.body.result.type, cotangents.type] },
          { kind: "tuple", elems: [program.body.result, cotangents] },
        )
      : cotangents;
    const body = { lets: b.lets, result };
    return lengthOf(body) > LONGEST
      ? "its gradient would be too long as array code"
      : { name, params: program.params, body };
  } catch (error) {
    if (error instanceof NotExpressible) return error.message;
    throw error;
  }
}
