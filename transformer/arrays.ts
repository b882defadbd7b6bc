// Gradients of array programs. In: call sites, their derivatives, the program that they are of. Out: by derivative's name, array code, or why there is none. Invariant: what has array code is emitted as
// that; what has none is differentiated as loops.

import type { Differentiated } from "./3-differentiate/index.ts";
import { arrayGradient } from "./3-differentiate/array/gradient.ts";
import { arrayProgramOf } from "./2-analyse/index.ts";
import { optimiseArray } from "./4-optimise/array/index.ts";
import type { Span } from "./diagnostics/report.ts";
import type { ArrayProgram } from "./ir/array.ts";
import { checkArray } from "./ir/array-check.ts";
import type { CallSite } from "./ir/facts.ts";
import type { Program } from "./ir/types.ts";

/** A gradient at the level of arrays: of `primal`. */
export type ArrayDerivative =
  | { readonly kind: "array"; readonly primal: ArrayProgram; readonly program: ArrayProgram }
  | { readonly kind: "loops"; readonly why: string; readonly origin: Span };

export function arraysOf(
  sites: readonly CallSite[],
  made: Differentiated,
  { funcs, types }: Program,
): ReadonlyMap<string, ArrayDerivative> {
  const arrays = new Map<string, ArrayDerivative>();
  for (const site of sites) {
    const func = funcs.get(site.target);
    const [name] = made.derivativesOf.get(site) ?? [];
    if (
      (site.form !== "grad" && site.form !== "valueAndGrad" && site.form !== "derivativeSource") ||
      func?.result.kind !== "num" ||
      site.hasAux ||
      site.into ||
      func === undefined ||
      name === undefined ||
      arrays.has(name)
    )
      continue;
    const found =
      func.derivation === undefined && func.rule === undefined ? arrayProgramOf(func, types) : null;
    if (found === null) continue;
    if (found.kind === "other") {
      arrays.set(name, { kind: "loops", why: found.why, origin: found.origin });
      continue;
    }
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
    arrays.set(
      name,
      typeof gradient === "string"
        ? { kind: "loops", why: gradient, origin }
        : {
            kind: "array",
            primal: found.program,
            program: checkArray(optimiseArray(checkArray(gradient), types)),
          },
    );
  }
  return arrays;
}
