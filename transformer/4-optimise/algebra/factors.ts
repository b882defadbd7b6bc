// Simplifies products, quotients and sums of cotangents across several operations.
//   ~ q = s / (c * x); ~ y = q * c                            ->   ~ y = s / x
//   ~ a = 2 * x; ~ b = 0.5 * s; ~ y = a * b                   ->   ~ y = x * s
//   ~ n = -p; ~ d = n * q; ~ y = x + d                        ->   ~ d = p * q; ~ y = x - d
//   ~ m = isNaN(d * x) && d === 0 ? 0 : d * x; ~ y = m * x    ->   ~ y = d * x * x
//   ~ u = x + t; ~ y = u + t                                  ->   ~ y = x + 2 * t
// Invariant: the cost never grows, and constants are combined only where that is exact. A NaN slope
// may become a number where its divisor cancels, never the reverse. See Note [Cancelling].

import { num } from "../../ir/build.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Func } from "../../ir/types.ts";
import { isNumber, isValue, sameAtom } from "../atoms.ts";
import { likeTerms } from "./like-terms.ts";
import {
  type Edited,
  type Factor,
  type Computation,
  type Part,
  ONE,
  changed,
  combined,
  computed,
  costOf,
  isConstant,
  negatedProduct,
  partsOf,
} from "./product.ts";
import { type Operation, type Scope, rewriteCotangents } from "./rewrite-cotangents.ts";

export const factors = (func: Func, types: Types): Func =>
  rewriteCotangents(func, types, { operation: better });

function better({ expr }: Operation, scope: Scope): Edited | null {
  const { op } = expr;
  const [x, z] = expr.args;
  if (x === undefined) return null;
  if (op === "neg") return negation(x, scope);
  if (z === undefined) return null;
  if (op === "mul" || op === "div") return product(op, x, z, scope);
  return op === "add" || op === "sub"
    ? (difference(op, x, z, scope) ?? sum(op, x, z, scope))
    : null;
}

// products ----------------------------------------------------------------------------------------

