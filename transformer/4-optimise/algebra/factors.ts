// Products, quotients and sums of cotangents without what they do not need. In: an ssa function. Out: the same meaning as real numbers.
//   ~ q = s / (c * x); ~ y = q * c                ->   ~ y = s / x
//   ~ a = 2 * x; ~ b = 0.5 * s; ~ y = a * b       ->   ~ y = x * s
//   ~ n = -p; ~ d = n * q; ~ y = x + d            ->   ~ d = p * q; ~ y = x - d
//   ~ m = isNaN(d * x) && d === 0 ? 0 : d * x; ~ y = m * x   ->   ~ y = d * x * x
//   ~ u = x + t; ~ y = u + t                      ->   ~ y = x + 2 * t
// Invariant: only cotangent code is written otherwise, and never with more to compute. A slope that was no number, 0 / 0 say, may become one where what it was
// divided by cancels, never the other way round; constants come together where that is exact. See Note [Cancelling].

import { num } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Func } from "../../ir/types.ts";
import { isNumber, isValue, sameAtom } from "../atoms.ts";
import { likeTerms } from "./like-terms.ts";
import {
  type Edited,
  type Factor,
  type Part,
  ONE,
  changed,
  combined,
  computed,
  costOf,
  isConstant,
  opposite,
  partsOf,
} from "./product.ts";
import { type Operation, type Scope, rewritten } from "./rewritten.ts";

export const factors = (func: Func, types: Types): Func =>
  rewritten(func, types, { operation: better });

function better(
  {
    expr: {
      op,
      args: [x, z],
    },
  }: Operation,
  scope: Scope,
): Edited | null {
  if (x === undefined) return null;
  if (op === "neg") return negation(x, scope);
  if (z === undefined) return null;
  if (op === "mul" || op === "div") return product(op, x, z, scope);
  return op === "add" || op === "sub"
    ? (difference(op, x, z, scope) ?? sum(op, x, z, scope))
    : null;
}

// products --------------------------------------------------------------------------------------------------------

function product(op: "mul" | "div", x: Atom, z: Atom, scope: Scope): Edited | null {
  for (const first of partsOf(x, scope.made)) {
    for (const second of partsOf(z, scope.made)) {
      for (const [toFirst, toSecond] of together(first, second, op === "div")) {
        const edited = combined(op, [
          changed(x, { part: first, to: toFirst }, scope.made),
          changed(z, { part: second, to: toSecond }, scope.made),
        ]);
        const saved =
          OPS[op].cost + scope.freed(x, first) + scope.freed(z, second) - costOf(edited);
        // where something cancels there is less to wait for at the same price
        if (saved > 0 || (saved === 0 && first.kind !== "sign" && !isNumber(first.atom)))
          return edited;
      }
    }
  }
  return (
    (op === "mul"
      ? (quotient(x, z, scope) ??
        quotient(z, x, scope) ??
        unmasked(x, z, scope) ??
        unmasked(z, x, scope))
      : null) ?? negative(op, x, z, scope)
  );
}

/** (isNaN(v) && d === 0 ? 0 : v) * z  ->  v * z, with v = c * d * x and z = … * x * …: where x is infinite or no number, so is z, and 0 * z is none, as v is */
function unmasked(mask: Atom, z: Atom, scope: Scope): Edited | null {
  const made = scope.made(mask);
  const [vanishes, zero, value] = made?.op === "select" ? made.args : [];
  if (
    vanishes === undefined ||
    zero === undefined ||
    value === undefined ||
    !isValue(zero, 0) ||
    !scope.isFreed(mask)
  )
    return null;
  const d = vanishing(vanishes, value, scope);
  if (d === null) return null;
  const others = partsOf(value, scope.made).filter(
    (part): part is Factor =>
      part.kind !== "sign" &&
      scope.made(part.atom)?.op !== "mul" &&
      scope.made(part.atom)?.op !== "div" &&
      scope.made(part.atom)?.op !== "neg" &&
      !isConstant(part.atom),
  );
  const [first, second, ...more] = others;
  const [x, own] =
    first !== undefined && sameAtom(first.atom, d) ? [second, first] : [first, second];
  if (
    x === undefined ||
    own === undefined ||
    more.length > 0 ||
    own.kind !== "factor" ||
    !sameAtom(own.atom, d)
  )
    return null;
  return partsOf(z, scope.made).some((part) => part.kind === x.kind && sameAtom(part.atom, x.atom))
    ? computed("mul", value, z)
    : null;
}

