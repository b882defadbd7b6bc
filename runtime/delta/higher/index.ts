// `tsgrad/delta-higher`: `$d` of code whose derivatives are differentiated. It has the names of
// `tsgrad/delta`, with operators that record what their partials depend on.

import { everything } from "../natives/index.ts";
import { use } from "../families.ts";
import { comparing } from "../linear.ts";
import * as first from "../run.ts";
import * as runs from "../runs.ts";
import * as term from "../term.ts";
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
export { solver } from "./solvers.ts";

const loaded =
  <Args extends readonly unknown[], Result>(of: (...args: Args) => Result) =>
  (...args: Args): Result => {
    use(everything, nested);
    return of(...args);
  };

export const grad: typeof first.grad = /* @__PURE__ */ loaded(first.grad);
export const valueAndGrad: typeof first.valueAndGrad = /* @__PURE__ */ loaded(first.valueAndGrad);
export const vjp: typeof first.vjp = /* @__PURE__ */ loaded(first.vjp);
/** For `transpose`. */
export const linear: typeof first.vjp = /* @__PURE__ */ comparing(vjp);
export const jvp: typeof first.jvp = /* @__PURE__ */ loaded(first.jvp);
/** The gradient and its tangent: `[gradient, tangent]`. */
export const second: typeof higher.second = /* @__PURE__ */ loaded(higher.second);
export const value: typeof first.value = /* @__PURE__ */ loaded(first.value);
export const delta: typeof term.delta = /* @__PURE__ */ loaded(term.delta);
export const begin: typeof runs.begin = /* @__PURE__ */ loaded(runs.begin);
