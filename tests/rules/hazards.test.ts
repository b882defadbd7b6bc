// The words about derivatives that are not finite, against the rules: each operator whose slope is infinite or NaN at ordinary
// operands is described, and no other is.

import { expect, it } from "vitest";
import { NUM } from "../../transformer/ir/build.ts";
import { OPS, type ScalarOp } from "../../transformer/ir/ops.ts";
import type { Atom } from "../../transformer/ir/types.ts";
import { HAZARDS } from "../../transformer/rules/hazards.ts";
import { SCALAR } from "../../transformer/rules/scalar.ts";
import { isUnbounded, slopeOf } from "../../transformer/rules/slopes.ts";

const operand = (i: number): Atom => ({ kind: "var", name: `x${i}`, type: NUM });

it.each(Object.keys(OPS) as ScalarOp[])("%s", (op) => {
  const args = Array.from({ length: Math.max(SCALAR[op].domain.length, 1) }, (_, i) => operand(i));
  const isPole = args.some((_, i) => isUnbounded(slopeOf(op, i, args)));
  expect(HAZARDS[op]?.kind === "pole").toBe(isPole);
});
