// Derivatives for programs with unknown needs: all families are loaded first. Otherwise as run.ts
// and term.ts.

import { isWhole, use } from "./families.ts";
import { everything } from "./natives/index.ts";
import { comparing } from "./linear.ts";
import * as run from "./run.ts";
import * as runs from "./runs.ts";
import type { Run } from "./store.ts";
import * as term from "./term.ts";
import type { DeltaFunction, Value } from "./value.ts";

const whole = (): void => {
  if (!isWhole) use(everything);
};

export function grad(f: DeltaFunction, args: Value[], spec?: run.Spec): Value {
  whole();
  return run.grad(f, args, spec);
}

export function valueAndGrad(f: DeltaFunction, args: Value[], spec?: run.Spec): Value {
  whole();
  return run.valueAndGrad(f, args, spec);
}

export function vjp(f: DeltaFunction, args: Value[], spec?: run.Spec): Value {
  whole();
  return run.vjp(f, args, spec);
}

/** For `transpose`. */
export const linear: typeof vjp = /* @__PURE__ */ comparing(vjp);

export function jvp(f: DeltaFunction, args: Value[], tangents: Value[], spec?: run.Spec): Value {
  whole();
  return run.jvp(f, args, tangents, spec);
}

export function value(f: DeltaFunction, args: Value[]): Value {
  whole();
  return run.value(f, args);
}

export function delta(f: DeltaFunction, names?: readonly string[]): (...args: Value[]) => Value {
  whole();
  return term.delta(f, names);
}

export function begin(): Run {
  whole();
  return runs.begin();
}
