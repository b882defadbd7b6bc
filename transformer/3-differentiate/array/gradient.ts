// The gradient of an array program, as an array program. In: the program, and what is asked for. Out: a program of the same parameters, or why there is
// none. Invariant: primal code comes first, as it stands; cotangent code is marked.

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
import { cotangentType, Unfit, zeroOf } from "./vector-space.ts";

export interface ArrayGradientRequest {
  readonly program: ArrayProgram;
  readonly name: string;
  readonly asked: readonly number[];
  readonly tuple: boolean;
  readonly withValue: boolean;
  readonly types: Types;
  readonly origin: Origin;
}

/** Lets beyond which array code is no longer what a person would read: each function inside is there once for each of its arguments. */
const LONGEST = 4000;

const lengthOf = (body: ArrayBody): number =>
  body.lets.reduce(
    (sum, { expr }) => sum + 1 + bodiesOf(expr).reduce((inner, each) => inner + lengthOf(each), 0),
    0,
  );

/** A text where the derivative is no array program. */
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
  const wanted = asked.flatMap((i) => program.params[i] ?? []);
  try {
    const get = reverse(b, program.body, num(1), wanted, { types });
    const bars = wanted.map((param): Atom => get(param) ?? zeroOf(b, param, types));
    const [only] = bars;
    const elems = wanted.map(({ type }) => cotangentType(type, types));
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
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}