function product(op: "mul" | "div", x: Atom, z: Atom, scope: Scope): Edited | null {
  for (const first of partsOf(x, scope.definition)) {
    for (const second of partsOf(z, scope.definition)) {
      for (const [toFirst, toSecond] of together(first, second, op === "div")) {
        const edited = combined(op, [
          changed(x, { part: first, to: toFirst }, scope.definition),
          changed(z, { part: second, to: toSecond }, scope.definition),
        ]);
        const saved =
          OPS[op].cost + scope.freed(x, first) + scope.freed(z, second) - costOf(edited);
        // Where something cancels, the critical path is shorter at the same cost.
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

/**
 * `(isNaN(v) && d === 0 ? 0 : v) * z  ->  v * z`, where `v = c * d * x` and x is a factor of z. If
 * x is not finite, neither is z, and `0 * z` is NaN as v is.
 */
function unmasked(mask: Atom, z: Atom, scope: Scope): Edited | null {
  const [vanishes, zero, value] = operandsOf(mask, "select", scope);
  if (zero === undefined || value === undefined) return null;
  if (!isValue(zero, 0) || !scope.isFreed(mask)) return null;
  const d = vanishing(vanishes, value, scope);
  const x = d === null ? null : cofactor(value, d, scope);
  if (x === null) return null;
  return partsOf(z, scope.definition).some(
    (part) => part.kind === x.kind && sameAtom(part.atom, x.atom),
  )
    ? computed("mul", value, z)
    : null;
}

/** The factor or divisor x of `value`, where `value` is `c * d * x`. */
function cofactor(value: Atom, d: Atom, scope: Scope): Factor | null {
  const isLeaf = ({ op }: Computation): boolean => op !== "mul" && op !== "div" && op !== "neg";
  const others = partsOf(value, scope.definition).filter((part): part is Factor => {
    const def = part.kind === "sign" ? null : scope.definition(part.atom);
    return part.kind !== "sign" && (def === null || isLeaf(def)) && !isConstant(part.atom);
  });
  const [first, second, ...more] = others;
  if (first === undefined || second === undefined || more.length > 0) return null;
  const [x, own] = sameAtom(first.atom, d) ? [second, first] : [first, second];
  return own.kind === "factor" && sameAtom(own.atom, d) ? x : null;
}

/** The operands of `atom`, if `op` computed it. */
function operandsOf(atom: Atom | undefined, op: ScalarOp, scope: Scope): readonly Atom[] {
  const def = atom === undefined ? null : scope.definition(atom);
  return def?.op === op ? def.args : [];
}

/** `d`, where the test is `isNaN(value) && d === 0`. */
function vanishing(test: Atom | undefined, value: Atom, scope: Scope): Atom | null {
  const [isNone, isZero] = operandsOf(test, "and", scope);
  const [tested] = operandsOf(isNone, "isNaN", scope);
  const [d, zero] = operandsOf(isZero, "eq", scope);
  if (tested === undefined || d === undefined || zero === undefined) return null;
  return sameAtom(tested, value) && isValue(zero, 0) ? d : null;
}

// x * (1 / z)   ->   x / z;   x * (-1 / z)   ->   -(x / z)
function quotient(x: Atom, reciprocal: Atom, scope: Scope): Edited | null {
  const def = scope.definition(reciprocal);
  const [one, z] = def?.op === "div" ? def.args : [];
  if (one === undefined || z === undefined || !scope.isFreed(reciprocal)) return null;
  const whole = computed("div", x, z);
  return isValue(one, 1) ? whole : isValue(one, -1) ? computed("neg", whole) : null;
}

// -x * z   ->   -(x * z), so that cse can share x * z; constant-first.ts moves a sign back in
function negative(op: "mul" | "div", x: Atom, z: Atom, scope: Scope): Edited | null {
  const without = (atom: Atom): Atom | undefined => {
    const def = scope.definition(atom);
    return def?.op === "neg" && scope.isFreed(atom) ? def.args[0] : undefined;
  };
  const [plusX, plusZ] = [without(x), without(z)];
  return plusX !== undefined
    ? computed("neg", computed(op, plusX, z))
    : plusZ !== undefined
      ? computed("neg", computed(op, x, plusZ))
      : null;
}

// -(-x * z)   ->   x * z;   -(2 * x * z)   ->   -2 * x * z
const negation = (x: Atom, scope: Scope): Edited | null => negatedProduct(x, scope, () => true);

/**
 * What may replace two parts: 1 for both where they cancel, a constant for one of two constants.
 * `isQuotient`: the second part belongs to a divisor.
 */
function together(
  first: Part,
  second: Part,
  isQuotient: boolean,
): readonly (readonly [Atom, Atom])[] {
  if (first.kind === "sign") {
    if (second.kind === "sign") return [[ONE, ONE]];
    return isConstant(second.atom) ? [[ONE, num(-second.atom.value)]] : [];
  }
  if (second.kind === "sign") return isConstant(first.atom) ? [[num(-first.atom.value), ONE]] : [];
  const isSame = (first.kind === "divisor") === ((second.kind === "divisor") !== isQuotient);
  if (isConstant(first.atom) && isConstant(second.atom))
    return constantsTogether(first.atom.value, second.atom.value, isSame);
  return !isSame && cancels(first.atom, second.atom) ? [[ONE, ONE]] : [];
}

const cancels = (x: Atom, z: Atom): boolean => !isNumber(x) && x.kind !== "undef" && sameAtom(x, z);

/** `isSame`: both multiply, or both divide. */
function constantsTogether(
  c: number,
  d: number,
  isSame: boolean,
): readonly (readonly [Atom, Atom])[] {
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

/** Whether a product or quotient of two constants is exact, in few digits. */
const isExact = (value: number, c: number, by: number): boolean =>
  Number.isInteger(value * 8) ||
  (Number.isInteger(Math.log2(Math.abs(by))) && String(value).length <= String(c).length + 1);

// sums --------------------------------------------------------------------------------------------

// x + -p * q   ->   x - p * q;   x - -2 * p   ->   x + 2 * p;   -p * q + x   ->   x - p * q
// x + (-p - q)   ->   x - (p + q)
function difference(op: "add" | "sub", x: Atom, z: Atom, scope: Scope): Edited | null {
  const isNegative = (constant: number): boolean => constant < 0;
  const plus = negatedProduct(z, scope, isNegative) ?? oppositeSum(z, scope);
  if (plus !== null) return computed(op === "add" ? "sub" : "add", x, plus);
  const first = op === "add" ? negatedProduct(x, scope, isNegative) : null;
  return first === null ? null : computed("sub", z, first);
}

// -p - q   ->   p + q, of the opposite sign
function oppositeSum(sum: Atom, scope: Scope): Edited | null {
  const def = scope.definition(sum);
  const [x, z] = def?.args ?? [];
  if (
    def?.op !== "sub" ||
    x === undefined ||
    z === undefined ||
    !def.adjoint ||
    !scope.isFreed(sum)
  )
    return null;
  const first =
    scope.definition(x)?.op === "neg" && scope.isFreed(x)
      ? scope.definition(x)?.args[0]
      : oppositeSum(x, scope);
  return first == null ? null : computed("add", first, z);
}

interface Term {
  readonly sign: 1 | -1;
  readonly value: Edited;
}

/** Limit on the terms of a sum: all pairs are compared. */
const MOST_TERMS = 12;

// x + t + t   ->   x + 2 * t;   x - 1 - 1   ->   x - 2
function sum(op: "add" | "sub", x: Atom, z: Atom, scope: Scope): Edited | null {
  const terms = termsOf(op, x, z, scope);
  if (terms === null || terms.length < 3) return null;
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
  return likeTerms(x, z, sign, scope.definition);
}

/** A difference of two primal values stays: `(c - a) + (c - b)` is exact where `2 * c` is not. */
const isPrimalDifference = (
  { op, args }: Pick<Computation, "op" | "args">,
  scope: Scope,
): boolean =>
  op === "sub" &&
  args.every((arg) => arg.kind === "var" && scope.definition(arg)?.adjoint !== true);

/** The terms of a sum in their order; null: too many. */
function termsOf(
  op: "add" | "sub",
  x: Atom,
  z: Atom,
  scope: Scope,
): readonly (Term & { readonly value: Atom })[] | null {
  const terms: (Term & { readonly value: Atom })[] = [];
  const waiting = operandsOfSum(op, x, z, 1);
  for (let term = waiting.pop(); term !== undefined; term = waiting.pop()) {
    const def = scope.definition(term.value);
    const [left, right] = def?.args ?? [];
    if (
      (def?.op !== "add" && def?.op !== "sub") ||
      left === undefined ||
      right === undefined ||
      !def.adjoint ||
      !scope.isFreed(term.value) ||
      isPrimalDifference(def, scope)
    )
      terms.push(term);
    else waiting.push(...operandsOfSum(def.op, left, right, term.sign));
    if (terms.length + waiting.length > MOST_TERMS) return null;
  }
  return terms;
}

/** The operands of a sum of some sign, last first. */
const operandsOfSum = (
  op: "add" | "sub",
  x: Atom,
  z: Atom,
  sign: 1 | -1,
): (Term & { readonly value: Atom })[] => [
  { sign: op === "add" ? sign : sign === 1 ? -1 : 1, value: z },
  { sign, value: x },
];

/** The sum of the terms. The sign of the first is `+`. */
const added = ([first, ...rest]: readonly Term[]): Edited | null =>
  first === undefined
    ? null
    : rest.reduce(
        (total, { sign, value }) => computed(sign === 1 ? "add" : "sub", total, value),
        first.value,
      );

// Note [Cancelling]
// `s / (c * x) * c` is `s / x` wherever it is a number. Where c is 0 or infinite, or c * x leaves
// the range of doubles, the first is NaN or has lost its digits, and the second is the limit
// nearby. So a rewrite removes NaN and introduces none: what remains has no operation that was not
// there, except a quotient by a factor of the old divisor. Constants are finite and not 0. The
// terms of sums keep their signs and number, except multiples of one term, which likeTerms never
// lets cancel to 0: `t - t` is NaN where t is.