/** `d` of `isNaN(value) && d === 0`. */
function vanishing(test: Atom, value: Atom, scope: Scope): Atom | null {
  const [isNone, isZero] = scope.made(test)?.op === "and" ? (scope.made(test)?.args ?? []) : [];
  const none = isNone === undefined ? null : scope.made(isNone);
  const zero = isZero === undefined ? null : scope.made(isZero);
  const [of] = none?.args ?? [];
  const [d, to] = zero?.args ?? [];
  return none?.op === "isNaN" &&
    of !== undefined &&
    sameAtom(of, value) &&
    zero?.op === "eq" &&
    d !== undefined &&
    to !== undefined &&
    isValue(to, 0)
    ? d
    : null;
}

/** x * (1 / z)  ->  x / z;  x * (-1 / z)  ->  -(x / z) */
function quotient(x: Atom, reciprocal: Atom, scope: Scope): Edited | null {
  const made = scope.made(reciprocal);
  const [one, z] = made?.op === "div" ? made.args : [];
  if (one === undefined || z === undefined || !scope.isFreed(reciprocal)) return null;
  const whole = computed("div", x, z);
  return isValue(one, 1) ? whole : isValue(one, -1) ? computed("neg", whole) : null;
}

/** -x * z  ->  -(x * z)      a product that is there already needs no second one of the other sign; constant-first.ts writes it as it was */
function negative(op: "mul" | "div", x: Atom, z: Atom, scope: Scope): Edited | null {
  const without = (atom: Atom): Atom | undefined => {
    const made = scope.made(atom);
    return made?.op === "neg" && scope.isFreed(atom) ? made.args[0] : undefined;
  };
  const [plusX, plusZ] = [without(x), without(z)];
  return plusX !== undefined
    ? computed("neg", computed(op, plusX, z))
    : plusZ !== undefined
      ? computed("neg", computed(op, x, plusZ))
      : null;
}

/** -(-x * z)  ->  x * z;  -(2 * x * z)  ->  -2 * x * z */
const negation = (x: Atom, scope: Scope): Edited | null => opposite(x, scope, () => true);

/** What may stand in place of two parts: nothing where they cancel, a constant in place of one of two. `isQuotient`: the second stands in a divisor. */
function together(
  first: Part,
  second: Part,
  isQuotient: boolean,
): readonly (readonly [Atom, Atom])[] {
  if (first.kind === "sign" && second.kind === "sign") return [[ONE, ONE]];
  if (first.kind === "sign")
    return second.kind !== "sign" && isConstant(second.atom)
      ? [[ONE, num(-second.atom.value)]]
      : [];
  if (second.kind === "sign") return isConstant(first.atom) ? [[num(-first.atom.value), ONE]] : [];
  const isSame = (first.kind === "divisor") === ((second.kind === "divisor") !== isQuotient);
  if (!isConstant(first.atom) || !isConstant(second.atom))
    return !isSame &&
      !isNumber(first.atom) &&
      first.atom.kind !== "undef" &&
      sameAtom(first.atom, second.atom)
      ? [[ONE, ONE]]
      : [];
  const [c, d] = [first.atom.value, second.atom.value];
  if (isSame)
    return isExact(c * d, c, d) || isExact(c * d, d, c)
      ? [
          [num(c * d), ONE],
          [ONE, num(c * d)],
        ]
      : [];
  return [
    ...(isExact(c / d, c, d) ? [[num(c / d), ONE] as const] : []),
    ...(Number.isInteger(d / c) ? [[ONE, num(d / c)] as const] : []),
  ];
}

/** Whether a product or quotient of two constants is what real numbers give, in few digits. */
const isExact = (value: number, c: number, by: number): boolean =>
  Number.isInteger(value * 8) ||
  (Number.isInteger(Math.log2(Math.abs(by))) && String(value).length <= String(c).length + 1);

// sums ------------------------------------------------------------------------------------------------------------

