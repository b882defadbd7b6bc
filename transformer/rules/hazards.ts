// Where a derivative is infinite or not a number although the operands are ordinary, and where it
// is a choice, in words. `tsgrad explain` and the errors of `debug: "nan"` quote it. The rules are
// those of scalar.ts, and a test compares both.

import type { ScalarOp } from "../ir/ops.ts";

export interface Hazard {
  /** "pole": infinite or not a number. "choice": finite, but one of several. */
  readonly kind: "pole" | "choice";
  /** What the derivative is there; `{0}` and `{1}` are the operands. */
  readonly what: string;
  readonly remedy: string;
}

const root: Hazard = {
  kind: "pole",
  what: "infinite where `{0}` is 0: a root has a vertical tangent there",
  remedy: "add a small number under the root, or branch on `> 0` before it",
};
const logarithm = (end: string): Hazard => ({
  kind: "pole",
  what: `infinite where \`{0}\` is ${end}, as the logarithm itself`,
  remedy: "keep the operand away from that end, or branch before it",
});
const inverse = (ends: string): Hazard => ({
  kind: "pole",
  what: `infinite where \`{0}\` is ${ends}: the curve is vertical at the end of its domain`,
  remedy: "keep the operand inside of the domain, or use `Math.atan2` of sine and cosine",
});
const overflow: Hazard = {
  kind: "pole",
  what: "infinite where the value overflows, beyond about `{0}` = 709",
  remedy: "subtract the largest exponent before",
};
const tie: Hazard = {
  kind: "choice",
  what: "a choice where two operands are equal: each gets half",
  remedy: "none is needed where ties are rare",
};
const jump: Hazard = {
  kind: "choice",
  what: "0 everywhere: the value is constant between its jumps",
  remedy: "use a smooth function where a derivative is wanted",
};

export const HAZARDS: { readonly [Op in ScalarOp]?: Hazard } = {
  sqrt: root,
  cbrt: root,
  pow: {
    kind: "pole",
    what: "infinite where `{0}` is 0 and the exponent below 1; by the exponent NaN below 0",
    remedy: "keep the base above 0",
  },
  div: {
    kind: "pole",
    what: "infinite or not a number where `{1}` is 0",
    remedy: "keep the divisor away from 0, or branch before the division",
  },
  mod: {
    kind: "pole",
    what: "not a number where `{1}` is 0",
    remedy: "keep the divisor away from 0",
  },
  log: logarithm("0"),
  log2: logarithm("0"),
  log10: logarithm("0"),
  log1p: logarithm("-1"),
  asin: inverse("1 or -1"),
  acos: inverse("1 or -1"),
  atanh: inverse("1 or -1"),
  acosh: inverse("1"),
  atan2: {
    kind: "pole",
    what: "not a number where `{0}` and `{1}` are both 0: there is no angle",
    remedy: "branch before it where both can be 0",
  },
  exp: overflow,
  expm1: overflow,
  sinh: overflow,
  cosh: overflow,
  abs: {
    kind: "choice",
    what: "a choice where `{0}` is 0: it is 0 there",
    remedy: "none is needed where 0 is rare",
  },
  hypot: {
    kind: "choice",
    what: "a choice where all operands are 0: it is 0 there",
    remedy: "none is needed where 0 is rare",
  },
  max: tie,
  min: tie,
  floor: jump,
  ceil: jump,
  round: jump,
  trunc: jump,
  sign: jump,
};

/** A text of a hazard with the operands' names. */
export const hazardText = (text: string, operands: readonly string[]): string =>
  text.replace(/\{(\d)\}/g, (_, i: string) => operands[Number(i)] ?? "the operand");
