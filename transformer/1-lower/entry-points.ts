// The implementations of the entry points that `lowering.ts` declares.

import { lowerArrayMethod } from "./builtins/array.ts";
import { lowerArguments, lowerValues, spreadValues } from "./calls.ts";
import { lowerEffect, lowerExpr } from "./expression.ts";
import { implementationsOf, codeCalledBy } from "./functions/called-code.ts";
import { applyFnAt, applyCallback } from "./functions/apply.ts";
import { functionsAt } from "./functions/function-flow.ts";
import type { Lowering } from "./lowering.ts";

export const LOWERING: Lowering = {
  lowerExpr,
  lowerEffect,
  lowerValues,
  lowerArguments,
  spreadValues,
  lowerArrayMethod,
  applyAt: applyFnAt,
  applyCallback,
  meantBy: codeCalledBy,
  implementationsOf,
  functionsAt,
};