/** x + -p * q  ->  x - p * q;  x - -2 * p  ->  x + 2 * p;  -p * q + x  ->  x - p * q;  x + (-p - q)  ->  x - (p + q) */
function difference(op: "add" | "sub", x: Atom, z: Atom, scope: Scope): Edited | null {
  const isNegative = (constant: number): boolean => constant < 0;
  const plus = opposite(z, scope, isNegative) ?? oppositeSum(z, scope);
  if (plus !== null) return computed(op === "add" ? "sub" : "add", x, plus);
  const first = op === "add" ? opposite(x, scope, isNegative) : null;
  return first === null ? null : computed("sub", z, first);
}

/** -p - q  ->  p + q, of the opposite sign */
function oppositeSum(sum: Atom, scope: Scope): Edited | null {
  const made = scope.made(sum);
  const [x, z] = made?.args ?? [];
  if (
    made?.op !== "sub" ||
    x === undefined ||
    z === undefined ||
    !made.adjoint ||
    !scope.isFreed(sum)
  )
    return null;
  const first =
    scope.made(x)?.op === "neg" && scope.isFreed(x)
      ? scope.made(x)?.args[0]
      : oppositeSum(x, scope);
  return first == null ? null : computed("add", first, z);
}

interface Term {
  readonly sign: 1 | -1;
  readonly value: Edited;
}

/** More terms than these nobody compares with each other. */
const MOST_TERMS = 12;

/** x + t + t  ->  x + 2 * t;  x - 1 - 1  ->  x - 2 */
function sum(op: "add" | "sub", x: Atom, z: Atom, scope: Scope): Edited | null {
  const terms = [...termsOf(x, 1, scope), ...termsOf(z, op === "add" ? 1 : -1, scope)];
  if (terms.length < 3 || terms.length > MOST_TERMS) return null;
  for (const [i, one] of terms.entries()) {
    for (const [k, other] of terms.entries()) {
      if (k <= i) continue;
      const like = likeTerm(one.value, other.value, one.sign === other.sign ? 1 : -1, scope);
      if (like !== null)
        return added(
          terms
            .map((term, at) => (at === i ? { ...term, value: like } : term))
            .filter((_, at) => at !== k),
        );
    }
  }
  return null;
}

function likeTerm(x: Atom, z: Atom, sign: 1 | -1, scope: Scope): Edited | null {
  if (isNumber(x) && isNumber(z))
    return Number.isSafeInteger(x.value) && Number.isSafeInteger(z.value)
      ? num(x.value + sign * z.value)
      : null;
  if (sameAtom(x, z)) return sign === 1 ? computed("mul", num(2), x) : null;
  return likeTerms(x, z, sign, scope.made);
}

function termsOf(
  atom: Atom,
  sign: 1 | -1,
  scope: Scope,
): readonly (Term & { readonly value: Atom })[] {
  const made = scope.made(atom);
  const [x, z] = made?.args ?? [];
  if (
    (made?.op !== "add" && made?.op !== "sub") ||
    x === undefined ||
    z === undefined ||
    !made.adjoint ||
    !scope.isFreed(atom)
  )
    return [{ sign, value: atom }];
  return [
    ...termsOf(x, sign, scope),
    ...termsOf(z, made.op === "add" ? sign : sign === 1 ? -1 : 1, scope),
  ];
}

/** The first term is never subtracted. */
const added = ([first, ...rest]: readonly Term[]): Edited | null =>
  first === undefined
    ? null
    : rest.reduce(
        (total, { sign, value }) => computed(sign === 1 ? "add" : "sub", total, value),
        first.value,
      );

// Note [Cancelling]
// `s / (c * x) * c` is `s / x` for all numbers for which it is one: where c is 0 or infinite, or c * x leaves the range of doubles, the first is 0 / 0, Infinity * 0 or a
// slope whose digits are lost, and the second the limit of what it is nearby. So a rewrite takes NaN away, and makes none: what is left has no operation that the other
// does not have, but a quotient by a factor of what was divided by. Constants are finite and not 0. What is *added* keeps its sign and number of terms up to multiples of
// one term, of which likeTerms asks for a sum that is not 0: `t - t` is no number where t is none.
