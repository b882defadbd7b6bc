// What users' tests import. In: a function, and last what the build adds to the call. Out: that last argument.
// Invariant: no dependency, no state, no work at import.

import { uncompiled } from "./uncompiled.ts";

/**
 * The emitted source of a function's derivatives, and of those of what it calls in the same file; for snapshots.
 *
 * A compile-time form: the build replaces the call, so `f` must be a function of the program, as for `grad`.
 *
 * @throws Error `TSG0001` where no build step has replaced the call.
 * @example
 * expect(derivativeSource(loss)).toMatchSnapshot();
 */
export function derivativeSource(f: (...args: never) => unknown, options?: { readonly engine?: "static" | "delta" }): string;
/** As the build writes it. */
export function derivativeSource(f: (...args: never) => unknown, ...added: readonly unknown[]): string;
export function derivativeSource(f: (...args: never) => unknown, ...added: readonly unknown[]): string {
  const source = added[added.length - 1];
  if (typeof source !== "string") throw uncompiled("derivativeSource", f);
  return source;
}
