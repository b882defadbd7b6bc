// What the build has put behind a form's own arguments. In: the form, the function, what stands behind it. Out: the derivative, or all of them
// with the options. Invariant: without a derivative TSG0001, never a value.

import type { Layout } from "./tree.ts";
import { uncompiled } from "./uncompiled.ts";

/** What the build has added behind the user's own arguments. */
export function derivativeIn(form: string, f: unknown, added: readonly unknown[]): unknown {
  const last = added[added.length - 1];
  if (typeof last !== "function") throw uncompiled(form, f);
  return last;
}

/** A derivative as the build wrote it: nothing is known of it but the convention of its form. */
export type Derived = (...args: readonly unknown[]) => unknown;
export const isDerived = (value: unknown): value is Derived => typeof value === "function";

/** A call of a form with all that it has. */
export interface Call {
  /** Positions asked for; null without `argnums`. */
  readonly argnums: readonly number[] | null;
  /** Whether `argnums` is a list, so that tuples are asked for. */
  readonly isList: boolean;
  readonly hasAux: boolean;
  /** Whether the derivative is written into an object that comes before the arguments. */
  readonly into: boolean;
  readonly fwd: Derived;
  /** Of linearize and checkGrads. */
  readonly vjp: Derived;
  /** What the build says of the arguments' and the result's types behind the derivatives; mostly nothing. */
  readonly layout: Layout;
}

/** Reads a call `form(f, options?, ...derivatives, layout?)`, which has to have `count` derivatives. */
export function callOf(form: string, f: unknown, added: readonly unknown[], count: number): Call {
  const derived = added.filter(isDerived);
  const [fwd, vjp = fwd] = derived;
  if (fwd === undefined || vjp === undefined || derived.length < count) throw uncompiled(form, f);
  const options = fieldsOf(added[0]);
  const layout: Layout = fieldsOf(
    isDerived(added[added.length - 1]) ? undefined : added[added.length - 1],
  );
  const argnums = "argnums" in options ? options.argnums : undefined;
  return {
    argnums: Array.isArray(argnums)
      ? argnums.map(Number)
      : typeof argnums === "number"
        ? [argnums]
        : null,
    isList: Array.isArray(argnums),
    hasAux: "hasAux" in options && options.hasAux === true,
    into: "into" in options && options.into === true,
    fwd,
    vjp,
    layout,
  };
}

const fieldsOf = (value: unknown): object =>
  typeof value === "object" && value !== null ? value : {};
