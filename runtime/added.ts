// Reads the arguments that the build appends to a call of a form: the derivatives and the layout.
// Without a derivative it throws TSG0001.

import type { Layout } from "./tree/parts.ts";
import { uncompiled } from "./uncompiled.ts";

/** The last argument, which is the derivative. `above`: the form itself, for the error's trace. */
export function derivativeIn(
  form: string,
  f: unknown,
  added: readonly unknown[],
  above: unknown,
): unknown {
  const last = added[added.length - 1];
  if (typeof last !== "function") throw uncompiled(form, f, above);
  return last;
}

/** A derivative. Its convention depends on its form. */
export type Derived = (...args: readonly unknown[]) => unknown;
export const isDerived = (value: unknown): value is Derived => typeof value === "function";

/** A call of a form, with everything that was passed. */
export interface Call {
  /** Requested positions; null without `argnums`. */
  readonly argnums: readonly number[] | null;
  /** Whether `argnums` is an array, which requests tuples. */
  readonly isList: boolean;
  readonly hasAux: boolean;
  /** Whether the derivative is written into an object that precedes the arguments. */
  readonly into: boolean;
  readonly fwd: Derived;
  /** Of linearize and checkGrads. */
  readonly vjp: Derived;
  /** Facts about the argument and result types; usually empty. */
  readonly layout: Layout;
}

/** Reads a call `form(f, options?, ...derivatives, layout?)` with at least `count` derivatives. */
export function callOf(
  form: string,
  f: unknown,
  added: readonly unknown[],
  count: number,
  above: unknown,
): Call {
  const derived = added.filter(isDerived);
  const [fwd, vjp = fwd] = derived;
  if (fwd === undefined || vjp === undefined || derived.length < count)
    throw uncompiled(form, f, above);
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
