// `tsgrad/delta-higher`: `$d` of code whose derivatives are differentiated. It has the names of
// `tsgrad/delta`, with operators that record what their partials depend on.

import { everything } from "../natives/index.ts";
import { use } from "../families.ts";
import { comparing } from "../linear.ts";
import * as first from "../run.ts";
import type { Spec } from "../run.ts";
import * as runs from "../runs.ts";
import type { Run } from "../store.ts";
import * as term from "../term.ts";
import type { DeltaFunction, Value } from "../value.ts";
import { nested } from "./forms.ts";
import * as higher from "./nested.ts";

export * from "../index.ts";
export {
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  cbrt,
  cos,
  cosh,
  div,
  exp,
  expm1,
  fround,
  hypot,
  largest,
  least,
  log,
  log10,
  log1p,
  log2,
  max,
  max2,
  min,
  min2,
  most,
  mul,
  neg,
  pow,
  rem,
  sin,
  sinh,
  smallest,
  sqrt,
  sub,
  tan,
  tanh,
} from "./operators.ts";

const loaded = (): void => {
  use(everything, nested);
};

export function grad(f: DeltaFunction, args: Value[], spec?: Spec): Value {
  loaded();
  return first.grad(f, args, spec);
}

export function valueAndGrad(f: DeltaFunction, args: Value[], spec?: Spec): Value {
  loaded();
  return first.valueAndGrad(f, args, spec);
}

export function vjp(f: DeltaFunction, args: Value[], spec?: Spec): Value {
  loaded();
  return first.vjp(f, args, spec);
}

/** For `transpose`. */
export const linear: typeof vjp = /* @__PURE__ */ comparing(vjp);

export function jvp(f: DeltaFunction, args: Value[], tangents: Value[], spec?: Spec): Value {
  loaded();
  return first.jvp(f, args, tangents, spec);
}

/** The gradient and its tangent: `[gradient, tangent]`. */
export function second(f: DeltaFunction, args: Value[], tangents: Value[], spec?: Spec): Value {
  loaded();
  return higher.second(f, args, tangents, spec);
}

export function value(f: DeltaFunction, args: Value[]): Value {
  loaded();
  return first.value(f, args);
}

export function delta(f: DeltaFunction, names?: readonly string[]): (...args: Value[]) => Value {
  loaded();
  return term.delta(f, names);
}

export function begin(): Run {
  loaded();
  return runs.begin();
}
