// Gradients of functions that use tsgrad/vector, as array programs. Input: call sites and their
// derivatives. Output: array code by derivative's name, or why there is none; functions without
// array code are differentiated as loops.

import type { Differentiated } from "../3-differentiate/index.ts";
import { arrayGradient } from "../3-differentiate/array/gradient.ts";
import { arrayProgramOf } from "../2-analyse/index.ts";
import { optimiseArray } from "../4-optimise/array/index.ts";
import type { Span } from "../diagnostics/report.ts";
import type { ArrayProgram } from "../ir/array.ts";
import { checkArray } from "../ir/array-check.ts";
import type { CallSite } from "../ir/facts.ts";
import type { Func, Program } from "../ir/types.ts";

/** A gradient at the level of arrays: of `primal`. */
export type ArrayDerivative =
  | { readonly kind: "array"; readonly primal: ArrayProgram; readonly program: ArrayProgram }
  | { readonly kind: "loops"; readonly why: string; readonly origin: Span };

const FORMS: readonly string[] = ["grad", "valueAndGrad", "derivativeSource"];

export function arraysOf(
  sites: readonly CallSite[],
  made: Differentiated,
  { funcs, types }: Program,
): ReadonlyMap<string, ArrayDerivative> {
  const arrays = new Map<string, ArrayDerivative>();
  for (const site of sites) {
    const func = funcs.get(site.target);
    const [name] = made.derivativesOf.get(site) ?? [];
    if (func === undefined || name === undefined || arrays.has(name)) continue;
    const found = mayBeArrayCode(site, func) ? arrayDerivative(site, func, name, types) : null;
    if (found !== null) arrays.set(name, found);
  }
  return arrays;
}

const mayBeArrayCode = ({ form, hasAux, into, debug }: CallSite, func: Func): boolean =>
  FORMS.includes(form) &&
  func.result.kind === "num" &&
  !hasAux &&
  debug !== true &&
  !into &&
  func.derivation === undefined &&
  func.rule === undefined;

/** The gradient that a site requests; null where the function uses nothing of tsgrad/vector. */
function arrayDerivative(
  site: CallSite,
  func: Func,
  name: string,
  types: Program["types"],
): ArrayDerivative | null {
  const found = arrayProgramOf(func, types);
  if (found === null) return null;
  if (found.kind === "other") return { kind: "loops", why: found.why, origin: found.origin };
  const { origin } = func;
  const gradient = arrayGradient({
    program: found.program,
    name,
    asked: site.argnums,
    tuple: site.tuple,
    withValue: site.form === "valueAndGrad",
    types,
    origin,
  });
  if (typeof gradient === "string") return { kind: "loops", why: gradient, origin };
  const program = checkArray(optimiseArray(checkArray(gradient), types));
  return { kind: "array", primal: found.program, program };
}
