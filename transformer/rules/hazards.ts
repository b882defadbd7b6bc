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
  remedy:
    "add a small number such as 1e-12 inside of the root, not behind it; or test for 0 before it",
};
const logarithm = (end: string): Hazard => ({
  kind: "pole",
  what: `infinite where \`{0}\` is ${end}, as the logarithm itself`,
  remedy: "keep the operand away from that end, or branch before it",
});
const inverse = (ends: string, inside: string): Hazard => ({
  kind: "pole",
  what: `infinite where \`{0}\` is ${ends}: the curve is vertical at the end of its domain`,
  remedy: `keep the operand strictly inside of its domain, as by \`${inside}\``,
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
    what: "infinite where `{0}` is 0 and the exponent is below 1; by the exponent, not a number where `{0}` is below 0",
    remedy: "keep the base above 0, as by `Math.max(x, 1e-12)`",
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
  asin: inverse("1 or -1", "Math.min(x, 1 - 1e-12)"),
  acos: inverse("1 or -1", "Math.min(x, 1 - 1e-12)"),
  atanh: inverse("1 or -1", "Math.min(x, 1 - 1e-12)"),
  acosh: inverse("1", "Math.max(x, 1 + 1e-12)"),
  atan2: {
    kind: "pole",
    what: "not a number where `{0}` and `{1}` are both 0: a vector without length has no direction",
    remedy: "test before it whether both are 0, and take a constant there",
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
