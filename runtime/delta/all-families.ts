// Derivatives for programs with unknown needs: all families are loaded first. Otherwise as run.ts
// and term.ts.

import { isWhole, use } from "./families.ts";
import { everything } from "./natives/index.ts";
import { comparing } from "./linear.ts";
import * as run from "./run.ts";
import * as runs from "./runs.ts";
import * as term from "./term.ts";

const whole =
  <Args extends readonly unknown[], Result>(of: (...args: Args) => Result) =>
  (...args: Args): Result => {
    if (!isWhole) use(everything);
    return of(...args);
  };

export const grad: typeof run.grad = /* @__PURE__ */ whole(run.grad);
export const valueAndGrad: typeof run.valueAndGrad = /* @__PURE__ */ whole(run.valueAndGrad);
export const vjp: typeof run.vjp = /* @__PURE__ */ whole(run.vjp);
/** For `transpose`. */
export const linear: typeof run.vjp = /* @__PURE__ */ comparing(vjp);
export const jvp: typeof run.jvp = /* @__PURE__ */ whole(run.jvp);
export const value: typeof run.value = /* @__PURE__ */ whole(run.value);
export const delta: typeof term.delta = /* @__PURE__ */ whole(term.delta);
export const begin: typeof runs.begin = /* @__PURE__ */ whole(runs.begin);
