// Long chains of operators, `a + b + … + z`. In: a binary expression. Out: its operations from the
// innermost on, and code that stores what it has so far. Invariant: neither the rewriting nor what
// it writes nests as deep as the chain.

import type ts from "typescript";
import { type Code, code, list, ZERO } from "../code/code.ts";
import { ifRead, put } from "../code/temporaries.ts";
import { leafOf } from "./linear.ts";
import { asArgument, type Pair } from "./pair.ts";
import { temporary, type Work } from "./work.ts";

/** So many operations nest in each other. */
export const NESTED = 32;

/** The operations whose left operand is again one: the innermost first. */
export function operationsOf(
  node: ts.BinaryExpression,
  isOperation: (one: ts.Expression) => one is ts.BinaryExpression,
): readonly ts.BinaryExpression[] {
  const found = [node];
  for (let left = node.left; isOperation(left); left = left.left) found.push(left);
  return found.reverse();
}

/** `e  ->  t = e, t1 = id of e`, and the pair of `t`. */
export function stored(work: Work, pair: Pair): readonly [Code, Pair] {
  const value = temporary(work);
  const first = put(value, asArgument(pair));
  const own = pair.i === ZERO ? null : temporary(work);
  const i = own ?? ZERO;
  return [
    own === null ? first : code`${first}${ifRead(own, code`, ${put(own, pair.i)}`)}`,
    {
      v: value,
      i,
      level: 2,
      pure: true,
      object: pair.object ?? false,
      text: pair.text ?? false,
      inert: pair.inert ?? false,
      number: pair.number ?? false,
      noise: 0,
      linear: leafOf(value, i, [], false),
    },
  ];
}

/** `first, e`, where `e` reads what was stored. */
export function behind(first: readonly Code[], pair: Pair): Pair {
  if (first.length === 0) return pair;
  const parts = [...first, ...(pair.parts ?? [asArgument(pair)])];
  return {
    ...pair,
    v: list([...first, asArgument(pair)]),
    level: 0,
    pure: false,
    parts,
    ...(pair.linear === undefined ? {} : { linear: { ...pair.linear, isLater: true } }),
  };
}
